//! One line.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use surehand_core::{Code, Error, Result};

use crate::canonical::sha256;
use crate::effect::{Record, Step};
use crate::path::RelPath;
use crate::sys::Moment;

/// How a step or a task stands, in the words of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The intent is there; whether the effect is, nobody has looked yet.
    Started,
    /// The effect is there.
    Ok,
    /// The effect is not there; with `there`, it is, and was not wanted.
    Failed,
    /// The effect was there and was taken back.
    RolledBack,
    /// Neither can be told. Never replayed; a person decides.
    Unknown,
}

/// Which way a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Doing.
    #[default]
    Do,
    /// Taking back.
    Undo,
}

impl Way {
    fn is_do(&self) -> bool {
        *self == Way::Do
    }
}

/// What is about to happen, and to which inodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// The step.
    pub step: Step,
    /// The inodes.
    pub record: Record,
}

/// A directory whose time is to be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirTime {
    /// Where it was; none for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
    /// Its inode.
    pub ino: u64,
    /// The time.
    pub mtime: Moment,
}

/// One line. A line with a `step` is about one step; one without is about the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// Version of the form.
    pub v: u32,
    /// Number of the line.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub ts: u64,
    /// The task.
    pub task_id: String,
    /// Who planned it: a skill, or `actions`.
    pub skill: String,
    /// The action; empty on a line about the task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action_id: String,
    /// What kind of action, `task` on a line about the task, `journal` on the first.
    pub kind: String,
    /// What it does, in our words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// How it stands.
    pub status: Status,
    /// How it is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Value>,
    /// SHA-256 of what was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The step within the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// Doing or taking back.
    #[serde(default, skip_serializing_if = "Way::is_do")]
    pub way: Way,
    /// On a failed step: the effect is there nevertheless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub there: bool,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The intent, on `started` lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// On lines about the task: digest of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// On lines about the task: times of directories.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirs: Vec<DirTime>,
}

impl Line {
    /// Whether it is about the journal or the vault, and about no task.
    pub fn is_about_journal(&self) -> bool {
        matches!(&*self.kind, "journal" | "vault")
    }

    /// A line about a task.
    pub fn of_task(task: &str, skill: &str, status: Status, way: Way) -> Line {
        Line {
            v: 1,
            seq: 0,
            ts: 0,
            task_id: task.to_owned(),
            skill: skill.to_owned(),
            action_id: String::new(),
            kind: "task".to_owned(),
            summary: String::new(),
            status,
            undo: None,
            hash: None,
            step: None,
            way,
            there: false,
            detail: None,
            intent: None,
            plan: None,
            dirs: Vec::new(),
        }
    }
}

const LABEL: &[u8] = b",\"chain\":\"";
const HEX: usize = 64;

/// The line with its chain and line break, and the chain. What is digested is the line without its last brace.
pub(super) fn join(line: &Line, before: &str) -> Result<(Vec<u8>, String)> {
    let mut body = serde_json::to_vec(line)
        .map_err(|error| Error::new(Code::Internal, "a line has no JSON form").platform(error.to_string()))?;
    body.pop();
    let chain = sha256(&[before.as_bytes(), &body].concat());
    body.extend_from_slice(LABEL);
    body.extend_from_slice(chain.as_bytes());
    body.extend_from_slice(b"\"}\n");
    Ok((body, chain))
}

/// What of a line was digested, and its chain.
pub(super) fn split(bytes: &[u8]) -> Option<(&[u8], &str)> {
    let rest = bytes.strip_suffix(b"\"}")?;
    let cut = rest.len().checked_sub(HEX)?;
    let chain = std::str::from_utf8(&rest[cut..]).ok()?;
    Some((rest[..cut].strip_suffix(LABEL)?, chain))
}
