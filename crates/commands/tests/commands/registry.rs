//! What holds for every command.

use std::collections::BTreeSet;

use clap::ArgAction;
use serde_json::{Value, json};
use surehand_commands::command::Audience;
use surehand_commands::registry::{COMMANDS, FAMILIES, find};

use crate::rig::from_cli;

/// The fewest arguments a command can do with, on the command line and in JSON.
pub(crate) fn minimal(command: &str) -> (&'static [&'static str], Value) {
    match command {
        "adopt" | "journal verify" | "roots add" | "roots remove" | "trash empty" | "trash list" => {
            (&["/r"], json!({ "root": "/r" }))
        }
        "apply" => (&["3f9a02c1"], json!({ "plan": "3f9a02c1" })),
        "preview" => (&["--actions", "-", "--root", "/r"], json!({ "actions": "-", "root": "/r" })),
        "redo" | "show" | "undo" => (&["task-1"], json!({ "task": "task-1" })),
        "batch" => (&[r#"[{"command":"version"}]"#], json!({ "entries": [{ "command": "version" }] })),
        "check" | "clear" | "click" | "collapse" | "double-click" | "expand" | "focus" | "right-click" | "scroll"
        | "scroll-to" | "toggle" | "triple-click" | "uncheck" => (&["@s01:e1"], json!({ "ref_id": "@s01:e1" })),
        "clipboard-set" => (&["x"], json!({ "text": "x" })),
        "close-app" => (&["editor"], json!({ "app": "editor" })),
        "cursor-overlay" => (&["enable"], json!({ "state": "enable" })),
        "drag" => (&["--from", "@s01:e1", "--to-xy", "1,2"], json!({ "from": "@s01:e1", "to_xy": "1,2" })),
        "hover" => (&["@s01:e1"], json!({ "ref_id": "@s01:e1" })),
        "key-down" | "key-up" => (&["shift"], json!({ "combo": "shift" })),
        "mouse-click" | "mouse-down" | "mouse-move" | "mouse-up" => (&["--xy", "1,2"], json!({ "xy": "1,2" })),
        "mouse-wheel" => (&["--x", "1", "--y", "2"], json!({ "x": 1, "y": 2 })),
        "move-window" => (&["--x", "1", "--y", "2"], json!({ "x": 1, "y": 2 })),
        "open-system-surface" => (&["--surface", "dock"], json!({ "surface": "dock" })),
        "resize-window" => (&["--width", "1", "--height", "2"], json!({ "width": 1, "height": 2 })),
        "desktop run" => (&["true"], json!({ "command": ["true"] })),
        "dismiss-notification" => (&["1"], json!({ "index": 1 })),
        "find" => (&["--name", "x"], json!({ "name": "x" })),
        "get" | "is" => (&["@s01:e1"], json!({ "ref_id": "@s01:e1" })),
        "notification-action" => (&["1", "Open"], json!({ "index": 1, "action": "Open" })),
        "open" => (&["Writer"], json!({ "app": "Writer" })),
        "press" => (&["ctrl+s"], json!({ "combo": "ctrl+s" })),
        "select" => (&["@s01:e1", "x"], json!({ "ref_id": "@s01:e1", "value": "x" })),
        "set-value" => (&["@s01:e1", "x"], json!({ "ref_id": "@s01:e1", "value": "x" })),
        "type" => (&["@s01:e1", "x"], json!({ "ref_id": "@s01:e1", "text": "x" })),
        "wait" => (&["1"], json!({ "ms": 1 })),
        "clipboard-clear" | "clipboard-get" | "dismiss-all-notifications" | "list-notifications" => (&[], json!({})),
        "desktop env" | "desktop list" | "desktop start" | "desktop stop" | "doctor" | "focus-window" | "history"
        | "roots list" | "list-apps" | "list-displays" | "list-surfaces" | "list-windows" | "maximize" | "minimize"
        | "release-all" | "restore" | "screenshot" | "session end" | "session gc" | "session list"
        | "session start" | "snapshot" | "status" | "trace export" | "trace show" | "version" => (&[], json!({})),
        other => panic!("`{other}` has no example of its fewest arguments: add one here"),
    }
}

#[test]
fn the_command_line_and_json_mean_the_same() {
    for definition in COMMANDS {
        let name = definition.spec.name;
        let (words, arguments) = minimal(name);
        let typed = from_cli(definition, words).arguments().unwrap();
        let decoded = definition.from_json(arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(typed, decoded.arguments().unwrap(), "{name}");
        // What is printed as JSON can be given back.
        let again = definition.from_json(typed.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.arguments().unwrap(), typed, "{name}");
        assert_eq!((decoded.spec(), again.spec()), (definition.spec, definition.spec), "{name}");
    }
}

#[test]
fn arguments_of_every_kind_mean_the_same_in_json() {
    let cases: &[(&str, &[&str], Value)] = &[
        (
            "snapshot",
            &["-i", "--compact", "--include-bounds", "--app", "a", "--timeout-ms", "7"],
            json!({
            "app": "a", "interactive_only": true, "compact": true, "include_bounds": true, "timeout_ms": 7 }),
        ),
        (
            "find",
            &["--role", "button", "--state", "disabled=false", "--state", "focused", "--nth", "2"],
            json!({
            "role": "button", "state": ["disabled=false", "focused"], "nth": 2 }),
        ),
        ("get", &["@s01:e1", "--property", "states"], json!({ "ref_id": "@s01:e1", "property": "states" })),
        (
            "wait",
            &["--element", "@s01:e1", "--predicate", "actionable", "--action", "set-value"],
            json!({
            "element": "@s01:e1", "predicate": "actionable", "action": "set-value" }),
        ),
        ("set-value", &["@s01:e1", "-3"], json!({ "ref_id": "@s01:e1", "value": "-3" })),
        ("desktop run", &["ls", "-l", "--", "x"], json!({ "command": ["ls", "-l", "--", "x"] })),
    ];
    for (name, words, arguments) in cases {
        let definition = find(name).unwrap();
        let typed = from_cli(definition, words).arguments().unwrap();
        let decoded = definition.from_json(arguments.clone()).unwrap().arguments().unwrap();
        assert_eq!(typed, decoded, "{name}");
    }
}

#[test]
fn names_are_short_plain_and_in_order() {
    let names: Vec<&str> = COMMANDS.iter().map(|definition| definition.spec.name).collect();
    for name in &names {
        let words: Vec<&str> = name.split(' ').collect();
        let plain = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        };
        assert!(name.len() <= 64 && (1..=2).contains(&words.len()) && words.iter().all(plain), "`{name}`");
        if let [family, _] = words.as_slice() {
            assert!(FAMILIES.iter().any(|(known, _)| known == family), "`{name}` is of no family");
            assert!(!names.contains(family), "`{family}` is a command and a family");
        }
        // Front ends turn names into identifiers, in which both look the same.
        assert_eq!(
            names.iter().filter(|other| other.replace([' ', '-'], "_") == name.replace([' ', '-'], "_")).count(),
            1
        );
    }
    assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
}

#[test]
fn every_command_and_every_argument_says_what_it_is() {
    for definition in COMMANDS {
        let name = definition.spec.name;
        let command = definition.cli();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty() && about.len() <= 100, "`{name}`: {about:?}");
        assert!(!about.contains('\n') && !about.ends_with('.'), "`{name}`: {about:?}");
        let schema = definition.input_schema().to_value();
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties: BTreeSet<&str> =
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty() && !help.contains('\n'), "`{name}` `{id}`: {help:?}");
            // Only the command line has a standard input.
            if id == "stdin" {
                assert!(!properties.contains(id), "`{name}`");
                continue;
            }
            assert!(properties.remove(id), "`{name}`: `{id}` is not in the schema");
            assert_eq!(
                argument.is_required_set(),
                required.contains(id),
                "`{name}`: `{id}` is required in one of the two"
            );
            let listed = matches!(argument.get_action(), ArgAction::Append);
            let kinds = schema["properties"][id]["type"].to_string();
            // A list of commands is one JSON text on the command line.
            if (name, id) == ("batch", "entries") {
                assert!(kinds.contains("array"), "{kinds}");
                continue;
            }
            assert_eq!(listed, kinds.contains("array"), "`{name}`: `{id}` is a list in one of the two: {kinds}");
        }
        assert!(properties.is_empty(), "`{name}`: {properties:?} cannot be given on the command line");
    }
}

