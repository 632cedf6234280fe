//! Plans of file actions, as a caller meets them, on real files.

use std::fs;

use serde_json::{Value, json};
use surehand_kernel::authority::Person;
use surehand_kernel::sys::linux::Linux;
use surehand_kernel::workspace::Workspace;

use crate::rig::{Rig, Told};

/// A folder with files, and a workspace that knows of no root yet.
fn rig() -> (Rig, tempfile::TempDir) {
    let base = tempfile::tempdir().expect("a directory");
    for folder in ["root", "state"] {
        fs::create_dir(base.path().join(folder)).expect("made");
    }
    for name in ["a", "b\n\"x"] {
        fs::write(base.path().join("root").join(name), name).expect("written");
    }
    let state = base.path().join("state");
    let person = Person { ours: vec![state.clone()], ..Person::default() };
    let mut rig = Rig::empty();
    rig.services.plans =
        Some(Workspace::new(Box::new(Linux), state, base.path().join("config"), person, "9.8.7".into()));
    (rig, base)
}

fn preview(rig: &mut Rig, base: &tempfile::TempDir, actions: &Value) -> Told {
    rig.services.stdin = Some(actions.to_string());
    let root = base.path().join("root");
    rig.run(&["preview", "--actions", "-", "--root", root.to_str().expect("text")])
}

#[test]
fn a_plan_is_shown_applied_taken_back_and_done_again() {
    let (mut rig, base) = rig();
    let root = base.path().join("root");
    let text = root.to_str().expect("text").to_owned();
    let told = preview(
        &mut rig,
        &base,
        &json!([
            { "kind": "fs.mkdir", "path": "d" },
            { "kind": "fs.move", "from": "a", "to": "d/a", "note": "apply now\nroot" },
            { "kind": "fs.move", "from": "b\n\"x", "to": "d/b" },
        ]),
    );
    let data = told.value()["data"].clone();
    assert_eq!(data["count"], 3, "{data}");
    assert_eq!(data["actions"][2]["summary"], "move \"b\\n\\\"x\" to \"d/b\"");
    assert!(!root.join(".surehand").exists() && !root.join("d").exists(), "a preview writes nothing");
    let plan = data["plan"].as_str().expect("a digest").to_owned();
    let task = data["task"].as_str().expect("a task").to_owned();

    // Only a person allows a folder, and confirms it at the terminal.
    assert_eq!(rig.run(&["apply", &plan]).error().map(|(code, _)| code).as_deref(), Some("APPROVAL_REQUIRED"));
    assert_eq!(rig.run(&["roots", "add", &text]).error().map(|(_, kind)| kind).as_deref(), Some("not_confirmed"));
    rig.services.person_agrees = true;
    assert_eq!(rig.run(&["roots", "add", &text]).exit, 0);
    assert_eq!(rig.run(&["roots", "list"]).value()["data"]["roots"], json!([text]));

    let done = rig.run(&["apply", &plan[..8]]);
    assert_eq!((done.exit, &done.value()["data"]["done"]), (0, &json!(3)), "{}", done.value());
    assert!(root.join("d/a").exists() && root.join("d/b").exists());
    let again = rig.run(&["apply", &plan]);
    assert_eq!((again.exit, again.error().map(|(code, _)| code).as_deref()), (3, Some("PLAN_USED")));
    let history = rig.run(&["history"]).value()["data"]["roots"][0].clone();
    assert_eq!((&history["journal"], &history["tasks"][0]["status"]), (&json!("ours"), &json!("ok")));
    assert_eq!(rig.run(&["show", &task]).value()["data"]["steps"][1]["status"], "ok");

    assert_eq!(rig.run(&["undo", &task]).exit, 0);
    assert!(root.join("a").exists() && root.join("b\n\"x").exists() && !root.join("d").exists());
    // That is for a person to say.
    rig.services.person_agrees = false;
    assert_eq!(rig.run(&["redo", &task]).exit, 3);
    rig.services.person_agrees = true;
    assert_eq!(rig.run(&["redo", &task]).exit, 0);
    assert!(root.join("d/a").exists());
    fs::write(root.join("a"), "somebody's").expect("written");
    let stays = rig.run(&["undo", &task]);
    assert_eq!(
        (stays.exit, stays.error().map(|(code, _)| code).as_deref()),
        (3, Some("CONFLICT")),
        "{}",
        stays.value()
    );
    assert_eq!(fs::read_to_string(root.join("a")).expect("read"), "somebody's");
    let verified = rig.run(&["journal", "verify", &text]).value()["data"].clone();
    assert_eq!((&verified["journal"], &verified["torn_bytes"]), (&json!("ours"), &json!(0)));
}

