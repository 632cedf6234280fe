//! Snapshots as they are kept: the evidence behind every ref.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::evidence::{self, Evidence};
use crate::node::Node;
use crate::object::{Application, ObjectId};
use crate::reference::SnapshotId;
use crate::text;
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
    /// Every element that was seen, by its native object, so that a later one can say what is different.
    pub seen: BTreeMap<String, Seen>,
}

/// What is kept of an element for telling differences. No text: what elements hold is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// A fingerprint of what a snapshot shows of it and of what it hangs below. Its place among its siblings and on
    /// the screen are not in it: both change for all that follow when one thing is added.
    pub print: u64,
    /// Its ref number, if it has one.
    pub number: Option<u32>,
    /// Which of [`Snapshot::seen`], in the order of their objects, it hung below. Nothing is recognised by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<u32>,
}

/// What is different between a kept snapshot and an observation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Indices of the elements that were not there.
    pub added: Vec<usize>,
    /// Indices of the elements that were there and look different.
    pub changed: Vec<usize>,
    /// Ref numbers of the elements that are gone; those without a ref are only counted.
    pub removed: Vec<u32>,
    /// How many elements are gone in all.
    pub gone: usize,
}

impl Difference {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.gone == 0
    }
}

impl Snapshot {
    /// The containers around an object as they were, nearest first; none of an object that was not seen. Where to look,
    /// and no evidence of anything.
    pub fn around(&self, object: &ObjectId) -> Vec<ObjectId> {
        let keys: Vec<&String> = self.seen.keys().collect();
        let mut around = Vec::new();
        let mut seen = self.seen.get(&object.object);
        while let Some(key) = seen.and_then(|seen| keys.get(seen.below? as usize))
            && around.len() < self.seen.len()
        {
            around.push(ObjectId { owner: object.owner.clone(), object: (*key).clone() });
            seen = self.seen.get(*key);
        }
        around
    }

    /// What an observation shows that this snapshot did not, and the other way round.
    pub fn difference(&self, observation: &Observation) -> Difference {
        let mut difference = Difference::default();
        let mut there = BTreeSet::new();
        for (index, node) in observation.nodes.iter().enumerate() {
            there.insert(node.object.object.as_str());
            match self.seen.get(&node.object.object) {
                None => difference.added.push(index),
                Some(seen) if seen.print != fingerprint(observation, node) => difference.changed.push(index),
                Some(_) => {}
            }
        }
        let gone = self.seen.iter().filter(|(object, _)| !there.contains(object.as_str()));
        for (_, seen) in gone {
            difference.gone += 1;
            difference.removed.extend(seen.number);
        }
        difference.removed.sort_unstable();
        difference
    }
}

/// A fingerprint of what a snapshot shows of an element, and of what it hangs below.
fn fingerprint(observation: &Observation, node: &Node) -> u64 {
    let parent = node.parent.and_then(|parent| observation.nodes.get(parent));
    let texts = [node.name.text(), node.description.text(), node.native_id.text(), node.placeholder.text()];
    let value = node.value().unwrap_or_default();
    let capabilities = format!("{:?}", node.capabilities());
    let mut all: Vec<&str> = vec![node.role.token(), &node.native_role];
    all.push(parent.map_or("", |parent| &parent.object.object));
    all.extend(texts.map(Option::unwrap_or_default));
    all.extend([value.as_str(), capabilities.as_str()]);
    if let Some(states) = node.states.known() {
        states.iter().for_each(|state| all.push(state.token()));
    }
    let unread = node.unread();
    all.extend(unread.iter().map(|piece| piece.token()));
    text::fingerprint(all)
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
    let seen = observation.nodes.iter().enumerate().map(|(index, node)| {
        let seen = Seen { print: fingerprint(observation, node), number: numbers.get(&index).copied(), below: None };
        (node.object.object.clone(), seen)
    });
    let mut seen: BTreeMap<String, Seen> = seen.collect();
    let places: HashMap<&str, u32> = seen.keys().map(String::as_str).zip(0..).collect();
    let below = observation.nodes.iter().map(|node| {
        let parent = observation.nodes.get(node.parent?)?;
        places.get(parent.object.object.as_str()).copied()
    });
    let below: Vec<Option<u32>> = below.collect();
    for (node, below) in observation.nodes.iter().zip(below) {
        if let Some(seen) = seen.get_mut(&node.object.object) {
            seen.below = below;
        }
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
        seen,
    };
    Referenced { snapshot, numbers }
}
