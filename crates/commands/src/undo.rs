//! `undo`: take a task back.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Take a task back
///
/// What was changed since is not overwritten: it stays as it is, and is told.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {
    /// The task, as `history` lists it
    #[arg(value_name = "TASK")]
    task: String,
}

/// What was taken back.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TakenBack {
    /// The task.
    task: String,
    /// How many steps were taken back.
    taken_back: usize,
}

impl Outline for TakenBack {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("undone"), made(&self.task), made(format!("steps={}", self.taken_back))]);
        lines.finish()
    }
}

impl Command for Undo {
    const SPEC: Spec = Spec::new("undo", Group::Files, Effect::Files);
    type Output = TakenBack;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<TakenBack> {
        let undone = cx.services.files()?.undo(&self.task, &files::control(cx.cancel))?;
        let taken_back = files::undone(undone)?;
        Ok(TakenBack { task: self.task, taken_back })
    }
}
