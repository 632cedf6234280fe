//! The head of every journal that we write, kept in our state.
//!
//! A journal beside the data can be replaced, cut or brought along from elsewhere. What our own state knows of it says
//! which part of it is ours. An anchor is written when nothing is open, so it never runs ahead of the journal.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::journal::Head;
use crate::path;
use crate::plan::{folder, write_whole};
use crate::root::failed;
use crate::sys::{Handle, System, lookup};

/// The folder of anchors in the state directory.
pub const FOLDER: &str = "journals";

/// The head of one journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Version of the form.
    pub v: u32,
    /// Id of the journal.
    pub journal: String,
    /// Real path of its root.
    #[serde(serialize_with = "path::serialize", deserialize_with = "path::deserialize")]
    pub root: Vec<u8>,
    /// Offset of the next line.
    pub offset: u64,
    /// Number of the next line.
    pub seq: u64,
    /// The chain up to here.
    pub chain: String,
}

impl Anchor {
    /// The place it holds.
    pub fn head(&self) -> Head {
        Head { offset: self.offset, seq: self.seq, chain: self.chain.clone() }
    }
}

/// Keeps an anchor.
///
/// # Errors
/// What the system says.
pub fn save(sys: &dyn System, state: &Handle, journal: &str, root: &[u8], head: &Head) -> Result<()> {
    let anchor = Anchor {
        v: 1,
        journal: journal.to_owned(),
        root: root.to_vec(),
        offset: head.offset,
        seq: head.seq,
        chain: head.chain.clone(),
    };
    let folder = folder(sys, state, FOLDER)?;
    write_whole(sys, &folder, &format!("{journal}.json"), crate::canonical::json(&anchor)?.as_bytes())
}

/// The anchor of a journal, where there is one.
///
/// # Errors
/// What the system says, `INTERNAL` when it is damaged.
pub fn load(sys: &dyn System, state: &Handle, journal: &str) -> Result<Option<Anchor>> {
    let folder = folder(sys, state, FOLDER)?;
    let name = format!("{journal}.json");
    let unread = |errno| failed(errno, "our state directory cannot be read");
    if lookup(sys, &folder, name.as_bytes()).map_err(unread)?.is_none() {
        return Ok(None);
    }
    let file = sys.open_file(&folder, name.as_bytes()).map_err(unread)?;
    let bytes = sys.read(&file, 0, 1 << 16).map_err(unread)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| {
        Error::new(Code::Internal, "the anchor of a journal is damaged")
            .kind("anchor_damaged")
            .platform(error.to_string())
    })
}

/// Every anchor.
///
/// # Errors
/// What the system says.
pub fn all(sys: &dyn System, state: &Handle) -> Result<Vec<Anchor>> {
    let folder = folder(sys, state, FOLDER)?;
    let names = sys.list(&folder).map_err(|errno| failed(errno, "our state directory cannot be read"))?;
    let mut anchors = Vec::new();
    for name in names {
        let Some(id) = std::str::from_utf8(&name).ok().and_then(|name| name.strip_suffix(".json")) else { continue };
        anchors.extend(load(sys, state, id)?);
    }
    anchors.sort_by(|a, b| a.root.cmp(&b.root));
    Ok(anchors)
}
