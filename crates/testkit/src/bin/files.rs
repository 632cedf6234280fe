//! `cargo xtask bench files`: how long planning, applying and undoing moves of many files takes beside bare renames.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("this bench needs Linux");
    std::process::ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode};
    use std::time::Instant;

    use clap::Parser;
    use surehand_kernel::action::Action;
    use surehand_kernel::sys::linux::Linux;
    use surehand_testkit::fault::work::{Phase, perform, planned};

    /// Time moves of many files into one folder
    #[derive(Debug, Parser)]
    #[command(name = "files", bin_name = "cargo xtask bench files")]
    struct Arguments {
        /// How many files, one run for each
        #[arg(long, value_delimiter = ',', default_value = "1000,10000,200000")]
        files: Vec<usize>,
        /// Where they are made
        #[arg(long, value_name = "DIRECTORY", default_value = "target/files")]
        folder: PathBuf,
        /// Write the page of the documentation too
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "docs/measurements/files.md")]
        docs: Option<PathBuf>,
    }

    pub(super) fn main() -> ExitCode {
        match work(&Arguments::parse()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        }
    }

    fn work(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
        fs::create_dir_all(&arguments.folder)?;
        let mut table = String::from(
            "| files | rename ms | rename + fdatasync per 500 ms | mv ms | plan ms | apply ms | undo ms | apply / synced loop \
             | peak memory MB |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for count in &arguments.files {
            table += &row(&arguments.folder, *count)?;
        }
        println!("{table}");
        if let Some(page) = &arguments.docs {
            fs::write(page, format!("{HEAD}{table}{TAIL}"))?;
        }
        Ok(())
    }

    fn row(folder: &Path, count: usize) -> Result<String, Box<dyn Error>> {
        let base = tempfile::tempdir_in(folder)?;
        let (root, state) = (base.path().join("root"), base.path().join("state"));
        for dir in [root.join("in"), root.join("out"), state.clone()] {
            fs::create_dir_all(dir)?;
        }
        for index in 0..count {
            fs::write(root.join("in").join(format!("IMG_{index:06}.jpg")), index.to_string())?;
        }
        rustix::fs::sync();
        let (from, to) = (root.join("in"), root.join("out"));
        let bare = renames(&from, &to, count, None)?;
        renames(&to, &from, count, None)?;
        let log = File::create(base.path().join("log"))?;
        let synced = renames(&from, &to, count, Some(&log))?;
        renames(&to, &from, count, None)?;
        rustix::fs::sync();
        let start = Instant::now();
        let mut moved = Command::new("sh");
        moved.arg("-c").arg("find in -type f -print0 | xargs -0 mv -t out").current_dir(&root);
        let by_mv = if moved.status()?.success() { start.elapsed().as_millis().to_string() } else { "-".to_owned() };
        renames(&to, &from, count, None)?;
        rustix::fs::sync();

        let actions: Vec<Action> = (0..count)
            .map(|index| Action::Move {
                from: format!("in/IMG_{index:06}.jpg").into(),
                to: format!("out/IMG_{index:06}.jpg").into(),
            })
            .collect();
        let start = Instant::now();
        let plan = planned(&Linux, &root, &actions)?;
        let planning = start.elapsed();
        let start = Instant::now();
        perform(&Linux, &root, &state, &plan, Phase::Apply)?;
        let applying = start.elapsed();
        if fs::read_dir(&to)?.count() != count {
            return Err("not every file was moved".into());
        }
        let start = Instant::now();
        perform(&Linux, &root, &state, &plan, Phase::Undo)?;
        let undoing = start.elapsed();
        if fs::read_dir(&from)?.count() != count {
            return Err("not every file was taken back".into());
        }
        Ok(format!(
            "| {count} | {} | {} | {by_mv} | {} | {} | {} | {:.2} | {} |\n",
            bare.as_millis(),
            synced.as_millis(),
            planning.as_millis(),
            applying.as_millis(),
            undoing.as_millis(),
            applying.as_secs_f64() / synced.as_secs_f64(),
            peak_memory()?
        ))
    }

    /// Renames one by one, and with a log makes it durable after every 500: the least that a journal costs.
    fn renames(
        from: &Path,
        to: &Path,
        count: usize,
        log: Option<&File>,
    ) -> Result<std::time::Duration, Box<dyn Error>> {
        use std::io::Write as _;
        let start = Instant::now();
        for index in 0..count {
            let name = format!("IMG_{index:06}.jpg");
            fs::rename(from.join(&name), to.join(&name))?;
            if let Some(mut log) = log
                && (index % 500 == 499 || index + 1 == count)
            {
                log.write_all(b"done\n")?;
                log.sync_data()?;
            }
        }
        Ok(start.elapsed())
    }

    /// The most memory this process has had, in megabytes.
    fn peak_memory() -> Result<u64, Box<dyn Error>> {
        let status = fs::read_to_string("/proc/self/status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
        Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? / 1024)
    }

    const HEAD: &str = "# How long plans of files take\n\nWritten by `cargo xtask bench files --docs`. Milliseconds are of one \
        machine and mean nothing on another; the ratio is of one run.\n\n";

    const TAIL: &str = "
- **rename**: a bare loop of renames, nothing made durable. **rename + fdatasync per 500** also makes a line in a log durable
  after every 500: the least that a journal costs. **mv** is `find | xargs mv -t`.
- **plan** looks at every file and fixes the plan; **apply** looks again, then journals and moves; **undo** takes it back.
- Memory is the peak of the process so far: rows below hold what rows above have used.
";
}
