//! The toolkits that have a fixture. Its log tells what happened.

use serde_json::Value;
use surehand_testkit::live::{Fixture, PrivateDesktop};

use super::{Subject, has};
use crate::support::Desk;

/// What differs between them.
struct Kind {
    app: &'static str,
    title: &'static str,
    start: fn(&PrivateDesktop) -> Fixture,
    /// The role of the list of rows.
    rows: &'static str,
    /// The role of what is folded.
    fold: &'static str,
    /// The role of a radio button.
    radio: &'static str,
    /// Where the knob of a slider is, in tenths of its height.
    knob: i64,
}

#[test]
fn gtk3_actions() {
    drive(&Kind {
        app: "fixture-gtk3",
        title: "Fixture GTK3",
        start: |desktop| Fixture::gtk3(desktop, &["--input"]),
        rows: "listbox",
        fold: "button",
        radio: "radiobutton",
        knob: 7,
    });
}

#[test]
fn gtk4_actions() {
    drive(&Kind {
        app: "fixture-gtk4",
        title: "Fixture GTK4",
        start: |desktop| Fixture::gtk4(desktop, &["--input"]),
        rows: "list",
        fold: "",
        radio: "checkbox",
        knob: 5,
    });
}

#[test]
fn qt5_actions() {
    drive(&Kind {
        app: "fixture-qt5",
        title: "Fixture Qt5",
        start: |desktop| Fixture::qt5(desktop, &["--input"]),
        rows: "list",
        fold: "cell",
        radio: "radiobutton",
        knob: 5,
    });
}

#[test]
fn qt6_actions() {
    drive(&Kind {
        app: "fixture-qt6",
        title: "Fixture Qt6",
        start: |desktop| Fixture::qt6(desktop, &["--input"]),
        rows: "list",
        fold: "cell",
        radio: "radiobutton",
        knob: 5,
    });
}

#[test]
fn swing_actions() {
    let desk = Desk::start();
    let fixture = Fixture::swing(&desk.desktop);
    desk.window("Fixture Swing");
    let subject = Subject::new(&desk, "Fixture Swing", || fixture.log());
    common(&subject, "radiobutton", 4);
    subject.compare("Fixture Swing");
}

fn drive(kind: &Kind) {
    let desk = Desk::start();
    let fixture = (kind.start)(&desk.desktop);
    desk.window(kind.title);
    let subject = Subject::new(&desk, kind.app, || fixture.log());
    common(&subject, kind.radio, kind.knob);
    let copies = subject.target("incrementor", "Copies");
    subject.on("set-value spinbutton", &copies, &["4"], |events| {
        has(events, "value-changed", "Copies", |event| event["value"].as_f64() == Some(4.0))
    });
    let rows = subject.target(kind.rows, "Rows");
    subject
        .on("select list", &rows, &["row 1"], |events| has(events, "row-selected", "Rows", |event| event["row"] == 1));
    let fold = match kind.fold {
        "" => subject.named("Details"),
        role => subject.target(role, "Details"),
    };
    let folded = |on: bool| move |events: &[Value]| has(events, "expanded", "Details", |event| event["expanded"] == on);
    subject.on("expand", &fold, &[], folded(true));
    subject.on("collapse", &fold, &[], folded(false));
    subject.compare(kind.title);
}

/// What all of them have.
fn common(subject: &Subject<'_>, radio: &str, knob: i64) {
    let press = subject.target("button", "Press me");
    let field = subject.target("textfield", "Name field");
    let pressed = |button: u64, count: u64| {
        move |events: &[Value]| {
            has(events, "pressed", "Press me", |event| event["button"] == button && event["count"] == count)
        }
    };
    let holds = |text: &'static str| {
        move |events: &[Value]| has(events, "changed", "Name field", |event| event["text"] == text)
    };
    subject.on("click button", &press, &[], |events| has(events, "clicked", "Press me", |_| true));
    subject.on("set-value textfield", &field, &["Zażółć"], holds("Zażółć"));
    subject.on("clear", &field, &[], holds(""));
    subject.on("type", &field, &["€x"], holds("€x"));
    let volume = subject.target("slider", "Volume");
    subject.on("set-value slider", &volume, &["50"], |events| {
        has(events, "value-changed", "Volume", |event| event["value"].as_f64() == Some(50.0))
    });
    let check = subject.target("checkbox", "Check me");
    let toggled = |name: &'static str, on: bool| {
        move |events: &[Value]| has(events, "toggled", name, |event| event["active"] == on)
    };
    subject.on("click checkbox", &check, &[], toggled("Check me", true));
    subject.on("uncheck", &check, &[], toggled("Check me", false));
    subject.on("check", &check, &[], toggled("Check me", true));
    subject.on("toggle", &check, &[], toggled("Check me", false));
    subject.on("check radiobutton", &subject.target(radio, "Two"), &[], toggled("Two", true));
    let colour = subject.target("combobox", "");
    subject.on("select combobox", &colour, &["Green"], |events| {
        has(events, "changed", "Colour", |event| event["text"] == "Green")
    });
    let notes = subject.target("textfield", "Notes");
    subject.on("focus", &notes, &[], |events| has(events, "focus-in", "Notes", |_| true));
    let scrolled = |events: &[Value]| events.iter().any(|event| event["event"] == "scrolled");
    // The notes are far down, and the button is near the top again.
    subject.desk.run(&["scroll-to", &notes]);
    subject.on("scroll-to", &press, &[], scrolled);
    subject.on("scroll", &press, &[], scrolled);
    subject.desk.run(&["scroll-to", &press]);
    subject.on("hover", &press, &[], |events| has(events, "pointer-in", "Press me", |_| true));
    subject.on("double-click", &press, &[], pressed(1, 2));
    subject.on("triple-click", &press, &[], pressed(1, 3));
    subject.on("right-click", &press, &[], pressed(3, 1));
    subject.drags(&volume, knob, |events| {
        has(events, "value-changed", "Volume", |event| event["value"].as_f64().is_some_and(|value| value > 75.0))
    });
    subject.with(
        "press",
        None,
        || ["press", "f9", "--app", subject.app].map(str::to_owned).to_vec(),
        |events| events.iter().any(|event| event["event"] == "key-press" && event["key"] == "F9"),
    );
}
