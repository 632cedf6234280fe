//! How a step may go on: the one place that knows.

use std::collections::BTreeMap;

use surehand_core::{Code, Error, Result};

use super::line::{DirTime, Intent, Line, Status, Way};

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing was begun.
    New,
    /// There is an intent to do it.
    Doing,
    /// Done.
    Done,
    /// Not done.
    Failed,
    /// Failed, and its effect is there.
    FailedThere,
    /// There is an intent to take it back; and whether it had failed before.
    Undoing(bool),
    /// Taken back.
    RolledBack,
    /// Nobody can tell.
    Unknown,
}

impl State {
    /// Whether its effect is there as far as anybody knows.
    pub const fn is_there(self) -> bool {
        matches!(self, State::Done | State::FailedThere)
    }

    /// Whether an intent is open.
    pub const fn is_open(self) -> bool {
        matches!(self, State::Doing | State::Undoing(_))
    }

    /// The word that readers see.
    pub const fn status(self) -> Option<Status> {
        match self {
            State::New => None,
            State::Doing | State::Undoing(_) => Some(Status::Started),
            State::Done => Some(Status::Ok),
            State::Failed | State::FailedThere => Some(Status::Failed),
            State::RolledBack => Some(Status::RolledBack),
            State::Unknown => Some(Status::Unknown),
        }
    }
}

/// Where a line leads from a state. Everything that is not listed is impossible, when writing as when reading.
///
/// # Errors
/// `INTERNAL` for what is not listed.
pub fn next(state: State, status: Status, way: Way, there: bool) -> Result<State> {
    Ok(match (state, way, status, there) {
        // Begun; also again, after it was not done or was taken back.
        (State::New | State::Failed | State::RolledBack, Way::Do, Status::Started, false) => State::Doing,
        // Not begun: what it was planned for is not there.
        (State::New | State::Failed | State::RolledBack, Way::Do, Status::Failed, false) => State::Failed,
        (State::Doing, Way::Do, Status::Ok, false) => State::Done,
        (State::Doing, Way::Do, Status::Failed, false) => State::Failed,
        (State::Doing, Way::Do, Status::Failed, true) => State::FailedThere,
        (State::Doing | State::Undoing(_), _, Status::Unknown, false) => State::Unknown,
        (State::Done, Way::Undo, Status::Started, false) => State::Undoing(false),
        (State::FailedThere, Way::Undo, Status::Started, false) => State::Undoing(true),
        (State::Undoing(_), Way::Undo, Status::RolledBack, false) => State::RolledBack,
        // Taking back did not happen: the effect is still there, and still marked so.
        (State::Undoing(false), Way::Undo, Status::Failed, true) => State::Done,
        (State::Undoing(true), Way::Undo, Status::Failed, true) => State::FailedThere,
        _ => {
            let what = format!("a step that is {state:?} cannot become {status:?}");
            return Err(Error::new(Code::Internal, what).kind("illegal_transition"));
        }
    })
}

/// A step as the journal knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How it stands.
    pub state: State,
    /// The action it belongs to.
    pub action_id: String,
    /// The kind of the action.
    pub kind: String,
    /// What it does.
    pub summary: String,
    /// SHA-256 of what was written.
    pub hash: Option<String>,
    /// The last intent to do it.
    pub done: Option<Intent>,
    /// The last intent to take it back.
    pub undone: Option<Intent>,
    /// What went wrong last.
    pub detail: Option<String>,
    /// When the last line of it was written.
    pub ts: u64,
}

/// A task as the journal knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// Who planned it.
    pub skill: String,
    /// The digest of its plan.
    pub plan: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub began: u64,
    /// When its last line was written.
    pub ended: u64,
    /// The pass that has begun and not ended.
    pub running: Option<Way>,
    /// How the last pass ended.
    pub outcome: Option<Status>,
    /// Times of directories before the last doing.
    pub before: Vec<DirTime>,
    /// Times of directories after it.
    pub after: Vec<DirTime>,
    /// What an undo that began is to put back.
    pub restore: Vec<DirTime>,
    /// The steps.
    pub steps: BTreeMap<u64, Step>,
}

