//! Leases: whoever acts is alone at it, who waits learns for whom, and agents do not disturb each other.

use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop};

use crate::stage::{APP, Stage, Tree, front, ok, refused, sandbox, settle};

#[test]
fn who_has_to_wait_for_too_long_learns_for_whom() {
    let mut stage = Stage::new();
    // The first one makes the files.
    stage.ok(&["press", "escape", "--app", APP]);
    let folder = stage.desktop.sandbox().surehand_home().join("run/leases");
    let desktop = std::fs::read_dir(&folder).expect("leases").next().expect("of one desktop").expect("readable").path();
    let file = std::fs::File::open(desktop.join("desktop")).expect("the lock of the desktop");
    flock(&file, FlockOperation::NonBlockingLockExclusive).expect("free");
    let mark = stage.mark();
    let run = stage.desktop.surehand(&["press", "a", "--app", APP]);
    let error = refused(&run, Code::Timeout);
    assert_eq!(error["details"]["kind"], "lease_busy", "{run}");
    assert_eq!(error["details"]["holder_pid"], std::process::id(), "{run}");
    assert!(run.took < Duration::from_secs(10), "{run}");
    assert_eq!(stage.told_since(mark), Vec::<String>::new());
    // Reading needs no lease.
    stage.ok(&["list-windows"]);
    drop(file);
    stage.ok(&["press", "a", "--app", APP]);
}

#[test]
fn physical_input_of_two_processes_does_not_mix() {
    let stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Name field");
    let texts = ["a".repeat(300), "b".repeat(300)];
    std::thread::scope(|scope| {
        for text in &texts {
            let (stage, field) = (&stage, &field);
            scope.spawn(move || {
                // The second one finds what the first has typed, so it may not be able to read its own back.
                let run = stage.desktop.surehand(&["--headed", "type", field, text, "--timeout-ms", "20000"]);
                assert_eq!(run.json()["ok"], true, "{run}");
            });
        }
    });
    let held = stage.fixture.events("changed").pop().expect("text")["text"].as_str().expect("text").to_owned();
    let blocks = held.strip_prefix("hello").expect("what was there before");
    assert!([texts.concat(), format!("{}{}", texts[1], texts[0])].contains(&blocks.to_owned()), "{blocks}");
}

/// Two agents, each on a window of its own, so many actions in all: each window gets exactly its own, in order.
fn two_agents(actions: usize) {
    let desktop = PrivateDesktop::start(&sandbox());
    let one = Fixture::gtk3(&desktop, &["--title", "One", "--application", "one"]);
    let two = front(&desktop, &["--title", "Two", "--application", "two"]);
    let mut fixtures = [one, two];
    let marks = fixtures.each_ref().map(|fixture| fixture.log().len());
    std::thread::scope(|scope| {
        for name in ["one", "two"] {
            let desktop = &desktop;
            scope.spawn(move || {
                let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", name])));
                let field = tree.reference("textfield", "Name field");
                let buttons = ["Alpha", "Beta", "Gamma"].map(|label| tree.reference("button", label));
                for step in 0..actions / 2 {
                    if step % 2 == 0 {
                        let text = format!("{name} {step}");
                        let answer = ok(&desktop.surehand(&["set-value", &field, &text]));
                        assert_eq!(answer["disposition"]["delivery"], "delivered_verified");
                    } else {
                        ok(&desktop.surehand(&["click", &buttons[step % 3]]));
                    }
                }
            });
        }
    });
    for ((fixture, name), mark) in fixtures.iter_mut().zip(["one", "two"]).zip(marks) {
        settle(fixture);
        let events = fixture.log().split_off(mark);
        let texts: Vec<&str> = events
            .iter()
            .filter(|event| event["event"] == "changed" && event["widget"] == "Name field" && event["text"] != "")
            .filter_map(|event| event["text"].as_str())
            .collect();
        let expected: Vec<String> = (0..actions / 2).step_by(2).map(|step| format!("{name} {step}")).collect();
        assert_eq!(texts, expected, "{name}");
        let clicked: Vec<&str> = events
            .iter()
            .filter(|event| event["event"] == "clicked")
            .filter_map(|event| event["widget"].as_str())
            .collect();
        let expected: Vec<&str> =
            (0..actions / 2).filter(|step| step % 2 == 1).map(|step| ["Alpha", "Beta", "Gamma"][step % 3]).collect();
        assert_eq!(clicked, expected, "{name}");
        let moved = |event: &&Value| event["event"].as_str().is_some_and(|kind| kind.contains("focus"));
        assert_eq!(events.iter().filter(moved).collect::<Vec<_>>(), Vec::<&Value>::new(), "{name}: the focus stays");
    }
}

#[test]
fn two_agents_on_two_windows_do_not_disturb_each_other() {
    two_agents(60);
}
