//! Acting on one element through the accessibility interfaces: wait until it is ready, hand the action over
//! once, and read back what became of it.
//!
//! An action is dispatched at most once. Waiting and repeating happen only before that, while nothing has
//! been sent.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::actionability::{self, Intent, Report};
use crate::disposition::{Delivery, Disposition};
use crate::error::{Code, Error, Result};
use crate::evidence::{self, Evidence, Labels, Verdict};
use crate::node::{Content, Node};
use crate::platform::{Live, Operation, Platform};
use crate::reading::Reading;
use crate::resolve::{self, How, Resolved};
use crate::role::Role;
use crate::snapshot::Snapshot;
use crate::state::{State, States};
use crate::time::Call;
use crate::wait::INTERVAL;

/// How long an effect is looked for after the action was handed over. Toolkits change their tree when they
/// get round to it, some a quarter of a second later.
const SETTLE: Duration = Duration::from_millis(1_000);

/// The first pause while looking for an effect; most are there within a few milliseconds.
const FIRST_LOOK: Duration = Duration::from_millis(8);

/// What to do with the element.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Activate it.
    Click,
    /// Replace what it holds.
    SetValue(String),
    /// Insert text at the caret.
    TypeText(String),
}

impl Action {
    /// What is wanted, for the checks.
    pub const fn intent(&self) -> Intent {
        match self {
            Action::Click => Intent::Click,
            Action::SetValue(_) => Intent::SetValue,
            Action::TypeText(_) => Intent::TypeText,
        }
    }
}

/// How long to try.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How long to wait for the element to become ready; zero is one attempt.
    pub ready: Duration,
}

/// The state of the element after the action.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PostState {
    /// Its role.
    pub role: Role,
    /// Its states.
    #[schemars(with = "Vec<State>")]
    pub states: States,
    /// What it holds; never for a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Why an effect could not be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// Nothing that was observed proves it either way.
    InsufficientEvidence,
    /// The element holds a secret, which is not read.
    SecureField,
    /// The element went away with what the action did.
    TargetGone,
    /// The application did not answer afterwards, as it does while it opens a dialog.
    NoAnswer,
}

/// What an action did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outcome {
    /// How the element was recognised.
    pub resolved_by: How,
    /// How often the element was looked at before it was ready.
    pub attempts: u32,
    /// The element afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_state: Option<PostState>,
    /// Why the effect was not confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverified: Option<Unverified>,
    /// How far it got.
    pub disposition: Disposition,
}

/// Carries out one action.
///
/// # Errors
/// What [`resolve::resolve`] refuses; `ACTION_NOT_SUPPORTED` when the element does not offer the action;
/// `TIMEOUT` with kind `actionability_timeout` when it did not become ready; `ACTION_FAILED` with kind
/// `post_action_verification` when what was read back contradicts what was asked.
pub fn act(
    platform: &dyn Platform,
    call: &Call<'_>,
    snapshot: &Snapshot,
    captured: &Evidence,
    action: &Action,
    patience: Patience,
) -> Result<Outcome> {
    let (resolved, attempts) = ready(platform, call, snapshot, captured, action.intent(), patience)?;
    let node = &resolved.live.node;
    let operation = operation(node, action)?;
    platform.perform(call, &node.object, &operation)?;
    let (effect, after) = look_for_effect(platform, call, captured, node, &Expected::of(node, action, &operation));
    // What was a secret before is one still, whatever the element says of itself by now.
    let post_state = after.as_ref().map(|after| PostState::of(after, node.has(State::Secure)));
    let (delivery, unverified) = match effect {
        Effect::Confirmed => (Delivery::DeliveredVerified, None),
        Effect::Unconfirmed(why) => (Delivery::DeliveredUnverified, Some(why)),
        Effect::Contradicted => return Err(contradiction(post_state)),
    };
    Ok(Outcome { resolved_by: resolved.how, attempts, post_state, unverified, disposition: delivery.into() })
}

/// What looking for the effect gave.
enum Effect {
    Confirmed,
    Unconfirmed(Unverified),
    Contradicted,
}

