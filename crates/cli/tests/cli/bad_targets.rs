//! Targets that are not there, are not one, or are not what they were.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use surehand_core::Code;
use surehand_testkit::live::PrivateDesktop;

use crate::stage::{APP, Stage, Tree, front, ok, refused, sandbox};

/// Every command that takes a ref, for this one.
fn with(reference: &str) -> [Vec<&str>; 6] {
    [
        vec!["click", reference],
        vec!["type", reference, "x"],
        vec!["set-value", reference, "x"],
        vec!["get", reference],
        vec!["is", reference],
        vec!["wait", "--element", reference, "--timeout", "300"],
    ]
}

#[test]
fn an_unknown_snapshot_or_element_is_refused_by_every_command() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let id = tree.0["snapshot_id"].as_str().expect("an id").to_owned();
    let mark = stage.mark();
    for arguments in with("@szz:e1") {
        let error = stage.refused(&arguments, Code::SnapshotNotFound);
        assert_eq!(error["details"]["kind"], "unknown_snapshot");
    }
    for arguments in with(&format!("@{id}:e999")) {
        let error = stage.refused(&arguments, Code::ElementNotFound);
        assert_eq!(error["details"]["kind"], "unknown_ref");
    }
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_snapshot_of_another_desktop_is_refused() {
    let mut stage = Stage::new();
    let other = PrivateDesktop::start(stage.desktop.sandbox());
    let twin = front(&other, &[]);
    let button = stage.snapshot().reference("button", "Press me");
    let (mark, twin_mark) = (stage.mark(), twin.log().len());
    for arguments in with(&button) {
        let error = refused(&other.surehand(&arguments), Code::SnapshotNotFound);
        assert_eq!(error["details"]["kind"], "foreign_snapshot");
    }
    assert!(stage.told_since(mark).is_empty());
    assert_eq!(twin.log().len(), twin_mark);
    stage.ok(&["click", &button]);
}

/// The file that a snapshot is kept in.
fn stored(stage: &Stage, tree: &Tree) -> std::path::PathBuf {
    let id = tree.0["snapshot_id"].as_str().expect("an id");
    let path = stage.desktop.sandbox().surehand_home().join(format!("state/snapshots/{id}.json"));
    let mode = fs::metadata(&path).expect("the stored snapshot").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "others can read {}", path.display());
    path
}

#[test]
fn a_damaged_snapshot_is_not_used_and_the_next_one_is() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let other = stage.snapshot();
    let button = tree.reference("button", "Press me");
    let path = stored(&stage, &tree);
    let whole = fs::read_to_string(&path).expect("readable");
    let json: Value = serde_json::from_str(&whole).expect("JSON");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut json = json.clone();
        change(&mut json);
        json.to_string().into_bytes()
    };
    let mark = stage.mark();
    for (what, bytes) in [
        ("empty", Vec::new()),
        ("half", whole.as_bytes()[..whole.len() / 2].to_vec()),
        ("no JSON", b"\0\xff\xfe".repeat(100)),
        ("another kind of JSON", b"[1,2,3]".to_vec()),
        ("deeply nested", b"[".repeat(100_000)),
        ("another schema", changed(&|json| json["schema"] = Value::from(99))),
        ("no refs", changed(&|json| drop(json["refs"].take()))),
        ("another snapshot", fs::read(stored(&stage, &other)).expect("readable")),
    ] {
        fs::write(&path, bytes).expect("written");
        for arguments in with(&button) {
            let error = stage.refused(&arguments, Code::Internal);
            assert_eq!(error["details"]["kind"], "damaged_snapshot", "{what}: {error}");
        }
    }
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink(stored(&stage, &other), &path).expect("a link");
    stage.refused(&["click", &button], Code::Internal);
    assert!(stage.told_since(mark).is_empty());
    stage.ok(&["click", &other.reference("button", "Press me")]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}

