//! Doing, and everything that doing can come to.
//!
//! A [`Session`] holds a root locked, with a journal in which nothing is open: what an earlier run left open is settled
//! when the session is opened. All work is passes of jobs through [`pass`]: doing, rolling back, undoing, redoing.

use std::collections::{BTreeSet, HashSet};

use rustix::io::Errno;
use surehand_core::time::Cancel;
use surehand_core::{Code, Error, Result};

use crate::anchor;
use crate::canonical::hex;
use crate::effect::{Expect, Record, Step};
use crate::journal::{self, Found, Head, Journal, Line, State, Status, Tasks, Way};
use crate::path::{OURS, shown};
use crate::root::{Root, STAGE, VAULT, failed};
use crate::sys::{Handle, System, lookup};

mod apply;
mod pass;
mod settle;
mod times;
mod undo;

pub use apply::{Applied, Outcome};
pub use undo::Undone;

/// How many intents are made durable at once.
pub const GROUP: usize = 500;

/// What a caller watches and stops work with.
pub struct Control<'a> {
    /// Raised to stop at the next step boundary.
    pub cancel: &'a Cancel,
    /// Told how many steps of how many are over.
    pub progress: &'a dyn Fn(u64, u64),
}

/// One step to be carried out.
pub(crate) struct Job {
    number: u64,
    way: Way,
    action_id: String,
    kind: String,
    summary: String,
    step: Step,
    expect: Expect,
    hash: Option<String>,
    /// The action whose content it writes.
    content: Option<usize>,
}

/// A root that is locked for work.
pub struct Session<'s> {
    /// The root.
    pub root: Root<'s>,
    /// The id of its journal.
    pub id: String,
    /// What settling found and did, in our words.
    pub notes: Vec<String>,
    state: Handle,
    ours: Handle,
    journal: Journal<'s>,
    /// Directories whose times this pass has told.
    told: HashSet<u64>,
    /// What was prepared for steps that are not done.
    leftovers: Vec<(Step, Record)>,
    /// Held until the session is dropped.
    _lock: Handle,
}

