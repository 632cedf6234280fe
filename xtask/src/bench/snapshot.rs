//! `cargo xtask bench snapshot`: one cold process that takes a snapshot, beside a property-by-property walk with
//! the system's Python bindings, and beside the floor: a bare process that knows the window already and makes the
//! fewest reads for the same fields.
//!
//! The three are run one after the other, in turn, so that whatever else the machine does meets all of them. Only
//! ratios of one run mean anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::numbers::Series;
use super::stage::{APPLICATIONS, Application, Stage, Window, count};
use super::{build, machine, write_json};
use crate::process::{print, root, say, shown};

mod table;

/// `cargo xtask bench snapshot`
#[derive(Debug, clap::Args)]
pub(crate) struct Snapshot {
    /// How many times each is run.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The applications to read, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    apps: Vec<String>,
    /// Write the table into docs/measurements/snapshot.md as well.
    #[arg(long)]
    docs: bool,
    /// A `surehand` that is built already, instead of a release build.
    #[arg(long, value_name = "FILE", requires = "floor")]
    program: Option<PathBuf>,
    /// The example `floor` that is built already.
    #[arg(long, value_name = "FILE", requires = "program")]
    floor: Option<PathBuf>,
    /// Where the numbers go [default: target/bench/snapshot.json].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Snapshot {
    /// Builds, starts each application on a private desktop, measures and reports.
    ///
    /// # Errors
    /// When something cannot be built or started, or one of the three fails.
    pub(crate) fn run(self) -> Result<()> {
        let wanted = wanted(&self.apps)?;
        let (program, floor) = match (self.program, self.floor) {
            (Some(program), Some(floor)) => (program.canonicalize()?, floor.canonicalize()?),
            _ => {
                crate::packages::ensure(&["desktop", "bench"])?;
                (
                    build(&["-p", "surehand-cli"], "surehand")?,
                    build(&["-p", "surehand-linux", "--example", "floor"], "floor")?,
                )
            }
        };
        let mut measured = Vec::new();
        for application in wanted {
            say(format_args!("{}: starting", application.name));
            let stage = Stage::set(&program, application)?;
            let result = Contest { stage: &stage, floor: &floor }.hold(self.runs);
            stage.clear()?;
            measured.push(result.with_context(|| format!("application `{}`", application.name))?);
        }
        let report = json!({ "runs": self.runs, "machine": machine(), "apps": measured });
        let output = self.output.unwrap_or_else(|| root().join("target/bench/snapshot.json"));
        write_json(&output, &report)?;
        let table = table::table(&report);
        print(format_args!("{table}\nAll numbers: {}", output.display()));
        if self.docs {
            let file = root().join("docs/measurements/snapshot.md");
            std::fs::create_dir_all(root().join("docs/measurements"))?;
            std::fs::write(&file, table::document(&report))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }
}

fn wanted(names: &[String]) -> Result<Vec<&'static Application>> {
    if names.is_empty() {
        return Ok(APPLICATIONS.iter().collect());
    }
    let find = |name: &String| {
        let known = || APPLICATIONS.iter().map(|application| application.name).collect::<Vec<_>>().join(", ");
        APPLICATIONS
            .iter()
            .find(|application| application.name == *name)
            .with_context(|| format!("there is no application `{name}`; there are: {}", known()))
    };
    names.iter().map(find).collect()
}

/// The three against each other on one window.
struct Contest<'a> {
    stage: &'a Stage,
    floor: &'a Path,
}

/// One run of one process.
struct Run {
    milliseconds: f64,
    output: String,
    errors: String,
}

