//! `cargo xtask bench`: what is measured, side by side in one run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::packages;
use crate::process::{cargo, printed, root, run, say, shown, variable};

mod click;
mod large;
mod numbers;
mod snapshot;
mod stage;

/// `cargo xtask bench`
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Let two agents act on two windows of one desktop, and count what went to the wrong one.
    #[command(disable_help_flag = true)]
    Agents {
        /// Passed on to the harness; `--help` tells what there is.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// Change windows between reading and clicking, and count what was really clicked.
    #[command(disable_help_flag = true)]
    Churn {
        /// Passed on to the harness; `--help` tells what there is.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// How long a click through a ref takes beside the raw call, and how many round trips that is.
    Click(click::Click),
    /// How long plans of many files take beside bare renames.
    #[command(disable_help_flag = true)]
    Files {
        /// Passed on to the bench; `--help` tells what there is.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// How long a snapshot takes beside a property-by-property walk and beside the least that could be read.
    Snapshot(snapshot::Snapshot),
    /// What snapshots of very large tables and sheets cost, and whether reading on gives the right rows.
    Large(large::Large),
}

impl Bench {
    /// Installs, builds, measures.
    ///
    /// # Errors
    /// When something cannot be installed, built, started or measured, or the harness finds something wrong.
    pub(crate) fn run(self) -> Result<()> {
        match self.what {
            What::Agents { arguments } => harness("agents", arguments),
            What::Churn { arguments } => harness("churn", arguments),
            What::Click(task) => task.run(),
            What::Files { arguments } => {
                run(cargo().args(["build", "--release", "-p", "surehand-testkit", "--bin", "files"]))?;
                run(Command::new(built("files")).current_dir(root()).args(arguments))
            }
            What::Snapshot(task) => task.run(),
            What::Large(task) => task.run(),
        }
    }
}

/// Builds a harness of the test kit and the program, and lets the one loose on the other.
fn harness(name: &str, arguments: Vec<OsString>) -> Result<()> {
    packages::ensure(&["desktop", "test"])?;
    run(cargo().args(["build", "--release", "-p", "surehand-cli", "-p", "surehand-testkit", "--bins"]))?;
    run(Command::new(built(name)).current_dir(root()).arg("--binary").arg(built("surehand")).args(arguments))
}

/// A program that was built in release.
pub(crate) fn built(name: &str) -> PathBuf {
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Builds for release and returns where cargo put the executable.
fn build(which: &[&str], name: &str) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--release", "--message-format=json-render-diagnostics"]).args(which);
    say(format_args!("+ {}", shown(&command)));
    let messages = printed(&mut command)?;
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().filter(|_| message["target"]["name"] == name).map(PathBuf::from)
    };
    messages.lines().find_map(executable).with_context(|| format!("cargo built no program `{name}`"))
}

/// What the numbers were taken on. They are not comparable between machines.
fn machine() -> Value {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map(|(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    json!({ "cpu": model, "cores": cores })
}

/// Writes a report where it goes.
fn write_json(output: &Path, report: &Value) -> Result<()> {
    if let Some(folder) = output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(output, format!("{report:#}\n")).with_context(|| format!("cannot write {}", output.display()))
}
