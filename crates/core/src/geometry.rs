//! Rectangles and points on the screen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle in physical screen pixels, origin at the top left corner of the whole desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width; zero where the element takes no room.
    pub width: u32,
    /// Height; zero where the element takes no room.
    pub height: u32,
}

impl Rect {
    /// Whether the rectangle covers at least one pixel.
    pub fn has_area(&self) -> bool {
        self.width > 0 && self.height > 0
    }
}

/// A point in physical screen pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Distance from the left edge of the desktop.
    pub x: i32,
    /// Distance from the top edge of the desktop.
    pub y: i32,
}