/// Looks for the effect of an action that was handed over, and returns the element as it was last seen. The
/// action cannot be taken back, so nothing here is a failure except seeing the contrary for long enough.
fn look_for_effect(
    platform: &dyn Platform,
    call: &Call<'_>,
    captured: &Evidence,
    before: &Node,
    expected: &Expected,
) -> (Effect, Option<Node>) {
    let settle = call.at_most(SETTLE);
    let mut pause = FIRST_LOOK;
    let mut last = None;
    loop {
        // A look without time, or one that nobody wants, would be taken for an application that is silent.
        if call.go_on().is_err() {
            return (Effect::Unconfirmed(Unverified::InsufficientEvidence), last);
        }
        let live = match platform.inspect(call, &before.object, &captured.process) {
            Ok(Live::Element(live)) => live,
            Ok(Live::Gone | Live::ProcessGone) => return (Effect::Unconfirmed(Unverified::TargetGone), None),
            // The action was handed over; that nobody answers now takes nothing of that back.
            Err(_) if call.go_on().is_err() => {
                return (Effect::Unconfirmed(Unverified::InsufficientEvidence), last);
            }
            Err(_) => return (Effect::Unconfirmed(Unverified::NoAnswer), None),
        };
        // An object that is used again for other content tells nothing of the content it had.
        let around = evidence::context(live.ancestors.iter());
        if captured.recycled && evidence::compare(captured, &live.node, &around, Labels::Exact) != Verdict::Same {
            return (Effect::Unconfirmed(Unverified::TargetGone), None);
        }
        let seen = expected.seen_in(&live.node);
        let after = Some(live.node);
        match seen {
            Seen::Yes => return (Effect::Confirmed, after),
            Seen::CannotTell(why) => return (Effect::Unconfirmed(why), after),
            Seen::No if settle.left().is_zero() => {
                let effect = if expected.is_promised() {
                    Effect::Contradicted
                } else {
                    Effect::Unconfirmed(Unverified::InsufficientEvidence)
                };
                return (effect, after);
            }
            Seen::No => last = after,
        }
        call.clock.pause(pause.min(settle.left()), call.cancel);
        pause = (pause * 2).min(INTERVAL);
    }
}

/// Waits until the ref resolves to an element that is ready.
fn ready(
    platform: &dyn Platform,
    call: &Call<'_>,
    snapshot: &Snapshot,
    captured: &Evidence,
    intent: Intent,
    patience: Patience,
) -> Result<(Resolved, u32)> {
    let waiting = call.at_most(patience.ready);
    let mut attempts = 0;
    let mut last: Option<Error> = None;
    loop {
        attempts += 1;
        let obstacle = match resolve::resolve(platform, call, snapshot, captured) {
            Ok(resolved) => {
                let report = actionability::examine(&resolved.live.node, intent);
                if report.actionable {
                    return Ok((resolved, attempts));
                }
                if let Some(check) = report.terminal() {
                    let why = check.reason.clone().unwrap_or_default();
                    return Err(Error::new(Code::ActionNotSupported, why)
                        .kind("not_supported_by_element")
                        .detail("retryable", false)
                        .detail("report", &report));
                }
                not_ready(&report)
            }
            Err(error) if error.kind_of() == Some("live_read_incomplete") => error,
            // A look that had no time left says nothing of the element; the look before it does.
            Err(error) if error.kind_of() == Some("deadline") => match last {
                Some(obstacle) => return Err(obstacle.detail("attempts", attempts - 1)),
                None => return Err(error),
            },
            Err(error) => return Err(error),
        };
        if call.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, "cancelled before anything was done").kind("cancelled"));
        }
        if waiting.left().is_zero() {
            return Err(obstacle.detail("attempts", attempts));
        }
        last = Some(obstacle);
        call.clock.pause(INTERVAL.min(waiting.left()), call.cancel);
    }
}

fn not_ready(report: &Report) -> Error {
    let why = report.transient().and_then(|check| check.reason.clone()).unwrap_or_default();
    Error::new(Code::Timeout, format!("the element did not become ready: {why}"))
        .kind("actionability_timeout")
        .detail("last_report", report)
        .suggest("make the element usable first, or give it longer with `--timeout-ms`")
}

/// Which operation does what is asked.
fn operation(node: &Node, action: &Action) -> Result<Operation> {
    match action {
        Action::Click => match &node.affordances.press {
            Some(action) => Ok(Operation::Press { action: action.clone() }),
            None => Err(Error::new(Code::Internal, "an element passed the checks without an action")),
        },
        Action::SetValue(text) if node.sets_number() => {
            let number = number(text)?;
            if let Reading::Known(Content::Number { minimum, maximum, .. }) = node.content
                && minimum < maximum
                && !(minimum..=maximum).contains(&number)
            {
                return Err(Error::new(
                    Code::InvalidArgs,
                    format!("this {} takes a number from {minimum} to {maximum}", node.role),
                )
                .kind("out_of_range")
                .detail("minimum", minimum)
                .detail("maximum", maximum));
            }
            Ok(Operation::SetNumber(number))
        }
        Action::SetValue(text) => Ok(Operation::SetText(text.clone())),
        Action::TypeText(text) => Ok(Operation::InsertText(text.clone())),
    }
}

fn number(text: &str) -> Result<f64> {
    // The text itself may be a secret put into the wrong element, so it is not repeated.
    text.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
        Error::new(Code::InvalidArgs, "this element holds a number, and the value given is not one")
            .kind("not_a_number")
            .suggest("give a number with a decimal point, for example 4.5")
    })
}

