//! One pass of jobs: in groups, with the intents of a group durable before its first effect, and its effects durable
//! before their `ok`.

use std::collections::{BTreeMap, HashSet};

use surehand_core::{Code, Error, Result};

use super::{Control, GROUP, Job, Session};
use crate::effect::{Record, Standing};
use crate::journal::{Intent, Line, Status, Way};
use crate::path::{OURS, RelPath};
use crate::plan::Plan;
use crate::root::{OpenDir, failed};

/// Whose pass it is.
pub(super) struct Of<'a> {
    pub(super) task: &'a str,
    pub(super) skill: &'a str,
    /// Holds the contents of writes.
    pub(super) plan: Option<&'a Plan>,
    /// Whether the first failure ends the pass.
    pub(super) stop: bool,
}

/// What became of a pass.
#[derive(Default)]
pub(super) struct Ran {
    /// Steps that were done, or taken back.
    pub(super) over: Vec<u64>,
    /// Steps that were not, and why.
    pub(super) failed: Vec<(u64, Error)>,
    /// Steps that failed although their effect is there.
    pub(super) there: Vec<u64>,
    /// Steps about which nobody can tell.
    pub(super) unknown: Vec<u64>,
    /// Whether it was stopped from outside.
    pub(super) cancelled: bool,
}

/// How much a line takes at most, its paths aside, in bytes.
const LINE_ROOM: u64 = 1600;

