//! Elements as commands print them.

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::geometry::Rect;
use surehand_core::node::{Capability, Node};
use surehand_core::reading::Reading;
use surehand_core::reference::{Ref, SnapshotId};
use surehand_core::role::Role;
use surehand_core::snapshot::Referenced;
use surehand_core::state::{State, States};
use surehand_core::tree::{Gap, GapReason, Observation};

use crate::outline::{Lines, Word, flag, labelled, made, quoted};

/// The name that an element's developers gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NativeIdView {
    /// What kind of name it is.
    pub kind: &'static str,
    /// The name.
    pub value: String,
}

/// One element of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TreeNode {
    /// The ref that commands take; only elements that something can be done with have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<Ref>,
    /// What it is.
    pub role: Role,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it holds; never for a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name its developers gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_id: Option<NativeIdView>,
    /// The hint it shows while it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// The platform's word for its role, where ours is `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_role: Option<String>,
    /// The states there is evidence for.
    #[serde(skip_serializing_if = "no_states")]
    #[schemars(with = "Vec<State>")]
    pub states: States,
    /// What can be done with it headless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_actions: Vec<Capability>,
    /// Where it is, in screen pixels, where that was asked for and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// How many children it has, where they are not all here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children_count: Option<u64>,
    /// Whether something below it is missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub subtree_truncated: bool,
    /// Its children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeNode>,
}

/// serde passes a reference.
fn no_states(states: &States) -> bool {
    states.is_empty()
}

impl TreeNode {
    /// One node without its children.
    pub fn of(node: &Node, ref_id: Option<Ref>) -> TreeNode {
        TreeNode {
            ref_id,
            role: node.role,
            name: node.name.text().map(str::to_owned),
            value: node.value(),
            description: node.description.text().filter(|text| node.name.text() != Some(text)).map(str::to_owned),
            native_id: node
                .native_id
                .text()
                .map(|value| NativeIdView { kind: "accessible-id", value: value.to_owned() }),
            placeholder: node.placeholder.text().map(str::to_owned),
            native_role: (node.role == Role::Unknown && !node.native_role.is_empty()).then(|| node.native_role.clone()),
            states: node.states.known().copied().unwrap_or(States::NONE),
            available_actions: node.capabilities(),
            bounds: node.bounds.known().copied(),
            children_count: None,
            subtree_truncated: false,
            children: Vec::new(),
        }
    }

    /// Whether nothing would be lost by putting its only child in its place.
    fn is_wrapper(&self) -> bool {
        self.children.len() == 1
            && self.ref_id.is_none()
            && self.name.is_none()
            && self.value.is_none()
            && self.description.is_none()
            && self.native_id.is_none()
            && self.states.is_empty()
            && self.available_actions.is_empty()
            && self.bounds.is_none()
            && self.children_count.is_none()
            && !self.subtree_truncated
    }

    /// Adds the lines of the tree.
    pub fn lines(&self, lines: &mut Lines, depth: usize) {
        self.lines_below(lines, depth, false);
    }

    /// `unsaid`: an element around it is hidden or off the screen and so is everything in that, which is not said of
    /// each again.
    fn lines_below(&self, lines: &mut Lines, depth: usize, unsaid: bool) {
        let position = self.bounds.map(|b| format!("({},{} {}x{})", b.x, b.y, b.width, b.height));
        let said = self.states.iter().filter(|state| !(unsaid && *state == State::Offscreen));
        let states = said.map(|state| Word::Own(state.token()));
        let words = [made(self.role), self.ref_id.map_or(Word::Nothing, made), quoted(self.name.as_deref())]
            .into_iter()
            .chain([
                labelled("value", self.value.as_deref()),
                labelled("description", self.description.as_deref()),
                labelled("placeholder", self.placeholder.as_deref()),
                labelled("id", self.native_id.as_ref().map(|id| id.value.as_str())),
                labelled("native", self.native_role.as_deref()),
            ])
            .chain(states)
            .chain([
                position.map_or(Word::Nothing, made),
                self.children_count.map_or(Word::Nothing, |count| made(format!("children={count}"))),
                flag(self.subtree_truncated, "truncated"),
            ]);
        lines.indented(depth, words);
        let unseen = self.states.contains(State::Offscreen) || self.states.contains(State::Hidden);
        let unsaid = unsaid || unseen && self.children.iter().all(TreeNode::is_all_offscreen);
        for child in &self.children {
            child.lines_below(lines, depth + 1, unsaid);
        }
    }

