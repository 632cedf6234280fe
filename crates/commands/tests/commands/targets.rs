//! What every command refuses that is given an application, a window or a ref.

use std::collections::BTreeSet;
use std::path::Path;

use surehand_core::object::Process;
use surehand_core::role::Role;
use surehand_core::tree::GapReason;
use surehand_testkit::fake::{Property, button, element, item, recycling_list};

use crate::golden::Golden;
use crate::rig::Rig;

#[test]
fn windows() {
    let mut golden = Golden::of("target-window");
    golden.case("nothing has the focus", &Rig::empty(), &["snapshot"]);
    let rig = Rig::editor();
    golden.case("no such application", &rig, &["snapshot", "--app", "paint\n"]);
    golden.case("no such window", &rig, &["snapshot", "--window-id", "w-1"]);
    let app = rig.fake().app();
    rig.fake().change(|scene| {
        scene.open(app, "Other", []);
        scene.focus(None);
    });
    golden.case("two windows", &rig, &["snapshot", "--app", "editor"]);
    let hidden = rig.window_id();
    rig.fake().change(|scene| scene.start("tray"));
    golden.case("no window", &rig, &["snapshot", "--app", "tray"]);
    rig.fake().change(|scene| scene.open_foreign("Clock", Process { pid: 77, generation: "clock-1".to_owned() }));
    golden.case("a window without a tree", &rig, &["snapshot"]);
    rig.fake().change(|scene| {
        scene.focus(None);
        scene.silence(app);
    });
    golden.case("an application that does not answer", &rig, &["snapshot", "--app", "editor"]);
    golden.case("the focus may be where nobody answers", &rig, &["snapshot"]);
    golden.case("a window that may be where nobody answers", &rig, &["snapshot", "--window-id", &hidden]);
    let rig = Rig::editor();
    rig.cancel.raise();
    golden.case("cancelled", &rig, &["snapshot"]);
    golden.check();
}

#[test]
fn an_application_that_is_busy_for_a_moment_is_waited_for() {
    let rig = Rig::editor();
    let app = rig.fake().app();
    rig.fake().change(|scene| scene.silence(app));
    rig.after(900, move |scene| scene.wake(app));
    let told = rig.run(&["snapshot", "--app", "editor"]);
    assert!(told.error().is_none(), "{}", told.json);
    // And not for ever: half of the time at most.
    rig.fake().change(|scene| scene.silence(app));
    let before = rig.fake().clock().passed();
    let told = rig.run(&["snapshot", "--app", "editor", "--timeout-ms", "1000"]);
    assert_eq!(told.error().map(|(code, _)| code).as_deref(), Some("APP_UNRESPONSIVE"), "{}", told.json);
    let waited = rig.fake().clock().passed() - before;
    assert!((500..800).contains(&waited.as_millis()), "{waited:?}");
}

