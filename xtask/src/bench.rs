//! `cargo xtask bench`: what is measured, side by side in one run.

use anyhow::Result;
use clap::Subcommand;

mod snapshot;

/// `cargo xtask bench`
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// How long a snapshot takes beside a property-by-property walk and beside the least that could be read.
    Snapshot(snapshot::Snapshot),
}

impl Bench {
    /// Measures.
    ///
    /// # Errors
    /// When something cannot be built, started or measured.
    pub(crate) fn run(self) -> Result<()> {
        match self.what {
            What::Snapshot(task) => task.run(),
        }
    }
}
