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

    /// Whether the point is in it.
    pub fn contains(&self, point: Point) -> bool {
        let within = |at: i32, from: i32, length: u32| {
            (i64::from(from)..i64::from(from) + i64::from(length)).contains(&i64::from(at))
        };
        within(point.x, self.x, self.width) && within(point.y, self.y, self.height)
    }

    /// The part that both cover, if any.
    pub fn meet(&self, other: Rect) -> Option<Rect> {
        let span = |from: i32, length: u32| (i64::from(from), i64::from(from) + i64::from(length));
        let common = |(a, b): (i64, i64), (c, d): (i64, i64)| {
            let (from, to) = (a.max(c), b.min(d));
            Some((i32::try_from(from).ok()?, u32::try_from(to - from).ok().filter(|length| *length > 0)?))
        };
        let (x, width) = common(span(self.x, self.width), span(other.x, other.width))?;
        let (y, height) = common(span(self.y, self.height), span(other.y, other.height))?;
        Some(Rect { x, y, width, height })
    }

    /// The point in its middle.
    pub fn centre(&self) -> Point {
        let middle = |from: i32, length: u32| from.saturating_add_unsigned(length / 2);
        Point { x: middle(self.x, self.width), y: middle(self.y, self.height) }
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
