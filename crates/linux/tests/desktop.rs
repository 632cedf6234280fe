//! Private desktops for real: every test has directories and components of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step of a helper fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getuid, kill_process, pidfd_open};
use surehand_core::desktop::{Component, Desktop, DesktopRequest, DesktopState, Desktops, Environment};
use surehand_core::diagnosis::{Check, Doctor, Health};
use surehand_core::error::{Code, Result};
use surehand_core::time::{Call, Cancel, Clock};
use surehand_linux::desktop::{DESKTOP_KEY, Places, PrivateDesktops};
use surehand_linux::doctor::LinuxDoctor;
use surehand_linux::x11::Display;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateWindowAux, WindowClass};
use x11rb::rust_connection::{DefaultStream, RustConnection};

struct Real;

impl Clock for Real {
    fn now(&self) -> Instant {
        Instant::now()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the clock that others pause on")]
    fn pause(&self, span: Duration, _: &Cancel) {
        std::thread::sleep(span);
    }
}

/// Directories and desktops that are stopped when the test ends, also when it fails.
struct Lab {
    dir: tempfile::TempDir,
    desktops: PrivateDesktops,
}

impl Lab {
    fn new() -> Lab {
        Lab::below("r")
    }

    /// With a runtime directory of that name.
    fn below(name: &str) -> Lab {
        let dir = tempfile::Builder::new().prefix("sh").tempdir().unwrap();
        let desktops = desktops(dir.path(), name);
        Lab { dir, desktops }
    }

    fn start(&self, name: Option<&str>) -> Result<Desktop> {
        self.start_within(Duration::from_secs(20), name)
    }

    fn start_within(&self, span: Duration, name: Option<&str>) -> Result<Desktop> {
        let cancel = Cancel::default();
        let request = DesktopRequest { name: name.map(str::to_owned), width: 800, height: 600 };
        self.desktops.start(&Call::lasting(&Real, &cancel, span), &request)
    }

    fn stop(&self, id: &str) -> Result<surehand_core::desktop::Stopped> {
        let cancel = Cancel::default();
        self.desktops.stop(&Call::lasting(&Real, &cancel, Duration::from_secs(20)), id)
    }

    fn prune(&self) -> Vec<String> {
        let cancel = Cancel::default();
        let stopped = self.desktops.prune(&Call::lasting(&Real, &cancel, Duration::from_secs(20))).unwrap();
        stopped.into_iter().map(|stopped| stopped.id).collect()
    }

    fn state(&self, id: &str) -> Option<DesktopState> {
        self.desktops.list().unwrap().into_iter().find(|desktop| desktop.id == id).map(|desktop| desktop.state)
    }

    fn root(&self, id: &str) -> PathBuf {
        self.dir.path().join("r/desktops").join(id)
    }

