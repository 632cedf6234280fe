//! Notifications with two servers, judged by what an application that shows them was told.

use std::path::Path;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop, Program, wait_until};

use crate::clipboard::{gone, helpers};
use crate::stage::{PATIENCE, ok, refused, sandbox};

/// The name that the fixture gives itself.
const APP: &str = "fixture-notify";

/// A desktop with a notification server and an application that uses it.
struct Stage {
    client: Fixture,
    _server: Program,
    desktop: PrivateDesktop,
}

impl Stage {
    fn with(server: &str) -> Stage {
        let desktop = PrivateDesktop::start(&sandbox());
        let _server = Program::start(&desktop, server, &[] as &[&str]);
        let client = Fixture::python(&desktop.environment(), "notify_client.py", &["--wait-for-server"]);
        Stage { client, _server, desktop }
    }

    fn dunst() -> Stage {
        Stage::with("dunst")
    }

    /// Where distributions put it outside of everybody's path.
    fn xfce() -> Stage {
        let places = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
        let programs = places.map(|place| format!("{place}/xfce4/notifyd/xfce4-notifyd"));
        let found = programs.iter().find(|program| Path::new(program).exists());
        Stage::with(found.expect("xfce4-notifyd is installed"))
    }

    /// Shows one, and waits until it is listed.
    fn show(&mut self, line: &str, title: &str) -> u64 {
        self.client.command(&format!("show {line}"));
        let number = self.client.events("shown").pop().expect("it was shown")["number"].as_u64().expect("a number");
        self.until(|rows| rows.iter().any(|row| row["title"] == title));
        number
    }

    fn list(&self) -> Vec<Value> {
        ok(&self.desktop.surehand(&["list-notifications"]))["notifications"].as_array().expect("a list").clone()
    }

    /// The monitor hears of things a moment later than the application does.
    fn until(&self, look: impl Fn(&[Value]) -> bool) {
        wait_until(PATIENCE, || look(&self.list()).then_some(()))
            .unwrap_or_else(|| panic!("the notifications are {:?}", self.list()));
    }

    /// What the application was told of this kind, as the server's own values.
    fn told(&self, kind: &str) -> Vec<Value> {
        self.client.events(kind).into_iter().map(|mut event| event["values"].take()).collect()
    }

    fn wait_told(&mut self, kind: &str, values: &Value) {
        self.client.wait_for(&format!("it is told of {kind} {values}"), |events| {
            events.iter().any(|event| event["event"] == kind && event["values"] == *values).then_some(())
        });
    }

    fn ok(&self, line: &[&str]) -> Value {
        ok(&self.desktop.surehand(line))
    }

    fn refused(&self, line: &[&str], code: Code) -> Value {
        refused(&self.desktop.surehand(line), code)
    }
}

fn titles(rows: &[Value]) -> Vec<&str> {
    rows.iter().filter_map(|row| row["title"].as_str()).collect()
}

/// What holds with every server.
fn listed_dismissed_and_never_mistaken(mut stage: Stage) {
    assert!(stage.list().is_empty());
    let first = stage.show("\"Two letters\" \"from <b>Ann</b>\"", "Two letters");
    let second = stage.show("Hello \"\" reply Reply", "Hello");
    let rows = stage.list();
    assert_eq!(titles(&rows), ["Hello", "Two letters"]);
    assert_eq!(rows[0]["actions"], json!(["Reply"]));
    assert_eq!((&rows[1]["body"], &rows[1]["app_name"]), (&json!("from <b>Ann</b>"), &json!(APP)));
    // Another one comes between looking and acting: nothing is done.
    let third = stage.show("Newer", "Newer");
    let line = ["dismiss-notification", "1", "--expected-title", "Hello"];
    assert_eq!(stage.refused(&line, Code::NotificationNotFound)["details"]["kind"], "row_changed");
    stage.refused(&["dismiss-notification", "1"], Code::InvalidArgs);
    stage.refused(&["notification-action", "2", "Forward", "--expected-title", "Hello"], Code::ActionNotSupported);
    assert!(stage.told("NotificationClosed").is_empty() && stage.told("ActionInvoked").is_empty());
    // The one that is meant, and only that.
    let answer = stage.ok(&["dismiss-notification", "2", "--expected-title", "Hello", "--expected-app", APP]);
    assert_eq!((&answer["gone"], &answer["disposition"]["delivery"]), (&json!(true), &json!("delivered_verified")));
    stage.wait_told("NotificationClosed", &json!([second, 3]));
    assert_eq!(titles(&stage.list()), ["Newer", "Two letters"]);
    // Changed in place by its application: another title, the same number.
    stage.client.command(&format!("replace {first} \"Three letters\""));
    stage.until(|rows| titles(rows) == ["Three letters", "Newer"]);
    stage.refused(&["dismiss-notification", "2", "--expected-title", "Two letters"], Code::NotificationNotFound);
    stage.client.command(&format!("withdraw {third}"));
    stage.until(|rows| titles(rows) == ["Three letters"]);
    let answer = stage.ok(&["dismiss-all-notifications", "--app", "nobody"]);
    assert_eq!((&answer["dismissed_count"], &answer["disposition"]["delivery"]), (&json!(0), &json!("not_delivered")));
    stage.show("Last", "Last");
    let answer = stage.ok(&["dismiss-all-notifications"]);
    assert_eq!((&answer["dismissed_count"], &answer["failed_count"]), (&json!(2), &Value::Null));
    stage.wait_told("NotificationClosed", &json!([first, 3]));
    assert!(stage.list().is_empty());
}