#[test]
fn refs() {
    let mut golden = Golden::of("target-ref");
    let click = |rig: &Rig, golden: &mut Golden, about: &str, reference: &str| {
        let told = golden.case(about, rig, &["click", reference, "--timeout-ms", "100"]);
        assert!(told.error().is_some(), "{about}: {}", told.json);
        assert!(rig.fake().effects().is_empty(), "{about}: {:?}", rig.fake().effects());
    };
    let rig = Rig::with([button("Save").key("save"), button("Other").key("other")]);
    let save = rig.reference("Save");
    let object = rig.fake().object("save");
    click(&rig, &mut golden, "no such snapshot", "@s0z:e1");
    click(&rig, &mut golden, "no such element", "@s01:e99");
    rig.fake().change(|scene| scene.hide(&object, Property::Name));
    click(&rig, &mut golden, "not enough can be read", &save);
    rig.fake().change(|scene| {
        scene.show(&object, Property::Name);
        scene.rename(&object, "Delete");
    });
    click(&rig, &mut golden, "changed", &save);
    rig.fake().change(|scene| scene.remove(&object));
    click(&rig, &mut golden, "gone", &save);
    rig.fake().change(|scene| scene.cut_observations(Some(GapReason::Unresponsive)));
    click(&rig, &mut golden, "gone as far as can be seen", &save);
    let app = rig.fake().app();
    rig.fake().change(|scene| scene.silence(app));
    click(&rig, &mut golden, "no answer", &save);
    rig.services.store.edit(1, |snapshot| snapshot.session = "another".to_owned());
    click(&rig, &mut golden, "of another desktop", &save);

    let rig = Rig::with([button("Save").key("save")]);
    let (save, window) = (rig.reference("Save"), rig.window().clone());
    rig.fake().change(|scene| scene.close(&window));
    click(&rig, &mut golden, "window closed", &save);
    let app = rig.fake().app();
    rig.fake().change(|scene| scene.end(app));
    click(&rig, &mut golden, "application ended", &save);

    let rig = Rig::with([button("Save")]);
    let (save, app) = (rig.reference("Save"), rig.fake().app());
    rig.fake().change(|scene| scene.hand_over(app));
    click(&rig, &mut golden, "another process answers", &save);

    let rig = Rig::with([button("OK").key("one"), button("OK").key("two")]);
    rig.run(&["find", "--name", "OK"]);
    let one = rig.fake().object("one");
    rig.fake().change(|scene| scene.remove(&one));
    click(&rig, &mut golden, "of twins one is left", "@s01:e1");

    let rig = Rig::with([element(Role::Group, "Box").with([button("OK").key("ok")]).key("box")]);
    let (ok, inside) = (rig.reference("OK"), rig.fake().object("box"));
    rig.fake().change(|scene| {
        let old = scene.children(&inside)[0].clone();
        scene.rebuild(&old);
        scene.append(&inside, button("OK"));
    });
    click(&rig, &mut golden, "twins by now", &ok);

    let rig = Rig::with([recycling_list("Files", [item("a.txt").key("a"), item("b.txt").key("b")])]);
    let a = rig.reference("a.txt");
    let (object, other) = (rig.fake().object("a"), rig.fake().object("b"));
    rig.fake().change(|scene| {
        scene.rename(&object, "c.txt");
        scene.rename(&other, "d.txt");
    });
    click(&rig, &mut golden, "scrolled away in a list that uses its rows again", &a);

    let rig = Rig::with([button("Save")]);
    for word in ["e1", "@e1", "@s01:e0", "@sil:e1", "@s01:e1\u{200b}"] {
        let told = rig.call("click", serde_json::json!({ "ref_id": word }));
        golden.add("no ref", &format!("click {word:?}"), &told);
        golden.add("no ref, on the command line", &format!("click {word:?}"), &rig.refused(&["click", word]));
    }
    golden.check();
}

/// Every file of a folder and of those in it.
fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, mut files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.extend(folders.iter().flat_map(|folder| sources(folder)));
    files
}

/// Every kind of failure that core, commands and the index can give stands in the answers that are written down.
#[test]
fn no_kind_of_failure_is_without_an_example() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut kinds = BTreeSet::new();
    for folder in ["src", "../core/src", "../apps/src"] {
        for file in sources(&here.join(folder)) {
            let source = std::fs::read_to_string(file).unwrap();
            for start in [".kind(\"", ", \"process_", ", \"window_", ", \"gone", ", \"changed", ", \"indistinct"] {
                let word = start.trim_start_matches(".kind(\"").trim_start_matches(", \"");
                kinds.extend(source.match_indices(start).filter_map(|(at, _)| {
                    let rest = source[at + start.len()..].split('"').next()?;
                    Some(format!("{word}{rest}"))
                }));
            }
        }
    }
    assert!(kinds.len() > 30, "{kinds:?}: this test is blind");
    let mut answers = String::new();
    for file in std::fs::read_dir(here.join("tests/commands/snapshots")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "snap") {
            answers += &std::fs::read_to_string(path).unwrap();
        }
    }
    // A snapshot id by itself is no argument of any command yet, no command reads a recording, and these two of
    // starting a program have tests beside their source.
    // Traces that cannot be written are tried with the real program.
    let unread = ["trace_not_writable", "not_a_recording", "damaged_recording", "unknown_recording_version"];
    // Answers about plans hold names that are new in every run: `files.rs` looks at them.
    let plans = ["bad_actions", "changed_since", "not_rolled_back", "rolled_back"];
    for known in ["bad_snapshot_id", "directory_missing", "environment"].into_iter().chain(unread).chain(plans) {
        assert!(kinds.remove(known), "`{known}` is no kind any more");
    }
    kinds.retain(|kind| !answers.contains(&format!("\"kind\": \"{kind}\"")));
    assert!(kinds.is_empty(), "no example of {kinds:?}");
}
