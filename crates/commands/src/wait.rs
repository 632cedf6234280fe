//! `wait`: for time to pass, or for something to be so.

use std::time::Duration;

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::actionability::{self, Intent};
use surehand_core::error::Code;
use surehand_core::node::Node;
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::query::Query;
use surehand_core::reading::Reading;
use surehand_core::reference::Ref;
use surehand_core::snapshot::number;
use surehand_core::state::State;
use surehand_core::text::{fold, quote};
use surehand_core::time::Call;
use surehand_core::wait::{Look, until};
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made, quoted};
use crate::snapshot::nonzero;
use crate::target::{self, Wanted, WindowView};

/// Wait for an element, a window, a text, or for time to pass
///
/// Exactly one of MS, `--element`, `--window` and `--text` is given.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
#[command(group = clap::ArgGroup::new("mode").required(true).args(["ms", "element", "window", "text"]))]
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
    /// Application to look at, for `--window` and `--text`
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Milliseconds to wait at most
    #[arg(long, value_name = "MS", default_value_t = THIRTY_SECONDS)]
    #[serde(default = "thirty_seconds")]
    timeout: u64,
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
    /// Milliseconds until it was so.
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_ms: Option<u64>,
}

impl Outline for Waited {
    fn outline(&self) -> String {
        let milliseconds = self.waited_ms.or(self.elapsed_ms).unwrap_or_default();
        Lines::new()
            .words([
                Word::Own(if self.found.is_some() { "found" } else { "waited" }),
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
        Ok(vec![match (self.element, &self.app) {
            (Some(element), _) => Resource::UiRead(cx.scope_of(element)?),
            (None, Some(app)) => Resource::UiRead(Scope::Named(app.clone())),
            (None, None) if self.ms.is_some() => Resource::Nothing,
            (None, None) => Resource::UiRead(Scope::All),
        }])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Waited> {
        let given = [self.ms.is_some(), self.element.is_some(), self.window.is_some(), self.text.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(bad("give exactly one of a time, `element`, `window` and `text`"));
        }
        self.belongs_together()?;
        if self.timeout > LONGEST || self.ms.is_some_and(|ms| ms > LONGEST) {
            return Err(bad("nothing is waited for longer than a day"));
        }
        if let Some(ms) = self.ms {
            return time(cx, ms);
        }
        nonzero(self.timeout, "timeout")?;
        let call = cx.call(self.timeout);
        let started = cx.services.clock().now();
        let platform = cx.platform(&call)?;
        let waited = if let Some(element) = self.element {
            self.element(cx, platform, &call, element)
        } else if let Some(title) = &self.window {
            self.window(platform, &call, title)
        } else {
            self.text(cx, platform, &call)
        }?;
        let elapsed = cx.services.clock().now().saturating_duration_since(started);
        Ok(Waited { found: Some(true), elapsed_ms: Some(milliseconds(elapsed)), ..waited })
    }
}

fn time(cx: &Cx<'_>, ms: u64) -> Result<Waited> {
    let clock = cx.services.clock();
    let started = clock.now();
    let whole = Duration::from_millis(ms);
    // A pause can end early; the time that was asked for has not passed then.
    while clock.now().saturating_duration_since(started) < whole {
        if cx.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, "cancelled while waiting").kind("cancelled"));
        }
        clock.pause(whole.saturating_sub(clock.now().saturating_duration_since(started)), cx.cancel);
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

fn gone(title: &str) -> Error {
    Error::new(Code::WindowNotFound, format!("there is no window titled {}", quote(title)))
}

/// How long one look may take, so that one at an application that hangs does not use up the whole wait.
const ONE_LOOK: Duration = Duration::from_millis(2_000);

impl Wait {
    /// The command line refuses most of these as well; JSON arguments come here unexamined. An argument that
    /// would be ignored is a wish that would not be fulfilled.
    fn belongs_together(&self) -> Result<()> {
        let of_element = self.predicate != Predicate::default() || self.action != ReadyFor::default();
        if self.element.is_none() && (of_element || self.value.is_some()) {
            return Err(bad("`predicate`, `value` and `action` belong to `element`"));
        }
        if self.text.is_none() && self.count.is_some() {
            return Err(bad("`count` belongs to `text`"));
        }
        if self.window.is_none() && self.text.is_none() && self.app.is_some() {
            return Err(bad("`app` belongs to `window` and `text`"));
        }
        Ok(())
    }

    fn element(&self, cx: &Cx<'_>, platform: &dyn Platform, call: &Call<'_>, element: Ref) -> Result<Waited> {
        if (self.predicate == Predicate::Value) != self.value.is_some() {
            return Err(bad("`value` belongs to the predicate `value`, which needs it"));
        }
        let (snapshot, evidence) = cx.evidence(platform, element)?;
        let observed = until(call, &format!("{element} being as asked"), || {
            let look = call.at_most(ONE_LOOK);
            let node = cx.resolve(platform, &look, &snapshot, &evidence)?.live.node;
            Ok(match self.holds(&node) {
                (true, seen) => Look::Holds(seen),
                (false, seen) => Look::NotYet(seen),
            })
        })?;
        Ok(Waited {
            ref_id: Some(element),
            predicate: Some(self.predicate),
            observed: Some(observed),
            ..Waited::default()
        })
    }

    /// Whether the predicate holds, and what was seen.
    fn holds(&self, node: &Node) -> (bool, String) {
        let states = match &node.states {
            Reading::Known(states) => states.iter().map(State::token).collect::<Vec<_>>().join(" "),
            Reading::Absent | Reading::Unknown => {
                return (self.predicate == Predicate::Exists, "states unknown".into());
            }
        };
        let seen = format!("states: {}", if states.is_empty() { "none" } else { &states });
        match self.predicate {
            Predicate::Exists => (true, seen),
            Predicate::Enabled => (!node.has(State::Disabled), seen),
            Predicate::Visible => (!node.has(State::Hidden) && !node.has(State::Offscreen), seen),
            Predicate::Actionable => {
                let intent = match self.action {
                    ReadyFor::Click => Intent::Click,
                    ReadyFor::Type => Intent::TypeText,
                    ReadyFor::SetValue => Intent::SetValue,
                };
                let report = actionability::examine(node, intent);
                let why = report.checks.iter().filter_map(|check| check.reason.clone()).collect::<Vec<_>>().join("; ");
                (report.actionable, if report.actionable { seen } else { why })
            }
            Predicate::Value => match node.value() {
                Some(held) if Some(&held) == self.value.as_ref() => (true, "the value".into()),
                Some(_) => (false, "another value".into()),
                None => (false, "no value that can be read".into()),
            },
        }
    }

    fn window(&self, platform: &dyn Platform, call: &Call<'_>, title: &str) -> Result<Waited> {
        let wanted = fold(title);
        if wanted.is_empty() {
            return Err(bad("the title to wait for is empty, and every window would match it"));
        }
        let window = until(call, &format!("a window titled {}", quote(title)), || {
            let look = call.at_most(ONE_LOOK);
            let listing = platform.applications(&look)?;
            let applications = match &self.app {
                Some(app) => target::applications_named(&listing, app)?,
                None => listing.items,
            };
            let windows = platform.windows(&look, &applications)?.items;
            let fitting = windows.iter().filter(|window| {
                let of_app =
                    self.app.is_none() || applications.iter().any(|application| application.process == window.process);
                of_app && fold(&window.title).contains(&wanted)
            });
            let fitting: Vec<_> = fitting.cloned().collect();
            Ok(match fitting.len() {
                1.. => Look::Holds(WindowView::from(&target::the_only(fitting, || gone(title))?)),
                0 if windows.is_empty() => Look::NotYet("there is no window".into()),
                0 => {
                    let titles: Vec<String> = windows.iter().take(8).map(|window| quote(&window.title)).collect();
                    Look::NotYet(format!("the windows are {}", titles.join(", ")))
                }
            })
        })?;
        Ok(Waited { window: Some(window), ..Waited::default() })
    }

    fn text(&self, cx: &Cx<'_>, platform: &dyn Platform, call: &Call<'_>) -> Result<Waited> {
        let text = self.text.clone().unwrap_or_default();
        if fold(&text).is_empty() {
            return Err(bad("the text to wait for is empty"));
        }
        let query = Query { text: Some(text.clone()), ..Query::default() };
        let wanted = self.count;
        until(call, &format!("the text {}", quote(&text)), || {
            let look = call.at_most(ONE_LOOK);
            let (application, window) =
                target::readable_window(platform, &look, Wanted { app: self.app.as_deref(), window_id: None })?;
            let observation = platform.observe(&look, &application, &window, &ObserveRequest::default())?;
            let matching: Vec<usize> = (0..observation.nodes.len())
                .filter(|index| observation.nodes.get(*index).is_some_and(|node| query.matches(node)))
                .collect();
            let enough = match wanted {
                // A number is only known once everything was looked at.
                Some(count) => observation.is_complete() && matching.len() == count,
                None => !matching.is_empty(),
            };
            if !enough {
                return Ok(Look::NotYet(format!("{} elements hold it", matching.len())));
            }
            let first = matching.first().copied();
            let store = cx.services.snapshots();
            let id = store.allocate()?;
            let kept =
                number(&observation, id, platform.session(), cx.services.unix_time(), |index| Some(index) == first);
            store.save(id, &kept.snapshot)?;
            Ok(Look::Holds(Waited {
                text: Some(text.clone()),
                ref_id: first.map(|_| Ref { snapshot: id, number: 1 }),
                role: first.and_then(|index| observation.nodes.get(index)).map(|node| node.role),
                snapshot_id: Some(id.to_string()),
                count: wanted.map(|_| matching.len()),
                ..Waited::default()
            }))
        })
    }
}
