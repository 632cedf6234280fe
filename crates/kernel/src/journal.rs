//! The journal of a root: `<root>/.surehand/journal.jsonl`, one JSON object a line, only ever added to.
//!
//! Each line ends with `"chain"`: the SHA-256 of the chain before it and the line without it. So nothing in the middle
//! can be changed or taken out unseen. The end is held by [`crate::anchor`] in our state.
//!
//! A line is durable when [`Journal::commit`] has returned. What a crash leaves behind the last durable line is a torn
//! tail: it may end within a line, have a hole, or hold lines that nothing was done for yet. It is put aside into a file
//! of its own and reported, never read as lines.

use rustix::io::Errno;
use surehand_core::{Code, Error, Result};

use crate::canonical::sha256;
use crate::root::failed;
use crate::sys::{Handle, System};

mod line;
mod state;

pub use line::{DirTime, Intent, Line, Status, Way};
pub use state::{State, Step, Task, Tasks, next};

/// The file.
pub const FILE: &str = "journal.jsonl";

/// The longest line that is read, in bytes: a path has at most 4096, escaped six times as many.
const LONGEST_LINE: usize = 1 << 20;

/// How much is read at a time.
const CHUNK: usize = 1 << 18;

/// A place in the journal: everything before it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Offset of the next line, in bytes.
    pub offset: u64,
    /// Number of the next line.
    pub seq: u64,
    /// The chain up to here.
    pub chain: String,
}

/// What reading found.
#[derive(Debug, Default)]
pub struct Found {
    /// The lines, with the offset at which each begins.
    pub lines: Vec<Line>,
    /// The place behind the last good line.
    pub head: Head,
    /// How many bytes follow that are no good line.
    pub torn: u64,
}

/// Reads lines from a place on; those that `wanted` picks are kept.
///
/// # Errors
/// What the system says.
pub fn read(sys: &dyn System, file: &Handle, from: Head, wanted: impl Fn(&[u8]) -> bool) -> Result<Found> {
    let unread = |errno| failed(errno, "the journal cannot be read");
    let size = sys.stat_open(file).map_err(unread)?.size;
    let mut found = Found { lines: Vec::new(), head: from, torn: 0 };
    let mut at = found.head.offset;
    let mut pending: Vec<u8> = Vec::new();
    'reading: while at < size {
        let chunk = sys.read(file, at, CHUNK).map_err(unread)?;
        if chunk.is_empty() {
            break;
        }
        at += chunk.len() as u64;
        pending.extend_from_slice(&chunk);
        let mut start = 0;
        while let Some(end) = pending[start..].iter().position(|byte| *byte == b'\n') {
            let bytes = &pending[start..start + end];
            let Some((body, chain)) = line::split(bytes) else { break 'reading };
            let expected = sha256(&[found.head.chain.as_bytes(), body].concat());
            if chain != expected {
                break 'reading;
            }
            if wanted(body) {
                let Ok(line) = serde_json::from_slice::<Line>(bytes) else { break 'reading };
                found.lines.push(line);
            }
            found.head = Head { offset: found.head.offset + end as u64 + 1, seq: found.head.seq + 1, chain: expected };
            start += end + 1;
        }
        pending.drain(..start);
        if pending.len() > LONGEST_LINE {
            break;
        }
    }
    found.torn = size.saturating_sub(found.head.offset);
    Ok(found)
}

/// The journal, open for adding.
pub struct Journal<'s> {
    sys: &'s dyn System,
    file: Handle,
    head: Head,
    /// Lines that are not in the file yet. They come before those of the next commit, so nothing depends on them alone.
    waiting: Vec<u8>,
    broken: bool,
}

impl<'s> Journal<'s> {
    /// A journal whose good part ends at `head`.
    pub fn new(sys: &'s dyn System, file: Handle, head: Head) -> Journal<'s> {
        Journal { sys, file, head, waiting: Vec::new(), broken: false }
    }

    /// The file.
    pub fn file(&self) -> &Handle {
        &self.file
    }

    /// The place behind the last line, waiting ones included.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Whether a line could not be made durable. Then nothing more is written: what is open is settled by the next run.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Adds a line, which becomes durable with the next commit.
    ///
    /// # Errors
    /// `INTERNAL` when the line has no JSON form.
    pub fn add(&mut self, mut line: Line) -> Result<()> {
        line.v = 1;
        line.seq = self.head.seq;
        line.ts = self.sys.now();
        let (bytes, chain) = line::join(&line, &self.head.chain)?;
        self.head = Head { offset: self.head.offset + bytes.len() as u64, seq: self.head.seq + 1, chain };
        self.waiting.extend_from_slice(&bytes);
        Ok(())
    }

    /// Takes room for lines to come, so that a full disk is met before an effect and not after it.
    ///
    /// # Errors
    /// `ACTION_FAILED` with `no_space`.
    pub fn reserve(&self, bytes: u64) -> Result<()> {
        let from = self.head.offset - self.waiting.len() as u64;
        self.sys
            .reserve(&self.file, from, bytes + self.waiting.len() as u64)
            .map_err(|errno| failed(errno, "there is no room for the journal"))
    }

    /// Writes what waits and makes it durable.
    ///
    /// # Errors
    /// `UNKNOWN_OUTCOME` when it is not certain that it is: the journal then takes no more.
    pub fn commit(&mut self) -> Result<()> {
        if self.broken {
            return Err(broken(Errno::IO));
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        let at = self.head.offset - self.waiting.len() as u64;
        let done = self.sys.write(&self.file, at, &self.waiting).and_then(|()| self.sys.sync_data(&self.file));
        self.waiting.clear();
        done.map_err(|errno| {
            self.broken = true;
            broken(errno)
        })
    }
}

fn broken(errno: Errno) -> Error {
    Error::new(
        Code::UnknownOutcome,
        "the journal cannot be written; what is open is settled when the root is used next",
    )
    .kind("journal_not_writable")
    .platform(errno.to_string())
}