    fn spawn(&self, id: &str, program: &str, arguments: &[&str]) -> Child {
        let environment = self.desktops.environment(id).unwrap();
        Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn examine(&self, environment: Environment) -> BTreeMap<&'static str, Check> {
        let cancel = Cancel::default();
        let call = Call::lasting(&Real, &cancel, Duration::from_secs(20));
        LinuxDoctor::new(environment).examine(&call).into_iter().map(|check| (check.id, check)).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for desktop in self.desktops.list().unwrap_or_default() {
            let _ = self.stop(&desktop.id);
        }
    }
}

fn caller() -> Environment {
    let path = "/usr/local/bin:/usr/bin:/bin".to_owned();
    Environment([("PATH".to_owned(), path), ("HOME".to_owned(), "/nonexistent".to_owned())].into())
}

fn desktops(dir: &Path, runtime: &str) -> PrivateDesktops {
    PrivateDesktops::new(Places { runtime: dir.join(runtime), state: dir.join("s") }, caller())
}

fn pid_of(desktop: &Desktop, role: &str) -> u32 {
    let of_role = |component: &&Component| component.role == role;
    desktop.components.iter().find(of_role).unwrap_or_else(|| panic!("no {role} in {desktop:?}")).pid
}

/// Kills a process of the test and waits until it has ended.
fn kill(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let held = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    let mut fds = [rustix::event::PollFd::new(&held, rustix::event::PollFlags::IN)];
    let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
    assert_eq!(rustix::event::poll(&mut fds, Some(&patience)).unwrap(), 1, "a killed process did not end");
}

/// Whether there is no such process, or only what nobody took note of yet.
fn has_ended(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

/// The processes that carry a key and have not ended.
fn carriers(key: &str) -> Vec<u32> {
    let entry = format!("{DESKTOP_KEY}={key}");
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let environ = fs::read(process.path().join("environ")).unwrap_or_default();
        if environ.split(|byte| *byte == 0).any(|one| one == entry.as_bytes()) {
            found.push(pid);
        }
    }
    found
}

#[test]
fn a_desktop_comes_up_whole_and_goes_without_a_trace() {
    let lab = Lab::new();
    assert_eq!(lab.desktops.list().unwrap(), []);
    let desktop = lab.start(Some("work")).unwrap();
    assert_eq!((desktop.id.as_str(), desktop.name.as_deref()), ("d1", Some("work")));
    assert_eq!((desktop.state, desktop.size.as_str()), (DesktopState::Up, "800x600"));
    let mut roles: Vec<_> = desktop.components.iter().map(|component| component.role.as_str()).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["accessibility-bus", "accessibility-launcher", "display", "session-bus", "window-manager"]);
    assert_eq!(lab.desktops.list().unwrap(), std::slice::from_ref(&desktop));
    assert_eq!(fs::metadata(lab.root("d1").join("desktop.json")).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(lab.root("d1").join("run")).unwrap().mode() & 0o777, 0o700);

    let environment = lab.desktops.environment("work").unwrap();
    assert_eq!(environment, lab.desktops.environment("d1").unwrap());
    let key = environment.0[DESKTOP_KEY].clone();
    let checks = lab.examine(environment);
    for (id, check) in &checks {
        assert_eq!(check.health, Health::Ok, "{id}: {check:?}");
    }

    // A process that ends at TERM, one that does not, and one that has put its environment away.
    let mut quiet = lab.spawn("d1", "sleep", &["600"]);
    let told = |name: &str| lab.root("d1").join("run").join(name);
    let deaf = "trap '' TERM; sleep 600 & >$XDG_RUNTIME_DIR/deaf; wait; sleep 600";
    let mut deaf = lab.spawn("d1", "sh", &["-c", deaf]);
    let parent = "env -i sleep 600 & echo $! >$XDG_RUNTIME_DIR/pid; >$XDG_RUNTIME_DIR/bare; wait";
    let mut parent = lab.spawn("d1", "sh", &["-c", parent]);
    wait_until("both are at work", || told("deaf").exists() && told("bare").exists());
    let bare: u32 = fs::read_to_string(told("pid")).unwrap().trim().parse().unwrap();
    let stopped = lab.stop("work").unwrap();
    assert_eq!((stopped.id.as_str(), &stopped.kept_home), ("d1", &None));
    assert!(stopped.processes >= 5 + 3, "{stopped:?}");
    for child in [&mut quiet, &mut deaf, &mut parent] {
        // It has ended, and taking note of that was left to us.
        assert!(child.try_wait().unwrap().is_some());
    }
    assert_eq!(carriers(&key), Vec::<u32>::new());
    assert!(has_ended(bare), "a child without the key was left behind");
    assert_eq!(lab.desktops.list().unwrap(), []);
    assert!(!lab.root("d1").exists());
    assert!(!lab.dir.path().join("s/desktops/d1").exists());
    assert_eq!(lab.stop("d1").unwrap_err().code(), Code::InvalidArgs);
    assert_eq!(lab.desktops.environment("d1").unwrap_err().code(), Code::InvalidArgs);
    assert_eq!(lab.start(None).unwrap().id, "d2", "an id is not given twice");
}

