//! Snapshots as they are kept: the evidence behind every ref.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::evidence::{self, Evidence};
use crate::object::{Application, ObjectId};
use crate::reference::SnapshotId;
use crate::tree::Observation;

/// The version of the stored form. A reader refuses what it does not know instead of guessing.
pub const SCHEMA: u32 = 1;

/// One kept snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Version of the stored form.
    pub schema: u32,
    /// The id, which the file's name repeats.
    pub id: String,
    /// The desktop session it was taken in; a ref means nothing in another one.
    pub session: String,
    /// Seconds since 1970.
    pub created: u64,
    /// The application.
    pub application: Application,
    /// The window's accessible object.
    pub window: ObjectId,
    /// The window's id as it was printed.
    pub window_id: String,
    /// The evidence by ref number.
    pub refs: BTreeMap<u32, Evidence>,
}

/// Where snapshots are kept.
pub trait SnapshotStore: Send + Sync {
    /// Hands out an id that was never handed out before.
    ///
    /// # Errors
    /// `INTERNAL` when the state directory cannot be used.
    fn allocate(&self) -> Result<SnapshotId>;

    /// Keeps a snapshot.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written.
    fn save(&self, id: SnapshotId, snapshot: &Snapshot) -> Result<()>;

    /// Brings a snapshot back.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_FOUND` when there is none of that id, `INTERNAL` when what is there is damaged.
    fn load(&self, id: SnapshotId) -> Result<Snapshot>;
}

/// An observation whose interesting nodes have got refs.
#[derive(Debug, Clone)]
pub struct Referenced {
    /// What is kept.
    pub snapshot: Snapshot,
    /// The ref number of each node, by its index.
    pub numbers: BTreeMap<usize, u32>,
}

/// Gives refs to the nodes that `wanted` picks, numbered in document order from 1.
pub fn number(
    observation: &Observation,
    id: SnapshotId,
    session: &str,
    created: u64,
    wanted: impl Fn(usize) -> bool,
) -> Referenced {
    let mut refs = BTreeMap::new();
    let mut numbers = BTreeMap::new();
    for (index, evidence) in evidence::capture(observation, wanted) {
        let number = refs.len() as u32 + 1;
        refs.insert(number, evidence);
        numbers.insert(index, number);
    }
    let window = observation.window.object.clone().unwrap_or_else(|| observation.application.object.clone());
    let snapshot = Snapshot {
        schema: SCHEMA,
        id: id.to_string(),
        session: session.to_owned(),
        created,
        application: observation.application.clone(),
        window,
        window_id: observation.window.id.clone(),
        refs,
    };
    Referenced { snapshot, numbers }
}
