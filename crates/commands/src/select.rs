//! `select`: chooses an option by its text.

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

/// Choose an option of a combo box or list by its text
///
/// The text has to be that of one option, exactly. A combo box need not be opened for it, and has to show the option
/// afterwards.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Select {
    /// Combo box or list, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// Text of the option
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    value: String,
    /// Milliseconds to wait until the element is ready; 0 for a single attempt
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
    /// Run every check, and do nothing
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

impl Command for Select {
    const SPEC: Spec = Spec::new("select", Group::Interaction, Effect::Act);
    type Output = ActionReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiAct(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<ActionReport> {
        let manner = Manner { timeout_ms: self.timeout_ms, dry_run: self.dry_run };
        perform(cx, Self::SPEC.name, self.ref_id, &Action::Select(self.value), manner)
    }
}
