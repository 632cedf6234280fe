//! `cargo xtask bench agents`: two agents act on two windows of one desktop at the same time.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("the harness needs private desktops, which there are on Linux");
    std::process::ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::Instant;

    use clap::Parser;

    /// Let two agents act on two windows of one desktop, and count what went to the wrong one
    #[derive(Debug, Parser)]
    #[command(name = "agents", bin_name = "cargo xtask bench agents")]
    struct Arguments {
        /// The binary under test
        #[arg(long, value_name = "FILE")]
        binary: PathBuf,
        /// How many actions, of both together
        #[arg(long, default_value_t = 1_000)]
        actions: usize,
    }

    pub(super) fn main() -> ExitCode {
        let arguments = Arguments::parse();
        let begun = Instant::now();
        let report = surehand_testkit::agents::run(&arguments.binary, arguments.actions);
        println!(
            "{} actions confirmed, {} interferences, {:.1} s",
            report.confirmed,
            report.interference.len(),
            begun.elapsed().as_secs_f64()
        );
        for line in &report.interference {
            println!("{line}");
        }
        if report.interference.is_empty() && report.confirmed == arguments.actions / 2 * 2 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
