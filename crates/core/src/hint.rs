//! What tells a reader apart elements that have no name.
//!
//! Hints are for reading. They are no names and no evidence: the label beside a field says what it is for, and
//! moves freely.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::reading::Reading;
use crate::role::Role;
use crate::tree::Observation;

/// What is said of an element without a name in place of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// The text of the label beside it.
    Beside(String),
    /// There is none. Its place among those of its role that have none, from 1, and how many they are.
    Unlabelled {
        /// Its place.
        place: usize,
        /// How many there are.
        count: usize,
    },
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::Beside(label) => f.write_str(label),
            Hint::Unlabelled { count: 1, .. } => f.write_str("unlabelled"),
            Hint::Unlabelled { place, count } => write!(f, "unlabelled, {} of {count}", ordinal(*place)),
        }
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A hint for each interactive element that the application says has no name, by its index: the text of the
/// label beside it, else `unlabelled`, with its place among those of its role.
pub fn hints(observation: &Observation) -> BTreeMap<usize, Hint> {
    let mut hints = BTreeMap::new();
    let places = observation.places();
    let mut unlabelled: BTreeMap<Role, Vec<usize>> = BTreeMap::new();
    for (index, node) in observation.nodes.iter().enumerate() {
        // A placeholder says it better, and the only list of a window needs no number.
        if !node.is_interactive() || node.name != Reading::Absent || node.placeholder.known().is_some() {
            continue;
        }
        match beside(observation, &places, index) {
            Some(label) => {
                hints.insert(index, Hint::Beside(label.to_owned()));
            }
            None => unlabelled.entry(node.role).or_default().push(index),
        }
    }
    for (_, nodes) in unlabelled {
        let count = nodes.len();
        for (place, index) in nodes.into_iter().enumerate() {
            hints.insert(index, Hint::Unlabelled { place: place + 1, count });
        }
    }
    hints
}

/// The label right before an element among its siblings, or right after it, as beside a check box.
fn beside<'o>(observation: &'o Observation, places: &[usize], index: usize) -> Option<&'o str> {
    let parent = observation.nodes.get(observation.nodes.get(index)?.parent?)?;
    let place = *places.get(index)?;
    let label = |at: usize| {
        let node = observation.nodes.get(*parent.children.get(at)?)?;
        (node.role == Role::StaticText).then(|| node.name.text()).flatten()
    };
    place.checked_sub(1).and_then(label).or_else(|| {
        // A label after the element is its own only if no other element follows that it could belong to.
        let after_next = parent.children.get(place + 2).and_then(|next| observation.nodes.get(*next));
        if after_next.is_some_and(|next| next.is_interactive() && next.name == Reading::Absent) {
            None
        } else {
            label(place + 1)
        }
    })
}

/// `1st`, `2nd`, `3rd`, `4th`, …
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_are_english() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].into_iter().map(ordinal).collect();
        assert_eq!(words, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]);
    }
}
