//! `check`: switches an element on.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Switch a check box, switch, toggle or radio button on
    ///
    /// Nothing is done when it is on already.
    Check, "check", Act, UiAct, Action::Check
}
