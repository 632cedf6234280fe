//! Snapshots on disk: one file each, readable by their owner alone.
//!
//! Each session has a folder of its own, and what is in one is not found from another. Ids are counted for all of them
//! together: a ref that is taken to the wrong session finds nothing there.

use surehand_core::reference::SnapshotId;
use surehand_core::snapshot::{SCHEMA, Snapshot, SnapshotStore};
use surehand_core::{Code, Error, Result};

use crate::private::PrivateDir;
use crate::settings::Places;

/// When there are more than this many, the oldest are removed.
const MOST: usize = 128;

/// How many are left then.
const LEFT: usize = 96;

/// The file that holds the next id.
const NEXT: &str = "next";

/// Snapshots in the state directory, of one session or of none.
#[derive(Debug)]
pub(crate) struct DiskStore {
    places: Places,
    session: Option<String>,
}

impl DiskStore {
    pub(crate) fn new(places: &Places, session: Option<&str>) -> Self {
        DiskStore { places: places.clone(), session: session.map(str::to_owned) }
    }

    /// The folder of those that belong to no session, where the ids are counted.
    fn shared(&self) -> Result<PrivateDir> {
        PrivateDir::make(&self.places.state)?;
        PrivateDir::make(&self.places.state.join("snapshots"))
    }

    fn directory(&self) -> Result<PrivateDir> {
        match &self.session {
            None => self.shared(),
            Some(session) => {
                let folder = self.places.session(session);
                PrivateDir::make(&self.places.state)?;
                PrivateDir::make(&self.places.sessions())?;
                PrivateDir::make(&folder)?;
                PrivateDir::make(&folder.join("snapshots"))
            }
        }
    }

    /// The newest id that has a file in any session.
    fn newest(&self) -> Result<u64> {
        let mut newest = kept(&self.shared()?)?.last().map_or(0, |id| id.0);
        for session in std::fs::read_dir(self.places.sessions()).into_iter().flatten().flatten() {
            let folder = session.path().join("snapshots");
            if folder.is_dir() {
                newest = newest.max(kept(&PrivateDir::make(&folder)?)?.last().map_or(0, |id| id.0));
            }
        }
        Ok(newest)
    }
}

/// The ids that have a file, oldest first: ids are counted up.
fn kept(directory: &PrivateDir) -> Result<Vec<SnapshotId>> {
    let mut ids: Vec<SnapshotId> =
        directory.names()?.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect();
    ids.sort_unstable();
    Ok(ids)
}

impl SnapshotStore for DiskStore {
    fn allocate(&self) -> Result<SnapshotId> {
        let directory = self.shared()?;
        let _lock = directory.lock()?;
        let counted = directory
            .read(NEXT)?
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .and_then(|text| text.trim().parse::<u64>().ok());
        // Only the oldest are ever removed, so one after the newest was never handed out, whatever became of
        // the counter. The folders of sessions are looked through only where it is lost.
        let newest = match counted {
            Some(_) => kept(&self.directory()?)?.last().map_or(0, |id| id.0),
            None => self.newest()?,
        };
        let next = counted.unwrap_or(0).max(newest + 1);
        directory.write(NEXT, format!("{}\n", next + 1).as_bytes())?;
        Ok(SnapshotId(next))
    }

    fn save(&self, id: SnapshotId, snapshot: &Snapshot) -> Result<()> {
        let directory = self.directory()?;
        let bytes = serde_json::to_vec(snapshot)
            .map_err(|error| Error::new(Code::Internal, "a snapshot has no JSON form").platform(error.to_string()))?;
        directory.write(&format!("{id}.json"), &bytes)?;
        let ids = kept(&directory)?;
        if ids.len() > MOST {
            for old in &ids[..ids.len() - LEFT] {
                directory.remove(&format!("{old}.json"));
            }
        }
        Ok(())
    }

