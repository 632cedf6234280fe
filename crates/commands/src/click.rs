//! `click`: activates an element.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::act::{Action, Outcome, Patience, act};
use surehand_core::reference::Ref;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, labelled, made};

/// Activate an element: press a button, choose a menu item, follow a link
///
/// Works through the accessibility interface: the pointer, the focus and the active window stay where they are.
/// Waits until the element is visible and enabled. Only an action whose name says that it activates the element is
/// invoked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Click {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// Milliseconds to wait until the element is ready; 0 for a single attempt
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// What an action did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ActionReport {
    /// The command.
    pub(crate) action: &'static str,
    /// The element.
    #[serde(rename = "ref")]
    pub(crate) ref_id: Ref,
    /// What was done and seen.
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

impl Outline for ActionReport {
    fn outline(&self) -> String {
        let delivery = serde_json::to_value(self.outcome.disposition.delivery).unwrap_or_default();
        let why = serde_json::to_value(self.outcome.unverified).unwrap_or_default();
        let after = self.outcome.post_state.as_ref();
        let states = after.iter().flat_map(|after| after.states.iter()).map(made).collect::<Vec<_>>();
        let words = [
            Word::Own(self.action),
            made(self.ref_id),
            delivery.as_str().map_or(Word::Nothing, made),
            why.as_str().map_or(Word::Nothing, |why| made(format!("because={why}"))),
            labelled("value", after.and_then(|after| after.value.as_deref())),
        ];
        Lines::new().words(words.into_iter().chain(states)).finish()
    }
}

impl Command for Click {
    const SPEC: Spec = Spec::new("click", Group::Interaction, Effect::Act);
    type Output = ActionReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiAct(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<ActionReport> {
        perform(cx, Self::SPEC.name, self.ref_id, &Action::Click, self.timeout_ms)
    }
}

/// What every command that acts on a ref does.
pub(crate) fn perform(
    cx: &mut Cx<'_>,
    command: &'static str,
    ref_id: Ref,
    action: &Action,
    timeout_ms: u64,
) -> Result<ActionReport> {
    let call = cx.call_for_action(timeout_ms);
    let platform = cx.platform(&call)?;
    let (snapshot, evidence) = cx.evidence(platform, ref_id)?;
    cx.acting_on(&snapshot, &evidence);
    let patience = Patience { ready: std::time::Duration::from_millis(timeout_ms) };
    let outcome = act(platform, &call, &snapshot, &evidence, action, patience)
        .map_err(|error| cx.with_fresh_refs(error, platform, &call, &snapshot, &evidence))?;
    cx.disposition = Some(outcome.disposition);
    Ok(ActionReport { action: command, ref_id, outcome })
}
