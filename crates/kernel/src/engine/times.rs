//! Times of directories: a rename changes them, and taking it back has to put them back.

use std::collections::HashSet;

use surehand_core::{Code, Error, Result};

use super::pass::{Of, is_ours};
use super::{Job, Session};
use crate::effect::Step;
use crate::journal::{DirTime, Line, Status, Task, Way};
use crate::path::RelPath;
use crate::root::{OpenDir, failed};

impl Session<'_> {
    /// The line that tells the times of directories which a group of doing is the first to touch.
    pub(super) fn tell_dirs(&mut self, of: &Of<'_>, jobs: &[Job]) -> Result<Vec<Line>> {
        let mut dirs: Vec<DirTime> = Vec::new();
        let mut seen: HashSet<u64> = HashSet::new();
        for job in jobs.iter().filter(|job| job.way == Way::Do) {
            for path in job.step.effect().paths() {
                let parent = path.parent();
                if path.components().next().is_some_and(|name| name == crate::path::OURS.as_bytes()) {
                    continue;
                }
                // A directory that is not there is what the check of the job will tell.
                let dir = match self.root.directory(parent.as_ref()) {
                    Ok(dir) => dir,
                    Err(error) if is_absent(&error) => continue,
                    Err(error) => return Err(error),
                };
                if !self.told.contains(&dir.ino) && seen.insert(dir.ino) {
                    dirs.push(self.time(parent, &dir)?);
                }
            }
        }
        self.told.extend(seen);
        if dirs.is_empty() {
            return Ok(Vec::new());
        }
        let mut line = Line::of_task(of.task, of.skill, Status::Started, Way::Do);
        line.dirs = dirs;
        Ok(vec![line])
    }

    fn time(&self, path: Option<RelPath>, dir: &OpenDir) -> Result<DirTime> {
        let stat =
            self.sys().stat_open(&dir.handle).map_err(|errno| failed(errno, "a directory cannot be looked at"))?;
        Ok(DirTime { path, ino: dir.ino, mtime: stat.mtime })
    }

    /// The present times of directories, of those that are where they were.
    pub(super) fn times_now(&self, dirs: &[DirTime]) -> Vec<DirTime> {
        dirs.iter()
            .filter_map(|known| {
                let dir = self.root.directory(known.path.as_ref()).ok()?;
                let now = self.time(known.path.clone(), &dir).ok()?;
                (now.ino == known.ino).then_some(now)
            })
            .collect()
    }

    /// Which times an undo is to put back: not those of directories that somebody has changed since.
    pub(super) fn to_restore(&self, task: &Task) -> Vec<DirTime> {
        let now = self.times_now(&task.before);
        let of = |list: &[DirTime], ino| list.iter().find(|dir| dir.ino == ino).map(|dir| dir.mtime);
        task.before
            .iter()
            .filter(|dir| match (of(&task.after, dir.ino), of(&now, dir.ino)) {
                (Some(after), Some(now)) => after == now,
                _ => true,
            })
            .cloned()
            .collect()
    }

    /// Puts times back, except of directories in which something of the task is still there.
    pub(super) fn restore_times(&self, task: &Task, restore: &[DirTime]) -> Result<()> {
        self.root.forget();
        let kept: HashSet<u64> = task
            .steps
            .values()
            .filter(|step| step.state.is_there())
            .filter_map(|step| step.done.as_ref())
            .flat_map(|intent| intent.step.effect().paths())
            .filter(|path| !is_ours(path))
            .filter_map(|path| Some(self.root.directory(path.parent().as_ref()).ok()?.ino))
            .collect();
        for known in restore.iter().filter(|dir| !kept.contains(&dir.ino)) {
            let Some(dir) = self.find_dir(task, known)? else { continue };
            let sys = self.sys();
            let put = sys.stat_open(&dir.handle).and_then(|stat| {
                if stat.mtime == known.mtime {
                    return Ok(());
                }
                sys.set_times(&dir.handle, stat.atime, known.mtime)?;
                sys.sync(&dir.handle)
            });
            // The pass then stays unfinished, and the next settling puts the times back.
            put.map_err(|errno| not_restored(&errno.to_string()))?;
        }
        Ok(())
    }

    /// Where a directory is after its task was taken back: where it was seen, or where a move of it, taken back, has
    /// put it.
    fn find_dir(&self, task: &Task, known: &DirTime) -> Result<Option<OpenDir>> {
        let at = |path: Option<&RelPath>| match self.root.directory(path) {
            Ok(dir) => Ok(Some(dir).filter(|dir| dir.ino == known.ino)),
            // Somebody has taken it away; a failing disk is another matter.
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(not_restored(error.platform_detail().unwrap_or_default())),
        };
        if let Some(dir) = at(known.path.as_ref())? {
            return Ok(Some(dir));
        }
        let Some(mut path) = known.path.clone() else { return Ok(None) };
        for step in task.steps.values().rev() {
            if let Some(Step::Shift(shift)) = step.done.as_ref().map(|intent| &intent.step)
                && let Some(moved) = path.rebased(&shift.to, &shift.from)
            {
                path = moved;
                if let Some(dir) = at(Some(&path))? {
                    return Ok(Some(dir));
                }
            }
        }
        Ok(None)
    }
}

fn not_restored(said: &str) -> Error {
    Error::new(Code::UnknownOutcome, "the files are where they belong, and the time of a directory is not yet")
        .kind("times_not_restored")
        .platform(said)
}

/// Whether an error says that there is no such directory. A failing disk is another matter.
fn is_absent(error: &Error) -> bool {
    matches!(error.kind_of(), Some("not_there" | "not_a_folder" | "link_on_the_way"))
}
