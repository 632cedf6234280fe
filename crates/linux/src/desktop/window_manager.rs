//! The window manager.

use std::os::fd::AsFd as _;
use std::time::Duration;

use surehand_core::desktop::Environment;
use surehand_core::error::Result;
use surehand_core::time::Call;

use super::component::{Plan, Started, start};
use super::places::Desk;
use super::programs::Programs;
use super::wait::Attempt;
use crate::x11::Display;

/// How long a window may wait to be managed before it is mapped again. Nothing signals that it was overlooked.
const MAP_AGAIN: Duration = Duration::from_millis(20);

/// Starts the window manager and returns when it manages the display.
pub(super) fn bring_up(
    attempt: &Attempt<'_>,
    desk: &Desk,
    programs: &Programs,
    environment: &Environment,
    display: &str,
) -> Result<()> {
    let started = start(
        attempt,
        desk,
        environment,
        &Plan {
            role: "window-manager",
            program: &programs.manager,
            arguments: vec!["--sm-disable".to_owned()],
            tell: None,
        },
    )?;
    manages(attempt, desk, display, &started).map_err(|error| started.explain(error))
}

/// Waits until the window manager manages.
///
/// Openbox announces itself some 40 ms before it does, and overlooks what is mapped in between. So a window of
/// ours is mapped until it is taken. That it is also forgotten again proves that events are being handled, and
/// leaves the desktop to its owner as if nothing had been.
fn manages(attempt: &Attempt<'_>, desk: &Desk, name: &str, started: &Started) -> Result<()> {
    let display = Display::connect(attempt.call(), name, Some(&desk.authority()))?;
    // Every property of the root window that it sets is an event to us, and so is the state of our window.
    display.watch()?;
    let watched = Watched { attempt, display: &display, started };
    watched.until(|| Ok(display.manager_name()?.is_some_and(|name| !name.is_empty())))?;
    let probe = display.probe()?;
    loop {
        probe.map()?;
        if watched.within(Some(MAP_AGAIN), || probe.is_managed())? {
            break;
        }
    }
    probe.destroy()?;
    watched.until(|| Ok(!probe.is_listed()?))
}

/// What the wait for the window manager looks at.
struct Watched<'a> {
    attempt: &'a Attempt<'a>,
    display: &'a Display,
    started: &'a Started,
}

impl Watched<'_> {
    /// Waits until `look` sees it, as long as the call and the window manager last.
    fn until(&self, look: impl FnMut() -> Result<bool>) -> Result<()> {
        self.within(None, look).map(drop)
    }

    /// The same for at most `span`: whether it was seen. Without a span it was.
    fn within(&self, span: Option<Duration>, mut look: impl FnMut() -> Result<bool>) -> Result<bool> {
        let part = span.map(|span| self.attempt.call().at_most(span));
        loop {
            // First take what has come, then look, then wait: nothing that comes after the look is lost.
            self.display.news()?;
            if look()? {
                return Ok(true);
            }
            // The look itself reads from the connection, and may have put events into its queue.
            if self.display.news()? {
                continue;
            }
            let left = part.as_ref().map(Call::left);
            let ready = self.attempt.readable_within(&[self.display.as_fd(), self.started.pidfd.as_fd()], left)?;
            if ready[1] {
                return Err(self.started.ended());
            }
            if !ready[0] {
                return Ok(false);
            }
        }
    }
}