impl<'s> Session<'s> {
    /// Opens a root for work: makes our folder where there is none, locks it, reads the journal, and settles what is open.
    ///
    /// # Errors
    /// `CONFLICT` when another process works there, or the journal is not what our state knows of it;
    /// `APPROVAL_REQUIRED` when the journal is not ours; what the system says.
    pub fn open(root: Root<'s>, state: Handle) -> Result<Session<'s>> {
        Session::open_as(root, state, false)
    }

    /// As [`Session::open`], and takes over a journal that is not ours. A person's decision.
    ///
    /// # Errors
    /// As [`Session::open`], but for the journal not being ours; `CONFLICT` when it is damaged.
    pub fn adopt(root: Root<'s>, state: Handle) -> Result<Session<'s>> {
        Session::open_as(root, state, true)
    }

    fn open_as(root: Root<'s>, state: Handle, adopt: bool) -> Result<Session<'s>> {
        let sys = root.sys;
        let ours = make_folders(&root)?;
        let lock = lock(sys, &ours)?;
        let file = sys
            .open_or_create(&ours, journal::FILE.as_bytes())
            .map_err(|errno| failed(errno, "the journal cannot be opened"))?;
        let (id, found, mut notes) = read_journal(&root, &state, &ours, &file, adopt)?;
        let journal = Journal::new(sys, file, found.head.clone());
        let mut session = Session {
            root,
            id,
            notes: Vec::new(),
            state,
            ours,
            journal,
            told: HashSet::new(),
            leftovers: Vec::new(),
            _lock: lock,
        };
        if found.torn > 0 {
            session.put_aside(&found, &mut notes)?;
        }
        session.notes = notes;
        let tasks = session.whole_tasks(&found.lines)?;
        session.settle(tasks)?;
        session.sweep();
        if adopt || session.journal.head() != &found.head || found.lines.iter().any(|line| !line.is_about_journal()) {
            session.anchor()?;
        }
        Ok(session)
    }

    fn sys(&self) -> &'s dyn System {
        self.root.sys
    }

    /// Keeps the head in our state. Only when nothing is open.
    fn anchor(&self) -> Result<()> {
        let root = self.root.path.as_os_str().as_encoded_bytes();
        anchor::save(self.sys(), &self.state, &self.id, root, self.journal.head())
    }

    /// Adds a line that is about no step, durably.
    pub(crate) fn tell(&mut self, line: Line) -> Result<()> {
        self.journal.add(line)?;
        self.journal.commit()?;
        self.anchor()
    }

    /// A torn tail goes into a file of its own, so that the journal ends with its last good line.
    fn put_aside(&mut self, found: &Found, notes: &mut Vec<String>) -> Result<()> {
        let sys = self.sys();
        let file = self.journal.file().clone();
        let moved = || {
            let tail = sys.read(&file, found.head.offset, usize::try_from(found.torn).unwrap_or(usize::MAX))?;
            let name = format!("torn-{}-{}", found.head.seq, &crate::canonical::sha256(&tail)[..12]);
            if lookup(sys, &self.ours, name.as_bytes())?.is_none() {
                let aside = sys.create(&self.ours, name.as_bytes())?;
                sys.write(&aside, 0, &tail)?;
                sys.sync(&aside)?;
                sys.sync(&self.ours)?;
            }
            sys.truncate(&file, found.head.offset)?;
            sys.sync(&file)?;
            Ok(name)
        };
        let name = moved().map_err(|errno| failed(errno, "the torn end of the journal cannot be put aside"))?;
        let note = format!("{} bytes at the end of the journal were torn and are kept in {name}", found.torn);
        let mut line = Line::of_task(&self.id, "surehand", Status::Failed, Way::Do);
        line.kind = "journal".to_owned();
        line.detail = Some(note.clone());
        self.journal.add(line)?;
        self.journal.commit()?;
        notes.push(note);
        Ok(())
    }

    /// The tasks that lines are of, with all their lines: one that is taken back began before the anchor.
    fn whole_tasks(&self, lines: &[Line]) -> Result<Tasks> {
        let ids: HashSet<&str> =
            lines.iter().filter(|line| !line.is_about_journal()).map(|line| line.task_id.as_str()).collect();
        if ids.is_empty() {
            return Ok(Tasks::default());
        }
        let wanted = |line: &[u8]| ids.iter().any(|id| contains(line, id.as_bytes()));
        let found = journal::read(self.sys(), self.journal.file(), Head::default(), wanted)?;
        Tasks::of(found.lines.iter().filter(|line| ids.contains(line.task_id.as_str())))
    }

    /// Removes what was prepared for steps that the journal durably calls not done. Not before: until then the look of
    /// another recovery has to find it.
    fn clear_leftovers(&mut self) {
        for (step, record) in std::mem::take(&mut self.leftovers) {
            step.effect().discard(&self.root, &record);
        }
    }

    /// Removes what was prepared and never entered. Nothing is open, so every new file or folder that is still under its
    /// name of ours is a copy of something that is elsewhere. What waits in a cycle of names has another name.
    fn sweep(&self) {
        let Ok(stage) = self.sys().open_dir(&self.ours, STAGE.as_bytes()) else { return };
        for name in self.sys().list(&stage).unwrap_or_default() {
            if !name.starts_with(b"new-") {
                continue;
            }
            let gone = match self.sys().stat(&stage, &name) {
                Ok(stat) if stat.kind == crate::sys::Kind::Dir => self.sys().rmdir(&stage, &name),
                Ok(_) => self.sys().unlink(&stage, &name),
                Err(errno) => Err(errno),
            };
            if let Err(errno) = gone {
                tracing::debug!(%errno, "something that was prepared stays in our folder");
            }
        }
    }

    /// A task as the journal knows it.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is none of that id.
    pub fn task(&self, id: &str) -> Result<journal::Task> {
        let needle = id.as_bytes();
        let found = journal::read(self.sys(), self.journal.file(), Head::default(), |line| contains(line, needle))?;
        let mut tasks = Tasks::of(found.lines.iter().filter(|line| line.task_id == id))?;
        tasks.0.remove(id).ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("there is no task {} here", shown(needle)))
                .kind("no_such_task")
                .suggest("`surehand history` lists the tasks")
        })
    }

    /// The task that a plan became, where it was applied.
    ///
    /// # Errors
    /// What the system says.
    fn task_of_plan(&self, digest: &str) -> Result<Option<String>> {
        let needle = digest.as_bytes();
        let found = journal::read(self.sys(), self.journal.file(), Head::default(), |line| contains(line, needle))?;
        Ok(found.lines.into_iter().find(|line| line.plan.as_deref() == Some(digest)).map(|line| line.task_id))
    }
}

fn contains(line: &[u8], needle: &[u8]) -> bool {
    line.windows(needle.len()).any(|window| window == needle)
}

/// Our folder in a root. The time of the root is left as it was: making the folder is nobody's change of the data.
fn make_folders(root: &Root<'_>) -> Result<Handle> {
    let sys = root.sys;
    let made = || {
        let top = &root.dir.handle;
        if lookup(sys, top, OURS.as_bytes())?.is_none() {
            let before = sys.stat_open(top)?;
            match sys.mkdir(top, OURS.as_bytes()) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            sys.set_times(top, before.atime, before.mtime)?;
            sys.sync(top)?;
        }
        let ours = sys.open_dir(top, OURS.as_bytes())?;
        for name in [STAGE, VAULT] {
            if lookup(sys, &ours, name.as_bytes())?.is_none() {
                match sys.mkdir(&ours, name.as_bytes()) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(errno) => return Err(errno),
                }
                sys.sync(&ours)?;
            }
        }
        Ok(ours)
    };
    made().map_err(|errno| failed(errno, "our folder `.surehand` in the root cannot be used"))
}

