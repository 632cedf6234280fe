//! Typing into an element with the keyboard.
//!
//! Keys go wherever the focus is, and the focus is anybody's to take. So it is looked at before each batch of keys,
//! and what stands in the element afterwards is read back. Nothing is ever typed a second time.

use std::time::Duration;

use serde_json::json;

use crate::disposition::Delivery;
use crate::error::{Code, Error, Result};
use crate::node::{Content, Node};
use crate::object::{Application, ObjectId};
use crate::platform::{Live, Operation, Platform};
use crate::reading::Reading;
use crate::state::State;
use crate::stroke::{PointerButton, Stroke};
use crate::text::quote;
use crate::time::Call;
use crate::window::Window;
use crate::{aim, rearrange};

/// So many characters are typed between two looks at the focus.
const BATCH: usize = 24;

/// How long an element may take to say that it has the focus, and to show what was typed.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// How long the window system may take to give the keyboard to a window that takes it.
const TAKEN_OVER: Duration = Duration::from_millis(500);

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// What reading back gave.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadBack {
    /// Exactly the text was added.
    Exact,
    /// The element holds a secret, which is not read.
    Secret,
    /// It does not tell what it holds.
    NotTold,
}

/// Where to type.
#[derive(Debug, Clone, Copy)]
pub struct Field<'f> {
    /// The application.
    pub application: &'f Application,
    /// The window.
    pub window: &'f Window,
    /// The element as it was when it was resolved.
    pub node: &'f Node,
}

/// Gives the element the focus and types the text. The caller holds the lease of the desktop.
///
/// # Errors
/// `POLICY_DENIED` with kind `not_focused` when another window has the keyboard, naming it; `ACTION_FAILED` with kind
/// `post_action_verification` when what is read back is not what was typed. The detail `typed` tells how many
/// characters had been sent.
pub fn type_text(platform: &dyn Platform, call: &Call<'_>, field: Field<'_>, text: &str) -> Result<ReadBack> {
    let window = rearrange::focus(platform, call, field.window)?;
    let had_focus = field.node.has(State::Focused);
    let is_told = had_focus || focus_element(platform, call, &field, &window)?;
    // To the program in a terminal that key would be one more input.
    if !had_focus && !field.node.is_terminal() && field.node.value().is_some_and(|held| !held.is_empty()) {
        // Some fields select all they hold when they get the focus, and typing would replace it.
        strike(platform, call, &window, Stroke::Chord("end".parse()?))?;
    }
    // By now the element may have been clicked, and a key pressed.
    let touched = |error: Error| if had_focus { error } else { uncertain(error) };
    let before = holds(platform, call, &field).map_err(touched)?;
    let characters: Vec<char> = text.chars().collect();
    let mut typed = 0;
    let told = |error: Error, typed: usize| {
        let more = error.details().get("typed").and_then(serde_json::Value::as_u64).unwrap_or(0);
        let typed = u64::try_from(typed).unwrap_or(u64::MAX).saturating_add(more);
        let uncertain = typed > 0 && error.delivered() == Delivery::NotDelivered;
        let error = if uncertain { error.delivery(Delivery::DeliveryUncertain) } else { error };
        error.detail("typed", typed)
    };
    for batch in characters.chunks(BATCH) {
        let batch_text: String = batch.iter().collect();
        let send = || {
            call.go_on()?;
            if is_told && has_focus(platform, call, &field)? == Some(false) {
                return Err(lost_focus(platform, call, &window));
            }
            strike(platform, call, &window, Stroke::Text(batch_text))
        };
        send().map_err(|error| told(error, typed))?;
        typed += batch.len();
    }
    read_back(platform, call, &field, before.as_deref(), text).map_err(|error| told(error, typed))
}

/// The error of an element that has lost the focus: it names the window that has the keyboard where that is another
/// one, which shows a moment later.
fn lost_focus(platform: &dyn Platform, call: &Call<'_>, window: &Window) -> Error {
    let moment = call.at_most(TAKEN_OVER);
    while !moment.left().is_zero() {
        match keys_reach(platform, call, window) {
            Err(error)
                if error.kind_of() == Some("not_focused")
                    && error.details().get("keyboard").is_some_and(|holder| !holder.is_null()) =>
            {
                return error;
            }
            _ => call.clock.pause(LOOK.min(moment.left()), call.cancel),
        }
        if call.go_on().is_err() {
            break;
        }
    }
    Error::new(Code::PolicyDenied, "the element does not have the focus any more").kind("not_focused")
}

/// Sends keys to a window, and to nobody else.
///
/// # Errors
/// As [`keys_reach`], and those of [`Platform::strike`].
pub fn strike(platform: &dyn Platform, call: &Call<'_>, window: &Window, stroke: Stroke) -> Result<()> {
    keys_reach(platform, call, window)?;
    let native = window.native.unwrap_or_default();
    match platform.strike(call, &[Stroke::Expect(native), stroke]) {
        Err(error) if error.kind_of() == Some("not_focused") => {
            // Who has taken it meanwhile, with what was sent before it did.
            let sent = error.delivered();
            let typed = error.details().get("typed").cloned();
            let named = keys_reach(platform, call, window).err().unwrap_or(error).delivery(sent);
            Err(match typed {
                Some(typed) => named.detail("typed", typed),
                None => named,
            })
        }
        other => other,
    }
}