#[test]
fn two_started_at_once_are_apart() {
    let lab = Lab::new();
    let gate = Barrier::new(2);
    let (one, two) = std::thread::scope(|scope| {
        let start = |name| {
            gate.wait();
            lab.start(Some(name)).unwrap()
        };
        let one = scope.spawn(move || start("one"));
        let two = scope.spawn(move || start("two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_ne!(one.id, two.id);
    assert_ne!(one.display, two.display);
    let names = |name: &str| {
        let owners = |desktop: &Desktop| {
            let environment = lab.desktops.environment(&desktop.id).unwrap();
            let call = ["--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner"];
            let out = Command::new("dbus-send")
                .arg("--session")
                .args(call)
                .arg(format!("string:{name}"))
                .env_clear()
                .envs(environment.0)
                .output()
                .unwrap();
            String::from_utf8_lossy(&out.stdout).contains("boolean true")
        };
        (owners(&one), owners(&two))
    };
    assert_eq!(names("org.a11y.Bus"), (true, true));
    // A name taken on one bus is not seen on the other.
    let mut taker = lab.spawn(&one.id, "/usr/bin/python3", &["-c", TAKE_A_NAME]);
    let ready = lab.root(&one.id).join("run/taken");
    wait_until("the name is taken", || ready.exists());
    assert_eq!(names("org.example.Taken"), (true, false));
    lab.stop(&one.id).unwrap();
    taker.wait().unwrap();
    assert_eq!(lab.state(&two.id), Some(DesktopState::Up), "stopping one leaves the other alone");
    let checks = lab.examine(lab.desktops.environment(&two.id).unwrap());
    assert_eq!(checks["registry"].health, Health::Ok);
}

const TAKE_A_NAME: &str = "
import os
from gi.repository import Gio, GLib
Gio.bus_own_name(Gio.BusType.SESSION, 'org.example.Taken', 0, None,
                 lambda *_: open(os.environ['XDG_RUNTIME_DIR'] + '/taken', 'w').close(), None)
GLib.MainLoop().run()
";

/// Looks every few milliseconds, for what nothing signals.
fn wait_until(what: &str, mut look: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !look() {
        assert!(Instant::now() < end, "not within 10 s: {what}");
        Real.pause(Duration::from_millis(5), &Cancel::default());
    }
}

#[test]
fn only_the_cookie_opens_the_display() {
    let lab = Lab::new();
    let desktop = lab.start(None).unwrap();
    let name = desktop.display.unwrap();
    let path = format!("/tmp/.X11-unix/X{}", &name[1..]);
    let connect = |protocol: &[u8], data: Vec<u8>| {
        let socket = std::os::unix::net::UnixStream::connect(&path).unwrap();
        let (stream, _) = DefaultStream::from_unix_stream(socket).unwrap();
        RustConnection::connect_to_stream_with_auth_info(stream, 0, protocol.to_vec(), data).is_ok()
    };
    assert!(!connect(b"", Vec::new()), "somebody without a cookie got in");
    assert!(!connect(b"MIT-MAGIC-COOKIE-1", vec![7; 16]), "somebody with another cookie got in");
    let environment = lab.desktops.environment("d1").unwrap();
    let file = PathBuf::from(&environment.0["XAUTHORITY"]);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    let bytes = fs::read(file).unwrap();
    assert!(connect(b"MIT-MAGIC-COOKIE-1", bytes[bytes.len() - 16..].to_vec()));

    // The doctor tells a display that refuses from one that is not there.
    let mut without = environment.clone();
    without.0.insert("XAUTHORITY".into(), "/nonexistent".into());
    let checks = lab.examine(without);
    assert_eq!(checks["display"].health, Health::Broken, "{checks:?}");
    assert_eq!(checks["window-manager"].health, Health::Unknown);
    assert_eq!(checks["registry"].health, Health::Ok);
}

#[test]
fn a_name_belongs_to_one() {
    let lab = Lab::new();
    let gate = Barrier::new(2);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let start = || {
            gate.wait();
            lab.start(Some("same"))
        };
        let threads = [scope.spawn(start), scope.spawn(start)];
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let refused: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(refused.len(), 1, "{outcomes:?}");
    assert_eq!(refused[0].code(), Code::Conflict);
    assert_eq!(lab.desktops.list().unwrap().len(), 1);
    for name in ["d1", "d99", "", "a b", "../x", "-v"] {
        assert_eq!(lab.start(Some(name)).unwrap_err().code(), Code::InvalidArgs, "{name}");
    }
    assert_eq!(lab.desktops.list().unwrap().len(), 1);
}

#[test]
fn a_killed_display_breaks_the_desktop_and_prune_clears_it() {
    let lab = Lab::new();
    let broken = lab.start(Some("gone")).unwrap();
    let whole = lab.start(None).unwrap();
    let key = lab.desktops.environment("gone").unwrap().0[DESKTOP_KEY].clone();
    kill(pid_of(&broken, "display"));
    assert_eq!(lab.state("d1"), Some(DesktopState::Broken));
    let error = lab.desktops.environment("gone").unwrap_err();
    assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("broken")));
    assert_eq!(lab.prune(), ["d1"]);
    assert_eq!(carriers(&key), Vec::<u32>::new());
    assert_eq!(lab.desktops.list().unwrap().len(), 1);
    assert_eq!(lab.state(&whole.id), Some(DesktopState::Up));
    assert_eq!(lab.prune(), Vec::<String>::new());
    lab.start(Some("gone")).unwrap();
}

/// Set for a process that another test starts from this binary.
const CHILD: &str = "SUREHAND_TEST_CHILD";

#[expect(clippy::disallowed_methods, reason = "how a test tells the process it starts what it is")]
fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Run by the test below in a process of its own.
#[test]
fn starter() {
    // Not a test by itself: the starter that another test kills.
    if !is_child() {
        return;
    }
    let mut dir = String::new();
    std::io::stdin().read_to_string(&mut dir).unwrap();
    let cancel = Cancel::default();
    let request = DesktopRequest { name: Some("orphan".into()), width: 800, height: 600 };
    let call = Call::lasting(&Real, &cancel, Duration::from_secs(20));
    desktops(Path::new(&dir), "r").start(&call, &request).unwrap();
}

#[test]
fn a_starter_killed_at_any_moment_leaves_nothing_after_prune() {
    let lab = Lab::new();
    let mut states = Vec::new();
    for delay in (0..30).map(|step| Duration::from_millis(step * 14)) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "starter"])
            .env(CHILD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, lab.dir.path().to_str().unwrap().as_bytes()).unwrap();
        drop(input);
        // The moment is what is varied here, not something waited for.
        Real.pause(delay, &Cancel::default());
        child.kill().unwrap();
        child.wait().unwrap();
        let list = lab.desktops.list().unwrap();
        assert!(list.len() <= 1, "{list:?}");
        for desktop in &list {
            assert_ne!(desktop.state, DesktopState::Starting, "its starter is dead");
            states.push(desktop.state);
            let record = fs::read_to_string(lab.root(&desktop.id).join("desktop.json")).unwrap();
            let record: serde_json::Value = serde_json::from_str(&record).unwrap();
            let key = record["key"].as_str().unwrap().to_owned();
            if desktop.state == DesktopState::Broken {
                assert_eq!(lab.prune(), [desktop.id.as_str()]);
            } else {
                lab.stop(&desktop.id).unwrap();
            }
            assert_eq!(carriers(&key), Vec::<u32>::new(), "after {delay:?}");
        }
        lab.prune();
        let names = |dir: &Path| -> Vec<String> {
            let entries = fs::read_dir(dir).into_iter().flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.retain(|name| name != "last" && name != "lock");
            names
        };
        assert_eq!(names(&lab.dir.path().join("r/desktops")), Vec::<String>::new(), "after {delay:?}");
        assert_eq!(names(&lab.dir.path().join("s/desktops")), Vec::<String>::new(), "after {delay:?}");
    }
    assert!(states.contains(&DesktopState::Broken), "no starter was killed at work: {states:?}");
}

