//! What commands publish about themselves as JSON schemas, and that their answers keep to it.

use jsonschema::Validator;
use serde_json::Value;
use surehand_commands::command::Group;
use surehand_commands::registry::{self, COMMANDS};

use crate::rig::Told;

/// Fails when a success does not fit the schema that its command publishes.
#[track_caller]
pub(crate) fn assert_fits(told: &Told) {
    let value = told.value();
    if value["ok"] != true {
        return;
    }
    let definition = registry::find(told.spec.name).expect("a command that ran is in the registry");
    let schema = definition.output_schema().to_value();
    let validator = strict(&schema);
    let faults: Vec<String> =
        validator.iter_errors(&value["data"]).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{}: {faults:#?}\n{}", told.spec.name, told.json);
}

fn strict(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("not a schema: {error}\n{schema:#}"))
}

/// Everything of a schema with the place where it stands.
fn everything(schema: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    let mut left = vec![(String::new(), schema)];
    while let Some((place, value)) = left.pop() {
        match value {
            Value::Object(map) => left.extend(map.iter().map(|(key, value)| (format!("{place}/{key}"), value))),
            Value::Array(items) => {
                left.extend(items.iter().enumerate().map(|(index, value)| (format!("{place}/{index}"), value)));
            }
            _ => {}
        }
        all.push((place, value));
    }
    all
}

fn schemas() -> impl Iterator<Item = (String, Value)> {
    COMMANDS.iter().flat_map(|definition| {
        let name = definition.spec.name;
        [
            (format!("{name}, input"), definition.input_schema().to_value()),
            (format!("{name}, output"), definition.output_schema().to_value()),
        ]
    })
}

#[test]
fn schemas_are_valid_and_about_objects() {
    for (name, schema) in schemas() {
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        strict(&schema);
        assert_eq!(schema["type"], "object", "{name}: {schema:#}");
    }
}

#[test]
fn schemas_are_self_contained_and_only_what_recurs_stands_apart() {
    for (name, schema) in schemas() {
        let all = everything(&schema);
        let reference = |value: &Value| value.get("$ref").and_then(Value::as_str).map(str::to_owned);
        for (place, value) in &all {
            if let Some(target) = reference(value) {
                let pointer = target.strip_prefix('#').unwrap_or_else(|| panic!("{name} at {place}: {target}"));
                assert!(pointer.starts_with("/$defs/"), "{name} at {place}: {target}");
                assert!(schema.pointer(pointer).is_some(), "{name} at {place}: {target} is not there");
            }
            for word in ["$schema", "$id", "$dynamicRef", "$anchor"] {
                assert!(value.get(word).is_none(), "{name} at {place} has a {word}");
            }
        }
        // What does not recur is written where it is used: tools that read schemas badly follow no reference.
        for key in schema.get("$defs").and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key) {
            let within = everything(&schema["$defs"][key]);
            let recurs = within.iter().any(|(_, value)| reference(value) == Some(format!("#/$defs/{key}")));
            assert!(recurs, "{name}: {key} stands in $defs and does not contain itself");
        }
    }
}

/// Words of arguments with which a caller could give itself more than a person gave it.
const AUTHORITY: &[&str] = &[
    "allow",
    "approval",
    "approve",
    "confirm",
    "cwd",
    "desktop",
    "display",
    "env",
    "environment",
    "force",
    "grant",
    "headed",
    "headless",
    "output_dir",
    "policy",
    "root",
    "roots",
    "secret",
    "session",
    "state_root",
    "sudo",
    "token",
    "trust",
    "unsafe",
    "yes",
];

#[test]
fn no_argument_widens_what_the_caller_may_do() {
    for definition in COMMANDS {
        let schema = definition.input_schema().to_value();
        for (property, _) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let words: Vec<&str> = property.split(['_', '-']).collect();
            for word in AUTHORITY {
                // The root that `snapshot` takes is an element that the caller has a ref of, and no folder.
                let element = (definition.spec.name, property.as_str()) == ("snapshot", "root");
                // What names a folder does not allow it: that stands in the policy file, and `apply` takes no folder.
                let folder = definition.spec.group == Group::Files && property == "root";
                let named = !element && !folder && (property == word || words.contains(word));
                assert!(!named, "`{}` takes `{property}`", definition.spec.name);
            }
        }
        assert_eq!(schema["additionalProperties"], false, "`{}` takes anything", definition.spec.name);
    }
}

#[test]
fn every_argument_and_every_field_of_an_answer_is_described() {
    for (name, schema) in schemas() {
        for (place, value) in everything(&schema) {
            let Some(properties) = place.ends_with("/properties").then(|| value.as_object()).flatten() else {
                continue;
            };
            for (property, described) in properties {
                let text = described.get("description").and_then(Value::as_str).unwrap_or_default();
                assert!(!text.is_empty(), "{name} at {place}: `{property}` is not described");
            }
        }
    }
}
