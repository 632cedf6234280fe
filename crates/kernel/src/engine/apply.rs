//! Applying a plan, resuming it, and rolling it back when a step fails.

use surehand_core::{Code, Error, Result};

use super::pass::Of;
use super::{Control, Job, Session, there, unknown};
use crate::capability::Capability;
use crate::effect::Step;
use crate::journal::{Line, State, Status, Task, Way};
use crate::plan::Plan;
use crate::policy::check_capabilities;

/// What became of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every step was done.
    Done,
    /// A step failed, and all that was done was taken back.
    RolledBack,
    /// A step failed, and not all could be taken back, or nobody can tell.
    Partly,
    /// It was stopped at a step boundary; what was done is done.
    Stopped,
}

/// What applying came to.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The task.
    pub task: String,
    /// What became of it.
    pub outcome: Outcome,
    /// How many steps there are.
    pub steps: usize,
    /// How many of them are done now.
    pub done: usize,
    /// The failure that ended it.
    pub failure: Option<Error>,
    /// Steps whose effect is there although it was to be taken back, with the reason.
    pub left: Vec<(u64, Error)>,
    /// Steps about which nobody can tell.
    pub unknown: Vec<u64>,
}

impl Session<'_> {
    /// Applies a plan that has not been applied yet.
    ///
    /// # Errors
    /// `PLAN_USED`, `PLAN_STALE`, or a refusal, with nothing done. `UNKNOWN_OUTCOME` when the journal cannot be
    /// written: what is open then is settled when the root is used next.
    pub fn apply(&mut self, plan: &Plan, granted: &[Capability], control: &Control<'_>) -> Result<Applied> {
        let digest = plan.digest()?;
        if let Some(task) = self.task_of_plan(&digest)? {
            return Err(Error::new(Code::PlanUsed, format!("this plan was applied already, as {task}"))
                .kind("plan_used")
                .detail("task", task)
                .suggest("`surehand show TASK` tells what became of it"));
        }
        plan.check(&self.root, granted)?;
        let jobs = jobs_of(plan, |_| true);
        self.run_plan(plan, &digest, &jobs, control)
    }

    /// Goes on with a plan that was interrupted, from the steps that are not done.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it never began, `PLAN_USED` when nothing of it is left to do or a step of it is unknown.
    pub fn resume(&mut self, plan: &Plan, granted: &[Capability], control: &Control<'_>) -> Result<Applied> {
        check_capabilities(&plan.capabilities, granted, &self.root.path)?;
        if plan.root.ino != self.root.dir.ino || plan.root.path != self.root.path.as_os_str().as_encoded_bytes() {
            return Err(Error::new(Code::PlanStale, "the plan is for another root").kind("another_root"));
        }
        let digest = plan.digest()?;
        let Some(id) = self.task_of_plan(&digest)? else {
            return Err(Error::new(Code::InvalidArgs, "this plan was never applied").kind("not_applied"));
        };
        let task = self.task(&id)?;
        let taken_back = task.steps.values().any(|step| step.state == State::RolledBack);
        let complete = plan.steps.len() == task.steps.values().filter(|step| step.state == State::Done).count();
        if taken_back || complete || !unknown(&task).is_empty() {
            return Err(Error::new(Code::PlanUsed, format!("{id} is over and cannot be resumed")).kind("plan_used"));
        }
        let done = there(&task);
        let jobs = jobs_of(plan, |number| !done.contains(&number));
        self.run_plan(plan, &digest, &jobs, control)
    }

    fn run_plan(&mut self, plan: &Plan, digest: &str, jobs: &[Job], control: &Control<'_>) -> Result<Applied> {
        let of = Of { task: &plan.task, skill: &plan.origin.name, plan: Some(plan), stop: true };
        let applied = self.run_doing(&of, Some(digest), jobs, control)?;
        Ok(Applied { steps: plan.steps.len(), ..applied })
    }

    /// A pass of doing, and its end, whatever that is.
    pub(super) fn run_doing(
        &mut self,
        of: &Of<'_>,
        digest: Option<&str>,
        jobs: &[Job],
        control: &Control<'_>,
    ) -> Result<Applied> {
        self.told.clear();
        let mut begin = Line::of_task(of.task, of.skill, Status::Started, Way::Do);
        begin.plan = digest.map(str::to_owned);
        self.journal.add(begin)?;
        let ran = self.carry_out(of, jobs, control)?;
        let whole = ran.failed.is_empty() && !ran.cancelled;
        self.journal.commit()?;
        self.clear_leftovers();
        let mut task = self.task(of.task)?;
        let mut end = Line::of_task(of.task, of.skill, if whole { Status::Ok } else { Status::Failed }, Way::Do);
        end.dirs = self.times_now(&task.before);
        end.detail = ran.failed.first().map(|(_, error)| error.message().to_owned());
        if ran.cancelled {
            end.detail = Some("interrupted".to_owned());
        }
        super::settle::task_take(&mut task, &end)?;
        self.journal.add(end)?;
        let mut applied = Applied {
            task: of.task.to_owned(),
            outcome: if ran.cancelled { Outcome::Stopped } else { Outcome::Done },
            steps: jobs.len(),
            done: ran.over.len(),
            failure: ran.failed.first().map(|(_, error)| error.clone()),
            left: Vec::new(),
            unknown: ran.unknown.clone(),
        };
        if !ran.failed.is_empty() {
            let mine: Vec<u64> = ran.over.iter().chain(&ran.there).copied().collect();
            self.roll_back(of, &task, &mine, &mut applied)?;
        }
        self.journal.commit()?;
        self.anchor()?;
        Ok(applied)
    }

    /// Takes back what this pass has done, in reverse.
    fn roll_back(&mut self, of: &Of<'_>, task: &Task, mine: &[u64], applied: &mut Applied) -> Result<()> {
        // Nobody stops a rollback: half of a plan is what a person asked for least.
        let control = Control { cancel: &surehand_core::time::Cancel::default(), progress: &|_, _| {} };
        let undone = self.take_back(of, task, &task.before, |number| mine.contains(&number), &control)?;
        applied.unknown.extend(undone.unknown);
        applied.left = undone.conflicts;
        applied.done = applied.left.len();
        applied.outcome =
            if applied.left.is_empty() && applied.unknown.is_empty() { Outcome::RolledBack } else { Outcome::Partly };
        Ok(())
    }
}

/// The jobs of a plan.
fn jobs_of(plan: &Plan, wanted: impl Fn(u64) -> bool) -> Vec<Job> {
    plan.steps
        .iter()
        .enumerate()
        .filter(|(number, _)| wanted(*number as u64))
        .map(|(number, planned)| {
            let request = &plan.actions[planned.action.min(plan.actions.len().saturating_sub(1))];
            let (hash, writes) = match &planned.step {
                Step::Fill(fill) => (Some(fill.hash.clone()), fill.from.is_none()),
                Step::Swap(swap) => (swap.hash.clone(), true),
                _ => (None, false),
            };
            Job {
                number: number as u64,
                way: Way::Do,
                action_id: plan.action_id(planned.action),
                kind: request.action.kind().to_owned(),
                summary: request.action.summary(),
                step: planned.step.clone(),
                expect: planned.expect.clone(),
                hash,
                content: writes.then_some(planned.action),
            }
        })
        .collect()
}
