//! Headless actions leave pointer, active window and keyboard focus where the person left them.

use serde_json::{Value, json};
use surehand_testkit::live::Fixture;

use crate::stage::{Stage, Tree, front, settle, wait_for_windows};

/// An application that is acted on, another that a person works with, and an observer of the display server.
struct Watched {
    observer: Fixture,
    front: Fixture,
    stage: Stage,
    target: String,
}

impl Watched {
    fn new() -> Watched {
        let stage = Stage::new();
        let mut observer = Fixture::python(&stage.desktop.environment(), "attention.py", &[]);
        // Over the window that is acted on, so that whatever moves it away or brings that window up is seen.
        observer.command("point 640 400");
        let front = front(&stage.desktop, &["--title", "In front", "--application", "another"]);
        let windows = stage.ok(&["list-windows"])["windows"].take();
        let windows = windows.as_array().expect("a list");
        let target = windows.iter().find(|window| window["title"] == "Fixture GTK3").expect("the window");
        let target = target["id"].as_str().expect("an id").to_owned();
        let mut watched = Watched { observer, front, stage, target };
        settle(&mut watched.stage.fixture);
        watched
    }

    fn snapshot(&self) -> Tree {
        Tree(self.stage.ok(&["snapshot", "--window-id", &self.target]))
    }

    /// Where the attention is: by the display server, and by our own list of windows.
    fn attention(&mut self) -> (Value, Value) {
        self.observer.command("look");
        let mut seen = self.observer.events("attention").pop().expect("an answer");
        seen["event"].take();
        let mut windows = self.stage.ok(&["list-windows"])["windows"].take();
        let list = windows.as_array_mut().expect("a list");
        list.sort_by_key(|window| window["id"].as_str().map(str::to_owned));
        let focused = list.iter().map(|window| json!([window["id"], window["is_focused"]])).collect();
        (seen, Value::Array(focused))
    }

    /// Acts, and fails the test when anything of the attention has moved.
    fn undisturbed(&mut self, arguments: &[&str]) -> Value {
        let before = self.attention();
        let (mark, front_mark) = (self.stage.mark(), self.front.log().len());
        let answer = self.stage.ok(arguments);
        let events = self.stage.since(mark);
        assert!(!events.is_empty(), "{arguments:?} did nothing");
        let focus = |event: &&Value| event["event"].as_str().is_some_and(|kind| kind.contains("focus"));
        let moved: Vec<_> = events.iter().filter(focus).collect();
        assert!(moved.is_empty(), "{arguments:?} moved the focus: {moved:?}");
        settle(&mut self.front);
        let log = self.front.log();
        let moved: Vec<_> = log[front_mark..].iter().filter(focus).collect();
        assert!(moved.is_empty(), "{arguments:?} took the focus away: {moved:?}");
        assert_eq!(self.attention(), before, "{arguments:?}");
        answer
    }
}

#[test]
fn the_observer_sees_what_moves() {
    let mut watched = Watched::new();
    let before = watched.attention();
    assert_eq!(before.0["pointer"], json!([640, 400]));
    assert_ne!(before.0["active"], 0);
    watched.observer.command("point 7 9");
    watched.front.kill();
    wait_for_windows(&watched.stage.desktop, "the first window has the focus again", |windows| {
        windows.iter().any(|window| window["title"] == "Fixture GTK3" && window["is_focused"] == true).then_some(())
    });
    let after = watched.attention();
    assert_eq!(after.0["pointer"], json!([7, 9]));
    assert_ne!(after.0["active"], before.0["active"]);
    assert_ne!(after.0["keyboard"], before.0["keyboard"]);
    assert_ne!(after.1, before.1);
}

#[test]
fn clicks_disturb_nobody() {
    let mut watched = Watched::new();
    let tree = watched.snapshot();
    for (role, name) in [
        ("button", "Press me"),
        ("checkbox", "Check me"),
        ("button", "Toggle me"),
        ("button", "Switch me"),
        ("radiobutton", "Two"),
        ("menuitem", "Open\u{2026}"),
        ("menuitem", "Green"),
        ("cell", "item 1"),
    ] {
        watched.undisturbed(&["click", &tree.reference(role, name)]);
    }
}

#[test]
fn typing_and_setting_disturb_nobody() {
    let mut watched = Watched::new();
    let tree = watched.snapshot();
    for (command, role, name, text) in [
        ("type", "textfield", "Name field", "x"),
        ("type", "textfield", "Notes", "y"),
        ("type", "textfield", "Password", "z"),
        ("set-value", "textfield", "Address", "1 Sea Road"),
        ("set-value", "textfield", "Notes", "all new"),
        ("set-value", "slider", "Volume", "12"),
        ("set-value", "incrementor", "Copies", "12"),
    ] {
        watched.undisturbed(&[command, &tree.reference(role, name), text]);
    }
}

#[test]
fn looking_disturbs_nobody() {
    let mut watched = Watched::new();
    let tree = watched.snapshot();
    let (field, target) = (tree.reference("textfield", "Name field"), watched.target.clone());
    let before = watched.attention();
    let (mark, front_mark) = (watched.stage.mark(), watched.front.log().len());
    for arguments in [
        &["snapshot", "--window-id", &target, "--include-bounds"][..],
        &["find", "--window-id", &target, "--role", "button"],
        &["get", &field, "--property", "bounds"],
        &["is", &field, "--property", "focused"],
        &["wait", "--element", &field, "--predicate", "actionable", "--action", "type"],
        &["screenshot", "--window-id", &target],
        &["screenshot"],
        &["status"],
        &["doctor"],
    ] {
        watched.stage.ok(arguments);
        assert_eq!(watched.attention(), before, "{arguments:?}");
    }
    assert!(watched.stage.told_since(mark).is_empty());
    assert_eq!(watched.front.log().len(), front_mark);
}