/// Goes on only when the window system says that keys reach this window.
///
/// # Errors
/// `POLICY_DENIED` with kind `not_focused`, naming the window that has the keyboard.
pub fn keys_reach(platform: &dyn Platform, call: &Call<'_>, window: &Window) -> Result<()> {
    let attention = platform.attention(call)?;
    if window.native.is_some() && window.native == attention.keyboard {
        return Ok(());
    }
    let applications = platform.applications(call)?;
    let windows = platform.windows(call, &applications.items)?;
    let holder = windows.items.iter().find(|other| other.native.is_some() && other.native == attention.keyboard);
    let who = holder
        .map_or("no known window".to_owned(), |other| format!("{} of {}", quote(&other.title), quote(&other.app_name)));
    Err(Error::new(
        Code::PolicyDenied,
        format!("window {} {} does not have the keyboard; {who} has it", window.id, quote(&window.title)),
    )
    .kind("not_focused")
    .detail(
        "keyboard",
        holder.map(|other| json!({ "id": other.id, "title": other.title, "app_name": other.app_name })),
    ))
}

/// Gives the element the focus: by asking it, else with a click at it. Whether it says that it has it.
fn focus_element(platform: &dyn Platform, call: &Call<'_>, field: &Field<'_>, window: &Window) -> Result<bool> {
    if platform.perform(call, &field.node.object, &Operation::Focus).is_ok() && gets_focus(platform, call, field)? {
        return Ok(true);
    }
    let point = aim::at_element(platform, call, field.application, window, &field.node.object)?;
    aim::check(platform, call, aim::Expected::Window(window), point)?;
    let button = PointerButton::Left;
    platform.strike(call, &[Stroke::MoveTo(point), Stroke::ButtonDown(button), Stroke::ButtonUp(button)])?;
    if gets_focus(platform, call, field).map_err(uncertain)? {
        return Ok(true);
    }
    Err(Error::new(Code::ActionFailed, "the element does not take the focus")
        .kind("focus_refused")
        .delivery(Delivery::DeliveryUncertain)
        .suggest("use `set-value`, or `type` without `--headed`, which need no focus"))
}

/// The same error of something that came after a click or a key that may have done something.
fn uncertain(error: Error) -> Error {
    if error.delivered() == Delivery::NotDelivered { error.delivery(Delivery::DeliveryUncertain) } else { error }
}

fn gets_focus(platform: &dyn Platform, call: &Call<'_>, field: &Field<'_>) -> Result<bool> {
    let patience = call.at_most(PATIENCE);
    loop {
        if has_focus(platform, call, field)? == Some(true) {
            return Ok(true);
        }
        if patience.left().is_zero() {
            return Ok(false);
        }
        call.go_on()?;
        call.clock.pause(LOOK.min(patience.left()), call.cancel);
    }
}

fn has_focus(platform: &dyn Platform, call: &Call<'_>, field: &Field<'_>) -> Result<Option<bool>> {
    Ok(live(platform, call, field)?.states.known().map(|states| states.contains(State::Focused)))
}

fn live(platform: &dyn Platform, call: &Call<'_>, field: &Field<'_>) -> Result<Node> {
    let object: &ObjectId = &field.node.object;
    match platform.inspect(call, object, &field.application.process)? {
        Live::Element(live) => Ok(live.node),
        Live::Gone | Live::ProcessGone => {
            Err(Error::new(Code::StaleRef, "the element went away while text was typed into it").kind("gone"))
        }
    }
}

/// What the element holds; none for a secret, and where it is not told in full.
fn holds(platform: &dyn Platform, call: &Call<'_>, field: &Field<'_>) -> Result<Option<String>> {
    Ok(text_of(&live(platform, call, field)?))
}

fn text_of(node: &Node) -> Option<String> {
    if node.has(State::Secure) {
        return None;
    }
    match &node.content {
        Reading::Known(Content::Text { text, clipped: false }) => Some(text.clone()),
        Reading::Absent => Some(String::new()),
        _ => None,
    }
}

fn read_back(
    platform: &dyn Platform,
    call: &Call<'_>,
    field: &Field<'_>,
    before: Option<&str>,
    text: &str,
) -> Result<ReadBack> {
    // What was a secret before is one still, whatever the element says of itself by now.
    if field.node.has(State::Secure) {
        return Ok(ReadBack::Secret);
    }
    let Some(before) = before else { return Ok(ReadBack::NotTold) };
    let mut patience = call.at_most(PATIENCE);
    let mut last = None;
    loop {
        let node = match live(platform, call, field) {
            Ok(node) => node,
            // Return may have closed the dialog that the element was in.
            Err(error) if error.kind_of() == Some("gone") => return Ok(ReadBack::NotTold),
            Err(error) => return Err(error.delivery(Delivery::DeliveredUnverified)),
        };
        if node.has(State::Secure) {
            return Ok(ReadBack::Secret);
        }
        let Some(after) = text_of(&node) else { return Ok(ReadBack::NotTold) };
        // What was selected has been replaced.
        let replaced = after == text && before != text;
        if crate::act::expectation::is_inserted(before, text, &after) || replaced {
            return Ok(ReadBack::Exact);
        }
        // One that is still at work on it has not shown all of it.
        if last.as_ref() != Some(&after) {
            patience = call.at_most(PATIENCE);
            last = Some(after);
        }
        if patience.left().is_zero() || call.go_on().is_err() {
            // Whether a terminal shows what is typed is up to the program in it.
            if field.node.is_terminal() {
                return Ok(ReadBack::NotTold);
            }
            return Err(Error::new(
                Code::ActionFailed,
                "what was typed is not what the element holds now; part of the text may be there",
            )
            .kind("post_action_verification")
            .detail("postcondition_satisfied", false)
            .delivery(Delivery::DeliveredUnverified)
            .suggest("look at the element before anything else; nothing is typed twice"));
        }
        call.clock.pause(LOOK.min(patience.left()), call.cancel);
    }
}
