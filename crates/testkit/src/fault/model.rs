//! The file system in memory.
//!
//! A change is durable only after a sync of what it belongs to: names by a sync of their directory, content and
//! attributes by a sync of the file. A rename is one change: both its sides are kept or neither. Changes of different
//! names may become durable in any order; changes of one name, or of what another change made, only in theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use surehand_kernel::sys::{Handle, Kind, Moment, Stat, Sys, System};

/// An inode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inode {
    /// What it is.
    pub kind: Kind,
    /// Its device.
    pub dev: u64,
    /// Mode bits.
    pub mode: u32,
    /// Content, or where a link leads.
    pub content: Vec<u8>,
    /// Names in a directory.
    pub names: BTreeMap<Vec<u8>, u64>,
    /// Last change of the content.
    pub mtime: Moment,
    /// Last change of anything.
    pub ctime: Moment,
    /// When it came to be.
    pub born: Moment,
    /// Extended attributes.
    pub attributes: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// All inodes.
pub type Volume = BTreeMap<u64, Inode>;

/// The inode of `/`.
pub const TOP: u64 = 1;

type Name = (u64, Vec<u8>);

/// One change.
#[derive(Debug, Clone)]
pub enum Change {
    /// An inode comes to be.
    New(u64, Box<Inode>),
    /// It gets its first name.
    Link(Name, u64, Moment),
    /// A name moves.
    Rename(Name, Name, Moment),
    /// Two names exchange what they are of.
    Exchange(Name, Name, Moment),
    /// A name goes; and the inode, if it was of a directory.
    Unlink(Name, Option<u64>, Moment),
    /// Content is written.
    Write(u64, usize, Vec<u8>, Moment),
    /// The length is set.
    Truncate(u64, usize, Moment),
    /// Mode, times or attributes are set.
    Mode(u64, u32),
    /// See there.
    Times(u64, Moment),
    /// See there.
    Attribute(u64, Vec<u8>, Vec<u8>),
}

impl Change {
    /// The names it touches.
    fn names(&self) -> Vec<&Name> {
        match self {
            Change::Link(name, ..) | Change::Unlink(name, ..) => vec![name],
            Change::Rename(from, to, _) | Change::Exchange(from, to, _) => vec![from, to],
            _ => Vec::new(),
        }
    }

    /// The inode whose content or attributes it changes, or that it makes.
    fn inode(&self) -> Option<u64> {
        match self {
            Change::New(ino, _)
            | Change::Write(ino, ..)
            | Change::Truncate(ino, ..)
            | Change::Mode(ino, _)
            | Change::Times(ino, _)
            | Change::Attribute(ino, ..) => Some(*ino),
            _ => None,
        }
    }

    /// Whether it cannot be kept without an earlier one.
    fn needs(&self, earlier: &Change) -> bool {
        if self.names().iter().any(|name| earlier.names().contains(name)) {
            return true;
        }
        if let Change::New(made, _) = earlier {
            let in_it = self.names().iter().any(|(dir, _)| dir == made);
            let of_it = matches!(self, Change::Link(_, ino, _) if ino == made);
            return in_it || of_it || self.inode() == Some(*made);
        }
        // A directory goes when it is empty, so not before what was in it has left.
        if let Change::Unlink(_, Some(gone), _) = self
            && earlier.names().iter().any(|(dir, _)| dir == gone)
        {
            return true;
        }
        // A length that is set applies to what was written before, and the last of two settings wins.
        match (self, earlier) {
            (Change::Truncate(a, ..), Change::Write(b, ..) | Change::Truncate(b, ..))
            | (Change::Write(a, ..), Change::Truncate(b, ..))
            | (Change::Mode(a, _), Change::Mode(b, _))
            | (Change::Times(a, _), Change::Times(b, _) | Change::Write(b, ..) | Change::Truncate(b, ..)) => a == b,
            (Change::Attribute(a, name, _), Change::Attribute(b, other, _)) => a == b && name == other,
            // The time that a directory gets by a change of a name in it is part of that change.
            (Change::Times(ino, _), other) => other.names().iter().any(|(dir, _)| dir == ino),
            (other, Change::Times(ino, _)) => other.names().iter().any(|(dir, _)| dir == ino),
            _ => false,
        }
    }

