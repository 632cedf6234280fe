//! `cargo xtask bench`: what is measured, side by side in one run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{cargo, root, run, variable};

mod snapshot;

/// `cargo xtask bench`
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Change windows between reading and clicking, and count what was really clicked.
    #[command(disable_help_flag = true)]
    Churn {
        /// Passed on to the harness; `--help` tells what there is.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// How long plans of many files take beside bare renames.
    #[command(disable_help_flag = true)]
    Files {
        /// Passed on to the bench; `--help` tells what there is.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// How long a snapshot takes beside a property-by-property walk and beside the least that could be read.
    Snapshot(snapshot::Snapshot),
}

impl Bench {
    /// Installs, builds, measures.
    ///
    /// # Errors
    /// When something cannot be installed, built, started or measured, or the harness finds something wrong.
    pub(crate) fn run(self) -> Result<()> {
        match self.what {
            What::Churn { arguments } => {
                packages::ensure(&["desktop", "test"])?;
                run(cargo().args(["build", "--release", "-p", "surehand-cli", "-p", "surehand-testkit", "--bins"]))?;
                let mut churn = Command::new(built("churn"));
                churn.current_dir(root()).arg("--binary").arg(built("surehand")).args(arguments);
                run(&mut churn)
            }
            What::Files { arguments } => {
                run(cargo().args(["build", "--release", "-p", "surehand-testkit", "--bin", "files"]))?;
                run(Command::new(built("files")).current_dir(root()).args(arguments))
            }
            What::Snapshot(task) => task.run(),
        }
    }
}

/// A program that was built in release.
pub(crate) fn built(name: &str) -> PathBuf {
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
