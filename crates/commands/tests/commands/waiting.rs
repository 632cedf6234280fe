//! `wait`.

use std::sync::Mutex;

use serde_json::json;
use surehand_commands::wait::NoticeShown;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::{State, States};
use surehand_core::tree::GapReason;
use surehand_testkit::fake::{self, Property, button, field, group, label};

use crate::golden::Golden;
use crate::rig::Rig;

#[test]
fn time() {
    let mut golden = Golden::of("wait-time");
    let rig = Rig::empty();
    golden.case("time", &rig, &["wait", "1500"]);
    golden.case("no time", &rig, &["wait", "0"]);
    golden.case("more than a day", &rig, &["wait", "86400001"]);
    golden.case("more than a day for something", &rig, &["wait", "--window", "x", "--timeout", "86400001"]);
    golden.case("no time for something", &rig, &["wait", "--window", "x", "--timeout", "0"]);
    for arguments in [
        json!({}),
        json!({ "ms": 1, "window": "x" }),
        json!({ "ms": 1, "app": "editor" }),
        json!({ "menu": true, "menu_closed": true }),
        json!({ "ms": 1, "count": 2 }),
        json!({ "window": "x", "value": "y" }),
        json!({ "window": "x", "count": 1 }),
        json!({ "text": "x", "predicate": "visible" }),
        json!({ "text": "" }),
    ] {
        let told = rig.call("wait", arguments.clone());
        golden.add("what does not go together", &format!("wait {arguments}"), &told);
    }
    let cancel = rig.cancel.clone();
    rig.after(100, move |_| cancel.raise());
    golden.case("cancelled", &rig, &["wait", "1500"]);
    golden.check();
}

#[test]
fn element() {
    let mut golden = Golden::of("wait-element");
    let rig =
        Rig::with([button("Send").key("send").disabled(), field("Title").key("title").holding("Draft"), label("Line")]);
    let (send, title, line) = (rig.reference("Send"), rig.reference("Title"), rig.reference("Line"));
    golden.case("that it is there", &rig, &["wait", "--element", &send]);
    golden.case("that it is visible", &rig, &["wait", "--element", &send, "--predicate", "visible"]);
    let enabled = ["wait", "--element", &send, "--predicate", "enabled", "--timeout", "1000"];
    golden.case("that it is enabled, in vain", &rig, &enabled);
    let actionable = ["wait", "--element", &send, "--predicate", "actionable", "--timeout", "500"];
    golden.case("that it is ready, in vain", &rig, &actionable);
    let object = rig.fake().object("send");
    rig.after(300, move |scene| scene.enable(&object));
    golden.case("that it is ready", &rig, &actionable);
    let typing = ["wait", "--element", &line, "--predicate", "actionable", "--action", "type", "--timeout", "100"];
    golden.case("that a label can be typed into", &rig, &typing);
    let object = rig.fake().object("title");
    rig.after(300, move |scene| scene.set_text(&object, "Final"));
    let value = ["wait", "--element", &title, "--predicate", "value", "--value", "Final"];
    golden.case("that it holds a value", &rig, &value);
    golden.case(
        "that it holds another value",
        &rig,
        &["wait", "--element", &title, "--predicate", "value", "--value", "None", "--timeout", "100"],
    );
    golden.case("a value without the predicate", &rig, &["wait", "--element", &title, "--value", "x"]);
    golden.case("the predicate without a value", &rig, &["wait", "--element", &title, "--predicate", "value"]);
    let object = rig.fake().object("title");
    rig.fake().change(|scene| scene.hide(&object, Property::States));
    golden.case(
        "states that are not told",
        &rig,
        &["wait", "--element", &title, "--predicate", "visible", "--timeout", "100"],
    );
    let object = rig.fake().object("send");
    rig.fake().change(|scene| scene.remove(&object));
    golden.case("one that is gone", &rig, &["wait", "--element", &send]);
    golden.check();
}

