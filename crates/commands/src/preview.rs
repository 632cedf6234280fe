//! `preview`: show what a list of file actions would do, and keep it as a plan.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_kernel::plan::Origin;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::{self, ActionView, path_text};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Show what a list of file actions would do, and keep it as a plan
///
/// The list is a JSON array such as `[{"kind":"fs.move","from":"a","to":"b"}]`; its kinds are `fs.mkdir`, `fs.move`,
/// `fs.copy`, `fs.write` and `fs.trash`, its paths relative to the root. Nothing is written in the root. `apply` does
/// exactly what is shown, or nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preview {
    /// File with the list, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    actions: String,
    /// The folder that the paths are relative to
    #[arg(long, value_name = "DIR")]
    root: String,
    /// How many actions are shown
    #[arg(long, value_name = "N", default_value_t = SHOWN)]
    #[serde(default = "shown")]
    limit: usize,
}

/// How many actions are shown where nothing else is asked for.
const SHOWN: usize = 100;

fn shown() -> usize {
    SHOWN
}

/// A plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Previewed {
    /// The digest that `apply` takes; its first eight digits do as well.
    plan: String,
    /// The task that it becomes.
    task: String,
    /// The root.
    root: String,
    /// Who made the list.
    origin: String,
    /// What it may do.
    capabilities: Vec<String>,
    /// How many actions there are.
    count: usize,
    /// The first actions.
    actions: Vec<ActionView>,
    /// How many steps they come to.
    steps: usize,
    /// Bytes in the vault of the root.
    vault_bytes: u64,
    /// What a person might want to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Outline for Previewed {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("plan"),
            made(&self.plan[..12.min(self.plan.len())]),
            made(format!("actions={}", self.count)),
            made(format!("steps={}", self.steps)),
            made(format!("vault={}", self.vault_bytes)),
            Word::Labelled("root", &self.root),
        ]);
        for action in &self.actions {
            let note = action.note.as_deref().map_or(Word::Nothing, |note| Word::Labelled("note", note));
            lines.words([made(&action.summary), note]);
        }
        if self.count > self.actions.len() {
            lines.words([Word::Own("more"), made(self.count - self.actions.len())]);
        }
        for warning in &self.warnings {
            lines.words([Word::Own("warning"), made(warning)]);
        }
        lines.finish()
    }
}

impl Command for Preview {
    const SPEC: Spec = Spec::new("preview", Group::Files, Effect::Observe);
    type Output = Previewed;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Files(self.root.clone())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Previewed> {
        let text = if self.actions == "-" {
            cx.services.standard_input(cx.cancel)?
        } else {
            files::read_text(cx.services, &self.actions)?
        };
        let requests = files::requests(&text)?;
        let workspace = cx.services.files()?;
        let (digest, plan) = workspace.preview(Path::new(&self.root), requests, Origin::given())?;
        let root = path_text(&plan.root.path);
        let kept = surehand_kernel::vault::list(&workspace.root(Path::new(&self.root))?)?;
        Ok(Previewed {
            plan: digest,
            task: plan.task.clone(),
            root,
            origin: plan.origin.name.clone(),
            capabilities: plan.capabilities.iter().map(ToString::to_string).collect(),
            count: plan.actions.len(),
            steps: plan.steps.len(),
            actions: (0..plan.actions.len().min(self.limit)).map(|index| files::action(&plan, index)).collect(),
            vault_bytes: kept.iter().map(|kept| kept.bytes).sum(),
            warnings: plan.warnings,
        })
    }
}