#[test]
fn a_snapshot_that_was_made_to_name_another_element_is_refused() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (press, later) = (tree.reference("button", "Press me"), tree.reference("button", "Ask\u{2026}"));
    let path = stored(&stage, &tree);
    let mut json: Value = serde_json::from_slice(&fs::read(&path).expect("readable")).expect("JSON");
    let number = |reference: &str| reference.split_once(":e").expect("a ref").1.to_owned();
    let object = json["refs"][number(&later)]["object"].clone();
    assert!(object.is_object() || object.is_string(), "{json}");
    json["refs"][number(&press)]["object"] = object;
    fs::write(&path, json.to_string()).expect("written");
    let mark = stage.mark();
    stage.refused(&["click", &press], Code::StaleRef);
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_process_that_has_ended_is_stale_and_another_one_is_not_taken_for_it() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    stage.fixture.kill();
    let mut next = front(&stage.desktop, &[]);
    let mark = next.log().len();
    for arguments in with(&button) {
        let error = stage.refused(&arguments, Code::StaleRef);
        assert_eq!(error["details"]["kind"], "process_gone");
    }
    crate::stage::settle(&mut next);
    let events: Vec<_> = next.log().into_iter().skip(mark).collect();
    assert!(events.iter().all(|event| ["hook", "settled"].iter().any(|own| event["event"] == *own)), "{events:?}");
    assert_eq!(stage.ok(&["list-apps"])["apps"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_application_that_crashes_under_an_action_is_said_to_have_ended() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    stage.fixture.send("crash");
    let run = stage.desktop.surehand(&["click", &tree.reference("button", "Press me"), "--timeout-ms", "500"]);
    crate::stage::envelope(&run);
    let error = &run.json()["error"];
    // Before or after the end: both are told as what they are, and neither is a success.
    let told = error["code"].as_str().is_some_and(|code| ["STALE_REF", "APP_UNRESPONSIVE"].contains(&code));
    assert!(told || run.status() == 0 && !stage.fixture.events("clicked").is_empty(), "{run}");
}

#[test]
fn an_application_or_a_window_that_is_not_there_is_named() {
    let mut stage = Stage::new();
    let mark = stage.mark();
    for arguments in [
        &["snapshot", "--app", "nothing"][..],
        &["find", "--app", "nothing", "--role", "button"],
        &["list-windows", "--app", "nothing"],
        &["screenshot", "--app", "nothing"],
        &["close-app", "nothing"],
        &["press", "a", "--app", "nothing"],
        // A part of a name is not a name.
        &["snapshot", "--app", "fixture"],
        &["close-app", "fixture"],
        &["snapshot", "--app", ""],
    ] {
        let error = stage.refused(arguments, Code::AppNotFound);
        if let Some(running) = error["details"]["running"].as_array() {
            assert!(running.contains(&Value::from(APP)), "{error}");
        }
    }
    for id in ["w-1", "w-", "", "w-200007x", "1"] {
        stage.refused(&["snapshot", "--window-id", id], Code::WindowNotFound);
        stage.refused(&["screenshot", "--window-id", id], Code::WindowNotFound);
    }
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn of_two_windows_that_match_none_is_chosen() {
    let mut stage = Stage::with(&["--windows", "2"]);
    // Neither of them may have the focus, or that one would be meant.
    let _front = front(&stage.desktop, &["--title", "In front", "--application", "another"]);
    let mark = stage.mark();
    for arguments in
        [&["snapshot", "--app", APP][..], &["find", "--app", APP, "--role", "button"], &["screenshot", "--app", APP]]
    {
        let error = stage.refused(arguments, Code::AmbiguousTarget);
        assert_eq!(error["details"]["kind"], "ambiguous_window");
        let candidates = error["details"]["candidates"].as_array().expect("candidates");
        let ids: std::collections::BTreeSet<_> = candidates.iter().map(|window| window["id"].as_str()).collect();
        assert!(ids.len() >= 2, "{error}");
    }
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn two_applications_of_one_name_are_not_told_apart_by_guess() {
    let mut stage = Stage::new();
    let other = front(&stage.desktop, &[]);
    let (mark, other_mark) = (stage.mark(), other.events("delete-event").len());
    let error = stage.refused(&["close-app", APP], Code::AmbiguousTarget);
    assert_eq!(error["details"]["kind"], "ambiguous_app");
    assert_eq!(error["details"]["candidates"].as_array().map(Vec::len), Some(2));
    assert!(!stage.told_since(mark).contains(&"delete-event".to_owned()));
    assert_eq!(other.events("delete-event").len(), other_mark);
}

#[test]
fn without_a_desktop_every_command_says_what_is_missing() {
    let sandbox = sandbox();
    for arguments in [
        &["snapshot"][..],
        &["list-apps"],
        &["list-windows"],
        &["find", "--role", "button"],
        &["screenshot"],
        &["press", "a"],
        &["close-app", "x"],
        &["wait", "--text", "x", "--timeout", "300"],
    ] {
        let error = refused(&sandbox.surehand(arguments), Code::PlatformNotSupported);
        assert!(error["suggestion"].as_str().is_some_and(|words| words.contains("desktop start")), "{error}");
    }
    let status = ok(&sandbox.surehand(&["status"]));
    assert_eq!(status["permissions"]["accessibility"]["state"], "denied");
}

#[test]
fn a_session_bus_without_accessibility_is_told_as_such() {
    let desktop = PrivateDesktop::start(&sandbox());
    let environment = desktop.environment();
    // A bus that knows of no service at all.
    let folder = desktop.sandbox().home().join("bus");
    fs::create_dir(&folder).expect("a folder");
    let socket = folder.join("socket");
    let config = folder.join("bus.conf");
    fs::write(
        &config,
        format!(
            "<busconfig><type>session</type><listen>unix:path={}</listen><policy context=\"default\">\
             <allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>",
            socket.display()
        ),
    )
    .expect("a configuration");
    let script = format!("exec dbus-daemon --nofork --config-file='{}'", config.display());
    let mut bus = std::process::Command::new("/bin/sh").args(["-c", &script]).spawn().expect("a bus");
    surehand_testkit::live::wait_until(crate::stage::PATIENCE, || socket.exists().then_some(())).expect("its socket");
    let address = format!("unix:path={}", socket.display());
    let ask = |arguments: &[&str], address: &str| {
        desktop
            .sandbox()
            .runner(arguments)
            .env("DISPLAY", &environment["DISPLAY"])
            .env("XAUTHORITY", environment.get("XAUTHORITY").map_or("", String::as_str))
            .env("DBUS_SESSION_BUS_ADDRESS", address)
            .run()
    };
    for arguments in [&["list-apps"][..], &["snapshot"], &["list-windows"]] {
        let error = refused(&ask(arguments, &address), Code::PlatformNotSupported);
        assert_eq!(error["details"]["kind"], "no_accessibility_bus", "{error}");
    }
    let run = ask(&["doctor"], &address);
    assert_eq!(run.status(), 1, "{run}");
    bus.kill().expect("it is ours");
    bus.wait().expect("it ends");
    for dead in [&address, "nonsense", "unix:path=/nowhere/bus"] {
        refused(&ask(&["list-apps"], dead), Code::PlatformNotSupported);
    }
}
