//! The fields of an answer, from its schema.

use anyhow::{Context, Result};
use serde_json::Value;

use super::markdown::{code, list, text};

/// The lists of words that the page of words explains, by their place in the reference and their heading there.
const EXPLAINED: &[(&str, &str, &str)] = &[
    ("roles", "role", "roles"),
    ("states", "state", "states"),
    ("capabilities", "capability", "capabilities"),
    ("deliveries", "delivery", "delivery"),
    ("retries", "retry", "delivery"),
    ("unverified", "reason", "delivery"),
    ("gaps", "reason", "gaps"),
    ("checks", "check", "checks"),
    ("check_results", "result", "checks"),
];

/// Goes through a schema and writes a row for each field.
pub(super) struct Fields<'r> {
    schema: &'r Value,
    reference: &'r Value,
    rows: Vec<Vec<String>>,
    /// The objects whose fields are listed already, and where.
    listed: Vec<(&'r Value, String)>,
}

/// What one field holds.
struct Type<'r> {
    shown: String,
    /// Words that nothing else explains.
    words: Vec<String>,
    /// The object whose fields are still to be listed, and the path before them.
    inside: Option<(&'r Value, String)>,
}

impl<'r> Fields<'r> {
    /// The rows: path, type, description.
    pub(super) fn of(schema: &'r Value, reference: &'r Value) -> Result<Vec<Vec<String>>> {
        let mut fields = Fields { schema, reference, rows: Vec::new(), listed: Vec::new() };
        fields.object(schema, "")?;
        Ok(fields.rows)
    }

    fn object(&mut self, object: &'r Value, prefix: &str) -> Result<()> {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in object["properties"].as_object().into_iter().flatten() {
            let path = format!("{prefix}{name}");
            let held = self.held(field, &path)?;
            let mut shown = held.shown;
            if !required.contains(&name.as_str()) {
                // It is left out instead of being null.
                shown = format!("{}, not always there", shown.trim_end_matches(" or null"));
            }
            let mut meaning = field["description"].as_str().unwrap_or_default().to_owned();
            if !held.words.is_empty() {
                meaning += &format!(" One of {}.", held.words.join(", "));
            }
            self.rows.push(vec![code(&path), shown, meaning]);
            if let Some((inside, prefix)) = held.inside {
                self.object(inside, &prefix)?;
            }
        }
        Ok(())
    }

    /// What a field holds, from its schema.
    fn held(&mut self, field: &'r Value, path: &str) -> Result<Type<'r>> {
        let plain = |shown: &str| Type { shown: shown.to_owned(), words: Vec::new(), inside: None };
        if let Some(target) = field["$ref"].as_str() {
            let target = target.trim_start_matches('#');
            let target = self.schema.pointer(target).with_context(|| format!("{target} is not in the schema"))?;
            return self.held(target, path);
        }
        if let Some(choices) = field["anyOf"].as_array()
            && let Some(choice) = choices.iter().find(|choice| choice["type"] != "null")
        {
            let mut held = self.held(choice, path)?;
            held.shown += " or null";
            return Ok(held);
        }
        let words = words(field);
        if !words.is_empty() {
            return self.one_of(&words);
        }
        if field["properties"].is_object() {
            if let Some((_, place)) = self.listed.iter().find(|(object, _)| is_same(object, field)) {
                let same = format!("object, as {}", code(place));
                return Ok(plain(&same));
            }
            self.listed.push((field, path.to_owned()));
            return Ok(Type { inside: Some((field, format!("{path}."))), ..plain("object") });
        }
        let kinds: Vec<&str> = match &field["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(plain("any")),
        };
        let kind = kinds.iter().find(|kind| **kind != "null").copied().unwrap_or("null");
        let mut held = match kind {
            "string" => plain("text"),
            "boolean" => plain("true or false"),
            "array" => {
                let items = self.held(&field["items"], &format!("{path}[]"))?;
                Type { shown: format!("list: {}", items.shown), ..items }
            }
            other => plain(other),
        };
        if kinds.len() > 1 {
            held.shown += " or null";
        }
        Ok(held)
    }

    /// A field that holds one word of a list.
    fn one_of(&self, words: &[&str]) -> Result<Type<'r>> {
        for (place, name, heading) in EXPLAINED {
            let known: Result<Vec<&str>> =
                list(self.reference, place)?.iter().map(|entry| text(entry, "word")).collect();
            if known? == words {
                let shown = format!("[{name}](vocabulary.md#{heading})");
                return Ok(Type { shown, words: Vec::new(), inside: None });
            }
        }
        Ok(Type { shown: "word".to_owned(), words: words.iter().map(|word| code(word)).collect(), inside: None })
    }
}

/// The words a field is one of; none where it is anything else.
fn words(field: &Value) -> Vec<&str> {
    let listed = field["enum"].as_array().into_iter().flatten();
    let described = field["oneOf"].as_array().into_iter().flatten().map(|choice| &choice["const"]);
    listed.chain(described).filter_map(Value::as_str).collect()
}

/// Whether two objects have the same fields; what is said of the objects themselves may differ.
fn is_same(one: &Value, other: &Value) -> bool {
    ["properties", "required"].iter().all(|part| one[part] == other[part])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_listed_once_with_what_they_hold() {
        let mut reference = json!({});
        for (place, _, _) in EXPLAINED {
            reference[place] = json!([]);
        }
        reference["states"] = json!([{ "word": "a" }, { "word": "b" }]);
        let node = json!({ "type": "object", "required": ["states"], "properties": {
            "states": { "type": "array", "items": { "enum": ["a", "b"] }, "description": "Its states." },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } },
        } });
        let schema = json!({ "type": "object", "required": ["tree"], "$defs": { "Node": node }, "properties": {
            "tree": { "$ref": "#/$defs/Node", "description": "The tree." },
            "with": { "oneOf": [{ "const": "x" }, { "const": "y" }], "description": "A word." },
            "count": { "type": ["integer", "null"] },
            "value": true,
        } });
        let rows = Fields::of(&schema, &reference).unwrap();
        let rows: Vec<String> = rows.iter().map(|row| row.join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "`count` | integer, not always there | ",
                "`tree` | object | The tree.",
                "`tree.children` | list: object, as `tree`, not always there | ",
                "`tree.states` | list: [state](vocabulary.md#states) | Its states.",
                "`value` | any, not always there | ",
                "`with` | word, not always there | A word. One of `x`, `y`.",
            ]
        );
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_an_error() {
        let schema = json!({ "properties": { "a": { "$ref": "#/$defs/Gone" } } });
        assert!(Fields::of(&schema, &json!({})).is_err());
    }
}
