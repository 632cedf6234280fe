//! A real process is killed at every change of real files, by itself and with a signal that nobody can hold back.
//!
//! What a killed process has done is in the kernel's memory, so this says nothing of a power loss; it says that the
//! real calls do what the model does.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use surehand_kernel::plan;
use surehand_kernel::sys::linux::Linux;
use surehand_kernel::sys::{Handle, Moment, Stat, Sys, System};

use super::Count;
use super::oracle::{examine, map};
use super::work::{Phase, fill, lists, perform, planned, session};

/// The real system, which ends the process at one change: before it, or right after.
pub struct Deadly {
    at: u64,
    changes: AtomicU64,
}

impl Deadly {
    /// Ends the process at half a change: 2n before the n-th, 2n + 1 after it.
    pub fn new(at: u64) -> Deadly {
        Deadly { at, changes: AtomicU64::new(0) }
    }

    /// How many changes there were.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn change<T>(&self, make: impl FnOnce() -> Sys<T>) -> Sys<T> {
        let number = self.changes.fetch_add(1, Ordering::Relaxed);
        if self.at == 2 * number {
            die();
        }
        let made = make();
        if self.at == 2 * number + 1 {
            die();
        }
        made
    }
}

fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

impl System for Deadly {
    fn open_root(&self, path: &Path) -> Sys<Handle> {
        Linux.open_root(path)
    }
    fn real_path(&self, dir: &Handle) -> Sys<Vec<u8>> {
        Linux.real_path(dir)
    }
    fn open_dir(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        Linux.open_dir(dir, name)
    }
    fn open_file(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        Linux.open_file(dir, name)
    }
    fn open_or_create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        self.change(|| Linux.open_or_create(dir, name))
    }
    fn create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        self.change(|| Linux.create(dir, name))
    }
    fn mkdir(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.change(|| Linux.mkdir(dir, name))
    }
    fn stat(&self, dir: &Handle, name: &[u8]) -> Sys<Stat> {
        Linux.stat(dir, name)
    }
    fn stat_open(&self, file: &Handle) -> Sys<Stat> {
        Linux.stat_open(file)
    }
    fn list(&self, dir: &Handle) -> Sys<Vec<Vec<u8>>> {
        Linux.list(dir)
    }
    fn read_link(&self, dir: &Handle, name: &[u8]) -> Sys<Vec<u8>> {
        Linux.read_link(dir, name)
    }
    fn read(&self, file: &Handle, offset: u64, len: usize) -> Sys<Vec<u8>> {
        Linux.read(file, offset, len)
    }
    fn write(&self, file: &Handle, offset: u64, bytes: &[u8]) -> Sys<()> {
        // In two halves, so that a process is also killed within a write.
        let (first, second) = bytes.split_at(bytes.len() / 2);
        self.change(|| Linux.write(file, offset, first))?;
        self.change(|| Linux.write(file, offset + first.len() as u64, second))
    }
    fn data(&self, file: &Handle) -> Sys<Vec<(u64, u64)>> {
        Linux.data(file)
    }
    fn truncate(&self, file: &Handle, len: u64) -> Sys<()> {
        self.change(|| Linux.truncate(file, len))
    }
    fn reserve(&self, file: &Handle, from: u64, bytes: u64) -> Sys<()> {
        self.change(|| Linux.reserve(file, from, bytes))
    }
    fn sync_data(&self, file: &Handle) -> Sys<()> {
        self.change(|| Linux.sync_data(file))
    }
    fn sync(&self, file: &Handle) -> Sys<()> {
        self.change(|| Linux.sync(file))
    }
    fn rename(&self, from: &Handle, name: &[u8], to: &Handle, new: &[u8]) -> Sys<()> {
        self.change(|| Linux.rename(from, name, to, new))
    }
    fn replace(&self, dir: &Handle, name: &[u8], new: &[u8]) -> Sys<()> {
        self.change(|| Linux.replace(dir, name, new))
    }
    fn exchange(&self, a: &Handle, name: &[u8], b: &Handle, other: &[u8]) -> Sys<()> {
        self.change(|| Linux.exchange(a, name, b, other))
    }
    fn unlink(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.change(|| Linux.unlink(dir, name))
    }
    fn rmdir(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.change(|| Linux.rmdir(dir, name))
    }
    fn set_mode(&self, file: &Handle, mode: u32) -> Sys<()> {
        self.change(|| Linux.set_mode(file, mode))
    }
    fn set_times(&self, file: &Handle, atime: Moment, mtime: Moment) -> Sys<()> {
        self.change(|| Linux.set_times(file, atime, mtime))
    }
    fn attributes(&self, file: &Handle) -> Sys<Vec<(Vec<u8>, Vec<u8>)>> {
        Linux.attributes(file)
    }
    fn set_attribute(&self, file: &Handle, name: &[u8], value: &[u8]) -> Sys<()> {
        self.change(|| Linux.set_attribute(file, name, value))
    }
    fn lock(&self, file: &Handle) -> Sys<()> {
        Linux.lock(file)
    }
    fn now(&self) -> u64 {
        Linux.now()
    }
    fn random(&self) -> Sys<[u8; 16]> {
        Linux.random()
    }
}