impl Session<'_> {
    /// Carries jobs out. `Err` only when the journal cannot be written, or an outcome cannot be told: intents are then
    /// open, and settled when the root is used next.
    pub(super) fn carry_out(&mut self, of: &Of<'_>, jobs: &[Job], control: &Control<'_>) -> Result<Ran> {
        let mut ran = Ran::default();
        let mut at = 0;
        while at < jobs.len() {
            if control.cancel.is_raised() {
                ran.cancelled = true;
                break;
            }
            let end = at + independent(&jobs[at..]);
            // The next look goes from the root again: names may have changed since the last one.
            self.root.forget();
            self.group(of, &jobs[at..end], &jobs[..end], &mut ran)?;
            if of.stop && !ran.failed.is_empty() {
                break;
            }
            at = end;
            (control.progress)(at as u64, jobs.len() as u64);
        }
        Ok(ran)
    }

    fn group(&mut self, of: &Of<'_>, jobs: &[Job], all: &[Job], ran: &mut Ran) -> Result<()> {
        let mut told = match self.tell_dirs(of, jobs) {
            Ok(told) => told,
            Err(error) => {
                // Nothing is begun; what cannot be put back afterwards is not changed.
                ran.failed.extend(jobs.iter().map(|job| (job.number, error.clone())));
                return Ok(());
            }
        };
        // What is prepared for another device is prepared in a person's folder, whose time changes by that.
        let beside = |path: &&RelPath| is_ours(path) && path.components().next() != Some(OURS.as_bytes());
        if jobs.iter().any(|job| job.step.effect().paths().iter().any(beside)) {
            told.drain(..).try_for_each(|line| self.journal.add(line))?;
            self.journal.commit()?;
        }
        let mut ready: Vec<(&Job, Record)> = Vec::new();
        for job in jobs {
            // What is taken back goes in reverse: under a step that stays, nothing is pulled away.
            let failed: HashSet<u64> = ran.failed.iter().map(|(number, _)| *number).collect();
            let stays: Vec<&Job> = if failed.is_empty() || of.stop {
                Vec::new()
            } else {
                all.iter().filter(|job| failed.contains(&job.number)).collect()
            };
            match self.make_ready(of, job, &stays) {
                Ok(record) => ready.push((job, record)),
                Err(error) => {
                    ran.failed.push((job.number, error.clone()));
                    if job.way == Way::Do {
                        // Nothing was begun, so there is no intent; the failure is told all the same.
                        told.push(self.line(of, job, Status::Failed, Some(&error)));
                    }
                    if of.stop {
                        break;
                    }
                }
            }
        }
        let room = ready.iter().map(|(job, _)| {
            let paths: usize = job.step.effect().paths().iter().map(|path| path.as_bytes().len()).sum();
            // An intent and an outcome, each with the paths escaped, and as much again for a way back.
            4 * (LINE_ROOM + 6 * paths as u64)
        });
        let prepared = self.sync_prepared(&ready).and_then(|()| self.journal.reserve(room.sum()));
        if let Err(error) = prepared {
            for (job, record) in &ready {
                job.step.effect().discard(&self.root, record);
                ran.failed.push((job.number, error.clone()));
            }
            return Ok(());
        }
        for line in told {
            self.journal.add(line)?;
        }
        for (job, record) in &ready {
            let mut line = self.line(of, job, Status::Started, None);
            line.intent = Some(Intent { step: job.step.clone(), record: record.clone() });
            self.journal.add(line)?;
        }
        self.journal.commit()?;

        let mut begun = 0;
        let mut errors: BTreeMap<u64, Error> = BTreeMap::new();
        for (job, record) in &ready {
            begun += 1;
            if let Err(error) = job.step.effect().apply(&self.root, record) {
                errors.insert(job.number, error);
                if of.stop {
                    break;
                }
            }
        }
        let durable = self.sync_touched(ready[..begun].iter().map(|(job, _)| *job));
        for (index, (job, record)) in ready.iter().enumerate() {
            if index >= begun {
                self.leftovers.push((job.step.clone(), record.clone()));
                let error = Error::new(Code::ActionFailed, "not begun: a step before it failed").kind("not_begun");
                let line = self.line(of, job, Status::Failed, Some(&error));
                self.journal.add(line)?;
                continue;
            }
            let error = errors.remove(&job.number).or_else(|| durable.as_ref().err().cloned());
            let Some(error) = error else {
                self.over(of, job, ran)?;
                continue;
            };
            self.after_error(of, job, record, error, durable.is_ok(), ran)?;
        }
        Ok(())
    }

    /// Checks and prepares one job.
    fn make_ready(&self, of: &Of<'_>, job: &Job, stays: &[&Job]) -> Result<Record> {
        let effect = job.step.effect();
        if let Some(other) = stays.iter().find(|other| meet(job, other)) {
            let what = format!("step {} stays, and this one came before it", other.number);
            return Err(Error::new(Code::Conflict, what).kind("needed_by_another"));
        }
        for path in effect.paths().into_iter().filter(|path| !is_ours(path)) {
            self.root.judge(path)?;
        }
        let found = effect.check(&self.root, &job.expect)?;
        let content = match (job.content, of.plan) {
            (Some(action), Some(plan)) => plan.content(action)?,
            _ => None,
        };
        effect.prepare(&self.root, found, &job.expect, content.as_deref())
    }

    fn over(&mut self, of: &Of<'_>, job: &Job, ran: &mut Ran) -> Result<()> {
        let status = if job.way == Way::Do { Status::Ok } else { Status::RolledBack };
        let mut line = self.line(of, job, status, None);
        if job.way == Way::Do {
            line.undo = Some(job.step.way_back());
        }
        self.journal.add(line)?;
        ran.over.push(job.number);
        Ok(())
    }

    /// Something failed after the intent: one look tells what is there.
    fn after_error(
        &mut self,
        of: &Of<'_>,
        job: &Job,
        record: &Record,
        error: Error,
        durable: bool,
        ran: &mut Ran,
    ) -> Result<()> {
        let effect = job.step.effect();
        let open = |probe: Error| {
            Error::new(Code::UnknownOutcome, "a step failed, and what is there cannot be looked at")
                .kind("not_probed")
                .detail("step", job.number)
                .platform(probe.to_string())
        };
        let mut standing = effect.probe(&self.root, record).map_err(open)?;
        if standing == Standing::Between {
            effect.retract(&self.root, record).map_err(open)?;
            standing = Standing::Before;
        }
        let mut line = match (standing, job.way) {
            (Standing::After, Way::Undo) if durable => {
                // What the call said does not matter: it is taken back, and durable.
                return self.over(of, job, ran);
            }
            // Taken back, and nobody knows whether for good. The intent stays open until it is known.
            (Standing::After, Way::Undo) => return Err(open(error)),
            (Standing::After, Way::Do) => {
                ran.there.push(job.number);
                let mut line = self.line(of, job, Status::Failed, Some(&error));
                line.there = true;
                line
            }
            (Standing::Before, Way::Do) => {
                self.leftovers.push((job.step.clone(), record.clone()));
                self.line(of, job, Status::Failed, Some(&error))
            }
            (Standing::Before, Way::Undo) => {
                self.leftovers.push((job.step.clone(), record.clone()));
                let mut line = self.line(of, job, Status::Failed, Some(&error));
                line.there = true;
                line
            }
            (Standing::Between | Standing::Unknown, _) => {
                ran.unknown.push(job.number);
                self.line(of, job, Status::Unknown, Some(&error))
            }
        };
        if line.there && job.way == Way::Do {
            line.undo = Some(job.step.way_back());
        }
        self.journal.add(line)?;
        ran.failed.push((job.number, error));
        Ok(())
    }

    pub(super) fn line(&self, of: &Of<'_>, job: &Job, status: Status, error: Option<&Error>) -> Line {
        let mut line = Line::of_task(of.task, of.skill, status, job.way);
        line.action_id.clone_from(&job.action_id);
        line.kind.clone_from(&job.kind);
        line.summary.clone_from(&job.summary);
        line.step = Some(job.number);
        line.hash.clone_from(&job.hash);
        line.detail = error.map(|error| match error.platform_detail() {
            Some(said) => format!("{}: {said}", error.message()),
            None => error.message().to_owned(),
        });
        line
    }

    /// What is new is durable under its name of ours before an intent names it: so a crash leaves it there, or in place.
    fn sync_prepared(&self, ready: &[(&Job, Record)]) -> Result<()> {
        let mut dirs: BTreeMap<(u64, u64), OpenDir> = BTreeMap::new();
        for (job, _) in ready.iter().filter(|(job, _)| job.step.effect().prepares()) {
            for path in job.step.effect().paths().into_iter().filter(|path| is_ours(path)) {
                let dir = self.root.place(path)?.dir;
                dirs.insert((dir.dev, dir.ino), dir);
            }
        }
        dirs.values().try_for_each(|dir| self.sync_dir(dir))
    }

    /// Makes the names of all jobs durable, targets first, so that a file is never durable nowhere.
    pub(super) fn sync_touched<'j>(&self, jobs: impl Iterator<Item = &'j Job>) -> Result<()> {
        let mut dirs: BTreeMap<(u64, u64), OpenDir> = BTreeMap::new();
        let mut order: Vec<(u64, u64)> = Vec::new();
        for job in jobs {
            for path in job.step.effect().paths().into_iter().rev() {
                let dir = self.root.place(path)?.dir;
                let key = (dir.dev, dir.ino);
                if dirs.insert(key, dir).is_none() {
                    order.push(key);
                }
            }
        }
        for key in order {
            if let Some(dir) = dirs.get(&key) {
                self.sync_dir(dir)?;
            }
        }
        Ok(())
    }

    fn sync_dir(&self, dir: &OpenDir) -> Result<()> {
        self.root.sys.sync(&dir.handle).map_err(|errno| failed(errno, "a directory cannot be made durable"))
    }
}

