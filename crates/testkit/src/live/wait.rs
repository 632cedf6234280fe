//! Waiting for what nothing signals.

use std::time::{Duration, Instant};

/// How often a condition is looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// Looks at a condition until it holds, or the time is used up; none then. Only for what cannot be waited
/// for otherwise, such as a file that another program appends to.
pub fn wait_until<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= end {
            return None;
        }
        pause();
    }
}

#[allow(clippy::disallowed_methods, reason = "this is the one place where a live test polls, and it runs in real time")]
fn pause() {
    std::thread::sleep(INTERVAL);
}