#[test]
fn case_39_nothing_in_a_list_raises_its_own_authority() {
    let (mut rig, base) = rig();
    let cases = [
        (json!([{ "kind": "fs.delete", "path": "a" }]), "irreversible"),
        (json!([{ "kind": "fs.move", "from": "a", "to": "../a" }]), "path_escapes"),
        (json!([{ "kind": "fs.move", "from": "a", "to": "b", "approved": true }]), "bad_actions"),
        (json!([{ "kind": "fs.write", "path": "a", "text": "x", "force": true }]), "bad_actions"),
        (json!({ "approved": true, "actions": [] }), "bad_actions"),
    ];
    for (list, kind) in cases {
        let told = preview(&mut rig, &base, &list);
        assert_eq!(told.error().map(|(_, found)| found).as_deref(), Some(kind), "{list}: {}", told.value());
    }
}

#[test]
fn case_44_free_text_reaches_no_shell() {
    let (mut rig, base) = rig();
    let names = ["$(touch evil)", "`touch evil`", "'; touch evil; '", "\"\n touch evil", "-rf", "*"];
    let actions: Vec<Value> = names
        .iter()
        .map(|name| json!({ "kind": "fs.write", "path": name, "text": name, "note": name, "id": name }))
        .collect();
    let told = preview(&mut rig, &base, &json!(actions));
    let plan = told.value()["data"]["plan"].as_str().expect("a plan").to_owned();
    rig.services.person_agrees = true;
    let root = base.path().join("root");
    rig.run(&["roots", "add", root.to_str().expect("text")]);
    assert_eq!(rig.run(&["apply", &plan]).exit, 0);
    for name in names {
        assert_eq!(fs::read_to_string(root.join(name)).expect(name), name);
    }
    assert!(!root.join("evil").exists() && !base.path().join("evil").exists());
}

#[test]
fn the_vault_is_emptied_by_a_person_only() {
    let (mut rig, base) = rig();
    let root = base.path().join("root");
    let text = root.to_str().expect("text").to_owned();
    rig.services.person_agrees = true;
    rig.run(&["roots", "add", &text]);
    let told = preview(&mut rig, &base, &json!([{ "kind": "fs.trash", "path": "a" }]));
    let plan = told.value()["data"]["plan"].as_str().expect("a plan").to_owned();
    let task = told.value()["data"]["task"].as_str().expect("a task").to_owned();
    assert_eq!(rig.run(&["apply", &plan]).exit, 0);
    assert_eq!(rig.run(&["trash", "list", &text]).value()["data"]["bytes"], 1);
    rig.services.person_agrees = false;
    assert_eq!(rig.run(&["trash", "empty", &text]).exit, 3);
    rig.services.person_agrees = true;
    assert_eq!(rig.run(&["trash", "empty", &text]).exit, 0);
    assert_eq!(rig.run(&["trash", "list", &text]).value()["data"]["bytes"], 0);
    assert_eq!(rig.run(&["undo", &task]).error().map(|(code, _)| code).as_deref(), Some("CONFLICT"));
    assert_eq!(rig.run(&["journal", "verify", &text]).value()["data"]["journal"], "ours");
}
