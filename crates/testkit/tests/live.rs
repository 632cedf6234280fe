//! The guards for live tests, tried with a stand-in for the binary and small programs for fixtures.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step of a helper fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use surehand_testkit::live::{Fixture, PrivateDesktop, Sandbox, wait_until};

/// A shell script in place of the binary, in a directory that lasts as long as the test.
struct Stand {
    folder: tempfile::TempDir,
}

impl Stand {
    fn new(script: &str) -> Self {
        let stand = Stand { folder: tempfile::tempdir().expect("a directory") };
        fs::write(stand.binary(), format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(stand.binary(), fs::Permissions::from_mode(0o700)).expect("executable");
        stand
    }

    fn binary(&self) -> PathBuf {
        self.folder.path().join("surehand")
    }

    fn sandbox(&self) -> Sandbox {
        Sandbox::new(&self.binary())
    }
}

fn panic_of(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("it should have panicked");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

fn runs(pid: u32) -> bool {
    // A zombie is over; only its parent has not asked yet.
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !matches!(stat.rsplit(") ").next(), Some(rest) if rest.starts_with(['Z', 'X'])))
}

/// What tells that a program is in its main loop, for fixtures written in shell.
fn shell_fixture(script: &str) -> Fixture {
    let log = r#"log() { printf '%s\n' "$1" >> "$SUREHAND_FIXTURE_LOG"; }"#;
    let environment = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    Fixture::start(&environment, "/bin/sh", &["-c", &format!("{log}\n{script}")])
}

const ECHO: &str = r#"log '{"event":"ready"}'
while read -r line; do
  case $line in
    fail) log '{"event":"hook","ok":false}';;
    end) exit 3;;
    *) log "{\"event\":\"hook\",\"ok\":true,\"line\":\"$line\"}";;
  esac
done"#;

#[test]
fn the_environment_holds_nothing_of_the_machine() {
    let stand = Stand::new("env | grep -vE '^(PWD|SHLVL|_|OLDPWD)=' | sort");
    let sandbox = stand.sandbox();
    let run = sandbox.surehand(&[]);
    let variables: Vec<_> = run.stdout.lines().filter_map(|line| line.split('=').next()).collect();
    assert_eq!(variables, ["HOME", "LANG", "NO_COLOR", "PATH", "SUREHAND_HOME", "TZ"]);
    let line = |variable: &str, path: &Path| format!("{variable}={}\n", path.display());
    assert!(run.stdout.contains(&line("SUREHAND_HOME", &sandbox.surehand_home())), "{run}");
    assert!(run.stdout.contains(&line("HOME", &sandbox.home())), "{run}");
    assert!(sandbox.home().starts_with(sandbox.path()));
}

#[test]
fn a_run_tells_status_output_and_json() {
    let stand = Stand::new(
        r#"read word; echo "{\"ok\":true,\"data\":{\"word\":\"$word\",\"x\":\"$X\"}}"; echo oops >&2; exit $1"#,
    );
    let sandbox = stand.sandbox();
    let run = sandbox.runner(&["0"]).stdin("hello\n").env("X", "y").run();
    assert_eq!((run.status(), run.stderr.as_str()), (0, "oops\n"));
    assert_eq!(run.expect_ok(), serde_json::json!({"word": "hello", "x": "y"}));
    let run = sandbox.surehand(&["4"]);
    assert_eq!(run.status(), 4);
    assert!(panic_of(|| drop(run.expect_ok())).contains("oops"), "the panic shows the run");
    assert!(panic_of(|| drop(run.expect_error("STALE_REF"))).contains("should have failed"));
    let stand = Stand::new("kill -9 $$");
    assert_eq!(stand.sandbox().surehand(&[]).status(), 137);
}

