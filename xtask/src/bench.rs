//! `cargo xtask bench`: builds in release what measures, and runs it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::packages;
use crate::process::{cargo, root, run, variable};

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
}

impl Bench {
    /// Installs, builds, measures.
    ///
    /// # Errors
    /// When something cannot be installed or built, or the harness finds something wrong.
    pub(crate) fn run(self) -> Result<()> {
        packages::ensure(&["desktop", "test"])?;
        match self.what {
            What::Churn { arguments } => {
                run(cargo().args(["build", "--release", "-p", "surehand-cli", "-p", "surehand-testkit", "--bins"]))?;
                let mut churn = Command::new(built("churn"));
                churn.current_dir(root()).arg("--binary").arg(built("surehand")).args(arguments);
                run(&mut churn)
            }
        }
    }
}

/// A program that was built in release.
fn built(name: &str) -> PathBuf {
    let target = variable("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
