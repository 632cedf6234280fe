//! `cargo xtask toolkits`: what works with which toolkit, found by doing it, as a table in the reference.
//!
//! The live tests of the toolkits do the work and write down what they saw; here it becomes a page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process::{cargo, print, root, run};

mod actions;

/// What each toolkit hides or lies about, found by experiment, and what surehand does then. In the order of the
/// table.
const LIES: &[(&str, &str)] = &[
    (
        "Fixture GTK3",
        "Answers yes to an action on a disabled widget and does nothing: the states are asked first. A dialog's own loop \
         deafens the connection that the action came over: actions have a connection of their own.",
    ),
    (
        "Fixture GTK4",
        "Check boxes, radio buttons, combo boxes and menus that are closed have no action: refused. Elements without a name are called by \
         their class: taken as no name. An entry that hides its text does not say so: its label decides whether it is \
         secret. `showing` is said of windows only: nothing is called offscreen. Places are told within the window: \
         they are moved to the screen.",
    ),
    (
        "Fixture Qt5",
        "Dies when all properties are asked at once: never done. A combo box is called by its choice: taken as its value. \
         Disabled elements have no actions: waited for, as for any disabled element. Lengths of text are UTF-16.",
    ),
    (
        "Fixture Qt6",
        "As Qt 5, and publishes nothing, then and later, if accessibility was off when it started: private desktops set \
         `QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1`, and on others the refusal names it.",
    ),
    (
        "Chromium",
        "Publishes nothing below its frames until a frame's attributes are asked for: done at first contact, and the page \
         is waited for. Offers an action on every element: only what does something is clickable. Text cannot be \
         written: refused with the reason. Has frames that nobody sees: not listed.",
    ),
    ("Chromium app window", "As Chromium. What is built on it (Electron and others) is seen as this is."),
    (
        "Firefox",
        "Answers that it wrote a text and does not: refused with the reason. At first contact nothing of the page is shown \
         and half of it has no name: waited for.",
    ),
    (
        "LibreOffice Writer",
        "Has two objects for a window, and two menus of which one is hidden: the listed window counts. Paragraphs are made on \
         demand and stay themselves: their refs hold.",
    ),
    (
        "LibreOffice Calc",
        "Says a sheet has two thousand million cells, and hangs when asked for them: never asked for; the cells on the \
         screen are read, the rest is a gap with its count. Cells cannot be written: refused.",
    ),
    (
        "Fixture Swing",
        "Answers that it set a number and does not: refused. Garbles characters beyond U+FFFF: refused. Cells of tables and lists are \
         labels.",
    ),
    ("VTE", "The screen is one text that can be read and not written: refused with the reason; `press` types."),
];

/// The commands of the table, as the tests note them.
const COMMANDS: &[&str] = &[
    "click button",
    "click checkbox",
    "click menuitem",
    "set-value textfield",
    "type textfield",
    "set-value slider",
    "set-value paragraph",
    "set-value cell",
    "press",
];

/// `cargo xtask toolkits`
#[derive(Debug, clap::Args)]
pub(crate) struct Toolkits {
    /// Where the page goes [default: docs/reference/toolkits.md].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where the page of the actions goes [default: docs/reference/actions.md].
    #[arg(long, value_name = "FILE")]
    actions: Option<PathBuf>,
    /// Keep the recordings that are made on the way in crates/testkit/recordings, in the place of those there.
    #[arg(long)]
    record: bool,
}

impl Toolkits {
    /// Installs what is missing, drives every toolkit, and writes the pages.
    ///
    /// # Errors
    /// When something cannot be installed, or a toolkit does not do what its test says.
    pub(crate) fn run(self) -> Result<()> {
        crate::packages::ensure(&["desktop", "test", "toolkits"])?;
        let folder = root().join("target/toolkits");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("the last run's reports cannot be removed")?;
        }
        fs::create_dir_all(&folder).context("no folder for the reports")?;
        let mut tests = cargo();
        tests
            .args(["test", "-p", "surehand-cli", "--test", "toolkits", "--", "--test-threads", "1"])
            .env("TOOLKITS_REPORT", &folder);
        if self.record {
            tests.env("TOOLKITS_RECORDINGS", root().join("crates/testkit/recordings"));
        }
        run(&mut tests)?;
        let mut reports = Vec::new();
        for (name, _) in LIES {
            let file = folder.join(format!("{name}.json"));
            let text = fs::read_to_string(&file).with_context(|| format!("{name} reported nothing"))?;
            reports.push(serde_json::from_str(&text).with_context(|| format!("the report of {name} is damaged"))?);
        }
        let reference = root().join("docs/reference");
        write_page(&self.output.unwrap_or_else(|| reference.join("toolkits.md")), &page(&reports)?)?;
        write_page(
            &self.actions.unwrap_or_else(|| reference.join("actions.md")),
            &actions::page(&actions::read(&folder)?)?,
        )
    }
}

