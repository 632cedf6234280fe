//! VTE, in Xfce's terminal.

use surehand_testkit::live::{Program, wait_until};

use crate::support::{Desk, PATIENCE};

#[test]
fn vte() {
    let desk = Desk::start();
    let script =
        "printf 'what the shell says\\n'; read line; printf 'got %s' \"$line\" > {folder}/typed; exec sleep 600";
    let arguments = ["--disable-server", "--title", "toolkit terminal", "-x", "sh", "-c", script];
    let terminal = Program::start(&desk.desktop, "xfce4-terminal", &arguments);
    desk.window("toolkit terminal");
    let app = "xfce4-terminal";
    let outline = wait_until(PATIENCE, || Some(desk.outline(app)).filter(|text| text.contains("what the shell says")));
    assert!(outline.is_some(), "{}", desk.outline(app));
    desk.record("vte", app, &[]);
    desk.has_picture(app);
    let screen = desk.find(app, "textfield", "Terminal");
    assert!(desk.get(&screen, "text").as_str().is_some_and(|text| text.contains("what the shell says")));
    assert_eq!(desk.is(&screen, "visible"), true);
    for command in ["set-value", "type"] {
        let why = desk.refused(&[command, &screen, "x"]);
        assert!(why.contains("keyboard"), "{why}");
    }
    desk.note("set-value textfield", "refused");
    desk.note("type textfield", "refused");
    // So it is the keyboard.
    for key in ["h", "i", "return"] {
        desk.ok(&["press", key, "--app", app]);
    }
    let typed = wait_until(PATIENCE, || Some(terminal.file("typed")).filter(|typed| !typed.is_empty()));
    assert_eq!(typed.as_deref(), Some("got hi"));
    desk.note("press", "works");
    desk.report("VTE", app);
}
