//! Keys and buttons that stay pressed between two commands.
//!
//! Whoever holds something has to outlive the command and must not outlive its purpose: what is held is let go when
//! the one it is held for ends, when its time is over, and when somebody asks.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::input::Chord;
use crate::stroke::{PointerButton, Stroke};
use crate::time::Call;

/// How long something is held when nobody says otherwise.
pub const HOLD: Duration = Duration::from_secs(30);

/// The longest that something may be held.
pub const LONGEST_HOLD: Duration = Duration::from_secs(300);

/// What is held.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Grip {
    /// A combination of keys.
    Keys(Chord),
    /// A button of the pointer.
    Button(PointerButton),
}

impl Grip {
    /// The step that presses it.
    pub fn press(&self) -> Stroke {
        match self {
            Grip::Keys(chord) => Stroke::ChordDown(chord.clone()),
            Grip::Button(button) => Stroke::ButtonDown(*button),
        }
    }

    /// The step that lets it go.
    pub fn release(&self) -> Stroke {
        match self {
            Grip::Keys(chord) => Stroke::ChordUp(chord.clone()),
            Grip::Button(button) => Stroke::ButtonUp(*button),
        }
    }
}

impl fmt::Display for Grip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grip::Keys(chord) => write!(f, "keys {chord}"),
            Grip::Button(PointerButton::Left) => f.write_str("button left"),
            Grip::Button(PointerButton::Middle) => f.write_str("button middle"),
            Grip::Button(PointerButton::Right) => f.write_str("button right"),
        }
    }
}

/// Something that was let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Released {
    /// What it was, such as `keys shift` or `button left`.
    pub what: String,
}

/// Who holds keys and buttons on this desktop.
pub trait Holder: Send + Sync {
    /// Presses something and has it held, at most for `limit`. `Ok` means that it is down.
    ///
    /// # Errors
    /// `CONFLICT` with kind `held_already`, `PLATFORM_NOT_SUPPORTED` where nobody can hold anything, and those of
    /// [`crate::platform::Platform::strike`].
    fn hold(&self, call: &Call<'_>, grip: &Grip, limit: Duration) -> Result<()>;

    /// Everything that is held by this.
    ///
    /// # Errors
    /// `INTERNAL` when that cannot be told.
    fn held(&self) -> Result<Vec<Grip>>;

    /// Lets go something that is held by this. Whether it was.
    ///
    /// # Errors
    /// `ACTION_FAILED` when it is still down afterwards.
    fn release(&self, call: &Call<'_>, grip: &Grip) -> Result<bool>;

    /// Lets go everything that is held by this.
    ///
    /// # Errors
    /// As [`Holder::release`].
    fn release_all(&self, call: &Call<'_>) -> Result<Vec<Released>>;
}
