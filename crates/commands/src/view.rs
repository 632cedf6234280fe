//! Services with another store of snapshots and another trace in the place of their own.

use std::path::PathBuf;

use surehand_apps::Index;
use surehand_core::Result;
use surehand_core::clipboard::Clipboard;
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::Doctor;
use surehand_core::hold::Holder;
use surehand_core::lease::Leases;
use surehand_core::platform::Platform;
use surehand_core::session::Sessions;
use surehand_core::snapshot::SnapshotStore;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::trace::Trace;

use surehand_kernel::workspace::Workspace;

use crate::context::{Allowed, Facts, Services};
use crate::gate::Gate;
use crate::wait::NoticeShown;

/// Services seen from within a session, or with their snapshots traced. Everything else is that of the base.
pub(crate) struct View<'a> {
    pub(crate) base: &'a dyn Services,
    pub(crate) snapshots: &'a dyn SnapshotStore,
    /// The same snapshots, for whoever traces them by itself.
    pub(crate) untraced: &'a dyn SnapshotStore,
    pub(crate) trace: &'a dyn Trace,
    /// The session, where it is not that of the base.
    pub(crate) session: Option<&'a str>,
}

impl Services for View<'_> {
    fn platform(&self, call: &Call<'_>) -> Result<&dyn Platform> {
        self.base.platform(call)
    }

    fn desktops(&self) -> &dyn Desktops {
        self.base.desktops()
    }

    fn doctor(&self) -> &dyn Doctor {
        self.base.doctor()
    }

    fn applications(&self) -> Result<&Index> {
        self.base.applications()
    }

    fn environment(&self) -> Result<&Environment> {
        self.base.environment()
    }

    fn snapshots(&self) -> &dyn SnapshotStore {
        self.snapshots
    }

    fn untraced_snapshots(&self) -> &dyn SnapshotStore {
        self.untraced
    }

    fn sessions(&self) -> &dyn Sessions {
        self.base.sessions()
    }

    fn session(&self) -> Option<&str> {
        self.session.or_else(|| self.base.session())
    }

    fn trace(&self) -> &dyn Trace {
        self.trace
    }

    fn notifications_shown(&self, call: &Call<'_>) -> Result<Vec<NoticeShown>> {
        self.base.notifications_shown(call)
    }

    fn gate(&self) -> &dyn Gate {
        self.base.gate()
    }

    fn leases(&self) -> &dyn Leases {
        self.base.leases()
    }

    fn allowed(&self) -> Allowed {
        self.base.allowed()
    }

    fn clipboard(&self) -> Result<&dyn Clipboard> {
        self.base.clipboard()
    }

    fn holder(&self) -> &dyn Holder {
        self.base.holder()
    }

    fn confirm(&self, cancel: &Cancel, question: &str) -> Result<()> {
        self.base.confirm(cancel, question)
    }

    fn write_temporary(&self, beginning: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf> {
        self.base.write_temporary(beginning, ending, bytes)
    }

    fn read_input(&self, path: &str, most: usize) -> Result<Vec<u8>> {
        self.base.read_input(path, most)
    }

    fn existing(&self, path: &str) -> Result<PathBuf> {
        self.base.existing(path)
    }

    fn clock(&self) -> &dyn Clock {
        self.base.clock()
    }

    fn unix_time(&self) -> u64 {
        self.base.unix_time()
    }

    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<PathBuf> {
        self.base.write_output(path, bytes)
    }

    fn standard_input(&self, cancel: &Cancel) -> Result<String> {
        self.base.standard_input(cancel)
    }

    fn run_foreground(&self, command: &[String], environment: &Environment) -> Result<u8> {
        self.base.run_foreground(command, environment)
    }

    fn files(&self) -> Result<&Workspace> {
        self.base.files()
    }

    fn facts(&self) -> &Facts {
        self.base.facts()
    }
}
