//! `scroll`: scrolls what is in an element.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::act::{Action, Direction};
use surehand_core::reference::Ref;

use crate::acting::{ActionReport, Manner, perform};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;

/// Scroll what is in an element, or the area that it is in
///
/// Works through the scroll bars that the application publishes, without the wheel.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scroll {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// Whither: up, down, left or right
    #[arg(long, value_name = "DIRECTION", default_value_t)]
    #[serde(default)]
    direction: Direction,
    /// By so many steps
    #[arg(long, value_name = "N", default_value_t = STEPS)]
    #[serde(default = "steps")]
    amount: u32,
    /// Milliseconds to wait until the element is ready; 0 for a single attempt
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
    /// Run every check, and do nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

/// The steps that are taken unless others are asked for.
const STEPS: u32 = 3;

/// [`STEPS`], for serde.
fn steps() -> u32 {
    STEPS
}

impl Command for Scroll {
    const SPEC: Spec = Spec::new("scroll", Group::Interaction, Effect::Act);
    type Output = ActionReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiAct(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<ActionReport> {
        let manner = Manner { timeout_ms: self.timeout_ms, dry_run: self.dry_run };
        perform(
            cx,
            Self::SPEC.name,
            self.ref_id,
            &Action::Scroll { direction: self.direction, amount: self.amount },
            manner,
        )
    }
}
