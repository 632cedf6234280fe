//! Putting Markdown together.

use anyhow::{Context, Result};
use serde_json::Value;

/// What stands at the top of every page.
pub(super) const WRITTEN: &str = "<!-- Written by `cargo xtask codegen`. Change the code, not this file. -->\n\n";

/// A field that has to be a text.
pub(super) fn text<'v>(value: &'v Value, field: &str) -> Result<&'v str> {
    value[field].as_str().with_context(|| format!("`{field}` is not a text in {value}"))
}

/// A field that has to be a list.
pub(super) fn list<'v>(value: &'v Value, field: &str) -> Result<&'v Vec<Value>> {
    value[field].as_array().with_context(|| format!("`{field}` is not a list in {value}"))
}

/// A word as code.
pub(super) fn code(word: &str) -> String {
    // A code span may hold a backtick only between longer marks.
    if word.contains('`') { format!("`` {word} ``") } else { format!("`{word}`") }
}

/// A table.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut lines = line(heads.iter().map(|head| (*head).to_owned()).collect());
    lines += &format!("|{}\n", "---|".repeat(heads.len()));
    for row in rows {
        lines += &line(row.iter().map(|cell| self::cell(cell)).collect());
    }
    lines
}

/// A text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A table of words and what they mean.
pub(super) fn words(head: &str, words: &[Value]) -> Result<String> {
    let rows: Result<Vec<_>> =
        words.iter().map(|word| Ok(vec![code(text(word, "word")?), text(word, "meaning")?.to_owned()])).collect();
    Ok(table(&[head, "Meaning"], &rows?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_cell() {
        let made = table(&["A", "B"], &[vec!["x|y\n z".to_owned(), "`w`".to_owned()]]);
        assert_eq!(made, "| A | B |\n|---|---|\n| x\\|y z | `w` |\n");
        assert_eq!(code("a`b"), "`` a`b ``");
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = text(&serde_json::json!({ "a": 1 }), "b").unwrap_err().to_string();
        assert!(error.contains("`b` is not a text"), "{error}");
        assert!(words("A", &[serde_json::json!({ "word": "x" })]).is_err());
    }
}
