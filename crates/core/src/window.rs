//! Top-level windows.

use crate::geometry::Rect;
use crate::object::{ObjectId, Process};
use crate::reading::Reading;

/// A top-level window: what the window system and the accessibility tree know of it, put together where
/// both know it for certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The id that commands take, for example `w-400003`. A handle of the window system may be used again
    /// after the window is gone, so the id alone is never identity.
    pub id: String,
    /// The id it had, or will have, while it cannot be told which window of the screen it is: both name it, so
    /// that an id that was printed while a window opened stays good.
    pub other_id: Option<String>,
    /// Title. Text of the application.
    pub title: String,
    /// Name of the application that owns it. Text of the application.
    pub app_name: String,
    /// The process that owns it.
    pub process: Process,
    /// Its accessible object; none where the application publishes none.
    pub object: Option<ObjectId>,
    /// The window system's handle; none where it cannot be told which one it is.
    pub native: Option<u64>,
    /// Where it is on the screen, without the window manager's frame.
    pub bounds: Reading<Rect>,
    /// The same with the frame.
    pub frame: Reading<Rect>,
    /// Whether it is the one that has the keyboard.
    pub focused: Reading<bool>,
    /// Whether it is minimised.
    pub minimized: Reading<bool>,
    /// Whether it fills the screen.
    pub maximized: Reading<bool>,
    /// Whether it takes part in the screen at all.
    pub visible: Reading<bool>,
}

impl Window {
    /// Whether the window is called so.
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.other_id.as_deref() == Some(id)
    }

    /// Whether elements of it can be read and acted on.
    pub fn is_accessible(&self) -> bool {
        self.object.is_some()
    }
}
