//! When what was asked and answered, for whoever measures: with `--verbose` each round trip is one line.
//!
//! Two that overlap in time did not wait for each other, so the most of them that can be picked without an overlap is how
//! many were made one after the other.

use std::sync::OnceLock;
use std::time::Instant;

/// What a span of time was spent on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Connecting to a bus or to an application.
    Connection,
    /// Calls that were sent together, and their answers.
    Calls,
    /// The one operation that acts.
    Dispatch,
    /// Listening to an application: from before an element is looked at until nothing more is wanted.
    Listening,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Kind::Connection => "connection",
            Kind::Calls => "calls",
            Kind::Dispatch => "dispatch",
            Kind::Listening => "listening",
        }
    }
}

/// A span that ends when this goes, also where it is given up half-way.
#[derive(Debug)]
pub(crate) struct Trip {
    kind: Kind,
    messages: usize,
    from: u64,
}

impl Trip {
    /// Begins now, with so many messages.
    pub(crate) fn begin(kind: Kind, messages: usize) -> Trip {
        Trip { kind, messages, from: now() }
    }
}

impl Drop for Trip {
    fn drop(&mut self) {
        let (kind, messages, from, to) = (self.kind.word(), self.messages, self.from, now());
        tracing::debug!(target: "surehand::trip", kind, messages, from, to, "round trip");
    }
}

/// Notes that an application announced something.
pub(crate) fn announced() {
    tracing::debug!(target: "surehand::trip", kind = "announced", messages = 1, from = now(), to = now(), "heard");
}

/// Microseconds since this was asked for the first time.
fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}
