//! Choosing an application and a window by what a caller says. Never by guess: several that fit are an error
//! that lists them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::geometry::Rect;
use surehand_core::object::Application;
use surehand_core::platform::{Listing, Platform, Unresponsive};
use surehand_core::reading::Reading;
use surehand_core::text::{fold, quote};
use surehand_core::time::Call;
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::gate::Scope;
use crate::outline::{Lines, Word, made};

/// A process that did not answer, as commands print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Silent {
    /// The program it runs.
    pub program: String,
    /// Its pid.
    pub pid: u32,
}

impl Silent {
    /// From the adapter's list.
    pub fn all(unresponsive: &[Unresponsive]) -> Vec<Silent> {
        unresponsive.iter().map(|silent| Silent { program: silent.program.clone(), pid: silent.pid }).collect()
    }
}

/// Adds a line for each process that did not answer.
pub(crate) fn silent_lines(silent: &[Silent], lines: &mut Lines) {
    for silent in silent {
        lines.words([
            Word::Own("unresponsive"),
            Word::Labelled("program", &silent.program),
            made(format!("pid={}", silent.pid)),
        ]);
    }
}

/// A window as commands print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WindowView {
    /// The id that `--window-id` takes.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The application's name.
    pub app_name: String,
    /// The process.
    pub pid: u32,
    /// The process's start, so that a later process of the same pid is not taken for it.
    pub process_instance: String,
    /// Where it is, in screen pixels, without its frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Whether it has the keyboard.
    pub is_focused: bool,
    /// Whether it is minimised, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimized: Option<bool>,
    /// Whether it takes part in the screen, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// Whether its elements can be read and acted on.
    pub accessible: bool,
}

impl From<&Window> for WindowView {
    fn from(window: &Window) -> Self {
        WindowView {
            id: window.id.clone(),
            title: window.title.clone(),
            app_name: window.app_name.clone(),
            pid: window.process.pid,
            process_instance: window.process.generation.clone(),
            bounds: window.bounds.known().copied(),
            is_focused: window.focused == Reading::Known(true),
            minimized: window.minimized.known().copied(),
            visible: window.visible.known().copied(),
            accessible: window.is_accessible(),
        }
    }
}

/// What a caller says about the window that is meant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// The application's name.
    pub app: Option<&'w str>,
    /// The window's id.
    pub window_id: Option<&'w str>,
}

impl Wanted<'_> {
    /// Whether nothing is said.
    pub fn is_nothing(&self) -> bool {
        self.app.is_none() && self.window_id.is_none()
    }

    /// For the gate.
    pub fn scope(&self) -> Scope {
        match (self.window_id, self.app) {
            (Some(id), _) => Scope::WindowId(id.to_owned()),
            (None, Some(app)) => Scope::Named(app.to_owned()),
            (None, None) => Scope::Focused,
        }
    }
}

/// The running applications of that name: the name they give themselves, or the program they run, whole and
/// without regard to case.
///
/// # Errors
/// `APP_NOT_FOUND` when there is none, naming those that run; `APP_UNRESPONSIVE` when it does not answer.
pub fn applications_named(listing: &Listing<Application>, name: &str) -> Result<Vec<Application>> {
    let wanted = fold(name);
    let found: Vec<Application> = listing
        .items
        .iter()
        .filter(|application| fold(&application.name) == wanted || fold(&application.program) == wanted)
        .cloned()
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    // One that does not answer cannot tell its name; `soffice.bin` is the program of an application `soffice`.
    let stem = |program: &str| fold(program.split('.').next().unwrap_or_default());
    let is_meant = |silent: &&Unresponsive| fold(&silent.program) == wanted || stem(&silent.program) == wanted;
    if let Some(silent) = listing.unresponsive.iter().find(is_meant) {
        return Err(does_not_answer(silent));
    }
    let running: Vec<&str> = listing.items.iter().map(|application| application.name.as_str()).take(20).collect();
    let mut error = Error::new(Code::AppNotFound, format!("no running application is named {}", quote(name)))
        .detail("running", running)
        .suggest("see `list-apps`; an application that is not running is started with `open`");
    if !listing.unresponsive.is_empty() {
        error = error.detail("unresponsive", Silent::all(&listing.unresponsive));
    }
    Err(error)
}

