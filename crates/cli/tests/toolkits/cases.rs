//! Failures that users of comparable tools reported in public, tried with every toolkit that they concern. The number in
//! a test's name is that of the case in the table of `CONTRIBUTING.md`.

use std::fs;

use serde_json::Value;
use surehand_testkit::live::{Fixture, PrivateDesktop, Run, wait_until};

use crate::actions::told_by_page;
use crate::browsers::chromium;
use crate::support::{Desk, PATIENCE};

/// Where the page of the actions is.
const PAGE: &str = concat!("file://", env!("CARGO_MANIFEST_DIR"), "/tests/toolkits/actions/page.html");

type Start = fn(&PrivateDesktop, &[&str]) -> Fixture;

/// The toolkits with a fixture that has hooks and all widgets.
const TOOLKITS: [(&str, Start); 4] = [
    ("fixture-gtk3", Fixture::gtk3),
    ("fixture-gtk4", Fixture::gtk4),
    ("fixture-qt5", Fixture::qt5),
    ("fixture-qt6", Fixture::qt6),
];

/// A desktop with a fixture on it.
fn stage(start: Start) -> (Fixture, Desk) {
    let desk = Desk::start();
    let fixture = start(&desk.desktop, &[]);
    desk.window("Fixture");
    (fixture, desk)
}

/// Every node of a snapshot, a parent before its children.
fn nodes(tree: &Value) -> Vec<&Value> {
    let mut nodes = vec![tree];
    let mut next = 0;
    while let Some(node) = nodes.get(next).copied() {
        nodes.splice(next + 1..next + 1, node["children"].as_array().into_iter().flatten());
        next += 1;
    }
    nodes
}

#[test]
fn case_16_a_spin_button_takes_its_number_and_the_application_has_it() {
    for (app, start) in TOOLKITS {
        let (mut fixture, desk) = stage(start);
        let copies = desk.find(app, "incrementor", "Copies");
        let set = desk.ok(&["set-value", &copies, "4"]);
        assert_eq!(set["disposition"]["delivery"], "delivered_verified", "{app}: {set}");
        fixture.wait_for("the number is the application's own", |events| {
            events
                .iter()
                .any(|event| event["event"] == "value-changed" && event["widget"] == "Copies" && event["value"] == 4.0)
                .then_some(())
        });
        assert_eq!(desk.get(&copies, "value"), "4", "{app}");
        // Its entry takes text as well, and what is written there is not its number.
        desk.run(&["type", &copies, "2"]).expect_error("ACTION_NOT_SUPPORTED");
        let error = desk.run(&["set-value", &copies, "400"]).expect_error("INVALID_ARGS");
        assert_eq!(error["details"]["kind"], "out_of_range", "{app}: {error}");
        assert_eq!(desk.get(&copies, "value"), "4", "{app}");
        let numbers = fixture.events("value-changed");
        assert!(numbers.iter().all(|event| event["value"] == 4.0), "{app}: {numbers:?}");
    }
}

#[test]
fn case_18_a_click_on_a_text_view_deletes_nothing() {
    for (app, start) in TOOLKITS {
        let (fixture, desk) = stage(start);
        let notes = desk.find(app, "textfield", "Notes");
        let text = desk.get(&notes, "text");
        assert_eq!(text, "first line\nsecond line\nthird line", "{app}");
        // Without a pointer it is refused, or whatever it does leaves the text alone; with one it only puts the caret.
        desk.run(&["click", &notes]);
        desk.run(&["scroll-to", &notes]);
        desk.ok(&["--headed", "click", &notes]);
        let error = desk.run(&["toggle", &notes]).expect_error("ACTION_NOT_SUPPORTED");
        assert_eq!(error["disposition"]["delivery"], "not_delivered", "{app}: {error}");
        assert_eq!(desk.get(&notes, "text"), text, "{app}");
        let changed = fixture.events("changed");
        assert!(!changed.iter().any(|event| event["widget"] == "Notes"), "{app}: {changed:?}");
        assert!(fixture.events("focus-in").iter().any(|event| event["widget"] == "Notes"), "{app}: the click arrived");
    }
}

#[test]
fn case_20_what_a_gtk3_snapshot_advertises_can_be_called() {
    advertised(TOOLKITS[0]);
}

#[test]
fn case_20_what_a_gtk4_snapshot_advertises_can_be_called() {
    advertised(TOOLKITS[1]);
}

#[test]
fn case_20_what_a_qt5_snapshot_advertises_can_be_called() {
    advertised(TOOLKITS[2]);
}

#[test]
fn case_20_what_a_qt6_snapshot_advertises_can_be_called() {
    advertised(TOOLKITS[3]);
}

/// What opens a window or ends the application, and the label that tells what was clicked last, are tried out only.
const APART: [&str; 6] = ["File", "Open\u{2026}", "Save As\u{2026}", "Quit", "Ask\u{2026}", "Result"];

