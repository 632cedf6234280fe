//! What is asked before a command runs, and what is recorded afterwards.

use serde_json::{Value, json};
use surehand_commands::command::Effect;
use surehand_commands::gate::{Resource, Scope};
use surehand_commands::registry::COMMANDS;
use surehand_core::{Code, Error};
use surehand_testkit::fake::Received;

use crate::registry::minimal;
use crate::rig::Rig;

/// What the gate was asked of a command.
fn asked(rig: &Rig, line: &[&str]) -> Vec<Resource> {
    rig.services.gate.asked.lock().unwrap().clear();
    rig.run(line);
    let asked = rig.services.gate.asked.lock().unwrap();
    assert_eq!(asked.len(), 1, "{line:?} asked {} times", asked.len());
    asked[0].1.clone()
}

#[test]
fn the_gate_is_asked_once_and_hears_what_is_touched() {
    let rig = Rig::editor();
    let save = rig.reference("Save");
    let process = Scope::Process { pid: 4_000, generation: "generation-1".to_owned() };
    let cases: [(&[&str], Resource); 13] = [
        (&["snapshot"], Resource::UiRead(Scope::Focused)),
        (&["snapshot", "--app", "editor"], Resource::UiRead(Scope::Named("editor".into()))),
        (&["find", "--name", "x", "--window-id", "w-1"], Resource::UiRead(Scope::WindowId("w-1".into()))),
        (&["get", &save], Resource::UiRead(process.clone())),
        (&["click", &save], Resource::UiAct(process)),
        (&["press", "ctrl+s"], Resource::UiInput(Scope::Focused)),
        (&["close-app", "editor"], Resource::Window(Scope::Named("editor".into()))),
        (&["open", "Writer"], Resource::AppOpen("Writer".into())),
        (&["screenshot"], Resource::ScreenRead(Scope::All)),
        (&["list-windows"], Resource::UiRead(Scope::All)),
        (&["desktop", "stop", "d1"], Resource::Desktop("d1".into())),
        (&["wait", "1"], Resource::Nothing),
        (&["wait", "--text", "x", "--timeout", "1"], Resource::UiRead(Scope::All)),
    ];
    for (line, resource) in cases {
        assert_eq!(asked(&rig, line), [resource], "{line:?}");
    }
}

/// The minimal line of a command, on a rig in which it has something to work on.
fn ready() -> Rig {
    let rig = Rig::editor();
    rig.run(&["snapshot"]);
    rig
}

#[test]
fn what_the_gate_refuses_is_not_done() {
    for definition in COMMANDS {
        let mut rig = ready();
        rig.services.facts.desktop = Some("d1".to_owned());
        rig.services.stdin = Some("text".to_owned());
        rig.services.gate.refuse = Some(Error::new(Code::PolicyDenied, "not today").kind("test"));
        let before = rig.fake().log().len();
        let line: Vec<&str> =
            definition.spec.name.split(' ').chain(minimal(definition.spec.name).0.iter().copied()).collect();
        let told = rig.run(&line);
        assert_eq!(told.error(), Some(("POLICY_DENIED".to_owned(), "test".to_owned())), "{line:?}");
        assert_eq!(told.exit, 3, "{line:?}");
        assert_eq!(rig.fake().log().len(), before, "{line:?} reached the platform: {:?}", rig.fake().log());
        assert!(rig.services.output.lock().unwrap().is_empty(), "{line:?} wrote a file");
        assert!(rig.services.foreground.lock().unwrap().is_empty(), "{line:?} ran a program");
        assert!(rig.services.desktops.there.lock().unwrap().is_empty(), "{line:?} made a desktop");
        // Whoever refuses it keeps the record of the refusal.
        assert!(told.records.is_empty(), "{line:?}: {:?}", told.records);
    }
}

#[test]
fn looking_leaves_no_record() {
    for definition in COMMANDS.iter().filter(|definition| definition.spec.effect == Effect::Observe) {
        let mut rig = ready();
        rig.services.facts.desktop = Some("d1".to_owned());
        let line: Vec<&str> =
            definition.spec.name.split(' ').chain(minimal(definition.spec.name).0.iter().copied()).collect();
        let told = rig.run(&line);
        assert!(told.records.is_empty(), "{line:?}: {:?}", told.records);
        let touched: Vec<_> = rig.fake().log().into_iter().filter(|entry| entry.what.is_effect()).collect();
        assert!(touched.is_empty(), "{line:?}: {touched:?}");
    }
}