impl Contest<'_> {
    fn hold(&self, runs: u32) -> Result<Value> {
        let window = self.stage.window();
        let script = root().join("xtask/bench/walk.py");
        let python = || {
            let mut command = self.stage.command("/usr/bin/python3");
            command.arg(&script);
            command
        };
        let object = self.time(python().args(["find", &window.pid.to_string(), &window.title]))?;
        let object: Value = serde_json::from_str(&object.output)?;
        let (Some(name), Some(path)) = (object["name"].as_str(), object["path"].as_str()) else {
            bail!("the window {:?} of process {} is not on the accessibility bus", window.title, window.pid);
        };
        let walk = || {
            let mut command = python();
            command.args(["walk", name, path]);
            command
        };
        let floor = || {
            let mut command = self.stage.command(self.floor);
            command.args([name, path]);
            command
        };
        // Once each without being timed: caches of the file system, and what toolkits make at the first question.
        let ours = self.time(&mut self.ours(window, "json", false))?;
        let walked: Value = serde_json::from_str(&self.time(&mut walk())?.output)?;
        let floored: Value = serde_json::from_str(&self.time(&mut floor())?.output)?;
        let shape = self.shape(window, &ours.output)?;

        let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for run in 0..runs {
            // The order turns, so that none is always the one after the same other one.
            for turn in 0..3 {
                match (run + turn) % 3 {
                    0 => {
                        let run = self.time(&mut self.ours(window, "json", false))?;
                        times.entry("ours").or_default().push(run.milliseconds);
                    }
                    1 => {
                        let run = self.time(&mut floor())?;
                        times.entry("floor").or_default().push(run.milliseconds);
                    }
                    _ => {
                        let run = self.time(&mut walk())?;
                        let told: Value = serde_json::from_str(&run.output)?;
                        let inner = told["ms"].as_f64().context("the walk told no time")?;
                        times.entry("walk").or_default().push(inner);
                        times.entry("walk process").or_default().push(run.milliseconds);
                    }
                }
            }
        }
        let series = |name: &str| Series::new(times.get(name).cloned().unwrap_or_default());
        let (ours, floor, walk, process) = (series("ours"), series("floor"), series("walk"), series("walk process"));
        let median = ours.median();
        say(format_args!("{}: {median:.1} ms of {:.1} for the walk", self.stage.application().name, walk.median()));
        Ok(json!({
            "app": self.stage.application().name,
            "window": window.title,
            "ours": { "time": ours.to_json(), "nodes": shape["nodes"], "calls": shape["calls"] },
            "floor": { "time": floor.to_json(), "nodes": floored["nodes"], "calls": floored["calls"] },
            "walk": {
                "time": walk.to_json(),
                "process": process.to_json(),
                "nodes": walked["nodes"],
                "calls": walked["calls"],
            },
            "ratios": {
                "walk_to_ours": walk.over(&ours).to_json(),
                "walk_process_to_ours": process.over(&ours).to_json(),
                "ours_to_floor": ours.over(&floor).to_json(),
            },
            "size": shape["size"],
        }))
    }

    fn ours(&self, window: &Window, format: &str, verbose: bool) -> Command {
        let mut command = self.stage.surehand();
        command.args(["snapshot", "--window-id", &window.id, "--format", format]);
        if verbose {
            command.arg("--verbose");
        }
        command
    }

    /// What does not change from run to run: nodes, calls, and how long the answers are.
    fn shape(&self, window: &Window, printed: &str) -> Result<Value> {
        let answer: Value = serde_json::from_str(printed)?;
        ensure!(answer["ok"] == true, "the snapshot failed: {answer}");
        ensure!(answer["data"]["complete"] == true, "the snapshot is not complete: {}", answer["data"]["gaps"]);
        let outline = self.time(&mut self.ours(window, "outline", false))?.output;
        let mut names = Vec::new();
        let nodes = count(&answer["data"]["tree"], &mut names);
        let lost = names.iter().filter(|name| !outline.contains(&format!("{:?}", name.trim())));
        let lost: Vec<&&str> = lost.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == ' ')).collect();
        ensure!(lost.is_empty(), "labels are missing in the outline: {lost:?}");
        let told = self.time(&mut self.ours(window, "json", true))?.errors;
        let calls: u64 = told
            .lines()
            .filter_map(|line| line.split_once("calls=")?.1.split_whitespace().next()?.parse::<u64>().ok())
            .sum();
        Ok(json!({
            "nodes": nodes,
            "calls": calls,
            "size": { "json": printed.trim_end().len(), "outline": outline.trim_end().len(), "labels": names.len() },
        }))
    }

    /// Runs a process to its end.
    fn time(&self, command: &mut Command) -> Result<Run> {
        command.stdin(Stdio::null());
        let began = Instant::now();
        let output = command.output().with_context(|| format!("cannot run `{}`", shown(command)))?;
        let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(
            output.status.success(),
            "`{}` failed: {}{errors}",
            shown(command),
            String::from_utf8_lossy(&output.stdout)
        );
        let output = String::from_utf8(output.stdout).context("it printed no text")?;
        Ok(Run { milliseconds, output, errors })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::built;

    /// The whole of it, small: no time is judged, only that every field is there.
    #[test]
    fn a_small_run_measures_everything() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("snapshot.json");
        let task = Snapshot {
            runs: 2,
            apps: vec!["gtk3".into()],
            docs: false,
            program: Some(built("surehand")),
            floor: Some(built("examples/floor")),
            output: Some(output.clone()),
        };
        task.run().unwrap();
        let report: Value = serde_json::from_str(&std::fs::read_to_string(output).unwrap()).unwrap();
        let app = &report["apps"][0];
        for pointer in [
            "/ours/time/median",
            "/ours/time/p95",
            "/floor/time/median",
            "/walk/time/median",
            "/walk/process/median",
            "/ratios/walk_to_ours/median",
            "/ratios/walk_process_to_ours/p95",
            "/ratios/ours_to_floor/median",
        ] {
            assert!(app.pointer(pointer).and_then(Value::as_f64).is_some_and(|number| number > 0.0), "{pointer}");
        }
        for pointer in ["/ours/nodes", "/floor/nodes", "/walk/nodes", "/size/labels"] {
            assert!(app.pointer(pointer).and_then(Value::as_u64).is_some_and(|number| number > 100), "{pointer}");
        }
        for pointer in ["/ours/calls", "/floor/calls", "/walk/calls", "/size/json", "/size/outline"] {
            assert!(app.pointer(pointer).and_then(Value::as_u64).is_some_and(|number| number > 0), "{pointer}");
        }
        assert_eq!(app["walk"]["calls"].as_u64().unwrap(), 9 * app["walk"]["nodes"].as_u64().unwrap());
    }

    #[test]
    fn an_application_that_is_not_known_is_an_error_that_names_those_that_are() {
        let error = wanted(&["gtk9".into()]).unwrap_err().to_string();
        assert!(error.contains("gtk9") && error.contains("writer"), "{error}");
    }
}
