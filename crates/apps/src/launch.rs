//! The launcher: starts what was permitted, and says so only when it runs.

use std::io;
use std::sync::mpsc;
use std::thread;

use rustix::io::Errno;
use serde::Serialize;
use surehand_core::desktop::Environment;
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

use crate::authority::{Permit, authorise};
use crate::entry::Entry;
use crate::process::process_generation;
use crate::start::Start;

/// Variables that belong to the start of another application and would be taken for this one's.
const NOT_INHERITED: &[&str] =
    &["DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN", "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID"];

/// An application that was started. Whether it shows a window is another question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Launched {
    /// The id of its entry.
    pub id: String,
    /// The file name of the program, for people.
    pub program: String,
    /// The process that was started. A wrapper may hand over to another one.
    pub pid: u32,
    /// Tells that process apart from a later one with its pid: [`process_generation`]. `None` where the
    /// system does not show processes.
    pub generation: Option<String>,
}

/// Starts an entry with exactly this environment, detached: in a session of its own, without our standard
/// input, output and descriptors. It returns when the program runs, and does not wait for a window.
///
/// The process is reaped when it ends while we still run; when we end first, it goes on.
///
/// # Errors
/// As [`authorise`]; and when the program cannot be executed, `NO_LONGER_INSTALLED`, `PERM_DENIED`,
/// `ACTION_NOT_SUPPORTED` (a file in no format that the system executes by itself) or `ACTION_FAILED`;
/// `INVALID_ARGS` when the environment cannot be one. In every case nothing runs.
pub fn launch(entry: &Entry, environment: &Environment) -> Result<Launched> {
    let permit = authorise(entry, environment)?;
    let launched = start(&permit, environment)?;
    tracing::info!(id = %launched.id, pid = launched.pid, "application started");
    Ok(launched)
}

fn start(permit: &Permit, environment: &Environment) -> Result<Launched> {
    let variables = environment.0.iter().filter(|(name, _)| !NOT_INHERITED.contains(&name.as_str()));
    let start = Start::new(permit.program(), permit.argv(), variables, permit.directory()).ok_or_else(|| {
        Error::new(Code::InvalidArgs, "a variable of the environment cannot be passed on").kind("environment")
    })?;

    // The thread that will wait for the process starts it too: were there no thread to be had, nothing would
    // run. It reads the generation before it waits, while the pid cannot be another's.
    let (tell, told) = mpsc::sync_channel(1);
    thread::Builder::new()
        .name("surehand-reaper".into())
        .stack_size(256 << 10)
        .spawn(move || {
            let started = start.start();
            let Ok(mut child) = started else {
                let _ = tell.send(started.map(|_| (0, None)));
                return;
            };
            let pid = child.id();
            let _ = tell.send(Ok((pid, process_generation(pid))));
            if let Err(fault) = child.wait() {
                tracing::warn!(pid, %fault, "an application that ended was not reaped");
            }
        })
        .map_err(|fault| failed(permit, &fault))?;
    let (pid, generation) = told
        .recv()
        .map_err(|_| Error::new(Code::Internal, format!("the start of {} was not reported", quote(permit.id()))))?
        .map_err(|fault| failed(permit, &fault))?;

    let program = permit.program().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Launched { id: permit.id().to_owned(), program, pid, generation })
}

/// Words a start that did not happen.
fn failed(permit: &Permit, fault: &io::Error) -> Error {
    let errno = Errno::from_io_error(fault);
    let (code, kind, why) = match errno {
        Some(Errno::NOENT | Errno::NOTDIR) => {
            (Code::NoLongerInstalled, "program_missing", "it, or the interpreter it names, is not installed")
        }
        Some(Errno::ACCESS | Errno::PERM) => {
            (Code::PermDenied, "program_denied", "the system does not let us execute it")
        }
        Some(Errno::NOEXEC) => (
            Code::ActionNotSupported,
            "program_format",
            "it is neither a program of this system nor a script that names its interpreter",
        ),
        _ => (Code::ActionFailed, "start_failed", "the system could not start it"),
    };
    let program = permit.program().file_name().unwrap_or_default().to_string_lossy();
    let error = Error::new(
        code,
        format!("{} was not started: {} cannot be executed: {why}", quote(permit.id()), quote(&program)),
    );
    error.kind(kind).platform(fault.to_string())
}
