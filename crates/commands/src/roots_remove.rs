//! `roots remove`: allow plans to be applied in a folder no longer.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word};

/// Allow plans to be applied in a folder no longer
///
/// Its journal and vault stay.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RootsRemove {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// The root.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RootRemoved {
    /// Its real path.
    root: String,
}

impl Outline for RootRemoved {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("remove"), Word::Quoted(&self.root)]);
        lines.finish()
    }
}

impl Command for RootsRemove {
    const SPEC: Spec = Spec::new("roots remove", Group::Files, Effect::Manage).for_person();
    type Output = RootRemoved;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<RootRemoved> {
        let workspace = cx.services.files()?;
        let path = Path::new(&self.root);
        cx.services.confirm(
            cx.cancel,
            &format!(
                "surehand is to allow plans no longer to change files in {}",
                surehand_core::text::quote(&self.root)
            ),
        )?;
        Ok(RootRemoved { root: workspace.remove_root(path)?.to_string_lossy().into_owned() })
    }
}
