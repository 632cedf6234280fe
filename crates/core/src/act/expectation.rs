//! What has to be seen of an element for an action to be confirmed.

use super::{Action, Unverified};
use crate::node::{Content, Node};
use crate::platform::Operation;
use crate::reading::Reading;
use crate::state::{State, States};

/// What has to be seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    /// The element must hold exactly this text.
    Text(String),
    /// It must hold what it held, with this text inserted somewhere.
    Inserted { before: String, text: String },
    /// It must hold this number.
    Number(f64),
    /// It must hold another number than this.
    Moved(f64),
    /// A toggle must have changed its state, and whether that is promised.
    Toggled { before: States, promised: bool },
    /// It must be on, or off.
    On(bool),
    /// It must have the state, or not have it, and whether that is promised.
    State { state: State, on: bool, promised: bool },
    /// It must lie within what is shown of the containers around it.
    Shown,
    /// There is no telling from the element alone.
    Nothing(Unverified),
}

/// What a look says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Yes,
    No,
    CannotTell(Unverified),
}

impl Expected {
    /// Of an action that is one operation on the element itself.
    pub(super) fn of(before: &Node, action: &Action, operation: Option<&Operation>) -> Expected {
        if before.has(State::Secure) {
            return Expected::Nothing(Unverified::SecureField);
        }
        match (action, operation) {
            (_, Some(Operation::SetNumber(number))) => Expected::Number(*number),
            (Action::SetValue(text), _) => Expected::Text(text.clone()),
            (Action::Clear, _) => Expected::Text(String::new()),
            // Whether a terminal shows what is typed is up to the program in it.
            (Action::TypeText(_), _) if before.is_terminal() => Expected::Nothing(Unverified::InsufficientEvidence),
            (Action::TypeText(text), _) => match &before.content {
                Reading::Known(Content::Text { text: held, clipped: false }) => {
                    Expected::Inserted { before: held.clone(), text: text.clone() }
                }
                Reading::Absent => Expected::Text(text.clone()),
                _ => Expected::Nothing(Unverified::InsufficientEvidence),
            },
            (Action::Click, _) => match before.states.known() {
                Some(states) if before.is_toggleable() => Expected::Toggled { before: *states, promised: false },
                _ => Expected::Nothing(Unverified::InsufficientEvidence),
            },
            (Action::Toggle, _) => match before.states.known() {
                Some(states) => Expected::Toggled { before: *states, promised: true },
                None => Expected::Nothing(Unverified::InsufficientEvidence),
            },
            (Action::Check, _) => Expected::On(true),
            (Action::Uncheck, _) => Expected::On(false),
            (Action::Expand, _) => Expected::State { state: State::Expanded, on: true, promised: true },
            (Action::Collapse, _) => Expected::State { state: State::Expanded, on: false, promised: true },
            // A window that is not in front may keep it for later.
            (Action::Focus, _) => Expected::State { state: State::Focused, on: true, promised: false },
            (Action::ScrollTo, _) => Expected::Shown,
            (
                Action::DoubleClick
                | Action::TripleClick
                | Action::RightClick
                | Action::Select(_)
                | Action::Scroll { .. }
                | Action::Hover,
                _,
            ) => Expected::Nothing(Unverified::InsufficientEvidence),
        }
    }

    /// Whether not seeing it contradicts the request. A click on a radio button that is already chosen
    /// rightly changes nothing, so a toggle that stays proves nothing.
    pub(super) const fn is_promised(&self) -> bool {
        match self {
            Expected::Text(_) | Expected::Inserted { .. } | Expected::Number(_) | Expected::On(_) => true,
            Expected::Toggled { promised, .. } | Expected::State { promised, .. } => *promised,
            Expected::Moved(_) | Expected::Shown | Expected::Nothing(_) => false,
        }
    }

    /// What this element shows of it.
    pub(super) fn seen_in(&self, after: &Node) -> Seen {
        let told = |yes| if yes { Seen::Yes } else { Seen::No };
        let cannot_tell = Seen::CannotTell(Unverified::InsufficientEvidence);
        if after.has(State::Secure) {
            return Seen::CannotTell(Unverified::SecureField);
        }
        let held = match &after.content {
            Reading::Known(Content::Text { text, clipped: false }) => Some(text.as_str()),
            Reading::Absent => Some(""),
            _ => None,
        };
        let number = match after.content {
            Reading::Known(Content::Number { current, .. }) => Some(current),
            _ => None,
        };
        match self {
            Expected::Nothing(why) => Seen::CannotTell(*why),
            Expected::Toggled { before, .. } => after.states.known().map_or(cannot_tell, |now| {
                told(
                    [State::Checked, State::Indeterminate, State::Pressed]
                        .iter()
                        .any(|state| before.contains(*state) != now.contains(*state)),
                )
            }),
            Expected::On(on) => after.is_on().map_or(cannot_tell, |now| told(now == *on)),
            Expected::State { state, on, .. } => {
                after.states.known().map_or(cannot_tell, |now| told(now.contains(*state) == *on))
            }
            Expected::Number(wanted) => number.map_or(cannot_tell, |current| told(is_near(current, *wanted))),
            Expected::Moved(from) => number.map_or(cannot_tell, |current| told(!is_near(current, *from))),
            Expected::Text(wanted) => held.map_or(cannot_tell, |held| told(held == wanted)),
            Expected::Inserted { before, text } => {
                held.map_or(cannot_tell, |held| told(is_inserted(before, text, held)))
            }
            Expected::Shown => cannot_tell,
        }
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= other.abs().max(1.0) * 1e-9
}

/// Whether `after` is `before` with `text` inserted at one place.
pub(crate) fn is_inserted(before: &str, text: &str, after: &str) -> bool {
    if after.len() != before.len() + text.len() {
        return false;
    }
    (0..=before.len()).filter(|at| before.is_char_boundary(*at)).any(|at| {
        after.get(..at) == before.get(..at)
            && after.get(at..at + text.len()) == Some(text)
            && after.get(at + text.len()..) == before.get(at..)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertion_is_recognised_at_any_place_and_nothing_else_is() {
        assert!(is_inserted("", "abc", "abc"));
        assert!(is_inserted("ad", "bc", "abcd"));
        assert!(is_inserted("aé", "ü", "aüé"));
        assert!(!is_inserted("ad", "bc", "acbd"));
        assert!(!is_inserted("ad", "bc", "ad"));
        assert!(!is_inserted("ad", "bc", "xbcd"));
    }
}
