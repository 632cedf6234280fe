//! `restore`: show a window again that was put away, and undo that it fills the screen.

use surehand_core::platform::WindowChange;

use crate::arrange::command_on_a_window;

command_on_a_window! {
    /// Show a window again that was put away, and undo that it fills the screen
    ///
    /// A window that was put away gets the keyboard by it, which needs `--headed`.
    Restore, "restore", WindowChange::Restore
}
