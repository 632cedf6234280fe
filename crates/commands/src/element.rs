//! Elements as commands print them.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::geometry::Rect;
use surehand_core::hint::hints;
use surehand_core::node::{Capability, Node, Unread};
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
    /// For an element without a name: the label beside it, or its place among those like it. Not its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
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
    /// What the application did not say of it when asked; that it is missing here says nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
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
            hint: None,
            native_role: (node.role == Role::Unknown && !node.native_role.is_empty()).then(|| node.native_role.clone()),
            states: node.states.known().copied().unwrap_or(States::NONE),
            available_actions: node.capabilities(),
            unread: node.unread(),
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
            // That a container is out of sight says nothing that its content does not say.
            && self.states.iter().all(|state| state == State::Offscreen)
            && self.available_actions.is_empty()
            && self.unread.is_empty()
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
        let unread: Vec<&str> = self.unread.iter().map(|piece| piece.token()).collect();
        let unread = (!unread.is_empty()).then(|| format!("unread={}", unread.join(",")));
        let said = self.states.iter().filter(|state| !(unsaid && *state == State::Offscreen));
        let states = said.map(|state| Word::Own(state.token()));
        let words = [made(self.role), self.ref_id.map_or(Word::Nothing, made), quoted(self.name.as_deref())]
            .into_iter()
            .chain([
                labelled("value", self.value.as_deref()),
                labelled("description", self.description.as_deref()),
                labelled("placeholder", self.placeholder.as_deref()),
                labelled("hint", self.hint.as_deref()),
                labelled("id", self.native_id.as_ref().map(|id| id.value.as_str())),
                labelled("native", self.native_role.as_deref()),
            ])
            .chain(states)
            .chain([
                unread.map_or(Word::Nothing, made),
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
    /// Show this many levels below the first element; what is below them is counted.
    pub depth: Option<usize>,
}

/// An observation with its refs, on the way to being printed.
pub struct Printed<'o> {
    observation: &'o Observation,
    referenced: &'o Referenced,
    id: SnapshotId,
    hints: BTreeMap<usize, String>,
    /// The gaps of each node, since a window can have as many gaps as nodes.
    gaps: HashMap<usize, Vec<&'o Gap>>,
}

impl<'o> Printed<'o> {
    /// Of an observation whose nodes got their refs under this id.
    pub fn new(observation: &'o Observation, referenced: &'o Referenced, id: SnapshotId) -> Self {
        let mut gaps: HashMap<usize, Vec<&Gap>> = HashMap::new();
        for gap in &observation.gaps {
            if let Some(node) = gap.node {
                gaps.entry(node).or_default().push(gap);
            }
        }
        Printed { observation, referenced, id, hints: hints(observation), gaps }
    }

    /// The tree in a shape.
    pub fn tree(&self, shape: Shape) -> Option<TreeNode> {
        self.build(shape, 0, 0)
    }

    /// The ref of a node.
    pub fn ref_of(&self, index: usize) -> Option<Ref> {
        self.referenced.numbers.get(&index).map(|number| Ref { snapshot: self.id, number: *number })
    }

    /// One node without its children.
    pub fn node(&self, index: usize) -> Option<TreeNode> {
        let mut view = TreeNode::of(self.observation.nodes.get(index)?, self.ref_of(index));
        view.hint = self.hints.get(&index).cloned();
        for gap in self.gaps.get(&index).into_iter().flatten() {
            view.subtree_truncated = true;
            if gap.reason != GapReason::TextBudget {
                view.children_count = self.observation.nodes.get(index)?.child_count.known().copied().or(gap.missing);
            }
        }
        Some(view)
    }

    /// A node with everything below it that `wanted` picks.
    pub fn branch(&self, index: usize, wanted: &impl Fn(usize) -> bool) -> Option<TreeNode> {
        let mut view = self.node(index)?;
        let children = &self.observation.nodes.get(index)?.children;
        view.children =
            children.iter().filter(|child| wanted(**child)).filter_map(|child| self.branch(*child, wanted)).collect();
        Some(view)
    }

    fn build(&self, shape: Shape, index: usize, depth: usize) -> Option<TreeNode> {
        let node = self.observation.nodes.get(index)?;
        let mut view = self.node(index)?;
        if shape.depth.is_some_and(|most| depth >= most) {
            if !node.children.is_empty() {
                view.children_count = node.child_count.known().copied().or(Some(node.children.len() as u64));
            }
        } else {
            let children = node.children.iter().filter_map(|child| self.build(shape, *child, depth + 1));
            view.children = children.collect();
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
    /// The element below which it is missing, for `snapshot --root`.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<Ref>,
    /// The offset for `snapshot --root REF --offset N` that goes on where this stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// That this stands for so many further gaps of its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

/// More gaps than this are counted by their reason alone.
const MAX_GAPS: usize = 20;

/// The gaps of an observation whose nodes got refs.
pub fn gaps(observation: &Observation, ref_of: impl Fn(usize) -> Option<Ref>) -> Vec<GapView> {
    let view = |gap: &Gap| {
        let node = gap.node.and_then(|index| observation.nodes.get(index));
        GapView {
            reason: gap.reason,
            role: node.map(|node| node.role),
            name: node.and_then(|node| node.name.text()).map(str::to_owned),
            missing: gap.missing,
            ref_id: gap.node.and_then(&ref_of),
            next_offset: gap.next,
            more: None,
        }
    };
    let mut views: Vec<GapView> = observation.gaps.iter().take(MAX_GAPS).map(view).collect();
    let mut rest: Vec<(GapReason, usize)> = Vec::new();
    for gap in observation.gaps.iter().skip(MAX_GAPS) {
        match rest.iter_mut().find(|(reason, _)| *reason == gap.reason) {
            Some((_, count)) => *count += 1,
            None => rest.push((gap.reason, 1)),
        }
    }
    views.extend(rest.into_iter().map(|(reason, count)| GapView {
        reason,
        role: None,
        name: None,
        missing: None,
        ref_id: None,
        next_offset: None,
        more: Some(count),
    }));
    views
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
            gap.ref_id.map_or(Word::Nothing, made),
            gap.missing.map_or(Word::Nothing, |missing| made(format!("missing={missing}"))),
            gap.next_offset.map_or(Word::Nothing, |next| made(format!("next-offset={next}"))),
            gap.more.map_or(Word::Nothing, |more| made(format!("more={more}"))),
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
        TreeNode { unread: Vec::new(), states: states.iter().copied().collect(), children, ..TreeNode::of(&node, None) }
    }

    fn outline(tree: &TreeNode) -> String {
        let mut lines = Lines::new();
        tree.lines(&mut lines, 0);
        lines.finish()
    }

    #[test]
    fn what_was_not_said_is_told() {
        let button = Node::new(ObjectId { owner: "bus:1.1".into(), object: "/0".into() }, Role::Button);
        assert_eq!(outline(&TreeNode::of(&button, None)), "button unread=name,states,actions");
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
