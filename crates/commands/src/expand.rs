//! `expand`: folds an element open.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Fold an element open: an expander, an item of a tree
    ///
    /// Nothing is done when it is open already.
    Expand, "expand", Act, UiAct, Action::Expand
}
