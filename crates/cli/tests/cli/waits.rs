//! `wait` in its modes, `--wait-for`, and `batch`.

use serde_json::{Value, json};
use surehand_core::Code;

use crate::stage::{APP, Stage, ok, refused};

fn entries(list: &Value) -> String {
    list.to_string()
}

#[test]
fn a_batch_presses_and_waits_for_the_window_that_comes_of_it() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let ask = tree.reference("button", "Ask…");
    let mark = stage.mark();
    let list = entries(&json!([
        { "command": "click", "args": { "ref_id": ask } },
        { "command": "wait", "args": { "event": "window-opened", "app": APP, "timeout": 10_000 } },
        { "command": "list-surfaces", "args": { "app": APP } },
    ]));
    let done = stage.ok(&["batch", &list]);
    assert_eq!(
        (&done["succeeded"], &done["failed"], &done["not_started"]),
        (&json!(3), &json!(0), &json!(0)),
        "{done}"
    );
    let event = &done["results"][1]["data"]["event"];
    assert_eq!((&event["kind"], &event["app"]), (&json!("window-opened"), &json!(APP)));
    assert!(
        stage.told_since(mark).iter().any(|line| line.starts_with("dialog") || line.contains("Ask")),
        "it was clicked"
    );
    let surfaces = &done["results"][2]["data"]["surfaces"];
    assert!(surfaces.as_array().is_some_and(|surfaces| surfaces.len() > 1), "{surfaces}");
}

#[test]
fn a_batch_comes_from_standard_input_and_does_nothing_where_a_part_is_wrong() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (press, name) = (tree.reference("button", "Press me"), tree.reference("textfield", "Name field"));
    let good = json!([
        { "command": "click", "args": { "ref_id": press } },
        { "command": "set-value", "args": { "ref_id": name, "value": "hunter2" } },
    ]);
    let mark = stage.mark();
    let mut bad = good.clone();
    bad[1]["args"]["vaule"] = json!("hunter2");
    let run = stage.desktop.runner(&["batch", "--stdin"]).stdin(entries(&bad)).run();
    let error = refused(&run, Code::InvalidArgs);
    assert_eq!(error["details"]["batch_index"], 1);
    assert!(!run.stdout.contains("hunter2"), "{run}");
    assert!(stage.told_since(mark).is_empty(), "the first entry was not run either");
    let done = ok(&stage.desktop.runner(&["batch", "--stdin"]).stdin(entries(&good)).run());
    assert_eq!(done["succeeded"], 2, "{done}");
    let told = stage.told_since(mark);
    assert!(told.contains(&"clicked Press me".to_owned()), "{told:?}");
    assert!(told.iter().any(|line| line.contains("hunter2")), "{told:?}");
    // A journal line for each, and never a text.
    let journal = stage.desktop.sandbox().surehand_home().join("state/journal.jsonl");
    let journal = std::fs::read_to_string(journal).expect("a journal");
    let commands: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["command"].clone()).collect();
    assert!(commands.ends_with(&[json!("click"), json!("set-value")]), "{commands:?}");
    assert!(!journal.contains("hunter2"));
}

#[test]
fn menus_are_waited_for_until_they_open_and_close() {
    let stage = Stage::new();
    let file = stage.snapshot().all("menuitem", "File").first().map(|node| crate::stage::reference(node));
    let file = file.or_else(|| stage.snapshot().all("menu", "File").first().map(|node| crate::stage::reference(node)));
    let file = file.expect("a menu");
    stage.ok(&["wait", "--menu-closed", "--app", APP, "--timeout", "20000"]);
    let error = stage.refused(&["wait", "--menu", "--app", APP, "--timeout", "4000"], Code::Timeout);
    assert_eq!(error["details"]["last_observed"], "no menu is open");
    stage.ok(&["click", &file]);
    stage.ok(&["wait", "--menu", "--app", APP, "--timeout", "20000"]);
    let error = stage.refused(&["wait", "--menu-closed", "--app", APP, "--timeout", "4000"], Code::Timeout);
    assert!(error["details"]["last_observed"].as_str().is_some_and(|seen| seen.contains("File")), "{error}");
}

#[test]
fn an_action_waits_for_what_comes_of_it() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let mark = stage.mark();
    let press = tree.reference("button", "Press me");
    let done = stage.ok(&["click", &press, "--wait-for", "button:press", "--wait-timeout", "5000"]);
    assert_eq!(done["after_action"]["action"], "click");
    assert_eq!(done["matched_selector"], "button:press");
    assert!(done["snapshot_id"].is_string() && done["tree"].is_object());
    assert_eq!(stage.told_since(mark), ["clicked Press me"], "once, however long it is waited");
    let run = stage.desktop.surehand(&["click", &press, "-w", ":no such text", "--wait-timeout", "4000"]);
    let error = run.expect_error("TIMEOUT");
    assert_eq!(error["details"]["predicate"], "selector", "{run}");
    assert_eq!(error["details"]["after_action"]["action"], "click", "{run}");
    assert_eq!(error["disposition"]["retry"], "unsafe", "it was clicked, so it is not safe to repeat\n{run}");
    assert!(error["details"]["snapshot_id"].is_string(), "{run}");
    stage.refused(&["version", "--wait-for", "button"], Code::InvalidArgs);
    stage.refused(&["snapshot", "--wait-timeout", "5"], Code::InvalidArgs);
}

#[test]
fn the_end_of_an_application_and_of_a_window_are_events() {
    let stage = Stage::new();
    let list = entries(&json!([
        { "command": "close-app", "args": { "app": APP } },
        { "command": "wait", "args": { "event": "app-terminated", "app": APP, "timeout": 20_000 } },
        { "command": "wait", "args": { "event": "window-closed", "app": APP, "timeout": 1_000 } },
    ]));
    let done = stage.ok(&["batch", &list]);
    assert_eq!(done["results"][1]["data"]["event"]["kind"], "app-terminated", "{done}");
    // This one was prepared while the window was there or had just gone: either way it is known at once.
    let last = &done["results"][2];
    assert!(last["ok"] == true || last["error"]["details"]["kind"] == "process_changed", "{last}");
}