/// The one window that is meant, and its application.
///
/// By id alone, or of one application: its only window, else the only visible one, else the focused one, else
/// the only one that can be read. Without either: the focused window.
///
/// # Errors
/// `WINDOW_NOT_FOUND`, `APP_NOT_FOUND`, `AMBIGUOUS_TARGET` with the candidates, `APP_UNRESPONSIVE`.
pub fn window(platform: &dyn Platform, call: &Call<'_>, wanted: Wanted<'_>) -> Result<(Option<Application>, Window)> {
    let (application, window, _) = look(platform, call, wanted)?;
    Ok((application, window))
}

/// How long the application that is meant is waited for while it does not answer: one that is starting, or at
/// work, is often silent for longer than a listing waits for each.
const BUSY: Duration = Duration::from_secs(2);

/// How long until it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(100);

/// Tries again for a while where the application that is meant does not answer.
pub(crate) fn patiently<T>(call: &Call<'_>, look: impl Fn() -> Result<T>) -> Result<T> {
    // Half of the time is left to what the listing is for.
    let patience = call.at_most(BUSY.min(call.left() / 2));
    loop {
        match look() {
            Err(error) if error.code() == Code::AppUnresponsive && !patience.left().is_zero() => {
                call.clock.pause(ASK_AGAIN.min(patience.left()), call.cancel);
            }
            other => return other,
        }
    }
}

/// The same, with the processes that did not answer.
fn look(
    platform: &dyn Platform,
    call: &Call<'_>,
    wanted: Wanted<'_>,
) -> Result<(Option<Application>, Window, Vec<Unresponsive>)> {
    patiently(call, || look_once(platform, call, wanted))
}

fn look_once(
    platform: &dyn Platform,
    call: &Call<'_>,
    wanted: Wanted<'_>,
) -> Result<(Option<Application>, Window, Vec<Unresponsive>)> {
    let listing = platform.applications(call)?;
    let candidates = match wanted.app {
        Some(app) => applications_named(&listing, app)?,
        None => listing.items.clone(),
    };
    let windows = platform.windows(call, &candidates)?;
    let mut found: Vec<Window> = windows
        .items
        .into_iter()
        .filter(|window| match wanted.app {
            Some(_) => candidates.iter().any(|candidate| candidate.process == window.process),
            None => true,
        })
        .collect();
    let silent: Vec<Unresponsive> = listing.unresponsive.into_iter().chain(windows.unresponsive).collect();
    if wanted.app.is_some()
        && let Some(silent) =
            silent.iter().find(|silent| candidates.iter().any(|candidate| candidate.process.pid == silent.pid))
    {
        return Err(does_not_answer(silent));
    }
    let chosen = match wanted.window_id {
        Some(id) => {
            found.retain(|window| window.is_called(id));
            the_only(found, || no_such_window(id, &silent))?
        }
        None => choose(found, &wanted, &silent)?,
    };
    let application = owner(candidates, &chosen);
    Ok((application, chosen, silent))
}

/// The application of a window. A process can be on the accessibility bus twice (launchers and portals are), so
/// the one that the window's elements belong to counts, and the process only where the window has none.
fn owner(candidates: Vec<Application>, window: &Window) -> Option<Application> {
    let of = |candidate: &Application| match &window.object {
        Some(object) => candidate.object.owner == object.owner,
        None => candidate.process == window.process,
    };
    candidates.into_iter().find(of)
}

/// A window whose elements can be read.
///
/// # Errors
/// As [`window`]; `APP_UNRESPONSIVE` when its application does not answer; `ACTION_NOT_SUPPORTED` when the
/// application publishes nothing about it.
pub fn readable_window(platform: &dyn Platform, call: &Call<'_>, wanted: Wanted<'_>) -> Result<(Application, Window)> {
    let (application, window, silent) = look(platform, call, wanted)?;
    match application {
        Some(application) if window.is_accessible() => Ok((application, window)),
        _ => Err(match silent.iter().find(|silent| silent.pid == window.process.pid) {
            // Of an application that does not answer nobody knows what it publishes.
            Some(silent) => does_not_answer(silent),
            None => unpublished(platform, &window),
        }),
    }
}

/// Every window that can be read of the one application that is meant; of the one that has the focused window
/// where none is named.
///
/// # Errors
/// As [`window`]; `AMBIGUOUS_TARGET` when several applications are named so.
pub fn readable_windows(
    platform: &dyn Platform,
    call: &Call<'_>,
    wanted: Wanted<'_>,
) -> Result<Vec<(Application, Window)>> {
    if wanted.window_id.is_some() {
        return Ok(vec![readable_window(platform, call, wanted)?]);
    }
    patiently(call, || all_of_one(platform, call, wanted))
}

