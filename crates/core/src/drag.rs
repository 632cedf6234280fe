//! Dragging: pressing a button at one point and letting it go at another.
//!
//! Toolkits begin a drag only after the pointer has moved some way with the button down, and targets need to see it
//! come, so the way is walked in steps. Whatever goes wrong in between, the button does not stay down.

use std::time::Duration;

use crate::disposition::Delivery;
use crate::error::{Error, Result};
use crate::geometry::Point;
use crate::platform::Platform;
use crate::stroke::{PointerButton, Stroke};
use crate::time::{Call, Cancel};

/// How long one step takes: what a screen takes for a picture.
const STEP: Duration = Duration::from_millis(16);

/// More steps than this are not walked, however long it takes.
const MOST_STEPS: u128 = 4_096;

/// How long letting go may take when the call is over.
const EMERGENCY: Duration = Duration::from_secs(2);

/// A way of the pointer.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Where the button goes down.
    pub from: Point,
    /// Where it is let go.
    pub to: Point,
    /// How long the way takes.
    pub duration: Duration,
    /// How long the pointer rests at the end before the button is let go.
    pub rest: Duration,
}

/// Carries out the drag.
///
/// # Errors
/// Those of [`Platform::strike`]. The button has been let go where it began then, as the detail
/// `emergency_release_posted` says.
pub fn drag(platform: &dyn Platform, call: &Call<'_>, way: Way) -> Result<()> {
    let button = PointerButton::Left;
    platform.strike(call, &[Stroke::MoveTo(way.from), Stroke::ButtonDown(button)])?;
    let mut sent = 2;
    let walked = walk(platform, call, way, &mut sent);
    match walked.and_then(|()| platform.strike(call, &[Stroke::ButtonUp(button)])) {
        Ok(()) => Ok(()),
        Err(error) => {
            // The call may be cancelled or over; the button must not stay down for that.
            let cancel = Cancel::default();
            let last = Call::lasting(call.clock, &cancel, EMERGENCY);
            let back = platform.strike(&last, &[Stroke::MoveTo(way.from), Stroke::ButtonUp(button)]);
            Err(emergency(error, sent, back.is_ok()))
        }
    }
}

fn emergency(error: Error, sent: usize, released: bool) -> Error {
    error.delivery(Delivery::DeliveryUncertain).detail("sent", sent).detail("emergency_release_posted", released)
}

fn walk(platform: &dyn Platform, call: &Call<'_>, way: Way, sent: &mut usize) -> Result<()> {
    let steps = (way.duration.as_millis() / STEP.as_millis()).clamp(4, MOST_STEPS);
    let pause = way.duration / u32::try_from(steps).unwrap_or(u32::MAX);
    let between = |from: i32, to: i32, step: u128| {
        let (from, way) = (i64::from(from), i64::from(to) - i64::from(from));
        let passed = way.saturating_mul(i64::try_from(step).unwrap_or(i64::MAX)) / i64::try_from(steps).unwrap_or(1);
        i32::try_from(from + passed).unwrap_or(to)
    };
    for step in 1..=steps {
        call.go_on()?;
        let point = Point { x: between(way.from.x, way.to.x, step), y: between(way.from.y, way.to.y, step) };
        platform.strike(call, &[Stroke::MoveTo(point)])?;
        *sent += 1;
        call.clock.pause(pause.min(call.left()), call.cancel);
    }
    call.clock.pause(way.rest.min(call.left()), call.cancel);
    call.go_on()
}
