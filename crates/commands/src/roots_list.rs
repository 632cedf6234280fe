//! `roots list`: list the folders in which plans may be applied.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word};

/// List the folders in which plans may be applied
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct RootsList {}

/// Roots.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Roots {
    /// Their paths.
    roots: Vec<String>,
}

impl Outline for Roots {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for root in &self.roots {
            lines.words([Word::Own("root"), Word::Quoted(root)]);
        }
        lines.finish()
    }
}

impl Command for RootsList {
    const SPEC: Spec = Spec::new("roots list", Group::Files, Effect::Observe);
    type Output = Roots;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Roots> {
        let roots = cx.services.files()?.roots()?;
        Ok(Roots { roots: roots.iter().map(|root| root.to_string_lossy().into_owned()).collect() })
    }
}