fn all_of_one(platform: &dyn Platform, call: &Call<'_>, wanted: Wanted<'_>) -> Result<Vec<(Application, Window)>> {
    let application = match wanted.app {
        None => readable_window(platform, call, wanted)?.0,
        Some(app) => {
            let mut named = applications_named(&platform.applications(call)?, app)?;
            if named.len() > 1 {
                let candidates: Vec<_> = named.iter().map(|app| (app.name.clone(), app.process.pid)).collect();
                return Err(Error::new(
                    Code::AmbiguousTarget,
                    format!("{} applications are named {}", named.len(), quote(app)),
                )
                .kind("ambiguous_app")
                .detail("candidates", candidates)
                .suggest("say which window with `--window-id`; see `list-windows`"));
            }
            named.remove(0)
        }
    };
    let windows = platform.windows(call, std::slice::from_ref(&application))?;
    if let Some(silent) = windows.unresponsive.iter().find(|silent| silent.pid == application.process.pid) {
        return Err(does_not_answer(silent));
    }
    let own =
        windows.items.into_iter().filter(|window| window.process == application.process && window.is_accessible());
    Ok(own.map(|window| (application.clone(), window)).collect())
}

fn unpublished(platform: &dyn Platform, window: &Window) -> Error {
    const GENERAL: &str = "`screenshot` shows it; reading and acting need an application with accessibility support";
    Error::new(
        Code::ActionNotSupported,
        format!("{} publishes no accessibility tree for window {}", quote(&window.app_name), window.id),
    )
    .kind("window_without_accessibility_element")
    .detail("window_id", &window.id)
    .suggest(platform.unpublished(&window.process).as_deref().unwrap_or(GENERAL))
}

fn choose(found: Vec<Window>, wanted: &Wanted<'_>, silent: &[Unresponsive]) -> Result<Window> {
    if wanted.app.is_none() {
        let focused: Vec<Window> = found.into_iter().filter(|window| window.focused == Reading::Known(true)).collect();
        return the_only(focused, || {
            let mut error = Error::new(Code::WindowNotFound, "no window has the focus")
                .suggest("say which one with `--app` or `--window-id`; see `list-windows`");
            if !silent.is_empty() {
                error = error.detail("unresponsive", Silent::all(silent));
            }
            error
        });
    }
    let narrower: [fn(&Window) -> bool; 4] = [
        |_| true,
        |window| window.visible != Reading::Known(false) && window.minimized != Reading::Known(true),
        |window| window.focused == Reading::Known(true),
        Window::is_accessible,
    ];
    let mut left = found;
    for keep in narrower {
        let kept: Vec<Window> = left.iter().filter(|window| keep(window)).cloned().collect();
        // A step that nobody passes says nothing; the next one decides among the same.
        if !kept.is_empty() {
            left = kept;
        }
    }
    the_only(left, || {
        Error::new(Code::WindowNotFound, format!("{} has no window", quote(wanted.app.unwrap_or_default())))
            .suggest("see `list-windows`; `wait --window TITLE` waits for one")
    })
}

/// The only window of a list.
///
/// # Errors
/// `none` when the list is empty, `AMBIGUOUS_TARGET` with the candidates when it holds several.
pub fn the_only(mut found: Vec<Window>, none: impl FnOnce() -> Error) -> Result<Window> {
    match found.len() {
        0 => Err(none()),
        1 => Ok(found.remove(0)),
        count => {
            let candidates: Vec<WindowView> = found.iter().take(10).map(WindowView::from).collect();
            Err(Error::new(Code::AmbiguousTarget, format!("{count} windows could be meant"))
                .kind("ambiguous_window")
                .detail("candidates", candidates)
                .suggest("say which one with `--window-id`"))
        }
    }
}

fn no_such_window(id: &str, silent: &[Unresponsive]) -> Error {
    let mut error =
        Error::new(Code::WindowNotFound, format!("there is no window {}", quote(id))).suggest("see `list-windows`");
    if !silent.is_empty() {
        error = error.detail("unresponsive", Silent::all(silent));
    }
    error
}

fn does_not_answer(silent: &Unresponsive) -> Error {
    Error::new(Code::AppUnresponsive, format!("{} (process {}) does not answer", quote(&silent.program), silent.pid))
        .detail("program", &silent.program)
        .detail("pid", silent.pid)
        .suggest("wait until it is no longer busy, or end it")
}
