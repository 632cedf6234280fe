//! What became of asking an application for one property.

use serde::{Deserialize, Serialize};

/// The three answers a property read can have. They never merge: "the application says there is none" and
/// "the application did not say" lead to different decisions, and only positive evidence grants anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading<T> {
    /// The application answered with this value.
    Known(T),
    /// The application answered that there is no such thing.
    Absent,
    /// It did not answer, or the answer cannot be trusted.
    Unknown,
}

impl<T> Default for Reading<T> {
    /// Nothing has been asked yet, so nothing is known.
    fn default() -> Self {
        Reading::Unknown
    }
}

impl<T> Reading<T> {
    /// The value, where it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Reading::Known(value) => Some(value),
            Reading::Absent | Reading::Unknown => None,
        }
    }

    /// Whether the application did not answer.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Reading::Unknown)
    }

    /// Maps a known value, and keeps the other two answers as they are.
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Reading::Known(value) => Reading::Known(with(value)),
            Reading::Absent => Reading::Absent,
            Reading::Unknown => Reading::Unknown,
        }
    }

    /// Borrows the value.
    pub fn as_ref(&self) -> Reading<&T> {
        match self {
            Reading::Known(value) => Reading::Known(value),
            Reading::Absent => Reading::Absent,
            Reading::Unknown => Reading::Unknown,
        }
    }
}

impl Reading<String> {
    /// An application's "no text" is an empty string on every toolkit, so an empty answer is an absence.
    pub fn of_text(text: String) -> Self {
        if text.is_empty() { Reading::Absent } else { Reading::Known(text) }
    }

    /// The text, or nothing.
    pub fn text(&self) -> Option<&str> {
        self.known().map(String::as_str)
    }
}
