//! An opened root: what was checked is the handle that is used.
//!
//! A path is resolved from the handle of the root, one component at a time, each with a call that follows no link and
//! cannot leave the directory. Every directory on the way is compared with the places of [`crate::authority`] by its
//! inode. A name that does not exist yet is judged by the same walk to its parent.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;
use surehand_core::{Code, Error, Result};

use crate::authority::{Authority, is_ours, path_of};
use crate::path::{OURS, RelPath, shown};
use crate::refusal::{Refusal, Rule};
use crate::sys::{Handle, Kind, Stat, System, lookup};

/// Folders of ours within [`OURS`].
pub const STAGE: &str = "stage";
/// Where what was put away is kept.
pub const VAULT: &str = "vault";

/// How many directories are kept open at most.
const OPEN_DIRS: usize = 512;

/// An opened directory and where it is.
#[derive(Debug, Clone)]
pub struct OpenDir {
    /// The handle.
    pub handle: Handle,
    /// Its device.
    pub dev: u64,
    /// Its inode.
    pub ino: u64,
}

/// A name in an opened directory.
#[derive(Debug, Clone)]
pub struct Place {
    /// The directory.
    pub dir: OpenDir,
    /// The name.
    pub name: Vec<u8>,
}

/// An opened root.
pub struct Root<'s> {
    /// The system it is on.
    pub sys: &'s dyn System,
    /// Its real path.
    pub path: PathBuf,
    /// Its directory.
    pub dir: OpenDir,
    authority: Authority,
    open: Mutex<HashMap<RelPath, OpenDir>>,
}

impl<'s> Root<'s> {
    /// Opens a root and judges it.
    ///
    /// # Errors
    /// `POLICY_DENIED` when it must not be a root, `INVALID_ARGS` when there is no such directory, `PERM_DENIED`.
    pub fn open(sys: &'s dyn System, path: &Path, authority: Authority) -> Result<Root<'s>> {
        let named = shown(path.as_os_str().as_encoded_bytes());
        let failed = |errno| failed(errno, &format!("the root {named} cannot be opened"));
        let handle = sys.open_root(path).map_err(failed)?;
        let stat = sys.stat_open(&handle).map_err(failed)?;
        let real = path_of(&sys.real_path(&handle).map_err(failed)?);
        authority.check_root(&real, (stat.dev, stat.ino))?;
        let dir = OpenDir { handle, dev: stat.dev, ino: stat.ino };
        Ok(Root { sys, path: real, dir, authority, open: Mutex::new(HashMap::new()) })
    }

    /// Forgets which directories are open, so that the next look goes from the root again.
    pub fn forget(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Opens the directory of that path, or the root for none.
    ///
    /// # Errors
    /// `POLICY_DENIED` when the way leads over a link or to a place of authority, `PLAN_STALE` when it is not there.
    pub fn directory(&self, path: Option<&RelPath>) -> Result<OpenDir> {
        let Some(path) = path else { return Ok(self.dir.clone()) };
        if let Some(dir) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return Ok(dir.clone());
        }
        // From the nearest one that is open. Not by recursion: a path can have two thousand components.
        let mut known = self.dir.clone();
        let mut missing = Vec::new();
        let mut ancestor = Some(path.clone());
        while let Some(here) = ancestor {
            if let Some(dir) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&here) {
                known = dir.clone();
                break;
            }
            ancestor = here.parent();
            missing.push(here);
        }
        for here in missing.into_iter().rev() {
            known = self.enter(&known, &here)?;
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if open.len() >= OPEN_DIRS {
                open.clear();
            }
            open.insert(here, known.clone());
        }
        Ok(known)
    }

    fn enter(&self, dir: &OpenDir, path: &RelPath) -> Result<OpenDir> {
        let handle = match self.sys.open_dir(&dir.handle, path.name()) {
            Ok(handle) => handle,
            Err(Errno::LOOP | Errno::XDEV) => {
                return Err(Refusal::new(Rule::LinkOnTheWay, "it is a link, and is not followed")
                    .at(path.as_bytes())
                    .into());
            }
            Err(Errno::NOTDIR) => {
                let link = matches!(self.sys.stat(&dir.handle, path.name()), Ok(stat) if stat.kind == Kind::Link);
                let refusal = if link {
                    Refusal::new(Rule::LinkOnTheWay, "it is a link, and is not followed")
                } else {
                    Refusal::new(Rule::NotAFolder, "it is not a directory")
                };
                return Err(refusal.at(path.as_bytes()).into());
            }
            Err(errno) => return Err(failed(errno, &format!("the directory {path} cannot be opened"))),
        };
        let stat =
            self.sys.stat_open(&handle).map_err(|errno| failed(errno, &format!("{path} cannot be looked at")))?;
        let ours = path.components().next() == Some(OURS.as_bytes());
        if !ours && (self.authority.holds((stat.dev, stat.ino)) || self.is_own_folder(&stat)) {
            let why = "what is there starts programs, gives rights, or is ours";
            return Err(Refusal::new(Rule::AuthorityPath, why).at(path.as_bytes()).into());
        }
        Ok(OpenDir { handle, dev: stat.dev, ino: stat.ino })
    }

