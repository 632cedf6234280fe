//! What is done with this repository, as `cargo xtask COMMAND`.
//!
//! It links nothing of surehand: it builds in seconds on a bare machine, and the demo runs the binary as a
//! user would.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod codegen;
mod demo;
mod fault;
mod fuzz;
mod packages;
mod process;
mod test;
mod tidy;
mod toolkits;

/// What is done with this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Install what is missing, build, and let a text editor write and save a file on a private desktop.
    Demo(demo::Demo),
    /// Measure, side by side in one run.
    Bench(bench::Bench),
    /// Let the power fail, calls fail and processes die, and count what got lost.
    Fault(fault::Fault),
    /// Look for input that breaks what holds for all input.
    Fuzz(fuzz::Fuzz),
    /// Install what the tests need and run all of them.
    Test(test::Test),
    /// Prove the invariants of ARCHITECTURE.md that a program can prove.
    Tidy(tidy::Tidy),
    /// Write the reference and the table of commands from what the code says of itself.
    Codegen(codegen::Codegen),
    /// Print the line that installs the system's packages.
    Packages(packages::Packages),
    /// Drive every toolkit and write what works into docs/reference/toolkits.md and actions.md.
    Toolkits(toolkits::Toolkits),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Demo(task) => task.run(),
        Task::Bench(task) => task.run(),
        Task::Fault(task) => task.run(),
        Task::Fuzz(task) => task.run(),
        Task::Test(task) => task.run(),
        Task::Tidy(task) => task.run(),
        Task::Codegen(task) => task.run(),
        Task::Packages(task) => task.run(),
        Task::Toolkits(task) => task.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            process::say(format_args!("error: {error:#}"));
            // The same meaning of 3 as in the binary: it needs somebody with more rights.
            ExitCode::from(if error.is::<packages::NeedsRoot>() { 3 } else { 1 })
        }
    }
}
