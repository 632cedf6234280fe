//! `batch`.

use serde_json::{Value, json};
use surehand_core::{Code, Error};
use surehand_testkit::fake::button;

use crate::golden::Golden;
use crate::rig::Rig;

fn batch(rig: &Rig, entries: &Value, more: &[&str]) -> crate::rig::Told {
    let text = entries.to_string();
    rig.run(&[&["batch", &text], more].concat())
}

#[test]
fn several_commands() {
    let mut golden = Golden::of("batch");
    let mut rig = Rig::editor();
    let (save, title) = (rig.reference("Save"), rig.reference("Title"));
    let entries = json!([
        { "command": "click", "args": { "ref_id": save } },
        { "command": "get", "args": { "ref_id": "@szz:e1" } },
        { "command": "set-value", "args": { "ref_id": title, "value": "Final" } },
        { "command": "version" },
    ]);
    golden.add("one after the other", "batch [click, get, set-value, version]", &batch(&rig, &entries, &[]));
    let told = batch(&rig, &entries, &["--stop-on-error"]);
    golden.add("until one fails", "batch [click, get, set-value, version] --stop-on-error", &told);
    let slow = json!([{ "command": "wait", "args": { "ms": 300 } }, { "command": "version" }]);
    golden.add(
        "beyond the time",
        "batch [wait, version] --timeout-ms 200",
        &batch(&rig, &slow, &["--timeout-ms", "200"]),
    );
    for (about, entries) in [
        ("one in another", json!([{ "command": "version" }, { "command": "batch", "args": { "entries": [] } }])),
        ("a command for people", json!([{ "command": "desktop run", "args": { "command": ["true"] } }])),
        ("no command", json!([{ "command": "fly" }])),
        ("none", json!([])),
        ("no list", json!({ "command": "version" })),
        ("an unknown field", json!([{ "command": "version", "then": 1 }])),
        (
            "an unknown argument",
            json!([{ "command": "version" }, { "command": "version", "args": { "x": "hunter2" } }]),
        ),
        (
            "an argument of the wrong kind",
            json!([{ "command": "type", "args": { "ref_id": title, "text": ["hunter2"] } }]),
        ),
        ("arguments that are no object", json!([{ "command": "type", "args": "hunter2" }])),
        ("a session that cannot be", json!([{ "command": "version", "session": "../x" }])),
        ("a field that only a person sets", json!([{ "command": "version", "headed": true }])),
    ] {
        let before = rig.fake().operations().len();
        let text = entries.to_string();
        let told = if entries.is_array() && registry_takes(&text) {
            batch(&rig, &entries, &[])
        } else {
            rig.refused(&["batch", &text])
        };
        golden.add(about, "batch", &told);
        assert!(!told.json.contains("hunter2"), "{about}: {}", told.json);
        assert_eq!(told.exit, if about == "a command for people" { 3 } else { 2 }, "{about}");
        assert_eq!(rig.fake().operations().len(), before, "{about}: nothing of it is done");
    }
    let told = rig.refused(&["batch", "[{\"command\": hunter2"]);
    golden.add("no JSON", "batch", &told);
    let many = Value::Array(vec![json!({ "command": "version" }); 65]);
    golden.add("too many", "batch", &batch(&rig, &many, &[]));
    golden.case("no list at all", &rig, &["batch"]);
    rig.services.stdin = Some("[{\"command\":\"version\"}]".to_owned());
    golden.case("from standard input", &rig, &["batch", "--stdin"]);
    rig.services.gate.refuse = Some(Error::new(Code::PolicyDenied, "not today").kind("needs_policy"));
    golden.case("where nothing is allowed", &rig, &["batch", "--stdin"]);
    golden.check();
}

/// Whether the text is a list of entries in form, so that it is the command that refuses it.
fn registry_takes(text: &str) -> bool {
    let definition = surehand_commands::registry::find("batch").unwrap();
    let entries: Value = serde_json::from_str(text).unwrap();
    definition.from_json(json!({ "entries": entries })).is_ok()
}

#[test]
fn each_entry_passes_the_gate_and_is_recorded_by_itself() {
    let rig = Rig::editor();
    let save = rig.reference("Save");
    let entries = json!([{ "command": "click", "args": { "ref_id": save } }, { "command": "version" }]);
    rig.services.gate.asked.lock().unwrap().clear();
    let told = batch(&rig, &entries, &[]);
    let asked: Vec<_> = rig.services.gate.asked.lock().unwrap().iter().map(|(spec, _)| spec.name).collect();
    assert_eq!(asked, ["batch", "click", "version"]);
    let recorded: Vec<_> = told.records.iter().map(|record| record["command"].clone()).collect();
    assert_eq!(recorded, ["click"], "the batch itself did nothing");
}

#[test]
fn an_event_is_a_difference_from_before_the_entry_ahead_of_it() {
    let rig = Rig::editor();
    let app = rig.fake().app();
    rig.fake().change(|scene| {
        scene.on_keys("ctrl+o", move |scene| {
            scene.open(app, "Open a file", [button("Open")]);
        });
    });
    let wait = json!({ "command": "wait", "args": { "event": "window-opened", "timeout": 500 } });
    let press = json!({ "command": "press", "args": { "combo": "ctrl+o" } });
    let told = batch(&rig, &json!([press, wait]), &[]).value();
    let result = &told["data"]["results"][1];
    assert_eq!(result["data"]["event"]["title"], "Open a file", "{told}");
    // By itself, the wait comes too late for a window that is there already.
    assert_eq!(rig.run(&["wait", "--event", "window-opened", "--timeout", "500"]).exit, 5);
}

#[test]
fn an_entry_of_an_ended_session_is_not_run_and_one_of_another_finds_its_own_snapshots_only() {
    let rig = Rig::editor();
    rig.run(&["session", "start"]);
    rig.run(&["session", "start"]);
    let save = rig.reference("Save");
    let entries = json!([
        { "command": "get", "args": { "ref_id": save } },
        { "command": "get", "args": { "ref_id": save }, "session": "session-1" },
        { "command": "snapshot", "session": "session-1" },
        { "command": "session end", "args": { "id": "session-2" } },
        { "command": "snapshot", "session": "session-2" },
    ]);
    let told = batch(&rig, &entries, &[]).value();
    let results = told["data"]["results"].as_array().unwrap();
    assert_eq!(results[0]["ok"], true);
    assert_eq!(results[1]["error"]["code"], "SNAPSHOT_NOT_FOUND");
    assert_eq!(results[2]["data"]["snapshot_id"], "sz9", "counted by its own namespace");
    assert_eq!(
        (&results[4]["execution"], &results[4]["not_started_reason"]),
        (&json!("not_started"), &json!("session_ended"))
    );
    assert_eq!(
        (&told["data"]["succeeded"], &told["data"]["failed"], &told["data"]["not_started"]),
        (&json!(3), &json!(1), &json!(1))
    );
}

#[test]
fn answers_that_are_too_long_together_are_left_out_and_said_to_be() {
    let rig = Rig::with((0..4_000).map(|number| button(&format!("{number} {}", "x".repeat(200)))));
    let entries = Value::Array(vec![json!({ "command": "snapshot" }); 6]);
    let told = batch(&rig, &entries, &[]);
    assert!(told.json.len() < 4 << 20, "{}", told.json.len());
    let value = told.value();
    let omitted: Vec<bool> = value["data"]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["data"]["result_omitted"] == true)
        .collect();
    assert!(!omitted[0] && omitted[5], "{omitted:?}");
    assert_eq!(value["data"]["results"][5]["ok"], true, "that it was done is told all the same");
}
