//! The closed list of state words.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! states {
    ($($variant:ident => $token:literal, $doc:literal;)*) => {
        /// A state an element can be in. A word is given only on positive evidence; its absence says nothing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub enum State {
            $(#[doc = $doc] $variant,)*
        }

        impl State {
            /// Every state, in the order in which they are printed.
            pub const ALL: &'static [State] = &[$(State::$variant),*];

            /// The word for it.
            pub const fn token(self) -> &'static str {
                match self { $(State::$variant => $token,)* }
            }
        }
    };
}

states! {
    Focused => "focused", "Has the keyboard focus.";
    Disabled => "disabled", "Does not react to the user.";
    Secure => "secure", "Holds a secret; its value is never read.";
    Expanded => "expanded", "Is open and shows what belongs to it.";
    Checked => "checked", "Is switched on.";
    Selected => "selected", "Is among the chosen ones.";
    Hidden => "hidden", "Is not meant to be seen now.";
    Busy => "busy", "Is still being filled or is working.";
    Modal => "modal", "Keeps other windows of its application from being used.";
    Required => "required", "Has to be filled in.";
    Indeterminate => "indeterminate", "Is neither on nor off.";
    Pressed => "pressed", "Is held down.";
    Readonly => "readonly", "Shows text that cannot be edited.";
    Offscreen => "offscreen", "Exists, but is not shown at the moment.";
    Invalid => "invalid", "Holds a value that is not accepted.";
    Multiselectable => "multiselectable", "Lets several of its children be chosen.";
    Haspopup => "haspopup", "Opens a menu or another surface.";
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

impl FromStr for State {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        State::ALL.iter().copied().find(|state| state.token() == word).ok_or_else(|| {
            let words: Vec<_> = State::ALL.iter().map(|state| state.token()).collect();
            format!("{} is not a state; the states are {}", crate::text::quote(word), words.join(", "))
        })
    }
}

/// A set of states, printed in the order of [`State::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct States(u32);

impl States {
    /// No state at all.
    pub const NONE: States = States(0);

    /// Adds a state.
    pub fn insert(&mut self, state: State) {
        self.0 |= 1 << state as u32;
    }

    /// Whether the state is in the set.
    pub fn contains(self, state: State) -> bool {
        self.0 & (1 << state as u32) != 0
    }

    /// The states in it.
    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.iter().copied().filter(move |state| self.contains(*state))
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<State> for States {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> Self {
        let mut set = States::NONE;
        states.into_iter().for_each(|state| set.insert(state));
        set
    }
}

impl Serialize for States {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<State>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seventeen_words_and_each_reads_back() {
        assert_eq!(State::ALL.len(), 17);
        for state in State::ALL {
            assert_eq!(state.token().parse::<State>().as_ref(), Ok(state));
        }
        assert!("enabled".parse::<State>().is_err());
    }
}
