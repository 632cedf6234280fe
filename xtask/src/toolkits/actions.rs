//! The page that says how each command comes out with each toolkit.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The applications, in the order of the columns.
const APPLICATIONS: &[&str] = &[
    "Fixture GTK3",
    "Fixture GTK4",
    "Fixture Qt5",
    "Fixture Qt6",
    "Fixture Swing",
    "Chromium",
    "Firefox",
    "LibreOffice Writer",
    "LibreOffice Calc",
    "VTE",
];

/// The commands in their order, each with what it was tried on where that makes a difference.
const ROWS: &[&str] = &[
    "click button",
    "click checkbox",
    "click textfield",
    "double-click",
    "triple-click",
    "right-click",
    "hover",
    "drag",
    "type",
    "set-value textfield",
    "set-value slider",
    "set-value spinbutton",
    "clear",
    "press",
    "focus",
    "select combobox",
    "select list",
    "toggle",
    "check",
    "check radiobutton",
    "uncheck",
    "expand",
    "collapse",
    "scroll",
    "scroll-to",
];

/// What stands at the top.
const ABOUT: &str = "# Actions\n\nWritten by `cargo xtask toolkits` from a live run; do not edit. Every command was tried on \
every application of the table, first as it is, and where that was refused with `needs_headed`, again with `--headed`, \
after `scroll-to` had brought the element into view. What counts is what the application saw: the log of a fixture, the \
script of a page, the text of a document, the bytes that a terminal passes on. The tests of `crates/cli/tests/toolkits` \
predict the same table.\n\n\
- **headless**: done through the accessibility interfaces, without pointer and without taking the focus. `press` is a key in \
any case, and goes only to the window that has the keyboard already.\n\
- **headed**: needs pointer or keyboard, and so `--headed`; without it the answer is `POLICY_DENIED` `needs_headed`.\n\
- A code and its kind: refused before anything was sent. After `headed:` that is so with `--headed` as well.\n\
- **no effect, and not claimed**: the application accepted it and did nothing; the answer is `delivered_unverified`.\n\
- A dash: not tried.\n\n";

/// How the commands came out with one application.
pub(super) type CameOut = Vec<(String, String)>;

/// Reads what the tests wrote down, in the order of the columns.
pub(super) fn read(folder: &Path) -> Result<Vec<CameOut>> {
    let read = |name: &&str| {
        let text = fs::read_to_string(folder.join(format!("{name}.actions.json")))
            .with_context(|| format!("{name} reported no actions"))?;
        serde_json::from_str(&text).with_context(|| format!("the actions of {name} are damaged"))
    };
    APPLICATIONS.iter().map(read).collect()
}

/// The page.
pub(super) fn page(reports: &[CameOut]) -> Result<String> {
    ensure!(reports.len() == APPLICATIONS.len(), "{} reports for {} columns", reports.len(), APPLICATIONS.len());
    for (label, _) in reports.iter().flatten() {
        ensure!(ROWS.contains(&label.as_str()), "`{label}` has no row in the page of the actions");
    }
    let mut page = String::from(ABOUT);
    page.push_str("| Command |");
    APPLICATIONS.iter().try_for_each(|name| write!(page, " {} |", name.trim_start_matches("Fixture ")))?;
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(APPLICATIONS.len()));
    for row in ROWS {
        let (command, on) = row.split_once(' ').unwrap_or((row, ""));
        write!(page, "\n| `{command}`{}{on} |", if on.is_empty() { "" } else { " " })?;
        for report in reports {
            let how = report.iter().find(|(label, _)| label == row).map_or("-", |(_, how)| how.as_str());
            write!(page, " {} |", cell(how))?;
        }
    }
    page.push('\n');
    Ok(page)
}

/// Codes and kinds are words of the interface, and set as such.
fn cell(how: &str) -> String {
    let (before, refused) = how.split_once(": ").map_or(("", how), |(before, refused)| (before, refused));
    if !refused.starts_with(|first: char| first.is_ascii_uppercase()) {
        return how.to_owned();
    }
    let words: Vec<String> = refused.split(' ').map(|word| format!("`{word}`")).collect();
    if before.is_empty() { words.join(" ") } else { format!("{before}: {}", words.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_is_a_dash_and_a_refusal_is_its_words() {
        let mut reports = vec![CameOut::new(); APPLICATIONS.len()];
        reports[0].push(("click button".to_owned(), "headless".to_owned()));
        reports[1].push(("click button".to_owned(), "ACTION_NOT_SUPPORTED no_options".to_owned()));
        reports[2].push(("click button".to_owned(), "headed: ACTION_FAILED offscreen".to_owned()));
        let page = page(&reports).expect("a page");
        let row = "| `click` button | headless | `ACTION_NOT_SUPPORTED` `no_options` | headed: `ACTION_FAILED` `offscreen` | - |";
        assert!(page.contains(row), "{page}");
    }

    #[test]
    fn a_command_without_a_row_makes_no_page() {
        let mut reports = vec![CameOut::new(); APPLICATIONS.len()];
        reports[0].push(("fly".to_owned(), "headless".to_owned()));
        assert!(page(&reports).is_err());
        assert!(page(&reports[1..]).is_err());
    }
}
