//! `redo`: do again what was taken back of a task.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Do again what was taken back of a task
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Redo {
    /// The task, as `history` lists it
    #[arg(value_name = "TASK")]
    task: String,
}

/// What was done again.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DoneAgain {
    /// The task.
    task: String,
    /// How many steps were done.
    done: usize,
}

impl Outline for DoneAgain {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("redone"), made(&self.task), made(format!("steps={}", self.done))]);
        lines.finish()
    }
}

impl Command for Redo {
    const SPEC: Spec = Spec::new("redo", Group::Files, Effect::Files).for_person();
    type Output = DoneAgain;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<DoneAgain> {
        let question =
            format!("surehand is to do again what was taken back of {}", surehand_core::text::quote(&self.task));
        cx.services.confirm(cx.cancel, &question)?;
        let applied = cx.services.files()?.redo(&self.task, &files::control(cx.cancel))?;
        let (task, done, _) = files::applied(applied)?;
        Ok(DoneAgain { task, done })
    }
}
