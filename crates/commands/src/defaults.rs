//! Defaults that stand in the arguments of several commands.

/// The time, in milliseconds, that looking at something or waiting for an element takes at most.
pub(crate) const FIVE_SECONDS: u64 = 5_000;

/// [`FIVE_SECONDS`], for serde.
pub(crate) fn five_seconds() -> u64 {
    FIVE_SECONDS
}