/// Whether a name on the path is one of ours.
pub(super) fn is_ours(path: &RelPath) -> bool {
    path.components().any(|name| name.starts_with(OURS.as_bytes()))
}

/// How many jobs from the first on touch nothing that another one of them touches. Only such share a commit: any of
/// their effects may be durable without the others.
fn independent(jobs: &[Job]) -> usize {
    let mut touched: HashSet<&[u8]> = HashSet::new();
    let mut above: HashSet<&[u8]> = HashSet::new();
    for (count, job) in jobs.iter().take(GROUP).enumerate() {
        let paths = job.step.effect().paths();
        let meets = |path: &&RelPath| {
            let bytes = path.as_bytes();
            touched.contains(bytes) || above.contains(bytes) || ancestors(bytes).any(|dir| touched.contains(dir))
        };
        if count > 0 && paths.iter().any(meets) {
            return count;
        }
        for path in paths {
            touched.insert(path.as_bytes());
            above.extend(ancestors(path.as_bytes()));
        }
    }
    jobs.len().min(GROUP)
}

/// Whether two jobs touch the same place, or one a place that is in a place of the other.
fn meet(one: &Job, other: &Job) -> bool {
    let others = other.step.effect().paths();
    one.step
        .effect()
        .paths()
        .iter()
        .any(|path| others.iter().any(|other| path.is_within(other) || other.is_within(path)))
}

fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(slash, _)| &path[..slash])
}
