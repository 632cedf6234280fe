//! Everything a command works with, put together.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;

use surehand_apps::Index;
use surehand_commands::context::{Allowed, Facts, Services};
use surehand_commands::gate::Gate;
use surehand_core::clipboard::Clipboard;
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::{Check, Doctor};
use surehand_core::hold::Holder;
use surehand_core::lease::Leases;
use surehand_core::platform::Platform;
use surehand_core::session::Sessions;
use surehand_core::snapshot::SnapshotStore;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::trace::{Trace, Untraced};
use surehand_core::{Code, Error, Result};
use surehand_kernel::workspace::Workspace;
use surehand_linux::clipboard::LinuxClipboard;
use surehand_linux::desktop::PrivateDesktops;
use surehand_linux::helper::Program;
use surehand_linux::notify::Watcher;
use surehand_linux::{LinuxDoctor, LinuxPlatform};

use crate::clock::SystemClock;
use crate::files;
use crate::gate::RecordingGate;
use crate::hold::KeeperHolder;
use crate::lease::FileLeases;
use crate::private::{PrivateDir, create_beneath};
use crate::sessions::{self, DiskSessions};
use crate::settings::Settings;
use crate::store::DiskStore;
use crate::trace::DiskTrace;
use crate::{input, output, temporary};

/// Reads the text on standard input, where a front end has one.
pub type ReadInput = Box<dyn Fn(&Cancel) -> Result<String> + Send + Sync>;

/// Asks a person at the terminal device, never anywhere that an agent could answer.
pub type Confirm = Box<dyn Fn(&Cancel, &str) -> Result<()> + Send + Sync>;

/// Everything a command works with.
pub struct Runtime {
    settings: Settings,
    facts: Facts,
    clock: SystemClock,
    store: DiskStore,
    sessions: DiskSessions,
    trace: OnceLock<Option<DiskTrace>>,
    /// Held while this runs, so that nobody removes the session meanwhile.
    _alive: Option<OwnedFd>,
    gate: RecordingGate,
    desktops: PrivateDesktops,
    input: Option<ReadInput>,
    environment: OnceLock<Result<Environment>>,
    platform: OnceLock<LinuxPlatform>,
    index: OnceLock<Index>,
    leases: OnceLock<FileLeases>,
    holder: OnceLock<KeeperHolder>,
    confirm: Option<Confirm>,
    clipboard: OnceLock<LinuxClipboard>,
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
        let session = settings.session.as_deref();
        Runtime {
            facts,
            clock: SystemClock,
            store: DiskStore::new(&settings.places, session),
            sessions: DiskSessions::new(&settings.places, session, settings.trace_strict, &settings.version),
            trace: OnceLock::new(),
            // A session that cannot be held is told by the first command that needs it.
            _alive: session.and_then(|session| sessions::alive(&settings.places, session).ok().flatten()),
            gate: RecordingGate::new(&settings.places),
            desktops: PrivateDesktops::new(places, settings.environment.clone()).with_notifications(watcher(&settings)),
            input,
            environment: OnceLock::new(),
            platform: OnceLock::new(),
            index: OnceLock::new(),
            leases: OnceLock::new(),
            holder: OnceLock::new(),
            confirm: None,
            clipboard: OnceLock::new(),
            files: OnceLock::new(),
            settings,
        }
    }

    /// With a way to ask a person, which only a front end at a terminal has.
    #[must_use]
    pub fn with_confirm(mut self, confirm: Confirm) -> Runtime {
        self.confirm = Some(confirm);
        self
    }

    /// What tells this desktop's pointer and keyboard from those of others: the display, however it is written.
    fn desktop_name(&self) -> String {
        let display = self.environment().ok().and_then(|environment| environment.0.get("DISPLAY"));
        let display = display.map_or("", String::as_str);
        let display = display.strip_prefix("unix").unwrap_or(display);
        display.strip_suffix(".0").unwrap_or(display).to_owned()
    }

    fn new_trace(&self) -> Option<DiskTrace> {
        let Settings { places, version, trace_strict, .. } = &self.settings;
        match (&self.settings.trace, &self.settings.session) {
            (Some(path), _) => {
                // Where there is no such folder, the file cannot be opened either, and that is told then.
                let folder = self.output_folder().unwrap_or_default();
                let path = path.to_string_lossy().into_owned();
                Some(DiskTrace::into_file(places, folder, path, *trace_strict, version))
            }
            (None, Some(session)) => Some(DiskTrace::of_session(places, session, *trace_strict, version)),
            (None, None) => None,
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
        let mut connected = LinuxPlatform::connect(call, self.environment()?)?;
        if let Some(watcher) = watcher(&self.settings) {
            connected = connected.with_notifications(watcher);
        }
        Ok(self.platform.get_or_init(|| connected))
    }

    fn clipboard(&self) -> Result<&dyn Clipboard> {
        let environment = self.environment()?;
        let program = self.settings.helpers.as_ref().map(|helpers| Program::new(&helpers.program));
        Ok(self.clipboard.get_or_init(|| LinuxClipboard::new(environment.clone(), program)))
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

    fn sessions(&self) -> &dyn Sessions {
        &self.sessions
    }

    fn trace(&self) -> &dyn Trace {
        match self.trace.get_or_init(|| self.new_trace()) {
            Some(trace) => trace,
            None => &Untraced,
        }
    }

    fn gate(&self) -> &dyn Gate {
        &self.gate
    }

    fn leases(&self) -> &dyn Leases {
        self.leases.get_or_init(|| FileLeases::new(&self.settings.places.runtime, &self.desktop_name()))
    }

    fn holder(&self) -> &dyn Holder {
        self.holder.get_or_init(|| {
            // Without the desktop that was asked for there is none to hold anything on.
            let environment = self.environment().cloned().unwrap_or_else(|_| Environment(Default::default()));
            let (places, helpers) = (&self.settings.places, self.settings.helpers.clone());
            KeeperHolder::new(&places.runtime, &self.desktop_name(), &environment, helpers)
        })
    }

    fn confirm(&self, cancel: &Cancel, question: &str) -> Result<()> {
        match &self.confirm {
            Some(confirm) => confirm(cancel, question),
            None => Err(Error::new(Code::PolicyDenied, "nobody is here who could confirm it").kind("no_person")),
        }
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

    fn write_temporary(&self, beginning: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf> {
        temporary::write(&self.settings.places.state, beginning, ending, bytes)
    }

    fn read_input(&self, path: &str, most: usize) -> Result<Vec<u8>> {
        input::read(path, most)
    }

    fn existing(&self, path: &str) -> Result<PathBuf> {
        input::existing(path)
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

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// What watching notifications takes, where there is a program for it.
fn watcher(settings: &Settings) -> Option<Watcher> {
    let program = Program::new(&settings.helpers.as_ref()?.program);
    Some(Watcher { program, runtime: settings.places.runtime.clone() })
}

impl Doctor for Runtime {
    fn examine(&self, call: &Call<'_>) -> Vec<Check> {
        let environment = self.environment().cloned().unwrap_or_else(|_| self.settings.environment.clone());
        LinuxDoctor::new(environment).examine(call)
    }
}