#[test]
fn stopping_ends_a_start_that_is_under_way() {
    let lab = Lab::new();
    std::thread::scope(|scope| {
        let starting = scope.spawn(|| lab.start(Some("brief")));
        wait_until("it has begun", || lab.state("d1").is_some());
        let stopped = lab.stop("brief");
        let started = starting.join().unwrap();
        match started {
            // It was ready before it was stopped.
            Ok(desktop) => assert_eq!(desktop.id, "d1"),
            Err(error) => assert_eq!(error.kind_of(), Some("stopped"), "{error:?} {:?}", error.details()),
        }
        // The starter may have cleared it away before the stopping came to it.
        assert!(stopped.is_ok(), "{stopped:?}");
    });
    assert_eq!(lab.desktops.list().unwrap(), []);
    assert!(!lab.root("d1").exists());
    assert!(!lab.dir.path().join("s/desktops/d1").exists());
}

#[test]
fn stopping_twice_at_once_is_one_stop() {
    let lab = Lab::new();
    lab.start(None).unwrap();
    let gate = Barrier::new(2);
    std::thread::scope(|scope| {
        let stop = || {
            gate.wait();
            lab.stop("d1")
        };
        let threads = [scope.spawn(stop), scope.spawn(stop)];
        for thread in threads {
            match thread.join().unwrap() {
                Ok(stopped) => assert_eq!(stopped.id, "d1"),
                Err(error) => assert_eq!(error.kind_of(), Some("no_such_desktop"), "{error:?}"),
            }
        }
    });
    assert_eq!(lab.desktops.list().unwrap(), []);
}

