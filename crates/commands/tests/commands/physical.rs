//! Pointer, keyboard and windows.

use surehand_core::geometry::Rect;
use surehand_core::reading::Reading;
use surehand_core::stroke::Stroke;
use surehand_testkit::fake::{Received, button, field};

use crate::golden::Golden;
use crate::rig::Rig;

/// An editor whose elements are in its window, on a desktop where a person has allowed everything.
fn headed() -> Rig {
    let at = |x, y| {
        move |node: &mut surehand_core::node::Node| {
            node.bounds = Reading::Known(Rect { x, y, width: 20, height: 10 });
        }
    };
    let mut rig = Rig::with([
        button("Save").key("save").edit(at(2, 2)),
        button("Far").key("far").edit(at(900, 2)),
        button("Flat").key("flat").edit(|node| node.bounds = Reading::Known(Rect { x: 1, y: 1, width: 0, height: 0 })),
        button("Somewhere").key("somewhere").edit(|node| node.bounds = Reading::Unknown),
        field("Title").key("title").holding("Draft").edit(at(2, 20)),
        field("Locked").key("locked").edit(at(2, 34)).disabled(),
    ]);
    rig.services.allowed.headed = true;
    rig
}

fn struck(rig: &Rig) -> Vec<Stroke> {
    let log = rig.fake().log().into_iter();
    log.filter_map(|entry| match entry.what {
        Received::Stroke { stroke, .. } => Some(stroke),
        _ => None,
    })
    .collect()
}

#[test]
fn the_pointer() {
    let mut golden = Golden::of("pointer");
    let rig = headed();
    let id = rig.window_id();
    let in_it = |line: &[&'static str]| -> Vec<String> {
        line.iter().map(|word| (*word).to_owned()).chain(["--window-id".to_owned(), id.clone()]).collect()
    };
    for (about, line) in [
        ("moved", &["mouse-move", "--xy", "5,6"][..]),
        ("clicked", &["mouse-click", "--xy", "5,6"]),
        (
            "clicked twice with keys held",
            &[
                "mouse-click",
                "--xy",
                "5,6",
                "--count",
                "2",
                "--button",
                "right",
                "--modifiers",
                "shift",
                "--modifiers",
                "ctrl",
            ],
        ),
        ("the wheel", &["mouse-wheel", "--x", "5", "--y", "6", "--dy", "2", "--dx", "-1"]),
        ("pressed", &["mouse-down", "--xy", "5,6"]),
        ("no button", &["mouse-click", "--xy", "5,6", "--button", "fourth"]),
        ("no modifier", &["mouse-click", "--xy", "5,6", "--modifiers", "hyper"]),
        ("a modifier of the desktop", &["mouse-click", "--xy", "5,6", "--modifiers", "meta"]),
        ("too often", &["mouse-click", "--xy", "5,6", "--count", "101"]),
        ("too long", &["mouse-down", "--xy", "5,6", "--limit-ms", "300001"]),
        ("the background", &["mouse-click", "--xy", "700,700"]),
    ] {
        let line = in_it(line);
        golden.case(about, &rig, &line.iter().map(String::as_str).collect::<Vec<_>>());
    }
    golden.case("let go", &rig, &["mouse-up", "--xy", "7,8"]);
    golden.case("let go again", &rig, &["mouse-up", "--xy", "7,8"]);
    golden.case("no window named", &rig, &["mouse-click", "--xy", "5,6"]);
    let told = rig.call("mouse-move", serde_json::json!({ "xy": "5;6" }));
    golden.add("no point", "mouse-move", &told);
    golden.add("no point, on the command line", "mouse-move --xy 5;6", &rig.refused(&["mouse-move", "--xy", "5;6"]));
    rig.fake().change(|scene| {
        let app = scene.start("calendar");
        scene.open(app, "Today", []);
    });
    let line = in_it(&["mouse-click", "--xy", "30,30"]);
    golden.case("another window in front", &rig, &line.iter().map(String::as_str).collect::<Vec<_>>());
    golden.case("another application in front", &rig, &["mouse-click", "--xy", "30,30", "--app", "editor"]);
    golden.case("the application that is in front", &rig, &["mouse-click", "--xy", "30,30", "--app", "calendar"]);
    golden.check();
}

#[test]
fn elements_as_targets_of_the_pointer() {
    let mut golden = Golden::of("aiming");
    let rig = headed();
    let save = rig.reference("Save");
    golden.case("over an element", &rig, &["hover", &save]);
    golden.case("over a point", &rig, &["hover", "--xy", "5,6"]);
    golden.add("over both", "hover", &rig.call("hover", serde_json::json!({ "ref_id": save, "xy": "5,6" })));
    for (about, name) in
        [("outside of its window", "Far"), ("without room", "Flat"), ("nobody knows where", "Somewhere")]
    {
        golden.case(about, &rig, &["hover", &rig.reference(name)]);
    }
    golden.case("dragged", &rig, &["drag", "--from", &save, "--to-xy", "30,30", "--duration", "64"]);
    golden.case("dragged for too long", &rig, &["drag", "--from", &save, "--to-xy", "30,30", "--duration", "60001"]);
    golden.add("dragged from nowhere", "drag", &rig.call("drag", serde_json::json!({ "to_xy": "5,6" })));
    let title = rig.fake().object("title");
    rig.fake().change(move |scene| scene.hit(&title));
    golden.case("another element is there", &rig, &["hover", &save]);
    rig.fake().change(|scene| {
        let app = scene.start("calendar");
        scene.open(app, "Today", []);
        scene.keep_windows();
    });
    golden.case("its window stays behind", &rig, &["hover", &save]);
    golden.check();
}

