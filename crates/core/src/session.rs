//! Sessions: a namespace of snapshots, with a trace of what was done in it.
//!
//! A ref that was made in one session means nothing in another one. Ids of snapshots are handed out once among all
//! of them, so that a ref that is taken to the wrong session finds nothing instead of something else.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};
use crate::snapshot::SnapshotStore;
use crate::text::quote;
use crate::trace::Trace;

/// What a trace keeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Artifacts {
    /// Events alone, in which every text of a person or an application is replaced.
    #[default]
    Events,
    /// Pictures of the window before and after each action as well, with whatever they show.
    Full,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// The id that `--session` takes.
    pub session_id: String,
    /// The name that it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was started, by RFC 3339.
    pub created_at: String,
    /// When it was ended, by RFC 3339; nothing is traced in it since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Whether what is done in it is traced.
    pub trace: bool,
    /// What the trace keeps.
    pub artifacts: Artifacts,
}

/// What a new session is to be.
#[derive(Debug, Clone, Default)]
pub struct SessionRequest {
    /// A name for people.
    pub name: Option<String>,
    /// Whether to trace.
    pub trace: bool,
    /// What to keep.
    pub artifacts: Artifacts,
}

/// Which sessions are no longer wanted. One that somebody works in stays in any case.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwanted {
    /// Those in which nothing happened for so many seconds; every ended one without it.
    pub older_than: Option<u64>,
    /// Only those that were ended.
    pub ended: bool,
}

/// What commands of one session work with.
pub struct Namespace {
    /// Its snapshots.
    pub snapshots: Box<dyn SnapshotStore>,
    /// Its trace.
    pub trace: Box<dyn Trace>,
}

/// The part of a trace that one process wrote.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The name of its file.
    pub name: String,
    /// What is in it: one JSON object a line.
    pub bytes: Vec<u8>,
}

/// Where sessions are kept.
pub trait Sessions: Send + Sync {
    /// The one that was chosen for this run.
    fn current(&self) -> Option<&str>;

    /// Starts a session. Nothing else is changed by it: who wants to work in it says so.
    ///
    /// # Errors
    /// `INTERNAL` when the state directory cannot be used.
    fn start(&self, request: &SessionRequest) -> Result<Session>;

    /// Ends a session; one that was ended stays as it is.
    ///
    /// # Errors
    /// `INVALID_ARGS` with kind `unknown_session` when there is none of that id.
    fn end(&self, id: &str) -> Result<Session>;

    /// Every session, the oldest first.
    ///
    /// # Errors
    /// `INTERNAL` when the state directory cannot be used.
    fn list(&self) -> Result<Vec<Session>>;

    /// One session; none where the id only names a namespace that nobody started.
    ///
    /// # Errors
    /// `INVALID_ARGS` for what is no id, `INTERNAL` when what is kept of it is damaged.
    fn find(&self, id: &str) -> Result<Option<Session>>;

    /// Removes what is not wanted any more, with its snapshots and its trace, and gives the ids.
    ///
    /// # Errors
    /// `INTERNAL` when the state directory cannot be used.
    fn remove(&self, unwanted: Unwanted) -> Result<Vec<String>>;

    /// What commands in that session work with.
    ///
    /// # Errors
    /// `INVALID_ARGS` for what is no id, `INTERNAL` when the state directory cannot be used.
    fn namespace(&self, id: &str) -> Result<Namespace>;

    /// The parts of its trace, by the name of their file.
    ///
    /// # Errors
    /// `INTERNAL` when they cannot be read.
    fn segments(&self, id: &str) -> Result<Vec<Segment>>;

    /// A picture that its trace names, as PNG; none where it is gone.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be read.
    fn picture(&self, id: &str, name: &str) -> Result<Option<Vec<u8>>>;

    /// Writes a file into its folder, in place of an earlier one of that name, and gives the path.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written.
    fn keep(&self, id: &str, name: &str, bytes: &[u8]) -> Result<PathBuf>;
}

/// Whether a word can be the id of a session: 3 to 64 letters, digits, `-` and `_`.
///
/// # Errors
/// `INVALID_ARGS` when it cannot.
pub fn check_id(id: &str) -> Result<()> {
    let fits = id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) && !id.starts_with('-');
    if fits && (3..=64).contains(&id.len()) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidArgs, format!("{} is no id of a session", quote(id)))
        .kind("bad_session")
        .suggest("an id has 3 to 64 letters, digits, `-` and `_`; `session start` makes one"))
}

/// There is no session of that id.
pub fn unknown(id: &str) -> Error {
    Error::new(Code::InvalidArgs, format!("there is no session {}", quote(id)))
        .kind("unknown_session")
        .suggest("see `session list`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_words() {
        for id in ["abc", "0mfk3-x9k2", "A_b-9", &"x".repeat(64)] {
            assert!(check_id(id).is_ok(), "{id}");
        }
        for id in ["", "ab", "../x", "a/b", "a b", ".gc", "-abc", "añb", "a\u{202e}b", &"x".repeat(65)] {
            assert_eq!(check_id(id).expect_err(id).kind_of(), Some("bad_session"));
        }
    }
}
