//! `toggle`: switches an element to its other state.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Switch a check box, switch or toggle button to its other state
    ///
    /// Doing it twice undoes it; `check` and `uncheck` say which state is wanted.
    Toggle, "toggle", Act, UiAct, Action::Toggle
}
