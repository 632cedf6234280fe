//! Elements as commands print them.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::geometry::Rect;
use surehand_core::hint::{Hint, hints};
use surehand_core::node::{Capability, Node, Unread};
use surehand_core::reading::Reading;
use surehand_core::reference::{Ref, SnapshotId};
use surehand_core::role::Role;
use surehand_core::snapshot::Referenced;
use surehand_core::state::{State, States};
use surehand_core::tree::{Gap, GapReason, Observation};

use crate::outline::{Lines, Word, made, quoted};

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
    #[schemars(with = "Option<String>")]
    pub hint: Option<Hint>,
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
}

/// How a tree is thinned out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    /// Drop what nothing can be done with now, hidden elements among it, and what leads to nothing of that kind; count
    /// what is in a closed menu.
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
    hints: BTreeMap<usize, Hint>,
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
        } else if shape.interactive_only && index != 0 && view.ref_id.is_some() && self.is_closed_menu(index) {
            view.children_count = Some(self.items(index));
        } else {
            let children = node.children.iter().filter_map(|child| self.build(shape, *child, depth + 1));
            view.children = children.collect();
        }
        // What its application hides is refused to every command.
        let usable = view.ref_id.is_some() && !view.states.contains(State::Hidden);
        let bare = view.children.is_empty() && !usable && view.children_count.is_none();
        if shape.interactive_only && bare && index != 0 {
            return None;
        }
        if shape.compact && index != 0 && view.is_wrapper() {
            return view.children.pop();
        }
        Some(view)
    }
}

impl Printed<'_> {
    /// Whether it is a menu, or what opens one, and nothing in it is on the screen.
    fn is_closed_menu(&self, index: usize) -> bool {
        let node = |index: &usize| self.observation.nodes.get(*index);
        let is_menu = |node: &Node| matches!(node.role, Role::Menu | Role::MenuItem | Role::MenuButton);
        node(&index).is_some_and(|menu| is_menu(menu) && !menu.children.is_empty() && self.is_unseen(&menu.children))
    }

    fn is_unseen(&self, nodes: &[usize]) -> bool {
        nodes
            .iter()
            .filter_map(|index| self.observation.nodes.get(*index))
            .all(|node| (node.has(State::Hidden) || node.has(State::Offscreen)) && self.is_unseen(&node.children))
    }

    /// How many children it has, or the only thing in it has.
    fn items(&self, index: usize) -> u64 {
        match self.observation.nodes.get(index).map(|node| node.children.as_slice()) {
            Some([only]) if self.observation.nodes.get(*only).is_some_and(|only| !only.children.is_empty()) => {
                self.items(*only)
            }
            children => children.map_or(0, <[usize]>::len) as u64,
        }
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
    /// The offset of the first child that is here, where a page of them is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The offset for `snapshot --root REF --offset N` that goes on where this stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// That it is a table with so many columns, of which the offsets count the cells: row R, from 0, begins at R times
    /// this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u64>,
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
            offset: gap.from,
            next_offset: gap.next,
            columns: gap.columns,
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
        offset: None,
        next_offset: None,
        columns: None,
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
            gap.offset.map_or(Word::Nothing, |offset| made(format!("offset={offset}"))),
            gap.next_offset.map_or(Word::Nothing, |next| made(format!("next-offset={next}"))),
            gap.columns.map_or(Word::Nothing, |columns| made(format!("columns={columns}"))),
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
