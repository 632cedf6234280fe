//! Waiting for something to happen: for a difference from what was there before.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::object::{Application, Process};
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::reading::Reading;
use surehand_core::text::{fold, quote};
use surehand_core::time::Call;
use surehand_core::wait::{Look, until_told};
use surehand_core::window::Window;
use surehand_core::{Error, Result};

use super::{Before, ONE_LOOK, Wait, Waited};
use crate::surface::{Surface, surfaces, word};
use crate::target::{Silent, applications_named, patiently};

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EventKind {
    /// A window is there that was not
    WindowOpened,
    /// A window is gone
    WindowClosed,
    /// An application runs that did not
    AppLaunched,
    /// An application has ended
    AppTerminated,
    /// Another window has the keyboard
    FocusChanged,
    /// A menu, a dialog or a message is there that was not
    SurfaceAppeared,
    /// A menu, a dialog or a message is gone
    SurfaceDismissed,
}

impl EventKind {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            EventKind::WindowOpened => "window-opened",
            EventKind::WindowClosed => "window-closed",
            EventKind::AppLaunched => "app-launched",
            EventKind::AppTerminated => "app-terminated",
            EventKind::FocusChanged => "focus-changed",
            EventKind::SurfaceAppeared => "surface-appeared",
            EventKind::SurfaceDismissed => "surface-dismissed",
        }
    }

    /// Whether it is that something goes.
    const fn is_end(self) -> bool {
        matches!(self, EventKind::WindowClosed | EventKind::AppTerminated | EventKind::SurfaceDismissed)
    }

    const fn is_of_surfaces(self) -> bool {
        matches!(self, EventKind::SurfaceAppeared | EventKind::SurfaceDismissed)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct EventView {
    /// What kind of thing.
    pub(super) kind: EventKind,
    /// The window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) window_id: Option<String>,
    /// The title of the window, or the name of the surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    /// What kind of surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) surface: Option<Surface>,
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) app: Option<String>,
    /// Its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<u32>,
}

/// One thing that was there.
#[derive(Debug, Clone)]
struct Thing {
    /// What tells it from all others, now and later.
    key: String,
    window_id: Option<String>,
    title: Option<String>,
    surface: Option<Surface>,
    app: String,
    process: Process,
    focused: bool,
}

impl Thing {
    fn view(&self, kind: EventKind) -> EventView {
        EventView {
            kind,
            window_id: self.window_id.clone(),
            title: self.title.clone(),
            surface: self.surface,
            app: Some(self.app.clone()),
            pid: Some(self.process.pid),
        }
    }
}

/// What was there when it was looked first.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    things: Vec<Thing>,
    /// The one process that the application's name stands for.
    app: Option<Application>,
    applications: usize,
}

impl Wait {
    /// What there is now of what an event is about.
    pub(super) fn baseline(&self, platform: &dyn Platform, call: &Call<'_>, kind: EventKind) -> Result<Baseline> {
        patiently(call, || self.baseline_once(platform, call, kind))
    }

    fn baseline_once(&self, platform: &dyn Platform, call: &Call<'_>, kind: EventKind) -> Result<Baseline> {
        let listing = platform.applications(call)?;
        let app = match &self.app {
            None => None,
            Some(name) => match applications_named(&listing, name) {
                Ok(mut named) if named.len() == 1 => named.pop(),
                Ok(named) => return Err(several(name, &named)),
                // One that does not answer just now does not tell its name either. That it is not there would be a guess,
                // and for an end it would be the answer.
                Err(error)
                    if error.code() == Code::AppNotFound && kind.is_end() && !listing.unresponsive.is_empty() =>
                {
                    let silent = Silent::all(&listing.unresponsive);
                    return Err(Error::new(
                        Code::AppUnresponsive,
                        format!("whether {} runs is not known: an application does not answer", quote(name)),
                    )
                    .detail("unresponsive", silent));
                }
                Err(error) if error.code() == Code::AppNotFound => None,
                Err(error) => return Err(error),
            },
        };
        let applications = listing.items.len();
        Ok(Baseline { things: self.things(platform, call, kind, app.as_ref())?, app, applications })
    }