    fn load(&self, id: SnapshotId) -> Result<Snapshot> {
        let directory = self.directory()?;
        let Some(bytes) = directory.read(&format!("{id}.json"))? else {
            return Err(Error::new(Code::SnapshotNotFound, format!("there is no snapshot {id}"))
                .kind("unknown_snapshot")
                .suggest(format!("take a new `snapshot`; only the last {LEFT} or more are kept")));
        };
        let damaged = |why: String| {
            Error::new(Code::Internal, format!("the stored snapshot {id} is damaged, so its refs are not used"))
                .kind("damaged_snapshot")
                .platform(why)
                .delivery(surehand_core::disposition::Delivery::NotDelivered)
                .suggest("take a new `snapshot`")
        };
        let snapshot: Snapshot = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if snapshot.schema != SCHEMA {
            return Err(damaged(format!("schema {}", snapshot.schema)));
        }
        if snapshot.id != id.to_string() {
            return Err(damaged("it is another snapshot's file".into()));
        }
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use surehand_core::object::{Application, ObjectId, Process};

    use super::*;

    fn store() -> (tempfile::TempDir, DiskStore) {
        let base = tempfile::tempdir().expect("a directory");
        let places = Places { state: base.path().join("state"), runtime: base.path().join("run") };
        (base, DiskStore::new(&places, None))
    }

    fn snapshot(id: SnapshotId) -> Snapshot {
        let object = ObjectId { owner: "bus:1.1".into(), object: "/0".into() };
        Snapshot {
            schema: SCHEMA,
            id: id.to_string(),
            session: "bus".into(),
            created: 0,
            application: Application {
                name: "a".into(),
                program: "a".into(),
                process: Process { pid: 1, generation: "g".into() },
                object: object.clone(),
                toolkit: String::new(),
            },
            window: object,
            window_id: "w-1".into(),
            refs: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    #[test]
    fn ids_are_never_handed_out_twice_even_without_the_counter() {
        let (base, store) = store();
        let first = store.allocate().expect("id");
        store.save(first, &snapshot(first)).expect("saved");
        let second = store.allocate().expect("id");
        store.save(second, &snapshot(second)).expect("saved");
        std::fs::remove_file(base.path().join("state/snapshots/next")).expect("removed");
        let third = store.allocate().expect("id");
        assert!(first < second && second < third);
        assert_eq!(store.load(first).expect("kept"), snapshot(first));
    }

    #[test]
    fn sessions_share_the_count_and_nothing_else() {
        let (base, store) = store();
        let of = |session: &str| DiskStore::new(&store.places, Some(session));
        let (one, other) = (of("one"), of("other"));
        let ids: Vec<SnapshotId> =
            [&store as &DiskStore, &one, &other].into_iter().map(|store| store.allocate().expect("id")).collect();
        assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
        one.save(ids[1], &snapshot(ids[1])).expect("saved");
        assert_eq!(one.load(ids[1]).expect("its own").id, ids[1].to_string());
        for foreign in [&store, &other] {
            assert_eq!(foreign.load(ids[1]).expect_err("foreign").code(), Code::SnapshotNotFound);
        }
        std::fs::remove_file(base.path().join("state/snapshots/next")).expect("removed");
        assert!(other.allocate().expect("id") > ids[1], "what a session has is never handed out to another");
    }

    #[test]
    fn ids_are_unique_among_processes_that_ask_at_once() {
        let (_base, store) = store();
        let ids: Vec<SnapshotId> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..20).map(|_| store.allocate().expect("id")).collect::<Vec<_>>()))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("joined")).collect()
        });
        let unique: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), 160);
    }

    #[test]
    fn what_is_damaged_is_not_used() {
        let (base, store) = store();
        let id = store.allocate().expect("id");
        let other = store.allocate().expect("id");
        store.save(id, &snapshot(other)).expect("saved");
        assert_eq!(store.load(id).expect_err("other's").kind_of(), Some("damaged_snapshot"));
        let file = base.path().join(format!("state/snapshots/{id}.json"));
        for content in ["", "{", "[]", "{\"schema\":1}", "\u{0}\u{1}"] {
            std::fs::write(&file, content).expect("written");
            assert_eq!(store.load(id).expect_err(content).kind_of(), Some("damaged_snapshot"));
        }
        assert_eq!(store.load(SnapshotId(999)).expect_err("none").code(), Code::SnapshotNotFound);
    }

    #[test]
    fn the_oldest_are_removed_when_there_are_many() {
        let (_base, store) = store();
        let ids: Vec<SnapshotId> = (0..=MOST)
            .map(|_| {
                let id = store.allocate().expect("id");
                store.save(id, &snapshot(id)).expect("saved");
                id
            })
            .collect();
        assert!(store.load(ids[0]).is_err());
        assert!(store.load(ids[MOST]).is_ok() && store.load(ids[MOST + 1 - LEFT]).is_ok());
    }
}
