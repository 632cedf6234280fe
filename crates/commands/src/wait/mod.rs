//! `wait`: for time to pass, or for something to be so.

mod event;
mod looks;
mod notification;

use std::time::Duration;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::reference::Ref;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, labelled, made, quoted};
use crate::snapshot::nonzero;
use crate::target::WindowView;

pub use notification::NoticeShown;

use event::{Baseline, EventKind, EventView};

/// Wait for an element, a window, a text, a menu, a notification, an event, or for time to pass
///
/// Exactly one of MS, `--element`, `--window`, `--text`, `--menu`, `--menu-closed`, `--notification` and `--event` is
/// given; with `--event` a `--window` says which window is meant, and with `--notification` a `--text` what it has to say.
/// An event is what is different from when the wait began; in a batch, from before the entry ahead of it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[command(group = clap::ArgGroup::new("mode").required(true).multiple(true).args([
    "ms", "element", "window", "text", "menu", "menu_closed", "notification", "event",
]))]
pub(crate) struct Wait {
    /// Milliseconds to let pass
    #[arg(value_name = "MS")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    /// Element that has to be as `--predicate` says
    #[arg(long, value_name = "REF")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element: Option<Ref>,
    /// What the element has to be
    #[arg(long, value_enum, default_value_t, requires = "element")]
    #[serde(default)]
    predicate: Predicate,
    /// What the element has to hold, for `--predicate value`
    #[arg(long, requires = "element")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Action the element has to be ready for, for `--predicate actionable`
    #[arg(long, value_enum, default_value_t, requires = "element")]
    #[serde(default)]
    action: ReadyFor,
    /// Part of the title of a window that has to be there
    #[arg(long, value_name = "TITLE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    /// Text that has to be in a name, value or description
    #[arg(long, value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// How many elements have to hold the text
    #[arg(long, value_name = "N", requires = "text")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// A menu has to be open
    #[arg(long)]
    #[serde(default)]
    menu: bool,
    /// No menu may be open
    #[arg(long)]
    #[serde(default)]
    menu_closed: bool,
    /// A notification has to be shown that was not there before
    #[arg(long)]
    #[serde(default)]
    notification: bool,
    /// Something that has to happen
    #[arg(long, value_enum, value_name = "KIND")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<EventKind>,
    /// Window that the event has to be of
    #[arg(long, value_name = "ID", requires = "event")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Application to look at, in every mode but MS and `--element`
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Milliseconds to wait at most
    #[arg(long, value_name = "MS", default_value_t = THIRTY_SECONDS)]
    #[serde(default = "thirty_seconds")]
    timeout: u64,
    /// What there was before, where somebody looked already.
    #[arg(skip)]
    #[serde(skip)]
    before: Option<Before>,
}

const THIRTY_SECONDS: u64 = 30_000;

/// Nobody waits longer than a day for one thing.
const LONGEST: u64 = 24 * 60 * 60 * 1_000;

fn thirty_seconds() -> u64 {
    THIRTY_SECONDS
}

/// What an element has to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Predicate {
    /// It is there
    #[default]
    Exists,
    /// It reacts to the user
    Enabled,
    /// It is shown
    Visible,
    /// It is ready for an action
    Actionable,
    /// It holds a value
    Value,
}

/// The action an element has to be ready for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReadyFor {
    /// `click`
    #[default]
    Click,
    /// `type`
    Type,
    /// `set-value`
    SetValue,
    /// `clear`
    Clear,
}

/// What was waited for.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Waited {
    /// Milliseconds that passed, where only time was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_ms: Option<u64>,
    /// That it came to be; every other end is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<bool>,
    /// The element.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    ref_id: Option<Ref>,
    /// What it had to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<Predicate>,
    /// What was seen of it last; never what a secret holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<String>,
    /// The window.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<WindowView>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The role of the first element that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<surehand_core::role::Role>,
    /// The snapshot that the ref belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    /// How many elements hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// What happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<EventView>,
    /// That what the event was to be of was not there to begin with, so that it was not waited for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    target_unresolved: bool,
    /// What was waited for, where it was a notification: `notification`.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'static str>,
    /// That it was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<bool>,
    /// The notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    notification: Option<NoticeShown>,
    /// Milliseconds until it was so.
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_ms: Option<u64>,
}

