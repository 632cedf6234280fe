//! `minimize`: put a window away.

use surehand_core::platform::WindowChange;

use crate::arrange::command_on_a_window;

command_on_a_window! {
    /// Put a window away
    ///
    /// Success is what was seen once the window had come to rest. Another window may get the keyboard by it.
    Minimize, "minimize", WindowChange::Minimize
}