#[test]
fn a_desktop_with_a_damaged_record_can_still_be_cleared() {
    let lab = Lab::new();
    lab.start(Some("odd")).unwrap();
    let whole = lab.start(None).unwrap();
    let key = lab.desktops.environment("odd").unwrap().0[DESKTOP_KEY].clone();
    fs::write(lab.root("d1").join("desktop.json"), "{").unwrap();
    assert_eq!(lab.state("d1"), Some(DesktopState::Broken));
    assert_eq!(lab.prune(), ["d1"]);
    assert_eq!(carriers(&key), Vec::<u32>::new());
    assert_eq!(lab.state(&whole.id), Some(DesktopState::Up));
}

/// Run by the test below in a process of its own.
#[test]
fn stopper() {
    // Not a test by itself: the stopping from within that another test looks at.
    if !is_child() {
        return;
    }
    let mut dir = String::new();
    std::io::stdin().read_to_string(&mut dir).unwrap();
    let cancel = Cancel::default();
    desktops(Path::new(&dir), "r").stop(&Call::lasting(&Real, &cancel, Duration::from_secs(20)), "d1").unwrap();
}

#[test]
fn who_stops_the_desktop_it_runs_in_lives_on() {
    let lab = Lab::new();
    lab.start(None).unwrap();
    let environment = lab.desktops.environment("d1").unwrap();
    let key = environment.0[DESKTOP_KEY].clone();
    let mut other = lab.spawn("d1", "sleep", &["600"]);
    // The shell is an ancestor that carries the key, and has something to say after the stop.
    let mut shell = Command::new("sh")
        .args(["-c", "\"$0\" --exact stopper >/dev/null 2>&1 && echo alive"])
        .arg(std::env::current_exe().unwrap())
        .env_clear()
        .envs(environment.0)
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, lab.dir.path().to_str().unwrap().as_bytes()).unwrap();
    drop(input);
    let output = shell.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "alive\n");
    other.wait().unwrap();
    assert_eq!(carriers(&key), Vec::<u32>::new());
    assert_eq!(lab.desktops.list().unwrap(), []);
}

#[test]
fn work_in_the_home_is_kept_and_settings_are_not() {
    let lab = Lab::new();
    lab.start(None).unwrap();
    let home = PathBuf::from(&lab.desktops.environment("d1").unwrap().0["HOME"]);
    fs::create_dir_all(home.join(".config")).unwrap();
    fs::write(home.join(".config/rc"), "settings").unwrap();
    fs::write(home.join("letter.txt"), "work").unwrap();
    assert_eq!(lab.stop("d1").unwrap().kept_home, Some(home.clone()));
    lab.prune();
    assert_eq!(fs::read_to_string(home.join("letter.txt")).unwrap(), "work");
    // Should the runtime directory be lost, as it is when the system comes up anew, the id stays taken.
    fs::remove_dir_all(lab.dir.path().join("r")).unwrap();
    assert_eq!(lab.start(None).unwrap().id, "d2");
    assert_eq!(fs::read_to_string(home.join("letter.txt")).unwrap(), "work");
}

