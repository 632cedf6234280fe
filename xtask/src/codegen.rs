//! `cargo xtask codegen`: the reference and the table of commands, written from what the code says of itself.
//!
//! An example of the crate `surehand-commands` prints every definition as JSON, so that nothing of surehand is
//! linked here.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process::{cargo, printed, root, say};

mod commands;
mod errors;
mod fields;
mod markdown;
mod vocabulary;

/// `cargo xtask codegen`
#[derive(Debug, clap::Args)]
pub(crate) struct Codegen {
    /// Write nothing; fail when something that is written by this command differs.
    #[arg(long)]
    check: bool,
}

/// Where the table of commands stands, and the lines around it.
const README: &str = "README.md";
const BEGIN: &str = "<!-- commands -->\n";
const END: &str = "<!-- /commands -->";

impl Codegen {
    /// Builds, asks, and writes or compares.
    ///
    /// # Errors
    /// When it does not build, a file cannot be written, or, with `--check`, a file differs.
    pub(crate) fn run(self) -> Result<()> {
        let example = ["run", "--quiet", "-p", "surehand-commands", "--example", "reference"];
        let reference: Value =
            serde_json::from_str(&printed(cargo().args(example))?).context("the example `reference` prints no JSON")?;
        let readme = fs::read_to_string(root().join(README)).context(README)?;
        let files = [
            ("docs/reference/commands.md", commands::page(&reference)?),
            ("docs/reference/errors.md", errors::page(&reference)?),
            ("docs/reference/vocabulary.md", vocabulary::page(&reference)?),
            (README, between(&readme, &commands::table(&reference)?)?),
        ];
        let mut differing = Vec::new();
        for (path, text) in files {
            let file = root().join(path);
            // A file that is not there differs as well.
            if fs::read_to_string(&file).is_ok_and(|there| there == text) {
                continue;
            }
            differing.push(path);
            if !self.check {
                let folder = file.parent().context("a file without a folder")?;
                fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
                fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
            }
        }
        match (self.check, differing.as_slice()) {
            (_, []) => say(format_args!("codegen: everything is up to date")),
            (true, differing) => bail!("{} not what the code says: run `cargo xtask codegen`", differing.join(", ")),
            (false, differing) => say(format_args!("codegen: wrote {}", differing.join(", "))),
        }
        Ok(())
    }
}

/// The text with other lines between the marks.
fn between(text: &str, lines: &str) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).with_context(|| format!("{README} has no `{}`", BEGIN.trim_end()))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{README} has no `{END}` after it"))?;
    ensure!(!after.contains(BEGIN), "{README} has the mark twice");
    Ok(format!("{before}{BEGIN}{lines}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_written() {
        let text = "# A\n<!-- commands -->\nold\n<!-- /commands -->\nafter\n";
        let new = between(text, "| new |\n").unwrap();
        assert_eq!(new, "# A\n<!-- commands -->\n| new |\n<!-- /commands -->\nafter\n");
        assert_eq!(between(&new, "| new |\n").unwrap(), new);
        assert!(between("# A\n", "").is_err());
        assert!(between("<!-- commands -->\n", "").is_err());
    }
}
