//! What a keyboard or a pointer does, one step at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Point;
use crate::input::Chord;

/// A button of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PointerButton {
    /// The one that activates.
    #[default]
    Left,
    /// The one of the wheel.
    Middle,
    /// The one that opens a context menu.
    Right,
}

/// One step of physical input. An adapter carries out a list of them in order, and stops at the first that it
/// cannot; what is down by then is let go again, unless holding it was the step.
#[derive(Debug, Clone, PartialEq)]
pub enum Stroke {
    /// Send keys from here on only while the window of this handle has the keyboard: looked at together with sending
    /// them, so that nobody takes the focus in between.
    Expect(u64),
    /// Press and let go a combination.
    Chord(Chord),
    /// Type text, character by character, whatever the layout of the keyboard.
    Text(String),
    /// Press a combination and hold it.
    ChordDown(Chord),
    /// Let go a combination.
    ChordUp(Chord),
    /// Move the pointer, in physical pixels of the screen.
    MoveTo(Point),
    /// Press a button and hold it.
    ButtonDown(PointerButton),
    /// Let a button go.
    ButtonUp(PointerButton),
    /// Turn the wheel by so many notches: to the right and down where positive.
    Wheel {
        /// To the right.
        right: i32,
        /// Down.
        down: i32,
    },
}
