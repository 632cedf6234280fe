//! `open`, `close-app`, `list-apps` and `list-windows`.

use std::fs;
use std::path::Path;

use surehand_core::desktop::Environment;
use surehand_core::object::Process;
use surehand_testkit::fake::button;

use crate::golden::Golden;
use crate::rig::Rig;

/// An index of desktop entries: id, name, and further lines.
fn index(rig: &mut Rig, data: &Path, entries: &[(&str, &str, &str)]) {
    let folder = data.join("applications");
    fs::create_dir_all(&folder).unwrap();
    for (id, name, more) in entries {
        let text = format!("[Desktop Entry]\nType=Application\nName={name}\n{more}\n");
        fs::write(folder.join(format!("{id}.desktop")), text).unwrap();
    }
    let Environment(variables) = &mut rig.services.environment;
    variables.insert("XDG_DATA_HOME".to_owned(), data.to_string_lossy().into_owned());
    variables.insert("XDG_DATA_DIRS".to_owned(), data.join("none").to_string_lossy().into_owned());
    rig.services.index = surehand_apps::scan(&rig.services.environment);
}

#[test]
fn open() {
    let mut golden = Golden::of("open");
    let data = tempfile::tempdir().unwrap();
    let mut rig = Rig::empty();
    let missing = "Exec=/no/such/program";
    index(
        &mut rig,
        data.path(),
        &[
            ("org.example.Writer", "Writer", missing),
            ("org.example.Paint", "Paint", "Exec=/usr/bin/env"),
            ("org.example.Paint2", "Paint", "Exec=/usr/bin/env"),
            ("org.example.Shell", "Shell", "Exec=/usr/bin/env\nTerminal=true"),
            ("org.example.Broken", "", ""),
        ],
    );
    golden.case("not known", &rig, &["open", "Write"]);
    golden.case("not known, with nothing like it", &rig, &["open", "zzz"]);
    golden.case("a path", &rig, &["open", "/usr/bin/env"]);
    golden.case("several", &rig, &["open", "paint"]);
    golden.case("an entry that cannot be used", &rig, &["open", "org.example.Broken"]);
    golden.case("a program that is gone", &rig, &["open", "writer"]);
    golden.case("one that needs a terminal", &rig, &["open", "Shell"]);
    golden.case("no name", &rig, &["open", ""]);
    fs::remove_file(data.path().join("applications/org.example.Writer.desktop")).unwrap();
    golden.case("an entry that is gone", &rig, &["open", "Writer"]);
    golden.check();
}

/// Started for real, since what is started is a program that does nothing. Its process differs every time, so the
/// answer is not written down word for word.
#[test]
fn an_application_is_started_by_its_name() {
    let data = tempfile::tempdir().unwrap();
    let mut rig = Rig::empty();
    index(&mut rig, data.path(), &[("org.example.Nothing", "Nothing", "Exec=/usr/bin/true")]);
    let told = rig.run(&["open", "nothing"]);
    let answer = told.value();
    assert_eq!(answer["data"]["id"], "org.example.Nothing", "{answer}");
    assert_eq!(answer["data"]["accepted"], true);
    assert_eq!(answer["data"]["disposition"]["delivery"], "delivered_unverified");
    let record = serde_json::json!({ "command": "open", "app": "Nothing",
        "disposition": { "delivery": "delivered_unverified", "retry": "unsafe" } });
    assert_eq!(told.records, [record]);
    let pid = &answer["data"]["pid"];
    assert_eq!(told.text, format!(r#"open "Nothing" id="org.example.Nothing" pid={pid} accepted"#));
}

#[test]
fn close_app() {
    let mut golden = Golden::of("close-app");
    let rig = Rig::editor();
    let (window, app) = (rig.window().clone(), rig.fake().app());
    let second = rig.fake().change(|scene| scene.open(app, "Find", [button("Next")]));
    rig.fake().change(|scene| {
        scene.on_close(&second, move |scene| {
            scene.after(std::time::Duration::from_millis(200), move |scene| scene.end(app));
        });
    });
    golden.case("ends", &rig, &["close-app", "editor"]);
    golden.case("is gone by then", &rig, &["close-app", "editor"]);
    assert!(!rig.fake().change(|scene| scene.lives(&window)));

    let rig = Rig::editor();
    let window = rig.window().clone();
    rig.fake().change(|scene| scene.keep_open(&window));
    golden.case("asks back", &rig, &["close-app", "Editor", "--timeout-ms", "500"]);

    let rig = Rig::editor();
    rig.fake().change(|scene| {
        let other = scene.start("editor");
        scene.open(other, "Other", []);
    });
    golden.case("two of that name", &rig, &["close-app", "editor"]);

    let rig = Rig::empty();
    rig.fake().change(|scene| scene.start("tray"));
    golden.case("without a window", &rig, &["close-app", "tray"]);

    let rig = Rig::editor();
    let app = rig.fake().app();
    rig.fake().change(|scene| scene.silence(app));
    golden.case("does not answer", &rig, &["close-app", "editor"]);

    let rig = Rig::editor();
    let window = rig.window().clone();
    rig.fake().change(|scene| scene.keep_open(&window));
    let cancel = rig.cancel.clone();
    rig.after(100, move |_| cancel.raise());
    golden.case("cancelled while waiting", &rig, &["close-app", "editor"]);
    golden.check();
}

#[test]
fn lists() {
    let mut golden = Golden::of("lists");
    golden.case("no applications", &Rig::empty(), &["list-apps"]);
    golden.case("no windows", &Rig::empty(), &["list-windows"]);
    let rig = Rig::editor();
    rig.fake().change(|scene| {
        let calendar = scene.start("calendar \u{202e}\n");
        let today = scene.open(calendar, "Today\"\nwindow w-1", []);
        scene.minimize(&today, true);
        let silent = scene.start("frozen");
        scene.open(silent, "Busy", []);
        scene.silence(silent);
        scene.open_foreign("Clock", Process { pid: 77, generation: "clock-1".to_owned() });
    });
    golden.case("applications", &rig, &["list-apps"]);
    golden.case("applications by part of the name", &rig, &["list-apps", "--app", "EDIT"]);
    golden.case("applications that do not answer, by name", &rig, &["list-apps", "--app", "froz"]);
    golden.case("windows", &rig, &["list-windows"]);
    golden.case("windows of one application", &rig, &["list-windows", "--app", "editor"]);
    golden.case("windows of one that does not answer", &rig, &["list-windows", "--app", "frozen"]);
    golden.case("windows of none", &rig, &["list-windows", "--app", "paint"]);
    golden.check();
}