/// The one record of a command.
fn record(rig: &Rig, line: &[&str]) -> Value {
    let mut records = rig.run(line).records;
    assert_eq!(records.len(), 1, "{line:?}: {records:?}");
    records.remove(0)
}

#[test]
fn acting_leaves_one_record_without_the_text() {
    let rig = Rig::editor();
    let (title, save) = (rig.reference("Title"), rig.reference("Save"));
    let verified = json!({ "delivery": "delivered_verified", "retry": "unsafe" });
    let unverified = json!({ "delivery": "delivered_unverified", "retry": "unsafe" });
    assert_eq!(
        record(&rig, &["set-value", &title, "swordfish"]),
        json!({ "command": "set-value", "app": "editor", "role": "textfield", "name": "Title", "disposition": verified })
    );
    assert_eq!(
        record(&rig, &["type", &title, "swordfish"]),
        json!({ "command": "type", "app": "editor", "role": "textfield", "name": "Title", "disposition": verified })
    );
    assert_eq!(
        record(&rig, &["click", &save]),
        json!({ "command": "click", "app": "editor", "role": "button", "name": "Save", "disposition": unverified })
    );
    assert_eq!(
        record(&rig, &["press", "ctrl+s"]),
        json!({ "command": "press", "app": "editor", "role": "window", "disposition": unverified })
    );
    let received: Vec<_> = rig.fake().effects().into_iter().map(|entry| entry.what).collect();
    assert!(matches!(
        received.as_slice(),
        [Received::Operation { .. }, Received::Operation { .. }, Received::Operation { .. }, Received::Keys { .. }]
    ));
}

#[test]
fn a_failure_is_recorded_with_its_code_and_how_far_it_got() {
    let rig = Rig::editor();
    let (title, save) = (rig.reference("Title"), rig.reference("Save"));
    let (object, app) = (rig.fake().object("title"), rig.fake().app());
    let nothing = json!({ "delivery": "not_delivered", "retry": "safe" });

    // Before anything was known of the element.
    assert_eq!(
        record(&rig, &["set-value", &title]),
        json!({ "command": "set-value", "code": "INVALID_ARGS", "disposition": nothing })
    );
    // The element refuses.
    assert_eq!(
        record(&rig, &["set-value", &save, "swordfish"]),
        json!({ "command": "set-value", "app": "editor", "role": "button", "name": "Save",
                "code": "ACTION_NOT_SUPPORTED", "disposition": nothing })
    );
    // It was handed over, and the contrary was seen.
    rig.fake().change(|scene| scene.normalise(&object, str::to_uppercase));
    assert_eq!(
        record(&rig, &["set-value", &title, "swordfish"]),
        json!({ "command": "set-value", "app": "editor", "role": "textfield", "name": "Title", "code": "ACTION_FAILED",
                "disposition": { "delivery": "delivered_unverified", "retry": "unsafe" } })
    );
    // Nobody can tell whether it arrived.
    rig.fake().change(|scene| scene.after_inspection(move |scene| scene.silence(app)));
    assert_eq!(
        record(&rig, &["click", &save]),
        json!({ "command": "click", "app": "editor", "role": "button", "name": "Save", "code": "APP_UNRESPONSIVE",
                "disposition": { "delivery": "delivery_uncertain", "retry": "unsafe" } })
    );
}

#[test]
fn nothing_recorded_or_answered_repeats_what_was_typed() {
    for line in [
        ["set-value", "Title", "swordfish"],
        ["set-value", "Size", "swordfish"],
        ["set-value", "Save", "swordfish"],
        ["set-value", "Passphrase", "swordfish"],
        ["type", "Passphrase", "swordfish"],
        ["type", "Size", "swordfish"],
        ["type", "Wrap", "swordfish"],
    ] {
        let rig = Rig::editor();
        let reference = rig.reference(line[1]);
        let told = rig.run(&[line[0], &reference, line[2]]);
        assert_eq!(told.records.len(), 1, "{line:?}");
        assert!(!told.records[0].to_string().contains("swordfish"), "{line:?}: {:?}", told.records);
        // The value of a field is what was asked for; a failure repeats nothing.
        assert!(line[1] == "Title" || !told.json.contains("swordfish"), "{line:?}: {}", told.json);
    }
}

#[test]
fn what_had_nothing_to_do_leaves_no_record() {
    assert!(Rig::empty().run(&["desktop", "list", "--prune"]).records.is_empty());
}
