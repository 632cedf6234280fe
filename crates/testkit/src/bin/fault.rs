//! `cargo xtask fault`: lets the power fail, calls fail and processes die, and counts what got lost.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("the fault harness needs Linux");
    std::process::ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::PathBuf;
    use std::process::ExitCode;

    use clap::{Parser, Subcommand};
    use surehand_testkit::fault::work::Phase;
    use surehand_testkit::fault::{Count, crash, errors, kill};

    /// Let the power fail, calls fail and processes die, and count what got lost
    #[derive(Debug, Parser)]
    #[command(name = "fault", bin_name = "cargo xtask fault")]
    struct Arguments {
        /// How many points of each kind at most; all of them without
        #[arg(long)]
        points: Option<u64>,
        /// Only these kinds
        #[arg(long, value_delimiter = ',', default_value = "power,errors,kill")]
        only: Vec<String>,
        /// Where the real files are made
        #[arg(long, value_name = "DIRECTORY", default_value = "target/fault")]
        folder: PathBuf,
        /// Write the page of the documentation too
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/measurements/fault.md")]
        docs: Option<PathBuf>,
        #[command(subcommand)]
        child: Option<Child>,
    }

    #[derive(Debug, Subcommand)]
    enum Child {
        /// What is killed
        #[command(hide = true)]
        Child { base: PathBuf, phase: String, at: u64 },
    }

    pub(super) fn main() -> ExitCode {
        let arguments = Arguments::parse();
        if let Some(Child::Child { base, phase, at }) = arguments.child {
            let phase = match &*phase {
                "Apply" => Some(Phase::Apply),
                "Undo" => Some(Phase::Undo),
                "Redo" => Some(Phase::Redo),
                _ => None,
            };
            return match kill::child(&base, phase, at) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("{error}");
                    ExitCode::FAILURE
                }
            };
        }
        let told = |line: &str| eprintln!("{line}");
        let mut all = Count::default();
        let mut rows = Vec::new();
        for kind in &arguments.only {
            let count = match &**kind {
                "power" => crash::run(arguments.points, &told),
                "errors" => errors::run(arguments.points, &told),
                "kill" => {
                    let program = std::env::current_exe().unwrap_or_default();
                    if let Err(error) = std::fs::create_dir_all(&arguments.folder) {
                        eprintln!("{}: {error}", arguments.folder.display());
                        return ExitCode::FAILURE;
                    }
                    kill::run(&program, &arguments.folder, arguments.points, &told)
                }
                other => {
                    eprintln!("there is no kind `{other}`: power, errors, kill");
                    return ExitCode::from(2);
                }
            };
            rows.push(format!(
                "| {kind} | {} | {} | {} | {} | {} | {} |",
                count.points, count.states, count.lost, count.duplicated, count.misreported, count.stuck
            ));
            all.add(count);
        }
        let table = format!(
            "| what fails | points | states recovered from | lost | duplicated | misreported | stuck |\n\
             |---|--:|--:|--:|--:|--:|--:|\n{}\n",
            rows.join("\n")
        );
        for story in &all.stories {
            println!("{story}");
        }
        println!("{table}");
        if let Some(page) = &arguments.docs
            && let Err(error) = std::fs::write(page, format!("{HEAD}{table}{TAIL}"))
        {
            eprintln!("{}: {error}", page.display());
            return ExitCode::FAILURE;
        }
        all.exit()
    }

    const HEAD: &str = "# What gets lost when things fail\n\nWritten by `cargo xtask fault --docs`.\n\n";

    const TAIL: &str = "
- **power**: a file system in memory forgets what was not synced. The power fails after every change of applying,
  undoing and redoing plans that mix all effects; every prefix of the pending changes is recovered from, and every
  legal subset where they are few, with writes cut short. In a part of them the power fails again during recovery.
- **errors**: every call fails once with `EIO` and with `ENOSPC`, is carried out and reported as failed, or is the first
  of a file system that is read-only, or full, from there on.
- **kill**: a real process on real files is ended with `SIGKILL` before and after every change, and twice more during
  recovery.
- After each, the root is opened, which recovers; where everything is has to follow from the journal; what is there is
  undone, and paths, contents, modes, times and attributes have to be those from before.
- **lost**: an original content is nowhere. **duplicated**: something is where the journal does not put it.
  **misreported**: the journal says what is not so, leaves something open or unknown, or undo does not lead back.
  **stuck**: recovery or undo fails.
";
}
