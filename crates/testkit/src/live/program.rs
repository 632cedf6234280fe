//! Programs that are no fixtures: they do not tell when they are ready, nor what happened to them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::desktop::PrivateDesktop;
use super::sandbox::ends_within;

/// How long it has to end by itself. Browsers write their profiles then.
const GRACE: Duration = Duration::from_secs(3);

/// A program on a private desktop; it ends with its process group when this goes.
#[derive(Debug)]
pub struct Program {
    child: Child,
    folder: TempDir,
}

impl Program {
    /// Starts it with these arguments. `{folder}` in an argument is a directory of its own, for profiles.
    /// Panics when it cannot be started.
    pub fn start<A: AsRef<OsStr>>(desktop: &PrivateDesktop, program: &str, arguments: &[A]) -> Self {
        Program::start_in(desktop, program, arguments, Program::folder())
    }

    /// A directory for [`Program::start_in`].
    pub fn folder() -> TempDir {
        TempDir::new().unwrap_or_else(|fault| panic!("no directory for a program: {fault}"))
    }

    /// Starts it with a directory that was prepared.
    pub fn start_in<A: AsRef<OsStr>>(
        desktop: &PrivateDesktop,
        program: &str,
        arguments: &[A],
        folder: TempDir,
    ) -> Self {
        let own = folder.path().to_string_lossy().into_owned();
        let output = folder.path().join("output");
        let file = || File::create(&output).unwrap_or_else(|fault| panic!("no file for {program}: {fault}"));
        let child = Command::new(program)
            .args(arguments.iter().map(|argument| argument.as_ref().to_string_lossy().replace("{folder}", &own)))
            .env_clear()
            .envs(desktop.environment())
            .stdin(Stdio::null())
            // A file, since what such a program starts may hold a pipe open for ever.
            .stdout(file())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|fault| panic!("cannot start {program}: {fault}"));
        Program { child, folder }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A file of its directory, as text; empty where there is none.
    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The path of a file of its directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        // A launcher may have ended before what it started, so the group is ended in any case. It is this
        // program's own: its id is not used again while anybody of the group lives.
        let _ = kill_process_group(group, Signal::TERM);
        if thread::panicking() || !ends_within(&self.child, GRACE) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
        let _ = kill_process_group(group, Signal::KILL);
    }
}
