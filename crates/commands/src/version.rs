//! `version`: which surehand this is.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Print the version and what it was built for
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Version {}

/// Which surehand this is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Versions {
    /// The version.
    version: String,
    /// The version of the envelope.
    envelope: &'static str,
    /// The target it was built for.
    target: String,
    /// The operating system.
    os: String,
}

impl Outline for Versions {
    fn outline(&self) -> String {
        Lines::new().words([Word::Own("surehand"), made(&self.version), made(&self.target)]).finish()
    }
}

impl Command for Version {
    const SPEC: Spec = Spec::new("version", Group::System, Effect::Observe);
    type Output = Versions;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Versions> {
        let facts = cx.services.facts();
        Ok(Versions {
            version: facts.version.clone(),
            envelope: crate::envelope::VERSION,
            target: facts.target.clone(),
            os: facts.os.clone(),
        })
    }
}