#[test]
fn an_argument_that_is_not_known_is_refused_by_name() {
    for definition in COMMANDS {
        let name = definition.spec.name;
        let (_, mut arguments) = minimal(name);
        arguments["headed"] = json!(true);
        let Err(error) = definition.from_json(arguments) else { panic!("`{name}` takes anything") };
        assert_eq!(error.code(), surehand_core::Code::InvalidArgs, "`{name}`");
        assert_eq!(error.kind_of(), Some("bad_arguments"), "`{name}`");
        assert!(error.message().contains("`headed`") && error.message().contains(name), "`{name}`: {error}");
    }
}

#[test]
fn an_argument_of_the_wrong_kind_is_refused_by_its_place() {
    for (name, arguments, place) in [
        ("click", json!({ "ref_id": "@s01:e1", "timeout_ms": "soon" }), "timeout_ms"),
        ("click", json!({ "ref_id": "e1" }), "ref_id"),
        ("click", json!({ "ref_id": 1 }), "ref_id"),
        ("find", json!({ "state": ["checked", 1] }), "state[1]"),
        ("get", json!({ "ref_id": "@s01:e1", "property": "Text" }), "property"),
        ("wait", json!({ "ms": -1 }), "ms"),
        ("snapshot", json!([]), ""),
        ("click", json!(["@s01:e1", 5]), ""),
        ("snapshot", json!("-i"), ""),
        ("snapshot", json!(null), ""),
    ] {
        let Err(error) = find(name).unwrap().from_json(arguments.clone()) else { panic!("{name} takes {arguments}") };
        assert_eq!(error.code(), surehand_core::Code::InvalidArgs, "{name} {arguments}");
        let shown = error.details().get("argument").and_then(Value::as_str).unwrap_or_default();
        assert!(place.is_empty() || shown == place, "{name} {arguments}: {shown}");
        assert!(error.message().contains(place), "{name} {arguments}: {error}");
    }
}

