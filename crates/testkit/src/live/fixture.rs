//! Fixture applications: started for one test, told what to do from inside, and asked what really happened.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use super::desktop::PrivateDesktop;
use super::sandbox::ends_within;
use super::wait::wait_until;

/// The interpreter that has the system's GObject bindings.
const PYTHON: &str = "/usr/bin/python3";

/// How long a fixture may take until it is ready, and until a hook is answered.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long it has to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// A fixture application with its process group; both end when this goes.
#[derive(Debug)]
pub struct Fixture {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    folder: TempDir,
}

impl Fixture {
    /// The GTK 3 application. Its arguments and hooks are told in `fixtures/gtk3_app.py` and
    /// `fixtures/fixture.py`.
    pub fn gtk3(desktop: &PrivateDesktop, arguments: &[&str]) -> Self {
        Fixture::python(&desktop.environment(), "gtk3_app.py", arguments)
    }

    /// The GTK 4 application, with the widgets and hooks of the GTK 3 one. What differs is told in
    /// `fixtures/gtk4_app.py`.
    pub fn gtk4(desktop: &PrivateDesktop, arguments: &[&str]) -> Self {
        Fixture::python(&desktop.environment(), "gtk4_app.py", arguments)
    }

    /// The Qt 5 application, with the widgets and hooks of the GTK 3 one. What differs is told in
    /// `fixtures/qt_app.py`.
    pub fn qt5(desktop: &PrivateDesktop, arguments: &[&str]) -> Self {
        Fixture::python(&desktop.environment(), "qt_app.py", &[&["5"], arguments].concat())
    }

    /// The Qt 6 application, which is the same script as [`Fixture::qt5`].
    pub fn qt6(desktop: &PrivateDesktop, arguments: &[&str]) -> Self {
        Fixture::python(&desktop.environment(), "qt_app.py", &[&["6"], arguments].concat())
    }

    /// The Java application, compiled when it is started. Its hooks are told in `fixtures/SwingApp.java`.
    pub fn swing(desktop: &PrivateDesktop) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/SwingApp.java");
        Fixture::start(&desktop.environment(), "java", &[path.to_string_lossy().as_ref()])
    }

    /// The application that lies on the bus. Its modes are told in `fixtures/hostile_bus.py`.
    pub fn hostile_bus(desktop: &PrivateDesktop, mode: &str, arguments: &[&str]) -> Self {
        Fixture::python(&desktop.environment(), "hostile_bus.py", &[&[mode], arguments].concat())
    }

    /// A script of the `fixtures` directory in this environment.
    pub fn python(environment: &BTreeMap<String, String>, script: &str, arguments: &[&str]) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(script);
        let path = path.to_string_lossy();
        Fixture::start(environment, PYTHON, &[&[path.as_ref()], arguments].concat())
    }

    /// Any program that keeps to the protocol: it appends events as JSON lines to the file that
    /// `SUREHAND_FIXTURE_LOG` names, `ready` among them, and reads hooks from standard input. Returns when
    /// it is ready; panics, showing its output, when it ends or the time is up before.
    pub fn start(environment: &BTreeMap<String, String>, program: &str, arguments: &[&str]) -> Self {
        let folder = TempDir::new().unwrap_or_else(|fault| panic!("no directory for a fixture: {fault}"));
        let file = |name: &str| {
            File::create(folder.path().join(name)).unwrap_or_else(|fault| panic!("no file for a fixture: {fault}"))
        };
        file("log");
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment)
            .env("SUREHAND_FIXTURE_LOG", folder.path().join("log"))
            .stdin(Stdio::piped())
            // Files and not pipes, which would fill up or hold a reader.
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .process_group(0)
            .spawn()
            .unwrap_or_else(|fault| panic!("cannot start {program}: {fault}"));
        let stdin = child.stdin.take();
        let mut fixture = Fixture { name: format!("{program} {}", arguments.join(" ")), child, stdin, folder };
        fixture.wait_for("it is ready", |events| events.iter().any(|event| event["event"] == "ready").then_some(()));
        fixture
    }

    /// Its process id, which is that of its process group as well.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The file that it writes events to.
    pub fn log_path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// What happened in it so far, oldest first. A line that is not finished yet is left out.
    pub fn log(&self) -> Vec<Value> {
        let text =
            fs::read_to_string(self.log_path()).unwrap_or_else(|fault| panic!("no log of {}: {fault}", self.name));
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|fault| panic!("{} logged {line:?}: {fault}", self.name))
            })
            .collect()
    }

    /// The events of one kind so far.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        self.log().into_iter().filter(|event| event["event"] == kind).collect()
    }

    /// Waits until its log shows something. Panics with the log and its output when that does not come, or
    /// when it ends meanwhile.
    pub fn wait_for<T>(&mut self, what: &str, look: impl Fn(&[Value]) -> Option<T>) -> T {
        let child = &mut self.child;
        let mut ended = None;
        let log = self.folder.path().join("log");
        let read = || fs::read_to_string(&log).unwrap_or_default();
        let found = wait_until(PATIENCE, || {
            // Asked for before the log is read: what it logged last is seen then.
            let over = child.try_wait().ok().flatten();
            let text = read();
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let events: Vec<Value> = whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            match look(&events) {
                Some(found) => Some(Some(found)),
                None if over.is_some() => {
                    ended = over;
                    Some(None)
                }
                None => None,
            }
        });
        found.flatten().unwrap_or_else(|| {
            let why = ended.map_or(format!("not within {PATIENCE:?}"), |status| format!("it ended: {status}"));
            let output = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
            panic!(
                "{}: waited until {what}, {why}\n--- log\n{}\n--- standard output\n{}\n--- standard error\n{}",
                self.name,
                read(),
                output("stdout"),
                output("stderr"),
            )
        })
    }

    /// Sends a hook line without waiting for what comes of it.
    pub fn send(&mut self, line: &str) {
        assert!(!line.contains('\n'), "a hook is one line: {line:?}");
        let Some(stdin) = &mut self.stdin else { panic!("{} takes no hooks any more", self.name) };
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| stdin.flush())
            .unwrap_or_else(|fault| panic!("{} does not take {line:?}: {fault}", self.name));
    }

    /// Carries out a hook and waits until the fixture says that it did. Panics when it failed.
    pub fn command(&mut self, line: &str) {
        let before = self.events("hook").len();
        self.send(line);
        let answer = self.wait_for(&format!("the hook {line:?} is done"), |events| {
            events.iter().filter(|event| event["event"] == "hook").nth(before).cloned()
        });
        assert_eq!(answer["ok"], true, "{}: the hook failed: {answer}", self.name);
    }

    /// Stops it, as a program that hangs: it answers nobody.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Kills it at once and waits for its end, as a crash.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }

    fn process(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).unwrap_or_else(|fault| panic!("cannot signal {}: {fault}", self.name));
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // While it is not waited for its id cannot become another's, and neither can its group's.
        if let Ok(None) = self.child.try_wait() {
            let group = self.process();
            let _ = kill_process_group(group, Signal::TERM);
            let _ = kill_process_group(group, Signal::CONT);
            // After a failed test nobody needs a clean end, and waiting for it could fail once more.
            if thread::panicking() || !ends_within(&self.child, GRACE) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = self.child.wait();
        }
    }
}
