//! Chromium, its `--app` windows (as everything has them that is built on it), and Firefox. The title of the
//! window, set by the page's own script, says what happened.

use std::fs;
use std::path::Path;

use surehand_testkit::live::Program;

use crate::support::Desk;

/// What Firefox is told so that it shows the page and nothing else.
const FIREFOX: &str = r#"user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("datareporting.policy.firstRunURL", "");
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("termsofuse.bypassNotification", true);
user_pref("browser.preonboarding.enabled", false);
user_pref("app.update.enabled", false);
"#;

fn page() -> String {
    format!("file://{}", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toolkits/page.html").display())
}

pub(crate) fn chromium(desk: &Desk, last: &str) -> Program {
    let mut arguments = vec!["--no-first-run", "--disable-gpu", "--user-data-dir={folder}", last];
    // It refuses to run as root with its sandbox. The test says that it may, the product never does.
    if rustix::process::geteuid().is_root() {
        arguments.push("--no-sandbox");
    }
    Program::start(&desk.desktop, "chromium", &arguments)
}

#[test]
fn chromium_tab() {
    let desk = Desk::start();
    let _browser = chromium(&desk, &page());
    drive_chromium(&desk, Some("chromium"));
    desk.report("Chromium", "Chromium");
}

#[test]
fn chromium_app_window() {
    let desk = Desk::start();
    let _browser = chromium(&desk, &format!("--app={}", page()));
    drive_chromium(&desk, None);
    desk.report("Chromium app window", "Chromium");
}

pub(crate) fn firefox(desk: &Desk, page: &str) -> Program {
    let folder = Program::folder();
    fs::write(folder.path().join("user.js"), FIREFOX).expect("a profile");
    Program::start_in(&desk.desktop, "firefox-esr", &["--no-remote", "--profile", "{folder}", page], folder)
}

fn drive_chromium(desk: &Desk, recording: Option<&str>) {
    // The window is there before its content, and the first look has to bring that about by itself.
    desk.window("toolkit page");
    drive(desk, "Chromium", recording);
    // There is no interface for editing at all.
    let field = desk.find("Chromium", "textfield", "Full name");
    only_the_keyboard_writes(desk, &field);
    let outline = desk.outline("Chromium");
    // It offers an action on everything, and only what does something gets a ref.
    assert!(outline.lines().any(|line| line.trim() == "\"Only a text\""), "{outline}");
}

fn only_the_keyboard_writes(desk: &Desk, field: &str) {
    for command in ["set-value", "type"] {
        let why = desk.refused(&[command, field, "x"]);
        assert!(why.contains("keyboard"), "{why}");
    }
    desk.note("set-value textfield", "refused");
    desk.note("type textfield", "refused");
    assert_eq!(desk.get(field, "value"), "hello");
}

/// What is the same in both: the first snapshot has the page, and what is done to it shows in the title.
fn drive(desk: &Desk, app: &str, recording: Option<&str>) {
    let first = desk.outline(app);
    for part in [
        "heading",
        "\"A heading\"",
        "\"Order form\"",
        "textfield @",
        "\"Full name\" value=\"hello\"",
        "\"Subscribe\"",
        "\"Place order\"",
    ] {
        assert!(first.contains(part), "{part} in the first snapshot\n{first}");
    }
    assert!(!first.contains("hunter2"), "{first}");
    if let Some(name) = recording {
        // The address bar shows where the page is.
        desk.record(name, app, &[(env!("CARGO_MANIFEST_DIR"), "/home/user")]);
    }
    desk.has_picture(app);

    let order = desk.find(app, "button", "Place order");
    desk.ok(&["click", &order]);
    desk.window("page pressed 1");
    desk.ok(&["click", &order]);
    desk.window("page pressed 2");
    desk.note("click button", "works");
    let not_now = desk.find(app, "button", "Not now");
    assert_eq!(desk.is(&not_now, "enabled"), false);
    let subscribe = desk.find(app, "checkbox", "Subscribe");
    assert_eq!(desk.is(&subscribe, "checked"), false);
    desk.ok(&["click", &subscribe]);
    desk.window("page checked true");
    assert_eq!(desk.is(&subscribe, "checked"), true);
    desk.note("click checkbox", "works");
    let volume = desk.find(app, "slider", "Volume");
    desk.ok(&["set-value", &volume, "70"]);
    desk.window("page volume 70");
    desk.note("set-value slider", "works");
    let password = desk.find(app, "textfield", "Password");
    let run = desk.run(&["get", &password, "--property", "value"]);
    assert!(!run.stdout.contains("hunter2"), "{run}");
}

#[test]
fn firefox_tab() {
    let desk = Desk::start();
    let _browser = firefox(&desk, &page());
    desk.window("toolkit page");
    drive(&desk, "Firefox", Some("firefox"));
    // Its interface for editing answers that it did what it did not do, so it is not used.
    let field = desk.find("Firefox", "textfield", "Full name");
    only_the_keyboard_writes(&desk, &field);
    desk.report("Firefox", "Firefox");
}
