//! `click`: activates an element.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Activate an element: press a button, choose a menu item, follow a link
    ///
    /// Works through the accessibility interface: the pointer, the focus and the active window stay where they are.
    /// Waits until the element is visible and enabled. Only an action whose name says that it activates the element is
    /// invoked. The answer names what changed with it, and the windows it opened.
    Click, "click", Act, UiAct, Action::Click
}
