//! Bringing a desktop up, or leaving nothing behind.

use std::time::Duration;

use surehand_core::desktop::{Desktop, DesktopRequest, Environment};
use surehand_core::error::{Error, Result};
use surehand_core::time::{Call, Cancel};

use super::component::{change, reason};
use super::environment::build;
use super::places::{Desk, Places, check_name, invalid};
use super::programs::Programs;
use super::record::{Phase, Record};
use super::wait::Attempt;
use super::{accessibility, bus, display, processes, window_manager};
use crate::notify::Watcher;

/// The sides of a screen, in pixels: below, dialogs do not fit; above, a frame buffer of gigabytes results.
const SIDES: std::ops::RangeInclusive<u16> = 200..=16_384;

/// The most pixels a screen may have: 256 MiB of frame buffer.
const MOST_PIXELS: u32 = 64 * 1024 * 1024;

/// How long taking down what was begun may last. The call that failed may have no time left of its own.
const TAKE_DOWN: Duration = Duration::from_secs(6);

/// Starts a desktop.
pub(super) fn start(
    places: &Places,
    caller: &Environment,
    watcher: Option<&Watcher>,
    call: &Call<'_>,
    request: &DesktopRequest,
) -> Result<Desktop> {
    let size = check(request)?;
    places.check_paths()?;
    let programs = Programs::find(caller)?;
    places.prepare()?;
    call.go_on()?;
    let (desk, record) = places.begin(call, request.name.as_deref(), size)?;
    let mut begun = Begun { places, call, desk, record, done: false };
    let record = bring_up(&begun, caller, &programs, watcher).map_err(|seen| reason(&begun.desk, seen))?;
    begun.done = true;
    Ok(record.desktop())
}

fn check(request: &DesktopRequest) -> Result<(u16, u16)> {
    if let Some(name) = &request.name {
        check_name(name)?;
    }
    let (width, height) = (request.width, request.height);
    let pixels = u32::from(width) * u32::from(height);
    if !SIDES.contains(&width) || !SIDES.contains(&height) || pixels > MOST_PIXELS {
        let text = format!(
            "a screen of {width}x{height} cannot be made: {} to {} pixels a side, {MOST_PIXELS} in all",
            SIDES.start(),
            SIDES.end()
        );
        return Err(invalid("size", text));
    }
    Ok((width, height))
}

/// A desktop that is taken down again unless it was finished, also when this thread panics.
struct Begun<'a> {
    places: &'a Places,
    call: &'a Call<'a>,
    desk: Desk,
    record: Record,
    done: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let nobody = Cancel::default();
        let call = Call::lasting(self.call.clock, &nobody, TAKE_DOWN);
        if let Err(error) = processes::take_down(self.places, &self.desk, &call) {
            // The caller hears why it failed to start; what is left is a broken desktop that `prune` clears.
            tracing::warn!(desktop = self.desk.id, %error, "a desktop that did not start was not cleared");
        }
    }
}

/// Has the notifications of the desktop watched. One without is a desktop all the same: whoever asks for notifications
/// starts it again, and hears what is wrong.
fn watch(watcher: Option<&Watcher>, environment: &Environment, attempt: &Attempt<'_>) {
    if let Some(Err(error)) = watcher.map(|watcher| watcher.start(environment, attempt.call())) {
        tracing::warn!(%error, "notifications are not watched");
    }
}

/// Display first; then, side by side, the window manager, and the session bus with the accessibility bus.
fn bring_up(begun: &Begun<'_>, caller: &Environment, programs: &Programs, watcher: Option<&Watcher>) -> Result<Record> {
    let Begun { desk, record, .. } = begun;
    let attempt = &Attempt::new(begun.call);
    let bare = build(caller, desk, record);
    let name = display::bring_up(attempt, desk, programs, &bare, (record.width, record.height))?;
    let full = build(caller, desk, &Record { display: Some(name.clone()), ..record.clone() });
    let abandoning = |done: Result<()>| done.inspect_err(|_| attempt.abandon());
    let (managed, buses) = std::thread::scope(|scope| {
        let manager = scope.spawn(|| abandoning(window_manager::bring_up(attempt, desk, programs, &full, &name)));
        let buses = abandoning(bus::bring_up(attempt, desk, programs, &full).and_then(|session| {
            scope.spawn(|| watch(watcher, &full, attempt));
            accessibility::bring_up(attempt, desk, programs, &full, &session)
        }));
        let managed = manager
            .join()
            .unwrap_or_else(|_| Err(Error::new(surehand_core::Code::Internal, "a worker thread ended unexpectedly")));
        (managed, buses)
    });
    // The one that failed by itself is told, not the one that gave up because of it.
    match (managed, buses) {
        (Ok(()), Ok(())) => {}
        (Err(error), Ok(())) | (Ok(()), Err(error)) => return Err(error),
        (Err(first), Err(second)) => {
            return Err(if first.kind_of() == Some("abandoned") { second } else { first });
        }
    }
    change(attempt, desk, |record| {
        record.phase = Phase::Up;
        Ok(())
    })
}
