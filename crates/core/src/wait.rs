//! Waiting for a condition.

use std::time::Duration;

use crate::error::{Code, Error, Result};
use crate::time::Call;
use crate::watch::Watch;

/// How often a condition is looked at while nothing tells us of changes.
pub const INTERVAL: Duration = Duration::from_millis(75);

/// How often it is looked at while somebody tells us: not everything that changes is announced.
pub const SELDOM: Duration = Duration::from_millis(300);

/// How long announcements are let come in before the next look: they come in bursts.
const BURST: Duration = Duration::from_millis(15);

/// What a condition says when it is looked at.
#[derive(Debug)]
pub enum Look<T> {
    /// It holds.
    Holds(T),
    /// It does not hold yet. The text says what was seen instead, for the error.
    NotYet(String),
}

/// Looks at a condition until it holds.
///
/// A failure that may pass by itself (a window that is only being built, an application that is busy) is
/// waited out like a condition that does not hold; anything else is returned at once.
///
/// # Errors
/// `TIMEOUT` with `details.kind` `wait_timeout` and what was last seen, or the condition's own failure.
pub fn until<T>(call: &Call<'_>, what: &str, look: impl FnMut() -> Result<Look<T>>) -> Result<T> {
    until_told(call, what, None, look)
}

/// The same, looking as soon as the application announces something. Where nothing is announced, or the announcing
/// ends, it is looked at as often as without.
///
/// # Errors
/// As [`until`].
pub fn until_told<T>(
    call: &Call<'_>,
    what: &str,
    mut watch: Option<Box<dyn Watch + '_>>,
    mut look: impl FnMut() -> Result<Look<T>>,
) -> Result<T> {
    let mut last: Option<Error> = None;
    loop {
        match look() {
            Ok(Look::Holds(value)) => return Ok(value),
            Ok(Look::NotYet(seen)) => {
                last = Some(Error::new(Code::Timeout, seen.clone()).detail("last_observed", seen));
            }
            // That a look had no time left says nothing of the condition; the look before it does.
            Err(error) if last.is_some() && ran_out(&error, call) => {}
            Err(error) if may_pass(&error) => {
                last = Some(Error::new(Code::Timeout, error.message()).detail("last_error", error.code()));
            }
            Err(error) => return Err(error),
        }
        if call.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, format!("cancelled while waiting for {what}")).kind("cancelled"));
        }
        if call.left().is_zero() {
            let seen = last.as_ref().map_or("it could not be looked at", Error::message);
            let mut error =
                Error::new(Code::Timeout, format!("{what} did not happen in time: {seen}")).kind("wait_timeout");
            for (key, value) in last.iter().flat_map(Error::details) {
                error = error.detail(key, value);
            }
            return Err(error);
        }
        rest(call, &mut watch);
    }
}

/// Lets time pass until the next look.
fn rest(call: &Call<'_>, watch: &mut Option<Box<dyn Watch + '_>>) {
    let before = call.left();
    let told = watch.as_mut().map(|watch| watch.changes(&call.at_most(SELDOM)));
    match told {
        Some(Ok(changes)) if !changes.is_empty() => {
            return call.clock.pause(BURST.min(call.left()), call.cancel);
        }
        Some(Err(_)) => *watch = None,
        // One that comes back at once with nothing would have us look without end.
        Some(Ok(_)) | None => {}
    }
    let passed = before.saturating_sub(call.left());
    call.clock.pause(INTERVAL.saturating_sub(passed).min(call.left()), call.cancel);
}

/// Whether a look failed because its time had come to an end, and not because of what it looked at.
fn ran_out(error: &Error, call: &Call<'_>) -> bool {
    error.kind_of() == Some("deadline") || error.code() == Code::AppUnresponsive && call.left().is_zero()
}

/// Whether a failure while looking says nothing about the next look.
fn may_pass(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::AppNotFound | Code::WindowNotFound | Code::ElementNotFound | Code::AppUnresponsive | Code::Timeout
    ) || error.kind_of() == Some("live_read_incomplete")
}
