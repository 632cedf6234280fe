//! Leases: whoever acts is alone at it, who waits learns for whom, and agents do not disturb each other.

use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use surehand_core::Code;

use crate::stage::{APP, Stage, refused};

#[test]
fn who_has_to_wait_for_too_long_learns_for_whom() {
    let mut stage = Stage::new();
    // The first one makes the files.
    stage.ok(&["press", "escape", "--app", APP]);
    let folder = stage.desktop.sandbox().surehand_home().join("run/leases");
    let desktop = std::fs::read_dir(&folder).expect("leases").next().expect("of one desktop").expect("readable").path();
    let file = std::fs::File::open(desktop.join("desktop")).expect("the lock of the desktop");
    flock(&file, FlockOperation::NonBlockingLockExclusive).expect("free");
    stage.fixture.wait_for("it has arrived", |events| {
        events.iter().any(|event| event["event"] == "key-press" && event["key"] == "Escape").then_some(())
    });
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

/// A small run; the full size is `cargo xtask bench agents`.
#[test]
fn two_agents_on_two_windows_do_not_disturb_each_other() {
    let report = surehand_testkit::agents::run(Path::new(env!("CARGO_BIN_EXE_surehand")), 60);
    assert_eq!((report.confirmed, &report.interference), (60, &Vec::new()));
}
