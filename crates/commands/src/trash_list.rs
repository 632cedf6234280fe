//! `trash list`: list what is in the vault of a root.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::KeptView;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// List what is in the vault of a root
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrashList {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// What is kept.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Vault {
    /// Bytes in all.
    bytes: u64,
    /// What there is; the names begin with the task that put it there.
    kept: Vec<KeptView>,
}

impl Vault {
    /// As the kernel lists it.
    pub(crate) fn of(kept: Vec<surehand_kernel::vault::Kept>) -> Vault {
        Vault { bytes: kept.iter().map(|kept| kept.bytes).sum(), kept: kept.into_iter().map(Into::into).collect() }
    }
}

impl Outline for Vault {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("vault"),
            made(format!("bytes={}", self.bytes)),
            made(format!("count={}", self.kept.len())),
        ]);
        for kept in &self.kept {
            lines.words([
                Word::Quoted(&kept.name),
                made(format!("bytes={}", kept.bytes)),
                made(format!("files={}", kept.files)),
            ]);
        }
        lines.finish()
    }
}

impl Command for TrashList {
    const SPEC: Spec = Spec::new("trash list", Group::Files, Effect::Observe);
    type Output = Vault;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Vault> {
        let root = cx.services.files()?.root(Path::new(&self.root))?;
        Ok(Vault::of(surehand_kernel::vault::list(&root)?))
    }
}