#[test]
fn a_home_may_have_any_path_and_sockets_a_plain_one() {
    let lab = Lab::below("r ó");
    let error = lab.start(None).unwrap_err();
    assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("path_characters")));
    assert_eq!(fs::read_dir(lab.dir.path()).unwrap().count(), 0);
    let mut lab = Lab::new();
    let places = Places { runtime: lab.dir.path().join("r"), state: lab.dir.path().join("s ó%;:") };
    lab.desktops = PrivateDesktops::new(places, caller());
    let desktop = lab.start(None).unwrap();
    let checks = lab.examine(lab.desktops.environment(&desktop.id).unwrap());
    assert!(checks.values().all(|check| check.health == Health::Ok), "{checks:?}");
}

#[test]
fn a_path_too_long_for_sockets_is_refused_before_anything_is_made() {
    let lab = Lab::below(&"x".repeat(70));
    let error = lab.start(None).unwrap_err();
    assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("path_too_long")));
    assert_eq!(fs::read_dir(lab.dir.path()).unwrap().count(), 0);
    // The longest that is allowed works.
    let most = usize::try_from(error.details()["most_bytes"].as_u64().unwrap()).unwrap();
    let room = most - lab.dir.path().as_os_str().len() - 1;
    let name = "y".repeat(room);
    let longest = Lab { desktops: desktops(lab.dir.path(), &name), dir: tempfile::tempdir().unwrap() };
    longest.start(None).unwrap();
}

#[test]
fn directories_of_others_are_refused() {
    let refused = |lab: &Lab| {
        let error = lab.start(None).unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (Code::PermDenied, Some("unsafe_directory")), "{error}");
    };
    let lab = Lab::new();
    let own = lab.dir.path().join("r/desktops");
    fs::create_dir_all(&own).unwrap();
    let open = |mode| fs::set_permissions(&own, fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o750, 0o701, 0o722] {
        open(mode);
        refused(&lab);
        assert_eq!(lab.desktops.list().unwrap_err().code(), Code::PermDenied);
    }
    open(0o700);
    fs::set_permissions(lab.dir.path().join("r"), fs::Permissions::from_mode(0o777)).unwrap();
    refused(&lab);

    let linked = Lab::new();
    fs::create_dir(linked.dir.path().join("elsewhere")).unwrap();
    fs::create_dir(linked.dir.path().join("r")).unwrap();
    std::os::unix::fs::symlink(linked.dir.path().join("elsewhere"), linked.dir.path().join("r/desktops")).unwrap();
    refused(&linked);

    let lab = Lab::new();
    // Only root can give a directory away.
    if getuid().is_root() {
        let own = lab.dir.path().join("r/desktops");
        fs::create_dir_all(&own).unwrap();
        open_only(&own);
        std::os::unix::fs::chown(&own, Some(65534), None).unwrap();
        refused(&lab);
        std::os::unix::fs::chown(&own, Some(0), None).unwrap();
    }
    lab.start(None).unwrap();
}

fn open_only(dir: &Path) {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
}

/// Maps a window in a desktop at once and waits until the window manager lists it; the connection keeps it.
fn map_at_once(lab: &Lab, desktop: &Desktop) -> RustConnection {
    let environment = lab.desktops.environment(&desktop.id).unwrap().0;
    let (name, authority) = (&environment["DISPLAY"], PathBuf::from(&environment["XAUTHORITY"]));
    let socket = std::os::unix::net::UnixStream::connect(format!("/tmp/.X11-unix/X{}", &name[1..])).unwrap();
    let (stream, _) = DefaultStream::from_unix_stream(socket).unwrap();
    let cookie = fs::read(&authority).unwrap();
    let cookie = (b"MIT-MAGIC-COOKIE-1".to_vec(), cookie[cookie.len() - 16..].to_vec());
    let client = RustConnection::connect_to_stream_with_auth_info(stream, 0, cookie.0, cookie.1).unwrap();
    let window = client.generate_id().unwrap();
    let (root, class) = (client.setup().roots[0].root, WindowClass::INPUT_OUTPUT);
    client.create_window(0, window, root, 0, 0, 90, 60, 0, class, 0, &CreateWindowAux::new()).unwrap();
    client.map_window(window).unwrap().check().unwrap();

    let cancel = Cancel::default();
    let call = Call::lasting(&Real, &cancel, Duration::from_secs(20));
    let display = Display::connect(&call, name, Some(&authority)).unwrap();
    let listed = || display.windows().unwrap().iter().map(|window| window.id).collect::<Vec<_>>();
    wait_until("the window is managed", || listed() == [window]);
    wait_until("it is the active one", || display.attention().unwrap().active == Some(window.into()));
    client
}

