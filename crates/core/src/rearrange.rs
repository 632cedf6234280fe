//! Changing a window, and seeing what became of it.
//!
//! Window managers do as they like: they keep sizes within limits, animate, and refuse the focus. So success is what
//! was observed, several times in a row, and never that somebody was asked.

use std::time::Duration;

use crate::disposition::Delivery;
use crate::error::{Code, Error, Result};
use crate::geometry::Rect;
use crate::platform::{Attention, Platform, WindowChange};
use crate::reading::Reading;
use crate::time::Call;
use crate::window::Window;

/// How often the window is looked at.
const LOOK: Duration = Duration::from_millis(40);

/// So many equal looks in a row are rest.
const AT_REST: usize = 3;

/// How long something else than what was asked for is waited out before it counts as the outcome.
const PATIENCE: Duration = Duration::from_millis(3_000);

/// What became of a window.
#[derive(Debug, Clone)]
pub struct Rearranged {
    /// The window as it came to rest.
    pub window: Window,
    /// Whether the change was seen; `not_delivered` where it was there already and nothing was sent.
    pub delivery: Delivery,
}

/// What matters of one look.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    frame: Reading<Rect>,
    bounds: Reading<Rect>,
    minimized: Reading<bool>,
    maximized: Reading<bool>,
    attention: Attention,
}

impl Seen {
    fn of(window: &Window, attention: &Attention) -> Seen {
        // The pointer moves by itself.
        let attention = Attention { pointer: None, ..attention.clone() };
        Seen {
            frame: window.frame,
            bounds: window.bounds,
            minimized: window.minimized,
            maximized: window.maximized,
            attention,
        }
    }

    fn holds(&self, native: Option<u64>, change: WindowChange) -> bool {
        let no = |reading: &Reading<bool>| *reading == Reading::Known(false);
        match change {
            WindowChange::Focus => {
                native.is_some()
                    && self.attention.active == native
                    && self.attention.keyboard == native
                    && no(&self.minimized)
            }
            WindowChange::Move(point) => {
                self.frame.known().is_some_and(|frame| (frame.x, frame.y) == (point.x, point.y))
            }
            WindowChange::Resize { width, height } => {
                self.bounds.known().is_some_and(|bounds| (bounds.width, bounds.height) == (width, height))
            }
            WindowChange::Minimize => self.minimized == Reading::Known(true),
            WindowChange::Maximize => self.maximized == Reading::Known(true) && no(&self.minimized),
            WindowChange::Restore => no(&self.minimized) && no(&self.maximized),
        }
    }
}

/// Asks for the change and looks until the window has come to rest.
///
/// # Errors
/// As [`Platform::change_window`]; `WINDOW_NOT_FOUND`, delivery uncertain, when it closed meanwhile.
pub fn change(platform: &dyn Platform, call: &Call<'_>, window: &Window, change: WindowChange) -> Result<Rearranged> {
    let (now, before) = look(platform, call, window)?;
    if before.holds(window.native, change) {
        return Ok(Rearranged { window: now, delivery: Delivery::NotDelivered });
    }
    platform.change_window(call, window, change)?;
    let uncertain = |error: Error| error.delivery(Delivery::DeliveryUncertain);
    let patience = call.at_most(PATIENCE);
    let mut last = (now, before.clone());
    let mut equal = 1;
    loop {
        let at_rest = equal >= AT_REST;
        if at_rest && last.1.holds(window.native, change) {
            return Ok(Rearranged { window: last.0, delivery: Delivery::DeliveredVerified });
        }
        if at_rest && patience.left().is_zero() || call.left().is_zero() {
            return Ok(Rearranged { window: last.0, delivery: Delivery::DeliveredUnverified });
        }
        call.clock.pause(LOOK.min(call.left()), call.cancel);
        call.go_on().map_err(uncertain)?;
        let next = match look(platform, call, window) {
            Err(error) if call.left().is_zero() && error.code() != Code::WindowNotFound => continue,
            other => other.map_err(uncertain)?,
        };
        equal = if next.1 == last.1 { equal + 1 } else { 1 };
        last = next;
    }
}

/// Brings a window to the front and gives it the keyboard, for physical input that is meant for it.
///
/// # Errors
/// As [`change`]; `ACTION_FAILED` with kind `focus_refused` when it did not get it.
pub fn focus(platform: &dyn Platform, call: &Call<'_>, window: &Window) -> Result<Window> {
    let done = change(platform, call, window, WindowChange::Focus)?;
    if done.delivery == Delivery::DeliveredUnverified {
        return Err(Error::new(Code::ActionFailed, format!("window {} did not get the keyboard", window.id))
            .kind("focus_refused")
            .suggest("something else holds the focus, such as a dialog; see `list-windows`"));
    }
    Ok(done.window)
}

/// The window as it is now, known again by the window system's handle and its process.
fn look(platform: &dyn Platform, call: &Call<'_>, window: &Window) -> Result<(Window, Seen)> {
    if window.native.is_none() {
        return Err(Error::new(
            Code::ActionNotSupported,
            format!("it cannot be told which window of the screen {} is", window.id),
        )
        .kind("window_without_handle"));
    }
    let now = platform.look_at_window(call, window)?;
    let attention = platform.attention(call)?;
    let seen = Seen::of(&now, &attention);
    Ok((now, seen))
}
