//! What a fake platform was asked, and what its applications were made to do.

use std::time::Duration;

use surehand_core::object::ObjectId;
use surehand_core::platform::{Operation, WindowChange};
use surehand_core::stroke::Stroke;

/// One thing that reached the platform or an application on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Virtual time since the platform was made.
    pub at: Duration,
    /// What it was.
    pub what: Received,
}

/// What was received.
#[derive(Debug, Clone, PartialEq)]
pub enum Received {
    /// The list of applications was asked for.
    Applications,
    /// The list of windows was asked for.
    Windows,
    /// A window's tree was asked for.
    Observe(ObjectId),
    /// One object was asked for.
    Inspect(ObjectId),
    /// An operation reached an application.
    Operation {
        /// The object it was meant for.
        object: ObjectId,
        /// The operation.
        operation: Operation,
    },
    /// Keys reached a window; none where no window had the keyboard.
    Keys {
        /// The window system's handle of the window.
        window: Option<u64>,
        /// The combination, for example `ctrl+s`.
        chord: String,
    },
    /// A step of physical input other than a combination of keys.
    Stroke {
        /// The window system's handle of the window that has the keyboard.
        window: Option<u64>,
        /// The step.
        stroke: Stroke,
    },
    /// A window was asked to change, by its id.
    Change(String, WindowChange),
    /// Pointer and focus were asked for.
    Attention,
    /// A picture was asked for.
    Capture,
    /// A window was asked to close, by its id.
    Close(String),
}

impl Received {
    /// Whether it could have changed something in an application.
    pub fn is_effect(&self) -> bool {
        matches!(
            self,
            Received::Operation { .. }
                | Received::Keys { .. }
                | Received::Stroke { .. }
                | Received::Change(..)
                | Received::Close(_)
        )
    }
}
