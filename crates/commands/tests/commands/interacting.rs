//! The other commands that act on a ref.

use surehand_commands::context::Allowed;
use surehand_core::geometry::Rect;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_testkit::fake::{
    Received, button, check, combo, element, expander, field, group, radio, recycling_list, scroll_bar, spin,
};

use crate::golden::Golden;
use crate::rig::Rig;

const HEADED: Allowed = Allowed { headed: true, force: false };

#[test]
fn switches() {
    let mut golden = Golden::of("switches");
    let rig = Rig::with([check("Wrap").key("wrap"), radio("One"), button("Save"), expander("More")]);
    let wrap = rig.reference("Wrap");
    golden.case("tried out", &rig, &["toggle", &wrap, "--dry-run"]);
    golden.case("to the other state", &rig, &["toggle", &wrap]);
    golden.case("on already", &rig, &["check", &wrap]);
    golden.case("off", &rig, &["uncheck", &wrap]);
    let one = rig.reference("One");
    golden.case("a radio button", &rig, &["check", &one]);
    golden.case("a radio button cannot be taken back", &rig, &["uncheck", &one]);
    let save = rig.reference("Save");
    golden.case("no switch", &rig, &["toggle", &save]);
    let more = rig.reference("More");
    golden.case("folded open", &rig, &["expand", &more]);
    golden.case("open already", &rig, &["expand", &more]);
    golden.case("folded shut", &rig, &["collapse", &more]);
    golden.case("what cannot be folded", &rig, &["collapse", &save]);
    let object = rig.fake().object("wrap");
    rig.fake().change(|scene| scene.ignore(&object));
    golden.case("one that stays as it was", &rig, &["toggle", &wrap]);
    golden.check();
}

#[test]
fn select() {
    let mut golden = Golden::of("select");
    let files = recycling_list("Files", [element(Role::Option, "a.txt").pressing("open")]);
    let rig = Rig::with([
        combo("Colour", "Red", &["Red", "Green", "Blue", "Blue"]).key("colour"),
        element(Role::ComboBox, "Closed"),
        files.key("files"),
        button("Save"),
    ]);
    let colour = rig.reference("Colour");
    golden.case("an option", &rig, &["select", &colour, "Green"]);
    golden.case("the same", &rig, &["select", &colour, "Green"]);
    golden.case("none of them", &rig, &["select", &colour, "Mauve"]);
    golden.case("two of them", &rig, &["select", &colour, "Blue"]);
    let (closed, save) = (rig.reference("Closed"), rig.reference("Save"));
    golden.case("what shows its options only when it is open", &rig, &["select", &closed, "Red"]);
    golden.case("no list", &rig, &["select", &save, "Red"]);
    let files = rig.fake().object("files");
    rig.fake().change(|scene| scene.edit(&files, |node| node.affordances.choose = false));
    let list = rig.fake().change(|scene| scene.children(&files)[0].clone());
    let found = rig.run(&["find", "--role", "list"]).value();
    // A list has a ref where something can be done with it.
    assert_eq!(found["data"]["count"], 1);
    rig.fake().change(|scene| scene.edit(&files, |node| node.affordances.choose = true));
    let files_ref =
        rig.run(&["find", "--role", "list"]).value()["data"]["matches"][0]["ref_id"].as_str().unwrap().to_owned();
    rig.fake().change(|scene| scene.edit(&files, |node| node.affordances.choose = false));
    golden.case("options that open when they are pressed", &rig, &["select", &files_ref, "a.txt"]);
    rig.fake().change(|scene| {
        scene.edit(&files, |node| node.affordances.choose = true);
        scene.set_state(&list, State::Disabled, true);
    });
    golden.case("an option that is disabled", &rig, &["select", &files_ref, "a.txt", "--timeout-ms", "0"]);
    rig.fake().change(|scene| scene.claim_children(&files, 1 << 20));
    golden.case("more options than can be read", &rig, &["select", &files_ref, "a.txt"]);
    golden.check();
}

