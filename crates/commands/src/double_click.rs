//! `double-click`: clicks an element twice.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Click an element twice with the pointer
    ///
    /// No accessibility interface does that, so it takes `--headed`.
    DoubleClick, "double-click", Input, UiInput, Action::DoubleClick
}