#[test]
fn dunst_lists_and_dismisses() {
    listed_dismissed_and_never_mistaken(Stage::dunst());
}

#[test]
fn xfce_lists_and_dismisses() {
    listed_dismissed_and_never_mistaken(Stage::xfce());
}

#[test]
fn dunst_acts_on_the_only_notification_and_refuses_otherwise() {
    let mut stage = Stage::dunst();
    let first = stage.show("Question \"\" default Open no No", "Question");
    let answer = stage.ok(&["notification-action", "1", "Open", "--expected-title", "Question"]);
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified");
    stage.wait_told("ActionInvoked", &json!([first, "default"]));
    let refused = |stage: &Stage, line: &[&str]| {
        let error = stage.refused(line, Code::ActionNotSupported);
        assert_eq!(error["details"]["kind"], "server_cannot_act");
    };
    refused(&stage, &["notification-action", "1", "No", "--expected-title", "Question"]);
    stage.show("Another", "Another");
    refused(&stage, &["notification-action", "2", "Open", "--expected-title", "Question"]);
    assert_eq!(stage.told("ActionInvoked").len(), 1);
}

#[test]
fn xfce_has_its_buttons_pressed_and_twins_are_refused() {
    let mut stage = Stage::xfce();
    let first = stage.show("Question \"1 &lt; 2\" yes Yes no No", "Question");
    stage.show("Other \"\" yes Yes", "Other");
    let before = stage.ok(&["list-windows"])["windows"].take();
    let focused =
        |windows: &Value| windows.as_array().is_some_and(|all| all.iter().any(|one| one["is_focused"] == true));
    assert!(!focused(&before));
    let answer = stage.ok(&["notification-action", "2", "No", "--expected-title", "Question"]);
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified");
    stage.wait_told("ActionInvoked", &json!([first, "no"]));
    assert!(!focused(&stage.ok(&["list-windows"])["windows"]), "nothing got the focus");
    stage.until(|rows| titles(rows) == ["Other"]);
    stage.client.command("show Other \"\" yes Yes");
    stage.until(|rows| titles(rows) == ["Other", "Other"]);
    let error = stage.refused(&["notification-action", "1", "Yes", "--expected-title", "Other"], Code::AmbiguousTarget);
    assert_eq!(error["details"]["kind"], "notification_twins");
    assert_eq!(stage.told("ActionInvoked").len(), 1);
}

#[test]
fn the_monitor_is_one_and_comes_back_and_knows_when_the_server_goes() {
    let mut stage = Stage::dunst();
    stage.show("Before", "Before");
    let watching = helpers(&stage.desktop, "__watch-notifications");
    assert_eq!(watching.len(), 1);
    kill_process(watching[0], Signal::KILL).expect("killed");
    gone(watching[0]);
    // What was shown before is not known any more, and that is not made up. Whoever asks first starts another one, and
    // there is no more than one first.
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..6).map(|_| scope.spawn(|| stage.list())).collect();
        assert!(asking.into_iter().all(|asking| asking.join().expect("an answer").is_empty()));
    });
    // Those that came second end by themselves, which may take a moment.
    let again = wait_until(PATIENCE, || {
        let there = helpers(&stage.desktop, "__watch-notifications");
        (there.len() == 1).then_some(there)
    });
    assert_ne!(again.expect("one is left"), watching);
    stage.client.command("flood 30");
    stage.until(|rows| rows.len() == 30 && rows[0]["title"] == "flood 29" && rows[0]["index"] == 1);
    let some = stage.ok(&["list-notifications", "--limit", "3", "--text", "FLOOD 1"]);
    let rows = some["notifications"].as_array().expect("a list");
    assert_eq!((titles(rows), &some["count"]), (vec!["flood 19", "flood 18", "flood 17"], &json!(11)));
    assert_eq!(rows[0]["index"], 11, "its place among all of them");
    let Stage { client, _server, desktop } = stage;
    drop(_server);
    let rows = || ok(&desktop.surehand(&["list-notifications"]))["count"].take();
    wait_until(PATIENCE, || (rows() == 0).then_some(())).expect("what it showed has gone with it");
    drop(client);
}

#[test]
fn without_a_server_there_is_nothing_to_see_and_nothing_is_started() {
    let desktop = PrivateDesktop::start(&sandbox());
    let answer = ok(&desktop.surehand(&["list-notifications"]));
    assert_eq!((&answer["count"], &answer["notifications"]), (&json!(0), &json!([])));
    assert!(answer["watching_since"].as_u64().is_some_and(|since| since > 1_600_000_000));
    refused(&desktop.surehand(&["dismiss-notification", "1", "--expected-app", "x"]), Code::NotificationNotFound);
    assert!(ok(&desktop.surehand(&["list-apps"]))["apps"].as_array().is_some_and(Vec::is_empty));
}
