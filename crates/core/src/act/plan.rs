//! What is going to be done for an action on one live element.

use super::engine::Scope;
use super::expectation::Expected;
use super::{Action, operation, scroll, select};
use crate::actionability::is_physical;
use crate::error::Result;
use crate::node::Node;
use crate::object::ObjectId;
use crate::platform::Operation;
use crate::resolve::Resolved;
use crate::state::State;
use crate::time::Call;

/// One operation on one element.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Move {
    pub(super) object: ObjectId,
    pub(super) operation: Operation,
}

/// What is going to be done.
#[derive(Debug)]
pub(super) enum Plan {
    /// Nothing: it is as wanted.
    Already,
    /// These operations, one after the other.
    Semantic {
        moves: Vec<Move>,
        expected: Expected,
        /// The element that shows the effect, where it is not the one acted on.
        watched: Option<ObjectId>,
    },
    /// Pointer and keyboard.
    Physical { expected: Expected },
}

impl Plan {
    /// For an element that passed its checks.
    pub(super) fn of(scope: &Scope<'_>, call: &Call<'_>, resolved: &Resolved, action: &Action) -> Result<Plan> {
        let node = &resolved.live.node;
        if holds_already(node, action) {
            return Ok(Plan::Already);
        }
        if is_physical(node, action.intent()) {
            return Ok(Plan::Physical { expected: Expected::of(node, action, None) });
        }
        match action {
            Action::Select(wanted) => select::plan(scope, call, node, wanted),
            Action::Scroll { direction, amount } => scroll::plan(scope, call, node, *direction, *amount),
            Action::ScrollTo => scroll::plan_into_view(scope, call, node),
            _ => {
                let operation = operation::direct(node, action)?;
                let expected = Expected::of(node, action, Some(&operation));
                let moves = vec![Move { object: node.object.clone(), operation }];
                Ok(Plan::Semantic { moves, expected, watched: None })
            }
        }
    }
}

/// Whether the wanted state is there, so that there is nothing to do. Only on positive evidence.
fn holds_already(node: &Node, action: &Action) -> bool {
    match action {
        Action::Check => node.is_on() == Some(true),
        Action::Uncheck => node.is_on() == Some(false),
        Action::Expand => node.has(State::Expanded),
        Action::Collapse => node.states.known().is_some_and(|states| !states.contains(State::Expanded)),
        Action::Focus => node.has(State::Focused),
        _ => false,
    }
}
