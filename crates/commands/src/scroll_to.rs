//! `scroll-to`: scrolls an element into view.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Scroll an element into view
    ///
    /// Success is claimed only when it is seen to lie within what is around it.
    ScrollTo, "scroll-to", Act, UiAct, Action::ScrollTo
}
