//! Private desktops through the command line.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop, wait_until};

use crate::stage::{APP, PATIENCE, Tree, ok, refused, sandbox};

/// Whether a process runs: neither gone nor a zombie.
fn runs(pid: u64) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !matches!(stat.rsplit(") ").next(), Some(rest) if rest.starts_with(['Z', 'X'])))
}

#[test]
fn a_desktop_is_started_listed_and_stopped_with_all_its_processes() {
    let sandbox = sandbox();
    assert_eq!(ok(&sandbox.surehand(&["desktop", "list"]))["desktops"], json!([]));
    let desktop = PrivateDesktop::start_with(&sandbox, &["--name", "work", "--size", "800x600"]);
    let list = ok(&sandbox.surehand(&["desktop", "list"]))["desktops"].take();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert_eq!(list[0]["id"], desktop.id());
    assert_eq!(
        (&list[0]["name"], &list[0]["state"], &list[0]["size"]),
        (&json!("work"), &json!("up"), &json!("800x600"))
    );
    let components = list[0]["components"].as_array().expect("components").clone();
    let pids: Vec<u64> = components.iter().map(|component| component["pid"].as_u64().expect("a pid")).collect();
    assert!(pids.len() >= 4 && pids.iter().all(|pid| runs(*pid)), "{components:?}");
    let shot = ok(&desktop.surehand(&["screenshot"]));
    assert_eq!((&shot["width"], &shot["height"]), (&json!(800), &json!(600)));
    let fixture = Fixture::gtk3(&desktop, &[]);
    let application = u64::from(fixture.pid());
    let stopped = ok(&sandbox.surehand(&["desktop", "stop", "work"]));
    assert!(stopped["processes"].as_u64().is_some_and(|count| count as usize > pids.len()), "{stopped}");
    for pid in pids.into_iter().chain([application]) {
        wait_until(PATIENCE, || (!runs(pid)).then_some(())).unwrap_or_else(|| panic!("{pid} is left"));
    }
    assert_eq!(ok(&sandbox.surehand(&["desktop", "list"]))["desktops"], json!([]));
    desktop.is_gone();
}

#[test]
fn two_desktops_never_see_each_other() {
    let sandbox = sandbox();
    let here = PrivateDesktop::start(&sandbox);
    let there = PrivateDesktop::start(&sandbox);
    assert_ne!(here.id(), there.id());
    assert_ne!(here.environment()["DISPLAY"], there.environment()["DISPLAY"]);
    let mut one = Fixture::gtk3(&here, &["--title", "Here"]);
    let two = Fixture::gtk3(&there, &["--title", "There"]);
    for (desktop, fixture, title) in [(&here, &one, "Here"), (&there, &two, "There")] {
        let apps = ok(&desktop.surehand(&["list-apps"]))["apps"].take();
        assert_eq!(apps.as_array().map(Vec::len), Some(1), "{apps}");
        assert_eq!(apps[0]["pid"], fixture.pid());
        let windows = ok(&desktop.surehand(&["list-windows"]))["windows"].take();
        assert_eq!(windows.as_array().map(Vec::len), Some(1), "{windows}");
        assert_eq!(windows[0]["title"], title);
    }
    let button = Tree(ok(&here.surehand(&["snapshot", "--app", APP]))).reference("button", "Press me");
    let silent = two.log().len();
    ok(&here.surehand(&["click", &button]));
    one.wait_for("it was clicked", |events| events.iter().any(|event| event["event"] == "clicked").then_some(()));
    assert_eq!(two.log().len(), silent);
}

