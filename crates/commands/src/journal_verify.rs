//! `journal verify`: verify the journal of a root from its first line to its last.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::token;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Verify the journal of a root from its first line to its last
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalVerify {
    /// The root
    #[arg(value_name = "DIR")]
    root: String,
}

/// What was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// `ours`, `foreign` or `damaged`.
    journal: String,
    /// How many lines are good.
    lines: u64,
    /// How many bytes at the end are no good lines.
    torn_bytes: u64,
    /// Steps that were not settled yet after an interruption.
    open: usize,
    /// Steps about which nobody can tell.
    unknown: usize,
}

impl Outline for Verified {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("journal"),
            made(&self.journal),
            made(format!("lines={}", self.lines)),
            made(format!("torn={}", self.torn_bytes)),
            made(format!("open={}", self.open)),
            made(format!("unknown={}", self.unknown)),
        ]);
        lines.finish()
    }
}

impl Command for JournalVerify {
    const SPEC: Spec = Spec::new("journal verify", Group::Files, Effect::Observe);
    type Output = Verified;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Verified> {
        let found = cx.services.files()?.read(Path::new(&self.root))?.verified;
        Ok(Verified {
            journal: token(&found.trust),
            lines: found.lines,
            torn_bytes: found.torn_bytes,
            open: found.open,
            unknown: found.unknown,
        })
    }
}
