//! What is kept about an element to know it again, and the comparison that decides whether it is the same.

use serde::{Deserialize, Serialize};

use crate::node::Node;
use crate::object::{ObjectId, Process};
use crate::reading::Reading;
use crate::role::Role;
use crate::tree::Observation;

/// A labelled container that an element sits in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// What the container is.
    pub role: Role,
    /// What it is called.
    pub name: String,
}

/// Everything captured about an element. Its value, its place on the screen and its position in the tree
/// are not here: they change while the element stays the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The native object.
    pub object: ObjectId,
    /// The process it lives in.
    pub process: Process,
    /// The window it was seen in.
    pub window: ObjectId,
    /// What it is.
    pub role: Role,
    /// The name its developers gave it.
    pub native_id: Reading<String>,
    /// What it is called.
    pub name: Reading<String>,
    /// Its description.
    pub description: Reading<String>,
    /// The labelled containers around it, nearest first, without the window, whose title changes freely.
    pub context: Vec<Context>,
    /// Whether it sits in a container that re-uses its children's objects for other content, so that the
    /// living object proves nothing by itself.
    pub recycled: bool,
}

impl Evidence {
    /// Captures the evidence of one node of an observation.
    pub fn capture(observation: &Observation, index: usize) -> Option<Evidence> {
        let node = observation.nodes.get(index)?;
        let around: Vec<&Node> =
            observation.ancestors(index).filter_map(|ancestor| observation.nodes.get(ancestor)).collect();
        Some(Evidence {
            object: node.object.clone(),
            process: observation.application.process.clone(),
            window: observation.window.object.clone()?,
            role: node.role,
            native_id: node.native_id.clone(),
            name: node.name.clone(),
            description: node.description.clone(),
            context: context(around.iter().copied()),
            recycled: around.iter().any(|ancestor| ancestor.recycles),
        })
    }
}

/// The labelled ones among the containers around an element, nearest first; the outermost is the window.
pub fn context<'a>(ancestors: impl DoubleEndedIterator<Item = &'a Node> + ExactSizeIterator) -> Vec<Context> {
    let inner = ancestors.len().saturating_sub(1);
    ancestors
        .take(inner)
        .filter_map(|node| Some(Context { role: node.role, name: node.name.text()?.to_owned() }))
        .collect()
}

/// One piece of evidence, for saying which differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// The role.
    Role,
    /// The developers' id.
    NativeId,
    /// The name.
    Name,
    /// The description.
    Description,
    /// The containers around it.
    Context,
}

/// What comparing captured evidence with a live element says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every captured piece agrees.
    Same,
    /// These pieces differ.
    Different(Vec<Piece>),
    /// None differs, and these could not be read now, so that nothing is proved.
    Unreadable(Vec<Piece>),
}

/// Compares captured evidence with a live node and the containers around it, native objects aside.
pub fn compare(captured: &Evidence, live: &Node, around: &[Context]) -> Verdict {
    let mut different = Vec::new();
    let mut unreadable = Vec::new();
    if captured.role != live.role {
        different.push(Piece::Role);
    }
    for (piece, then, now) in [
        (Piece::NativeId, &captured.native_id, &live.native_id),
        (Piece::Name, &captured.name, &live.name),
        (Piece::Description, &captured.description, &live.description),
    ] {
        match (then, now) {
            // What was not known then cannot tell anything now.
            (Reading::Unknown, _) => {}
            (_, Reading::Unknown) => unreadable.push(piece),
            (then, now) if then == now => {}
            _ => different.push(piece),
        }
    }
    if captured.context != around {
        different.push(Piece::Context);
    }
    match (different.is_empty(), unreadable.is_empty()) {
        (false, _) => Verdict::Different(different),
        (true, false) => Verdict::Unreadable(unreadable),
        (true, true) => Verdict::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured() -> Evidence {
        Evidence {
            object: ObjectId { owner: "bus:1.1".into(), object: "/1".into() },
            process: Process { pid: 1, generation: "1".into() },
            window: ObjectId { owner: "bus:1.1".into(), object: "/0".into() },
            role: Role::Button,
            native_id: Reading::Absent,
            name: Reading::Known("Beta".into()),
            description: Reading::Unknown,
            context: vec![Context { role: Role::Group, name: "Letters".into() }],
            recycled: false,
        }
    }

    fn live() -> (Node, Vec<Context>) {
        let mut node = Node::new(captured().object, Role::Button);
        node.name = Reading::Known("Beta".into());
        node.native_id = Reading::Absent;
        node.description = Reading::Absent;
        (node, captured().context)
    }

    #[test]
    fn what_agrees_is_the_same_and_what_was_never_known_says_nothing() {
        let (node, around) = live();
        assert_eq!(compare(&captured(), &node, &around), Verdict::Same);
    }

    #[test]
    fn each_piece_can_differ() {
        let (mut node, _) = live();
        node.role = Role::Link;
        node.name = Reading::Known("Gamma".into());
        node.native_id = Reading::Known("ok".into());
        let verdict = compare(&captured(), &node, &[]);
        assert_eq!(verdict, Verdict::Different(vec![Piece::Role, Piece::NativeId, Piece::Name, Piece::Context]));
    }

    #[test]
    fn a_piece_that_cannot_be_read_proves_nothing() {
        let (mut node, around) = live();
        node.name = Reading::Unknown;
        assert_eq!(compare(&captured(), &node, &around), Verdict::Unreadable(vec![Piece::Name]));
    }
}
