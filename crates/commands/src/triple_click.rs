//! `triple-click`: clicks an element three times.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Click an element three times with the pointer
    ///
    /// No accessibility interface does that, so it takes `--headed`.
    TripleClick, "triple-click", Input, UiInput, Action::TripleClick
}