fn lock(sys: &dyn System, ours: &Handle) -> Result<Handle> {
    let file =
        sys.open_or_create(ours, b"lock").map_err(|errno| failed(errno, "the lock of the root cannot be opened"))?;
    match sys.lock(&file) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => Err(Error::new(Code::Conflict, "another process works in this root")
            .kind("root_busy")
            .suggest("try again when it has ended")),
        Err(errno) => Err(failed(errno, "the root cannot be locked")),
    }
}

/// The id of the journal, its lines since the anchor, and notes.
fn read_journal(
    root: &Root<'_>,
    state: &Handle,
    ours: &Handle,
    file: &Handle,
    adopt: bool,
) -> Result<(String, Found, Vec<String>)> {
    let sys = root.sys;
    let unread = |errno| failed(errno, "the journal cannot be read");
    let Some(id) = journal_id(sys, file)? else {
        // Nothing in it was ever complete, so nothing was ever done by it.
        let size = sys.stat_open(file).map_err(unread)?.size;
        if size > 0 {
            let aside = format!("torn-0-{}", &hex(&sys.random().map_err(unread)?)[..12]);
            let tail = sys.read(file, 0, usize::try_from(size).unwrap_or(usize::MAX)).map_err(unread)?;
            let kept = sys.create(ours, aside.as_bytes()).and_then(|copy| {
                sys.write(&copy, 0, &tail)?;
                sys.sync(&copy)?;
                sys.truncate(file, 0)
            });
            kept.map_err(|errno| failed(errno, "the torn journal cannot be put aside"))?;
        }
        let id = hex(&sys.random().map_err(unread)?);
        let mut fresh = Journal::new(sys, file.clone(), Head::default());
        let mut line = Line::of_task(&id, "surehand", Status::Ok, Way::Do);
        line.kind = "journal".to_owned();
        fresh.add(line)?;
        fresh.commit()?;
        // The name of the journal has to be as durable as what is in it.
        sys.sync(ours).map_err(|errno| failed(errno, "the journal cannot be made durable"))?;
        let found = Found { head: fresh.head().clone(), ..Found::default() };
        anchor::save(sys, state, &id, root.path.as_os_str().as_encoded_bytes(), &found.head)?;
        return Ok((id, found, Vec::new()));
    };
    let anchor = anchor::load(sys, state, &id)?;
    let from = match &anchor {
        Some(anchor) if !adopt => anchor.head(),
        _ => Head::default(),
    };
    if !ends_at(sys, file, &from)? {
        return Err(Error::new(
            Code::Conflict,
            "the journal is not the one that our state knows: it was cut or changed",
        )
        .kind("journal_damaged")
        .suggest("look at it with `surehand journal verify`; a person takes it over with `surehand adopt`"));
    }
    let found = journal::read(sys, file, from, |_| true)?;
    if anchor.is_none() && !adopt && found.lines.iter().any(|line| !line.is_about_journal()) {
        return Err(Error::new(Code::ApprovalRequired, "the journal in this root was not written by this surehand")
            .kind("journal_not_ours")
            .suggest("a person takes it over with `surehand adopt`"));
    }
    if anchor.is_none() && !adopt {
        anchor::save(sys, state, &id, root.path.as_os_str().as_encoded_bytes(), &found.head)?;
    }
    Ok((id, found, Vec::new()))
}

/// The id in the first line of a journal, where that is whole.
pub(crate) fn journal_id(sys: &dyn System, file: &Handle) -> Result<Option<String>> {
    let start = sys.read(file, 0, 4096).map_err(|errno| failed(errno, "the journal cannot be read"))?;
    let Some(end) = start.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
    let line: Option<Line> = serde_json::from_slice(&start[..end]).ok();
    let hex = |id: &String| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(line.filter(|line| line.kind == "journal").map(|line| line.task_id).filter(hex))
}

/// Whether the line that ends at a place has its chain.
fn ends_at(sys: &dyn System, file: &Handle, head: &Head) -> Result<bool> {
    if head.offset == 0 {
        return Ok(true);
    }
    let tail = format!("\"chain\":\"{}\"}}\n", head.chain);
    let Some(start) = head.offset.checked_sub(tail.len() as u64) else { return Ok(false) };
    let bytes = sys.read(file, start, tail.len()).map_err(|errno| failed(errno, "the journal cannot be read"))?;
    Ok(bytes == tail.as_bytes())
}

/// Steps of a task by how they stand.
pub(crate) fn there(task: &journal::Task) -> BTreeSet<u64> {
    task.steps.iter().filter(|(_, step)| step.state.is_there()).map(|(number, _)| *number).collect()
}

/// Steps of a task about which nobody can tell.
pub(crate) fn unknown(task: &journal::Task) -> Vec<u64> {
    task.steps.iter().filter(|(_, step)| step.state == State::Unknown).map(|(number, _)| *number).collect()
}
