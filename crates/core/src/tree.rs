//! An observed tree, and what of it is missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::node::Node;
use crate::object::Application;
use crate::window::Window;

/// Why a part of a tree is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The budget of nodes was used up.
    NodeBudget,
    /// The budget of text was used up.
    TextBudget,
    /// The time given was used up.
    Deadline,
    /// The tree goes deeper than any honest one.
    Depth,
    /// A container says it has more children than one observation reads.
    TooManyChildren,
    /// The application, or this part of it, did not answer.
    Unresponsive,
    /// The application answered something that cannot be read.
    Unreadable,
    /// The application publishes nothing below this element, although there has to be something; or it publishes only
    /// the rows that it has made, of a list that may have more.
    NotPublished,
}

/// A part of the tree that was not observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Why it is missing.
    pub reason: GapReason,
    /// Index of the node below which it is missing; none where it is not about one node.
    pub node: Option<usize>,
    /// How many children are missing there, where that is known.
    pub missing: Option<u64>,
    /// The offset of the first child that was read, where a page of them was.
    pub from: Option<u64>,
    /// The offset at which the children go on that were not read.
    pub next: Option<u64>,
    /// How many columns the table has whose cells these offsets count.
    pub columns: Option<u64>,
}

impl Gap {
    /// A gap below a node, of which no more is known.
    pub const fn at(reason: GapReason, node: usize) -> Gap {
        Gap { reason, node: Some(node), missing: None, from: None, next: None, columns: None }
    }

    /// A gap that is not about one node.
    pub const fn somewhere(reason: GapReason) -> Gap {
        Gap { reason, node: None, missing: None, from: None, next: None, columns: None }
    }

    /// The same with the number of children that are missing.
    #[must_use]
    pub const fn missing(self, missing: u64) -> Gap {
        Gap { missing: Some(missing), ..self }
    }
}

/// One observation of one window.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The application it belongs to.
    pub application: Application,
    /// The window.
    pub window: Window,
    /// The nodes in document order (depth first); the first is the window, or the element that was asked for.
    pub nodes: Vec<Node>,
    /// The containers around the first node, nearest first, the last being the window; none where the first
    /// node is the window.
    pub above: Vec<Node>,
    /// What is missing. Empty means that the observation is complete.
    pub gaps: Vec<Gap>,
}

impl Observation {
    /// Whether everything was read.
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Whether every element was seen. A text that was cut to the budget hides none.
    pub fn is_whole(&self) -> bool {
        self.gaps.iter().all(|gap| gap.reason == GapReason::TextBudget)
    }

    /// The place of each node among its siblings, 0 for the first node. For all at once: looking it up for each
    /// would take the square of the size of the largest container.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.nodes.len()];
        for node in &self.nodes {
            for (place, child) in node.children.iter().enumerate() {
                if let Some(slot) = places.get_mut(*child) {
                    *slot = place;
                }
            }
        }
        places
    }

    /// The indices of a node's ancestors, nearest first.
    pub fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.nodes.get(index).and_then(|node| node.parent), |index| {
            self.nodes.get(*index).and_then(|node| node.parent)
        })
    }
}
