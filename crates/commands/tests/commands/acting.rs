//! `click`, `type`, `set-value` and `press`.

use std::time::Duration;

use surehand_core::node::TextAccess;
use surehand_core::platform::Operation;
use surehand_testkit::fake::{Received, button, check, field, label, password, spin};

use crate::golden::Golden;
use crate::rig::Rig;

#[test]
fn click() {
    let mut golden = Golden::of("click");
    let rig = Rig::editor();
    let (wrap, save) = (rig.reference("Wrap"), rig.reference("Save"));
    golden.case("a check box, seen to change", &rig, &["click", &wrap]);
    golden.case("a button, which shows nothing", &rig, &["click", &save]);
    assert_eq!(rig.fake().operations().len(), 2);
    let line = rig.reference("Line 1");
    golden.case("what has no action", &rig, &["click", &line]);
    assert_eq!(rig.fake().operations().len(), 2);

    let rig = Rig::with([button("Close").key("close")]);
    let (close, object) = (rig.reference("Close"), rig.fake().object("close"));
    let gone = object.clone();
    rig.fake().change(|scene| scene.on_press(&object, move |scene| scene.remove(&gone)));
    golden.case("what goes away with it", &rig, &["click", &close]);

    let rig = Rig::with([button("Open").key("open")]);
    let (open, object, app) = (rig.reference("Open"), rig.fake().object("open"), rig.fake().app());
    rig.fake().change(|scene| scene.on_press(&object, move |scene| scene.silence(app)));
    golden.case("no answer afterwards", &rig, &["click", &open]);

    let rig = Rig::with([button("Open")]);
    let (open, app) = (rig.reference("Open"), rig.fake().app());
    rig.fake().change(|scene| scene.after_inspection(move |scene| scene.silence(app)));
    golden.case("no answer to the action itself", &rig, &["click", &open]);

    let rig = Rig::with([button("Send").disabled()]);
    let send = rig.reference("Send");
    golden.case("not ready in time", &rig, &["click", &send, "--timeout-ms", "300"]);
    golden.case("not ready at the only attempt", &rig, &["click", &send, "--timeout-ms", "0"]);
    assert!(rig.fake().operations().is_empty());

    let rig = Rig::with([check("Wrap").key("wrap").disabled()]);
    let (wrap, object) = (rig.reference("Wrap"), rig.fake().object("wrap"));
    rig.after(200, move |scene| scene.enable(&object));
    golden.case("ready after a while", &rig, &["click", &wrap]);

    let rig = Rig::with([button("Send").disabled()]);
    let send = rig.reference("Send");
    rig.cancel.raise();
    golden.case("cancelled", &rig, &["click", &send]);
    golden.check();
}

#[test]
fn set_value() {
    let mut golden = Golden::of("set-value");
    let mut rig = Rig::editor();
    let (title, size, passphrase) = (rig.reference("Title"), rig.reference("Size"), rig.reference("Passphrase"));
    golden.case("a text", &rig, &["set-value", &title, "Final"]);
    golden.case("a text that begins like an option", &rig, &["set-value", &title, "--force"]);
    golden.case("no text at all", &rig, &["set-value", &title, ""]);
    golden.case("a number", &rig, &["set-value", &size, "13.5"]);
    golden.case("a number out of range", &rig, &["set-value", &size, "100"]);
    golden.case("no number", &rig, &["set-value", &size, "hunter2"]);
    golden.case("a secret", &rig, &["set-value", &passphrase, "hunter2"]);
    golden.case("nothing given", &rig, &["set-value", &title]);
    golden.case("a character that cannot be", &rig, &["set-value", &title, "a\0b"]);
    golden.case("standard input that is not there", &rig, &["set-value", &title, "--stdin"]);
    rig.services.stdin = Some("from outside".to_owned());
    golden.case("standard input", &rig, &["set-value", &title, "--stdin"]);
    rig.services.stdin = Some("x".repeat((1 << 20) + 1));
    golden.case("too much", &rig, &["set-value", &title, "--stdin"]);
    let save = rig.reference("Save");
    golden.case("what holds nothing", &rig, &["set-value", &save, "x"]);

    let rig = Rig::with([field("Code").key("code")]);
    let (code, object) = (rig.reference("Code"), rig.fake().object("code"));
    rig.fake().change(|scene| scene.normalise(&object, str::to_uppercase));
    golden.case("changed by the application", &rig, &["set-value", &code, "ab12"]);
    rig.fake().change(|scene| scene.delay(&object, Duration::from_millis(400)));
    golden.case("done after a while", &rig, &["set-value", &code, "cd34"]);
    golden.check();
}

#[test]
fn type_text() {
    let mut golden = Golden::of("type");
    let rig = Rig::with([
        field("Title").key("title").holding("Draft"),
        field("Note")
            .edit(|node| node.affordances.text = TextAccess::Broken("the toolkit answers yes and does nothing".into())),
        field("Fixed").edit(|node| node.affordances.text = TextAccess::Read),
        field("Locked").state(surehand_core::state::State::Readonly),
        spin("Size", 12.0, 6.0..=72.0),
        password("Passphrase"),
        label("Line"),
    ]);
    let title = rig.reference("Title");
    golden.case("into a field", &rig, &["type", &title, " 2\n\u{202e}"]);
    for (about, name) in [
        ("a broken interface", "Note"),
        ("no interface", "Fixed"),
        ("what cannot be edited", "Locked"),
        ("a number", "Size"),
        ("a secret", "Passphrase"),
        ("a label", "Line"),
    ] {
        let reference = rig.reference(name);
        golden.case(about, &rig, &["type", &reference, "x"]);
    }
    let object = rig.fake().object("title");
    rig.fake().change(|scene| scene.ignore(&object));
    golden.case("into a field that ignores it", &rig, &["type", &title, "!"]);
    golden.case("nothing given", &rig, &["type", &title]);
    golden.check();
    // What failed was not tried again.
    let inserted: Vec<String> = rig
        .fake()
        .operations()
        .into_iter()
        .filter_map(|(_, operation)| match operation {
            Operation::InsertText(text) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(inserted, [" 2\n\u{202e}", "x", "!"]);
}

#[test]
fn press() {
    let mut golden = Golden::of("press");
    let rig = Rig::editor();
    golden.case("into the window with the keyboard", &rig, &["press", "Shift+CTRL+s"]);
    golden.case("into a window by name", &rig, &["press", "escape", "--app", "editor"]);
    golden.case("a combination that is protected", &rig, &["press", "alt+f4"]);
    golden.case("no combination", &rig, &["press", "hyper+x"]);
    let other = rig.fake().change(|scene| {
        let app = scene.start("calendar");
        scene.open(app, "Today", [])
    });
    golden.case("into a window without the keyboard", &rig, &["press", "ctrl+s", "--app", "editor"]);
    rig.fake().change(|scene| scene.focus(None));
    golden.case("while no window has it", &rig, &["press", "ctrl+s"]);
    golden.case("while no window has it, by name", &rig, &["press", "ctrl+s", "--app", "editor"]);
    rig.fake().change(|scene| scene.focus(Some(&other)));
    golden.case("no such application", &rig, &["press", "ctrl+s", "--app", "paint"]);
    golden.check();
    let keys: Vec<String> = rig
        .fake()
        .log()
        .into_iter()
        .filter_map(|entry| match entry.what {
            Received::Keys { chord, .. } => Some(chord),
            _ => None,
        })
        .collect();
    assert_eq!(keys, ["ctrl+shift+s", "escape"]);
}
