//! An application that hangs costs its own caller a bounded delay, and nobody else anything.

use std::time::Duration;

use surehand_core::Code;
use surehand_testkit::live::{Fixture, Run, wait_until};

use crate::stage::{APP, PATIENCE, Stage, Tree, envelope, ok};

/// What a call may take beyond its deadline on a machine under load.
const SLACK: Duration = Duration::from_secs(3);

/// Waits until a process is stopped: the signal is delivered some time after it was sent.
fn freeze(fixture: &Fixture) {
    fixture.freeze();
    let stat = format!("/proc/{}/stat", fixture.pid());
    wait_until(PATIENCE, || {
        std::fs::read_to_string(&stat).ok().is_some_and(|stat| stat.contains(") T ")).then_some(())
    })
    .expect("it is stopped");
}

/// Refused because the application does not answer, in time, with the application named.
fn unresponsive(run: &Run, limit: Duration, pid: u32) {
    envelope(run);
    let error = run.expect_error("APP_UNRESPONSIVE");
    assert_eq!(run.status(), i32::from(Code::AppUnresponsive.exit_status()), "{run}");
    assert!(run.took < limit + SLACK, "{run}");
    assert_eq!(error["details"]["pid"], pid, "it is not named\n{run}");
    assert_eq!(error["disposition"]["delivery"], "not_delivered", "{run}");
}

#[test]
fn case_08_a_stopped_application_is_named_in_time_and_the_others_are_as_before() {
    let mut stage = Stage::new();
    let mut other = Fixture::hostile_bus(&stage.desktop, "honest", &[]);
    let tree = stage.snapshot();
    let (button, field) = (tree.reference("button", "Press me"), tree.reference("textfield", "Name field"));
    let window = tree.0["window"]["id"].as_str().expect("an id").to_owned();
    let mark = stage.mark();
    freeze(&stage.fixture);
    let pid = stage.fixture.pid();
    let short = Duration::from_millis(1_000);
    for arguments in [
        &["snapshot", "--window-id", &window, "--timeout-ms", "1000"][..],
        &["find", "--window-id", &window, "--role", "button", "--timeout-ms", "1000"],
        // Its window is the one with the focus.
        &["snapshot", "--timeout-ms", "1000"],
        &["click", &button, "--timeout-ms", "1000"],
        &["type", &field, "x", "--timeout-ms", "1000"],
        &["set-value", &field, "x", "--timeout-ms", "1000"],
        &["get", &field, "--timeout-ms", "1000"],
        &["is", &field, "--timeout-ms", "1000"],
    ] {
        unresponsive(&stage.desktop.surehand(arguments), short + Duration::from_secs(2), pid);
    }
    for arguments in [&["list-apps"][..], &["list-windows"]] {
        let run = stage.desktop.surehand(arguments);
        let answer = ok(&run);
        assert_eq!(answer["unresponsive"][0]["pid"], pid, "{run}");
        assert!(run.took < Duration::from_secs(1) + SLACK, "{run}");
    }
    // What it is called is not known while it does not answer, so it is named beside the refusal.
    let error = stage.refused(&["snapshot", "--app", APP], Code::AppNotFound);
    assert_eq!(error["details"]["unresponsive"][0]["pid"], pid, "{error}");
    // Another application on the same desktop is read and acted on as ever.
    let run = stage.desktop.surehand(&["snapshot", "--app", "fixture-hostile"]);
    let alpha = Tree(ok(&run)).reference("button", "Alpha");
    assert!(run.took < SLACK, "it was slowed down by the one that hangs\n{run}");
    let run = stage.desktop.surehand(&["click", &alpha]);
    ok(&run);
    assert!(run.took < SLACK, "{run}");
    other.wait_for("it was acted on", |events| {
        events.iter().any(|event| event["event"] == "action" && event["name"] == "Alpha").then_some(())
    });
    // A picture needs nothing of the application.
    assert_eq!(ok(&stage.desktop.surehand(&["screenshot", "--window-id", &window]))["format"], "png");
    stage.fixture.thaw();
    // Nothing is made up for, and nothing has to be restarted.
    assert!(stage.told_since(mark).is_empty());
    stage.ok(&["click", &button]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
    stage.snapshot();
}

#[test]
fn an_application_that_is_busy_is_waited_for_until_the_deadline() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    stage.fixture.send("block 4000");
    let run = stage.desktop.surehand(&["snapshot", "--app", APP, "--timeout-ms", "1000"]);
    envelope(&run);
    assert!(run.took < Duration::from_secs(1) + SLACK, "{run}");
    let code = run.json()["error"]["code"].as_str().map(str::to_owned);
    assert!(["APP_UNRESPONSIVE", "APP_NOT_FOUND"].iter().any(|one| code.as_deref() == Some(*one)), "{run}");
    stage
        .fixture
        .wait_for("it is no longer busy", |events| events.iter().any(|event| event["event"] == "hook").then_some(()));
    let mark = stage.mark();
    stage.ok(&["click", &button]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}

#[test]
fn a_wait_outlasts_an_application_that_hangs_for_a_while() {
    let mut stage = Stage::new();
    let later = stage.snapshot().reference("button", "Later");
    stage.fixture.send("block 1500");
    stage.fixture.send("enable");
    let waited = stage.ok(&["wait", "--element", &later, "--predicate", "enabled", "--timeout", "20000"]);
    assert_eq!(waited["found"], true);
    // Also where it is looked for by its text in the window with the focus, whose application is busy at first.
    stage.fixture.send("block 1500");
    stage.fixture.send("set here at last");
    assert_eq!(stage.ok(&["wait", "--text", "here at last", "--timeout", "20000"])["found"], true);
}

#[test]
fn a_silent_application_does_not_keep_the_desktop_from_being_seen() {
    let stage = Stage::new();
    let silent: Vec<Fixture> =
        (0..3).map(|_| Fixture::hostile_bus(&stage.desktop, "silent", &["--everywhere"])).collect();
    let run = stage.desktop.surehand(&["list-apps"]);
    let answer = ok(&run);
    assert_eq!(answer["apps"].as_array().map(Vec::len), Some(1), "{run}");
    assert_eq!(answer["unresponsive"].as_array().map(Vec::len), Some(silent.len()), "{run}");
    // They are asked at the same time, so three cost as much as one.
    assert!(run.took < Duration::from_millis(500) + SLACK, "{run}");
    stage.snapshot();
}
