//! `history`: list the tasks of every root, the latest first.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::{self, RootView};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// List the tasks of every root, the latest first
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct History {
    /// Only those of this root
    #[arg(long, value_name = "DIR")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
}

/// Tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Tasks {
    /// By root.
    roots: Vec<RootView>,
}

impl Outline for Tasks {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for root in &self.roots {
            lines.words([
                Word::Own("root"),
                Word::Quoted(&root.root),
                made(&root.journal),
                made(format!("vault={}", root.vault_bytes)),
            ]);
            for task in &root.tasks {
                lines.words([
                    made(&task.task),
                    made(&task.status),
                    made(format!("{}/{}", task.done, task.steps)),
                    Word::Quoted(&task.skill),
                ]);
            }
        }
        lines.finish()
    }
}

impl Command for History {
    const SPEC: Spec = Spec::new("history", Group::Files, Effect::Observe);
    type Output = Tasks;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Tasks> {
        let workspace = cx.services.files()?;
        let paths = match &self.root {
            Some(root) => vec![Path::new(root).to_path_buf()],
            None => workspace.known()?,
        };
        let mut roots = Vec::new();
        for path in paths {
            match files::root_view(workspace, &path) {
                Ok(view) => roots.push(view),
                Err(error) if self.root.is_some() => return Err(error),
                // A root that is gone has a history that cannot be read; it is said, and the others are listed.
                Err(error) => roots.push(RootView::unreadable(&path, &error)),
            }
        }
        Ok(Tasks { roots })
    }
}