#[test]
fn scrolling() {
    let mut golden = Golden::of("scrolling");
    let area = element(Role::ScrollArea, "").at(0, 0, 100, 100).with([
        group("", [button("Top").at(0, 10, 50, 20), button("Bottom").key("bottom").at(0, 140, 50, 20)]),
        scroll_bar(0.0, 0.0..=100.0),
    ]);
    let rig = Rig::with([area, field("Name").edit(|node| node.affordances.focus = true), spin("Size", 1.0, 1.0..=9.0)]);
    let (top, bottom) = (rig.reference("Top"), rig.reference("Bottom"));
    golden.case("down", &rig, &["scroll", &top, "--amount", "2"]);
    golden.case("sideways", &rig, &["scroll", &top, "--direction", "left"]);
    golden.case("in view already", &rig, &["scroll-to", &top]);
    golden.case("into view, without being seen there", &rig, &["scroll-to", &bottom]);
    let name = rig.reference("Name");
    golden.case("the focus", &rig, &["focus", &name]);
    golden.case("emptied", &rig, &["clear", &name]);
    let size = rig.reference("Size");
    golden.case("a number is not emptied", &rig, &["clear", &size]);
    golden.case("what cannot be scrolled into view", &rig, &["scroll-to", &size]);
    let object = rig.fake().object("bottom");
    rig.fake().change(|scene| scene.focus(None));
    golden.case("the focus of a window without the keyboard", &rig, &["focus", &name]);
    rig.fake().change(|scene| scene.edit(&object, |node| node.bounds = Reading::Absent));
    golden.check();
}

#[test]
fn pointer() {
    let mut golden = Golden::of("pointing");
    let broken = field("Web").at(10, 40, 60, 20).edit(|node| {
        node.affordances.text = surehand_core::node::TextAccess::Read;
    });
    let mut rig = Rig::with([button("Save").key("save").at(10, 10, 40, 20), broken]);
    let window = rig.window().clone();
    rig.fake().change(|scene| scene.place_window(&window, Rect { x: 0, y: 0, width: 300, height: 200 }));
    let (save, web) = (rig.reference("Save"), rig.reference("Web"));
    golden.case("not allowed", &rig, &["double-click", &save]);
    golden.case("nor a context menu", &rig, &["right-click", &save]);
    golden.case("nor the keyboard", &rig, &["type", &web, "x"]);
    rig.services.allowed = HEADED;
    golden.case("tried out", &rig, &["double-click", &save, "--dry-run"]);
    golden.case("twice", &rig, &["double-click", &save]);
    golden.case("three times", &rig, &["triple-click", &save]);
    golden.case("a context menu", &rig, &["right-click", &save]);
    golden.case("typed", &rig, &["type", &web, "x"]);
    rig.fake().change(|scene| {
        let app = scene.start("browser");
        let front = scene.open(app, "Pay now", []);
        scene.place_window(&front, Rect { x: 0, y: 0, width: 300, height: 200 });
        scene.keep_windows();
    });
    let struck =
        |rig: &Rig| rig.fake().log().iter().filter(|entry| matches!(entry.what, Received::Stroke { .. })).count();
    let before = struck(&rig);
    golden.case("behind another window", &rig, &["double-click", &save, "--timeout-ms", "0"]);
    rig.fake().change(|scene| scene.place_window(&window, Rect { x: 0, y: 0, width: 0, height: 0 }));
    golden.case("in a window of which nobody knows where it is", &rig, &["double-click", &save]);
    assert_eq!(struck(&rig), before);
    golden.check();
}

#[test]
fn case_25_a_dialog_that_a_click_opens_is_named_with_a_ref() {
    let mut golden = Golden::of("click-opens");
    let rig = Rig::with([button("Open").key("open")]);
    let (open, object, app) = (rig.reference("Open"), rig.fake().object("open"), rig.fake().app());
    rig.fake().change(|scene| {
        scene.on_press(&object, move |scene| {
            scene.open(app, "Open a file", [button("Cancel")]);
        });
    });
    let told = golden.case("a dialog", &rig, &["click", &open]).value();
    let effect = &told["data"]["effects"][0];
    let (id, reference) = (effect["window"]["id"].as_str().unwrap(), effect["ref"].as_str().unwrap());
    let snapshot = rig.run(&["snapshot", "--window-id", id]).value();
    assert_eq!(snapshot["data"]["window"]["title"], "Open a file");
    assert_eq!(rig.run(&["get", reference, "--property", "role"]).value()["data"]["value"], "window");
    golden.check();
}