impl Outline for Waited {
    fn outline(&self) -> String {
        let milliseconds = self.waited_ms.or(self.elapsed_ms).unwrap_or_default();
        Lines::new()
            .words([
                Word::Own(match (self.found.is_some() || self.matched.is_some(), self.target_unresolved) {
                    (_, true) => "unresolved",
                    (true, false) => "found",
                    (false, false) => "waited",
                }),
                self.condition.map_or(Word::Nothing, Word::Own),
                self.event.as_ref().map_or(Word::Nothing, |event| made(event.kind.word())),
                self.event.as_ref().and_then(|event| event.window_id.as_ref()).map_or(Word::Nothing, made),
                quoted(self.event.as_ref().and_then(|event| event.title.as_deref())),
                labelled("app", self.event.as_ref().and_then(|event| event.app.as_deref())),
                labelled("app", self.notification.as_ref().map(|notice| notice.app_name.as_str())),
                quoted(self.notification.as_ref().map(|notice| notice.title.as_str())),
                self.role.map_or(Word::Nothing, made),
                self.ref_id.map_or(Word::Nothing, made),
                self.window.as_ref().map_or(Word::Nothing, |window| made(&window.id)),
                quoted(self.window.as_ref().map(|window| window.title.as_str())),
                quoted(self.text.as_deref()),
                self.count.map_or(Word::Nothing, |count| made(format!("count={count}"))),
                made(format!("{milliseconds}ms")),
            ])
            .finish()
    }
}

impl Command for Wait {
    const SPEC: Spec = Spec::new("wait", Group::Wait, Effect::Observe);
    type Output = Waited;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        if self.notification {
            return Ok(vec![Resource::Nothing]);
        }
        Ok(vec![match (self.element, &self.app) {
            (Some(element), _) => Resource::UiRead(cx.scope_of(element)?),
            (None, Some(app)) => Resource::UiRead(Scope::Named(app.clone())),
            (None, None) if self.ms.is_some() => Resource::Nothing,
            (None, None) if self.menu || self.menu_closed => Resource::UiRead(Scope::Focused),
            (None, None) => Resource::UiRead(Scope::All),
        }])
    }

    /// Looks what there is before what the event may come from is done.
    fn prepare(&mut self, cx: &Cx<'_>) -> Result<()> {
        let call = cx.call(self.timeout);
        if let Some(kind) = self.event {
            self.before = Some(Before::Event(self.baseline(cx.platform(&call)?, &call, kind)?));
        } else if self.notification {
            self.before = Some(Before::Notification(notification::newest(cx, &call)?));
        }
        Ok(())
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Waited> {
        let mode = self.mode()?;
        self.belongs_together()?;
        if self.timeout > LONGEST || self.ms.is_some_and(|ms| ms > LONGEST) {
            return Err(bad("nothing is waited for longer than a day"));
        }
        if let Mode::Time(ms) = mode {
            return time(cx, ms);
        }
        nonzero(self.timeout, "timeout")?;
        let call = cx.call(self.timeout);
        let started = cx.services.clock().now();
        let waited = match mode {
            Mode::Time(ms) => time(cx, ms)?,
            Mode::Element(element) => self.element(cx, cx.platform(&call)?, &call, element)?,
            Mode::Window(title) => self.window(cx.platform(&call)?, &call, title)?,
            Mode::Text(text) => self.text(cx, cx.platform(&call)?, &call, text)?,
            Mode::Menu { open } => self.menu(cx.platform(&call)?, &call, open)?,
            Mode::Notification => self.notice(cx, &call)?,
            Mode::Event(kind) => self.event(cx.platform(&call)?, &call, kind)?,
        };
        let elapsed = cx.services.clock().now().saturating_duration_since(started);
        let found = (waited.matched.is_none() && !waited.target_unresolved).then_some(true);
        Ok(Waited { found, elapsed_ms: Some(milliseconds(elapsed)), ..waited })
    }
}

