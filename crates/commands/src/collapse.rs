//! `collapse`: folds an element shut.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Fold an element shut: an expander, an item of a tree
    ///
    /// Nothing is done when it is shut already.
    Collapse, "collapse", Act, UiAct, Action::Collapse
}
