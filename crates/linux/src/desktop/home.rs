//! The home directory of a desktop at its end.
//!
//! Applications write settings there, which go; a person's or an agent's files stay.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::places::{Desk, remove_tree};

/// Hidden directories in which applications put what a person wanted kept, below the home directory.
const NOT_SETTINGS: &[&str] = &[".local/share/Trash/files"];

/// Removes the home of a desktop, unless there are files in it that are not settings: then it is kept, and
/// where it is is returned.
pub(super) fn give_up(desk: &Desk) -> io::Result<Option<PathBuf>> {
    let home = desk.home();
    if holds_work(&home)? {
        return Ok(Some(home));
    }
    // The name of its owner goes last: should we be killed, `prune` finds the rest by it.
    remove_tree(&home)?;
    remove_tree(&desk.state)?;
    Ok(None)
}

/// Whether there is anything in it but hidden files, and directories without a file.
fn holds_work(home: &Path) -> io::Result<bool> {
    let entries = match fs::read_dir(home) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(false),
        Err(fault) => return Err(fault),
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") && holds_file(&entry.path())? {
            return Ok(true);
        }
    }
    for dir in NOT_SETTINGS {
        let dir = home.join(dir);
        if dir.is_dir() && holds_file(&dir)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether `path` is anything but a directory, or one with such a thing in it at any depth, hidden or not.
fn holds_file(path: &Path) -> io::Result<bool> {
    let mut pending = vec![path.to_owned()];
    while let Some(path) = pending.pop() {
        if !fs::symlink_metadata(&path)?.is_dir() {
            return Ok(true);
        }
        for entry in fs::read_dir(&path)? {
            pending.push(entry?.path());
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_empty_directories_are_no_work() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path();
        fs::create_dir_all(home.join(".config/app")).unwrap();
        fs::write(home.join(".config/app/rc"), "x").unwrap();
        fs::create_dir_all(home.join("Desktop/empty")).unwrap();
        assert!(!holds_work(home).unwrap());
        fs::create_dir_all(home.join(".local/share/Trash/files")).unwrap();
        assert!(!holds_work(home).unwrap());
        fs::write(home.join(".local/share/Trash/files/letter"), "x").unwrap();
        assert!(holds_work(home).unwrap());
        fs::remove_file(home.join(".local/share/Trash/files/letter")).unwrap();
        fs::write(home.join("Desktop/empty/.note"), "x").unwrap();
        assert!(holds_work(home).unwrap());
        fs::remove_file(home.join("Desktop/empty/.note")).unwrap();
        std::os::unix::fs::symlink("/nowhere", home.join("link")).unwrap();
        assert!(holds_work(home).unwrap());
    }
}
