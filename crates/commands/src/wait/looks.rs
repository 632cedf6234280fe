//! Waiting for what can be seen: an element, a window, a text, a menu.

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
use surehand_core::wait::{Look, until, until_told};
use surehand_core::watch::Watch;
use surehand_core::{Error, Result};

use super::{ONE_LOOK, Predicate, ReadyFor, Wait, Waited, bad};
use crate::context::Cx;
use crate::surface::{Surface, surfaces};
use crate::target::{self, Wanted, WindowView};

impl Wait {
    pub(super) fn element(
        &self,
        cx: &Cx<'_>,
        platform: &dyn Platform,
        call: &Call<'_>,
        element: Ref,
    ) -> Result<Waited> {
        if (self.predicate == Predicate::Value) != self.value.is_some() {
            return Err(bad("`value` belongs to the predicate `value`, which needs it"));
        }
        let (snapshot, evidence) = cx.evidence(platform, element)?;
        let watch = platform.watch(call, &snapshot.application).ok();
        let observed = until_told(call, &format!("{element} being as asked"), watch, || {
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
                    ReadyFor::SetValue | ReadyFor::Clear => Intent::SetValue,
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

    pub(super) fn window(&self, platform: &dyn Platform, call: &Call<'_>, title: &str) -> Result<Waited> {
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

    pub(super) fn text(&self, cx: &Cx<'_>, platform: &dyn Platform, call: &Call<'_>, text: &str) -> Result<Waited> {
        if fold(text).is_empty() {
            return Err(bad("the text to wait for is empty"));
        }
        let query = Query { text: Some(text.to_owned()), ..Query::default() };
        let wanted = self.count;
        let watch = self.listen(platform, call);
        until_told(call, &format!("the text {}", quote(text)), watch, || {
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
                text: Some(text.to_owned()),
                ref_id: first.map(|_| Ref { snapshot: id, number: 1 }),
                role: first.and_then(|index| observation.nodes.get(index)).map(|node| node.role),
                snapshot_id: Some(id.to_string()),
                count: wanted.map(|_| matching.len()),
                ..Waited::default()
            }))
        })
    }

    pub(super) fn menu(&self, platform: &dyn Platform, call: &Call<'_>, open: bool) -> Result<Waited> {
        let what = if open { "a menu being open" } else { "every menu being closed" };
        let wanted = Wanted { app: self.app.as_deref(), window_id: None };
        let watch = self.listen(platform, call);
        until_told(call, what, watch, || {
            let look = call.at_most(ONE_LOOK);
            let mut menus = Vec::new();
            for (application, window) in target::readable_windows(platform, &look, wanted)? {
                let observation = platform.observe(&look, &application, &window, &ObserveRequest::default())?;
                let found = surfaces(&observation).into_iter().filter(|(kind, _)| *kind == Surface::Menu);
                menus.extend(found.filter_map(|(_, index)| {
                    Some(observation.nodes.get(index)?.name.text().unwrap_or_default().to_owned())
                }));
                if !open && !observation.is_whole() {
                    return Ok(Look::NotYet("not everything could be read".into()));
                }
            }
            Ok(match (menus.is_empty(), open) {
                (false, true) | (true, false) => Look::Holds(Waited::default()),
                (true, true) => Look::NotYet("no menu is open".into()),
                (false, false) => {
                    let names: Vec<String> = menus.iter().take(4).map(|name| quote(name)).collect();
                    Look::NotYet(format!("open menus: {}", names.join(", ")))
                }
            })
        })
    }

    /// Listens to the application that is meant, where it announces anything and it is one.
    fn listen<'p>(&self, platform: &'p dyn Platform, call: &Call<'_>) -> Option<Box<dyn Watch + 'p>> {
        let look = call.at_most(ONE_LOOK);
        let application = match &self.app {
            None => target::readable_window(platform, &look, Wanted::default()).ok()?.0,
            Some(app) => {
                let mut named = target::applications_named(&platform.applications(&look).ok()?, app).ok()?;
                named.pop().filter(|_| named.is_empty())?
            }
        };
        platform.watch(&look, &application).ok()
    }
}

fn gone(title: &str) -> Error {
    Error::new(Code::WindowNotFound, format!("there is no window titled {}", quote(title)))
}
