//! What is kept of a desktop on disk: `desktop.json`.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use surehand_core::desktop::{Component, Desktop, DesktopState};
use surehand_core::error::{Code, Error, Result};

use super::wait::internal;
use crate::process::{Stamp, boot};

/// The version of the format that is written. Later versions read every earlier one.
const FORMAT: u32 = 1;

/// How far the life of a desktop has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    /// Its starter is at work.
    Starting,
    /// Its starter is done.
    Up,
    /// Somebody takes it down: nothing may be started in it any more.
    Stopping,
}

/// A process it consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) role: String,
    pub(super) program: String,
    #[serde(flatten)]
    pub(super) stamp: Stamp,
}

/// The stored state of one desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) format: u32,
    pub(super) id: String,
    pub(super) name: Option<String>,
    /// Carried by every process of the desktop in its environment; who knows it is one of them.
    pub(super) key: String,
    pub(super) phase: Phase,
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) display: Option<String>,
    /// The run of the system that the pids below are of.
    pub(super) boot: String,
    pub(super) starter: Stamp,
    pub(super) components: Vec<Member>,
}

impl Record {
    /// The record of a desktop that this process is about to start.
    ///
    /// # Errors
    /// `INTERNAL` when this process cannot be read in `/proc`.
    pub(super) fn new(id: &str, name: Option<&str>, key: String, size: (u16, u16)) -> Result<Record> {
        let starter = Stamp::of(std::process::id())
            .ok_or_else(|| Error::new(Code::Internal, "/proc does not show this process"))?;
        Ok(Record {
            format: FORMAT,
            id: id.to_owned(),
            name: name.map(str::to_owned),
            key,
            phase: Phase::Starting,
            width: size.0,
            height: size.1,
            display: None,
            boot: boot(),
            starter,
            components: Vec::new(),
        })
    }

    /// The stored one; `None` when there is no such file.
    ///
    /// # Errors
    /// `INTERNAL` when it is no record, or one of a later version.
    pub(super) fn read(file: &Path) -> Result<Option<Record>> {
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(internal("the record of a desktop cannot be read", &fault)),
        };
        let record: Record =
            serde_json::from_slice(&bytes).map_err(|fault| internal("the record of a desktop is damaged", &fault))?;
        if record.format > FORMAT {
            return Err(Error::new(Code::Internal, "the desktop was started by a later version of surehand"));
        }
        Ok(Some(record))
    }

    /// Stores it in place of the one before; a reader sees either, whole.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written.
    pub(super) fn write(&self, file: &Path) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(|fault| internal("a record cannot be stored", &fault))?;
        write_private(file, &bytes).map_err(|fault| internal("the record of a desktop cannot be written", &fault))
    }

    /// How it stands now.
    pub(super) fn desktop(&self) -> Desktop {
        let same_boot = self.boot == boot();
        let runs = |stamp: Stamp| same_boot && stamp.runs();
        let components: Vec<Component> = self
            .components
            .iter()
            .map(|member| Component {
                role: member.role.clone(),
                program: member.program.clone(),
                pid: member.stamp.pid,
                running: runs(member.stamp),
            })
            .collect();
        let state = match self.phase {
            Phase::Starting if runs(self.starter) => DesktopState::Starting,
            Phase::Up if components.iter().all(|component| component.running) => DesktopState::Up,
            _ => DesktopState::Broken,
        };
        Desktop {
            id: self.id.clone(),
            name: self.name.clone(),
            state,
            display: self.display.clone(),
            size: format!("{}x{}", self.width, self.height),
            components,
        }
    }

    /// The processes noted in it that can still be meant by their pids.
    pub(super) fn stamps(&self) -> Vec<Stamp> {
        if self.boot == boot() { self.components.iter().map(|member| member.stamp).collect() } else { Vec::new() }
    }
}

/// Writes a file that only its owner can read, under another name first and then in one step.
pub(super) fn write_private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}", super::random::word(4)?));
    let draft = PathBuf::from(name);
    let written = (|| {
        let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        out.write_all(bytes)?;
        fs::rename(&draft, file)
    })();
    if written.is_err() {
        // The failure itself is what the caller has to hear about.
        let _ = fs::remove_file(&draft);
    }
    written
}
