//! Finding elements by what they are.

use crate::node::Node;
use crate::role::Role;
use crate::state::State;
use crate::text::fold;

/// What an element has to be. Every clause that is given must hold; text is compared folded.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Its role.
    pub role: Option<Role>,
    /// Its name: contained, or equal with `exact`.
    pub name: Option<String>,
    /// What it holds.
    pub value: Option<String>,
    /// Contained in its name, value or description.
    pub text: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its developers' id, always compared whole and to the letter.
    pub native_id: Option<String>,
    /// Compare whole texts instead of parts.
    pub exact: bool,
    /// States it must have, or must not have.
    pub states: Vec<(State, bool)>,
}

impl Query {
    /// Whether no clause is given.
    pub fn is_empty(&self) -> bool {
        self.role.is_none()
            && self.name.is_none()
            && self.value.is_none()
            && self.text.is_none()
            && self.description.is_none()
            && self.native_id.is_none()
            && self.states.is_empty()
    }

    /// Whether there is positive evidence that the node is what is looked for. What could not be read does
    /// not match, neither a state that must be there nor one that must not.
    pub fn matches(&self, node: &Node) -> bool {
        if self.role.is_some_and(|role| role != node.role) {
            return false;
        }
        for &(state, wanted) in &self.states {
            if node.states.known().is_none_or(|states| states.contains(state) != wanted) {
                return false;
            }
        }
        if let Some(id) = &self.native_id
            && node.native_id.text() != Some(id)
        {
            return false;
        }
        let value = node.value();
        let texts = [
            (&self.name, node.name.text()),
            (&self.value, value.as_deref()),
            (&self.description, node.description.text()),
        ];
        for (wanted, found) in texts {
            if let Some(wanted) = wanted
                && !found.is_some_and(|found| self.agrees(wanted, found))
            {
                return false;
            }
        }
        match &self.text {
            None => true,
            Some(wanted) => [node.name.text(), value.as_deref(), node.description.text()]
                .into_iter()
                .flatten()
                .any(|found| self.agrees(wanted, found)),
        }
    }

    fn agrees(&self, wanted: &str, found: &str) -> bool {
        let (wanted, found) = (fold(wanted), fold(found));
        if self.exact { wanted == found } else { found.contains(&wanted) }
    }
}
