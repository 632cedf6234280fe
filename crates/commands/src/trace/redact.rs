//! Taking texts out of what is traced.
//!
//! What an argument may hold is told by its declared type: a number, a word of a closed list and a ref say nothing of
//! anybody, a free text can hold anything. So every free text is taken out, unless the command says of that argument
//! that it only names an application, a window or a thing of ours. A list of words stands behind this as a second net,
//! for everything else that is written.

use serde_json::{Map, Value, json};

/// Words in the name of a field whose value is never written.
const WORDS: &[&str] = &[
    "text",
    "value",
    "expected",
    "name",
    "username",
    "description",
    "label",
    "query",
    "selector",
    "secret",
    "token",
    "password",
    "title",
    "url",
    "help",
    "placeholder",
];

/// What stands in the place of a text.
fn redacted() -> Value {
    json!({ "redacted": true })
}

/// The arguments of a command as they may be written down.
pub(crate) fn arguments(schema: &Value, plain: &[&str], arguments: Value) -> Value {
    let Value::Object(arguments) = arguments else { return redacted() };
    let kept = arguments.into_iter().map(|(name, value)| {
        let declared = schema.pointer(&format!("/properties/{name}"));
        let harmless = declared.is_some_and(says_nothing)
            || plain.contains(&name.as_str())
            || name == "combo" && value.as_str().is_some_and(types_nothing);
        let value = if value.is_null() || harmless { value } else { redacted() };
        (name, value)
    });
    Value::Object(kept.collect())
}

/// Whether every value of this type is one that we give ourselves.
fn says_nothing(schema: &Value) -> bool {
    if schema.get("enum").is_some() || schema.get("const").is_some() || schema.get("pattern").is_some() {
        return true;
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema.get(word).and_then(Value::as_array) {
            return parts.iter().all(says_nothing);
        }
    }
    let plain = |kind: &str| match kind {
        "boolean" | "integer" | "number" | "null" => true,
        "array" => schema.get("items").is_some_and(says_nothing),
        _ => false,
    };
    match schema.get("type") {
        Some(Value::String(kind)) => plain(kind),
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind.as_str().is_some_and(plain)),
        _ => false,
    }
}

/// Whether a key combination is a command and no letter: a text can be typed key by key.
fn types_nothing(combo: &str) -> bool {
    use surehand_core::input::{Chord, Key, Modifier, NamedKey};
    let Ok(chord) = combo.parse::<Chord>() else { return false };
    let types = match chord.key {
        Key::Character(_) => true,
        Key::Named(key) => key == NamedKey::Space,
    };
    !types || chord.modifiers.iter().any(|modifier| *modifier != Modifier::Shift)
}

/// Takes out every field with one of the words in its name, however deep it stands.
pub(crate) fn names(fields: &mut Map<String, Value>) {
    for (name, value) in fields.iter_mut() {
        if !value.is_null() && words(name).any(|word| WORDS.contains(&word.as_str())) {
            *value = redacted();
        } else {
            within(value);
        }
    }
}

fn within(value: &mut Value) {
    match value {
        Value::Object(fields) => names(fields),
        Value::Array(items) => items.iter_mut().for_each(within),
        _ => {}
    }
}

/// The words of a field's name: `windowTitle` and `window_title` have the same.
fn words(name: &str) -> impl Iterator<Item = String> + use<> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && lower {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_text_is_taken_out_whatever_it_is_called() {
        let schema = json!({ "properties": {
            "ref_id": { "type": "string", "pattern": "^@" },
            "since": { "anyOf": [{ "type": "string", "pattern": "^s" }, { "type": "null" }] },
            "harmless": { "type": ["string", "null"] },
            "list": { "type": "array", "items": { "type": "string" } },
            "numbers": { "type": "array", "items": { "type": "integer" } },
            "surface": { "oneOf": [{ "const": "menu" }, { "const": "window" }] },
            "app": { "type": "string" },
            "combo": { "type": "string" },
            "empty": { "type": ["string", "null"] },
        }});
        let given = json!({
            "ref_id": "@s01:e1", "since": "s01", "harmless": "hunter2", "list": ["hunter2"], "numbers": [1],
            "surface": "menu", "app": "editor", "combo": "a", "empty": null, "unheard_of": "hunter2", "n": 1,
        });
        let kept = arguments(&schema, &["app"], given);
        assert_eq!(
            kept,
            json!({
                "ref_id": "@s01:e1", "since": "s01", "harmless": { "redacted": true }, "list": { "redacted": true },
                "numbers": [1], "surface": "menu", "app": "editor", "combo": { "redacted": true }, "empty": null,
                "unheard_of": { "redacted": true }, "n": { "redacted": true },
            })
        );
        for (combo, shown) in [("ctrl+a", true), ("escape", true), ("shift+a", false), ("ü", false), ("Super+l", true)]
        {
            assert_eq!(types_nothing(combo), shown, "{combo}");
        }
    }

    #[test]
    fn the_second_net_catches_names_however_deep_and_however_spelled() {
        let mut fields = json!({
            "windowTitle": "x", "a": [{ "user-name": "x", "role": "button" }], "HELP_URL": "x", "label": null,
            "context": "kept", "tokens": "kept",
        });
        if let Value::Object(fields) = &mut fields {
            names(fields);
        }
        let out = json!({ "redacted": true });
        assert_eq!(
            fields,
            json!({ "windowTitle": out, "a": [{ "user-name": out, "role": "button" }], "HELP_URL": out, "label": null,
                    "context": "kept", "tokens": "kept" })
        );
    }
}
