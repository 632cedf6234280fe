//! The scanner: which desktop entries there are.
//!
//! The directories are those of the XDG base directory specification, the user's first. The first file of an
//! id decides about it for good: when it says `Hidden=true` or cannot be used, later ones do not come back
//! in its place. Nothing is written and nothing is started.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use surehand_core::desktop::Environment;
use surehand_core::text;

use crate::entry::{self, Entry, Source, Unreadable, Verdict};

/// How deep directories are entered; the specification's own examples need one level.
const MAX_DEPTH: usize = 8;
/// How many entry files one applications directory may hold, so that a directory that is really a whole
/// file system ends.
const MAX_FILES: usize = 50_000;
/// How many names of any kind are looked at in one applications directory.
const MAX_NAMES: usize = 200_000;
/// The longest file name that Linux has; an id of several directories is at most a few of them.
const MAX_ID: usize = 1_024;

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Index {
    /// The applications, in the order of their directories; each id once.
    pub entries: Vec<Entry>,
    /// What was there and is not among them.
    pub skipped: Vec<Skipped>,
}

/// Something that the scan could not use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file or directory. For the person who asks, not for logs.
    pub what: PathBuf,
    /// The id it would have had; `None` for what is no entry file.
    pub id: Option<String>,
    /// Why, in words; text of the file is quoted.
    pub reason: String,
}

/// Reads the applications directories that an environment names (`XDG_DATA_HOME` or `HOME`, then
/// `XDG_DATA_DIRS`).
///
/// It cannot fail: what could not be read stands in [`Index::skipped`]. A directory that does not exist is
/// no fault.
pub fn scan(environment: &Environment) -> Index {
    let mut index = Index::default();
    // Every id that was decided about, also those that are hidden or cannot be used.
    let mut decided = HashSet::new();
    for (directory, source) in directories(environment) {
        let mut walk = Walk { root: &directory, files: Vec::new(), names: 0, full: false, skipped: &mut index.skipped };
        walk.enter(&directory, "", &mut Vec::new());
        let mut files = walk.files;
        // `a-b.desktop` and `a/b.desktop` have the same id; the one that is less deep wins, always.
        files.sort_by(|a, b| (a.depth, &a.id).cmp(&(b.depth, &b.id)));
        let mut here = HashSet::new();
        for Found { id, path, .. } in files {
            let skip = |reason: String| Skipped { what: path.clone(), id: Some(id.clone()), reason };
            if here.contains(&id) {
                index.skipped.push(skip("another file in this directory has the same id".into()));
                continue;
            }
            here.insert(id.clone());
            if !decided.insert(id.clone()) {
                continue;
            }
            let text = match entry::read(&path) {
                Ok(text) => text,
                Err(Unreadable::Gone) => {
                    index.skipped.push(skip("it is a link to nothing, or was just removed".into()));
                    continue;
                }
                Err(Unreadable::Refused(reason)) => {
                    index.skipped.push(skip(reason));
                    continue;
                }
            };
            match entry::judge(&id, source, &path, &text, environment) {
                Verdict::Application(entry, _) => index.entries.push(*entry),
                Verdict::Hidden => {}
                Verdict::Unusable(reason) => index.skipped.push(skip(reason)),
            }
        }
    }
    tracing::debug!(entries = index.entries.len(), skipped = index.skipped.len(), "applications scanned");
    index
}

/// The home directory, where the environment names one.
pub(crate) fn home(environment: &Environment) -> Option<&Path> {
    environment.0.get("HOME").filter(|home| home.starts_with('/')).map(Path::new)
}

/// The applications directories in order of priority, each once.
fn directories(environment: &Environment) -> Vec<(PathBuf, Source)> {
    let value = |name: &str| environment.0.get(name).map(String::as_str).filter(|value| !value.is_empty());
    // The specification has relative paths ignored.
    let absolute = |path: &&str| path.starts_with('/');
    let home = home(environment);
    let own = value("XDG_DATA_HOME")
        .filter(absolute)
        .map(PathBuf::from)
        .or_else(|| home.map(|home| home.join(".local/share")));
    let shared = value("XDG_DATA_DIRS").unwrap_or("/usr/local/share:/usr/share").split(':').filter(absolute);

    let mut found: Vec<(PathBuf, Source)> = Vec::new();
    let all = own.iter().map(|path| (path.clone(), true)).chain(shared.map(|path| (PathBuf::from(path), false)));
    for (data, is_own) in all {
        let source = if data.ends_with("flatpak/exports/share") {
            Source::Flatpak
        } else if data.ends_with("snapd/desktop") {
            Source::Snap
        } else if is_own || home.is_some_and(|home| home != Path::new("/") && data.starts_with(home)) {
            Source::User
        } else {
            Source::System
        };
        let path = data.join("applications");
        if !found.iter().any(|(known, _)| *known == path) {
            found.push((path, source));
        }
    }
    found
}

