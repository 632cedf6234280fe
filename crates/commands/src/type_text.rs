//! `type`: inserts text into a field.

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

/// Insert text into a field at its caret
///
/// Works through the accessibility interface, without keyboard or focus, and is read back. Where the application has no working interface for it, it is refused; nothing is typed twice.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TypeText {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// Text to insert; with `--stdin` it is left out
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Take it from standard input, less one line break at the end, so that it does not stand among the arguments
    #[arg(long, conflicts_with = "text")]
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

impl Command for TypeText {
    const SPEC: Spec = Spec::new("type", Group::Interaction, Effect::Act);
    type Output = ActionReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiAct(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<ActionReport> {
        let manner = Manner { timeout_ms: self.timeout_ms, dry_run: self.dry_run };
        let text = cx.text(self.text, self.stdin)?;
        perform(cx, Self::SPEC.name, self.ref_id, &Action::TypeText(text), manner)
    }
}
