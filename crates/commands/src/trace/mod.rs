//! What commands write into a trace, and how it is read and shown.

pub(crate) mod page;
pub(crate) mod pictures;
pub(crate) mod read;
pub(crate) mod redact;
mod story;

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use surehand_core::Result;
use surehand_core::reference::SnapshotId;
use surehand_core::snapshot::{Snapshot, SnapshotStore};
use surehand_core::trace::{Fields, Trace};

/// Tells the runs of commands apart within one process.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// A number that no other run of a command in this process has.
pub(crate) fn next_call() -> u64 {
    CALLS.fetch_add(1, Ordering::Relaxed)
}

/// Writes an event of a run, with everything taken out of it that is a text of a person or an application.
///
/// # Errors
/// `INTERNAL` when it cannot be written; whoever is not strict goes on.
pub(crate) fn write(trace: &dyn Trace, call: u64, event: &str, fields: Value) -> Result<()> {
    let mut line = Fields::new();
    line.insert("call".into(), call.into());
    if let Value::Object(fields) = fields {
        line.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    redact::names(&mut line);
    trace.write(event, line).inspect_err(|error| tracing::warn!(%error, event, "an event could not be traced"))
}

/// Snapshots whose keeping is traced.
pub(crate) struct TracedStore<'a> {
    pub(crate) inner: &'a dyn SnapshotStore,
    pub(crate) trace: &'a dyn Trace,
    pub(crate) call: u64,
}

impl SnapshotStore for TracedStore<'_> {
    fn allocate(&self) -> Result<SnapshotId> {
        self.inner.allocate()
    }

    fn save(&self, id: SnapshotId, snapshot: &Snapshot) -> Result<()> {
        self.inner.save(id, snapshot)?;
        let fields = json!({
            "snapshot_id": id.to_string(),
            "app": snapshot.application.name,
            "window_id": snapshot.window_id,
            "refs": snapshot.refs.len(),
            "elements": snapshot.seen.len(),
        });
        // It is kept, and that it is not written down changes nothing of it.
        let _ = write(self.trace, self.call, "snapshot.saved", fields);
        Ok(())
    }

    fn load(&self, id: SnapshotId) -> Result<Snapshot> {
        self.inner.load(id)
    }
}
