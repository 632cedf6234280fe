//! `cargo xtask bench churn`: runs the churn harness and keeps what it found.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("the churn harness needs private desktops, which there are on Linux");
    std::process::ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::fs;
    use std::path::PathBuf;
    use std::process::ExitCode;

    use clap::Parser;
    use serde_json::Value;
    use surehand_testkit::churn::{Config, Mode, Toolkit, Verdict, docs, run, table};

    /// Change windows between reading and clicking, and count what was really clicked
    #[derive(Debug, Parser)]
    #[command(name = "churn", bin_name = "cargo xtask bench churn")]
    struct Arguments {
        /// The binary under test
        #[arg(long, value_name = "FILE")]
        binary: PathBuf,
        /// How many trials
        #[arg(long, default_value_t = 10_000)]
        trials: u64,
        /// What everything random follows from
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Toolkits of the application
        #[arg(long, value_delimiter = ',', value_parser = toolkit, default_value = "gtk3,gtk4,qt5,qt6")]
        toolkit: Vec<Toolkit>,
        /// When the window changes: `before` the click, or in the `gap` within it
        #[arg(long, value_parser = mode, default_value = "before")]
        mode: Mode,
        /// `surehand`, or the command that starts the adapter of another tool, in words
        #[arg(long, default_value = "surehand")]
        tool: String,
        /// Carry out one trial again and show all of it
        #[arg(long, value_name = "SEED:INDEX")]
        replay: Option<String>,
        /// Desktops at a time
        #[arg(long, default_value_t = 2)]
        desktops: usize,
        /// Where the results are kept
        #[arg(long, value_name = "DIRECTORY", default_value = "target/bench")]
        out: PathBuf,
        /// Write the page of the documentation from all results that are kept, and run nothing
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/measurements/churn.md")]
        docs: Option<PathBuf>,
    }

    fn toolkit(name: &str) -> Result<Toolkit, String> {
        Toolkit::of(name).ok_or_else(|| "one of gtk3, gtk4, qt5, qt6".to_owned())
    }

    fn mode(name: &str) -> Result<Mode, String> {
        [Mode::Before, Mode::Gap].into_iter().find(|mode| mode.name() == name).ok_or("before or gap".to_owned())
    }

    pub(super) fn main() -> ExitCode {
        match work(Arguments::parse()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        }
    }

    /// Whether nothing wrong was found.
    fn work(arguments: Arguments) -> Result<bool, Box<dyn Error>> {
        if let Some(page) = &arguments.docs {
            return write_docs(&arguments, page);
        }
        let (seed, trials) = match &arguments.replay {
            None => (arguments.seed, 0..arguments.trials),
            Some(which) => {
                let (seed, index) = which.split_once(':').ok_or("--replay takes SEED:INDEX")?;
                let index: u64 = index.parse()?;
                (seed.parse()?, index..index + 1)
            }
        };
        let adapter = (arguments.tool != "surehand")
            .then(|| arguments.tool.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let config = Config {
            binary: arguments.binary,
            adapter,
            seed,
            trials,
            toolkits: arguments.toolkit,
            mode: arguments.mode,
            desktops: if arguments.replay.is_some() { 1 } else { arguments.desktops },
            progress: |done| {
                if done.is_multiple_of(100) {
                    eprintln!("{done} trials");
                }
            },
        };
        println!("seed {seed}");
        let report = run(&config);
        let json = report.json();
        for story in json["stories"].as_array().into_iter().flatten().take(20) {
            println!("{}", if arguments.replay.is_some() { format!("{story:#}") } else { story.to_string() });
        }
        println!("{}", table(&json));
        if arguments.replay.is_some() {
            println!("{:#?}", report.trials);
        } else {
            fs::create_dir_all(&arguments.out)?;
            let name = format!(
                "churn-{}-{}-{}-{seed}.json",
                json["tool"].as_str().unwrap_or("tool"),
                config.mode.name(),
                config.toolkits.iter().map(|toolkit| toolkit.name()).collect::<Vec<_>>().join("+"),
            );
            let path = arguments.out.join(name);
            fs::write(&path, format!("{json:#}\n"))?;
            println!("kept in {}", path.display());
        }
        // What falls into the gap is measured; it is no failure.
        Ok(config.mode == Mode::Gap || report.count(Verdict::Wrong) == 0)
    }

    fn write_docs(arguments: &Arguments, page: &PathBuf) -> Result<bool, Box<dyn Error>> {
        let mut kept: Vec<(String, Value)> = Vec::new();
        for entry in fs::read_dir(&arguments.out)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("churn-") && name.ends_with(".json") {
                kept.push((name, serde_json::from_slice(&fs::read(&path)?)?));
            }
        }
        // Ours first, and the changes that have settled before those that have not.
        kept.sort_by_key(|(name, report)| (report["tool"] != "surehand", report["mode"] != "before", name.clone()));
        let reports: Vec<Value> = kept.into_iter().map(|(_, report)| report).collect();
        if let Some(folder) = page.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(page, docs(&reports))?;
        println!("written to {} from {} runs", page.display(), reports.len());
        Ok(true)
    }
}
