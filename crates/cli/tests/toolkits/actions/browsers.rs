//! Chromium and Firefox. The page's own script tells in the title of the window what happened.

use serde_json::Value;
use surehand_testkit::live::Program;

use super::Subject;
use crate::browsers::{chromium, firefox};
use crate::support::Desk;

/// Where the page is.
const PAGE: &str = concat!("file://", env!("CARGO_MANIFEST_DIR"), "/tests/toolkits/actions/page.html");

#[test]
fn chromium_actions() {
    let desk = Desk::start();
    let browser = chromium(&desk, PAGE);
    drive(&desk, &browser, "Chromium");
}

#[test]
fn firefox_actions() {
    let desk = Desk::start();
    let browser = firefox(&desk, PAGE);
    drive(&desk, &browser, "Firefox");
}

/// What the page told so far; what is no longer in the title is null.
pub(crate) fn told(desk: &Desk) -> Vec<Value> {
    let windows = desk.ok(&["list-windows"]);
    let titles = windows["windows"].as_array().into_iter().flatten().filter_map(|window| window["title"].as_str());
    let page = titles.filter_map(|title| title.strip_prefix("actions ")).next().unwrap_or("0");
    // The browser puts its own name behind the title.
    let page = page.split(" - ").next().unwrap_or(page).split(" \u{2014} ").next().unwrap_or(page);
    let (count, rest) = page.split_once(' ').unwrap_or((page, ""));
    let last: Vec<Value> = rest.split('|').filter(|word| !word.is_empty()).map(Value::from).collect();
    let count: usize = count.parse().unwrap_or_default();
    let mut all = vec![Value::Null; count.saturating_sub(last.len())];
    all.extend(last);
    all
}

fn drive(desk: &Desk, _browser: &Program, title: &'static str) {
    desk.window("actions 0");
    // At first contact the content is waited for.
    desk.outline(title);
    let subject = Subject::new(desk, title, || told(desk));
    let is = |wanted: &'static str| move |events: &[Value]| events.iter().any(|event| event == wanted);
    let begins = |wanted: &'static str| {
        move |events: &[Value]| events.iter().any(|event| event.as_str().is_some_and(|event| event.starts_with(wanted)))
    };
    let press = subject.target("button", "Press me");
    let field = subject.target("textfield", "Name field");
    let volume = subject.target("slider", "Volume");
    let check = subject.target("checkbox", "Check me");
    let notes = subject.target("textfield", "Notes");
    subject.on("click button", &press, &[], begins("click=go"));
    subject.on("set-value textfield", &field, &["Zaz"], is("input=nm=Zaz"));
    subject.on("clear", &field, &[], is("input=nm="));
    subject.on("type", &field, &["ab"], is("input=nm=ab"));
    subject.on("set-value slider", &volume, &["50"], is("input=vol=50"));
    subject.on("click checkbox", &check, &[], is("change=ck=true"));
    subject.on("uncheck", &check, &[], is("change=ck=false"));
    subject.on("check", &check, &[], is("change=ck=true"));
    subject.on("toggle", &check, &[], is("change=ck=false"));
    subject.on("check radiobutton", &subject.target("radiobutton", "Two"), &[], is("change=two=true"));
    subject.on("select combobox", &subject.target("combobox", "Colour"), &["Green"], is("change=colour=Green"));
    let fold = subject.named("Details");
    subject.on("expand", &fold, &[], is("toggle=fold=true"));
    subject.on("collapse", &fold, &[], is("toggle=fold=false"));
    subject.on("focus", &notes, &[], is("focus=notes"));
    desk.run(&["scroll-to", &press]);
    subject.on("scroll-to", &notes, &[], is("scroll"));
    // A page tells of its scrolling late, and what is told now belongs to what came before.
    subject.until_quiet();
    subject.on("scroll", &notes, &["--direction", "up"], is("scroll"));
    desk.run(&["scroll-to", &press]);
    subject.on("hover", &press, &[], is("mouseenter=go"));
    subject.on("double-click", &press, &[], is("click=go=2"));
    subject.on("triple-click", &press, &[], is("click=go=3"));
    subject.on("right-click", &press, &[], is("contextmenu=go"));
    subject.drags(&volume, 5, |events| {
        let mut values =
            events.iter().filter_map(|event| event.as_str()?.strip_prefix("input=vol=")?.parse::<i64>().ok());
        values.next_back().is_some_and(|value| value > 75)
    });
    subject.with("press", None, || ["press", "f9", "--app", title].map(str::to_owned).to_vec(), is("keydown=F9"));
    subject.compare(title);
}
