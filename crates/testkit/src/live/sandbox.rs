//! The binary under test in an environment of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde_json::Value;
use tempfile::TempDir;

/// How long one run may take unless the test says otherwise.
const LIMIT: Duration = Duration::from_secs(60);

/// How long output may stay open after the process has ended. A process it left behind holds it then.
const DRAIN: Duration = Duration::from_secs(5);

/// A directory for everything the binary under test keeps, and an environment that holds nothing else of
/// this machine than where programs are found. Clones share it; it goes with the last one.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    binary: PathBuf,
    folder: TempDir,
    environment: BTreeMap<OsString, OsString>,
}

impl Sandbox {
    /// A sandbox for this binary. Panics when it is not there or no directory can be made.
    pub fn new(binary: &Path) -> Self {
        let binary = binary
            .canonicalize()
            .unwrap_or_else(|fault| panic!("the binary under test, {}, cannot be used: {fault}", binary.display()));
        let folder = tempfile::Builder::new()
            .prefix("sh-")
            .tempdir()
            .unwrap_or_else(|fault| panic!("no directory for a sandbox: {fault}"));
        let mut environment = BTreeMap::from([
            ("TZ".into(), "UTC".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("NO_COLOR".into(), "1".into()),
            ("PATH".into(), search_path()),
        ]);
        for (variable, name) in [("HOME", "home"), ("SUREHAND_HOME", "surehand")] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).unwrap_or_else(|fault| panic!("no directory {}: {fault}", path.display()));
            environment.insert(variable.into(), path.into());
        }
        Sandbox(Arc::new(Inner { binary, folder, environment }))
    }

    /// The directory it lives in.
    pub fn path(&self) -> &Path {
        self.0.folder.path()
    }

    /// What is `SUREHAND_HOME` in it.
    pub fn surehand_home(&self) -> PathBuf {
        self.path().join("surehand")
    }

    /// What is `HOME` in it.
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// Runs the binary with these arguments and waits for its end.
    pub fn surehand(&self, arguments: &[&str]) -> Run {
        self.runner(arguments).run()
    }

    /// A run that is described further before it begins.
    pub fn runner(&self, arguments: &[&str]) -> Runner {
        Runner { command: self.command(arguments), input: Vec::new(), limit: LIMIT }
    }

    /// The bare command, for a test that has to hold the process itself: to signal it, or to close its output.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.0.binary);
        command.args(arguments).env_clear().envs(&self.0.environment).current_dir(self.home());
        command
    }
}

/// Where programs are found: the one thing a hermetic run shares with the machine.
#[allow(clippy::disallowed_methods, reason = "a test is started by a person or a machine, not by a binary of ours")]
fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

/// A run of the binary that has not begun.
#[derive(Debug)]
pub struct Runner {
    command: Command,
    input: Vec<u8>,
    limit: Duration,
}

impl Runner {
    /// What it reads from standard input; nothing otherwise.
    #[must_use]
    pub fn stdin(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = input.as_ref().to_vec();
        self
    }

    /// Adds a variable to its environment, or replaces one.
    #[must_use]
    pub fn env(mut self, variable: &str, value: impl Into<OsString>) -> Self {
        self.command.env(variable, value.into());
        self
    }

    /// Runs it in another directory than its home.
    #[must_use]
    pub fn directory(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    /// Ends it after another time than a minute.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Starts it and waits for its end. Panics when it cannot be started, when it runs longer than it may
    /// (it is killed then), and when a process it left behind holds its output open.
    pub fn run(mut self) -> Run {
        let line = format!("{:?}", self.command).chars().take(2_000).collect::<String>();
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = self.command.spawn().unwrap_or_else(|fault| panic!("cannot start {line}: {fault}"));
        let outputs = [child.stdout.take().map(reader), child.stderr.take().map(reader)];
        if let Some(mut stdin) = child.stdin.take() {
            let input = std::mem::take(&mut self.input);
            // In a thread of its own, since a program need not read before it writes; and it need not read
            // at all, so a broken pipe is no failure.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        let ended = wait_for_end(&mut child, self.limit);
        let took = begun.elapsed();
        let closed_by = Instant::now() + DRAIN;
        let [stdout, stderr] = outputs.map(|output| {
            output.and_then(|output| output.recv_timeout(closed_by.saturating_duration_since(Instant::now())).ok())
        });
        let open = stdout.is_none() || stderr.is_none();
        let run = Run { line, status: ended, stdout: text(stdout), stderr: text(stderr), took };
        assert!(ended.is_some(), "it did not end within {:?} and was killed\n{run}", self.limit);
        assert!(!open, "it ended, but a process that it left behind holds its output open\n{run}");
        run
    }
}

/// Collects an output; the channel answers when it is closed.
fn reader(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        // What came before a fault is what there is to show.
        let _ = from.read_to_end(&mut all);
        let _ = send.send(all);
    });
    receive
}

fn text(output: Option<Vec<u8>>) -> String {
    match output {
        None => "(still open)".to_owned(),
        Some(bytes) => String::from_utf8(bytes)
            .unwrap_or_else(|fault| panic!("the output is not UTF-8: {}", fault.into_bytes().escape_ascii())),
    }
}

/// Waits for a child and kills it when the time is up; no status then.
pub(super) fn wait_for_end(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    if !ends_within(child, limit) {
        // It cannot have been waited for by anybody else, so the id is still its own.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    Some(child.wait().unwrap_or_else(|fault| panic!("cannot wait for process {}: {fault}", child.id())))
}

/// Whether a child ends within a time. It is not waited for, so its id stays its own.
pub(super) fn ends_within(child: &Child, limit: Duration) -> bool {
    let handle = Pid::from_raw(child.id() as i32)
        .ok_or(rustix::io::Errno::SRCH)
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()))
        .unwrap_or_else(|fault| panic!("no handle of process {}: {fault}", child.id()));
    let end = Instant::now() + limit;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&handle.as_fd(), PollFlags::IN)], Some(&time)) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(fault) => panic!("cannot wait for process {}: {fault}", child.id()),
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Run {
    line: String,
    status: Option<ExitStatus>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
}

impl Run {
    /// Its exit status; as shells have it, 128 and the signal where one ended it.
    pub fn status(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let status = self.status.unwrap_or_default();
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
    }

    /// The JSON it printed. Panics, showing the whole run, when it is not exactly one document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|fault| panic!("no JSON on standard output: {fault}\n{self}"))
    }

    /// `data` of an answer that says `ok`. Panics, showing the whole run, otherwise.
    pub fn expect_ok(&self) -> Value {
        assert_eq!(self.status(), 0, "it failed\n{self}");
        let mut answer = self.json();
        assert_eq!(answer["ok"], true, "it is not ok\n{self}");
        answer["data"].take()
    }

    /// `error` of an answer that failed with this code. Panics, showing the whole run, otherwise.
    pub fn expect_error(&self, code: &str) -> Value {
        assert_ne!(self.status(), 0, "it should have failed with {code}\n{self}");
        let mut answer = self.json();
        assert_eq!(answer["ok"], false, "it should have failed with {code}\n{self}");
        assert_eq!(answer["error"]["code"], code, "it failed otherwise\n{self}");
        answer["error"].take()
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map_or("killed".to_owned(), |status| status.to_string());
        writeln!(f, "{}\n{status} after {:?}", self.line, self.took)?;
        write!(f, "--- standard output\n{}\n--- standard error\n{}", self.stdout, self.stderr)
    }
}
