//! The page of words.

use anyhow::Result;
use serde_json::Value;

use super::markdown::{WRITTEN, code, list, table, text, words};

/// `docs/reference/vocabulary.md`
pub(super) fn page(reference: &Value) -> Result<String> {
    let roles = list(reference, "roles")?;
    let of_kind = |interactive: bool| -> Result<String> {
        let fitting = roles.iter().filter(|role| role["interactive"] == interactive);
        let words: Result<Vec<String>> = fitting.map(|role| Ok(code(text(role, "word")?))).collect();
        Ok(wrapped(&words?))
    };
    let synonyms: Result<Vec<_>> = list(reference, "synonyms")?
        .iter()
        .map(|synonym| Ok(vec![code(text(synonym, "word")?), code(text(synonym, "role")?)]))
        .collect();
    let deliveries: Result<Vec<_>> = list(reference, "deliveries")?
        .iter()
        .map(|word| Ok(vec![code(text(word, "word")?), text(word, "meaning")?.to_owned(), code(text(word, "retry")?)]))
        .collect();
    let about = |field: &str| words("Word", list(reference, field)?);
    Ok([
        "# Vocabulary\n\n",
        WRITTEN,
        "The words that stand in answers. Every list is closed.\n\n## Roles\n\nElements of these roles get a ref because of \
         what they are:\n\n",
        &of_kind(true)?,
        "\n\nElements of these get one when something can be done with them:\n\n",
        &of_kind(false)?,
        "\n\n`unknown` means that the application has a word for it that is none of these; it stands in `native_role`.\n\n\
         Where a role is asked for, these words are understood as well:\n\n",
        &table(&["Word", "Role"], &synonyms?),
        "\n## States\n\nA state is named only on evidence. That it is not named says nothing.\n\n",
        &about("states")?,
        "\n## Capabilities\n\nWhat stands in `available_actions` can be done without pointer, keyboard or focus.\n\n",
        &about("capabilities")?,
        "\n## Delivery\n\nHow far an action got, by what was observed.\n\n",
        &table(&["Word", "Meaning", "Retry"], &deliveries?),
        "\n`retry` follows from it:\n\n",
        &about("retries")?,
        "\nWhy the effect of an action was not confirmed, as `unverified`:\n\n",
        &about("unverified")?,
        "\n## Checks\n\nWhat is examined before an action, and how each check comes out:\n\n",
        &about("checks")?,
        "\n",
        &about("check_results")?,
        "\n## Gaps\n\nWhy a part of a window is missing from an answer.\n\n",
        &about("gaps")?,
    ]
    .concat())
}

/// Words in lines of a length that can be read.
fn wrapped(words: &[String]) -> String {
    let mut lines = vec![String::new()];
    for (index, word) in words.iter().enumerate() {
        let word = if index + 1 < words.len() { format!("{word},") } else { word.clone() };
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(&word),
            Some(line) if line.len() + 1 + word.len() <= 120 => *line += &format!(" {word}"),
            _ => lines.push(word),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_of_a_length_that_can_be_read() {
        let words: Vec<String> = (0..60).map(|number| code(&format!("word{number}"))).collect();
        let text = wrapped(&words);
        assert!(
            text.lines().count() > 4
                && text.lines().all(|line| (90..=120).contains(&line.len()) || line.ends_with('`'))
        );
        assert_eq!(text.split([' ', '\n']).count(), 60);
    }
}
