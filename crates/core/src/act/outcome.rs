//! What is told of an action.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::effects::{Effect, Meanwhile};
use crate::actionability::Report;
use crate::disposition::{Delivery, Disposition};
use crate::node::Node;
use crate::resolve::How;
use crate::role::Role;
use crate::state::{State, States};

/// The state of the element after the action.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PostState {
    /// Its role.
    pub role: Role,
    /// Its states.
    #[schemars(with = "Vec<State>")]
    pub states: States,
    /// What it holds; never for a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl PostState {
    pub(super) fn of(node: &Node, secret: bool) -> Self {
        let states = node.states.known().copied().unwrap_or(States::NONE);
        PostState { role: node.role, states, value: if secret { None } else { node.value() } }
    }
}

/// Why an effect could not be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// Nothing that was observed proves it either way.
    InsufficientEvidence,
    /// The element holds a secret, which is not read.
    SecureField,
    /// The element went away with what the action did.
    TargetGone,
    /// The application did not answer afterwards, as it does while it opens a dialog.
    NoAnswer,
}

/// How far a step got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It was accepted.
    Succeeded,
    /// It was not needed, or only tried out.
    Skipped,
}

/// By what a step is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// The accessibility interfaces.
    SemanticApi,
    /// Pointer and keyboard.
    PhysicalSynthetic,
}

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub enum Label {
    /// An operation of the accessibility interfaces, by its word.
    Operation(&'static str),
    /// What pointer and keyboard do.
    Strike,
    /// Nothing: it was as wanted.
    None,
}

impl Label {
    /// The word for it.
    pub const fn token(self) -> &'static str {
        match self {
            Label::Operation(word) => word,
            Label::Strike => "strike",
            Label::None => "none",
        }
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.token())
    }
}

/// One step of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Step {
    /// What it is.
    pub label: Label,
    /// How far it got.
    pub outcome: Progress,
    /// By what it is carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<Mechanism>,
    /// Whether its effect was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

/// What an action did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Outcome {
    /// How the element was recognised.
    pub resolved_by: How,
    /// How often the element was looked at before it was ready.
    pub attempts: u32,
    /// That nothing was done, only tried out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// What was done, or would be.
    pub steps: Vec<Step>,
    /// The checks that a trial made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Report>,
    /// The element afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_state: Option<PostState>,
    /// Why the effect was not confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverified: Option<Unverified>,
    /// What changed with the element, what it controls, and its windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// What else happened in the application meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meanwhile: Option<Meanwhile>,
    /// How far it got.
    pub disposition: Disposition,
}

impl Outcome {
    /// What typing with the keyboard did.
    pub fn typed(resolved_by: How, unverified: Option<Unverified>, delivery: Delivery) -> Self {
        let verified = Some(unverified.is_none());
        let mechanism = Some(Mechanism::PhysicalSynthetic);
        Outcome {
            resolved_by,
            attempts: 1,
            dry_run: false,
            steps: vec![Step { label: Label::Strike, outcome: Progress::Succeeded, mechanism, verified }],
            checks: None,
            post_state: None,
            unverified,
            effects: Vec::new(),
            meanwhile: None,
            disposition: delivery.into(),
        }
    }
}