#[test]
fn windows() {
    let mut golden = Golden::of("windows");
    let rig = headed();
    for (about, line) in [
        ("moved", &["move-window", "--app", "editor", "--x", "-5", "--y", "7"][..]),
        ("resized", &["resize-window", "--app", "editor", "--width", "300", "--height", "200"]),
        ("no size", &["resize-window", "--app", "editor", "--width", "0", "--height", "200"]),
        ("filled the screen", &["maximize", "--app", "editor"]),
        ("put away", &["minimize", "--app", "editor"]),
        ("put away already", &["minimize", "--app", "editor"]),
        ("shown again", &["restore", "--app", "editor"]),
        ("no window named", &["focus-window"]),
        ("in front already", &["focus-window", "--title", "NOTES"]),
        ("no such title", &["focus-window", "--title", "nothing"]),
    ] {
        golden.case(about, &rig, line);
    }
    rig.fake().change(surehand_testkit::fake::Scene::keep_windows);
    golden.case("one that stays", &rig, &["move-window", "--app", "editor", "--x", "50", "--y", "70"]);
    let window = rig.window().clone();
    rig.fake().change(move |scene| scene.lose_handle(&window));
    golden.case("one that cannot be told from others", &rig, &["maximize", "--app", "editor"]);
    golden.case("screens", &rig, &["list-displays"]);
    golden.case("no such screen", &rig, &["screenshot", "--screen", "1"]);
    rig.fake().change(surehand_testkit::fake::Scene::screens_change);
    golden.case("screens that change", &rig, &["screenshot", "--screen", "0"]);
    golden.case("not on Linux", &rig, &["open-system-surface", "--surface", "dock"]);
    golden.case("not on Linux either", &rig, &["cursor-overlay", "enable"]);
    golden.check();
}

#[test]
fn held_keys() {
    let mut golden = Golden::of("held");
    let rig = headed();
    golden.case("pressed", &rig, &["key-down", "Shift", "--limit-ms", "1000"]);
    golden.case("let go", &rig, &["key-up", "shift"]);
    golden.case("let go again", &rig, &["key-up", "shift"]);
    golden.case("one of the desktop", &rig, &["key-down", "super"]);
    rig.run(&["key-down", "ctrl"]);
    golden.case("all of it", &rig, &["release-all"]);
    golden.case("nothing", &rig, &["release-all"]);
    golden.check();
}

/// What one call may not press, several may not either.
#[test]
fn what_is_held_already_counts() {
    for (first, second) in [("alt", "f4"), ("f4", "alt"), ("ctrl+alt", "f1"), ("alt", "tab")] {
        let rig = headed();
        assert_eq!(rig.run(&["key-down", first]).exit, 0, "{first}");
        for command in ["key-down", "press"] {
            let refused = rig.run(&[command, second]);
            assert_eq!(
                refused.error().map(|(_, kind)| kind).as_deref(),
                Some("protected_combination"),
                "{first} {second}"
            );
        }
        assert_eq!(rig.services.holder.0.lock().unwrap().len(), 1);
    }
}

#[test]
fn typing_with_the_keyboard() {
    let mut golden = Golden::of("typing");
    let rig = headed();
    let (title, locked) = (rig.reference("Title"), rig.reference("Locked"));
    let object = rig.fake().object("title");
    rig.fake().change(move |scene| {
        scene.on_stroke(move |scene, stroke| {
            if let Stroke::Text(text) = stroke {
                let held = format!("Draft{text}");
                scene.set_text(&object, &held);
            }
        });
    });
    golden.case("typed", &rig, &["type", &title, " 2"]);
    assert_eq!(struck(&rig), [Stroke::Text(" 2".to_owned())]);
    golden.case("into one that takes none", &rig, &["type", &locked, "x"]);
    rig.fake().change(|scene| scene.on_stroke(|_, _| {}));
    golden.case("that does not arrive", &rig, &["type", &title, "x"]);
    golden.check();
}

#[test]
fn a_person_is_asked_about_combinations_of_the_desktop_and_nobody_else() {
    let mut rig = headed();
    rig.services.allowed.force = true;
    assert_eq!(rig.run(&["press", "alt+f4"]).error().unwrap().1, "not_confirmed");
    rig.services.person_agrees = true;
    assert_eq!(rig.run(&["press", "alt+f4"]).error(), None);
    assert_eq!(rig.run(&["press", "a"]).error(), None);
    assert_eq!(rig.services.questions.lock().unwrap().len(), 2, "only what is protected is asked about");
}

#[test]
fn nothing_physical_is_done_without_leave() {
    let mut golden = Golden::of("needs_headed");
    let rig = Rig::editor();
    let save = rig.reference("Save");
    for line in [
        &["mouse-move", "--xy", "1,1"][..],
        &["mouse-click", "--xy", "1,1", "--app", "editor"],
        &["mouse-down", "--xy", "1,1", "--app", "editor"],
        &["mouse-up", "--xy", "1,1"],
        &["mouse-wheel", "--x", "1", "--y", "1", "--app", "editor"],
        &["hover", &save],
        &["drag", "--from", &save, "--to-xy", "1,1"],
        &["key-down", "shift"],
        &["key-up", "shift"],
        &["focus-window", "--app", "editor"],
    ] {
        let told = rig.run(line);
        assert_eq!(told.error().unwrap(), ("POLICY_DENIED".to_owned(), "needs_headed".to_owned()), "{line:?}");
    }
    golden.case("one of them", &rig, &["mouse-move", "--xy", "1,1"]);
    golden.check();
    assert!(!rig.fake().log().iter().any(|entry| entry.what.is_effect()));
}