#[test]
fn an_error_answer_is_told_by_its_code() {
    let stand = Stand::new(r#"echo '{"ok":false,"error":{"code":"STALE_REF"}}'; exit 4"#);
    let run = stand.sandbox().surehand(&[]);
    assert_eq!(run.expect_error("STALE_REF")["code"], "STALE_REF");
    assert!(panic_of(|| drop(run.expect_error("TIMEOUT"))).contains("STALE_REF"));
}

#[test]
fn a_large_input_and_output_do_not_block_each_other() {
    let stand = Stand::new("cat");
    let large = "x".repeat(4 << 20);
    let run = stand.sandbox().runner(&[]).stdin(&large).run();
    assert_eq!(run.stdout.len(), large.len());
    // Nor does a program that does not read.
    let stand = Stand::new("exit 0");
    assert_eq!(stand.sandbox().runner(&[]).stdin(&large).run().status(), 0);
}

#[test]
fn a_run_that_hangs_is_killed_and_shown() {
    let stand = Stand::new("echo $$; exec sleep 600");
    let sandbox = stand.sandbox();
    let begun = Instant::now();
    let told = panic_of(|| {
        drop(sandbox.runner(&["snapshot"]).limit(Duration::from_millis(300)).run());
    });
    assert!(told.contains("was killed") && told.contains("snapshot"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    let pid = told.lines().find_map(|line| line.parse().ok()).expect("its pid");
    assert!(!runs(pid));
}

#[test]
fn a_process_left_behind_with_our_output_is_a_failure() {
    let stand = Stand::new("sleep 600 & echo $! > \"$SUREHAND_HOME/pid\"");
    let sandbox = stand.sandbox();
    let told = panic_of(|| drop(sandbox.surehand(&[])));
    assert!(told.contains("left behind"), "{told}");
    let pid = fs::read_to_string(sandbox.surehand_home().join("pid")).expect("its pid");
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw).expect("a pid");
    kill_process(pid, Signal::KILL).expect("it is there, and ours");
}

const DESKTOPS: &str = r#"case "$1 $2" in
"desktop start") echo "start $*" >> "$SUREHAND_HOME/calls"
  echo '{"version":"1.0","ok":true,"command":"desktop start","data":{"id":"d1"}}';;
"desktop env") echo "{\"version\":\"1.0\",\"ok\":true,\"data\":{\"environment\":{\"PATH\":\"/usr/bin:/bin\",\"DISPLAY\":\":77-$3\"}}}";;
"desktop stop") echo "stop $3" >> "$SUREHAND_HOME/calls"; echo '{"version":"1.0","ok":true,"data":{}}';;
*) echo "{\"version\":\"1.0\",\"ok\":true,\"data\":\"$*\"}";;
esac"#;

#[test]
fn a_desktop_is_started_used_and_stopped() {
    let stand = Stand::new(DESKTOPS);
    let sandbox = stand.sandbox();
    {
        let desktop = PrivateDesktop::start_with(&sandbox, &["--size", "800x600"]);
        assert_eq!(desktop.id(), "d1");
        assert_eq!(desktop.surehand(&["snapshot", "--app", "x"]).expect_ok(), "snapshot --app x --desktop d1");
        assert_eq!(desktop.environment()["DISPLAY"], ":77-d1");
    }
    let calls = fs::read_to_string(sandbox.surehand_home().join("calls")).expect("calls");
    assert_eq!(calls, "start desktop start --format json --size 800x600\nstop d1\n");
}

#[test]
fn a_desktop_is_stopped_when_its_test_fails_and_the_test_s_own_panic_stays() {
    let stand = Stand::new(DESKTOPS);
    let sandbox = stand.sandbox();
    let told = panic_of(|| {
        let _desktop = PrivateDesktop::start(&sandbox);
        panic!("{}", "what the test found");
    });
    assert_eq!(told, "what the test found");
    let calls = fs::read_to_string(sandbox.surehand_home().join("calls")).expect("calls");
    assert!(calls.ends_with("stop d1\n"), "{calls}");
}

#[test]
fn a_fixture_is_told_what_to_do_and_tells_what_happened() {
    let mut fixture = shell_fixture(ECHO);
    fixture.command("one");
    fixture.command("two");
    let lines: Vec<_> = fixture.events("hook").iter().map(|event| event["line"].clone()).collect();
    assert_eq!(lines, ["one", "two"]);
    assert!(panic_of(|| fixture.command("fail")).contains("hook failed"));
    fixture.send("end");
    let told = panic_of(|| fixture.wait_for("more comes", |events| (events.len() > 99).then_some(())));
    assert!(told.contains("it ended") && told.contains("exit status: 3"), "{told}");
}

#[test]
fn a_fixture_that_is_never_ready_is_shown() {
    let told = panic_of(|| drop(shell_fixture("echo no display >&2; exit 1")));
    assert!(told.contains("no display") && told.contains("it ended"), "{told}");
}

#[test]
fn a_fixture_and_its_children_end_with_the_guard_also_when_frozen() {
    let fixture = shell_fixture(&format!(
        r#"sleep 600 & log "{{\"event\":\"child\",\"pid\":$!}}"; trap '' HUP
{ECHO}"#
    ));
    let child = fixture.events("child")[0]["pid"].as_u64().expect("a pid") as u32;
    let pids = [fixture.pid(), child];
    assert!(pids.into_iter().all(runs));
    fixture.freeze();
    drop(fixture);
    for pid in pids {
        wait_until(Duration::from_secs(10), || (!runs(pid)).then_some(())).expect("it is over");
    }
}

#[test]
fn a_frozen_fixture_does_nothing_until_it_is_thawed() {
    let mut fixture = shell_fixture(ECHO);
    fixture.freeze();
    fixture.send("one");
    let stopped = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", fixture.pid())).ok()?;
        stat.contains(") T ").then_some(())
    };
    wait_until(Duration::from_secs(10), stopped).expect("it is stopped");
    assert!(fixture.events("hook").is_empty());
    fixture.thaw();
    fixture.wait_for("the hook is done", |events| events.iter().any(|event| event["line"] == "one").then_some(()));
}
