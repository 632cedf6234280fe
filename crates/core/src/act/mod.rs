//! Acting on one element: wait until it is ready, hand the action over once, and follow what became of it.
//!
//! An action is dispatched at most once. Waiting and repeating happen only before that, while nothing has
//! been sent.
//!
//! [`Action`] is what is wanted; `plan` decides which operations do it, or that it takes pointer and keyboard;
//! `engine` is the way of every action; `expectation` says what the element has to show afterwards, and `effects`
//! sorts what the application announced.

mod action;
mod effects;
mod engine;
pub(crate) mod expectation;
mod operation;
mod outcome;
mod physical;
mod plan;
mod scroll;
mod select;

use std::time::Duration;

pub use action::{Action, Direction};
pub use effects::{Effect, Example, Meanwhile, Of, Opened, What};
pub use engine::act;
pub use outcome::{Label, Mechanism, Outcome, PostState, Progress, Step, Unverified};

use crate::lease::Leases;

/// What an action may do, and how long it may try.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// How long to wait for the element to become ready; zero is one attempt.
    pub ready: Duration,
    /// Whether pointer and keyboard may be used where nothing else does it.
    pub headed: bool,
    /// Whether to run every check and do nothing.
    pub dry_run: bool,
    /// Where the right to act is taken, for as long as the action is handed over.
    pub leases: &'a dyn Leases,
}