#[test]
fn a_name_is_as_good_as_an_id_and_the_variable_as_the_option() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start_with(&sandbox, &["--name", "work"]);
    let other = PrivateDesktop::start(&sandbox);
    let _fixture = Fixture::gtk3(&desktop, &[]);
    let apps = |run: surehand_testkit::live::Run| ok(&run)["apps"].as_array().map(Vec::len);
    assert_eq!(apps(sandbox.surehand(&["list-apps", "--desktop", "work"])), Some(1));
    assert_eq!(apps(sandbox.runner(&["list-apps"]).env("SUREHAND_DESKTOP", "work").run()), Some(1));
    assert_eq!(apps(sandbox.runner(&["list-apps"]).env("SUREHAND_DESKTOP", desktop.id()).run()), Some(1));
    // The option wins, and an empty variable is none.
    let both = sandbox.runner(&["list-apps", "--desktop", other.id()]).env("SUREHAND_DESKTOP", "work").run();
    assert_eq!(apps(both), Some(0));
    refused(&sandbox.runner(&["list-apps"]).env("SUREHAND_DESKTOP", "").run(), Code::PlatformNotSupported);
    for nowhere in ["nowhere", "../work", "d99", ""] {
        let run = sandbox.surehand(&["list-apps", &format!("--desktop={nowhere}")]);
        let error = refused(&run, Code::InvalidArgs);
        assert_eq!(error["details"]["kind"], "no_such_desktop", "{nowhere:?}");
    }
    refused(&sandbox.surehand(&["desktop", "stop"]), Code::InvalidArgs);
    refused(&sandbox.surehand(&["desktop", "env", "nowhere", "--format", "json"]), Code::InvalidArgs);
    // A name that is taken, or could be taken for something else.
    for name in ["work", "", "a b", "../x", "d1", "x\u{202e}y", "-x"] {
        let run = sandbox.surehand(&["desktop", "start", &format!("--name={name}")]);
        let status = run.status();
        assert!(
            status == i32::from(Code::InvalidArgs.exit_status()) || status == i32::from(Code::Conflict.exit_status()),
            "{name:?}: {run}"
        );
    }
    assert_eq!(ok(&sandbox.surehand(&["desktop", "list"]))["desktops"].as_array().map(Vec::len), Some(2));
}

/// What a shell has after `eval "$(surehand desktop env)"`.
#[test]
fn the_environment_makes_a_shell_part_of_the_desktop() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    let binary = env!("CARGO_BIN_EXE_surehand");
    let script = format!(
        "eval \"$('{binary}' desktop env {})\" && printf '%s|%s|' \"$DISPLAY\" \"$DBUS_SESSION_BUS_ADDRESS\" && \
         exec '{binary}' list-apps",
        desktop.id()
    );
    let _fixture = Fixture::gtk3(&desktop, &[]);
    let home = sandbox.surehand_home();
    let output = Command::new("/bin/sh")
        .args(["-euc", &script])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", sandbox.home())
        .env("SUREHAND_HOME", &home)
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut parts = text.splitn(3, '|');
    let environment = desktop.environment();
    assert_eq!(parts.next(), environment.get("DISPLAY").map(String::as_str));
    assert_eq!(parts.next(), environment.get("DBUS_SESSION_BUS_ADDRESS").map(String::as_str));
    let answer: Value = serde_json::from_str(parts.next().expect("an answer")).expect("JSON");
    assert_eq!(answer["data"]["apps"][0]["name"], APP);
    // Nothing of the environment leads to another desktop.
    for variable in ["WAYLAND_DISPLAY", "SESSION_MANAGER"] {
        assert!(environment.get(variable).is_none_or(String::is_empty), "{variable}");
    }
    let runtime = environment.get("XDG_RUNTIME_DIR").expect("a runtime directory");
    assert!(Path::new(runtime).starts_with(&home), "{runtime}");
}

