//! `show`: show the steps of a task.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files::StepView;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Show the steps of a task
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Show {
    /// The task, as `history` lists it
    #[arg(value_name = "TASK")]
    task: String,
}

/// A task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// The task.
    task: String,
    /// Its root.
    root: String,
    /// Who planned it.
    skill: String,
    /// Its steps.
    steps: Vec<StepView>,
}

impl Outline for Shown {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("task"),
            made(&self.task),
            Word::Labelled("root", &self.root),
            Word::Labelled("by", &self.skill),
        ]);
        for step in &self.steps {
            let detail = step.detail.as_deref().map_or(Word::Nothing, |detail| Word::Labelled("detail", detail));
            lines.words([made(step.step), made(&step.status), made(&step.summary), detail]);
        }
        lines.finish()
    }
}

impl Command for Show {
    const SPEC: Spec = Spec::new("show", Group::Files, Effect::Observe);
    type Output = Shown;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Shown> {
        let workspace = cx.services.files()?;
        let root = workspace.root_of(&self.task)?.path.clone();
        let read = workspace.read(&root)?;
        let task = read.tasks.0.get(&self.task).cloned().unwrap_or_default();
        let steps = task.steps.iter().map(|(number, step)| StepView::of(*number, step)).collect();
        Ok(Shown { task: self.task, root: root.to_string_lossy().into_owned(), skill: task.skill, steps })
    }
}
