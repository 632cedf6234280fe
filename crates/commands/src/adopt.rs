//! `adopt`: take over the journal of a root that was not written by this surehand.

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

/// Take over the journal of a root that was not written by this surehand
///
/// What it tells of can then be taken back. It is confirmed at the terminal.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Adopt {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// The root.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Adopted {
    /// Its real path.
    root: String,
}

impl Outline for Adopted {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("adopt"), Word::Quoted(&self.root)]);
        lines.finish()
    }
}

impl Command for Adopt {
    const SPEC: Spec = Spec::new("adopt", Group::Files, Effect::Manage).for_person();
    type Output = Adopted;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Adopted> {
        let workspace = cx.services.files()?;
        let real = workspace.root(Path::new(&self.root))?.path.clone();
        cx.services.confirm(cx.cancel, &format!("surehand is to trust the journal in {}", quoted(&real)))?;
        Ok(Adopted { root: workspace.adopt(&real)?.to_string_lossy().into_owned() })
    }
}
