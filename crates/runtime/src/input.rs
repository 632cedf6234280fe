//! Files that a caller names for us to read.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

/// Reads a plain file, at most so many bytes.
///
/// # Errors
/// `INVALID_ARGS` when there is none that can be read, or it is longer.
pub(crate) fn read(path: &str, most: usize) -> Result<Vec<u8>> {
    let bad = |kind: &str, why: &str| {
        Error::new(Code::InvalidArgs, format!("{} cannot be read: {why}", quote(path))).kind(kind)
    };
    // A pipe without a writer must not hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let fd = rustix::fs::openat(CWD, path, flags, Mode::empty())
        .map_err(|errno| bad("no_such_file", "it cannot be opened").platform(errno.to_string()))?;
    let about = rustix::fs::fstat(&fd)
        .map_err(|errno| bad("no_such_file", "it cannot be opened").platform(errno.to_string()))?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(bad("no_plain_file", "it is no plain file"));
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::from(fd)
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| bad("no_such_file", "reading it failed").platform(error.kind().to_string()))?;
    if bytes.len() > most {
        return Err(bad("too_large", &format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// The absolute path of something that is there, also of a link that leads nowhere.
///
/// # Errors
/// `INVALID_ARGS` when nothing is there.
pub(crate) fn existing(path: &str) -> Result<PathBuf> {
    let missing = || Error::new(Code::InvalidArgs, format!("there is no file {}", quote(path))).kind("no_such_file");
    let whole = std::path::absolute(Path::new(path)).map_err(|error| missing().platform(error.kind().to_string()))?;
    std::fs::symlink_metadata(&whole).map_err(|error| missing().platform(error.kind().to_string()))?;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_read_and_only_to_a_limit() {
        let base = tempfile::tempdir().expect("a directory");
        let file = base.path().join("x");
        std::fs::write(&file, b"12345").expect("written");
        let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let kind = |path: &str, most| read(path, most).map_err(|error| error.kind_of().unwrap_or("").to_owned());
        assert_eq!(kind(&path(&file), 5), Ok(b"12345".to_vec()));
        assert_eq!(kind(&path(&file), 4), Err("too_large".into()));
        assert_eq!(kind(&path(base.path()), 4), Err("no_plain_file".into()));
        assert_eq!(kind("/dev/zero", 4), Err("no_plain_file".into()));
        assert_eq!(kind(&path(&base.path().join("y")), 4), Err("no_such_file".into()));
        assert_eq!(kind("a\0b", 4), Err("no_such_file".into()));
        assert_eq!(existing(&path(&file)).expect("there"), file);
        assert!(existing(&path(&base.path().join("y"))).is_err() && existing("").is_err());
    }
}
