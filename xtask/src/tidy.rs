//! `cargo xtask tidy`: proves the invariants of ARCHITECTURE.md that a program can prove.
//!
//! Every check is a function from the repository, as text, to what violates it, so each is tested with a sample
//! that violates it. Its name stands in ARCHITECTURE.md beside the invariant; that too is checked.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process::{cargo, printed, root, say};

mod cases;
mod docs;
mod layers;
mod rust;
mod sources;
mod text;

/// `cargo xtask tidy`
#[derive(Debug, clap::Args)]
pub(crate) struct Tidy {
    /// Only list the checks.
    #[arg(long)]
    list: bool,
}

/// A check: its name in ARCHITECTURE.md and what it looks at.
type Check = (&'static str, fn(&Repository) -> Result<Vec<Violation>>);

/// All checks.
const CHECKS: &[Check] = &[
    ("layers", layers::layers),
    ("confined-dependencies", layers::confined_dependencies),
    ("manifests", layers::manifests),
    ("core-purity", sources::core_purity),
    ("unfinished-code", sources::unfinished_code),
    ("unsafe-code", sources::unsafe_code),
    ("reachable-sources", sources::reachable_sources),
    ("registry-order", sources::registry_order),
    ("file-size", text::file_size),
    ("machine-paths", text::machine_paths),
    ("clean-text", text::clean_text),
    ("dependency-table", docs::dependency_table),
    ("links", docs::links),
    ("changelog", docs::changelog),
    ("packages", docs::packages),
    ("cases", cases::cases),
    ("invariants", docs::invariants),
];

impl Tidy {
    /// Runs every check, also when one finds something.
    ///
    /// # Errors
    /// When the repository cannot be read, or anything violates an invariant.
    pub(crate) fn run(self) -> Result<()> {
        if self.list {
            for (name, _) in CHECKS {
                crate::process::print(format_args!("{name}"));
            }
            return Ok(());
        }
        let repository = Repository::read()?;
        let mut count = 0;
        for (name, check) in CHECKS {
            for violation in check(&repository).with_context(|| format!("check `{name}`"))? {
                count += 1;
                say(format_args!("{violation} [{name}]"));
            }
        }
        if count > 0 {
            bail!("{count} violations of the invariants in ARCHITECTURE.md");
        }
        say(format_args!("tidy: {} checks over {} files", CHECKS.len(), repository.files.len()));
        Ok(())
    }
}

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Violation {
    file: String,
    /// From 1; 0 when it is about the file as a whole.
    line: usize,
    what: String,
}

impl Violation {
    /// In one line of a file.
    pub(super) fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Violation { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line.max(1), self.what)
    }
}

/// Every text file that belongs to the repository, and what cargo says of its crates.
pub(super) struct Repository {
    /// Text by path from the root, with `/`.
    files: BTreeMap<String, String>,
    /// Paths of the files that are not text.
    others: Vec<String>,
    /// `cargo metadata --no-deps`.
    metadata: Value,
}

impl Repository {
    fn read() -> Result<Self> {
        let mut git = std::process::Command::new("git");
        git.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = printed(&mut git).context("tidy looks at the files that git knows")?;
        let metadata = printed(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let (mut files, mut others) = (BTreeMap::new(), Vec::new());
        for path in listed.split_terminator('\0') {
            // A file that was deleted and is still in the index is in the list and not on the disk.
            let Ok(bytes) = std::fs::read(root().join(path)) else { continue };
            match String::from_utf8(bytes) {
                Ok(text) => drop(files.insert(path.to_owned(), text)),
                Err(_) => others.push(path.to_owned()),
            }
        }
        ensure!(!files.is_empty(), "git lists no files");
        Ok(Repository { files, others, metadata })
    }

    /// The files whose name ends so.
    fn ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files.iter().filter(move |(path, _)| path.ends_with(end)).map(|(path, text)| (&**path, &**text))
    }

    /// A file by its path.
    fn file(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether there is a file or a folder of this path.
    fn exists(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        let mut all = self.files.keys().chain(&self.others);
        path.is_empty() || all.any(|file| file == path || file.starts_with(&folder))
    }

    /// The workspace's crates.
    fn packages(&self) -> Result<&Vec<Value>> {
        self.metadata["packages"].as_array().context("cargo metadata lists no packages")
    }

    /// A path that cargo printed, from the root.
    fn relative(&self, path: &Value) -> Result<String> {
        let path = path.as_str().context("cargo metadata has a path that is no text")?;
        let root = self.metadata["workspace_root"].as_str().context("cargo metadata names no root")?;
        let path = path.strip_prefix(root).with_context(|| format!("{path} is outside of the workspace"))?;
        Ok(path.trim_start_matches(['/', '\\']).replace('\\', "/"))
    }
}

/// The line, from 1, of a place in a text.
fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
impl Repository {
    /// A repository of these files and no crates.
    fn sample(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Repository {
            files,
            others: Vec::new(),
            metadata: serde_json::json!({ "packages": [], "workspace_root": "/r" }),
        }
    }

    /// The same with these crates.
    fn with_packages(mut self, packages: Value) -> Self {
        self.metadata["packages"] = packages;
        self
    }
}

/// Asserts what a check finds, as `file:line: …` beginnings.
#[cfg(test)]
#[track_caller]
fn assert_found(check: fn(&Repository) -> Result<Vec<Violation>>, repository: &Repository, expected: &[&str]) {
    let found: Vec<String> = check(repository).unwrap().iter().map(Violation::to_string).collect();
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected) || found.contains(expected));
    assert!(same, "found {found:#?}\nexpected {expected:#?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_have_names_of_their_own() {
        let mut names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }

    #[test]
    fn this_repository_can_be_read() {
        let repository = Repository::read().unwrap();
        assert!(repository.file("Cargo.toml").is_some());
        assert!(repository.exists("xtask/src") && !repository.exists("xtask/sr"));
        let manifest = &repository.packages().unwrap()[0]["manifest_path"];
        assert!(repository.relative(manifest).unwrap().ends_with("Cargo.toml"));
    }

    #[test]
    fn a_violation_points_into_the_file() {
        assert_eq!(Violation::new("a.rs", 3, "no").to_string(), "a.rs:3: no");
        assert_eq!(Violation::new("a.rs", 0, "no").to_string(), "a.rs:1: no");
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
