//! Two agents, each with a window of its own on one desktop, that act at the same time.
//!
//! Both windows are of the same make, so that whatever goes astray finds something to act on. What each application
//! logged of itself has to be exactly what its own agent did, in order, and nothing else; the focus has to stay.

use std::path::Path;
use std::thread;

use serde_json::Value;

use crate::live::{Fixture, PrivateDesktop, Sandbox, wait_until};

/// The buttons that the agents click.
const BUTTONS: [&str; 3] = ["Alpha", "Beta", "Gamma"];

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// Actions that were carried out and confirmed by the application's own log.
    pub confirmed: usize,
    /// What an application logged that its agent did not do, or did not log that it did.
    pub interference: Vec<String>,
}

/// Lets two agents carry out so many actions together, half of them each. Panics when an action fails.
pub fn run(binary: &Path, actions: usize) -> Report {
    let sandbox = Sandbox::new(binary);
    let desktop = PrivateDesktop::start(&sandbox);
    let names = ["one", "two"];
    let mut fixtures = names.map(|name| Fixture::gtk3(&desktop, &["--title", name, "--application", name]));
    fixtures.iter_mut().for_each(settle);
    let marks = fixtures.each_ref().map(|fixture| fixture.log().len());
    thread::scope(|scope| {
        for name in names {
            let desktop = &desktop;
            scope.spawn(move || act(desktop, name, actions / 2));
        }
    });
    let mut report = Report::default();
    for ((fixture, name), mark) in fixtures.iter_mut().zip(names).zip(marks) {
        settle(fixture);
        judge(&mut report, name, &fixture.log().split_off(mark), actions / 2);
    }
    report
}

/// What the agent does in a step: text into the field, and then a button, so that each is seen.
fn step(name: &str, number: usize) -> Result<String, &'static str> {
    if number.is_multiple_of(2) { Ok(format!("{name} {number}")) } else { Err(BUTTONS[number % BUTTONS.len()]) }
}

fn act(desktop: &PrivateDesktop, name: &str, steps: usize) {
    let find = |role: &str, label: &str| {
        let line = ["find", "--app", name, "--role", role, "--name", label, "--exact", "--first", "--format", "json"];
        let data = desktop.surehand(&line).expect_ok();
        data["match"]["ref_id"].as_str().map(str::to_owned).unwrap_or_else(|| panic!("no {label} in {data}"))
    };
    let field = find("textfield", "Name field");
    let buttons = BUTTONS.map(|label| find("button", label));
    for number in 0..steps {
        match step(name, number) {
            Ok(text) => desktop.surehand(&["set-value", &field, &text, "--format", "json"]).expect_ok(),
            Err(_) => desktop.surehand(&["click", &buttons[number % BUTTONS.len()], "--format", "json"]).expect_ok(),
        };
    }
}

fn judge(report: &mut Report, name: &str, events: &[Value], steps: usize) {
    let own = |event: &&Value| event["event"] != "hook" && event["event"] != "settled" && event["text"] != "";
    let mut seen = events.iter().filter(own).map(|event| match event["event"].as_str() {
        Some("changed") => format!("{} holds {}", event["widget"], event["text"]),
        Some("clicked") => format!("{} is clicked", event["widget"]),
        _ => event.to_string(),
    });
    for number in 0..steps {
        let expected = match step(name, number) {
            Ok(text) => format!("{} holds {}", Value::from("Name field"), Value::from(text)),
            Err(button) => format!("{} is clicked", Value::from(button)),
        };
        match seen.next() {
            Some(event) if event == expected => report.confirmed += 1,
            other => {
                report.interference.push(format!("{name}, action {number}: {expected} was expected, {other:?} came"));
                return;
            }
        }
    }
    report.interference.extend(seen.map(|event| format!("{name}: {event} came as well")));
}

fn settle(fixture: &mut Fixture) {
    let before = fixture.events("settled").len();
    fixture.command("settle");
    let patience = std::time::Duration::from_secs(30);
    let settled = wait_until(patience, || (fixture.events("settled").len() > before).then_some(()));
    assert!(settled.is_some(), "a fixture does not come to rest");
}
