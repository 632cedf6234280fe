//! `type`: inserts text into a field.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::act::{Action, Outcome, Unverified};
use surehand_core::disposition::Delivery;
use surehand_core::lease::Claim;
use surehand_core::reference::Ref;
use surehand_core::state::State;
use surehand_core::typing::{self, Field, ReadBack};
use surehand_core::{Code, Error, Result};

use crate::acting::{ActionReport, Manner, perform};
use crate::aiming::window_of;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;

/// Insert text into a field at its caret
///
/// Works through the accessibility interface, without keyboard or focus, and is read back. Where the application has no
/// working interface for it, it is refused; nothing is typed twice. With `--headed` the window is brought to the front,
/// the element gets the focus, and the text is typed with the keyboard, whatever its layout, only while that window has
/// it; a line break is the key return then, and a tabulator the key tab.
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
        if cx.services.allowed().headed && !self.dry_run {
            return typed(cx, self.ref_id, &text, self.timeout_ms);
        }
        perform(cx, Self::SPEC.name, self.ref_id, &Action::TypeText(text), manner)
    }
}

/// Milliseconds that a character may take with the keyboard.
const PER_CHARACTER_MS: u64 = 20;

/// Milliseconds for the window and the element to get the focus.
const FOCUS_MS: u64 = 4_000;

/// Types with the keyboard.
fn typed(cx: &mut Cx<'_>, ref_id: Ref, text: &str, timeout_ms: u64) -> Result<ActionReport> {
    let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    let call = cx.call_for_action(timeout_ms + FOCUS_MS + length.saturating_mul(PER_CHARACTER_MS));
    let platform = cx.platform(&call)?;
    let (snapshot, evidence) = cx.evidence(platform, ref_id)?;
    cx.acting_on(&snapshot, &evidence);
    // Looked for only when nobody else types any more: they may have changed what it holds and whether it has the focus.
    let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
    let resolved = cx.resolve(platform, &call, &snapshot, &evidence)?;
    let node = &resolved.live.node;
    if node.has(State::Disabled) || node.has(State::Readonly) {
        return Err(Error::new(Code::ActionFailed, "the element takes no text now").kind("not_editable"));
    }
    let window = window_of(cx, &call, &snapshot.application, &evidence.window)?;
    let field = Field { application: &snapshot.application, window: &window, node };
    let (delivery, unverified) = match typing::type_text(platform, &call, field, text)? {
        ReadBack::Exact => (Delivery::DeliveredVerified, None),
        ReadBack::Secret => (Delivery::DeliveredUnverified, Some(Unverified::SecureField)),
        ReadBack::NotTold => (Delivery::DeliveredUnverified, Some(Unverified::InsufficientEvidence)),
    };
    cx.disposition = Some(delivery.into());
    let outcome = Outcome::typed(resolved.how, unverified, delivery);
    Ok(ActionReport { action: TypeText::SPEC.name, ref_id, outcome })
}
