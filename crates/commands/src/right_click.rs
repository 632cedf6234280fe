//! `right-click`: opens a context menu.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Open the context menu of an element
    ///
    /// Works without the pointer where the application has an action for it; elsewhere it takes `--headed`. The menu may
    /// stay open: look before doing it again.
    RightClick, "right-click", Act, UiAct, Action::RightClick
}