    /// Whether an inode is our own folder or one of those in it, reached under another name.
    fn is_own_folder(&self, stat: &Stat) -> bool {
        let Ok(ours) = self.sys.open_dir(&self.dir.handle, OURS.as_bytes()) else { return false };
        let same =
            |dir: &Handle| self.sys.stat_open(dir).is_ok_and(|found| (found.dev, found.ino) == (stat.dev, stat.ino));
        same(&ours)
            || [STAGE, VAULT]
                .iter()
                .any(|name| self.sys.open_dir(&ours, name.as_bytes()).is_ok_and(|inner| same(&inner)))
    }

    /// The opened parent of a path, and its last name.
    ///
    /// # Errors
    /// As [`Root::directory`].
    pub fn place(&self, path: &RelPath) -> Result<Place> {
        Ok(Place { dir: self.directory(path.parent().as_ref())?, name: path.name().to_vec() })
    }

    /// What is at a path; the last component is not followed.
    ///
    /// # Errors
    /// As [`Root::directory`]; a parent that is not there, or is a file, is an answer.
    pub fn look(&self, path: &RelPath) -> Result<Option<Stat>> {
        let place = match self.place(path) {
            Ok(place) => place,
            Err(error) if matches!(error.kind_of(), Some("not_there" | "not_a_folder")) => return Ok(None),
            Err(error) => return Err(error),
        };
        self.stat(&place, path)
    }

    /// What is at a place.
    ///
    /// # Errors
    /// What the system says.
    pub fn stat(&self, place: &Place, path: &RelPath) -> Result<Option<Stat>> {
        lookup(self.sys, &place.dir.handle, &place.name)
            .map_err(|errno| failed(errno, &format!("{path} cannot be looked at")))
    }

    /// Judges a path that an action names: as it is written, then by the handles that lead there.
    ///
    /// # Errors
    /// The refusal, or what the system says.
    pub fn judge(&self, path: &RelPath) -> Result<()> {
        if path.components().any(is_ours) {
            return Err(Refusal::new(Rule::AuthorityPath, "names that begin with `.surehand` are ours")
                .at(path.as_bytes())
                .into());
        }
        let absolute = self.path.join(path_of(path.as_bytes()));
        self.authority.check_path(&absolute).map_err(|refusal| refusal.at(path.as_bytes()))?;
        if let Some(stat) = self.look(path)? {
            let why = "what is there starts programs, gives rights, or is ours";
            if self.authority.holds((stat.dev, stat.ino)) || (stat.kind == Kind::Dir && self.is_own_folder(&stat)) {
                return Err(Refusal::new(Rule::AuthorityPath, why).at(path.as_bytes()).into());
            }
            if stat.kind == Kind::Other {
                let why = "it is a device, a socket or a pipe";
                return Err(Refusal::new(Rule::UnsupportedFile, why).at(path.as_bytes()).into());
            }
        }
        Ok(())
    }
}

/// An error for what the system said.
pub(crate) fn failed(errno: Errno, what: &str) -> Error {
    let (code, kind) = match errno {
        Errno::ACCESS | Errno::PERM | Errno::ROFS => (Code::PermDenied, "not_permitted"),
        Errno::NOENT => (Code::PlanStale, "not_there"),
        Errno::EXIST | Errno::NOTEMPTY => (Code::PlanStale, "occupied"),
        Errno::NOSPC | Errno::DQUOT => (Code::ActionFailed, "no_space"),
        Errno::NAMETOOLONG | Errno::INVAL => (Code::InvalidArgs, "name_refused"),
        _ => (Code::ActionFailed, "system"),
    };
    Error::new(code, what).kind(kind).platform(errno.to_string())
}
