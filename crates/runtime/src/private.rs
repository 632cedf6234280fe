//! Files that nobody else may read or put in our way.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use surehand_core::disposition::Delivery;
use surehand_core::time::{Cancel, Clock as _};
use surehand_core::{Code, Error, Result};

use crate::clock::SystemClock;

/// How long a lock is waited for: whoever holds it writes one small file. One that was stopped meanwhile must
/// not stop everybody else.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// How often it is looked at.
const LOCK_LOOK: Duration = Duration::from_millis(5);

/// Files larger than this are none of ours.
const MAX_FILE: u64 = 64 << 20;

/// A directory that belongs to us and is closed to everybody else.
#[derive(Debug, Clone)]
pub(crate) struct PrivateDir(PathBuf);

impl PrivateDir {
    /// Makes the directory with those above it, or takes it as it is if it is ours and closed.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be made, belongs to somebody else, is open to others, or is no directory.
    pub(crate) fn make(path: &Path) -> Result<PrivateDir> {
        if let Some(parent) = path.parent()
            && rustix::fs::stat(parent).is_err()
        {
            PrivateDir::make(parent)?;
        }
        match rustix::fs::mkdir(path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(failed("a directory of ours cannot be made", path, errno)),
        }
        let directory = PrivateDir(path.to_owned());
        let fd = directory.open()?;
        let stat = rustix::fs::fstat(&fd).map_err(|errno| failed("a directory of ours cannot be read", path, errno))?;
        let own = rustix::process::geteuid().as_raw();
        if stat.st_uid != own {
            return Err(unsafe_directory(path, "it belongs to somebody else"));
        }
        if stat.st_mode & 0o077 != 0 {
            return Err(unsafe_directory(path, "others can get into it"));
        }
        Ok(directory)
    }

    /// The directory itself, never what a link in its place leads to.
    fn open(&self) -> Result<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        rustix::fs::open(&self.0, flags, Mode::empty())
            .map_err(|errno| failed("a directory of ours cannot be opened", &self.0, errno))
    }

    /// Reads a file, or nothing where there is none.
    ///
    /// # Errors
    /// `INTERNAL` when it is there and cannot be read, is no plain file, or is too large.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = match rustix::fs::openat(self.open()?, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(failed("a file of ours cannot be opened", &self.0, errno)),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|errno| failed("a file of ours cannot be read", &self.0, errno))?;
        let plain = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile;
        let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        if !plain || size > MAX_FILE || stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(unsafe_directory(&self.0, "a file in it is not one of ours"));
        }
        let mut bytes = Vec::new();
        std::fs::File::from(fd)
            .take(MAX_FILE)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::new(Code::Internal, "a file of ours cannot be read").platform(error.to_string()))?;
        Ok(Some(bytes))
    }

    /// Writes a file as a whole: a reader sees the old one or the new one.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written; the old one is still there then.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let directory = self.open()?;
        let staging = format!(".{name}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let result = rustix::fs::openat(&directory, &staging, flags, mode)
            .map_err(std::io::Error::from)
            .and_then(|fd| std::fs::File::from(fd).write_all(bytes))
            .and_then(|()| Ok(rustix::fs::renameat(&directory, &staging, &directory, name)?));
        result.map_err(|error| {
            let _ = rustix::fs::unlinkat(&directory, &staging, AtFlags::empty());
            Error::new(Code::Internal, format!("nothing can be written into {}", self.quoted()))
                .kind("state_not_writable")
                .platform(error.to_string())
        })
    }

    /// Opens a file for adding lines at its end.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be opened or made.
    pub(crate) fn append(&self, name: &str) -> Result<std::fs::File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(self.open()?, name, flags, Mode::RUSR | Mode::WUSR)
            .map(std::fs::File::from)
            .map_err(|errno| failed("a file of ours cannot be opened", &self.0, errno))
    }

    /// Locks the directory against other processes of ours until the lock is dropped.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be locked.
    pub(crate) fn lock(&self) -> Result<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(self.open()?, ".lock", flags, Mode::RUSR | Mode::WUSR)
            .map_err(|errno| failed("a lock of ours cannot be opened", &self.0, errno))?;
        let patience = Instant::now() + LOCK_WAIT;
        loop {
            match rustix::fs::flock(&fd, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(fd),
                Err(Errno::WOULDBLOCK) if Instant::now() < patience => {
                    SystemClock.pause(LOCK_LOOK, &Cancel::default());
                }
                Err(errno) => return Err(failed("a lock of ours cannot be taken", &self.0, errno)),
            }
        }
    }

    /// The names in it.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be read.
    pub(crate) fn names(&self) -> Result<Vec<String>> {
        let failed = |errno| failed("a directory of ours cannot be read", &self.0, errno);
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(self.open()?).map_err(failed)? {
            names.extend(entry.map_err(failed)?.file_name().to_str().ok().map(str::to_owned));
        }
        Ok(names)
    }

    /// Removes a file; one that is not there is removed already.
    pub(crate) fn remove(&self, name: &str) {
        if let Ok(directory) = self.open() {
            let _ = rustix::fs::unlinkat(directory, name, AtFlags::empty());
        }
    }

    /// The path, for an error.
    pub(crate) fn quoted(&self) -> String {
        surehand_core::text::quote(&self.0.to_string_lossy())
    }
}

