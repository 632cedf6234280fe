//! The real clock.

use std::thread;
use std::time::{Duration, Instant};

use surehand_core::time::{Cancel, Clock};

/// Time as it passes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// How late a cancelled pause may end.
const SLICE: Duration = Duration::from_millis(20);

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn pause(&self, span: Duration, cancel: &Cancel) {
        let end = Instant::now() + span;
        while !cancel.is_raised() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            #[expect(clippy::disallowed_methods, reason = "this is the one place where time is let pass")]
            thread::sleep(left.min(SLICE));
        }
    }
}
