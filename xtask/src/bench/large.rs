//! `cargo xtask bench large`: windows that are too large to be read whole. A table of 100,000 rows in each toolkit and an
//! empty sheet have to be answered by a cold process within two seconds and 200 megabytes, and reading on from the
//! gap has to give the right rows.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use self::model::Model;
use super::numbers::Series;
use super::stage::{LARGE, Stage, count};
use super::{build, machine, write_json};
use crate::process::{print, printed, root, say, shown};

mod model;
mod table;

/// How much memory a snapshot may hold at once, in kilobytes.
const MEMORY_KB: u64 = 200 * 1024;

/// How long it may take, in milliseconds.
const TIME_MS: f64 = 2_000.0;

/// `cargo xtask bench large`
#[derive(Debug, clap::Args)]
pub(crate) struct Large {
    /// How many times each window is read.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// How many rows the tables have.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(5_000..=2_000_000))]
    rows: u64,
    /// What to read, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    apps: Vec<String>,
    /// Write the table into docs/measurements/large.md as well.
    #[arg(long)]
    docs: bool,
    /// A `surehand` that is built already, instead of a release build.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Where the numbers go [default: target/bench/large.json].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Large {
    /// Builds, starts each application on a private desktop, reads it, and reports.
    ///
    /// # Errors
    /// When something cannot be built or started, a row is wrong, or a snapshot takes more memory than it may. Being slow
    /// is reported and is no error: the machine may be busy.
    pub(crate) fn run(self) -> Result<()> {
        for name in &self.apps {
            let known = LARGE.iter().any(|application| application.name == name);
            ensure!(known, "there is no application `{name}`; there are: {}", known_names());
        }
        let program = match &self.program {
            Some(program) => program.canonicalize()?,
            None => {
                crate::packages::ensure(&["desktop", "test", "bench", "toolkits"])?;
                build(&["-p", "surehand-cli"], "surehand")?
            }
        };
        let mut measured = Vec::new();
        for application in LARGE {
            if !self.apps.is_empty() && !self.apps.iter().any(|name| application.name == name) {
                continue;
            }
            say(format_args!("{}: starting", application.name));
            let stage = Stage::with_rows(&program, application, self.rows)?;
            let model = if application.name == "calc" { Model::Sheet } else { Model::Ledger { rows: self.rows } };
            let result = Reading { stage: &stage, model }.measure(self.runs);
            stage.clear()?;
            measured.push(result.with_context(|| format!("application `{}`", application.name))?);
        }
        let report = json!({ "runs": self.runs, "rows": self.rows, "machine": machine(), "apps": measured });
        let output = self.output.unwrap_or_else(|| root().join("target/bench/large.json"));
        write_json(&output, &report)?;
        print(format_args!("{}\nAll numbers: {}", table::table(&report), output.display()));
        if self.docs {
            let file = root().join("docs/measurements/large.md");
            std::fs::write(&file, table::document(&report))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }
}

fn known_names() -> String {
    LARGE.iter().map(|application| application.name).collect::<Vec<_>>().join(", ")
}

/// One window that is being read.
struct Reading<'a> {
    stage: &'a Stage,
    model: Model,
}

/// One run of a program.
struct Run {
    milliseconds: f64,
    kilobytes: u64,
    output: String,
    errors: String,
}