/// Tasks, as lines of the journal make them.
#[derive(Debug, Clone, Default)]
pub struct Tasks(pub BTreeMap<String, Task>);

impl Tasks {
    /// Takes in one line.
    ///
    /// # Errors
    /// `INTERNAL` with `illegal_transition` when the line cannot follow what came before.
    pub fn take(&mut self, line: &Line) -> Result<()> {
        if line.is_about_journal() {
            return Ok(());
        }
        let task = self.0.entry(line.task_id.clone()).or_insert_with(|| Task {
            skill: line.skill.clone(),
            began: line.ts,
            ..Task::default()
        });
        task.ended = line.ts;
        if line.plan.is_some() {
            task.plan.clone_from(&line.plan);
        }
        let Some(number) = line.step else {
            match (line.way, line.status) {
                (Way::Do, Status::Started) => {
                    // A further line of the same doing only tells of more directories; one that goes on after a stop
                    // keeps the times from before the first.
                    let goes_on = task.steps.values().any(|step| step.state.is_there());
                    if task.running != Some(Way::Do) && !goes_on {
                        task.before.clear();
                        task.after.clear();
                    }
                    task.running = Some(Way::Do);
                    for dir in &line.dirs {
                        match task.before.iter_mut().find(|known| known.ino == dir.ino) {
                            None => task.before.push(dir.clone()),
                            // Somebody has changed it while the task was stopped: that time is theirs.
                            Some(known)
                                if task.after.iter().any(|left| left.ino == dir.ino && left.mtime != dir.mtime) =>
                            {
                                known.clone_from(dir);
                            }
                            Some(_) => {}
                        }
                    }
                }
                (Way::Undo, Status::Started) => {
                    task.running = Some(Way::Undo);
                    task.restore.clone_from(&line.dirs);
                }
                (way, status) => {
                    if way == Way::Do {
                        task.after.clear();
                    }
                    for dir in &line.dirs {
                        task.after.retain(|known| known.ino != dir.ino);
                        task.after.push(dir.clone());
                    }
                    task.running = None;
                    task.outcome = Some(status);
                }
            }
            return Ok(());
        };
        let step = task.steps.entry(number).or_insert_with(|| Step {
            state: State::New,
            action_id: line.action_id.clone(),
            kind: line.kind.clone(),
            summary: line.summary.clone(),
            hash: None,
            done: None,
            undone: None,
            detail: None,
            ts: line.ts,
        });
        step.state = next(step.state, line.status, line.way, line.there)?;
        step.ts = line.ts;
        step.detail.clone_from(&line.detail);
        if line.hash.is_some() {
            step.hash.clone_from(&line.hash);
        }
        if let Some(intent) = &line.intent {
            match line.way {
                Way::Do => step.done = Some(intent.clone()),
                Way::Undo => step.undone = Some(intent.clone()),
            }
        }
        Ok(())
    }

    /// The tasks that lines make.
    ///
    /// # Errors
    /// As [`Tasks::take`].
    pub fn of<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Result<Tasks> {
        let mut tasks = Tasks::default();
        for line in lines {
            tasks.take(line)?;
        }
        Ok(tasks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_listed_transitions_are_possible() {
        let states = [
            State::New,
            State::Doing,
            State::Done,
            State::Failed,
            State::FailedThere,
            State::Undoing(false),
            State::Undoing(true),
            State::RolledBack,
            State::Unknown,
        ];
        let statuses = [Status::Started, Status::Ok, Status::Failed, Status::RolledBack, Status::Unknown];
        let mut legal = 0;
        for state in states {
            for status in statuses {
                for way in [Way::Do, Way::Undo] {
                    for there in [false, true] {
                        let Ok(next) = next(state, status, way, there) else { continue };
                        legal += 1;
                        assert_ne!(state, State::Unknown, "unknown is final");
                        assert!(next != State::Done || state == State::Doing || state == State::Undoing(false));
                        assert!(next != State::RolledBack || matches!(state, State::Undoing(_)));
                    }
                }
            }
        }
        assert_eq!(legal, 21);
    }
}