/// What the child does: a phase of the only plan in the state directory, or recovery alone; killed at half a change.
///
/// # Errors
/// What the kernel says.
pub fn child(base: &Path, phase: Option<Phase>, at: u64) -> surehand_core::Result<()> {
    let (root, state) = (base.join("root"), base.join("state"));
    let deadly = Deadly::new(at);
    let Some(phase) = phase else {
        return session(&deadly, &root, &state).map(drop);
    };
    let handle = Linux.open_root(&state).unwrap_or_else(|errno| panic!("{errno}"));
    let digest = std::fs::read_to_string(base.join("digest")).unwrap_or_default();
    let (_, plan) = plan::load(&Linux, &handle, &digest)?;
    perform(&deadly, &root, &state, &plan, phase).map(drop)
}

/// Kills processes of `program` at `limit` points at most, evenly spread; at all of them for none. Recovery is killed
/// as well, at another place each time.
pub fn run(program: &Path, folder: &Path, limit: Option<u64>, progress: &dyn Fn(&str)) -> Count {
    let mut count = Count::default();
    let lists = lists();
    let phases = [Phase::Apply, Phase::Undo, Phase::Redo];
    let share = limit.map(|limit| (limit / (lists.len() * phases.len()) as u64).max(1));
    for (name, actions) in &lists {
        for phase in phases {
            let mut at = 0;
            let mut stride = 1;
            loop {
                let base = tempfile::tempdir_in(folder).unwrap_or_else(|error| panic!("{error}"));
                let (root, state) = (base.path().join("root"), base.path().join("state"));
                for dir in [&root, &state] {
                    std::fs::create_dir(dir).unwrap_or_else(|error| panic!("{error}"));
                }
                fill(&Linux, &root).unwrap_or_else(|errno| panic!("{errno}"));
                drop(session(&Linux, &root, &state).unwrap_or_else(|error| panic!("{error}")));
                let original = map(&Linux, &root).unwrap_or_else(|errno| panic!("{errno}"));
                let plan = planned(&Linux, &root, actions).unwrap_or_else(|error| panic!("{name}: {error}"));
                let handle = Linux.open_root(&state).unwrap_or_else(|errno| panic!("{errno}"));
                let digest = plan::save(&Linux, &handle, &plan).unwrap_or_else(|error| panic!("{error}"));
                std::fs::write(base.path().join("digest"), digest).unwrap_or_else(|error| panic!("{error}"));
                let earlier: &[Phase] = match phase {
                    Phase::Apply => &[],
                    Phase::Undo => &[Phase::Apply],
                    Phase::Redo => &[Phase::Apply, Phase::Undo],
                };
                for phase in earlier {
                    perform(&Linux, &root, &state, &plan, *phase).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                if at == 0 && share.is_some() {
                    // How many changes there are tells how far apart the points are.
                    let counting = Deadly::new(u64::MAX);
                    perform(&counting, &root, &state, &plan, phase).unwrap_or_else(|error| panic!("{name}: {error}"));
                    stride = share.map_or(1, |share| (2 * counting.changes() / share).max(1)) | 1;
                    at = 1;
                    continue;
                }
                let run = |phase: &str, at: u64| {
                    Command::new(program)
                        .arg("child")
                        .arg(base.path())
                        .args([phase, &at.to_string()])
                        .stderr(std::process::Stdio::null())
                        .status()
                        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
                };
                let ended = run(&format!("{phase:?}"), at).success();
                count.points += 1;
                // The recovery from it is killed too, and again.
                for more in [at % 11, at % 7] {
                    run("Recover", more);
                    count.points += 1;
                }
                let what = format!("{name} {phase:?} killed at {at}");
                count.add(examine(&Linux, &root, &state, &original, &plan, false, &what));
                if ended {
                    break;
                }
                at += stride;
            }
            progress(&format!("killed, {name} {phase:?}: {} points", count.points));
        }
    }
    count
}