fn write_page(output: &Path, page: &str) -> Result<()> {
    if let Some(folder) = output.parent() {
        fs::create_dir_all(folder).context("no folder for the page")?;
    }
    fs::write(output, page).context("the page cannot be written")?;
    print(format_args!("{}", output.display()));
    Ok(())
}

/// The page.
fn page(reports: &[Value]) -> Result<String> {
    ensure!(reports.len() == LIES.len(), "{} reports for {} toolkits", reports.len(), LIES.len());
    let number =
        |report: &Value, key: &str| report[key].as_u64().with_context(|| format!("{key} is missing: {report}"));
    let per_node = |report: &Value| -> Result<f64> {
        Ok(number(report, "milliseconds")?.max(1) as f64 / number(report, "nodes")?.max(1) as f64)
    };
    let first = reports.first().map(per_node).transpose()?.unwrap_or(1.0);
    let mut page = String::from(
        "# Toolkits\n\nWritten by `cargo xtask toolkits` from a live run; do not edit. Everything in the tables was done on a \
         private desktop, without pointer and (`press` aside) without focus, and judged by what the application logs or shows. \
         \"refused\" is an answer with the reason before anything is sent.\n\n## What reading costs\n\nTime for each \
         element is relative to the first row, since milliseconds are those of one machine.\n\n\
         | Application | Toolkit | Elements | D-Bus calls | Calls for an element | Time for an element | Complete |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for report in reports {
        let (nodes, calls) = (number(report, "nodes")?, number(report, "calls")?);
        writeln!(
            page,
            "| {} | {} | {nodes} | {calls} | {:.1} | {:.1} | {} |",
            text(&report["name"]),
            text(&report["toolkit"]),
            calls as f64 / nodes.max(1) as f64,
            per_node(report)? / first,
            if report["complete"] == true { "yes" } else { "no, gaps are listed" },
        )?;
    }
    page.push_str("\n## What works\n\n`snapshot`, `find`, `get`, `is`, `list-windows` and `screenshot --app` work with all of them.\n\n| Application |");
    COMMANDS.iter().try_for_each(|command| write!(page, " `{command}` |"))?;
    page.push_str("\n|---|");
    page.push_str(&"---|".repeat(COMMANDS.len()));
    for report in reports {
        write!(page, "\n| {} |", text(&report["name"]))?;
        for command in COMMANDS {
            write!(page, " {} |", report["commands"][command].as_str().unwrap_or("-"))?;
        }
    }
    page.push_str(
        "\n\nA dash means that it was not tried.\n\n## What they hide or lie about, and what is done then\n\n",
    );
    for (name, lies) in LIES {
        writeln!(page, "- **{name}**: {lies}")?;
    }
    Ok(page)
}

/// A text for a cell of a table.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reports() -> Vec<Value> {
        let report = |name: &str, milliseconds: u64| {
            json!({"name": name, "toolkit": "kit 1", "nodes": 10, "calls": 35, "milliseconds": milliseconds,
                "complete": true, "commands": {"click button": "works"}})
        };
        LIES.iter().zip(1..).map(|((name, _), place)| report(name, place * 10)).collect()
    }

    #[test]
    fn times_are_told_relative_to_the_first_and_what_was_not_tried_is_a_dash() {
        let page = page(&reports()).expect("a page");
        assert!(page.contains("| Fixture GTK3 | kit 1 | 10 | 35 | 3.5 | 1.0 | yes |"), "{page}");
        assert!(page.contains("| Fixture GTK4 | kit 1 | 10 | 35 | 3.5 | 2.0 | yes |"), "{page}");
        assert!(page.contains("| VTE | works | - |"), "{page}");
    }

    #[test]
    fn a_report_that_lacks_something_makes_no_page() {
        let mut reports = reports();
        reports[3]["calls"] = Value::Null;
        assert!(page(&reports).is_err());
        reports.pop();
        assert!(page(&reports).is_err());
    }
}