    fn is_all_offscreen(&self) -> bool {
        self.states.contains(State::Offscreen) && self.children.iter().all(TreeNode::is_all_offscreen)
    }
}

/// How a tree is thinned out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    /// Drop what nothing can be done with and what leads to nothing of that kind.
    pub interactive_only: bool,
    /// Put the only child in the place of a container that says nothing.
    pub compact: bool,
}

/// The tree of an observation.
pub fn tree(observation: &Observation, referenced: &Referenced, id: SnapshotId, shape: Shape) -> Option<TreeNode> {
    build(observation, referenced, id, shape, 0)
}

fn build(
    observation: &Observation,
    referenced: &Referenced,
    id: SnapshotId,
    shape: Shape,
    index: usize,
) -> Option<TreeNode> {
    let node = observation.nodes.get(index)?;
    let ref_id = referenced.numbers.get(&index).map(|number| Ref { snapshot: id, number: *number });
    let mut view = TreeNode::of(node, ref_id);
    view.children =
        node.children.iter().filter_map(|child| build(observation, referenced, id, shape, *child)).collect();
    for gap in observation.gaps.iter().filter(|gap| gap.node == Some(index)) {
        view.subtree_truncated = true;
        if gap.reason != GapReason::TextBudget {
            view.children_count = node.child_count.known().copied().or(gap.missing);
        }
    }
    let bare = view.children.is_empty() && view.ref_id.is_none() && view.children_count.is_none();
    if shape.interactive_only && bare && index != 0 {
        return None;
    }
    if shape.compact && index != 0 && view.is_wrapper() {
        return view.children.pop();
    }
    Some(view)
}

/// A part of the tree that is missing, as commands print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GapView {
    /// Why it is missing.
    pub reason: GapReason,
    /// The role of the element below which it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The name of that element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many children are missing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
}

/// More gaps than this are counted by their reason alone.
const MAX_GAPS: usize = 20;

/// The gaps of an observation.
pub fn gaps(observation: &Observation) -> Vec<GapView> {
    let view = |gap: &Gap| {
        let node = gap.node.and_then(|index| observation.nodes.get(index));
        GapView {
            reason: gap.reason,
            role: node.map(|node| node.role),
            name: node.and_then(|node| node.name.text()).map(str::to_owned),
            missing: gap.missing,
        }
    };
    observation.gaps.iter().take(MAX_GAPS).map(view).collect()
}

/// Adds a line for each gap.
pub fn gap_lines(gaps: &[GapView], lines: &mut Lines) {
    for gap in gaps {
        let reason = serde_json::to_value(gap.reason).ok().and_then(|value| value.as_str().map(str::to_owned));
        lines.words([
            Word::Own("gap"),
            reason.map_or(Word::Nothing, made),
            gap.role.map_or(Word::Nothing, made),
            quoted(gap.name.as_deref()),
            gap.missing.map_or(Word::Nothing, |missing| made(format!("missing={missing}"))),
        ]);
    }
}

/// What a property read gave, for `null` in JSON where it is not known.
pub fn known_states(node: &Node) -> Option<Vec<State>> {
    match &node.states {
        Reading::Known(states) => Some(states.iter().collect()),
        Reading::Absent | Reading::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use surehand_core::object::ObjectId;

    use super::*;

    fn node(role: Role, states: &[State], children: Vec<TreeNode>) -> TreeNode {
        let node = Node::new(ObjectId { owner: "bus:1.1".into(), object: "/0".into() }, role);
        TreeNode { states: states.iter().copied().collect(), children, ..TreeNode::of(&node, None) }
    }

    fn outline(tree: &TreeNode) -> String {
        let mut lines = Lines::new();
        tree.lines(&mut lines, 0);
        lines.finish()
    }

    #[test]
    fn what_is_hidden_with_everything_in_it_says_so_once() {
        let item = |states| node(Role::MenuItem, states, Vec::new());
        let off: &[State] = &[State::Offscreen];
        let menu = node(Role::Menu, &[State::Hidden], vec![item(off), item(&[State::Disabled, State::Offscreen])]);
        assert_eq!(outline(&menu), "menu hidden\n menuitem\n menuitem disabled");
        let mixed = node(Role::Menu, &[State::Hidden], vec![item(off), item(&[])]);
        assert_eq!(outline(&mixed), "menu hidden\n menuitem offscreen\n menuitem");
        let shown = node(Role::Menu, &[], vec![item(off)]);
        assert_eq!(outline(&shown), "menu\n menuitem offscreen");
    }
}