    pub(super) fn event(&self, platform: &dyn Platform, call: &Call<'_>, kind: EventKind) -> Result<Waited> {
        let before = match &self.before {
            Some(Before::Event(before)) => before.clone(),
            _ => self.baseline(platform, call, kind)?,
        };
        if let Some(name) = &self.app
            && before.app.is_none()
        {
            if kind.is_end() {
                return Ok(Waited { target_unresolved: true, ..Waited::default() });
            }
            if kind == EventKind::FocusChanged {
                return Err(Error::new(Code::AppNotFound, format!("no running application is named {}", quote(name)))
                    .suggest("see `list-apps`"));
            }
        }
        let narrowed = self.window.is_some() || self.window_id.is_some();
        if narrowed && kind.is_end() && !before.things.iter().any(|thing| self.is_meant(thing)) {
            return Ok(Waited { target_unresolved: true, ..Waited::default() });
        }
        let watch = before.app.as_ref().and_then(|app| platform.watch(&call.at_most(ONE_LOOK), app).ok());
        let event = until_told(call, &format!("the event {}", kind.word()), watch, || {
            let look = call.at_most(ONE_LOOK);
            let now = self.things(platform, &look, kind, before.app.as_ref())?;
            if let Some(thing) = self.difference(kind, &before.things, &now) {
                return Ok(Look::Holds(thing.view(kind)));
            }
            self.still_runs(platform, &look, kind, &before)?;
            Ok(Look::NotYet(describe(kind, &now)))
        })
        .map_err(|error| {
            let counts = serde_json::json!({ "applications": before.applications, "things": before.things.len() });
            error.detail("baseline_counts", counts)
        })?;
        Ok(Waited { event: Some(event), ..Waited::default() })
    }

    fn is_meant(&self, thing: &Thing) -> bool {
        let id = self.window_id.as_deref().is_none_or(|id| thing.window_id.as_deref() == Some(id));
        let title = self
            .window
            .as_deref()
            .is_none_or(|title| thing.title.as_deref().is_some_and(|is| fold(is).contains(&fold(title))));
        id && title
    }

    fn difference<'t>(&self, kind: EventKind, before: &'t [Thing], now: &'t [Thing]) -> Option<&'t Thing> {
        let is_in = |things: &[Thing], thing: &Thing| things.iter().any(|other| other.key == thing.key);
        match kind {
            EventKind::FocusChanged => {
                let had = before.iter().find(|thing| thing.focused).map(|thing| &thing.key);
                now.iter().find(|thing| thing.focused && Some(&thing.key) != had && self.is_meant(thing))
            }
            kind if kind.is_end() => before.iter().find(|thing| !is_in(now, thing) && self.is_meant(thing)),
            _ => now.iter().find(|thing| !is_in(before, thing) && self.is_meant(thing)),
        }
    }

    /// That the application is waited for which was meant at the beginning, and not a later one of its name.
    fn still_runs(&self, platform: &dyn Platform, call: &Call<'_>, kind: EventKind, before: &Baseline) -> Result<()> {
        let (Some(name), Some(app)) = (&self.app, &before.app) else { return Ok(()) };
        if platform.is_running(&app.process) || kind == EventKind::AppLaunched {
            return Ok(());
        }
        let others = applications_named(&platform.applications(call)?, name).unwrap_or_default();
        let mut error =
            Error::new(Code::ActionFailed, format!("{} (process {}) has ended", quote(name), app.process.pid))
                .kind("process_changed")
                .detail("retryable", false);
        if let Some(other) = others.first() {
            error = error.detail("new_pid", other.process.pid);
        }
        Err(error.suggest("look at what runs now with `list-apps`, and wait anew"))
    }