#[test]
fn a_window_mapped_as_soon_as_a_desktop_is_up_is_managed() {
    let lab = Lab::new();
    for _ in 0..20 {
        let desktop = lab.start(None).unwrap();
        let client = map_at_once(&lab, &desktop);
        lab.stop(&desktop.id).unwrap();
        drop(client);
    }
}

#[test]
fn a_desktop_is_not_up_before_its_window_manager_manages() {
    let mut lab = Lab::new();
    // Openbox reads its settings after it has announced itself; they arrive when this test lets them.
    let settings = lab.dir.path().join("rc.xml");
    let script = format!("exec /usr/bin/openbox --config-file {} \"$@\"", settings.display());
    lab.desktops = with_programs(&lab, &[("openbox", &script)]);
    rustix::fs::mkfifoat(rustix::fs::CWD, &settings, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let release = || {
        let mut read = None;
        wait_until("the window manager reads its settings", || {
            // Without a reader there is nothing to open.
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
            read = rustix::fs::open(&settings, flags, rustix::fs::Mode::empty()).ok();
            read.is_some()
        });
        // The moment is what is tried here: long enough for all that does not wait to be done.
        Real.pause(Duration::from_millis(700), &Cancel::default());
        let released = Instant::now();
        let settings = b"<openbox_config xmlns='http://openbox.org/3.4/rc'/>";
        rustix::io::write(read.unwrap(), settings).unwrap();
        released
    };
    let (desktop, up, released) = std::thread::scope(|scope| {
        let starting = scope.spawn(|| (lab.start(None).unwrap(), Instant::now()));
        let released = release();
        let (desktop, up) = starting.join().unwrap();
        (desktop, up, released)
    });
    assert!(up > released, "the desktop was up before its window manager had read its settings");
    map_at_once(&lab, &desktop);
}

/// Programs of one's own in place of the real ones: `PATH` decides.
fn with_programs(lab: &Lab, scripts: &[(&str, &str)]) -> PrivateDesktops {
    let bin = lab.dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, script) in scripts {
        let file = bin.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let mut environment = caller();
    environment.0.insert("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()));
    PrivateDesktops::new(Places { runtime: lab.dir.path().join("r"), state: lab.dir.path().join("s") }, environment)
}

#[test]
fn a_component_that_ends_is_told_at_once_with_what_it_printed() {
    let failing = [
        ("Xvfb", "display"),
        ("dbus-daemon", "session-bus"),
        ("at-spi-bus-launcher", "accessibility-launcher"),
        ("openbox", "window-manager"),
    ];
    for (program, role) in failing {
        let mut lab = Lab::new();
        lab.desktops = with_programs(&lab, &[(program, "echo starting; echo this is why >&2; exit 3")]);
        let before = Instant::now();
        let error = lab.start(None).unwrap_err();
        assert!(before.elapsed() < Duration::from_secs(6), "{role}: {:?}", before.elapsed());
        assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("component_ended")), "{role}: {error}");
        assert_eq!(error.details()["component"], role);
        assert_eq!(error.details()["log"], serde_json::json!(["starting", "this is why"]), "{role}");
        assert_eq!(lab.desktops.list().unwrap(), []);
        assert!(!lab.root("d1").exists());
        assert!(!lab.dir.path().join("s/desktops/d1").exists());
    }
}

#[test]
fn a_component_that_never_comes_up_ends_with_the_deadline() {
    for program in ["Xvfb", "dbus-daemon", "at-spi-bus-launcher", "openbox"] {
        let mut lab = Lab::new();
        lab.desktops = with_programs(&lab, &[(program, "exec sleep 600")]);
        let before = Instant::now();
        let error = lab.start_within(Duration::from_secs(2), None).unwrap_err();
        assert_eq!(error.code(), Code::Timeout, "{program}: {error}");
        assert!(before.elapsed() < Duration::from_secs(8), "{program}: {:?}", before.elapsed());
        assert!(error.details().contains_key("component"), "{program}: {error}");
        assert_eq!(lab.desktops.list().unwrap(), []);
        assert!(!lab.root("d1").exists());
    }
}