#[test]
fn window() {
    let mut golden = Golden::of("wait-window");
    let rig = Rig::editor();
    let app = rig.fake().app();
    golden.case("one that is there", &rig, &["wait", "--window", "NOTES"]);
    golden.case("one that does not come", &rig, &["wait", "--window", "Save as", "--timeout", "400"]);
    rig.after(500, move |scene| {
        scene.open(app, "Save as…", [button("Save")]);
    });
    golden.case("one that comes", &rig, &["wait", "--window", "save AS", "--app", "editor"]);
    golden.case(
        "of an application that does not come",
        &rig,
        &["wait", "--window", "x", "--app", "paint", "--timeout", "100"],
    );
    golden.check();
}

#[test]
fn text() {
    let mut golden = Golden::of("wait-text");
    let rig = Rig::with([label("Saving").key("status"), label("Saved twice")]);
    golden.case("one that is there", &rig, &["wait", "--text", "saving"]);
    let object = rig.fake().object("status");
    rig.after(500, move |scene| scene.rename(&object, "Saved"));
    golden.case("one that comes, a number of times", &rig, &["wait", "--text", "saved", "--count", "2"]);
    golden.case("one that is not there, as it should be", &rig, &["wait", "--text", "error", "--count", "0"]);
    golden.case("another number of times", &rig, &["wait", "--text", "saved", "--count", "3", "--timeout", "200"]);
    golden.case("one that does not come", &rig, &["wait", "--text", "printed", "--timeout", "200"]);
    rig.fake().change(|scene| scene.cut_observations(Some(GapReason::Deadline)));
    let counted = ["wait", "--text", "saved", "--count", "2", "--timeout", "200"];
    golden.case("a number that cannot be known", &rig, &counted);
    let app = rig.fake().app();
    rig.fake().change(|scene| scene.silence(app));
    golden.case(
        "of one that does not answer",
        &rig,
        &["wait", "--text", "saved", "--app", "editor", "--timeout", "100"],
    );
    golden.check();
}

#[test]
fn menu() {
    let mut golden = Golden::of("wait-menu");
    let rig = Rig::with([menu_bar().key("bar")]);
    golden.case("one that does not open", &rig, &["wait", "--menu", "--timeout", "200"]);
    golden.case("that none is open", &rig, &["wait", "--menu-closed", "--app", "editor"]);
    let item = rig.fake().object("item");
    let (first, second) = (item.clone(), item);
    rig.after(300, move |scene| scene.set_state(&first, State::Offscreen, false));
    golden.case("one that opens", &rig, &["wait", "--menu"]);
    golden.case("one that does not close", &rig, &["wait", "--menu-closed", "--timeout", "200"]);
    rig.after(300, move |scene| scene.set_state(&second, State::Offscreen, true));
    golden.case("one that closes", &rig, &["wait", "--menu-closed"]);
    golden.check();
}

fn menu_bar() -> surehand_testkit::fake::Element {
    let item = fake::element(Role::MenuItem, "New").key("item").edit(|node| {
        let mut states = States::NONE;
        states.insert(State::Offscreen);
        node.states = Reading::Known(states);
    });
    let mut menu = group("File", [item]);
    menu = menu.edit(|node| node.role = Role::Menu);
    let mut bar = group("", [menu]);
    bar = bar.edit(|node| node.role = Role::MenuBar);
    bar
}

