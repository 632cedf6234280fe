//! Running a program in the foreground, for `desktop run`.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command};
use std::thread::{self, JoinHandle};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::{Handle, Signals};
use surehand_core::desktop::Environment;
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

/// Runs it with our standard streams and this environment alone. Signals that reach us are passed on to it.
///
/// # Errors
/// `INVALID_ARGS` when it cannot be started.
pub(crate) fn run_foreground(command: &[String], environment: &Environment) -> Result<u8> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| Error::new(Code::InvalidArgs, "no program was given"))?;
    let failed = |error: io::Error| {
        Error::new(Code::InvalidArgs, format!("{} cannot be started", quote(program))).platform(error.to_string())
    };
    // Before the program is there, so that no signal meets us unprepared.
    let signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]).map_err(failed)?;
    // The standard library looks programs up in our own PATH, and the desktop's is the caller's as well.
    let mut child = Command::new(program).args(arguments).env_clear().envs(&environment.0).spawn().map_err(failed)?;
    let forwarder = Forwarder::start(signals, &child);
    let status = child.wait();
    // Without one the program has run all the same, and only could not be told.
    if let Ok(forwarder) = forwarder {
        forwarder.stop();
    }
    let status = status.map_err(failed)?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}

/// Passes signals on while it is there.
struct Forwarder {
    handle: Handle,
    thread: JoinHandle<()>,
}

impl Forwarder {
    fn start(mut signals: Signals, child: &Child) -> io::Result<Forwarder> {
        // By a descriptor: once the child has been waited for, its number can be another process's.
        let child = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
        let handle = signals.handle();
        let thread = thread::Builder::new().name("surehand-signals".into()).spawn(move || {
            for number in signals.forever() {
                if matches!(number, SIGINT | SIGQUIT) && terminal_tells_all() {
                    continue;
                }
                if let Some(signal) = Signal::from_named_raw(number) {
                    // It may have ended just now, and then there is nobody to tell.
                    let _ = pidfd_send_signal(&child, signal);
                }
            }
        })?;
        Ok(Forwarder { handle, thread })
    }

    fn stop(self) {
        self.handle.close();
        let _ = self.thread.join();
    }
}

/// Whether we are in front on a terminal. What is typed there as an interrupt reaches the program by itself, and
/// told twice some programs give up what they would have saved.
fn terminal_tells_all() -> bool {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    let front = rustix::fs::open("/dev/tty", flags, Mode::empty()).and_then(rustix::termios::tcgetpgrp);
    front.is_ok_and(|group| group == rustix::process::getpgrp())
}
