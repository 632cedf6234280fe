//! `apply`: do what a plan says, and nothing else.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::files;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Do what a plan says, and nothing else
///
/// A plan is done once, in a root that a person has configured, and only while everything is as it was when the plan
/// was made. If a step fails, what was done is taken back.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Apply {
    /// Digest of the plan, or its first eight digits or more
    #[arg(value_name = "PLAN")]
    plan: String,
    /// Go on with a plan that was interrupted, from the steps that are not done
    #[arg(long)]
    #[serde(default)]
    resume: bool,
}

/// What was done.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// The task; `undo` takes it back.
    task: String,
    /// How many steps are done.
    done: usize,
    /// How many steps there are.
    steps: usize,
}

impl Outline for Done {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("done"), made(&self.task), made(format!("steps={}/{}", self.done, self.steps))]);
        lines.finish()
    }
}

impl Command for Apply {
    const SPEC: Spec = Spec::new("apply", Group::Files, Effect::Files);
    type Output = Done;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Done> {
        let applied = cx.services.files()?.apply(&self.plan, self.resume, &files::control(cx.cancel))?;
        let (task, done, steps) = files::applied(applied)?;
        Ok(Done { task, done, steps })
    }
}