#[test]
fn event() {
    let mut golden = Golden::of("wait-event");
    let rig = Rig::editor();
    let app = rig.fake().app();
    golden.case("no window", &rig, &["wait", "--event", "window-opened", "--timeout", "300"]);
    rig.after(300, move |scene| {
        scene.open(app, "Save as…", [button("Save")]);
    });
    golden.case("a window", &rig, &["wait", "--event", "window-opened", "--window", "save AS"]);
    let dialog = rig.fake().change(|scene| scene.windows_of(app)[1].clone());
    let closing = dialog.clone();
    rig.after(300, move |scene| scene.close(&closing));
    golden.case("its end", &rig, &["wait", "--event", "window-closed", "--app", "editor"]);
    golden.case("the end of none", &rig, &["wait", "--event", "window-closed", "--window", "Save"]);
    golden.case(
        "the end of an application that is not there",
        &rig,
        &["wait", "--event", "app-terminated", "--app", "paint"],
    );
    golden.case("the focus of one that is not there", &rig, &["wait", "--event", "focus-changed", "--app", "paint"]);
    rig.after(200, |scene| {
        scene.start("paint");
    });
    golden.case("a start", &rig, &["wait", "--event", "app-launched", "--app", "PAINT"]);
    golden.case(
        "a start that was before",
        &rig,
        &["wait", "--event", "app-launched", "--app", "paint", "--timeout", "200"],
    );
    rig.after(200, move |scene| {
        let window = scene.windows_of(app)[0].clone();
        let message = fake::element(Role::Alert, "It was not saved");
        scene.append(&window, message);
    });
    golden.case("a message", &rig, &["wait", "--event", "surface-appeared", "--app", "editor"]);
    rig.after(200, move |scene| {
        let other = scene.open(app, "Other", [button("b")]);
        scene.focus(Some(&other));
    });
    golden.case("the focus", &rig, &["wait", "--event", "focus-changed"]);
    rig.after(200, move |scene| scene.end(app));
    golden.case("an end in the middle", &rig, &["wait", "--event", "window-opened", "--app", "editor"]);
    golden.case("a notification where they cannot be watched", &rig, &["wait", "--notification"]);
    for arguments in [
        json!({ "event": "window-opened", "menu": true }),
        json!({ "window": "x", "window_id": "w-1" }),
        json!({ "ms": 1, "app": "x" }),
        json!({ "notification": true, "text": "x", "count": 2 }),
    ] {
        let told = rig.call("wait", arguments.clone());
        golden.add("what does not go together", &format!("wait {arguments}"), &told);
    }
    golden.check();
}

#[test]
fn notification() {
    let mut golden = Golden::of("wait-notification");
    let mut rig = Rig::editor();
    let notice = |sequence, app: &str, title: &str| NoticeShown {
        sequence,
        app_name: app.to_owned(),
        title: title.to_owned(),
        body: "of May".to_owned(),
        actions: vec!["Open".to_owned()],
    };
    rig.services.notices = Some(Mutex::new(vec![(0, notice(3, "mail", "Old"))]));
    if let Some(notices) = &rig.services.notices {
        let mut notices = notices.lock().unwrap();
        notices.push((300, notice(4, "chat", "Hello")));
        notices.push((600, notice(5, "Mail", "Invoice <b>")));
    }
    golden.case("any", &rig, &["wait", "--notification"]);
    golden.case("one that says something", &rig, &["wait", "--notification", "--text", "MAY", "--app", "mail"]);
    golden.case("none that came since", &rig, &["wait", "--notification", "--timeout", "200"]);
    golden.check();
}

#[test]
fn after_a_command() {
    let mut golden = Golden::of("wait-for");
    let rig = Rig::editor();
    let save = rig.reference("Save");
    let window = rig.window().clone();
    let mut case = |about: &str, line: &[&str], selector: &str, gone: bool, timeout: u64| {
        let told = rig.run_and_wait(line, selector, gone, timeout);
        let flag = if gone { "--wait-for-gone" } else { "--wait-for" };
        golden.add(about, &format!("{} {flag} {selector} --wait-timeout {timeout}", line.join(" ")), &told);
    };
    case("what is there", &["snapshot", "-i"], "button:sav", false, 1_000);
    let message = window.clone();
    rig.after(300, move |scene| {
        scene.append(&message, label("Saved").key("saved"));
    });
    case("what comes after a click", &["click", &save], ":saved", false, 5_000);
    let gone = rig.fake().object("saved");
    rig.after(300, move |scene| scene.remove(&gone));
    case("what goes after a click", &["click", &save], ":saved", true, 5_000);
    case("what does not come", &["click", &save], "alert", false, 300);
    case("what does not go", &["snapshot"], "button", true, 300);
    case("after a command that fails", &["click", "@szz:e1"], ":saved", false, 300);
    case("no role", &["click", &save], "knob:x", false, 300);
    case("nothing to wait for", &["click", &save], ":", false, 300);
    case("a command that has no window", &["version"], "button", false, 300);
    case("a part of a window", &["snapshot", "--root", &save], "button", false, 300);
    case("in no time", &["snapshot"], "button", false, 0);
    let closing = window.clone();
    rig.after(200, move |scene| scene.close(&closing));
    case("a window that closes", &["click", &save], "button:save", true, 5_000);
    golden.check();
}