    fn things(
        &self,
        platform: &dyn Platform,
        call: &Call<'_>,
        kind: EventKind,
        app: Option<&Application>,
    ) -> Result<Vec<Thing>> {
        let listing = platform.applications(call)?;
        let named = |application: &&Application| match (&self.app, app) {
            // One that is launched is another process than the one that runs already.
            (Some(_), Some(app)) if kind != EventKind::AppLaunched => application.process == app.process,
            (Some(name), _) => fold(&application.name) == fold(name) || fold(&application.program) == fold(name),
            (None, _) => true,
        };
        if matches!(kind, EventKind::AppLaunched | EventKind::AppTerminated) {
            // One that does not answer just now has not ended.
            let silent = app.filter(|app| listing.unresponsive.iter().any(|other| other.pid == app.process.pid));
            return Ok(listing.items.iter().filter(named).chain(silent).map(of_application).collect());
        }
        let applications: Vec<Application> = listing.items.iter().filter(named).cloned().collect();
        let all = platform.windows(call, &applications)?;
        if let Some(app) = app
            && all.unresponsive.iter().chain(&listing.unresponsive).any(|silent| silent.pid == app.process.pid)
        {
            return Err(Error::new(Code::AppUnresponsive, format!("{} does not answer", quote(&app.name))));
        }
        let own = |window: &Window| {
            self.app.is_none() || applications.iter().any(|application| application.process == window.process)
        };
        let windows: Vec<Window> = all.items.into_iter().filter(own).collect();
        if !kind.is_of_surfaces() {
            return Ok(windows.iter().map(of_window).collect());
        }
        let mut things = Vec::new();
        for window in windows.iter().filter(|window| window.is_accessible()) {
            // Without a name only the window in front is looked into: the others are too many to read each time.
            if self.app.is_none() && window.focused != Reading::Known(true) {
                continue;
            }
            let owner = applications.iter().find(|application| application.process == window.process);
            let Some(owner) = owner else { continue };
            let observation = match platform.observe(call, owner, window, &ObserveRequest::default()) {
                Ok(observation) => observation,
                Err(error) if error.code() == Code::WindowNotFound => continue,
                Err(error) => return Err(error),
            };
            for (surface, index) in surfaces(&observation).into_iter().filter(|(kind, _)| *kind != Surface::Window) {
                let Some(node) = observation.nodes.get(index) else { continue };
                let title = node.name.text().map(str::to_owned).or_else(|| (index == 0).then(|| window.title.clone()));
                let mut thing = of_window(window);
                thing.key = format!("{} {}", word(surface), node.object);
                (thing.title, thing.surface) = (title, Some(surface));
                things.push(thing);
            }
        }
        Ok(things)
    }
}

fn of_application(application: &Application) -> Thing {
    Thing {
        key: format!("{} {}", application.process.pid, application.process.generation),
        window_id: None,
        title: None,
        surface: None,
        app: application.name.clone(),
        process: application.process.clone(),
        focused: false,
    }
}

fn of_window(window: &Window) -> Thing {
    // While a window opens, the tree and the screen know of it one after the other; its object is the same all along.
    let own = match (&window.object, window.native) {
        (Some(object), _) => object.to_string(),
        (None, Some(native)) => native.to_string(),
        (None, None) => window.id.clone(),
    };
    Thing {
        key: format!("{} {} {own}", window.process.pid, window.process.generation),
        window_id: Some(window.id.clone()),
        title: Some(window.title.clone()),
        surface: None,
        app: window.app_name.clone(),
        process: window.process.clone(),
        focused: window.focused == Reading::Known(true),
    }
}

fn several(name: &str, named: &[Application]) -> Error {
    let candidates: Vec<_> = named.iter().map(|app| (app.name.clone(), app.process.pid)).collect();
    Error::new(Code::AmbiguousTarget, format!("{} applications are named {}", named.len(), quote(name)))
        .kind("ambiguous_app")
        .detail("candidates", candidates)
        .suggest("say which window with `--window-id`; see `list-windows`")
}

/// What is there instead of what was waited for.
fn describe(kind: EventKind, now: &[Thing]) -> String {
    let names: Vec<String> = now
        .iter()
        .take(8)
        .map(|thing| match kind {
            EventKind::AppLaunched | EventKind::AppTerminated => quote(&thing.app),
            _ => quote(thing.title.as_deref().unwrap_or_default()),
        })
        .collect();
    match (kind, names.is_empty()) {
        (EventKind::FocusChanged, _) => {
            let focused = now.iter().find(|thing| thing.focused).and_then(|thing| thing.title.as_deref());
            focused.map_or("no window has the focus".to_owned(), |title| format!("{} has the focus", quote(title)))
        }
        (_, true) => "there is none".to_owned(),
        (_, false) => format!("there are {}", names.join(", ")),
    }
}
