//! `roots add`: allow plans to be applied in a folder.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::quoted;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word};

/// Allow plans to be applied in a folder
///
/// It is written into the policy file, and confirmed at the terminal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RootsAdd {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// The root.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RootAdded {
    /// Its real path.
    root: String,
}

impl Outline for RootAdded {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("add"), Word::Quoted(&self.root)]);
        lines.finish()
    }
}

impl Command for RootsAdd {
    const SPEC: Spec = Spec::new("roots add", Group::Files, Effect::Manage).for_person();
    type Output = RootAdded;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<RootAdded> {
        let workspace = cx.services.files()?;
        // What is asked about is the folder itself, and not a link that may lead elsewhere by the time of the answer.
        let real = workspace.root(Path::new(&self.root))?.path.clone();
        let question = format!("surehand is to allow plans to change files in {}", quoted(&real));
        cx.services.confirm(cx.cancel, &question)?;
        Ok(RootAdded { root: workspace.add_root(&real)?.to_string_lossy().into_owned() })
    }
}
