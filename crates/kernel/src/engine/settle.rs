//! After a crash: what is open is looked at, and the journal told. Nothing is done again.
//!
//! Every write of settling is one that the next settling would make as well, so it may be killed at any point.

use surehand_core::Result;

use super::Session;
use crate::effect::Standing;
use crate::journal::{Line, State, Status, Tasks, Way};
use crate::root::{OpenDir, failed};

impl Session<'_> {
    /// Settles every open intent and every unfinished pass.
    pub(super) fn settle(&mut self, tasks: Tasks) -> Result<()> {
        for (id, mut task) in tasks.0 {
            let open = task.steps.values().any(|step| step.state.is_open());
            if !open && task.running.is_none() {
                continue;
            }
            self.root.forget();
            let mut lines = Vec::new();
            for (number, step) in &task.steps {
                let (way, intent) = match step.state {
                    State::Doing => (Way::Do, step.done.as_ref()),
                    State::Undoing(_) => (Way::Undo, step.undone.as_ref()),
                    _ => continue,
                };
                let Some(intent) = intent else { continue };
                let effect = intent.step.effect();
                let mut standing = effect.probe(&self.root, &intent.record)?;
                if standing == Standing::Between {
                    effect.retract(&self.root, &intent.record)?;
                    standing = Standing::Before;
                }
                let mut line = Line::of_task(&id, &task.skill, Status::Unknown, way);
                line.action_id.clone_from(&step.action_id);
                line.kind.clone_from(&step.kind);
                line.summary.clone_from(&step.summary);
                line.hash.clone_from(&step.hash);
                line.step = Some(*number);
                line.detail = Some("settled after an interruption".to_owned());
                match (standing, way) {
                    (Standing::After, Way::Do) => {
                        line.status = Status::Ok;
                        line.undo = Some(intent.step.way_back());
                    }
                    (Standing::After, Way::Undo) => line.status = Status::RolledBack,
                    (Standing::Before, way) => {
                        self.leftovers.push((intent.step.clone(), intent.record.clone()));
                        line.status = Status::Failed;
                        line.there = way == Way::Undo;
                    }
                    (Standing::Between | Standing::Unknown, _) => {}
                }
                // What the look has seen may be in memory only: it has to be durable before a line says so.
                for path in effect.paths().into_iter().rev() {
                    if let Ok(place) = self.root.place(path) {
                        self.make_durable(&place.dir)?;
                    }
                }
                lines.push(line);
            }
            let settled = lines.len();
            for line in lines {
                task_take(&mut task, &line)?;
                self.journal.add(line)?;
            }
            self.journal.commit()?;
            self.clear_leftovers();
            if let Some(way) = task.running {
                let mut line = Line::of_task(&id, &task.skill, Status::Failed, way);
                line.detail = Some("interrupted".to_owned());
                match way {
                    Way::Do => {
                        if !task.steps.values().any(|step| step.state.is_there()) {
                            let before = task.before.clone();
                            self.restore_times(&task, &before)?;
                        }
                        line.dirs = self.times_now(&task.before);
                    }
                    Way::Undo => {
                        let restore = task.restore.clone();
                        self.restore_times(&task, &restore)?;
                        line.dirs = self.times_now(&restore);
                        if !task.steps.values().any(|step| step.state.is_there()) {
                            line.status = Status::RolledBack;
                        }
                    }
                }
                self.journal.add(line)?;
                self.journal.commit()?;
            }
            self.notes.push(format!("{id} was interrupted; {settled} steps were looked at"));
        }
        Ok(())
    }

    fn make_durable(&self, dir: &OpenDir) -> Result<()> {
        self.sys().sync(&dir.handle).map_err(|errno| failed(errno, "a directory cannot be made durable"))
    }
}

/// Takes a line into a task that is at hand.
pub(super) fn task_take(task: &mut crate::journal::Task, line: &Line) -> Result<()> {
    let mut tasks = Tasks::default();
    tasks.0.insert(line.task_id.clone(), std::mem::take(task));
    tasks.take(line)?;
    *task = tasks.0.remove(&line.task_id).unwrap_or_default();
    Ok(())
}
