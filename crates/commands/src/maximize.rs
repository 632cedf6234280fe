//! `maximize`: let a window fill the screen.

use surehand_core::platform::WindowChange;

use crate::arrange::command_on_a_window;

command_on_a_window! {
    /// Let a window fill the screen
    ///
    /// Success is what was seen once the window had come to rest.
    Maximize, "maximize", WindowChange::Maximize
}
