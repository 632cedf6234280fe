//! `cargo xtask fault`: lets things fail, and counts what got lost.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::bench::built;
use crate::process::{cargo, root, run};

/// `cargo xtask fault`
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Fault {
    /// Passed on to the harness; `--help` tells what there is.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Fault {
    /// Builds and runs the harness.
    ///
    /// # Errors
    /// When it cannot be built, or something got lost.
    pub(crate) fn run(self) -> Result<()> {
        run(cargo().args(["build", "--release", "-p", "surehand-testkit", "--bin", "fault"]))?;
        run(Command::new(built("fault")).current_dir(root()).args(self.arguments))
    }
}
