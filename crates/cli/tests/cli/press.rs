//! `press`: keys reach the window that was named, when it has the keyboard, and nobody otherwise.

use serde_json::json;
use surehand_core::Code;

use crate::stage::{APP, Stage, front, wait_for_windows};

fn has_focus(stage: &Stage, title: &str) -> String {
    wait_for_windows(&stage.desktop, &format!("{title:?} has the focus"), |windows| {
        let window = windows.iter().find(|window| window["title"] == title && window["is_focused"] == true)?;
        Some(window["id"].as_str()?.to_owned())
    })
}

/// The keys that were pressed, without the modifiers that come first.
fn keys(events: &[serde_json::Value]) -> Vec<&str> {
    let names = events.iter().filter(|event| event["event"] == "key-press").filter_map(|event| event["key"].as_str());
    names.filter(|name| !["Control_L", "Shift_L", "Alt_L", "Super_L"].contains(name)).collect()
}

#[test]
fn keys_reach_the_window_with_the_keyboard() {
    let mut stage = Stage::new();
    let id = has_focus(&stage, "Fixture GTK3");
    for (combo, key, state) in
        [("ctrl+a", "a", 4), ("f5", "F5", 0), ("shift+tab", "ISO_Left_Tab", 1), ("ctrl+plus", "plus", 4)]
    {
        let mark = stage.mark();
        let answer = stage.ok(&["press", combo, "--window-id", &id]);
        assert_eq!(answer["disposition"]["delivery"], "delivered_unverified");
        assert_eq!(answer["window"]["id"], id.as_str());
        // The answer comes when the server has the keys, and the application may take its time.
        stage.fixture.wait_for("the key has arrived", |events| (!keys(&events[mark..]).is_empty()).then_some(()));
        let events = stage.since(mark);
        assert_eq!(keys(&events), [key], "{combo}");
        let event = events.iter().find(|event| event["key"] == key).expect("the key");
        let state_of = event["state"].as_u64().expect("a number") & 0xf;
        assert!(combo == "ctrl+plus" || state_of == state, "{combo}: {event}");
    }
}

#[test]
fn keys_are_not_sent_to_a_window_without_the_keyboard() {
    let mut stage = Stage::new();
    let behind = has_focus(&stage, "Fixture GTK3");
    let other = front(&stage.desktop, &["--title", "In front", "--application", "another"]);
    let front = has_focus(&stage, "In front");
    let (mark, other_mark) = (stage.mark(), other.log().len());
    let error = stage.refused(&["press", "a", "--window-id", &behind], Code::PolicyDenied);
    assert_eq!(error["details"]["kind"], "not_focused");
    assert_eq!(error["details"]["keyboard"]["id"], front.as_str());
    assert!(stage.told_since(mark).is_empty(), "neither keys nor focus may move");
    assert_eq!(other.log().len(), other_mark);
    assert_eq!(has_focus(&stage, "In front"), front);
}

#[test]
fn protected_combinations_are_refused() {
    let mut stage = Stage::new();
    let id = has_focus(&stage, "Fixture GTK3");
    let mark = stage.mark();
    for combo in ["alt+f4", "shift+alt+F4", "alt+tab", "ctrl+alt+del", "ctrl+alt+f1", "super+l", "cmd+q"] {
        let error = stage.refused(&["press", combo, "--window-id", &id], Code::PolicyDenied);
        assert_eq!(error["details"]["kind"], "protected_combination", "{combo}");
    }
    for combo in ["", "ctrl+", "nokey", "ctrl+ctrl+a", "a+b"] {
        let error = stage.refused(&["press", combo, "--window-id", &id], Code::InvalidArgs);
        assert_eq!(error["details"]["kind"], "bad_chord", "{combo:?}");
    }
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_window_that_is_not_there_gets_no_keys() {
    let mut stage = Stage::new();
    has_focus(&stage, "Fixture GTK3");
    let mark = stage.mark();
    stage.refused(&["press", "a", "--window-id", "w-1"], Code::WindowNotFound);
    stage.refused(&["press", "a", "--app", "nothing"], Code::AppNotFound);
    assert!(stage.told_since(mark).is_empty());
    // Without a window it is the one with the keyboard, which the answer names.
    let answer = stage.ok(&["press", "escape"]);
    assert_eq!(answer["window"]["app_name"], json!(APP));
}