/// Every action that a snapshot says an element has: a dry run of each, and then each of them.
fn advertised((app, start): (&str, Start)) {
    let (mut fixture, desk) = stage(start);
    fixture.command("enable");
    let snapshot = desk.ok(&["snapshot", "--app", app]);
    let mut failed = Vec::new();
    let mut tried = 0;
    for dry in [true, false] {
        for node in nodes(&snapshot["tree"]) {
            let (Some(reference), Some(name)) = (node["ref_id"].as_str(), node["name"].as_str().or(Some(""))) else {
                continue;
            };
            if !dry && APART.contains(&name) {
                continue;
            }
            for action in node["available_actions"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let (command, further) = line(&desk, action, node);
                let mut words = vec![command.as_str(), reference];
                words.extend(further.iter().map(String::as_str));
                words.extend(dry.then_some("--dry-run"));
                words.extend(if is_hidden(node) { &["--timeout-ms", "0"][..] } else { &[] });
                let run = desk.run(&words);
                tried += 1;
                if run.json()["ok"] != true && !is_rightly_refused(node, &run.json()["error"]) {
                    failed.push(format!("{} {name:?} {words:?}: {}", node["role"], run.json()["error"]));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{app}: {} of {tried}:\n{}", failed.len(), failed.join("\n"));
    assert!(tried > 60, "{app}: only {tried} were tried");
    fixture.command("enable");
}

fn is_hidden(node: &Value) -> bool {
    node["states"].as_array().into_iter().flatten().any(|state| state == "hidden")
}

/// What an element offers can be done once it is shown; which of two cells that look the same is meant cannot be known;
/// and a list whose application lets nothing be chosen offers it all the same, and answers no.
fn is_rightly_refused(node: &Value, error: &Value) -> bool {
    let kind = &error["details"]["kind"];
    (is_hidden(node) && error["code"] == "TIMEOUT")
        || (node["role"] == "cell" && error["code"] == "AMBIGUOUS_TARGET")
        || (node["name"] == "Records" && kind == "refused_by_application")
}

/// The command of a word of `available_actions`.
fn command_of(word: &str) -> String {
    match word {
        "TypeText" => "type".to_owned(),
        word => {
            let parts = word
                .chars()
                .flat_map(|one| if one.is_uppercase() { vec!['-', one.to_ascii_lowercase()] } else { vec![one] });
            parts.collect::<String>().trim_start_matches('-').to_owned()
        }
    }
}

/// The command for an action, with what it takes on this element.
fn line(desk: &Desk, action: &str, node: &Value) -> (String, Vec<String>) {
    let command = command_of(action);
    let number = matches!(node["role"].as_str(), Some("slider" | "incrementor"));
    let further = match command.as_str() {
        // A scroll bar that has nothing to scroll takes no other number than the one it has.
        "set-value" if node["role"] == "scrollbar" => vec![node["value"].as_str().unwrap_or("0")],
        "set-value" if number => vec!["3"],
        "set-value" | "type" => vec!["x"],
        // Whoever asks for what is not there is told what is.
        "select" => {
            let reference = node["ref_id"].as_str().unwrap_or_default();
            let run = desk.run(&["select", reference, "nothing like that", "--dry-run"]);
            let options = run.json()["error"]["details"]["options"].as_array().cloned().unwrap_or_default();
            let first = options.first().and_then(Value::as_str).map(str::to_owned);
            return (command, vec![first.unwrap_or_else(|| "an option".to_owned())]);
        }
        _ => Vec::new(),
    };
    (command, further.into_iter().map(str::to_owned).collect())
}

/// A cell is no child of the list that its row is in, and its place in the row would choose the row at that place.
#[test]
fn a_cell_of_another_column_never_chooses_a_row_by_its_place() {
    let (mut fixture, desk) = stage(Fixture::gtk4);
    let found = desk.ok(&["find", "--app", "fixture-gtk4", "--role", "list"]);
    let lists = found["matches"].as_array().cloned().unwrap_or_default();
    let list = lists.iter().find(|list| list["name"].is_null()).expect("the list in the table");
    let list = list["ref_id"].as_str().expect("a ref");
    let error = desk.run(&["select", list, "2"]).expect_error("ACTION_NOT_SUPPORTED");
    assert_eq!(error["disposition"]["delivery"], "not_delivered", "{error}");
    assert!(fixture.events("row-selected").is_empty());
    desk.ok(&["select", list, "item 2"]);
    fixture.wait_for("its row is chosen", |events| {
        events.iter().any(|event| event["event"] == "row-selected" && event["row"] == 2).then_some(())
    });
    assert_eq!(fixture.events("row-selected").len(), 1);
}

#[test]
fn case_21_chromium_presses_by_its_own_word_and_says_that_only_the_keyboard_writes() {
    let desk = Desk::start();
    let _browser = chromium(&desk, PAGE);
    desk.window("actions 0");
    desk.outline("Chromium");
    // In the page, and in what the browser draws itself.
    let press = desk.find("Chromium", "button", "Press me");
    desk.ok(&["click", &press]);
    let saw = |what: &'static str| {
        let found = wait_until(PATIENCE, || {
            told_by_page(&desk)
                .iter()
                .any(|event| event.as_str().is_some_and(|told| told.starts_with(what)))
                .then_some(())
        });
        assert!(found.is_some(), "{what}: {:?}", told_by_page(&desk));
    };
    saw("click=go");
    let reload = desk.ok(&["find", "--app", "Chromium", "--role", "button", "--name", "Reload", "--exact"]);
    let reload = reload["matches"][0]["ref_id"].as_str().expect("the browser's own button").to_owned();
    desk.ok(&["click", &reload]);
    // The page begins anew.
    let anew = wait_until(PATIENCE, || told_by_page(&desk).is_empty().then_some(()));
    assert!(anew.is_some(), "{:?}", told_by_page(&desk));
    let field = desk.find("Chromium", "textfield", "Name field");
    for command in ["set-value", "type"] {
        let error = desk.run(&[command, &field, "x"]).expect_error("POLICY_DENIED");
        assert_eq!(error["details"]["kind"], "needs_headed", "{error}");
        assert_eq!(error["disposition"]["delivery"], "not_delivered", "{error}");
        let all = error.to_string();
        assert!(all.contains("keyboard") && all.contains("--headed"), "{error}");
    }
    assert_eq!(desk.get(&field, "value"), "hello");
    desk.ok(&["--headed", "set-value", &field, "written"]);
    saw("input=nm=written");
}

#[test]
fn case_22_a_second_action_finds_its_element_after_the_first_made_all_of_them_anew() {
    let (mut fixture, desk) = stage(Fixture::gtk3);
    fixture.command("renew-on-click");
    let snapshot = desk.ok(&["snapshot", "--app", "fixture-gtk3"]);
    let all = nodes(&snapshot["tree"]);
    let references = |name: &str| {
        let named = all.iter().filter(|node| node["role"] == "button" && node["name"] == name);
        named.filter_map(|node| node["ref_id"].as_str()).collect::<Vec<_>>()
    };
    let (press, beta, twins) = (references("Press me"), references("Beta"), references("Twin"));
    desk.ok(&["click", press[0]]);
    fixture.wait_for("all of it is new", |events| events.iter().any(|event| event["event"] == "renewed").then_some(()));
    let answer = desk.ok(&["click", beta[0]]);
    assert_ne!(answer["resolved_by"], "live_object", "the trial shows nothing: {answer}");
    fixture.wait_for("it was the one that was meant", |events| {
        events.iter().any(|event| event["event"] == "clicked" && event["widget"] == "Beta").then_some(())
    });
    // Of two that look the same nobody can say which one it was.
    for twin in twins {
        let run = desk.run(&["click", twin]);
        let error = run.json()["error"].clone();
        assert!(["AMBIGUOUS_TARGET", "STALE_REF"].iter().any(|code| error["code"] == *code), "{run}");
        assert_eq!(error["disposition"]["delivery"], "not_delivered", "{run}");
    }
    let clicked = fixture.events("clicked");
    assert_eq!(clicked.len(), 2, "{clicked:?}");
}

/// What is written into fields for secrets. Each is as long as nothing else is.
const SECRET: &str = "correct-horse-battery-staple";

/// Panics when any part of the secret that is long enough to be one, or what stands for its letters, is in a text.
fn is_clean(what: &str, text: &str) {
    for part in [SECRET, "correct-horse", "staple", "\u{2022}\u{2022}", "\u{25cf}\u{25cf}", "****"] {
        assert!(!text.contains(part), "{what} tells of the secret:\n{text}");
    }
}

/// Looks for a secret of this field in everything that can be read of it and of its application, before and after a
/// second one of another length is there: nothing may differ.
fn withheld(desk: &Desk, app: &str, name: &str, write: &dyn Fn(&str)) {
    let field = desk.find(app, "textfield", name);
    let folder = tempfile::tempdir().expect("a directory for recordings");
    let look = |secret: &str, file: &str| {
        write(secret);
        let output = folder.path().to_string_lossy().into_owned();
        let lines: [&[&str]; 8] = [
            &["-v", "snapshot", "--app", app],
            &["snapshot", "--app", app, "--record", file, "--output-dir", &output],
            &["find", "--app", app, "--role", "textfield", "--name", name, "--exact"],
            &["get", &field, "--property", "value"],
            &["get", &field, "--property", "text"],
            &["find", "--app", app, "--value", secret],
            &["find", "--app", app, "--text", secret],
            &["wait", "--element", &field, "--predicate", "value", "--value", secret, "--timeout", "200"],
        ];
        for line in lines {
            let run: Run = desk.run(line);
            is_clean(&format!("{app} {name}: {line:?}"), &format!("{}{}", run.stdout, run.stderr));
        }
        for property in ["value", "text"] {
            let answer = desk.ok(&["get", &field, "--property", property]);
            assert_eq!(
                (&answer["value"], &answer["withheld"]),
                (&Value::Null, &Value::from("secure_field")),
                "{answer}"
            );
        }
        let recorded = fs::read_to_string(folder.path().join(file)).expect("a recording");
        is_clean("a recording", &recorded);
        let snapshot = desk.ok(&["snapshot", "--app", app]);
        let node = nodes(&snapshot["tree"])
            .into_iter()
            .find(|node| node["role"] == "textfield" && node["name"] == name)
            .cloned();
        let mut node = node.unwrap_or_else(|| panic!("{name} is not there: {snapshot}"));
        assert!(node["states"].as_array().is_some_and(|states| states.iter().any(|state| state == "secure")), "{node}");
        node["ref_id"].take();
        // What has the focus is another matter.
        node["states"].take();
        node
    };
    assert_eq!(look("ab", "short.json"), look(SECRET, "long.json"), "{app} {name}: its length makes a difference");
    let state = desk.desktop.sandbox().surehand_home();
    let journal = fs::read_to_string(state.join("state/journal.jsonl")).expect("a record of actions");
    assert!(journal.contains(name), "{journal}");
    is_clean("the journal", &journal);
}

/// Writes into a field through a command, and looks at what it answers.
fn write_by(desk: &Desk, line: &[&str]) {
    let run = desk.run(line);
    run.expect_ok();
    is_clean(&format!("{line:?}"), &format!("{}{}", run.stdout, run.stderr));
}

fn fixture_tells_no_secret((app, start): (&str, Start), name: &str) {
    let (mut fixture, desk) = stage(start);
    let field = desk.find(app, "textfield", name);
    withheld(&desk, app, name, &|secret| write_by(&desk, &["set-value", &field, secret]));
    // It did arrive, or nothing of this would prove anything.
    let arrived = |text: &'static str, fixture: &mut Fixture| {
        fixture.wait_for("it arrived", |events| {
            events.iter().any(|event| event["widget"] == name && event["text"] == text).then_some(())
        });
    };
    arrived(SECRET, &mut fixture);
    write_by(&desk, &["clear", &field]);
    arrived("", &mut fixture);
    desk.run(&["scroll-to", &field]);
    write_by(&desk, &["--headed", "click", &field]);
    // What is typed is not told either, by keyboard or without.
    write_by(&desk, &["type", &field, SECRET]);
    arrived(SECRET, &mut fixture);
    let run = desk.run(&["snapshot", "--app", app]);
    is_clean("after typing", &run.stdout);
    // Nor is it by an action that fails.
    fixture.command("clear");
    let run = desk.run(&["set-value", &field, SECRET, "--timeout-ms", "300"]);
    assert_ne!(run.status(), 0, "{run}");
    is_clean("an error", &format!("{}{}", run.stdout, run.stderr));
}

#[test]
fn case_41_gtk3_tells_no_password() {
    fixture_tells_no_secret(TOOLKITS[0], "Password");
}

#[test]
fn case_41_gtk4_tells_no_password() {
    fixture_tells_no_secret(TOOLKITS[1], "Password");
    fixture_tells_no_secret(TOOLKITS[1], "Card PIN");
}

#[test]
fn case_41_qt5_tells_no_password() {
    fixture_tells_no_secret(TOOLKITS[2], "Password");
}

#[test]
fn case_41_qt6_tells_no_password() {
    fixture_tells_no_secret(TOOLKITS[3], "Password");
}

#[test]
fn case_41_a_page_tells_no_password_and_no_new_one() {
    let desk = Desk::start();
    let _browser = chromium(&desk, PAGE);
    desk.window("actions 0");
    desk.outline("Chromium");
    for (name, id) in [("Password", "secret"), ("Fresh word", "fresh")] {
        let field = desk.find("Chromium", "textfield", name);
        withheld(&desk, "Chromium", name, &|secret| {
            let before = told_by_page(&desk).len();
            write_by(&desk, &["--headed", "set-value", &field, secret]);
            let arrived = wait_until(PATIENCE, || {
                let told = told_by_page(&desk);
                told.get(before..)?.iter().any(|event| event == &format!("input={id}=arrived")).then_some(())
            });
            assert!(arrived.is_some(), "{name}: {:?}", told_by_page(&desk));
        });
    }
}
