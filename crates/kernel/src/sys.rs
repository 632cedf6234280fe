//! The one door to files. Everything the kernel does to a file, to the journal and to our state passes this trait, so
//! that a file system which fails and forgets can be put under it.
//!
//! Calls take a handle of a directory and one name in it, never a path: there is nothing left to resolve, so nothing
//! can be swapped for a link in between. No call follows a link in the last place.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub mod linux;

/// What a call to the system gives.
pub type Sys<T> = Result<T, Errno>;

/// An open file or directory. What is in it belongs to the implementation of [`System`].
#[derive(Clone)]
pub struct Handle(Arc<dyn Any + Send + Sync>);

impl Handle {
    /// A handle that holds what an implementation needs.
    pub fn new(inner: impl Any + Send + Sync) -> Handle {
        Handle(Arc::new(inner))
    }

    /// What is in it, for the implementation that made it.
    pub fn inner<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Handle")
    }
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// Anything else: a device, a socket, a pipe.
    Other,
}

/// A moment of a file's times: seconds since 1970 and nanoseconds.
pub type Moment = (i64, u32);

/// What is known of an inode without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The device. It can be another one after a restart, and is not kept.
    pub dev: u64,
    /// The inode.
    pub ino: u64,
    /// What it is.
    pub kind: Kind,
    /// Mode bits, without the type.
    pub mode: u32,
    /// Length in bytes.
    pub size: u64,
    /// How many names it has.
    pub links: u64,
    /// Last change of the content.
    pub mtime: Moment,
    /// Last access.
    pub atime: Moment,
    /// Last change of content, names or attributes.
    pub ctime: Moment,
    /// When it came to be, where the file system tells.
    pub born: Option<Moment>,
}

/// The calls. Each is one call to the system, or a few that change nothing.
///
/// None of the methods has errors of its own: [`Errno`] is what the system said.
#[allow(clippy::missing_errors_doc, reason = "every method fails as the system says, and in no other way")]
pub trait System: Send + Sync {
    /// Opens a directory by its absolute path, following links in it: a root that a person named, or our state.
    fn open_root(&self, path: &Path) -> Sys<Handle>;
    /// The absolute path of an open directory, with every link resolved.
    fn real_path(&self, dir: &Handle) -> Sys<Vec<u8>>;
    /// Opens a directory in a directory. A link is refused with `LOOP`, anything else with `NOTDIR`.
    fn open_dir(&self, dir: &Handle, name: &[u8]) -> Sys<Handle>;
    /// Opens a regular file for reading. A link is refused with `LOOP`.
    fn open_file(&self, dir: &Handle, name: &[u8]) -> Sys<Handle>;
    /// Opens a regular file for reading and writing, and makes an empty one with mode 0600 where there is none.
    fn open_or_create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle>;
    /// Makes a new file with mode 0600, for reading and writing.
    fn create(&self, dir: &Handle, name: &[u8]) -> Sys<Handle>;
    /// Makes a directory with mode 0700.
    fn mkdir(&self, dir: &Handle, name: &[u8]) -> Sys<()>;
    /// What a name is of; a link itself. `NOENT` where there is none.
    fn stat(&self, dir: &Handle, name: &[u8]) -> Sys<Stat>;
    /// What an open file or directory is.
    fn stat_open(&self, file: &Handle) -> Sys<Stat>;
    /// The names in a directory, in no order.
    fn list(&self, dir: &Handle) -> Sys<Vec<Vec<u8>>>;
    /// Where a link leads.
    fn read_link(&self, dir: &Handle, name: &[u8]) -> Sys<Vec<u8>>;
    /// Reads at most so many bytes at an offset; fewer only at the end.
    fn read(&self, file: &Handle, offset: u64, len: usize) -> Sys<Vec<u8>>;
    /// Writes all bytes at an offset. On an error some of them may be there.
    fn write(&self, file: &Handle, offset: u64, bytes: &[u8]) -> Sys<()>;
    /// The stretches that hold data, as (offset, length); holes are left out.
    fn data(&self, file: &Handle) -> Sys<Vec<(u64, u64)>>;
    /// Sets the length.
    fn truncate(&self, file: &Handle, len: u64) -> Sys<()>;
    /// Takes room for bytes to come, where the file system can, without changing the length.
    fn reserve(&self, file: &Handle, from: u64, bytes: u64) -> Sys<()>;
    /// Makes content durable, and of the attributes what reading it needs.
    fn sync_data(&self, file: &Handle) -> Sys<()>;
    /// Makes a file or the names in a directory durable.
    fn sync(&self, file: &Handle) -> Sys<()>;
    /// Gives an inode another name; `EXIST` where there is something.
    fn rename(&self, from: &Handle, name: &[u8], to: &Handle, new: &[u8]) -> Sys<()>;
    /// Replaces a file of ours by another: for our state only, never for a person's files.
    fn replace(&self, dir: &Handle, name: &[u8], new: &[u8]) -> Sys<()>;
    /// Exchanges what two names are of.
    fn exchange(&self, a: &Handle, name: &[u8], b: &Handle, other: &[u8]) -> Sys<()>;
    /// Removes a name that is not of a directory.
    fn unlink(&self, dir: &Handle, name: &[u8]) -> Sys<()>;
    /// Removes an empty directory.
    fn rmdir(&self, dir: &Handle, name: &[u8]) -> Sys<()>;
    /// Sets the mode bits.
    fn set_mode(&self, file: &Handle, mode: u32) -> Sys<()>;
    /// Sets the times of access and of change.
    fn set_times(&self, file: &Handle, atime: Moment, mtime: Moment) -> Sys<()>;
    /// The extended attributes that we may read.
    fn attributes(&self, file: &Handle) -> Sys<Vec<(Vec<u8>, Vec<u8>)>>;
    /// Sets one extended attribute.
    fn set_attribute(&self, file: &Handle, name: &[u8], value: &[u8]) -> Sys<()>;
    /// Locks a file against other processes until the handle is dropped; `WOULDBLOCK` when it is locked.
    fn lock(&self, file: &Handle) -> Sys<()>;
    /// Milliseconds since 1970.
    fn now(&self) -> u64;
    /// Bytes that nobody can foretell.
    fn random(&self) -> Sys<[u8; 16]>;
}

/// What a name is of, or that there is none.
///
/// # Errors
/// Anything but `NOENT`.
pub fn lookup(sys: &dyn System, dir: &Handle, name: &[u8]) -> Sys<Option<Stat>> {
    match sys.stat(dir, name) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}
