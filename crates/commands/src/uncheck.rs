//! `uncheck`: switches an element off.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Switch a check box, switch or toggle button off
    ///
    /// Nothing is done when it is off already.
    Uncheck, "uncheck", Act, UiAct, Action::Uncheck
}
