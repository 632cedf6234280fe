//! `clear`: empties a field.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Empty a text field
    ///
    /// The field is read back, and success is claimed only when it is empty.
    Clear, "clear", Act, UiAct, Action::Clear
}
