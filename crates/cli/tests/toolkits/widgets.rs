//! The toolkits that have a fixture: GTK 4, Qt 5, Qt 6, Java Swing. The application's own log says what happened.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use surehand_testkit::live::{Fixture, PrivateDesktop, wait_until};

use crate::support::{Desk, PATIENCE};

/// What differs between them.
struct Kind {
    recording: &'static str,
    app: &'static str,
    title: &'static str,
    start: fn(&PrivateDesktop) -> Fixture,
    /// A check box has an action.
    checks: bool,
    /// Every character can be written.
    emoji: bool,
    /// A number can be set.
    numbers: bool,
}

const GTK3: Kind = Kind {
    recording: "gtk3",
    app: "fixture-gtk3",
    title: "Fixture GTK3",
    start: |desktop| Fixture::gtk3(desktop, &[]),
    checks: true,
    emoji: true,
    numbers: true,
};

const GTK4: Kind = Kind {
    recording: "gtk4",
    app: "fixture-gtk4",
    title: "Fixture GTK4",
    start: |desktop| Fixture::gtk4(desktop, &[]),
    checks: false,
    emoji: true,
    numbers: true,
};

const QT5: Kind = Kind {
    recording: "qt5",
    app: "fixture-qt5",
    title: "Fixture Qt5",
    start: |desktop| Fixture::qt5(desktop, &[]),
    checks: true,
    emoji: true,
    numbers: true,
};

const QT6: Kind = Kind {
    recording: "qt6",
    app: "fixture-qt6",
    title: "Fixture Qt6",
    start: |desktop| Fixture::qt6(desktop, &[]),
    checks: true,
    emoji: true,
    numbers: true,
};

const SWING: Kind = Kind {
    recording: "swing",
    app: "Fixture Swing",
    title: "Fixture Swing",
    start: Fixture::swing,
    checks: true,
    emoji: false,
    numbers: false,
};

#[test]
fn case_36_gtk3_is_alive_after_every_command() {
    drive(&GTK3);
}

#[test]
fn case_36_gtk4_is_alive_after_every_command() {
    drive(&GTK4);
}

#[test]
fn case_36_qt5_is_alive_after_every_command() {
    drive(&QT5);
}

#[test]
fn case_36_qt6_is_alive_after_every_command() {
    drive(&QT6);
}

#[test]
fn case_36_swing_is_alive_after_every_command() {
    drive(&SWING);
}

#[test]
fn a_qt6_application_that_publishes_nothing_is_told_how_to() {
    let desk = Desk::start();
    let mut environment = desk.desktop.environment();
    assert!(environment.remove("QT_LINUX_ACCESSIBILITY_ALWAYS_ON").is_some(), "a private desktop says so");
    // As on a desktop where nobody has asked for accessibility yet.
    for switch in ["IsEnabled", "ScreenReaderEnabled"] {
        let off = Command::new("dbus-send")
            .args(["--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus"])
            .args(["org.freedesktop.DBus.Properties.Set", "string:org.a11y.Status"])
            .args([&format!("string:{switch}"), "variant:boolean:false"])
            .env_clear()
            .envs(&environment)
            .output()
            .expect("dbus-send runs");
        assert!(off.status.success(), "{off:?}");
    }
    let _fixture = Fixture::python(&environment, "qt_app.py", &["6"]);
    let windows = desk.ok(&["list-windows"]);
    let window = &windows["windows"][0];
    assert_eq!((&window["title"], &window["accessible"]), (&json!("Fixture Qt6"), &json!(false)), "{windows}");
    let id = window["id"].as_str().expect("an id");
    let error = desk.run(&["snapshot", "--window-id", id]).expect_error("ACTION_NOT_SUPPORTED");
    let mend = error["suggestion"].as_str().unwrap_or_default();
    assert!(mend.contains("QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"), "{error}");
}

/// A bus of a session that nobody has prepared, as `dbus-run-session` makes one.
struct Bus(std::process::Child);