fn failed(what: &str, path: &Path, errno: Errno) -> Error {
    Error::new(Code::Internal, format!("{what}: {}", surehand_core::text::quote(&path.to_string_lossy())))
        .kind("state_not_usable")
        .platform(errno.to_string())
        // Our files are opened before anything is sent to anybody.
        .delivery(Delivery::NotDelivered)
}

fn unsafe_directory(path: &Path, why: &str) -> Error {
    let path = surehand_core::text::quote(&path.to_string_lossy());
    Error::new(Code::Internal, format!("{path} is not used: {why}"))
        .kind("state_not_private")
        .delivery(Delivery::NotDelivered)
        .suggest("make it a directory of your own with mode 0700, or name another one with `SUREHAND_HOME`")
}

/// A file below an opened directory, which no link and no `..` leads out of. It must not exist.
///
/// # Errors
/// `POLICY_DENIED` when the path leads out, `CONFLICT` when something is there, `INVALID_ARGS` when there is no
/// such folder.
pub(crate) fn create_beneath(folder: &Path, path: &str) -> Result<(std::fs::File, PathBuf)> {
    let bad =
        |code, why: &str| Error::new(code, format!("{} cannot be written: {why}", surehand_core::text::quote(path)));
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
    let root = rustix::fs::openat(CWD, folder, flags, Mode::empty()).map_err(|errno| {
        bad(Code::InvalidArgs, "the folder for output cannot be opened").platform(errno.to_string())
    })?;
    let inner = Path::new(path).strip_prefix(folder).unwrap_or(Path::new(path));
    if inner.is_absolute() {
        return Err(outside(folder, path));
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let resolve = rustix::fs::ResolveFlags::BENEATH
        | rustix::fs::ResolveFlags::NO_SYMLINKS
        | rustix::fs::ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(&root, inner, flags, Mode::RUSR | Mode::WUSR, resolve) {
        Ok(fd) => Ok((std::fs::File::from(fd), folder.join(inner))),
        Err(Errno::EXIST) => Err(bad(Code::Conflict, "something is there already").suggest("choose another name")),
        Err(Errno::XDEV | Errno::LOOP) => Err(outside(folder, path)),
        Err(Errno::NOENT) => Err(bad(Code::InvalidArgs, "there is no such folder")),
        Err(errno) => Err(bad(Code::InvalidArgs, "it is not possible there").platform(errno.to_string())),
    }
}

/// The same for a file that is added to: it may be there already, when it is an ordinary file of ours.
///
/// # Errors
/// `POLICY_DENIED` when the path leads out, `CONFLICT` when something else is there, `INVALID_ARGS` when there is no such
/// folder.
pub(crate) fn append_beneath(folder: &Path, path: &str) -> Result<std::fs::File> {
    let bad =
        |code, why: &str| Error::new(code, format!("{} cannot be written: {why}", surehand_core::text::quote(path)));
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
    let root = rustix::fs::openat(CWD, folder, flags, Mode::empty()).map_err(|errno| {
        bad(Code::InvalidArgs, "the folder for output cannot be opened").platform(errno.to_string())
    })?;
    let inner = Path::new(path).strip_prefix(folder).unwrap_or(Path::new(path));
    if inner.is_absolute() {
        return Err(outside(folder, path));
    }
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::APPEND | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let resolve = rustix::fs::ResolveFlags::BENEATH
        | rustix::fs::ResolveFlags::NO_SYMLINKS
        | rustix::fs::ResolveFlags::NO_MAGICLINKS;
    let fd = match rustix::fs::openat2(&root, inner, flags, Mode::RUSR | Mode::WUSR, resolve) {
        Ok(fd) => fd,
        Err(Errno::XDEV | Errno::LOOP) => return Err(outside(folder, path)),
        Err(Errno::NOENT) => return Err(bad(Code::InvalidArgs, "there is no such folder")),
        Err(errno) => return Err(bad(Code::InvalidArgs, "it is not possible there").platform(errno.to_string())),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|errno| failed("a file of ours cannot be read", folder, errno))?;
    let plain = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile;
    if !plain || stat.st_nlink != 1 || stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(bad(Code::Conflict, "what is there is no file of ours").suggest("choose another name"));
    }
    Ok(std::fs::File::from(fd))
}

