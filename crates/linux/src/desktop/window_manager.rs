//! The window manager.

use std::os::fd::AsFd as _;

use surehand_core::desktop::Environment;
use surehand_core::error::{Code, Error, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, EventMask};

use super::component::{Plan, Started, start};
use super::places::Desk;
use super::programs::Programs;
use super::wait::{Attempt, internal};
use super::x11;

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

/// Waits until a window manager answers. It sets properties of the root window when it takes over, and each
/// of them is an event to us.
fn manages(attempt: &Attempt<'_>, desk: &Desk, name: &str, started: &Started) -> Result<()> {
    let (display, screen) = x11::connect(attempt.call(), name, Some(&desk.authority()))
        .map_err(|refusal| internal("the display does not answer", &refusal))?;
    let (root, ..) =
        x11::screen(&display, screen).ok_or_else(|| Error::new(Code::Internal, "the display has lost its screen"))?;
    let events = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    display.change_window_attributes(root, &events).map_err(x11::lost)?.check().map_err(x11::lost)?;
    loop {
        // First take what has come, then look, then wait: nothing that comes after the look is lost.
        while display.poll_for_event().map_err(x11::lost)?.is_some() {}
        if x11::manager(&display, root).map_err(x11::lost)?.is_some_and(|manager| !manager.name.is_empty()) {
            return Ok(());
        }
        // The look itself reads from the connection, and may have put events into its queue.
        if display.poll_for_event().map_err(x11::lost)?.is_some() {
            continue;
        }
        let ready = attempt.readable(&[display.stream().as_fd(), started.pidfd.as_fd()])?;
        if ready[1] {
            return Err(started.ended());
        }
    }
}
