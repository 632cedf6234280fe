//! `open`: what the index names is started, and nothing else.

use std::fs;
use std::path::Path;

use serde_json::Value;
use surehand_core::Code;
use surehand_testkit::live::{PrivateDesktop, Sandbox};

use crate::stage::{APP, ok, refused, sandbox, wait_for_windows};

/// Writes a desktop entry into an applications directory.
fn entry(data: &Path, id: &str, lines: &str) {
    let folder = data.join("applications");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(format!("{id}.desktop")), format!("[Desktop Entry]\nType=Application\n{lines}\n"))
        .expect("an entry");
}

/// The user's own data directory.
fn own(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.home().join(".local/share")
}

/// An `Exec` that starts the fixture with this title.
fn fixture(title: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/fixtures/gtk3_app.py");
    let script = script.canonicalize().expect("the fixture");
    format!("Exec=/usr/bin/python3 \"{}\" --title \"{title}\"", script.display())
}

/// The windows' titles when there is one that has this title.
fn appears(desktop: &PrivateDesktop, title: &str) -> Value {
    wait_for_windows(desktop, &format!("{title:?} is there"), |windows| {
        windows.iter().find(|window| window["title"] == title).cloned()
    })
}

#[test]
fn an_application_is_opened_by_id_by_name_and_by_its_name_in_another_language() {
    let sandbox = sandbox();
    entry(
        &own(&sandbox),
        "org.example.Paper",
        &format!("Name=Paper Editor\nName[de]=Papierbearbeitung\n{}", fixture("Paper")),
    );
    let desktop = PrivateDesktop::start(&sandbox);
    for request in
        ["org.example.Paper", "org.example.Paper.desktop", "Paper Editor", "paper  EDITOR", "papierbearbeitung"]
    {
        let opened = ok(&desktop.surehand(&["open", request]));
        assert_eq!(opened["id"], "org.example.Paper", "{request}");
        assert_eq!((&opened["app"], &opened["accepted"]), (&Value::from("Paper Editor"), &Value::Bool(true)));
        // That it was started is not claimed to be a window.
        assert_eq!(opened["disposition"]["delivery"], "delivered_unverified");
        let window = appears(&desktop, "Paper");
        assert_eq!((&window["pid"], &window["process_instance"]), (&opened["pid"], &opened["process_instance"]));
        assert_eq!(window["app_name"], APP);
        assert_eq!(ok(&desktop.surehand(&["close-app", APP]))["closed"], true);
    }
}

#[test]
fn what_was_opened_has_a_session_of_its_own_and_none_of_our_streams() {
    let sandbox = sandbox();
    entry(&own(&sandbox), "paper", &format!("Name=Paper\n{}", fixture("Paper")));
    let desktop = PrivateDesktop::start(&sandbox);
    let opened = ok(&desktop.surehand(&["open", "paper"]));
    let pid = opened["pid"].as_u64().expect("a pid");
    appears(&desktop, "Paper");
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("its fields").1.split(' ').collect();
    // State, parent, group, session.
    assert_eq!((fields[2], fields[3]), (pid.to_string().as_str(), pid.to_string().as_str()), "{stat}");
    for descriptor in 0..3 {
        let target = fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).expect("a stream");
        assert_eq!(target, Path::new("/dev/null"));
    }
    let environment = fs::read(format!("/proc/{pid}/environ")).expect("its environment");
    let environment = String::from_utf8_lossy(&environment);
    let display = format!("DISPLAY={}", desktop.environment()["DISPLAY"]);
    assert!(environment.split('\0').any(|variable| variable == display), "{environment}");
}