/// A file that is an entry by its name.
struct Found {
    id: String,
    path: PathBuf,
    depth: usize,
}

/// The way through one applications directory.
struct Walk<'a> {
    root: &'a Path,
    files: Vec<Found>,
    names: usize,
    /// Whether a limit was reached, which is said once.
    full: bool,
    skipped: &'a mut Vec<Skipped>,
}

impl Walk<'_> {
    fn skip(&mut self, what: &Path, id: Option<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { what: what.to_owned(), id, reason: reason.into() });
    }

    /// Collects the entry files of a directory and those in it. `prefix` is what its ids begin with, `above`
    /// the devices and inodes of the directories on the way here: links to directories are followed, as
    /// distributions use them, but never into one that we are in.
    fn enter(&mut self, directory: &Path, prefix: &str, above: &mut Vec<(u64, u64)>) {
        let metadata = match fs::metadata(directory) {
            Ok(metadata) => metadata,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return,
            Err(fault) => return self.skip(directory, None, format!("it cannot be read: {fault}")),
        };
        let identity = (metadata.dev(), metadata.ino());
        if above.contains(&identity) {
            return self.skip(directory, None, "it is a link to a directory that it is in");
        }
        if above.len() > MAX_DEPTH {
            return self.skip(directory, None, format!("it is more than {MAX_DEPTH} directories deep"));
        }
        let listing = match fs::read_dir(directory) {
            Ok(listing) => listing,
            Err(fault) => return self.skip(directory, None, format!("it cannot be read: {fault}")),
        };
        above.push(identity);
        for item in listing {
            let path = match item {
                Ok(item) => item.path(),
                Err(fault) => {
                    self.skip(directory, None, format!("it cannot be read to its end: {fault}"));
                    break;
                }
            };
            self.names += 1;
            if self.names > MAX_NAMES || self.files.len() >= MAX_FILES {
                self.full = true;
                let root = self.root;
                self.skip(root, None, format!("only {} of its entries were read", self.files.len()));
                break;
            }
            self.take(path, prefix, above);
            if self.full {
                break;
            }
        }
        above.pop();
    }

    /// Takes one name of a directory.
    fn take(&mut self, path: PathBuf, prefix: &str, above: &mut Vec<(u64, u64)>) {
        let Some(name) = path.file_name() else { return };
        let Some(name) = name.to_str() else {
            // Only what claims to be an entry is worth a word.
            if name.as_encoded_bytes().ends_with(b".desktop") {
                self.skip(&path, None, "its name is not UTF-8");
            }
            return;
        };
        if let Some(stem) = name.strip_suffix(".desktop") {
            let id = format!("{prefix}{stem}");
            if stem.is_empty() || id.len() > MAX_ID || id.contains(|c: char| c.is_control() || text::is_invisible(c)) {
                self.skip(&path, None, "its name is empty, too long, or has characters that cannot be seen");
                return;
            }
            self.files.push(Found { id, depth: above.len(), path });
        } else if path.is_dir() {
            let prefix = format!("{prefix}{name}-");
            self.enter(&path, &prefix, above);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Vec<(String, Source)> {
        let environment = Environment(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
        directories(&environment).into_iter().map(|(path, source)| (path.display().to_string(), source)).collect()
    }

    #[test]
    fn directories_come_in_the_order_of_the_specification() {
        let defaults = [("/usr/local/share/applications", Source::System), ("/usr/share/applications", Source::System)]
            .map(|(path, source)| (path.to_owned(), source));
        assert_eq!(of(&[]), defaults);
        assert_eq!(of(&[("HOME", "rel"), ("XDG_DATA_HOME", "rel"), ("XDG_DATA_DIRS", "")]), defaults);
        assert_eq!(of(&[("HOME", "/h")])[0], ("/h/.local/share/applications".to_owned(), Source::User));
        let dirs = "/h/.local/share/flatpak/exports/share:rel::/h/more:/own:/var/lib/snapd/desktop:/home2:/h/more";
        assert_eq!(
            of(&[("HOME", "/h"), ("XDG_DATA_HOME", "/own"), ("XDG_DATA_DIRS", dirs)]),
            [
                ("/own/applications", Source::User),
                ("/h/.local/share/flatpak/exports/share/applications", Source::Flatpak),
                ("/h/more/applications", Source::User),
                ("/var/lib/snapd/desktop/applications", Source::Snap),
                ("/home2/applications", Source::System),
            ]
            .map(|(path, source)| (path.to_owned(), source))
        );
    }
}
