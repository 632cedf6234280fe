//! The page of codes and exit statuses.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::Value;

use super::markdown::{WRITTEN, code, list, table, text};

/// `docs/reference/errors.md`
pub(super) fn page(reference: &Value) -> Result<String> {
    let codes = list(reference, "codes")?;
    let mut rows = Vec::new();
    let mut by_status: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for entry in codes {
        let word = code(text(entry, "code")?);
        let status = entry["exit"].as_u64().context("a code without an exit status")?;
        rows.push(vec![word.clone(), text(entry, "meaning")?.to_owned(), status.to_string()]);
        by_status.entry(status).or_default().push(word);
    }
    let statuses: Vec<_> = by_status.iter().map(|(status, words)| vec![status.to_string(), words.join(", ")]).collect();
    Ok([
        "# Errors\n\n",
        WRITTEN,
        "A command that fails answers with an envelope of `\"ok\": false`. Its `error` has these fields:\n\n",
        &fields(),
        "\nPrograms read `code`, `disposition` and `details.kind`. The message is for people and may change. The words of\n\
         `disposition` are in the [vocabulary](vocabulary.md#delivery).\n\n",
        "## Codes\n\nThe set is closed.\n\n",
        &table(&["Code", "Meaning", "Exit status"], &rows),
        "\n## Exit status\n\n\
         0 is success. `doctor` ends with 1 when applications cannot be read and acted on, `desktop run` with the status of\n\
         the program it ran. An interrupted command ends with 130, one that was asked to terminate with 143.\n\n",
        &table(&["Status", "Codes"], &statuses),
    ]
    .concat())
}

/// The fields of an `error`. They are part of the envelope, which has no schema of its own.
fn fields() -> String {
    let rows = [
        ("code", "The code, from the table below."),
        ("message", "What was found, in words. Names that an application chose stand in it quoted and escaped."),
        (
            "disposition",
            "How far it got: `delivery`, and `retry`, which says whether the same request may be sent again.",
        ),
        ("suggestion", "What to do about it. Not always there."),
        (
            "recovery",
            "What a program may do by itself: `strategy`, `retryable`, `requires_fresh_snapshot`, and sometimes `retry_after_ms`. Only where sending it again is safe.",
        ),
        ("platform_detail", "What the operating system said. Not always there."),
        ("details", "Fields for programs; `details.kind` names the kind of failure within its code. Not always there."),
    ];
    let rows: Vec<_> = rows.iter().map(|(field, meaning)| vec![code(field), (*meaning).to_owned()]).collect();
    table(&["Field", "Meaning"], &rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_stand_under_their_status() {
        let codes = json!({ "codes": [
            { "code": "A", "meaning": "One.", "exit": 4 }, { "code": "B", "meaning": "Two.", "exit": 1 },
            { "code": "C", "meaning": "Three.", "exit": 4 },
        ] });
        let page = page(&codes).unwrap();
        assert!(page.contains("| `A` | One. | 4 |\n| `B` | Two. | 1 |\n"), "{page}");
        assert!(page.ends_with("| 1 | `B` |\n| 4 | `A`, `C` |\n"), "{page}");
    }
}
