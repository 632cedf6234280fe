//! `wait`.

use serde_json::json;
use surehand_core::tree::GapReason;
use surehand_testkit::fake::{Property, button, field, label};

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
