//! `trash empty`: delete what is in the vault of a root, for good.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::quoted;
use crate::gate::Resource;
use crate::outline::Outline;
use crate::trash_list::Vault;

/// Delete what is in the vault of a root, for good
///
/// What it was kept for cannot be taken back any more. It is confirmed at the terminal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrashEmpty {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// What was deleted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Emptied {
    /// What there was.
    #[serde(flatten)]
    vault: Vault,
}

impl Outline for Emptied {
    fn outline(&self) -> String {
        format!("deleted {}", self.vault.outline())
    }
}

impl Command for TrashEmpty {
    const SPEC: Spec = Spec::new("trash empty", Group::Files, Effect::Files).for_person();
    type Output = Emptied;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Emptied> {
        let workspace = cx.services.files()?;
        let root = workspace.root(Path::new(&self.root))?;
        let (real, kept) = (root.path.clone(), surehand_kernel::vault::list(&root)?);
        let bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
        let what = format!("{} things with {bytes} bytes from the vault of {}", kept.len(), quoted(&real));
        cx.services.confirm(cx.cancel, &format!("surehand is to delete {what}, for good"))?;
        Ok(Emptied { vault: Vault::of(workspace.empty_vault(&real)?) })
    }
}
