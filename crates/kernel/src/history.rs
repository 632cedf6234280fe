//! What readers see of a journal. Reading takes no lock and changes nothing.

use serde::Serialize;
use surehand_core::{Code, Error, Result};

use crate::anchor::{self, Anchor};
use crate::engine::journal_id;
use crate::journal::{self, Head, Line, State, Status, Task, Tasks};
use crate::path::OURS;
use crate::root::{Root, failed};
use crate::sys::{Handle, lookup};

/// How the journal stands to what our state knows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// We wrote it, and all that we know of is in it.
    Ours,
    /// Our state knows nothing of it.
    Foreign,
    /// It lacks or contradicts what our state knows of it.
    Damaged,
}

/// What verifying a journal found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// How it stands.
    pub trust: Trust,
    /// How many lines are good.
    pub lines: u64,
    /// How many bytes at its end are no good lines.
    pub torn_bytes: u64,
    /// Steps whose outcome was never told: the root was not used since an interruption.
    pub open: usize,
    /// Steps about which nobody can tell.
    pub unknown: usize,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The task.
    pub task: String,
    /// Who planned it.
    pub skill: String,
    /// When it began, in milliseconds since 1970.
    pub began: u64,
    /// How many steps it has had.
    pub steps: usize,
    /// How many of them are done now.
    pub done: usize,
    /// How it stands.
    pub status: Status,
}

/// A journal that was read.
pub struct Read {
    /// Its tasks.
    pub tasks: Tasks,
    /// What verifying it found.
    pub verified: Verified,
}

/// Reads the journal of a root.
///
/// # Errors
/// What the system says, and `CONFLICT` when lines follow each other that cannot.
pub fn read(root: &Root<'_>, state: &Handle) -> Result<Read> {
    let sys = root.sys;
    let nothing = || Read {
        tasks: Tasks::default(),
        verified: Verified { trust: Trust::Ours, lines: 0, torn_bytes: 0, open: 0, unknown: 0 },
    };
    let unread = |errno| failed(errno, "the journal cannot be read");
    if lookup(sys, &root.dir.handle, OURS.as_bytes()).map_err(unread)?.is_none() {
        return Ok(nothing());
    }
    let ours = sys.open_dir(&root.dir.handle, OURS.as_bytes()).map_err(unread)?;
    if lookup(sys, &ours, journal::FILE.as_bytes()).map_err(unread)?.is_none() {
        return Ok(nothing());
    }
    let file = sys.open_file(&ours, journal::FILE.as_bytes()).map_err(unread)?;
    let found = journal::read(sys, &file, Head::default(), |_| true)?;
    let anchor = match journal_id(sys, &file)? {
        Some(id) => anchor::load(sys, state, &id)?,
        None => None,
    };
    let trust = match anchor {
        None => Trust::Foreign,
        Some(anchor) if holds(&found.lines, &found.head, &anchor) => Trust::Ours,
        Some(_) => Trust::Damaged,
    };
    let tasks = Tasks::of(&found.lines).map_err(|error| {
        Error::new(Code::Conflict, "the journal tells of something that cannot be")
            .kind("journal_damaged")
            .platform(error.to_string())
    })?;
    let steps = || tasks.0.values().flat_map(|task| task.steps.values());
    let verified = Verified {
        trust,
        lines: found.head.seq,
        torn_bytes: found.torn,
        open: steps().filter(|step| step.state.is_open()).count(),
        unknown: steps().filter(|step| step.state == State::Unknown).count(),
    };
    Ok(Read { tasks, verified })
}

/// Whether the journal reaches to the place that our state knows. Its chain up to there was verified by reading.
fn holds(lines: &[Line], head: &Head, anchor: &Anchor) -> bool {
    let known = anchor.head();
    known == *head || (known.seq < head.seq && lines.len() as u64 >= known.seq)
}

/// The tasks of a journal, the latest first.
pub fn entries(tasks: &Tasks) -> Vec<Entry> {
    let mut entries: Vec<Entry> = tasks.0.iter().map(|(id, task)| entry(id, task)).collect();
    entries.sort_by(|a, b| b.began.cmp(&a.began).then_with(|| b.task.cmp(&a.task)));
    entries
}

fn entry(id: &str, task: &Task) -> Entry {
    let count = |wanted: fn(State) -> bool| task.steps.values().filter(|step| wanted(step.state)).count();
    let done = count(State::is_there);
    let status = if count(|state| state == State::Unknown) > 0 {
        Status::Unknown
    } else if task.running.is_some() || count(State::is_open) > 0 {
        Status::Started
    } else if done == 0 && count(|state| state == State::RolledBack) > 0 {
        Status::RolledBack
    } else if done > 0 && done == task.steps.len() {
        Status::Ok
    } else {
        Status::Failed
    };
    Entry { task: id.to_owned(), skill: task.skill.clone(), began: task.began, steps: task.steps.len(), done, status }
}
