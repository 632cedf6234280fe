//! LibreOffice Writer and Calc. What the document shows tells what happened.

use std::cell::RefCell;

use serde_json::{Value, json};
use surehand_testkit::live::wait_until;

use super::{SOON, Subject};
use crate::office::{SHEET, TEXT, office};
use crate::support::Desk;

/// A document has no log: what it shows is asked for, and every change since is an event.
fn history<'d>(desk: &'d Desk, reference: &'d str) -> impl Fn() -> Vec<Value> + 'd {
    let seen: RefCell<Vec<Value>> = RefCell::default();
    move || {
        let now = json!({ "text": desk.get(reference, "text"), "focused": desk.is(reference, "focused") });
        let mut seen = seen.borrow_mut();
        if seen.last() != Some(&now) {
            seen.push(now);
        }
        seen.clone()
    }
}

fn text(wanted: &'static str) -> impl Fn(&[Value]) -> bool {
    move |events| events.iter().any(|event| event["text"] == wanted)
}

#[test]
fn writer_actions() {
    let desk = Desk::start();
    let _office = office(&desk, "letter.fodt", TEXT);
    let found = wait_until(SOON * 3, || {
        let outline = desk.outline("soffice");
        let line = outline.lines().find(|line| line.contains("The first paragraph"))?;
        line.split_whitespace().find(|word| word.starts_with('@')).map(str::to_owned)
    });
    let paragraph = found.expect("the document is read");
    let subject = Subject::new(&desk, "soffice", history(&desk, &paragraph));
    subject.on("set-value textfield", &paragraph, &["Zażółć"], text("Zażółć"));
    subject.on("clear", &paragraph, &[], text(""));
    subject.on("type", &paragraph, &["ab"], text("ab"));
    for (label, further) in [("toggle", &[][..]), ("select list", &["x"]), ("expand", &[])] {
        subject.on(label, &paragraph, further, |_| false);
    }
    subject.with(
        "press",
        None,
        || ["press", "x", "--app", "soffice"].map(str::to_owned).to_vec(),
        |events| events.iter().any(|event| event["text"].as_str().is_some_and(|text| text.contains('x'))),
    );
    subject.compare("LibreOffice Writer");
}

#[test]
fn calc_actions() {
    let desk = Desk::start();
    let _office = office(&desk, "costs.fods", SHEET);
    wait_until(SOON * 3, || desk.outline("soffice").contains("apple").then_some(())).expect("the sheet is read");
    let subject = Subject::new(&desk, "soffice", Vec::new);
    let cell = subject.target("cell", "B1");
    drop(subject);
    let subject = Subject::new(&desk, "soffice", history(&desk, &cell));
    subject.on("set-value textfield", &cell, &["3"], text("3"));
    subject.on("clear", &cell, &[], text(""));
    subject.on("type", &cell, &["4"], text("4"));
    for (label, further) in [("toggle", &[][..]), ("select list", &["x"]), ("expand", &[])] {
        subject.on(label, &cell, further, |_| false);
    }
    subject.compare("LibreOffice Calc");
}