impl Reading<'_> {
    fn measure(&self, runs: u32) -> Result<Value> {
        let id = self.stage.window().id.as_str();
        let snapshot = ["snapshot", "--window-id", id, "--format", "json"];
        // Once without being timed: caches of the file system, and what toolkits make at the first question.
        self.surehand(&snapshot)?;
        let idle = self.kept_waiting(|| self.surehand(&["wait", "500"]).map(drop))?;
        let (mut times, mut memory, mut last) = (Vec::new(), Vec::new(), String::new());
        let pause = self.kept_waiting(|| {
            for _ in 0..runs {
                let run = self.surehand(&snapshot)?;
                times.push(run.milliseconds);
                memory.push(run.kilobytes);
                last = run.output;
            }
            Ok(())
        })?;
        let taken: Value = serde_json::from_str(&last)?;
        ensure!(taken["ok"] == true, "the snapshot failed: {taken}");
        let data = &taken["data"];
        let gap = self.gap(data)?;
        self.model.first(data)?;
        let outline = self.surehand(&["snapshot", "--window-id", id, "--format", "outline"])?.output;
        let calls = self.surehand(&[&snapshot[..], &["--verbose"]].concat())?.errors;
        let calls: u64 = calls
            .lines()
            .filter_map(|line| line.split_once("calls=")?.1.split_whitespace().next()?.parse::<u64>().ok())
            .max()
            .unwrap_or(0);
        let (mut pages, mut page_times) = (Vec::new(), Vec::new());
        let page_pause = self.kept_waiting(|| {
            for (place, offset) in self.model.places(&gap) {
                let (page, run) = self.page(&gap, offset)?;
                self.model.page(&page, &gap, offset).with_context(|| format!("the page at the {place}, {offset}"))?;
                memory.push(run.kilobytes);
                page_times.push(run.milliseconds);
                pages.push(json!({ "place": place, "offset": offset, "ms": run.milliseconds }));
                // And the one that the answer itself says comes next.
                let told = page["gaps"].as_array().into_iter().flatten().find_map(|gap| gap["next_offset"].as_u64());
                if let Some(next) = told {
                    let (page, _) = self.page(&gap, next)?;
                    self.model
                        .page(&page, &gap, next)
                        .with_context(|| format!("the page after the {place}, {next}"))?;
                }
            }
            Ok(())
        })?;
        let time = Series::new(times);
        let peak = memory.into_iter().max().unwrap_or(0);
        ensure!(peak <= MEMORY_KB, "a snapshot held {peak} kB at once, and {MEMORY_KB} are allowed");
        let mut names = Vec::new();
        say(format_args!("{}: {:.0} ms, {peak} kB", self.stage.application().name, time.median()));
        Ok(json!({
            "app": self.stage.application().name,
            "time": time.to_json(),
            "within_time": time.worst() <= TIME_MS,
            "peak_kb": peak,
            "calls": calls,
            "nodes": count(&data["tree"], &mut names),
            "size": { "json": last.trim_end().len(), "outline": outline.trim_end().len() },
            "complete": data["complete"],
            "gap": gap,
            "pages": pages,
            "page_time": Series::new(page_times).to_json(),
            "pause_ms": { "idle": idle, "snapshots": pause, "pages": page_pause },
        }))
    }

    /// The gap below the table. What is left out has to be said, with how to read on where the toolkit lets one.
    fn gap(&self, data: &Value) -> Result<Value> {
        ensure!(data["complete"] == false, "it was not read whole, and is called complete");
        let gaps = data["gaps"].as_array().context("there are no gaps")?;
        let found = gaps.iter().find(|gap| gap["ref"].is_string());
        let gap = found.with_context(|| format!("no gap has a ref: {gaps:?}"))?;
        self.model.gap(gap)?;
        Ok(gap.clone())
    }

    /// A page of the table, from this cell on.
    fn page(&self, gap: &Value, offset: u64) -> Result<(Value, Run)> {
        let reference = gap["ref"].as_str().context("the gap has no ref")?;
        let run =
            self.surehand(&["snapshot", "--root", reference, "--offset", &offset.to_string(), "--format", "json"])?;
        let page: Value = serde_json::from_str(&run.output)?;
        Ok((page["data"].clone(), run))
    }

    /// Runs the binary to its end.
    fn surehand(&self, arguments: &[&str]) -> Result<Run> {
        let output = self.stage.log().with_file_name("printed");
        let ours = self.stage.surehand();
        let mut command = Command::new("/usr/bin/python3");
        command.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.arg(root().join("xtask/bench/measure.py")).arg(&output).arg(ours.get_program()).args(arguments);
        let run = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run `{}`", shown(&command)))?;
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        ensure!(run.status.success(), "`{}` failed: {errors}", shown(&command));
        let told: Value = serde_json::from_slice(&run.stdout)?;
        let output = std::fs::read_to_string(&output).context("it printed no text")?;
        ensure!(told["status"] == 0, "`surehand {}` failed: {output}{errors}", arguments.join(" "));
        Ok(Run {
            milliseconds: told["ms"].as_f64().context("no time was told")?,
            kilobytes: told["rss_kb"].as_u64().context("no memory was told")?,
            output,
            errors,
        })
    }

    /// Does something, and tells the longest time that the application kept its user waiting meanwhile, in
    /// milliseconds: a fixture has a clock that tells of itself, and anything else is asked again and again.
    fn kept_waiting(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        if self.model.has_clock() {
            let before = self.pauses()?.len();
            work()?;
            return Ok(self.pauses()?.split_off(before).into_iter().fold(0.0, f64::max));
        }
        let mut ping = self.ping()?;
        let worked = work();
        drop(ping.stdin.take());
        let mut told = String::new();
        BufReader::new(ping.stdout.take().context("no output")?).read_line(&mut told)?;
        ensure!(ping.wait()?.success(), "the application stopped answering");
        worked?;
        let told: Value = serde_json::from_str(&told)?;
        told["longest_ms"].as_f64().context("no time was told")
    }

    /// Something that asks the application again and again, once it has begun.
    fn ping(&self) -> Result<Child> {
        let window = self.stage.window();
        let python = || self.stage.command("/usr/bin/python3");
        let scripts = root().join("xtask/bench");
        let found =
            printed(python().arg(scripts.join("walk.py")).args(["find", &window.pid.to_string(), &window.title]))?;
        let found: Value = serde_json::from_str(&found)?;
        let (name, path) = (found["name"].as_str(), found["path"].as_str());
        let (name, path) = name.zip(path).context("the window is not on the accessibility bus")?;
        let mut command = python();
        command.arg(scripts.join("ping.py")).args([name, path]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run `{}`", shown(&command)))?;
        let output = child.stdout.as_mut().context("no output")?;
        let mut byte = [0; 1];
        // Byte by byte, so that nothing of what comes at the end is taken here.
        while byte != *b"\n" {
            std::io::Read::read_exact(output, &mut byte).context("it did not begin")?;
        }
        Ok(child)
    }

    /// Every pause that the fixture has told of.
    fn pauses(&self) -> Result<Vec<f64>> {
        let log = std::fs::read_to_string(self.stage.log()).context("the fixture wrote no log")?;
        let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(events
            .filter(|event| event["event"] == "pause")
            .filter_map(|event| event["milliseconds"].as_f64())
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::built;

    /// The whole of it, small: rows, gaps, pages and memory are judged, and no time is.
    #[test]
    fn live_a_small_run_reads_the_right_rows_of_every_table() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("large.json");
        let task = Large {
            runs: 2,
            rows: 20_000,
            apps: Vec::new(),
            docs: false,
            program: Some(built("surehand")),
            output: Some(output.clone()),
        };
        task.run().unwrap();
        let report: Value = serde_json::from_str(&std::fs::read_to_string(output).unwrap()).unwrap();
        let apps = report["apps"].as_array().unwrap();
        assert_eq!(apps.len(), LARGE.len());
        for app in apps {
            assert_eq!(app["complete"], false, "{app}");
            assert!(app["peak_kb"].as_u64().is_some_and(|peak| peak > 1_000 && peak <= MEMORY_KB), "{app}");
            // What is read does not grow with what there is.
            assert!(app["nodes"].as_u64().is_some_and(|nodes| nodes > 20 && nodes < 5_000), "{app}");
            assert!(app["calls"].as_u64().is_some_and(|calls| calls > 20), "{app}");
            let pages = app["pages"].as_array().unwrap().len();
            assert_eq!(pages, if app["app"] == "gtk4" { 0 } else { 3 }, "{app}");
        }
        let text = table::document(&report);
        assert!(apps.iter().all(|app| text.contains(&format!("| {} |", app["app"].as_str().unwrap()))), "{text}");
    }

    #[test]
    fn an_application_that_is_not_known_is_an_error_that_names_those_that_are() {
        let task = Large { runs: 1, rows: 5_000, apps: vec!["gtk9".into()], docs: false, program: None, output: None };
        let error = task.run().unwrap_err().to_string();
        assert!(error.contains("gtk9") && error.contains("calc"), "{error}");
    }
}
