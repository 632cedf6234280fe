//! Waiting for a condition.

use std::time::Duration;

use crate::error::{Code, Error, Result};
use crate::time::Call;

/// How often a condition is looked at while nothing tells us of changes.
pub const INTERVAL: Duration = Duration::from_millis(75);

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
pub fn until<T>(call: &Call<'_>, what: &str, mut look: impl FnMut() -> Result<Look<T>>) -> Result<T> {
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
        call.clock.pause(INTERVAL.min(call.left()), call.cancel);
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Instant;

    use super::*;
    use crate::time::{Cancel, Clock};

    /// Time that passes only when it is told to.
    struct Told(Mutex<Instant>);

    impl Clock for Told {
        fn now(&self) -> Instant {
            *self.0.lock().expect("no test panics with it")
        }

        fn pause(&self, span: Duration, _: &Cancel) {
            *self.0.lock().expect("no test panics with it") += span;
        }
    }

    #[test]
    fn the_last_look_that_was_whole_is_the_one_that_is_told() {
        let (clock, cancel) = (Told(Mutex::new(Instant::now())), Cancel::default());
        let call = Call::lasting(&clock, &cancel, Duration::from_millis(100));
        let mut looks = 0;
        let ended = until(&call, "it", || {
            looks += 1;
            if looks == 1 {
                return Ok(Look::<()>::NotYet("three of them".into()));
            }
            clock.pause(call.left(), &cancel);
            Err(Error::new(Code::AppUnresponsive, "no answer"))
        });
        let error = ended.expect_err("it never holds");
        assert_eq!(error.details().get("last_observed"), Some(&"three of them".into()));
        // An application that does not answer while there is time is what was seen.
        let call = Call::lasting(&clock, &cancel, Duration::from_millis(100));
        let ended = until(&call, "it", || Err::<Look<()>, _>(Error::new(Code::AppUnresponsive, "no answer")));
        let error = ended.expect_err("it never holds");
        assert_eq!(error.details().get("last_error"), Some(&"APP_UNRESPONSIVE".into()));
    }
}