    /// Makes the change.
    fn make(&self, volume: &mut Volume) {
        let touch = |volume: &mut Volume, dir: u64, at: Moment| {
            if let Some(dir) = volume.get_mut(&dir) {
                dir.mtime = at;
                dir.ctime = at;
            }
        };
        let stamp = |volume: &mut Volume, ino: Option<u64>, at: Moment| {
            if let Some(inode) = ino.and_then(|ino| volume.get_mut(&ino)) {
                inode.ctime = at;
            }
        };
        let take = |volume: &mut Volume, (dir, name): &Name| volume.get_mut(dir).and_then(|dir| dir.names.remove(name));
        let give = |volume: &mut Volume, (dir, name): &Name, ino: Option<u64>| {
            if let (Some(dir), Some(ino)) = (volume.get_mut(dir), ino) {
                dir.names.insert(name.clone(), ino);
            }
        };
        match self {
            Change::New(ino, inode) => {
                volume.insert(*ino, (**inode).clone());
            }
            Change::Link(name, ino, at) => {
                give(volume, name, Some(*ino));
                touch(volume, name.0, *at);
            }
            Change::Rename(from, to, at) => {
                let ino = take(volume, from);
                give(volume, to, ino);
                stamp(volume, ino, *at);
                touch(volume, from.0, *at);
                touch(volume, to.0, *at);
            }
            Change::Exchange(a, b, at) => {
                let (first, second) = (take(volume, a), take(volume, b));
                give(volume, a, second);
                give(volume, b, first);
                stamp(volume, first, *at);
                stamp(volume, second, *at);
                touch(volume, a.0, *at);
                touch(volume, b.0, *at);
            }
            Change::Unlink(name, _, at) => {
                take(volume, name);
                touch(volume, name.0, *at);
            }
            Change::Write(ino, offset, bytes, at) => {
                if let Some(inode) = volume.get_mut(ino) {
                    let end = offset + bytes.len();
                    if inode.content.len() < end {
                        inode.content.resize(end, 0);
                    }
                    inode.content[*offset..end].copy_from_slice(bytes);
                    (inode.mtime, inode.ctime) = (*at, *at);
                }
            }
            Change::Truncate(ino, len, at) => {
                if let Some(inode) = volume.get_mut(ino) {
                    inode.content.resize(*len, 0);
                    (inode.mtime, inode.ctime) = (*at, *at);
                }
            }
            Change::Mode(ino, mode) => {
                if let Some(inode) = volume.get_mut(ino) {
                    inode.mode = *mode;
                }
            }
            Change::Times(ino, mtime) => {
                if let Some(inode) = volume.get_mut(ino) {
                    inode.mtime = *mtime;
                }
            }
            Change::Attribute(ino, name, value) => {
                if let Some(inode) = volume.get_mut(ino) {
                    inode.attributes.insert(name.clone(), value.clone());
                }
            }
        }
    }
}

/// What is made to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The power fails: this change and all that follow do not happen.
    PowerAt(u64),
    /// One call fails and does nothing.
    CallAt(u64, Errno),
    /// One call does what it should and says that it failed.
    LateAt(u64, Errno),
    /// From this call on nothing can be changed.
    FrozenFrom(u64),
    /// From this call on there is no room.
    FullFrom(u64),
}

#[derive(Debug, Default)]
struct State {
    live: Volume,
    durable: Volume,
    pending: Vec<Change>,
    next: u64,
    clock: i64,
    calls: u64,
    changes: u64,
    fault: Option<Fault>,
    off: bool,
    locks: BTreeSet<u64>,
}

/// The file system.
#[derive(Clone)]
pub struct Model(Arc<Mutex<State>>);

struct Open {
    ino: u64,
    path: Vec<u8>,
    locked: Mutex<bool>,
    of: Arc<Mutex<State>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        if *self.locked.lock().unwrap_or_else(PoisonError::into_inner) {
            self.of.lock().unwrap_or_else(PoisonError::into_inner).locks.remove(&self.ino);
        }
    }
}

