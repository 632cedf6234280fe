//! The page of commands, and the table in the README.

use anyhow::Result;
use serde_json::Value;

use super::fields::Fields;
use super::markdown::{self, WRITTEN, code, list, text};

/// The page's path from the README.
const PAGE: &str = "docs/reference/commands.md";

/// The table in the README.
pub(super) fn table(reference: &Value) -> Result<String> {
    let mut rows = Vec::new();
    for command in grouped(reference)?.into_iter().flat_map(|(_, commands)| commands) {
        let name = text(command, "name")?;
        let link = format!("[`{name}`]({PAGE}#{})", name.replace(' ', "-"));
        rows.push(vec![link, text(command, "about")?.to_owned()]);
    }
    Ok(markdown::table(&["Command", "What it does"], &rows))
}

/// `docs/reference/commands.md`
pub(super) fn page(reference: &Value) -> Result<String> {
    let mut page = format!(
        "# Commands\n\n{WRITTEN}Every command answers with one line of JSON, the envelope: `version`, `ok`, `command`, and \
         `data` or `error`. The fields\nlisted here are those of `data`; failures are in [errors](errors.md), words that \
         stand in answers in the [vocabulary](vocabulary.md).\n`surehand --help` lists the options that go with every \
         command.\n"
    );
    for (group, commands) in grouped(reference)? {
        page += &format!("\n## {}\n", text(group, "meaning")?.trim_end_matches('.'));
        for command in commands {
            page += &chapter(command, reference)?;
        }
    }
    Ok(page)
}

/// The chapters in their order, each with its commands.
fn grouped(reference: &Value) -> Result<Vec<(&Value, Vec<&Value>)>> {
    let commands = list(reference, "commands")?;
    let mut chapters = Vec::new();
    for group in list(reference, "groups")? {
        let own: Vec<&Value> = commands.iter().filter(|command| command["group"] == group["word"]).collect();
        if !own.is_empty() {
            chapters.push((group, own));
        }
    }
    Ok(chapters)
}

/// Everything about one command.
fn chapter(command: &Value, reference: &Value) -> Result<String> {
    let about = text(command, "about")?;
    let mut lines = format!("\n### `{}`\n\n", text(command, "name")?);
    lines += &format!("{about}.\n\n    {}\n", text(command, "usage")?);
    // The long description begins with the short one.
    if let Some(more) = command["description"].as_str().map(|long| long.trim_start_matches(about).trim())
        && !more.is_empty()
    {
        lines += &format!("\n{more}\n");
    }
    let meaning = |list_of: &str, word: &str| -> Result<String> {
        let found = list(reference, list_of)?.iter().find(|entry| entry["word"] == command[word]);
        found.map_or_else(|| Ok(String::new()), |entry| text(entry, "meaning").map(str::to_owned))
    };
    let effect = code(text(command, "effect")?);
    lines += &format!("\nEffect: {effect}. {}", meaning("effects", "effect")?);
    lines += &format!(" For: {}", lowered(&meaning("audiences", "audience")?));
    if command["piped"] == "text" {
        lines += " Answers with its text, also into a pipe, unless `--format json` is given.";
    }
    lines += "\n";
    let arguments = list(command, "arguments")?;
    if !arguments.is_empty() {
        let rows: Result<Vec<_>> = arguments.iter().map(argument).collect();
        lines += &format!("\n{}", markdown::table(&["Argument", "In JSON", "Default", "What it is"], &rows?));
    }
    let fields = Fields::of(&command["output"], reference)?;
    if !fields.is_empty() {
        lines += &format!("\n{}", markdown::table(&["Field", "Type", "What it is"], &fields));
    }
    Ok(lines)
}

/// A sentence as it stands inside of another one.
fn lowered(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The row of one argument.
fn argument(argument: &Value) -> Result<Vec<String>> {
    let value = argument["value"].as_str();
    let mut names = Vec::new();
    if let Some(short) = argument["short"].as_str() {
        names.push(code(&format!("-{short}")));
    }
    if let Some(long) = argument["long"].as_str() {
        let value = value.map(|value| format!(" {value}")).unwrap_or_default();
        names.push(code(&format!("--{long}{value}")));
    }
    if names.is_empty() {
        names.push(code(value.unwrap_or_default()));
    }
    let in_json = if argument["in_json"] == true { code(text(argument, "id")?) } else { "not there".to_owned() };
    let default = match argument["default"].as_str() {
        Some(word) => code(word),
        None if argument["required"] == true => "required".to_owned(),
        None => String::new(),
    };
    let mut help = text(argument, "help")?.to_owned();
    let words = list(argument, "words")?;
    if !words.is_empty() {
        let shown: Result<Vec<_>> = words
            .iter()
            .map(|entry| {
                let word = code(text(entry, "word")?);
                Ok(entry["meaning"].as_str().map_or(word.clone(), |meaning| format!("{word} ({})", lowered(meaning))))
            })
            .collect();
        help += &format!(": {}", shown?.join(", "));
    }
    Ok(vec![names.join(", "), in_json, default, help])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reference() -> Value {
        json!({
            "groups": [{ "word": "wait", "meaning": "Waiting." }, { "word": "system", "meaning": "Itself." }],
            "effects": [{ "word": "observe", "meaning": "Reads." }],
            "audiences": [{ "word": "agent", "meaning": "Agents and people." }],
            "roles": [], "states": [], "capabilities": [], "deliveries": [], "retries": [], "unverified": [],
            "gaps": [], "checks": [], "check_results": [],
            "commands": [
                { "name": "desktop env", "group": "system", "about": "Print it", "description": "Print it\n\nAll of it.",
                  "usage": "surehand desktop env [ID]", "effect": "observe", "audience": "agent", "piped": "text",
                  "arguments": [], "output": {} },
                { "name": "wait", "group": "wait", "about": "Wait", "description": null, "usage": "surehand wait <MS>",
                  "effect": "observe", "audience": "agent", "piped": "json", "output": {},
                  "arguments": [
                    { "id": "ms", "short": null, "long": null, "value": "MS", "help": "How long", "required": true,
                      "default": null, "words": [], "in_json": true },
                    { "id": "for", "short": "f", "long": "for", "value": "WHAT", "help": "What for", "required": false,
                      "default": "time", "words": [{ "word": "time", "meaning": "Time passes" }], "in_json": false },
                  ] },
            ],
        })
    }

    #[test]
    fn commands_stand_in_their_chapters() {
        let page = page(&reference()).unwrap();
        let places: Vec<_> = ["## Waiting\n", "### `wait`\n", "## Itself\n", "### `desktop env`\n"]
            .iter()
            .map(|part| page.find(part))
            .collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{page}");
        assert!(page.contains("Print it.\n\n    surehand desktop env [ID]\n\nAll of it.\n\nEffect: `observe`. Reads. For: agents and people. Answers"), "{page}");
        assert!(page.contains("| `MS` | `ms` | required | How long |\n"), "{page}");
        assert!(
            page.contains("| `-f`, `--for WHAT` | not there | `time` | What for: `time` (time passes) |\n"),
            "{page}"
        );
    }

    #[test]
    fn the_table_links_to_the_chapters() {
        let table = table(&reference()).unwrap();
        assert!(table.ends_with("| [`desktop env`](docs/reference/commands.md#desktop-env) | Print it |\n"), "{table}");
        assert_eq!(table.lines().count(), 4);
    }
}
