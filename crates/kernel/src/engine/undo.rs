//! Taking a task back, and doing it again. Both are added to the journal; nothing in it is changed.

use surehand_core::{Code, Error, Result};

use super::pass::Of;
use super::{Applied, Control, Job, Session, unknown};
use crate::journal::{DirTime, Line, State, Status, Step as StepState, Task, Way};

/// What taking back came to.
#[derive(Debug, Clone, Default)]
pub struct Undone {
    /// How many steps were taken back.
    pub taken_back: usize,
    /// Steps that stay, with the reason: what was there was changed since, and both are kept.
    pub conflicts: Vec<(u64, Error)>,
    /// Steps about which nobody can tell.
    pub unknown: Vec<u64>,
    /// Whether it was stopped at a step boundary.
    pub stopped: bool,
}

impl Session<'_> {
    /// Takes a task back. What a person has changed since is not overwritten: it stays, and is told.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is no such task or nothing of it to take back, `UNKNOWN_OUTCOME` as for applying.
    pub fn undo(&mut self, id: &str, control: &Control<'_>) -> Result<Undone> {
        let task = self.task(id)?;
        if !task.steps.values().any(|step| step.state.is_there()) {
            let unknown = unknown(&task);
            let error = Error::new(Code::InvalidArgs, format!("nothing of {id} is there to take back"));
            return Err(error.kind("nothing_to_undo").detail("unknown", unknown));
        }
        let of = Of { task: id, skill: &task.skill.clone(), plan: None, stop: false };
        let restore = self.to_restore(&task);
        let undone = self.take_back(&of, &task, &restore, |_| true, control)?;
        self.anchor()?;
        Ok(undone)
    }

    /// A pass of taking back, of the steps that are there and wanted, the last one first.
    pub(super) fn take_back(
        &mut self,
        of: &Of<'_>,
        task: &Task,
        restore: &[DirTime],
        wanted: impl Fn(u64) -> bool,
        control: &Control<'_>,
    ) -> Result<Undone> {
        let mut begin = Line::of_task(of.task, of.skill, Status::Started, Way::Undo);
        begin.dirs = restore.to_vec();
        self.journal.add(begin)?;
        self.root.forget();
        let mut undone = Undone::default();
        let mut jobs = Vec::new();
        for (number, step) in task.steps.iter().rev().filter(|(number, step)| step.state.is_there() && wanted(**number))
        {
            let Some(intent) = &step.done else { continue };
            let unique = format!("{}-{number}-{}", of.task, self.journal.head().seq);
            match intent.step.effect().undo(&self.root, &intent.record, step.hash.as_deref(), &unique) {
                Ok((way_back, expect)) => jobs.push(job(*number, Way::Undo, step, way_back, expect)),
                Err(error) => undone.conflicts.push((*number, error)),
            }
        }
        let of = Of { task: of.task, skill: of.skill, plan: None, stop: false };
        let ran = self.carry_out(&of, &jobs, control)?;
        self.journal.commit()?;
        self.clear_leftovers();
        let now = self.task(of.task)?;
        self.restore_times(&now, restore)?;
        undone.taken_back = ran.over.len();
        undone.conflicts.extend(ran.failed.into_iter().filter(|(number, _)| !ran.unknown.contains(number)));
        undone.unknown = ran.unknown;
        undone.stopped = ran.cancelled;
        let whole = undone.conflicts.is_empty() && undone.unknown.is_empty() && !undone.stopped;
        let status = if whole { Status::RolledBack } else { Status::Failed };
        let mut end = Line::of_task(of.task, of.skill, status, Way::Undo);
        // What was not taken back now may be taken back later, with its times.
        end.dirs = self.times_now(restore);
        self.journal.add(end)?;
        self.journal.commit()?;
        Ok(undone)
    }

    /// Does again what was taken back of a task, in the first order.
    ///
    /// # Errors
    /// `INVALID_ARGS` when nothing of it was taken back, `UNKNOWN_OUTCOME` as for applying.
    pub fn redo(&mut self, id: &str, control: &Control<'_>) -> Result<Applied> {
        let task = self.task(id)?;
        self.root.forget();
        let mut jobs = Vec::new();
        for (number, step) in task.steps.iter().filter(|(_, step)| step.state == State::RolledBack) {
            let Some(intent) = &step.undone else { continue };
            let unique = format!("{id}-{number}-{}", self.journal.head().seq);
            let (again, mut expect) = intent.step.effect().undo(&self.root, &intent.record, None, &unique)?;
            // What was changed since it was taken back is not what was approved.
            expect.may_differ = false;
            jobs.push(job(*number, Way::Do, step, again, expect));
        }
        if jobs.is_empty() {
            let error = Error::new(Code::InvalidArgs, format!("nothing of {id} was taken back"));
            return Err(error.kind("nothing_to_redo"));
        }
        let of = Of { task: id, skill: &task.skill, plan: None, stop: true };
        self.run_doing(&of, None, &jobs, control)
    }
}

fn job(number: u64, way: Way, step: &StepState, what: crate::effect::Step, expect: crate::effect::Expect) -> Job {
    Job {
        number,
        way,
        action_id: step.action_id.clone(),
        kind: step.kind.clone(),
        summary: step.summary.clone(),
        step: what,
        expect,
        hash: step.hash.clone(),
        content: None,
    }
}
