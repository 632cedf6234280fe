//! `focus`: gives an element the focus.

use surehand_core::act::Action;

use crate::acting::command_on_a_ref;

command_on_a_ref! {
    /// Give an element the focus within its window
    ///
    /// The window has to have the keyboard already; with `--headed` another one is left for it. The pointer stays where
    /// it is.
    Focus, "focus", Act, UiAct, Action::Focus
}
