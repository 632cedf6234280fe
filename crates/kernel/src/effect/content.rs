//! Content of files: digesting, copying, writing.

use surehand_core::{Code, Error, Result};

use crate::canonical::Hasher;
use crate::path::RelPath;
use crate::root::{Root, failed};
use crate::sys::{Handle, Stat, Sys, System};

/// How much is read at a time.
const CHUNK: usize = 1 << 20;

/// The SHA-256 of an open file.
fn hash(sys: &dyn System, file: &Handle) -> Sys<String> {
    let mut hasher = Hasher::default();
    let mut at = 0;
    loop {
        let bytes = sys.read(file, at, CHUNK)?;
        hasher.add(&bytes);
        at += bytes.len() as u64;
        if bytes.len() < CHUNK {
            return Ok(hasher.finish());
        }
    }
}

/// The SHA-256 of the regular file at a path.
///
/// # Errors
/// What the system says, also that it is a link.
pub fn hash_at(root: &Root<'_>, path: &RelPath) -> Result<String> {
    let place = root.place(path)?;
    root.sys
        .open_file(&place.dir.handle, &place.name)
        .and_then(|file| hash(root.sys, &file))
        .map_err(|errno| failed(errno, &format!("{path} cannot be read")))
}

/// Copies a regular file: content with its holes, mode, attributes and times; makes the copy durable, reads it back
/// and compares. Gives what the copy is, what the source is, and the digest of both.
///
/// # Errors
/// What the system says, and `PLAN_STALE` when the source changes meanwhile. The copy then is still there.
pub fn copy(root: &Root<'_>, from: &RelPath, dir: &Handle, name: &[u8]) -> Result<(Stat, Stat, String)> {
    let sys = root.sys;
    let place = root.place(from)?;
    let copied = || -> Sys<_> {
        let source = sys.open_file(&place.dir.handle, &place.name)?;
        let before = sys.stat_open(&source)?;
        let target = sys.create(dir, name)?;
        for (start, length) in sys.data(&source)? {
            let mut at = start;
            while at < start + length {
                let want = usize::try_from(start + length - at).unwrap_or(CHUNK).min(CHUNK);
                let bytes = sys.read(&source, at, want)?;
                if bytes.is_empty() {
                    break;
                }
                sys.write(&target, at, &bytes)?;
                at += bytes.len() as u64;
            }
        }
        sys.truncate(&target, before.size)?;
        for (attribute, value) in sys.attributes(&source)? {
            sys.set_attribute(&target, &attribute, &value)?;
        }
        sys.set_mode(&target, before.mode)?;
        sys.set_times(&target, before.atime, before.mtime)?;
        sys.sync(&target)?;
        let digest = hash(sys, &source)?;
        let same = hash(sys, &target)? == digest;
        let after = sys.stat_open(&source)?;
        Ok((sys.stat_open(&target)?, before, after, digest, same))
    };
    let (target, before, after, digest, same) =
        copied().map_err(|errno| failed(errno, &format!("{from} cannot be copied")))?;
    if (before.size, before.mtime, before.ctime) != (after.size, after.mtime, after.ctime) {
        return Err(super::stale(from, "was changed while it was copied"));
    }
    if !same {
        return Err(
            Error::new(Code::ActionFailed, format!("the copy of {from} does not read as its source")).kind("bad_copy")
        );
    }
    Ok((target, after, digest))
}

/// Writes content into a new file and makes it durable. Mode and attributes are those of `like`, where there is one.
pub(super) fn write(root: &Root<'_>, dir: &Handle, name: &[u8], content: &[u8], like: Option<&Handle>) -> Sys<Stat> {
    let sys = root.sys;
    let file = sys.create(dir, name)?;
    sys.write(&file, 0, content)?;
    match like {
        Some(like) => {
            for (attribute, value) in sys.attributes(like)? {
                sys.set_attribute(&file, &attribute, &value)?;
            }
            sys.set_mode(&file, sys.stat_open(like)?.mode)?;
        }
        None => sys.set_mode(&file, NEW_FILE)?,
    }
    sys.sync(&file)?;
    sys.stat_open(&file)
}

/// The mode of a new file. Not wider: nobody has said who else may read it.
const NEW_FILE: u32 = 0o644;
