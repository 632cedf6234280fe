//! Typing with the keyboard: every character in every layout, read back, and to no other window.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::json;
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop};

use crate::stage::{APP, Stage, Tree, ok, sandbox};

const TEXT: &str = "Zażółć gęślą jaźń, € 5 (ё) 中文 👍 <a@b.de> {x} \\ ~^` ÄÖÜß";

fn layout(environment: &BTreeMap<String, String>, layout: &[&str]) {
    let status = Command::new("setxkbmap").args(layout).env_clear().envs(environment).status();
    assert!(status.expect("setxkbmap runs").success());
}

/// The last text that the field was said to hold.
fn text_of(fixture: &Fixture, field: &str) -> String {
    let changed = fixture.events("changed").into_iter().rev().find(|event| event["widget"] == field);
    changed.and_then(|event| event["text"].as_str().map(str::to_owned)).unwrap_or_default()
}

#[test]
fn any_text_is_typed_in_any_layout_and_read_back() {
    let mut stage = Stage::new();
    let environment = stage.desktop.environment();
    for keys in [&["us"][..], &["de"], &["fr"], &["ru"], &["us,ru"]] {
        layout(&environment, keys);
        stage.fixture.command("set ''");
        let field = stage.snapshot().reference("textfield", "Name field");
        let answer = stage.ok(&["--headed", "type", &field, TEXT]);
        assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{keys:?}: {answer}");
        assert_eq!(text_of(&stage.fixture, "Name field"), TEXT, "{keys:?}");
    }
    // It does not replace what is there, though the field selects all of it when it gets the focus.
    stage.fixture.command("set before");
    let address = stage.snapshot().reference("textfield", "Address");
    stage.ok(&["--headed", "type", &address, "x"]);
    let field = stage.snapshot().reference("textfield", "Name field");
    let answer = stage.ok(&["--headed", "type", &field, " after"]);
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified");
    assert_eq!(text_of(&stage.fixture, "Name field"), "before after");
}

#[test]
fn the_other_toolkits_take_typed_text_as_well() {
    type Start = fn(&PrivateDesktop, &[&str]) -> Fixture;
    let toolkits: [(&str, Start); 3] = [("gtk4", Fixture::gtk4), ("qt5", Fixture::qt5), ("qt6", Fixture::qt6)];
    for (toolkit, start) in toolkits {
        let desktop = PrivateDesktop::start(&sandbox());
        let fixture = start(&desktop, &[]);
        let app = format!("fixture-{toolkit}");
        let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", &app])));
        let field = tree.reference("textfield", "Name field");
        let answer = ok(&desktop.surehand(&["--headed", "type", &field, TEXT]));
        assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{toolkit}: {answer}");
        assert_eq!(text_of(&fixture, "Name field"), format!("hello{TEXT}"), "{toolkit}");
    }
}

#[test]
fn a_password_is_typed_and_not_read() {
    let stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Password");
    let run = stage.desktop.surehand(&["--headed", "type", &field, "hunter2 ü"]);
    let answer = ok(&run);
    assert_eq!(answer["disposition"]["delivery"], "delivered_unverified");
    assert_eq!(answer["unverified"], "secure_field");
    assert!(!run.stdout.contains("hunter2"), "{run}");
    assert_eq!(text_of(&stage.fixture, "Password"), "hunter2 ü");
}

#[test]
fn case_29_keys_stop_when_another_window_takes_the_focus() {
    let mut stage = Stage::new();
    stage.fixture.command("set ''");
    let field = stage.snapshot().reference("textfield", "Name field");
    // A space or a return that went to the new window would press its button.
    let text = "a b\u{20}".repeat(3_000);
    let mark = stage.mark();
    let runner = stage.desktop.runner(&["--headed", "type", &field, &text]);
    let run = std::thread::scope(|scope| {
        let typing = scope.spawn(|| runner.run());
        stage.fixture.wait_for("text arrives", |events| {
            events[mark..].iter().any(|event| event["event"] == "changed" && event["text"] != "").then_some(())
        });
        stage.fixture.command("window Prompt");
        typing.join().expect("it ended")
    });
    let error = run.expect_error("POLICY_DENIED");
    assert_eq!(error["details"]["kind"], "not_focused", "{run}");
    assert_eq!(error["details"]["keyboard"]["title"], "Prompt", "{run}");
    assert_eq!(error["disposition"]["delivery"], "delivery_uncertain", "{run}");
    let typed = error["details"]["typed"].as_u64().expect("how many") as usize;
    assert!(typed > 0 && typed < text.len(), "{run}");
    let events = stage.since(mark);
    assert!(!events.iter().any(|event| event["event"] == "clicked"), "keys reached the prompt: {events:?}");
    // Exactly what was sent is there.
    assert_eq!(text_of(&stage.fixture, "Name field"), text[..typed]);
}

#[test]
fn nothing_physical_is_done_without_a_persons_leave() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let press = tree.reference("button", "Press me");
    let mark = stage.mark();
    for line in [
        &["mouse-move", "--xy", "100,100"][..],
        &["mouse-click", "--xy", "100,100", "--app", APP],
        &["mouse-down", "--xy", "100,100", "--app", APP],
        &["mouse-up", "--xy", "100,100"],
        &["mouse-wheel", "--x", "100", "--y", "100", "--app", APP],
        &["hover", &press],
        &["drag", "--from", &press, "--to-xy", "1,1"],
        &["key-down", "shift", "--app", APP],
        &["key-up", "shift"],
        &["focus-window", "--app", APP],
    ] {
        let error = stage.refused(line, Code::PolicyDenied);
        assert_eq!(error["details"]["kind"], "needs_headed", "{line:?}");
    }
    for line in [&["open-system-surface", "--surface", "dock"][..], &["cursor-overlay", "enable"]] {
        stage.refused(line, Code::PlatformNotSupported);
    }
    assert_eq!(stage.told_since(mark), Vec::<String>::new());
    assert_eq!(stage.ok(&["release-all"])["released"], json!([]));
}
