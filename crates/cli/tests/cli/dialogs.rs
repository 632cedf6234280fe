//! Dialogs that run a main loop of their own: the call that opened one returns only when it closes.

use std::time::Duration;

use surehand_core::Code;

use crate::stage::{APP, Stage, Tree, is_shown, wait_for_windows};

/// Opens the dialog through its menu item and returns the id of its window.
fn open(stage: &Stage) -> String {
    let item = stage.snapshot().reference("menuitem", "Save As\u{2026}");
    let run = stage.desktop.surehand(&["click", &item]);
    let answer = crate::stage::ok(&run);
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified");
    let effects = answer["effects"].as_array().cloned().unwrap_or_default();
    let opened = effects.iter().find(|effect| effect["what"] == "window_opened").unwrap_or_else(|| panic!("{run}"));
    assert_eq!((&opened["of"], &opened["window"]["title"]), (&"process".into(), &"Save As".into()), "{run}");
    // The ref is good for commands as it is.
    assert_eq!(stage.ok(&["get", opened["ref"].as_str().unwrap(), "--property", "role"])["value"], "dialog");
    // Far less than the deadline: nobody waited for the dialog to be closed.
    assert!(run.took < Duration::from_secs(4), "{run}");
    wait_for_windows(&stage.desktop, "the dialog is there", |windows| {
        let dialog = windows.iter().find(|window| window["title"] == "Save As" && is_shown(window))?;
        Some(dialog["id"].as_str()?.to_owned())
    })
}

#[test]
fn a_dialog_with_its_own_loop_is_opened_read_and_answered() {
    let mut stage = Stage::new();
    let mark = stage.mark();
    let main = stage.snapshot();
    let id = open(&stage);
    let dialog = Tree(stage.ok(&["snapshot", "--window-id", &id]));
    assert_eq!(dialog.0["window"]["title"], "Save As");
    assert_eq!(dialog.node("textfield", "File name")["value"], "untitled.txt");
    let name = dialog.reference("textfield", "File name");
    let set = stage.ok(&["set-value", &name, "letter.txt"]);
    assert_eq!(set["disposition"]["delivery"], "delivered_verified");
    // The application behind it is read all the same.
    let field = main.reference("textfield", "Name field");
    assert_eq!(stage.ok(&["get", &field])["value"], "hello");
    stage.ok(&["click", &dialog.reference("button", "Save")]);
    stage.fixture.wait_for("the dialog is closed", |events| {
        events.iter().any(|event| event["event"] == "dialog-closed").then_some(())
    });
    let told: Vec<String> = stage.told_since(mark).into_iter().filter(|event| !event.contains("focus")).collect();
    assert_eq!(
        told,
        [
            "activate Save As\u{2026}",
            "dialog-opened Save As",
            "changed File name letter.txt",
            "dialog-closed Save As save letter.txt",
        ]
    );
    wait_for_windows(&stage.desktop, "the dialog is gone", |windows| {
        windows.iter().all(|window| window["title"] != "Save As").then_some(())
    });
    // Its elements are gone with it, and the others are not.
    let error = stage.refused(&["set-value", &name, "x"], Code::StaleRef);
    assert!(["gone", "window_gone"].iter().any(|kind| error["details"]["kind"] == *kind), "{error}");
    let mark = stage.mark();
    stage.ok(&["click", &main.reference("button", "Press me")]);
    assert!(stage.told_since(mark).contains(&"clicked Press me".to_owned()));
}

#[test]
fn two_dialogs_one_after_the_other_are_not_taken_for_each_other() {
    let mut stage = Stage::new();
    let first = open(&stage);
    let cancel = Tree(stage.ok(&["snapshot", "--window-id", &first])).reference("button", "Cancel");
    stage.ok(&["click", &cancel]);
    stage.fixture.wait_for("the dialog is closed", |events| {
        events.iter().any(|event| event["event"] == "dialog-closed").then_some(())
    });
    wait_for_windows(&stage.desktop, "the dialog is gone", |windows| {
        windows.iter().all(|window| window["title"] != "Save As").then_some(())
    });
    let second = open(&stage);
    stage.refused(&["click", &cancel], Code::StaleRef);
    let closed = stage.fixture.events("dialog-closed");
    assert_eq!(closed.len(), 1, "the ref of the first dialog closed the second: {closed:?}");
    let cancel = Tree(stage.ok(&["snapshot", "--window-id", &second])).reference("button", "Cancel");
    stage.ok(&["click", &cancel]);
    stage.fixture.wait_for("the second dialog is closed", |events| {
        (events.iter().filter(|event| event["event"] == "dialog-closed").count() == 2).then_some(())
    });
}

#[test]
fn the_window_of_an_application_with_a_dialog_is_the_one_with_the_focus() {
    let stage = Stage::new();
    let id = open(&stage);
    wait_for_windows(&stage.desktop, "the dialog has the focus", |windows| {
        windows.iter().any(|window| window["id"] == id.as_str() && window["is_focused"] == true).then_some(())
    });
    assert_eq!(stage.ok(&["snapshot", "--app", APP])["window"]["id"], id.as_str());
    assert_eq!(stage.ok(&["snapshot"])["window"]["id"], id.as_str());
}
