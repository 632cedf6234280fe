//! Everything a command works with, put together.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

use surehand_apps::Index;
use surehand_commands::context::{Allowed, Facts, Services};
use surehand_commands::gate::Gate;
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::{Check, Doctor};
use surehand_core::lease::{Alone, Leases};
use surehand_core::platform::Platform;
use surehand_core::snapshot::SnapshotStore;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Error, Result};
use surehand_kernel::workspace::Workspace;
use surehand_linux::desktop::PrivateDesktops;
use surehand_linux::{LinuxDoctor, LinuxPlatform};

use crate::clock::SystemClock;
use crate::files;
use crate::gate::RecordingGate;
use crate::output;
use crate::private::{PrivateDir, create_beneath};
use crate::settings::Settings;
use crate::store::DiskStore;

/// Reads the text on standard input, where a front end has one.
pub type ReadInput = Box<dyn Fn(&Cancel) -> Result<String> + Send + Sync>;

/// Everything a command works with.
pub struct Runtime {
    settings: Settings,
    facts: Facts,
    clock: SystemClock,
    store: DiskStore,
    gate: RecordingGate,
    desktops: PrivateDesktops,
    input: Option<ReadInput>,
    environment: OnceLock<Result<Environment>>,
    platform: OnceLock<LinuxPlatform>,
    index: OnceLock<Index>,
    files: OnceLock<Workspace>,
}

impl Runtime {
    /// Puts it together. Nothing is connected to or read before a command needs it.
    pub fn new(settings: Settings, input: Option<ReadInput>) -> Runtime {
        let facts = Facts {
            version: settings.version.clone(),
            target: settings.target.clone(),
            os: std::env::consts::OS.to_owned(),
            state_root: settings.places.state.clone(),
            desktop: settings.desktop.clone(),
        };
        let places = surehand_linux::desktop::Places {
            runtime: settings.places.runtime.clone(),
            state: settings.places.state.clone(),
        };
        Runtime {
            facts,
            clock: SystemClock,
            store: DiskStore::new(&settings.places),
            gate: RecordingGate::new(&settings.places),
            desktops: PrivateDesktops::new(places, settings.environment.clone()),
            input,
            environment: OnceLock::new(),
            platform: OnceLock::new(),
            index: OnceLock::new(),
            files: OnceLock::new(),
            settings,
        }
    }

    /// The folder that output files go into.
    fn output_folder(&self) -> Result<PathBuf> {
        match &self.settings.output {
            Some(folder) => Ok(folder.clone()),
            None => {
                let folder = self.settings.places.state.join("output");
                PrivateDir::make(&self.settings.places.state)?;
                PrivateDir::make(&folder)?;
                Ok(folder)
            }
        }
    }
}

impl Services for Runtime {
    fn platform(&self, call: &Call<'_>) -> Result<&dyn Platform> {
        if let Some(platform) = self.platform.get() {
            return Ok(platform);
        }
        let connected = LinuxPlatform::connect(call, self.environment()?)?;
        Ok(self.platform.get_or_init(|| connected))
    }

    fn desktops(&self) -> &dyn Desktops {
        &self.desktops
    }

    fn doctor(&self) -> &dyn Doctor {
        self
    }

    fn applications(&self) -> Result<&Index> {
        // The person's own folders, not those of a private desktop, whose home is empty.
        Ok(self.index.get_or_init(|| surehand_apps::scan(&self.settings.environment)))
    }

    fn environment(&self) -> Result<&Environment> {
        let found = self.environment.get_or_init(|| match &self.settings.desktop {
            None => Ok(self.settings.environment.clone()),
            Some(id) => self.desktops.environment(id),
        });
        found.as_ref().map_err(Clone::clone)
    }

    fn snapshots(&self) -> &dyn SnapshotStore {
        &self.store
    }

    fn gate(&self) -> &dyn Gate {
        &self.gate
    }

    fn leases(&self) -> &dyn Leases {
        &Alone
    }

    fn allowed(&self) -> Allowed {
        self.settings.allowed
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn unix_time(&self) -> u64 {
        u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0)
    }

    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<PathBuf> {
        let folder = self.output_folder()?;
        let (mut file, whole) = create_beneath(&folder, path)?;
        file.write_all(bytes).map_err(|error| {
            // What was begun is a file of ours that nobody knows of yet.
            let _ = std::fs::remove_file(&whole);
            Error::new(Code::Internal, "the file could not be written in full").platform(error.to_string())
        })?;
        Ok(whole)
    }

    fn standard_input(&self, cancel: &Cancel) -> Result<String> {
        match &self.input {
            Some(read) => read(cancel),
            None => Err(Error::new(Code::InvalidArgs, "there is no standard input here to take text from")),
        }
    }

    fn run_foreground(&self, command: &[String], environment: &Environment) -> Result<u8> {
        output::run_foreground(command, environment)
    }

    fn files(&self) -> Result<&Workspace> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        PrivateDir::make(&self.settings.places.state)?;
        let opened = files::workspace(&self.settings);
        Ok(self.files.get_or_init(|| opened))
    }

    fn confirm(&self, what: &str) -> Result<()> {
        files::confirm(what)
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

impl Doctor for Runtime {
    fn examine(&self, call: &Call<'_>) -> Vec<Check> {
        let environment = self.environment().cloned().unwrap_or_else(|_| self.settings.environment.clone());
        LinuxDoctor::new(environment).examine(call)
    }
}