fn dir(dev: u64, at: Moment) -> Inode {
    Inode {
        kind: Kind::Dir,
        dev,
        mode: 0o755,
        content: Vec::new(),
        names: BTreeMap::new(),
        mtime: at,
        ctime: at,
        born: at,
        attributes: BTreeMap::new(),
    }
}

impl Model {
    /// An empty file system.
    pub fn empty() -> Model {
        Model::from(Volume::from([(TOP, dir(1, (0, 0)))]))
    }

    /// One that holds just this, all of it durable.
    pub fn from(volume: Volume) -> Model {
        let next = volume.keys().max().map_or(2, |last| last + 1) + 1000;
        let latest = volume.values().map(|inode| inode.ctime.0.max(inode.mtime.0)).max().unwrap_or(0);
        Model(Arc::new(Mutex::new(State {
            live: volume.clone(),
            durable: volume,
            next,
            clock: latest + 1000,
            ..State::default()
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes something go wrong from now on; calls and changes are counted from here.
    pub fn set(&self, fault: Option<Fault>) {
        let mut state = self.state();
        state.fault = fault;
        state.calls = 0;
        state.changes = 0;
        state.off = false;
    }

    /// How many calls there were, and how many changes.
    pub fn counted(&self) -> (u64, u64) {
        let state = self.state();
        (state.calls, state.changes)
    }

    /// Everything as a process sees it.
    pub fn live(&self) -> Volume {
        self.state().live.clone()
    }

    /// What is durable, and what is not yet.
    pub fn durable(&self) -> (Volume, Vec<Change>) {
        let state = self.state();
        (state.durable.clone(), state.pending.clone())
    }

    /// Puts a directory on another device.
    pub fn mount(&self, path: &str, dev: u64) {
        let mut state = self.state();
        let ino = walk(&state.live, path).unwrap_or_else(|| panic!("{path} is not there"));
        for volume in [true, false] {
            let volume = if volume { &mut state.live } else { &mut state.durable };
            if let Some(inode) = volume.get_mut(&ino) {
                inode.dev = dev;
            }
        }
    }

    /// Makes everything durable.
    pub fn settle(&self) {
        let mut state = self.state();
        state.durable = state.live.clone();
        state.pending.clear();
    }
}

/// The inode at an absolute path.
pub fn walk(volume: &Volume, path: &str) -> Option<u64> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .try_fold(TOP, |dir, name| volume.get(&dir)?.names.get(name.as_bytes()).copied())
}

/// The state that is left when just these of the pending changes were kept. `keep` says of each whether it is wanted;
/// what it needs is kept with it.
pub fn left(durable: &Volume, pending: &[Change], keep: &[bool], cut: Option<usize>) -> Volume {
    let mut keep = keep.to_vec();
    for later in (0..pending.len()).rev() {
        if keep[later] {
            for earlier in 0..later {
                if pending[later].needs(&pending[earlier]) {
                    keep[earlier] = true;
                }
            }
        }
    }
    let mut volume = durable.clone();
    let last = (0..pending.len()).rfind(|index| keep[*index] && matches!(pending[*index], Change::Write(..)));
    for (index, change) in pending.iter().enumerate().filter(|(index, _)| keep[*index]) {
        match (change, cut) {
            // The last write that was under way may be there in part.
            (Change::Write(ino, offset, bytes, at), Some(cut)) if Some(index) == last => {
                Change::Write(*ino, *offset, bytes[..bytes.len() * cut / 8].to_vec(), *at).make(&mut volume);
            }
            _ => change.make(&mut volume),
        }
    }
    volume
}

impl State {
    /// Counts a call, and lets it fail where it is to.
    fn call(&mut self, changes: bool, grows: bool) -> Sys<bool> {
        let number = self.calls;
        self.calls += 1;
        if self.off {
            return Err(Errno::IO);
        }
        match self.fault {
            Some(Fault::CallAt(at, errno)) if at == number => Err(errno),
            Some(Fault::FrozenFrom(at)) if changes && number >= at => Err(Errno::ROFS),
            Some(Fault::FullFrom(at)) if grows && number >= at => Err(Errno::NOSPC),
            Some(Fault::PowerAt(at)) if changes && self.changes == at => {
                self.off = true;
                Err(Errno::IO)
            }
            Some(Fault::LateAt(at, _)) if at == number => {
                self.changes += u64::from(changes);
                Ok(true)
            }
            _ => {
                self.changes += u64::from(changes);
                Ok(false)
            }
        }
    }

    fn tick(&mut self) -> Moment {
        self.clock += 1;
        (self.clock, 7)
    }

    fn change(&mut self, change: Change) {
        change.make(&mut self.live);
        self.pending.push(change);
    }

    fn end(&self, late: bool) -> Sys<()> {
        match self.fault {
            Some(Fault::LateAt(_, errno)) if late => Err(errno),
            _ => Ok(()),
        }
    }

    /// Makes durable what belongs to an inode, and what that needs.
    fn sync(&mut self, ino: u64) {
        let count = self.pending.len();
        let mut keep: Vec<bool> = self
            .pending
            .iter()
            .map(|change| change.inode() == Some(ino) || change.names().iter().any(|(dir, _)| *dir == ino))
            .collect();
        for later in (0..count).rev() {
            for earlier in 0..later {
                if keep[later] && self.pending[later].needs(&self.pending[earlier]) {
                    keep[earlier] = true;
                }
            }
        }
        let pending = std::mem::take(&mut self.pending);
        for (change, keep) in pending.into_iter().zip(keep) {
            if keep {
                change.make(&mut self.durable);
            } else {
                self.pending.push(change);
            }
        }
    }

    fn find(&self, dir: u64, name: &[u8]) -> Sys<u64> {
        let dir = self.live.get(&dir).ok_or(Errno::NOENT)?;
        if dir.kind != Kind::Dir {
            return Err(Errno::NOTDIR);
        }
        dir.names.get(name).copied().ok_or(Errno::NOENT)
    }

    fn stat(&self, ino: u64) -> Sys<Stat> {
        let inode = self.live.get(&ino).ok_or(Errno::NOENT)?;
        Ok(Stat {
            dev: inode.dev,
            ino,
            kind: inode.kind,
            mode: inode.mode,
            size: inode.content.len() as u64,
            links: 1,
            mtime: inode.mtime,
            atime: inode.mtime,
            ctime: inode.ctime,
            born: Some(inode.born),
        })
    }

    fn new_inode(&mut self, parent: u64, name: &[u8], kind: Kind) -> Sys<u64> {
        match self.find(parent, name) {
            Ok(_) => return Err(Errno::EXIST),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
        let at = self.tick();
        let ino = self.next;
        self.next += 1;
        let dev = self.live.get(&parent).map_or(1, |dir| dir.dev);
        let mode = if kind == Kind::Dir { 0o700 } else { 0o600 };
        self.change(Change::New(ino, Box::new(Inode { kind, mode, ..dir(dev, at) })));
        self.change(Change::Link((parent, name.to_vec()), ino, at));
        Ok(ino)
    }

    fn renamed(&self, from: u64, name: &[u8], to: u64) -> Sys<u64> {
        let ino = self.find(from, name)?;
        let dev = |ino: u64| self.live.get(&ino).map(|inode| inode.dev);
        if dev(from) != dev(to) {
            return Err(Errno::XDEV);
        }
        Ok(ino)
    }
}

fn open(handle: &Handle) -> Sys<&Open> {
    handle.inner().ok_or(Errno::BADF)
}

impl Model {
    fn handle(&self, ino: u64, path: Vec<u8>) -> Handle {
        Handle::new(Open { ino, path, locked: Mutex::new(false), of: Arc::clone(&self.0) })
    }

    fn opened(&self, parent: &Handle, name: &[u8], kind: Kind, wrong: Errno) -> Sys<Handle> {
        let parent = open(parent)?;
        let mut state = self.state();
        state.call(false, false)?;
        let ino = state.find(parent.ino, name)?;
        let found = state.live.get(&ino).ok_or(Errno::NOENT)?.kind;
        drop(state);
        if found == Kind::Link {
            return Err(Errno::LOOP);
        }
        if found != kind {
            return Err(wrong);
        }
        let path = [&parent.path[..], b"/", name].concat();
        Ok(self.handle(ino, path))
    }

    fn changed(&self, file: &Handle, grows: bool, make: impl FnOnce(&mut State, u64) -> Sys<()>) -> Sys<()> {
        let ino = open(file)?.ino;
        let mut state = self.state();
        let late = state.call(true, grows)?;
        make(&mut state, ino)?;
        state.end(late)
    }
}

impl System for Model {
    fn open_root(&self, path: &Path) -> Sys<Handle> {
        let mut state = self.state();
        state.call(false, false)?;
        let text = path.to_string_lossy().into_owned();
        let ino = walk(&state.live, &text).ok_or(Errno::NOENT)?;
        drop(state);
        Ok(self.handle(ino, text.into_bytes()))
    }

    fn real_path(&self, dir: &Handle) -> Sys<Vec<u8>> {
        Ok(open(dir)?.path.clone())
    }

    fn open_dir(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        self.opened(dir, name, Kind::Dir, Errno::NOTDIR)
    }

    fn open_file(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        self.opened(dir, name, Kind::File, Errno::INVAL)
    }

    fn open_or_create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        match self.open_file(dir, name) {
            Err(Errno::NOENT) => self.create(dir, name),
            other => other,
        }
    }

    fn create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle> {
        let parent = open(dir)?;
        let mut state = self.state();
        let late = state.call(true, true)?;
        let ino = state.new_inode(parent.ino, name, Kind::File)?;
        state.end(late)?;
        drop(state);
        Ok(self.handle(ino, [&parent.path[..], b"/", name].concat()))
    }

    fn mkdir(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.changed(dir, true, |state, ino| state.new_inode(ino, name, Kind::Dir).map(|_| ()))
    }

    fn stat(&self, dir: &Handle, name: &[u8]) -> Sys<Stat> {
        let mut state = self.state();
        state.call(false, false)?;
        let ino = state.find(open(dir)?.ino, name)?;
        state.stat(ino)
    }

    fn stat_open(&self, file: &Handle) -> Sys<Stat> {
        let mut state = self.state();
        state.call(false, false)?;
        state.stat(open(file)?.ino)
    }

    fn list(&self, dir: &Handle) -> Sys<Vec<Vec<u8>>> {
        let mut state = self.state();
        state.call(false, false)?;
        Ok(state.live.get(&open(dir)?.ino).ok_or(Errno::NOENT)?.names.keys().cloned().collect())
    }

    fn read_link(&self, dir: &Handle, name: &[u8]) -> Sys<Vec<u8>> {
        let mut state = self.state();
        state.call(false, false)?;
        let ino = state.find(open(dir)?.ino, name)?;
        Ok(state.live.get(&ino).ok_or(Errno::NOENT)?.content.clone())
    }

    fn read(&self, file: &Handle, offset: u64, len: usize) -> Sys<Vec<u8>> {
        let mut state = self.state();
        state.call(false, false)?;
        let content = &state.live.get(&open(file)?.ino).ok_or(Errno::NOENT)?.content;
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        Ok(content[start..start.saturating_add(len).min(content.len())].to_vec())
    }

    fn write(&self, file: &Handle, offset: u64, bytes: &[u8]) -> Sys<()> {
        let ino = open(file)?.ino;
        let mut state = self.state();
        let at = state.tick();
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        match state.call(true, true) {
            Ok(late) => {
                state.change(Change::Write(ino, offset, bytes.to_vec(), at));
                state.end(late)
            }
            Err(errno) => {
                // Some of it may be there: that is what a full disk does.
                if errno == Errno::NOSPC && !state.off {
                    state.change(Change::Write(ino, offset, bytes[..bytes.len() / 2].to_vec(), at));
                }
                Err(errno)
            }
        }
    }

    fn data(&self, file: &Handle) -> Sys<Vec<(u64, u64)>> {
        let size = self.stat_open(file)?.size;
        Ok(if size == 0 { Vec::new() } else { vec![(0, size)] })
    }

    fn truncate(&self, file: &Handle, len: u64) -> Sys<()> {
        self.changed(file, false, |state, ino| {
            let at = state.tick();
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            if state.live.get(&ino).map(|inode| inode.content.len()) != Some(len) {
                state.change(Change::Truncate(ino, len, at));
            }
            Ok(())
        })
    }

    fn reserve(&self, _: &Handle, _: u64, _: u64) -> Sys<()> {
        self.state().call(true, true).map(|_| ())
    }

    fn sync_data(&self, file: &Handle) -> Sys<()> {
        self.sync(file)
    }

    fn sync(&self, file: &Handle) -> Sys<()> {
        self.changed(file, false, |state, ino| {
            state.sync(ino);
            Ok(())
        })
    }

    fn rename(&self, from: &Handle, name: &[u8], to: &Handle, new: &[u8]) -> Sys<()> {
        let target = open(to)?.ino;
        self.changed(from, false, |state, ino| {
            state.renamed(ino, name, target)?;
            if state.find(target, new).is_ok() {
                return Err(Errno::EXIST);
            }
            let at = state.tick();
            state.change(Change::Rename((ino, name.to_vec()), (target, new.to_vec()), at));
            Ok(())
        })
    }

    fn replace(&self, dir: &Handle, name: &[u8], new: &[u8]) -> Sys<()> {
        self.changed(dir, false, |state, ino| {
            state.find(ino, name)?;
            let at = state.tick();
            state.change(Change::Rename((ino, name.to_vec()), (ino, new.to_vec()), at));
            Ok(())
        })
    }

    fn exchange(&self, a: &Handle, name: &[u8], b: &Handle, other: &[u8]) -> Sys<()> {
        let target = open(b)?.ino;
        self.changed(a, false, |state, ino| {
            state.renamed(ino, name, target)?;
            state.find(target, other)?;
            let at = state.tick();
            state.change(Change::Exchange((ino, name.to_vec()), (target, other.to_vec()), at));
            Ok(())
        })
    }

    fn unlink(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.changed(dir, false, |state, ino| {
            state.find(ino, name)?;
            let at = state.tick();
            state.change(Change::Unlink((ino, name.to_vec()), None, at));
            Ok(())
        })
    }

    fn rmdir(&self, dir: &Handle, name: &[u8]) -> Sys<()> {
        self.changed(dir, false, |state, ino| {
            let found = state.find(ino, name)?;
            if state.live.get(&found).is_some_and(|inode| !inode.names.is_empty()) {
                return Err(Errno::NOTEMPTY);
            }
            let at = state.tick();
            state.change(Change::Unlink((ino, name.to_vec()), Some(found), at));
            Ok(())
        })
    }

    fn set_mode(&self, file: &Handle, mode: u32) -> Sys<()> {
        self.changed(file, false, |state, ino| {
            state.change(Change::Mode(ino, mode));
            Ok(())
        })
    }

    fn set_times(&self, file: &Handle, _: Moment, mtime: Moment) -> Sys<()> {
        self.changed(file, false, |state, ino| {
            state.change(Change::Times(ino, mtime));
            Ok(())
        })
    }

    fn attributes(&self, file: &Handle) -> Sys<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut state = self.state();
        state.call(false, false)?;
        let inode = state.live.get(&open(file)?.ino).ok_or(Errno::NOENT)?;
        Ok(inode.attributes.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    fn set_attribute(&self, file: &Handle, name: &[u8], value: &[u8]) -> Sys<()> {
        self.changed(file, true, |state, ino| {
            state.change(Change::Attribute(ino, name.to_vec(), value.to_vec()));
            Ok(())
        })
    }

    fn lock(&self, file: &Handle) -> Sys<()> {
        let file = open(file)?;
        let mut state = self.state();
        state.call(false, false)?;
        if !state.locks.insert(file.ino) {
            return Err(Errno::WOULDBLOCK);
        }
        drop(state);
        *file.locked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        Ok(())
    }

    fn now(&self) -> u64 {
        u64::try_from(self.state().clock).unwrap_or(0)
    }

    fn random(&self) -> Sys<[u8; 16]> {
        let mut state = self.state();
        state.next += 1;
        Ok((u128::from(state.next).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).to_be_bytes())
    }
}
