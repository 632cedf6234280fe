//! AT-SPI states onto ours.
//!
//! AT-SPI has positive states (`sensitive`, `visible`) where we have negative ones (`disabled`, `hidden`).
//! Their absence is an answer only where the set as a whole was answered, which is why a set that could
//! not be read never comes here.

use atspi::{Interface, InterfaceSet, State as Native};
use surehand_core::role::Role;
use surehand_core::state::{State, States};

use crate::toolkit::Toolkit;

/// A state set as it comes over the bus: two words of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NativeStates(pub(crate) u64);

impl NativeStates {
    /// From the array of the reply; missing words are empty, surplus ones are ignored.
    pub(crate) fn from_words(words: &[u32]) -> Self {
        let word = |at: usize| u64::from(words.get(at).copied().unwrap_or(0));
        NativeStates(word(0) | word(1) << 32)
    }

    /// Whether the native state is set.
    pub(crate) fn has(self, state: Native) -> bool {
        self.0 & state as u64 != 0
    }
}

/// What a native state means for us when it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// It is this state.
    Is(State),
    /// It is looked at below, together with others.
    Combined,
    /// It says nothing that we have a word for.
    Silent,
}

/// What each native state means.
fn meaning(native: Native) -> Meaning {
    match native {
        Native::Busy => Meaning::Is(State::Busy),
        Native::Checked => Meaning::Is(State::Checked),
        Native::Expanded => Meaning::Is(State::Expanded),
        Native::Focused => Meaning::Is(State::Focused),
        Native::Modal => Meaning::Is(State::Modal),
        Native::Multiselectable => Meaning::Is(State::Multiselectable),
        Native::Pressed => Meaning::Combined,
        Native::Selected => Meaning::Is(State::Selected),
        Native::Indeterminate => Meaning::Is(State::Indeterminate),
        Native::Required => Meaning::Is(State::Required),
        Native::InvalidEntry => Meaning::Is(State::Invalid),
        Native::HasPopup => Meaning::Is(State::Haspopup),
        Native::ReadOnly => Meaning::Is(State::Readonly),
        Native::Editable | Native::Enabled | Native::Sensitive | Native::Showing | Native::Visible => Meaning::Combined,
        Native::Invalid
        | Native::Active
        | Native::Armed
        | Native::Collapsed
        | Native::Defunct
        | Native::Expandable
        | Native::Focusable
        | Native::HasTooltip
        | Native::Horizontal
        | Native::Iconified
        | Native::MultiLine
        | Native::Opaque
        | Native::Resizable
        | Native::Selectable
        | Native::SingleLine
        | Native::Stale
        | Native::Transient
        | Native::Vertical
        | Native::ManagesDescendants
        | Native::Truncated
        | Native::Animated
        | Native::SupportsAutocompletion
        | Native::SelectableText
        | Native::IsDefault
        | Native::Visited
        | Native::Checkable => Meaning::Silent,
        // `atspi` keeps the right to add states. One that it adds says nothing until it is listed here, and
        // the test below fails until then.
        _ => Meaning::Silent,
    }
}

/// Every native state; the test proves that none is missing.
const NATIVE: &[Native] = &[
    Native::Invalid,
    Native::Active,
    Native::Armed,
    Native::Busy,
    Native::Checked,
    Native::Collapsed,
    Native::Defunct,
    Native::Editable,
    Native::Enabled,
    Native::Expandable,
    Native::Expanded,
    Native::Focusable,
    Native::Focused,
    Native::HasTooltip,
    Native::Horizontal,
    Native::Iconified,
    Native::Modal,
    Native::MultiLine,
    Native::Multiselectable,
    Native::Opaque,
    Native::Pressed,
    Native::Resizable,
    Native::Selectable,
    Native::Selected,
    Native::Sensitive,
    Native::Showing,
    Native::SingleLine,
    Native::Stale,
    Native::Transient,
    Native::Vertical,
    Native::Visible,
    Native::ManagesDescendants,
    Native::Indeterminate,
    Native::Required,
    Native::Truncated,
    Native::Animated,
    Native::InvalidEntry,
    Native::SupportsAutocompletion,
    Native::SelectableText,
    Native::IsDefault,
    Native::Visited,
    Native::Checkable,
    Native::HasPopup,
    Native::ReadOnly,
];

/// Our states for an answered native set.
pub(crate) fn states(
    native: NativeStates,
    interfaces: InterfaceSet,
    role: Role,
    secret: bool,
    toolkit: Toolkit,
) -> States {
    let mut states: States = NATIVE
        .iter()
        .filter(|state| native.has(**state))
        .filter_map(|state| match meaning(*state) {
            Meaning::Is(state) => Some(state),
            Meaning::Combined | Meaning::Silent => None,
        })
        .collect();
    if secret {
        states.insert(State::Secure);
    }
    if native.has(Native::Pressed) {
        // A toggle says `pressed` where we say `checked`; only a push button is pressed.
        states.insert(if role.is_toggleable() { State::Checked } else { State::Pressed });
    }
    if !native.has(Native::Sensitive) && !native.has(Native::Enabled) {
        states.insert(State::Disabled);
    }
    if !native.has(Native::Visible) {
        states.insert(State::Hidden);
    } else if !native.has(Native::Showing) && toolkit.tells_showing() {
        states.insert(State::Offscreen);
    }
    let editable = interfaces.contains(Interface::EditableText);
    if editable && role.holds_text() && !native.has(Native::Editable) {
        states.insert(State::Readonly);
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native(states: &[Native]) -> NativeStates {
        NativeStates(states.iter().fold(0, |bits, state| bits | *state as u64))
    }

    #[test]
    fn every_native_state_is_in_the_table() {
        for bit in 0..64 {
            let known = atspi::StateSet::from_bits(1 << bit).is_ok();
            let listed = NATIVE.iter().any(|state| *state as u64 == 1 << bit);
            assert_eq!(known, listed, "bit {bit}");
        }
    }

    #[test]
    fn an_insensitive_widget_is_disabled_and_an_unshown_one_offscreen() {
        let none = InterfaceSet::empty();
        let shown = native(&[Native::Visible, Native::Showing, Native::Sensitive, Native::Enabled]);
        assert!(states(shown, none, Role::Button, false, Toolkit::Gtk3).is_empty());
        let states = states(native(&[Native::Visible]), none, Role::Button, false, Toolkit::Gtk3);
        assert_eq!(states.iter().collect::<Vec<_>>(), [State::Disabled, State::Offscreen]);
    }

    #[test]
    fn all_ones_do_not_confuse() {
        let states = states(NativeStates(u64::MAX), InterfaceSet::empty(), Role::CheckBox, true, Toolkit::Gtk3);
        assert!(states.contains(State::Secure) && states.contains(State::Checked) && !states.contains(State::Pressed));
    }
}
