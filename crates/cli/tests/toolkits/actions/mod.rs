//! Every command that acts on an element, tried on every toolkit: first without pointer and keyboard, and where that is
//! refused for want of them, with both. What happened is told by the application: the log of a fixture, the script of
//! a page, the bytes that a terminal passes on, the text of a document. `predicted` says how each comes out, and
//! `cargo xtask toolkits` makes the page of it.

mod browsers;
mod fixtures;
mod office;
mod predicted;
mod terminal;

use std::cell::RefCell;
use std::time::Duration;

use serde_json::Value;
use surehand_testkit::live::wait_until;

pub(crate) use browsers::told as told_by_page;

use crate::support::Desk;

/// How long an application may take to do what it was told, and a machine under load to show it.
const SOON: Duration = Duration::from_secs(15);

/// The commands on one application, and how they came out.
struct Subject<'s> {
    desk: &'s Desk,
    app: &'static str,
    /// Everything that happened in the application so far, oldest first.
    log: Box<dyn Fn() -> Vec<Value> + 's>,
    came_out: RefCell<Vec<(&'static str, String)>>,
}

impl<'s> Subject<'s> {
    fn new(desk: &'s Desk, app: &'static str, log: impl Fn() -> Vec<Value> + 's) -> Self {
        Subject { desk, app, log: Box::new(log), came_out: RefCell::default() }
    }

    /// The ref of the first element of that role, and of that name where one is given, that has one.
    fn target(&self, role: &str, name: &str) -> String {
        let named = if name.is_empty() { &[][..] } else { &["--name", name, "--exact"] };
        let run = self.desk.run(&[&["find", "--app", self.app, "--role", role], named].concat());
        let found = run.expect_ok();
        let matches = found["matches"].as_array().into_iter().flatten();
        let reference = matches.filter_map(|found| found["ref_id"].as_str()).next();
        reference.unwrap_or_else(|| panic!("no {role} {name:?} with a ref\n{run}")).to_owned()
    }

    /// Tries a command on an element; `further` are its arguments after the ref.
    fn on(&self, label: &'static str, reference: &str, further: &[&str], seen: impl Fn(&[Value]) -> bool) {
        let command = label.split(' ').next().unwrap_or_default();
        let line = [&[command, reference][..], further].concat();
        self.with(label, Some(reference), || line.iter().map(|word| (*word).to_owned()).collect(), seen);
    }

    /// Tries a command. Where it takes the pointer, the element is brought into view for it first.
    fn with(
        &self,
        label: &'static str,
        reference: Option<&str>,
        line: impl Fn() -> Vec<String>,
        seen: impl Fn(&[Value]) -> bool,
    ) {
        let mut how = self.attempt(&[], &line, &seen);
        if how == "POLICY_DENIED needs_headed" {
            if let Some(reference) = reference {
                self.desk.run(&["scroll-to", reference]);
            }
            how = match self.attempt(&["--headed"], &line, &seen).as_str() {
                "headless" => "headed".to_owned(),
                other => format!("headed: {other}"),
            };
        }
        self.came_out.borrow_mut().push((label, how));
    }

    fn attempt(&self, leave: &[&str], line: &dyn Fn() -> Vec<String>, seen: &dyn Fn(&[Value]) -> bool) -> String {
        let line = line();
        let words: Vec<&str> = leave.iter().copied().chain(line.iter().map(String::as_str)).collect();
        let mark = (self.log)().len();
        let shows = || seen((self.log)().get(mark..).unwrap_or_default());
        let run = self.desk.run(&words);
        let answer = run.json();
        if answer["ok"] == true {
            // What it cannot prove it says so, and then the table does as well.
            let sure = answer["data"]["disposition"]["delivery"] == "delivered_verified";
            return match wait_until(if sure { SOON } else { SOON / 3 }, || shows().then_some(())) {
                Some(()) => "headless".to_owned(),
                // The worst that can happen: it says that it did, and the application knows nothing of it.
                None if !sure => "no effect, and not claimed".to_owned(),
                None => format!("claimed and not seen: {run}; the application told {:?}", (self.log)().get(mark..)),
            };
        }
        let error = &answer["error"];
        let delivery = error["disposition"]["delivery"].as_str().unwrap_or_default();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let refused = format!("{} {}", word(&error["code"]), word(&error["details"]["kind"])).trim_end().to_owned();
        match (delivery, shows()) {
            ("not_delivered", false) => refused,
            (_, seen) => format!("{refused} {delivery}, seen: {seen}: {run}"),
        }
    }

    /// Waits until the application has told nothing for half a second.
    fn until_quiet(&self) {
        const QUIET: std::time::Duration = std::time::Duration::from_millis(500);
        let told = || (self.log)().len();
        let mut before = told();
        while wait_until(QUIET, || (told() != before).then_some(())).is_some() {
            before = told();
        }
    }

    /// Compares all of it with what is predicted, and writes it down for the page.
    fn compare(self, title: &'static str) {
        let came_out = self.came_out.into_inner();
        let differ: Vec<String> = came_out
            .iter()
            .filter(|(label, how)| predicted::of(title, label) != how)
            .map(|(label, how)| format!("{label}: {:?} was predicted, and it is {how:?}", predicted::of(title, label)))
            .collect();
        assert!(differ.is_empty(), "{title}\n{}", differ.join("\n"));
        let tried: Vec<&str> = came_out.iter().map(|(label, _)| *label).collect();
        let left_out: Vec<_> = predicted::labels(title).into_iter().filter(|label| !tried.contains(label)).collect();
        assert!(left_out.is_empty(), "{title}: not tried: {left_out:?}");
        self.desk.keep_actions(title, &came_out);
    }
}

/// Whether an event of that kind and widget is among some, that is as it should be.
fn has(events: &[Value], kind: &str, widget: &str, is: impl Fn(&Value) -> bool) -> bool {
    events.iter().any(|event| event["event"] == kind && event["widget"] == widget && is(event))
}

impl Subject<'_> {
    /// The ref of the first element of that name that has one.
    fn named(&self, name: &str) -> String {
        let run = self.desk.run(&["find", "--app", self.app, "--name", name, "--exact"]);
        let found = run.expect_ok();
        let matches = found["matches"].as_array().into_iter().flatten();
        let reference = matches.filter_map(|found| found["ref_id"].as_str()).next();
        reference.unwrap_or_else(|| panic!("nothing {name:?} with a ref\n{run}")).to_owned()
    }

    /// Drags the knob of a slider that stands in the middle to nine tenths; `knob` is how far down it is, in tenths.
    fn drags(&self, slider: &str, knob: i64, seen: impl Fn(&[Value]) -> bool) {
        let line = || {
            let place = self.desk.get(slider, "bounds");
            if place.is_null() {
                return ["drag", "--from", slider, "--to", slider].map(str::to_owned).to_vec();
            }
            let of = |key: &str| place[key].as_i64().unwrap_or_else(|| panic!("no {key} in {place}"));
            let at =
                |tenth: i64| format!("{},{}", of("x") + of("width") * tenth / 10, of("y") + of("height") * knob / 10);
            ["drag", "--from-xy", &at(5), "--to-xy", &at(9), "--app", self.app].map(str::to_owned).to_vec()
        };
        self.desk.run(&["set-value", slider, "50"]);
        self.with("drag", Some(slider), line, seen);
    }
}