fn outside(folder: &Path, path: &str) -> Error {
    Error::new(
        Code::PolicyDenied,
        format!(
            "{} is not inside the folder for output, {}",
            surehand_core::text::quote(path),
            surehand_core::text::quote(&folder.to_string_lossy())
        ),
    )
    .kind("outside_output_folder")
    .suggest("give a path relative to that folder; a person names another one with `--output-dir`")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_directory_of_others_or_open_to_others_is_not_used() {
        let base = tempfile::tempdir().expect("a directory");
        let open = base.path().join("open");
        std::fs::create_dir(&open).expect("made");
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).expect("mode");
        assert_eq!(PrivateDir::make(&open).expect_err("open").kind_of(), Some("state_not_private"));
        let link = base.path().join("link");
        symlink("/", &link).expect("link");
        assert!(PrivateDir::make(&link).is_err());
    }

    #[test]
    fn files_are_private_and_whole() {
        let base = tempfile::tempdir().expect("a directory");
        let dir = PrivateDir::make(&base.path().join("a/b")).expect("made");
        assert_eq!(dir.read("x").expect("readable"), None);
        dir.write("x", b"one").expect("written");
        dir.write("x", b"two").expect("written");
        assert_eq!(dir.read("x").expect("readable").as_deref(), Some(&b"two"[..]));
        let mode = std::fs::metadata(base.path().join("a/b/x")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(dir.names().expect("names").iter().filter(|name| !name.starts_with('.')).count(), 1);
        symlink("x", base.path().join("a/b/link")).expect("link");
        assert!(dir.read("link").is_err());
    }

    #[test]
    fn nothing_is_written_outside_the_folder_or_over_something() {
        let base = tempfile::tempdir().expect("a directory");
        let folder = base.path().join("out");
        std::fs::create_dir(&folder).expect("made");
        symlink(base.path(), folder.join("up")).expect("link");
        symlink(base.path().join("elsewhere"), folder.join("leaf")).expect("link");
        for path in ["../x", "/etc/surehand-test", "up/x", "a/../../x"] {
            let code = create_beneath(&folder, path).expect_err(path).code();
            assert!(matches!(code, Code::PolicyDenied | Code::InvalidArgs), "{path}: {code}");
        }
        assert_eq!(create_beneath(&folder, "leaf").expect_err("link").code(), Code::Conflict);
        let inside = folder.join("x.png");
        let (_, path) = create_beneath(&folder, &inside.to_string_lossy()).expect("inside");
        assert_eq!(path, inside);
        assert_eq!(create_beneath(&folder, "x.png").expect_err("there").code(), Code::Conflict);
        assert!(!base.path().join("x").exists() && !base.path().join("elsewhere").exists());
    }
}