impl Bus {
    fn start(environment: &BTreeMap<String, String>) -> (Bus, String) {
        let mut child = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address"])
            .env_clear()
            .envs(environment)
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus-daemon runs");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut address).expect("its address");
        (Bus(child), address.trim().to_owned())
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn case_35_gtk4_in_a_bare_session_has_a_tree_or_says_why_not() {
    let desk = Desk::start();
    // What a desktop of ours says to toolkits is not said here: a display, a bus, and nothing else.
    let mut bare = desk.desktop.environment();
    bare.retain(|name, _| {
        ["DISPLAY", "XAUTHORITY", "HOME", "PATH", "LANG", "XDG_RUNTIME_DIR"].contains(&name.as_str())
    });
    let (_bus, address) = Bus::start(&bare);
    bare.insert("DBUS_SESSION_BUS_ADDRESS".to_owned(), address);
    for (variable, published) in [(None, true), (Some("none"), false)] {
        let mut environment = bare.clone();
        environment.extend(variable.map(|value| ("GTK_A11Y".to_owned(), value.to_owned())));
        let fixture = Fixture::python(&environment, "gtk4_app.py", &[]);
        let run = |arguments: &[&str]| {
            let mut runner = desk.desktop.sandbox().runner(&[arguments, &["--format", "json"]].concat());
            for (name, value) in &bare {
                runner = runner.env(name, value.clone());
            }
            runner.run()
        };
        let window = wait_until(PATIENCE, || {
            let windows = run(&["list-windows"]).expect_ok();
            let own = windows["windows"].as_array()?.iter().find(|window| window["pid"] == fixture.pid())?.clone();
            (own["accessible"] == published).then_some(own)
        });
        let window = window.unwrap_or_else(|| panic!("GTK_A11Y={variable:?}: {}", run(&["list-windows"])));
        let id = window["id"].as_str().expect("an id");
        let read = run(&["snapshot", "--window-id", id]);
        if published {
            let tree = read.expect_ok();
            assert_eq!(tree["complete"], true, "{read}");
            assert!(read.stdout.contains("Press me"), "{read}");
        } else {
            let error = read.expect_error("ACTION_NOT_SUPPORTED");
            assert!(error["suggestion"].as_str().is_some_and(|mend| mend.contains("GTK_A11Y")), "{read}");
        }
    }
}

fn drive(kind: &Kind) {
    let desk = Desk::start();
    let mut fixture = (kind.start)(&desk.desktop);
    let app = kind.app;
    assert_eq!(desk.window(kind.title)["accessible"], true);
    assert!(desk.outline(app).lines().next().is_some_and(|first| first.contains("complete")), "{}", desk.outline(app));
    desk.record(kind.recording, app, &[]);
    desk.has_picture(app);

    let press = desk.find(app, "button", "Press me");
    desk.ok(&["click", &press]);
    expect(&mut fixture, "clicked", "Press me", |_| true);

    let later = desk.find(app, "button", "Later");
    assert_eq!(desk.is(&later, "enabled"), false);
    assert_eq!(desk.is(&press, "enabled"), true);
    desk.run(&["click", &later, "--timeout-ms", "300"]).expect_error("TIMEOUT");
    fixture.command("enable");
    desk.ok(&["click", &later]);
    expect(&mut fixture, "clicked", "Later", |_| true);
    desk.note("click button", "works");

    let field = desk.find(app, "textfield", "Name field");
    assert_eq!(desk.get(&field, "value"), "hello");
    desk.ok(&["set-value", &field, "Zażółć €"]);
    expect(&mut fixture, "changed", "Name field", |event| event["text"] == "Zażółć €");
    assert_eq!(desk.get(&field, "value"), "Zażółć €");
    desk.ok(&["type", &field, "+ü"]);
    expect(&mut fixture, "changed", "Name field", |event| {
        event["text"].as_str().is_some_and(|text| text.contains("+ü") && text.contains("Zaż"))
    });
    desk.note("set-value textfield", "works");
    desk.note("type textfield", "works");
    let emoji = desk.run(&["set-value", &field, "a😀b"]);
    if kind.emoji {
        emoji.expect_ok();
        expect(&mut fixture, "changed", "Name field", |event| event["text"] == "a😀b");
        desk.ok(&["type", &field, "😀c"]);
        expect(&mut fixture, "changed", "Name field", |event| {
            event["text"].as_str().is_some_and(|text| text.contains("😀c") && text.chars().count() == 5)
        });
    } else {
        desk.note("set-value textfield", "works, and refuses characters beyond U+FFFF");
        assert_eq!(emoji.expect_error("ACTION_NOT_SUPPORTED")["disposition"]["delivery"], "not_delivered");
    }

    let volume = desk.find(app, "slider", "Volume");
    assert_eq!(desk.get(&volume, "value"), "40");
    let set = desk.run(&["set-value", &volume, "70"]);
    if kind.numbers {
        set.expect_ok();
        expect(&mut fixture, "value-changed", "Volume", |event| event["value"].as_f64() == Some(70.0));
        desk.note("set-value slider", "works");
    } else {
        desk.note("set-value slider", "refused");
        set.expect_error("ACTION_NOT_SUPPORTED");
    }

    let check = desk.find(app, "checkbox", "Check me");
    assert_eq!(desk.is(&check, "checked"), false);
    let clicked = desk.run(&["click", &check]);
    if kind.checks {
        clicked.expect_ok();
        expect(&mut fixture, "toggled", "Check me", |event| event["active"] == true);
        assert_eq!(desk.is(&check, "checked"), true);
        desk.note("click checkbox", "works");
    } else {
        desk.note("click checkbox", "refused");
        clicked.expect_error("POLICY_DENIED");
        assert!(!fixture.events("toggled").iter().any(|event| event["widget"] == "Check me"));
    }
    switches_and_lists(&desk, kind, &mut fixture);
    a_dialog_is_named(&desk, kind, &fixture);
    secrets_stay_secret(&desk, kind, &mut fixture);
    everything_else(&desk, kind, &press);
    // Whoever was asked for its actions still runs, and still listens.
    fixture.command("enable");
    desk.report(kind.title, app);
    desk.run(&["close-app", app, "--timeout-ms", "5000"]);
}

/// The commands that have not been tried on it yet.
fn everything_else(desk: &Desk, kind: &Kind, button: &str) {
    let window = desk.window(kind.title);
    let id = window["id"].as_str().expect("an id");
    for arguments in [
        &["list-apps"][..],
        &["list-windows", "--app", kind.app],
        &["list-surfaces", "--app", kind.app],
        &["snapshot", "--app", kind.app, "--include-bounds"],
        &["snapshot", "--root", button],
        &["get", button, "--property", "states"],
        &["get", button, "--property", "bounds"],
        &["is", button, "--property", "visible"],
        &["wait", "--element", button, "--predicate", "enabled"],
        &["wait", "--window", kind.title],
        &["press", "shift", "--window-id", id],
    ] {
        let run = desk.run(arguments);
        let error = run.json()["error"]["code"].as_str().map(str::to_owned);
        assert!(!matches!(error.as_deref(), Some("INTERNAL" | "APP_UNRESPONSIVE" | "STALE_REF")), "{run}");
    }
}

/// What each toolkit can do headless, judged by what the application logged; and the refusal where it cannot.
fn switches_and_lists(desk: &Desk, kind: &Kind, fixture: &mut Fixture) {
    if kind.app == SWING.app {
        return;
    }
    let delivery = |arguments: &[&str]| desk.ok(arguments)["disposition"]["delivery"].clone();
    let check = desk.find(kind.app, "checkbox", "Check me");
    if kind.checks {
        assert_eq!(delivery(&["check", &check]), "not_delivered");
        assert_eq!(delivery(&["uncheck", &check]), "delivered_verified");
        assert_eq!(delivery(&["toggle", &check]), "delivered_verified");
        let toggled: Vec<_> = fixture.events("toggled").iter().map(|event| event["active"].clone()).collect();
        assert_eq!(toggled, [true, false, true]);
    } else {
        for command in ["check", "toggle"] {
            let error = desk.run(&[command, &check]).expect_error("POLICY_DENIED");
            assert_eq!(error["details"]["kind"], "needs_headed");
        }
    }
    desk.note("check checkbox", if kind.checks { "works" } else { "needs headed" });

    let colour = desk.ok(&["find", "--app", kind.app, "--role", "combobox"]);
    let colour = colour["matches"][0]["ref_id"].as_str().expect("a ref");
    if kind.app == GTK3.app {
        assert_eq!(delivery(&["select", colour, "Green"]), "delivered_verified");
        expect(fixture, "changed", "Colour", |event| event["text"] == "Green");
        assert_eq!(desk.get(colour, "value"), "Green");
    } else {
        desk.run(&["select", colour, "Green"]).expect_error("ACTION_NOT_SUPPORTED");
        assert!(!fixture.events("changed").iter().any(|event| event["widget"] == "Colour"));
    }
    desk.note("select combobox", if kind.app == GTK3.app { "works" } else { "refused" });

    let role = if kind.app == GTK3.app { "listbox" } else { "list" };
    let rows = desk.find(kind.app, role, "Rows");
    assert_eq!(delivery(&["select", &rows, "row 1"]), "delivered_verified");
    if kind.app == GTK3.app || kind.app == GTK4.app {
        expect(fixture, "row-selected", "Rows", |event| event["row"] == 1);
    }
    assert_eq!(delivery(&["select", &rows, "row 1"]), "not_delivered");
    desk.note("select list", "works");

    let press = desk.find(kind.app, "button", "Press me");
    assert_eq!(delivery(&["scroll", &press]), "delivered_verified");
    desk.ok(&["scroll-to", &press]);
    desk.note("scroll", "works");
    for command in ["right-click", "double-click", "triple-click"] {
        desk.run(&[command, &press]).expect_error("POLICY_DENIED");
    }
    desk.note("double-click", "needs headed");
    let before = fixture.events("clicked").len();
    assert_eq!(delivery(&["click", &press, "--dry-run"]), "not_delivered");
    assert_eq!(fixture.events("clicked").len(), before);
}

/// A dialog that a click opens is in the answer, with an id and a ref.
fn a_dialog_is_named(desk: &Desk, kind: &Kind, fixture: &Fixture) {
    if kind.app == SWING.app {
        return;
    }
    let ask = desk.find(kind.app, "button", "Ask\u{2026}");
    let answer = desk.ok(&["click", &ask]);
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{answer}");
    let effects = answer["effects"].as_array().cloned().unwrap_or_default();
    let window = effects.iter().find(|effect| effect["what"] == "window_opened").expect("the window is told");
    let id = window["window"]["id"].as_str().expect("an id");
    let cancel = desk.ok(&["find", "--window-id", id, "--role", "button", "--name", "Cancel"]);
    desk.ok(&["click", cancel["matches"][0]["ref_id"].as_str().expect("a ref")]);
    assert_eq!(fixture.events("dialog-opened").len(), 1);
}

/// Writes into the fields for secrets and looks for it in everything that can be read.
fn secrets_stay_secret(desk: &Desk, kind: &Kind, fixture: &mut Fixture) {
    let fields: &[&str] = if kind.app == "fixture-gtk4" { &["Password", "Card PIN"] } else { &["Password"] };
    for name in fields {
        let field = desk.find(kind.app, "textfield", name);
        let run = desk.run(&["set-value", &field, "hunter2"]);
        run.expect_ok();
        assert!(!run.stdout.contains("hunter2"), "{run}");
        expect(fixture, "changed", name, |event| event["text"] == "hunter2");
        for arguments in [
            vec!["snapshot", "--app", kind.app],
            vec!["find", "--app", kind.app, "--role", "textfield"],
            vec!["get", &field, "--property", "value"],
            vec!["get", &field, "--property", "text"],
        ] {
            let run = desk.run(&arguments);
            assert!(!run.stdout.contains("hunter2"), "{run}");
        }
        assert!(desk.outline(kind.app).contains(&format!("\"{name}\" secure")), "{}", desk.outline(kind.app));
    }
}

fn expect(fixture: &mut Fixture, event: &str, widget: &str, is: impl Fn(&Value) -> bool) {
    fixture.wait_for(&format!("{event} of {widget}"), |events| {
        events
            .iter()
            .any(|found| found["event"] == event && found["widget"] == json!(widget) && is(found))
            .then_some(())
    });
}
