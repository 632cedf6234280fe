//! `cargo xtask test`: what the tests need, then the tests.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{asked, cargo, root, run, say};
use crate::{packages, process};

/// The nextest that is installed where there is none.
const NEXTEST: &str = "0.9.151";

/// The oldest nextest that reads our configuration.
const OLDEST_NEXTEST: [u64; 3] = [0, 9, 90];

/// `cargo xtask test`
#[derive(Debug, clap::Args)]
pub(crate) struct Test {
    /// Passed on to `cargo nextest run`. With any, only nextest runs; without, the documentation's examples too.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "NEXTEST ARGS")]
    arguments: Vec<OsString>,
}

impl Test {
    /// Installs, builds, tests.
    ///
    /// # Errors
    /// When something cannot be installed or built, or a test fails.
    pub(crate) fn run(self) -> Result<()> {
        packages::ensure(&["desktop", "demo", "test", "toolkits"])?;
        let mut nextest = nextest()?;
        // The live tests run the binary as a user would; a workspace that has none yet is tested without.
        if root().join("crates/cli/Cargo.toml").is_file() {
            run(cargo().args(["build", "-p", "surehand-cli"]))?;
            run(cargo().args(["build", "-p", "surehand-linux", "--example", "floor", "--example", "press"]))?;
        }
        // The examples first, so that the last thing to be read is the result of the tests.
        if self.arguments.is_empty() {
            run(cargo().args(["test", "--doc", "--workspace", "--quiet"]))?;
        }
        run(nextest.args(["run", "--workspace"]).args(self.arguments))
    }
}

/// `cargo nextest`: the one that is installed if it is new enough, else one of our own below `target`.
fn nextest() -> Result<Command> {
    let there = asked(cargo().args(["nextest", "--version"]));
    if there.as_deref().and_then(version).is_some_and(|version| version >= OLDEST_NEXTEST) {
        let mut command = cargo();
        command.arg("nextest");
        return Ok(command);
    }
    let tools = root().join("target/tools");
    let program = tools.join("bin").join(format!("cargo-nextest{}", std::env::consts::EXE_SUFFIX));
    if own_version(&program) != numbers(NEXTEST) {
        say(format_args!("cargo-nextest is not there, or too old: building {NEXTEST}, which takes some minutes"));
        run(cargo().args(["install", "cargo-nextest", "--locked", "--version", NEXTEST, "--root"]).arg(&tools))?;
    }
    let mut command = Command::new(program);
    command.arg("nextest").current_dir(process::root());
    Ok(command)
}

fn own_version(program: &Path) -> Option<[u64; 3]> {
    asked(Command::new(program).args(["nextest", "--version"])).as_deref().and_then(version)
}

/// The version in what `cargo nextest --version` prints.
fn version(printed: &str) -> Option<[u64; 3]> {
    let word = printed.lines().next()?.strip_prefix("cargo-nextest ")?.split_whitespace().next()?;
    numbers(word)
}

fn numbers(word: &str) -> Option<[u64; 3]> {
    let release = word.split(['-', '+']).next()?;
    let mut parts = release.split('.').map(str::parse);
    let version = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let printed = "cargo-nextest 0.9.143 (60fa45f63 2026-08-04)\nrelease: 0.9.143\n";
        assert_eq!(version(printed), Some([0, 9, 143]));
        assert!(version(printed) > version("cargo-nextest 0.9.9"));
        assert_eq!(version("cargo-nextest 0.9"), None);
        assert_eq!(version("error: no such command"), None);
        assert!(numbers(NEXTEST) >= Some(OLDEST_NEXTEST));
    }
}