#[test]
fn what_is_not_in_the_index_is_not_started() {
    let sandbox = sandbox();
    let witness = sandbox.home().join("started");
    entry(
        &own(&sandbox),
        "org.example.Touch",
        &format!("Name=Touch Something\nExec=/usr/bin/touch \"{}\"", witness.display()),
    );
    let script = sandbox.home().join("script.sh");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", witness.display())).expect("a script");
    let desktop = PrivateDesktop::start(&sandbox);
    let path = script.to_str().expect("UTF-8");
    let own_entry = own(&sandbox).join("applications/org.example.Touch.desktop");
    for request in [
        "nothing of that name",
        "Touch",
        "Touch Somethin",
        "org.example",
        "org.example.*",
        path,
        "./script.sh",
        "../script.sh",
        "/usr/bin/touch",
        "touch",
        own_entry.to_str().expect("UTF-8"),
        "file:///usr/bin/touch",
        "sh -c touch",
    ] {
        let run = desktop.surehand(&["open", request]);
        let error = refused(&run, Code::NotIndexed);
        assert!(error["details"]["kind"].is_string(), "{run}");
    }
    for request in ["", " ", "a\nb", &"x".repeat(5_000)] {
        refused(&desktop.surehand(&["open", request]), Code::InvalidArgs);
    }
    refused(&desktop.surehand(&["open", "org.example.Touch", "--arg", "x"]), Code::InvalidArgs);
    assert_eq!(desktop.surehand(&["open", "--", "org.example.Touch", "x"]).status(), 2);
    assert!(!witness.exists(), "something was started");
    ok(&desktop.surehand(&["open", "Touch Something"]));
    surehand_testkit::live::wait_until(crate::stage::PATIENCE, || witness.exists().then_some(()))
        .expect("what is in the index is started");
}

#[test]
fn an_entry_of_the_user_shadows_the_system_s() {
    let sandbox = sandbox();
    let system = sandbox.path().join("system");
    entry(&system, "paper", &format!("Name=System Paper\n{}", fixture("System")));
    entry(&system, "gone", &format!("Name=Gone\n{}", fixture("Gone")));
    entry(&own(&sandbox), "paper", &format!("Name=Own Paper\n{}", fixture("Own")));
    entry(&own(&sandbox), "gone", "Name=Gone\nHidden=true");
    let desktop = PrivateDesktop::start(&sandbox);
    // The toolkit finds its own files in the second one.
    let both = format!("{}:/usr/share", system.display());
    let open = |request: &str| desktop.runner(&["open", request]).env("XDG_DATA_DIRS", &both).run();
    let opened = ok(&open("paper"));
    assert_eq!((&opened["app"], &opened["source"]), (&Value::from("Own Paper"), &Value::from("user")));
    appears(&desktop, "Own");
    // What is shadowed is not there by its name either, and what is hidden is not there at all.
    refused(&open("System Paper"), Code::NotIndexed);
    refused(&open("gone"), Code::NotIndexed);
    fs::remove_file(own(&sandbox).join("applications/paper.desktop")).expect("removed");
    let opened = ok(&open("paper"));
    assert_eq!((&opened["app"], &opened["source"]), (&Value::from("System Paper"), &Value::from("system")));
    appears(&desktop, "System");
}

#[test]
fn a_name_that_several_have_is_a_question_to_the_person() {
    let sandbox = sandbox();
    entry(&own(&sandbox), "one", &format!("Name=Paper\n{}", fixture("One")));
    entry(&own(&sandbox), "two", &format!("Name=Paper\n{}", fixture("Two")));
    let desktop = PrivateDesktop::start(&sandbox);
    let error = refused(&desktop.surehand(&["open", "Paper"]), Code::AmbiguousTarget);
    assert_eq!(error["details"]["ask_user"], true, "{error}");
    assert_eq!(error["details"]["candidates"].as_array().map(Vec::len), Some(2), "{error}");
    assert_eq!(ok(&desktop.surehand(&["list-apps"]))["apps"].as_array().map(Vec::len), Some(0));
    ok(&desktop.surehand(&["open", "two"]));
    appears(&desktop, "Two");
}

#[test]
fn what_cannot_be_started_is_said_to_be_so() {
    let sandbox = sandbox();
    entry(&own(&sandbox), "missing", "Name=Missing\nExec=/nowhere/program");
    entry(&own(&sandbox), "terminal", "Name=In a terminal\nExec=/bin/true\nTerminal=true");
    entry(&own(&sandbox), "malformed", "Name=Malformed\nExec=/bin/true \"unclosed");
    let desktop = PrivateDesktop::start(&sandbox);
    refused(&desktop.surehand(&["open", "missing"]), Code::NoLongerInstalled);
    refused(&desktop.surehand(&["open", "terminal"]), Code::ActionNotSupported);
    let run = desktop.surehand(&["open", "malformed"]);
    assert!(["ACTION_NOT_SUPPORTED", "NOT_INDEXED"].iter().any(|code| run.json()["error"]["code"] == *code), "{run}");
    assert_eq!(run.json()["error"]["disposition"]["delivery"], "not_delivered", "{run}");
}
