//! What a folder holds: paths, contents, modes, times, attributes. Two of them are compared to know that nothing was
//! lost, and nothing else was changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The type and mode bits.
    pub mode: u32,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime: i128,
    /// The content of a file, or where a link leads.
    pub content: Vec<u8>,
    /// Blocks of 512 bytes, for files with holes.
    pub blocks: u64,
    /// Extended attributes.
    pub attributes: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// A folder, by the paths in it. Our own folder in it is left out; the folder itself is the empty path.
pub type Tree = BTreeMap<Vec<u8>, Entry>;

/// Reads a folder.
pub fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    read(folder, &[], &mut tree);
    tree
}

fn read(path: &Path, name: &[u8], tree: &mut Tree) {
    let meta = fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let content = if meta.is_file() {
        fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    } else if meta.is_symlink() {
        fs::read_link(path).map(|target| target.as_os_str().as_bytes().to_vec()).unwrap_or_default()
    } else {
        Vec::new()
    };
    let entry = Entry {
        mode: meta.permissions().mode(),
        mtime: i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        content,
        blocks: if meta.is_file() { meta.blocks() } else { 0 },
        attributes: if meta.is_symlink() { BTreeMap::new() } else { attributes(path) },
    };
    tree.insert(name.to_vec(), entry);
    if meta.is_dir() {
        for child in fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
            let child = child.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let file = child.file_name();
            if file == ".surehand" {
                continue;
            }
            let mut inner = name.to_vec();
            if !inner.is_empty() {
                inner.push(b'/');
            }
            inner.extend_from_slice(file.as_bytes());
            read(&child.path(), &inner, tree);
        }
    }
}

fn attributes(path: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut names = vec![0_u8; 65536];
    let Ok(used) = rustix::fs::listxattr(path, &mut names[..]) else { return BTreeMap::new() };
    names[..used]
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .filter_map(|name| {
            let mut value = vec![0_u8; 65536];
            let used = rustix::fs::getxattr(path, name, &mut value[..]).ok()?;
            Some((name.to_vec(), value[..used].to_vec()))
        })
        .collect()
}

/// How two folders differ, one line for each path; empty when they do not.
pub fn differences(before: &Tree, after: &Tree) -> Vec<String> {
    let shown = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let mut found = Vec::new();
    for (path, entry) in before {
        match after.get(path) {
            None => found.push(format!("{} is gone", shown(path))),
            Some(other) if other == entry => {}
            Some(other) => {
                let mut what = Vec::new();
                if other.mode != entry.mode {
                    what.push(format!("mode {:o} became {:o}", entry.mode, other.mode));
                }
                if other.mtime != entry.mtime {
                    what.push(format!("time {} became {}", entry.mtime, other.mtime));
                }
                if other.content != entry.content {
                    what.push("another content".to_owned());
                }
                if other.blocks != entry.blocks {
                    what.push(format!("{} blocks became {}", entry.blocks, other.blocks));
                }
                if other.attributes != entry.attributes {
                    what.push("other attributes".to_owned());
                }
                found.push(format!("{}: {}", shown(path), what.join(", ")));
            }
        }
    }
    found.extend(after.keys().filter(|path| !before.contains_key(*path)).map(|path| format!("{} is new", shown(path))));
    found
}
