//! `clipboard-clear`: empties the clipboard.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::clipboard::{self, Outcome, Unverified};
use surehand_core::disposition::{Delivery, Disposition};

use crate::clipboard_set::{because, word};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word};

/// Empty the clipboard, whoever put there what is in it
///
/// A manager of clipboards may have copied it before, and may put it back; then the answer says that it was replaced.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClipboardClear {}

/// How long it may take.
const CLEAR_MS: u64 = 5_000;

/// The clipboard was emptied.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Cleared {
    /// Whether it was empty afterwards.
    cleared: bool,
    /// How far it got.
    disposition: Disposition,
    /// Why it is not verified, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified: Option<Unverified>,
}

impl Outline for Cleared {
    fn outline(&self) -> String {
        Lines::new()
            .words([Word::Own("clipboard-clear"), word(self.disposition.delivery), because(self.unverified)])
            .finish()
    }
}

impl Command for ClipboardClear {
    const SPEC: Spec = Spec::new("clipboard-clear", Group::Clipboard, Effect::Act);
    type Output = Cleared;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::ClipboardSet])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Cleared> {
        let call = cx.call(CLEAR_MS);
        let Outcome { delivery, unverified } = clipboard::clear(cx.services.clipboard()?, &call)?;
        cx.disposition = Some(delivery.into());
        Ok(Cleared { cleared: delivery == Delivery::DeliveredVerified, disposition: delivery.into(), unverified })
    }
}