#[test]
fn a_program_runs_on_the_desktop_and_its_end_is_ours() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    let run = |script: &str| desktop.runner_first(&["desktop", "run", "--", "sh", "-c", script]);
    for (script, status) in
        [("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137)]
    {
        let run = run(script);
        assert_eq!(run.status(), status, "{run}");
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{run}");
    }
    let printed = run("echo out; echo err >&2; printf '%s' \"$DISPLAY\"");
    assert_eq!(printed.stdout, format!("out\n{}", desktop.environment()["DISPLAY"]), "{printed}");
    assert_eq!(printed.stderr, "err\n", "{printed}");
    let read = sandbox.runner(&["desktop", "run", "--desktop", desktop.id(), "cat"]).stdin("through\n").run();
    assert_eq!((read.status(), read.stdout.as_str()), (0, "through\n"), "{read}");
    let missing = desktop.runner_first(&["desktop", "run", "--format", "json", "no-such-program-here"]);
    refused(&missing, Code::InvalidArgs);
}

trait First {
    fn runner_first(&self, arguments: &[&str]) -> surehand_testkit::live::Run;
}

impl First for PrivateDesktop {
    /// `desktop run` takes everything behind the program as its arguments, so the desktop is named before.
    fn runner_first(&self, arguments: &[&str]) -> surehand_testkit::live::Run {
        self.sandbox().surehand(&[&["--desktop", self.id()], arguments].concat())
    }
}

#[test]
fn a_request_to_terminate_reaches_the_program() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    let script = "trap 'echo told; exit 9' TERM; echo ready; while :; do read -r _ || exit 8; done";
    let mut child = sandbox
        .command(&["--desktop", desktop.id(), "desktop", "run", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = child.stdin.take();
    let mut output = std::io::BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut output, &mut line).expect("a line");
    assert_eq!(line, "ready\n");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it is ours");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest).expect("the rest");
    let status = child.wait().expect("its end");
    assert_eq!(rest, "told\n");
    assert_eq!(status.code(), Some(9));
    drop(input);
}

#[test]
fn the_doctor_is_content_on_a_desktop_and_names_what_is_missing_without() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    let well = desktop.surehand(&["doctor"]);
    let answer = ok(&well);
    assert_eq!(answer["healthy"], true, "{well}");
    assert_eq!(answer["desktop"], desktop.id());
    let checks = answer["checks"].as_array().expect("checks");
    assert!(checks.iter().all(|check| check["needed"] == false || check["health"] == "ok"), "{well}");
    let ill = sandbox.surehand(&["doctor"]);
    assert_eq!(ill.status(), 1, "{ill}");
    let answer = ill.json();
    assert_eq!((&answer["ok"], &answer["data"]["healthy"]), (&json!(true), &json!(false)), "{ill}");
    let missing: Vec<&Value> = answer["data"]["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["health"] == "missing")
        .collect();
    assert!(!missing.is_empty(), "{ill}");
    for check in missing {
        assert!(check["mends"].as_array().is_some_and(|mends| !mends.is_empty()), "nothing mends it: {check}");
    }
    // On a machine where nothing can be found, the packages of each system are named.
    let bare = sandbox.runner(&["doctor"]).env("PATH", "/nowhere").run();
    assert_eq!(bare.status(), 1, "{bare}");
    for manager in ["apt-get install", "dnf install", "pacman -S"] {
        assert!(bare.stdout.contains(manager), "{bare}");
    }
    let words = desktop.surehand(&["doctor", "--format", "outline"]);
    assert!(words.status() == 0 && words.stdout.ends_with("applications can be read and acted on\n"), "{words}");
}

#[test]
fn a_desktop_whose_display_has_died_is_broken_and_can_be_cleared_away() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    let list = ok(&sandbox.surehand(&["desktop", "list"]))["desktops"].take();
    let components = list[0]["components"].as_array().expect("components");
    let pid = |role: &str| {
        let component = components.iter().find(|component| component["role"] == role).expect("the component");
        component["pid"].as_i64().expect("a pid") as i32
    };
    let display = pid("display");
    kill_process(Pid::from_raw(display).expect("a pid"), Signal::KILL).expect("it is ours");
    wait_until(PATIENCE, || (!runs(display as u64)).then_some(())).expect("it is gone");
    let list = ok(&sandbox.surehand(&["desktop", "list"]))["desktops"].take();
    assert_eq!(list[0]["state"], "broken", "{list}");
    let pruned = ok(&sandbox.surehand(&["desktop", "list", "--prune"]));
    assert_eq!(pruned["desktops"], json!([]));
    assert_eq!(pruned["pruned"][0]["id"], desktop.id());
    wait_until(PATIENCE, || (!runs(pid("session-bus") as u64)).then_some(())).expect("the bus is gone as well");
    desktop.is_gone();
}