#[test]
fn what_is_not_installed_is_named_with_its_packages() {
    let lab = Lab::new();
    let mut environment = caller();
    environment.0.insert("PATH".into(), "/nonexistent".into());
    let places = Places { runtime: lab.dir.path().join("r"), state: lab.dir.path().join("s") };
    let cancel = Cancel::default();
    let request = DesktopRequest { name: None, width: 800, height: 600 };
    let error = PrivateDesktops::new(places, environment.clone())
        .start(&Call::lasting(&Real, &cancel, Duration::from_secs(5)), &request)
        .unwrap_err();
    assert_eq!(error.code(), Code::PlatformNotSupported);
    assert!(error.suggestion().unwrap().contains("xvfb dbus"), "{error:?}");
    assert_eq!(fs::read_dir(lab.dir.path()).unwrap().count(), 0);

    let checks = lab.examine(environment);
    let healths: Vec<_> =
        ["display", "window-manager", "session-bus", "accessibility-bus", "registry", "xvfb", "openbox"]
            .iter()
            .map(|id| checks[id].health)
            .collect();
    use Health::{Missing, Unknown};
    assert_eq!(healths, [Missing, Unknown, Missing, Unknown, Unknown, Missing, Missing]);
    assert!(checks["display"].mends.iter().any(|mend| mend.command == "surehand desktop start"));
    let mut managers: Vec<_> = checks["xvfb"].mends.iter().map(|mend| mend.with).collect();
    managers.sort_unstable();
    assert_eq!(managers, ["apt", "dnf", "pacman"]);
}

/// A display that takes connections and says nothing, on the abstract socket that servers have besides the one
/// in `/tmp`, and its name.
fn silent_display() -> (std::os::unix::net::UnixListener, String) {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixListener};
    (5_000..6_000)
        .filter(|number| !Path::new(&format!("/tmp/.X11-unix/X{number}")).exists())
        .find_map(|number| {
            let address = SocketAddr::from_abstract_name(format!("/tmp/.X11-unix/X{number}")).unwrap();
            Some((UnixListener::bind_addr(&address).ok()?, format!(":{number}")))
        })
        .unwrap()
}

#[test]
fn the_doctor_tells_displays_of_others_and_those_that_are_not_there() {
    let lab = Lab::new();
    for (name, says) in [("127.0.0.1:0", "not a display of this machine"), (":64999", "there is no display")] {
        let mut environment = caller();
        environment.0.insert("DISPLAY".into(), name.into());
        let checks = lab.examine(environment);
        assert_eq!((checks["display"].health, checks["input"].health), (Health::Missing, Health::Unknown), "{name}");
        assert!(checks["display"].found.contains(says), "{checks:?}");
    }
}

#[test]
fn the_doctor_does_not_wait_for_those_who_never_answer() {
    let lab = Lab::new();
    // Sockets that take a connection and say nothing.
    let bus = std::os::unix::net::UnixListener::bind(lab.dir.path().join("bus")).unwrap();
    let mut environment = caller();
    let vars = &mut environment.0;
    vars.insert("DBUS_SESSION_BUS_ADDRESS".into(), format!("unix:path={}/bus", lab.dir.path().display()));
    let (display, name) = silent_display();
    vars.insert("DISPLAY".into(), name);
    let before = Instant::now();
    let checks = lab.examine(environment);
    assert!(before.elapsed() < Duration::from_secs(8), "{:?}", before.elapsed());
    assert_eq!(checks["display"].health, Health::Broken, "{checks:?}");
    assert_eq!(checks["session-bus"].health, Health::Broken, "{checks:?}");
    drop((bus, display));

    let mut wayland = caller();
    wayland.0.insert("WAYLAND_DISPLAY".into(), "wayland-0".into());
    let checks = lab.examine(wayland);
    assert_eq!(checks["display"].health, Health::Missing);
    assert!(checks["display"].found.contains("Wayland is not supported yet"), "{checks:?}");
}
