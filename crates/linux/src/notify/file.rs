//! Where a monitor leaves what it knows: one file for each session bus, in a directory of ours in the runtime directory,
//! readable by nobody else and gone with the login.
//!
//! ```text
//! <runtime>/notifications/<bus>.json   what was shown
//! <runtime>/notifications/<bus>.lock   held by the monitor while it runs
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use surehand_core::notification::Notices;
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

use crate::process::{Stamp, boot};

/// The version of the form. The file ends with its monitor, so that no other one is ever read.
const FORM: u32 = 1;

/// Larger than anything a monitor writes.
const LARGEST: u64 = 16 << 20;

/// What is in the file.
#[derive(Debug, Serialize, Deserialize)]
struct Page {
    form: u32,
    /// The run of the system, and the process in it, that wrote this.
    boot: String,
    monitor: Stamp,
    notices: Notices,
}

/// The files of one session bus.
#[derive(Debug, Clone)]
pub(super) struct Shelf {
    folder: PathBuf,
    bus: String,
}

impl Shelf {
    /// Of the bus with this GUID.
    ///
    /// # Errors
    /// `INTERNAL` when the GUID is none.
    pub(super) fn new(folder: &Path, bus: &str) -> Result<Shelf> {
        if bus.is_empty() || bus.len() > 64 || !bus.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Error::new(Code::Internal, "the session bus has no identity that can be used"));
        }
        Ok(Shelf { folder: folder.to_owned(), bus: bus.to_owned() })
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.bus))
    }

    /// What a running monitor knows; `None` where none runs.
    ///
    /// # Errors
    /// `INTERNAL` when the file is there and is not ours, or cannot be read.
    pub(super) fn read(&self) -> Result<Option<Notices>> {
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(self.file("json")) {
            Ok(file) => file,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(self.unusable(&fault.kind().to_string())),
        };
        let about = file.metadata().map_err(|fault| self.unusable(&fault.kind().to_string()))?;
        if !about.is_file() || about.uid() != rustix::process::geteuid().as_raw() || about.len() > LARGEST {
            return Err(self.unusable("it is not one of ours"));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).map_err(|fault| self.unusable(&fault.kind().to_string()))?;
        let page: Option<Page> = serde_json::from_slice(&bytes).ok();
        // Damaged, of another version, or left by one that was killed: there is nobody who keeps it true.
        let page = page.filter(|page| page.form == FORM && page.boot == boot() && page.monitor.runs());
        Ok(page.map(|page| page.notices))
    }

    fn unusable(&self, why: &str) -> Error {
        Error::new(
            Code::Internal,
            format!("the notifications in {} cannot be read", quote(&self.folder.to_string_lossy())),
        )
        .kind("notifications_unreadable")
        .platform(why)
    }

    /// Makes the directory and takes this bus for the calling process; `None` when another process has it.
    ///
    /// # Errors
    /// `INTERNAL` when that is not possible, or the directory is not ours alone.
    pub(super) fn take(&self) -> Result<Option<Pen>> {
        let failed = |fault: std::io::Error| {
            Error::new(Code::Internal, "nothing can be kept about notifications")
                .kind("state_not_writable")
                .platform(fault.kind().to_string())
        };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        let about = fs::symlink_metadata(&self.folder).map_err(failed)?;
        if !about.is_dir() || about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o077 != 0 {
            return Err(self.unusable("the directory is not ours alone"));
        }
        let Some(lock) = self.lock().map_err(failed)? else { return Ok(None) };
        let monitor = Stamp::of(std::process::id())
            .ok_or_else(|| Error::new(Code::Internal, "/proc does not show this process"))?;
        self.sweep();
        Ok(Some(Pen { shelf: self.clone(), monitor, boot: boot(), _lock: lock }))
    }

    /// The lock; `None` when another process has it.
    fn lock(&self) -> std::io::Result<Option<File>> {
        let path = self.file("lock");
        loop {
            let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
                Err(fault) => return Err(fault.into()),
            }
            // Whoever had it may have removed it between the two, and the next one would make another.
            if fs::metadata(&path).is_ok_and(|there| lock.metadata().is_ok_and(|own| own.ino() == there.ino())) {
                return Ok(Some(lock));
            }
        }
    }

    /// Removes what monitors of other buses have left that were killed.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|ending| ending != "lock") || path == self.file("lock") {
                continue;
            }
            if let Ok(lock) = File::open(&path)
                && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            {
                let _ = fs::remove_file(path.with_extension("json"));
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// The right to write the file of one bus.
#[derive(Debug)]
pub(super) struct Pen {
    shelf: Shelf,
    monitor: Stamp,
    boot: String,
    _lock: File,
}

impl Pen {
    /// Writes what is known; a reader sees the old or the new, whole.
    ///
    /// # Errors
    /// As the operating system says.
    pub(super) fn write(&self, notices: &Notices) -> std::io::Result<()> {
        let page = Page { form: FORM, boot: self.boot.clone(), monitor: self.monitor, notices: notices.clone() };
        let bytes = serde_json::to_vec(&page)?;
        let draft = self.shelf.file("draft");
        let _ = fs::remove_file(&draft);
        let mut out = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        out.write_all(&bytes)?;
        fs::rename(&draft, self.shelf.file("json"))
    }
}

impl Drop for Pen {
    fn drop(&mut self) {
        for ending in ["json", "draft", "lock"] {
            let _ = fs::remove_file(self.shelf.file(ending));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn one_writes_and_what_it_wrote_is_believed_while_it_runs() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("notifications");
        let shelf = Shelf::new(&folder, "0a1b").unwrap();
        assert!(shelf.read().unwrap().is_none());
        let pen = shelf.take().unwrap().unwrap();
        assert!(shelf.take().unwrap().is_none(), "there is one already");
        let notices = Notices { since: 7, last: 0, all: Vec::new() };
        pen.write(&notices).unwrap();
        assert_eq!(shelf.read().unwrap(), Some(notices.clone()));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&shelf.file("json"))), (0o700, 0o600));
        // Left behind by another process of that number.
        let other = Pen {
            monitor: Stamp { started: 1, ..pen.monitor },
            shelf: shelf.clone(),
            boot: boot(),
            _lock: File::open(&folder).unwrap(),
        };
        other.write(&notices).unwrap();
        assert_eq!(shelf.read().unwrap(), None);
        drop(pen);
        assert!(fs::read_dir(&folder).unwrap().next().is_none());
        drop(other);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(shelf.take().is_err());
        assert!(Shelf::new(&folder, "../x").is_err());
    }
}