/// What was there before a wait.
#[derive(Debug, Clone)]
pub(crate) enum Before {
    /// Applications, windows and the like.
    Event(Baseline),
    /// The last notification.
    Notification(u64),
}

/// What is waited for.
enum Mode<'w> {
    Time(u64),
    Element(Ref),
    Window(&'w str),
    Text(&'w str),
    Menu { open: bool },
    Notification,
    Event(EventKind),
}

fn time(cx: &Cx<'_>, ms: u64) -> Result<Waited> {
    let clock = cx.services.clock();
    let started = clock.now();
    let whole = Duration::from_millis(ms);
    let call = cx.call(ms);
    // A pause can end early; the time that was asked for has not passed then.
    while clock.now().saturating_duration_since(started) < whole {
        if cx.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, "cancelled while waiting").kind("cancelled"));
        }
        if call.left().is_zero() {
            return Err(Error::new(Code::Timeout, "the time for all of it was over before this time had passed")
                .kind("deadline"));
        }
        let rest = whole.saturating_sub(clock.now().saturating_duration_since(started));
        clock.pause(rest.min(call.left()), cx.cancel);
    }
    let waited = clock.now().saturating_duration_since(started);
    Ok(Waited { waited_ms: Some(milliseconds(waited)), ..Waited::default() })
}

fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn bad(why: &str) -> Error {
    Error::new(Code::InvalidArgs, why).kind("bad_wait")
}

/// How long one look may take, so that one at an application that hangs does not use up the whole wait.
const ONE_LOOK: Duration = Duration::from_millis(2_000);

impl Wait {
    /// The one thing that is waited for.
    fn mode(&self) -> Result<Mode<'_>> {
        let mut modes = Vec::new();
        modes.extend(self.ms.map(Mode::Time));
        modes.extend(self.element.map(Mode::Element));
        modes.extend(self.event.map(Mode::Event));
        modes.extend(self.notification.then_some(Mode::Notification));
        modes.extend(self.menu.then_some(Mode::Menu { open: true }));
        modes.extend(self.menu_closed.then_some(Mode::Menu { open: false }));
        if self.event.is_none() {
            modes.extend(self.window.as_deref().map(Mode::Window));
        }
        if !self.notification {
            modes.extend(self.text.as_deref().map(Mode::Text));
        }
        match modes.pop() {
            Some(mode) if modes.is_empty() => Ok(mode),
            _ => Err(bad(
                "give exactly one of a time, `element`, `window`, `text`, `menu`, `menu_closed`, `notification` and `event`",
            )),
        }
    }

    /// The command line refuses most of these as well; JSON arguments come here unexamined. An argument that
    /// would be ignored is a wish that would not be fulfilled.
    fn belongs_together(&self) -> Result<()> {
        let of_element = self.predicate != Predicate::default() || self.action != ReadyFor::default();
        if self.element.is_none() && (of_element || self.value.is_some()) {
            return Err(bad("`predicate`, `value` and `action` belong to `element`"));
        }
        if (self.text.is_none() || self.notification) && self.count.is_some() {
            return Err(bad("`count` belongs to `text`"));
        }
        if (self.ms.is_some() || self.element.is_some()) && self.app.is_some() {
            return Err(bad("`app` belongs to the modes other than a time and `element`"));
        }
        if self.event.is_none() && self.window_id.is_some() {
            return Err(bad("`window_id` belongs to `event`"));
        }
        Ok(())
    }
}