/// What changes something outside surehand is journaled, and what only reads is not: the effect says which, so no command
/// may have the wrong one.
#[test]
fn every_command_that_acts_is_journaled() {
    let reads = [
        "cursor-overlay",
        "doctor",
        "find",
        "get",
        "is",
        "open-system-surface",
        "screenshot",
        "snapshot",
        "status",
        "version",
        "wait",
    ];
    for definition in COMMANDS {
        let name = definition.spec.name;
        let only_reads = reads.contains(&name)
            || name.starts_with("list-")
            || ["clipboard-get", "permissions", "desktop env", "session list", "session start", "session end"]
                .contains(&name)
            || ["trace ", "skills ", "apps "].iter().any(|family| name.starts_with(family));
        // What is done with files stands in the journal beside them.
        if definition.spec.group == surehand_commands::command::Group::Files {
            continue;
        }
        assert_eq!(definition.spec.effect.is_journaled(), !only_reads, "`{name}`");
    }
}

/// What runs programs, hands out the keys to a desktop, allows something, or cannot be taken back is for people alone.
#[test]
fn commands_for_people_are_known() {
    let person = COMMANDS.iter().filter(|definition| definition.spec.audience == Audience::Person);
    let names: Vec<&str> = person.map(|definition| definition.spec.name).collect();
    let known = ["adopt", "desktop env", "desktop run", "redo", "roots add", "roots remove", "trash empty"];
    assert_eq!(names, known);
}
