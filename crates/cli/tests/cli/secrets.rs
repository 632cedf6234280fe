//! What a password field holds, and how much, is nowhere: not in answers, errors, diagnostics or files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use surehand_core::Code;
use surehand_testkit::live::Run;

use crate::stage::{APP, Stage, Tree, has};

const SECRET: &str = "correct-horse-Ünïcode-battery";

/// Everything below a directory that can be read as a file.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

/// Panics when any part of the secret that is long enough to be one stands in a text.
fn is_clean(text: &str, what: &str) {
    for part in [SECRET, "correct-horse", "battery", "\\u00dcn", "Ünïcode"] {
        assert!(!text.contains(part), "{what} holds the secret:\n{text}");
    }
}

fn clean(run: &Run) -> &Run {
    is_clean(&run.stdout, "standard output");
    is_clean(&run.stderr, "standard error");
    run
}

#[test]
fn a_password_is_written_and_never_told() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Password");
    let mark = stage.mark();
    let runs = [
        stage.desktop.runner(&["-v", "type", &field, "--stdin"]).stdin(SECRET).run(),
        stage.desktop.surehand(&["-v", "set-value", &field, SECRET]),
        stage.desktop.surehand(&["-v", "set-value", &field, SECRET, "--format", "outline"]),
        stage.desktop.surehand(&["-v", "snapshot", "--app", APP]),
        stage.desktop.surehand(&["snapshot", "--app", APP, "--format", "outline"]),
        stage.desktop.surehand(&["find", "--app", APP, "--role", "textfield"]),
        stage.desktop.surehand(&["is", &field, "--property", "focused"]),
        stage.desktop.surehand(&["list-windows"]),
    ];
    for run in &runs {
        assert_eq!(clean(run).status(), 0, "{run}");
    }
    // It did arrive, or nothing of this would prove anything.
    let held = stage.since(mark);
    assert_eq!(held.last().expect("an event")["text"], SECRET);
    for property in ["text", "value", "title", "states", "role", "bounds"] {
        let answer = crate::stage::ok(clean(&stage.desktop.surehand(&["get", &field, "--property", property])));
        if ["text", "value"].contains(&property) {
            assert_eq!(answer["value"], Value::Null);
            assert_eq!(answer["withheld"], "secure_field");
        }
    }
    // Nor can it be found out by guessing.
    for part in [SECRET, "horse"] {
        assert_eq!(stage.ok(&["find", "--app", APP, "--value", part, "--count"])["count"], 0);
        assert_eq!(stage.ok(&["find", "--app", APP, "--text", part, "--count"])["count"], 0);
    }
    let guess = ["wait", "--element", &field, "--predicate", "value", "--value", SECRET, "--timeout", "300"];
    let run = stage.desktop.surehand(&guess);
    crate::stage::refused(clean(&run), Code::Timeout);
    let home = stage.desktop.sandbox().surehand_home();
    let files = files(&home);
    assert!(files.iter().any(|path| path.ends_with("journal.jsonl")), "{files:?}");
    assert!(files.iter().any(|path| path.parent().is_some_and(|folder| folder.ends_with("snapshots"))), "{files:?}");
    for path in files {
        is_clean(&String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()), &path.display().to_string());
    }
}

#[test]
fn how_long_a_password_is_makes_no_difference() {
    let stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Password");
    let look = |secret: &str| {
        let mut answers = vec![stage.ok(&["set-value", &field, secret])];
        let mut tree = stage.ok(&["snapshot", "--app", APP]);
        let id = tree["snapshot_id"].take().as_str().expect("an id").to_owned();
        let node = Tree(tree.clone());
        let node = node.node("textfield", "Password");
        assert!(has(node, "secure") && node.get("value").is_none(), "{node}");
        answers.push(serde_json::from_str(&tree.to_string().replace(&id, "ID")).expect("JSON"));
        answers.extend(["text", "value", "bounds"].map(|property| stage.ok(&["get", &field, "--property", property])));
        answers
    };
    let answers = look("");
    assert_eq!(look("x"), answers);
    assert_eq!(look(&"y".repeat(300)), answers);
}

#[test]
fn a_secret_put_into_the_wrong_element_is_not_repeated() {
    let stage = Stage::new();
    let tree = stage.snapshot();
    for (role, name) in [("slider", "Volume"), ("button", "Press me"), ("textfield", "Read-only field")] {
        let run = stage.desktop.surehand(&["set-value", &tree.reference(role, name), SECRET]);
        assert_ne!(clean(&run).status(), 0);
    }
    for reference in ["@s01", "@s99:e1", "@s01:e999"] {
        let run = stage.desktop.surehand(&["type", reference, SECRET]);
        assert_ne!(clean(&run).status(), 0);
        let run = stage.desktop.runner(&["type", reference, "--stdin"]).stdin(SECRET).run();
        assert_ne!(clean(&run).status(), 0);
    }
}

#[test]
fn the_record_names_what_was_done_and_never_what_was_typed() {
    let stage = Stage::new();
    let tree = stage.snapshot();
    stage.ok(&["type", &tree.reference("textfield", "Name field"), SECRET]);
    stage.refused(&["set-value", &tree.reference("textfield", "Read-only field"), SECRET], Code::ActionNotSupported);
    stage.ok(&["get", &tree.reference("textfield", "Notes")]);
    let journal = fs::read_to_string(stage.desktop.sandbox().surehand_home().join("state/journal.jsonl"))
        .expect("a record of actions");
    is_clean(&journal, "the record");
    let lines: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let acts: Vec<_> = lines
        .iter()
        .filter(|line| line["app"] == APP)
        .map(|line| [&line["command"], &line["name"], &line["disposition"]["delivery"]].map(|word| word.as_str()))
        .collect();
    assert_eq!(
        acts,
        [
            [Some("type"), Some("Name field"), Some("delivered_verified")],
            [Some("set-value"), Some("Read-only field"), Some("not_delivered")],
        ]
    );
}
