//! Clocks, deadlines and cancellation.
//!
//! The engine never reads a clock of its own, so that a test can run it on a virtual one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Code, Error, Result};

/// Where time comes from.
pub trait Clock: Send + Sync {
    /// The present moment, monotonic.
    fn now(&self) -> Instant;

    /// Lets `span` pass, or less when `cancel` is raised meanwhile.
    fn pause(&self, span: Duration, cancel: &Cancel);
}

/// A request to stop, shared between the caller and the work.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop at the next place where it can.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether a stop was asked for.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// The moment after which a call must have returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// `span` from `now`.
    pub fn after(now: Instant, span: Duration) -> Self {
        Deadline(now + span)
    }

    /// What is left of it; zero when it has passed.
    pub fn left(self, now: Instant) -> Duration {
        self.0.saturating_duration_since(now)
    }

    /// The moment itself.
    pub fn instant(self) -> Instant {
        self.0
    }
}

/// What bounds one call: every method of [`crate::platform::Platform`] takes it.
#[derive(Clone)]
pub struct Call<'a> {
    /// When the answer has to be there.
    pub deadline: Deadline,
    /// Raised when the caller no longer wants it.
    pub cancel: &'a Cancel,
    /// The clock the deadline is measured on.
    pub clock: &'a dyn Clock,
}

impl<'a> Call<'a> {
    /// A call that may take `span` from now on.
    pub fn lasting(clock: &'a dyn Clock, cancel: &'a Cancel, span: Duration) -> Self {
        Call { deadline: Deadline::after(clock.now(), span), cancel, clock }
    }

    /// The same call with at most `span` from now on: a part never outlives the whole.
    #[must_use]
    pub fn at_most(&self, span: Duration) -> Call<'a> {
        let own = Deadline::after(self.clock.now(), span);
        Call { deadline: self.deadline.min(own), ..self.clone() }
    }

    /// What is left; zero when it has passed.
    pub fn left(&self) -> Duration {
        self.deadline.left(self.clock.now())
    }

    /// Goes on only while there is time and nobody asked to stop.
    ///
    /// # Errors
    /// `TIMEOUT`, with `details.kind` `cancelled` or `deadline`.
    pub fn go_on(&self) -> Result<()> {
        if self.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, "the call was cancelled").kind("cancelled"));
        }
        if self.left().is_zero() {
            return Err(Error::new(Code::Timeout, "the time given was used up").kind("deadline"));
        }
        Ok(())
    }
}
