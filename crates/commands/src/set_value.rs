//! `set-value`: replaces what an element holds.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::act::Action;
use surehand_core::reference::Ref;

use crate::acting::{ActionReport, Manner, perform};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;

/// Replace what an element holds: the text of a field, the number of a slider
///
/// The value is read back, and success is claimed only when the element holds it. A range takes a number.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetValue {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// New text or number; with `--stdin` it is left out
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Take it from standard input, less one line break at the end, so that it does not stand among the arguments
    #[arg(long, conflicts_with = "value")]
    #[serde(skip)]
    stdin: bool,
    /// Milliseconds to wait until the element is ready; 0 for a single attempt
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
    /// Run every check, and do nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

impl Command for SetValue {
    const SPEC: Spec = Spec::new("set-value", Group::Interaction, Effect::Act);
    type Output = ActionReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiAct(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<ActionReport> {
        let manner = Manner { timeout_ms: self.timeout_ms, dry_run: self.dry_run };
        let text = cx.text(self.value, self.stdin)?;
        perform(cx, Self::SPEC.name, self.ref_id, &Action::SetValue(text), manner)
    }
}