/// What has to be seen for the action to be confirmed.
enum Expected {
    /// The element must hold exactly this text.
    Text(String),
    /// It must hold what it held, with this text inserted somewhere.
    Inserted { before: String, text: String },
    /// It must hold this number.
    Number(f64),
    /// A toggle must have changed its state.
    Toggled(States),
    /// There is no telling from the element alone.
    Nothing(Unverified),
}

enum Seen {
    Yes,
    No,
    CannotTell(Unverified),
}

impl Expected {
    fn of(before: &Node, action: &Action, operation: &Operation) -> Expected {
        if before.has(State::Secure) {
            return Expected::Nothing(Unverified::SecureField);
        }
        match (action, operation) {
            (_, Operation::SetNumber(number)) => Expected::Number(*number),
            (Action::SetValue(text), _) => Expected::Text(text.clone()),
            (Action::TypeText(text), _) => match &before.content {
                Reading::Known(Content::Text { text: held, clipped: false }) => {
                    Expected::Inserted { before: held.clone(), text: text.clone() }
                }
                Reading::Absent => Expected::Text(text.clone()),
                _ => Expected::Nothing(Unverified::InsufficientEvidence),
            },
            (Action::Click, _) => match before.states.known() {
                Some(states) if before.is_toggleable() => Expected::Toggled(*states),
                _ => Expected::Nothing(Unverified::InsufficientEvidence),
            },
        }
    }

    /// Whether not seeing it contradicts the request. A click on a radio button that is already chosen
    /// rightly changes nothing, so a toggle that stays proves nothing.
    fn is_promised(&self) -> bool {
        matches!(self, Expected::Text(_) | Expected::Inserted { .. } | Expected::Number(_))
    }

    fn seen_in(&self, after: &Node) -> Seen {
        let told = |yes| if yes { Seen::Yes } else { Seen::No };
        if after.has(State::Secure) {
            return Seen::CannotTell(Unverified::SecureField);
        }
        let held = match &after.content {
            Reading::Known(Content::Text { text, clipped: false }) => Some(text.as_str()),
            Reading::Absent => Some(""),
            _ => None,
        };
        match self {
            Expected::Nothing(why) => Seen::CannotTell(*why),
            Expected::Toggled(before) => match after.states.known() {
                None => Seen::CannotTell(Unverified::InsufficientEvidence),
                Some(now) => told(
                    [State::Checked, State::Indeterminate, State::Pressed]
                        .iter()
                        .any(|state| before.contains(*state) != now.contains(*state)),
                ),
            },
            Expected::Number(wanted) => match after.content {
                Reading::Known(Content::Number { current, .. }) => {
                    told((current - wanted).abs() <= wanted.abs().max(1.0) * 1e-9)
                }
                _ => Seen::CannotTell(Unverified::InsufficientEvidence),
            },
            Expected::Text(wanted) => match held {
                None => Seen::CannotTell(Unverified::InsufficientEvidence),
                Some(held) => told(held == wanted),
            },
            Expected::Inserted { before, text } => match held {
                None => Seen::CannotTell(Unverified::InsufficientEvidence),
                Some(held) => told(is_inserted(before, text, held)),
            },
        }
    }
}

/// Whether `after` is `before` with `text` inserted at one place.
pub(crate) fn is_inserted(before: &str, text: &str, after: &str) -> bool {
    if after.len() != before.len() + text.len() {
        return false;
    }
    (0..=before.len()).filter(|at| before.is_char_boundary(*at)).any(|at| {
        after.get(..at) == before.get(..at)
            && after.get(at..at + text.len()) == Some(text)
            && after.get(at + text.len()..) == before.get(at..)
    })
}

impl PostState {
    fn of(node: &Node, secret: bool) -> Self {
        let states = node.states.known().copied().unwrap_or(States::NONE);
        PostState { role: node.role, states, value: if secret { None } else { node.value() } }
    }
}

fn contradiction(after: Option<PostState>) -> Error {
    Error::new(Code::ActionFailed, "the application accepted the action, and the element does not hold what was asked")
        .kind("post_action_verification")
        .detail("post_state", after)
        .detail("postcondition_satisfied", false)
        .delivery(Delivery::DeliveredUnverified)
        .suggest("look at the element before anything else: part of it may have happened")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertion_is_recognised_at_any_place_and_nothing_else_is() {
        assert!(is_inserted("", "abc", "abc"));
        assert!(is_inserted("ad", "bc", "abcd"));
        assert!(is_inserted("aé", "ü", "aüé"));
        assert!(!is_inserted("ad", "bc", "acbd"));
        assert!(!is_inserted("ad", "bc", "ad"));
        assert!(!is_inserted("ad", "bc", "xbcd"));
    }

    #[test]
    fn a_value_that_is_no_number_is_not_repeated() {
        let error = number("hunter2").expect_err("no number");
        assert!(!error.message().contains("hunter2"));
        assert!(number("NaN").is_err() && number("1e999").is_err());
        assert_eq!(number(" 4.5 ").ok(), Some(4.5));
    }
}
