//! Starting one component and watching whether it lives.

use std::fs::{self, File};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use surehand_core::desktop::Environment;
use surehand_core::error::{Code, Error, Result};
use surehand_core::text::clip;

use super::places::Desk;
use super::record::{Member, Phase, Record};
use super::wait::{Attempt, internal, poll_readable};
use crate::process::{Stamp, open_pidfd};

/// How much of a log is shown when a component fails: lines, and bytes of each.
const TAIL_LINES: usize = 12;
const TAIL_LINE_BYTES: usize = 300;

/// The end of a log that is read for it.
const TAIL_BYTES: usize = 16 * 1024;

/// How long a process that loses its connections may take until its end shows.
const ENDING: Duration = Duration::from_millis(250);

/// Held from making a descriptor inheritable until it is closed, so that a component which another thread
/// starts meanwhile does not get it as well.
static INHERITING: Mutex<()> = Mutex::new(());

/// What one component is started with.
pub(super) struct Plan<'a> {
    /// What it is called in the record and in its log's name.
    pub(super) role: &'static str,
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<String>,
    /// An option that takes the number of a descriptor on which the component tells that it is ready.
    pub(super) tell: Option<&'static str>,
}

/// A component that was started.
pub(super) struct Started {
    pub(super) role: &'static str,
    pub(super) pidfd: OwnedFd,
    /// Where it tells that it is ready, if it was asked to.
    pub(super) told: Option<OwnedFd>,
    log: PathBuf,
}

impl Started {
    /// The error for a component that ended before it was ready.
    pub(super) fn ended(&self) -> Error {
        let tail = tail(&self.log);
        let mut error = Error::new(Code::ActionFailed, format!("the {} ended while starting", self.role))
            .kind("component_ended")
            .detail("component", self.role);
        if !tail.is_empty() {
            error = error.detail("log", tail);
        }
        error
    }

    /// Adds to a failure which component it was and what that printed.
    pub(super) fn explain(&self, error: Error) -> Error {
        // That it has ended is the reason for whatever else was seen of it; its connections are closed a
        // moment before that shows.
        let patience = if error.code() == Code::Timeout { Duration::ZERO } else { ENDING };
        if poll_readable(&[self.pidfd.as_fd()], patience).is_ok_and(|ready| ready.contains(&true)) {
            return self.ended();
        }
        error.detail("component", self.role).detail("log", tail(&self.log))
    }
}

/// Starts a component and notes it in the record, in one step as seen by whoever stops the desktop: between
/// the two the lock of the desktop is held, by the starter and until its `exec` also by the child.
///
/// # Errors
/// `CONFLICT` when the desktop is being stopped, `PLATFORM_NOT_SUPPORTED` when the program does not run.
pub(super) fn start(attempt: &Attempt<'_>, desk: &Desk, environment: &Environment, plan: &Plan<'_>) -> Result<Started> {
    attempt.go_on()?;
    let mut pidfd = None;
    let mut told = None;
    change(attempt, desk, |record| {
        let mut command = Command::new(plan.program);
        command.args(&plan.arguments);
        let inheriting = INHERITING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tell = None;
        if let Some(option) = plan.tell {
            let (read, write) =
                pipe_with(PipeFlags::CLOEXEC).map_err(|fault| internal("no pipe can be made", &fault))?;
            fcntl_setfd(&write, FdFlags::empty()).map_err(|fault| internal("a pipe cannot be passed on", &fault))?;
            command.arg(option).arg(write.as_raw_fd().to_string());
            told = Some(read);
            tell = Some(write);
        }
        let log = open_log(&desk.log(plan.role))?;
        let errors = log.try_clone().map_err(|fault| internal("a log cannot be opened", &fault))?;
        let child = command
            .env_clear()
            .envs(&environment.0)
            .current_dir(desk.home())
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors)
            .process_group(0)
            .spawn();
        drop(tell);
        drop(inheriting);
        let child = child.map_err(|fault| {
            Error::new(Code::PlatformNotSupported, format!("the {} cannot be started", plan.role))
                .kind("cannot_execute")
                .platform(fault.to_string())
                .detail("component", plan.role)
        })?;
        // It is our child and nobody waits for it, so its pid stays its own until we are done here.
        pidfd = open_pidfd(child.id());
        let program = plan.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(stamp) = Stamp::of(child.id()) {
            record.components.push(Member { role: plan.role.to_owned(), program, stamp });
        }
        Ok(())
    })?;
    let log = desk.log(plan.role);
    let Some(pidfd) = pidfd else {
        return Err(internal(&format!("the {} cannot be watched", plan.role), &"no pidfd"));
    };
    Ok(Started { role: plan.role, pidfd, told, log })
}

/// Changes the record of a desktop that is being started.
///
/// # Errors
/// `CONFLICT` when somebody stops it meanwhile.
pub(super) fn change(
    attempt: &Attempt<'_>,
    desk: &Desk,
    change: impl FnOnce(&mut Record) -> Result<()>,
) -> Result<Record> {
    let Some(_lock) = desk.lock(attempt.call())? else { return Err(stopped()) };
    match Record::read(&desk.record())? {
        Some(mut record) if record.phase == Phase::Starting => {
            let done = change(&mut record);
            // What was begun is noted even when the rest of it failed.
            record.write(&desk.record())?;
            done.map(|()| record)
        }
        _ => Err(stopped()),
    }
}

/// The failure of a start that somebody else ended.
fn stopped() -> Error {
    Error::new(Code::Conflict, "the desktop was stopped while it was starting").kind("stopped")
}

/// The reason why a start failed: that somebody stopped the desktop, if that is so, since components end or
/// fall silent one after the other then.
pub(super) fn reason(desk: &Desk, seen: Error) -> Error {
    match Record::read(&desk.record()) {
        Ok(Some(record)) if record.phase == Phase::Starting => seen,
        Ok(_) => stopped(),
        Err(_) => seen,
    }
}

fn open_log(file: &Path) -> Result<File> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(file)
        .map_err(|fault| internal("a log cannot be opened", &fault))
}

/// The last lines of a log.
fn tail(file: &Path) -> Vec<String> {
    let bytes = fs::read(file).unwrap_or_default();
    let end = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
    let text = String::from_utf8_lossy(end);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(TAIL_LINES);
    lines[first..].iter().map(|line| clip(line, TAIL_LINE_BYTES).0.to_owned()).collect()
}
