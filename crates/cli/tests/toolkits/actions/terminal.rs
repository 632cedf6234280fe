//! VTE, in Xfce's terminal. What the terminal passes on to the program in it tells what happened: its keys, and its
//! pointer, since the program asks to be told of that.

use serde_json::Value;
use surehand_testkit::live::Program;

use super::Subject;
use crate::support::Desk;

/// Asks for every press, move and turn of the wheel, and writes down what comes.
const SCRIPT: &str = "stty raw -echo; printf '\\033[?1003h\\033[?1006hready'; exec cat > {folder}/told";

#[test]
fn vte_actions() {
    let desk = Desk::start();
    let arguments = ["--disable-server", "--title", "toolkit terminal", "-x", "sh", "-c", SCRIPT];
    let terminal = Program::start(&desk.desktop, "xfce4-terminal", &arguments);
    desk.window("toolkit terminal");
    let app = "xfce4-terminal";
    surehand_testkit::live::wait_until(super::SOON, || desk.outline(app).contains("ready").then_some(()))
        .expect("the program in it runs");
    // One value for each character, so that what came since can be told.
    let told = || terminal.file("told").chars().map(|one| Value::from(one.to_string())).collect();
    let subject = Subject::new(&desk, app, told);
    let text = |events: &[Value]| events.iter().filter_map(Value::as_str).collect::<String>();
    let count = |events: &[Value], what: &str| text(events).matches(what).count();
    let screen = subject.target("textfield", "Terminal");
    subject.on("set-value textfield", &screen, &["a"], |events| text(events).contains('a'));
    subject.on("clear", &screen, &[], |_| false);
    subject.on("type", &screen, &["hi"], |events| text(events).ends_with("hi"));
    let turned = |events: &[Value]| count(events, "\u{1b}[<64;") + count(events, "\u{1b}[<65;") > 0;
    subject.on("scroll", &screen, &[], turned);
    subject.on("hover", &screen, &[], |events| count(events, "\u{1b}[<35;") > 0);
    subject.on("click textfield", &screen, &[], |events| count(events, "\u{1b}[<0;") > 0);
    subject.on("double-click", &screen, &[], |events| count(events, "\u{1b}[<0;") >= 4);
    subject.on("triple-click", &screen, &[], |events| count(events, "\u{1b}[<0;") >= 6);
    subject.on("right-click", &screen, &[], |events| count(events, "\u{1b}[<2;") > 0);
    let line = || {
        let place = desk.get(&screen, "bounds");
        let of = |key: &str| place[key].as_i64().unwrap_or_else(|| panic!("no {key} in {place}"));
        let at = |tenth: i64| format!("{},{}", of("x") + of("width") * tenth / 10, of("y") + of("height") / 2);
        ["drag", "--from-xy", &at(2), "--to-xy", &at(8), "--app", app].map(str::to_owned).to_vec()
    };
    subject.with("drag", None, line, |events| count(events, "\u{1b}[<32;") > 0);
    subject.with(
        "press",
        None,
        || ["press", "f9", "--app", app].map(str::to_owned).to_vec(),
        |events| text(events).contains("\u{1b}[20~"),
    );
    subject.compare("VTE");
}
