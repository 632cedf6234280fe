//! `cargo xtask bench click`: a click through a ref by one cold process, beside the raw call by a client that has
//! connected and found its element before.
//!
//! The round trips are those that the program itself tells of with `--verbose`. Two that overlap did not wait for each
//! other, so as many as can be picked without an overlap were made one after the other.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use self::trips::Told;
use super::numbers::Series;
use super::stage::{CLICKS, Stage};
use super::{build, machine, write_json};
use crate::process::{print, root, say, shown};

mod table;
mod trips;

/// `cargo xtask bench click`
#[derive(Debug, clap::Args)]
pub(crate) struct Click {
    /// How many times each element is clicked by each.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The applications to click in, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    apps: Vec<String>,
    /// Write the table into docs/measurements/click.md as well.
    #[arg(long)]
    docs: bool,
    /// A `surehand` that is built already, instead of a release build.
    #[arg(long, value_name = "FILE", requires = "press")]
    program: Option<PathBuf>,
    /// The example `press` that is built already.
    #[arg(long, value_name = "FILE", requires = "program")]
    press: Option<PathBuf>,
    /// Another `surehand` that clicks in turn with ours, such as that of an earlier state.
    #[arg(long, value_name = "FILE")]
    other: Option<PathBuf>,
    /// Where the numbers go [default: target/bench/click.json].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Click {
    /// Builds, starts each application on a private desktop, measures and reports.
    ///
    /// # Errors
    /// When something cannot be built or started, or a click fails.
    pub(crate) fn run(self) -> Result<()> {
        for name in &self.apps {
            let names: Vec<_> = CLICKS.iter().map(|application| application.name).collect();
            ensure!(
                names.contains(&name.as_str()),
                "there is no application `{name}`; there are: {}",
                names.join(", ")
            );
        }
        let built = if self.program.is_some() { "given" } else { "release" };
        let (program, press) = match (self.program, self.press) {
            (Some(program), Some(press)) => (program.canonicalize()?, press.canonicalize()?),
            _ => {
                crate::packages::ensure(&["desktop", "test", "bench", "toolkits"])?;
                (
                    build(&["-p", "surehand-cli"], "surehand")?,
                    build(&["-p", "surehand-linux", "--example", "press"], "press")?,
                )
            }
        };
        let other = self.other.map(|other| other.canonicalize()).transpose()?;
        let mut measured = Vec::new();
        for application in
            CLICKS.iter().filter(|app| self.apps.is_empty() || self.apps.iter().any(|name| name == app.name))
        {
            say(format_args!("{}: starting", application.name));
            let stage = Stage::set(&program, application)?;
            let targets = if application.name == "chromium" { ["Express", "Ship 1"] } else { ["Toggle me", "Beta"] };
            let result = targets.iter().map(|target| {
                Contest { stage: &stage, press: &press, other: other.as_deref(), target }.hold(self.runs)
            });
            let result: Result<Vec<Value>> = result.collect();
            stage.clear()?;
            measured.extend(result.with_context(|| format!("application `{}`", application.name))?);
        }
        let report = json!({ "runs": self.runs, "build": built, "machine": machine(), "clicks": measured });
        let output = self.output.unwrap_or_else(|| root().join("target/bench/click.json"));
        write_json(&output, &report)?;
        print(format_args!("{}\nAll numbers: {}", table::table(&report), output.display()));
        if self.docs {
            let file = root().join("docs/measurements/click.md");
            std::fs::write(&file, table::document(&report))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }
}

/// The ways to click against each other, on one element.
struct Contest<'a> {
    stage: &'a Stage,
    press: &'a Path,
    other: Option<&'a Path>,
    target: &'a str,
}

impl Contest<'_> {
    fn hold(&self, runs: u32) -> Result<Value> {
        let reference = self.reference()?;
        let mut raw = self.raw()?;
        let programs: Vec<(&str, Option<&Path>)> = match self.other {
            Some(other) => vec![("ours", None), ("other", Some(other))],
            None => vec![("ours", None)],
        };
        let mut series: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        let mut delivery: BTreeMap<&str, BTreeMap<String, u32>> = BTreeMap::new();
        // The first round is not counted: caches of the file system, and what toolkits make at the first question.
        for round in 0..=runs {
            let mut note = |who, what, value: f64| {
                if round > 0 {
                    series.entry((who, what)).or_default().push(value);
                }
            };
            let count = programs.len() + 1;
            for turn in 0..count {
                // The order turns, so that none is always the one after the same other one.
                let turn = (round as usize + turn) % count;
                let Some((who, program)) = programs.get(turn).copied() else {
                    note("raw", "ms", raw.press()? / 1000.0);
                    self.rest()?;
                    continue;
                };
                let cold = self.click(program, &reference, false)?;
                note(who, "cold", cold.milliseconds);
                let click = self.click(program, &reference, true)?;
                if round > 0 {
                    *delivery.entry(who).or_default().entry(click.delivery).or_default() += 1;
                }
                let told = Told::of(&click.errors)?;
                for (what, value) in told.numbers() {
                    note(who, what, value);
                }
            }
        }
        raw.end()?;
        let of = |who: &str, what: &str| {
            let found = series.iter().find(|(key, _)| **key == (who, what));
            Series::new(found.map(|(_, values)| values.clone()).unwrap_or_default())
        };
        let mut report = json!({
            "app": self.stage.application().name,
            "element": self.target,
            "raw": of("raw", "ms").to_json(),
        });
        for (who, _) in programs {
            let mut told = json!({ "cold": of(who, "cold").to_json(), "delivery": delivery.get(who) });
            for what in trips::NUMBERS {
                told[*what] = of(who, what).to_json();
            }
            report[who] = told;
        }
        say(format_args!(
            "{}, {}: {:.1} ms cold, {:.1} ms inside, {:.2} ms raw",
            self.stage.application().name,
            self.target,
            of("ours", "cold").median(),
            of("ours", "inside").median(),
            of("raw", "ms").median()
        ));
        Ok(report)
    }

    /// The ref of the element, from one snapshot for all runs: it stays what it was seen as.
    fn reference(&self) -> Result<String> {
        let taken = self.stage.answer(&["snapshot", "--window-id", &self.stage.window().id])?;
        ref_of(&taken["tree"], self.target).with_context(|| format!("no element {:?} has a ref", self.target))
    }

    fn raw(&self) -> Result<Raw> {
        let window = self.stage.window();
        let mut find = self.stage.command("/usr/bin/python3");
        find.arg(root().join("xtask/bench/walk.py")).args(["find", &window.pid.to_string(), &window.title]);
        let found = find.stdin(Stdio::null()).output().with_context(|| format!("cannot run `{}`", shown(&find)))?;
        let object: Value = serde_json::from_slice(&found.stdout).context("the window was not found on the bus")?;
        let (Some(name), Some(path)) = (object["name"].as_str(), object["path"].as_str()) else {
            bail!("the window {:?} of process {} is not on the accessibility bus", window.title, window.pid);
        };
        let mut command = self.stage.command(self.press);
        command.args([name, path, self.target]);
        Raw::start(command)
    }

    /// A button that was pressed by the raw call is let go by the toolkit some time later. What comes after is not to
    /// meet it half-way.
    fn rest(&self) -> Result<()> {
        self.stage.answer(&["wait", "300"]).map(drop)
    }

    fn click(&self, program: Option<&Path>, reference: &str, verbose: bool) -> Result<Run> {
        let mut command = match program {
            None => self.stage.surehand(),
            Some(other) => {
                let ours = self.stage.surehand();
                let mut command = Command::new(other);
                command.env_clear().envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
                command
            }
        };
        command.args(["click", reference, "--format", "json"]);
        if verbose {
            command.arg("--verbose");
        }
        command.stdin(Stdio::null());
        let began = Instant::now();
        let output = command.output().with_context(|| format!("cannot run `{}`", shown(&command)))?;
        let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
        let answer: Value = serde_json::from_slice(&output.stdout).context("the answer is not JSON")?;
        ensure!(answer["ok"] == true, "the click on {:?} failed: {answer}", self.target);
        let delivery = answer["data"]["disposition"]["delivery"].as_str().context("no delivery is told")?.to_owned();
        Ok(Run { milliseconds, delivery, errors: String::from_utf8_lossy(&output.stderr).into_owned() })
    }
}

/// One run of one cold process.
struct Run {
    milliseconds: f64,
    delivery: String,
    errors: String,
}

/// The bare client, connected and waiting to be told.
struct Raw {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Raw {
    fn start(mut command: Command) -> Result<Raw> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run `{}`", shown(&command)))?;
        let (input, output) = (child.stdin.take().context("no input")?, child.stdout.take().context("no output")?);
        let mut raw = Raw { child, input, output: BufReader::new(output) };
        ensure!(raw.line()? == "ready", "the bare client did not find its element");
        Ok(raw)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Presses once; how many microseconds that took.
    fn press(&mut self) -> Result<f64> {
        self.input.write_all(b"press\n")?;
        self.line()?.parse().context("the bare client told no time")
    }

    fn end(mut self) -> Result<()> {
        drop(self.input);
        ensure!(self.child.wait()?.success(), "the bare client failed");
        Ok(())
    }
}

fn ref_of(node: &Value, name: &str) -> Option<String> {
    if node["name"] == name
        && let Some(reference) = node["ref_id"].as_str()
    {
        return Some(reference.to_owned());
    }
    node["children"].as_array().into_iter().flatten().find_map(|child| ref_of(child, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::built;

    /// The whole of it, small: no time is judged, only that every field is there and every click arrived.
    #[test]
    fn a_small_run_measures_everything() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("click.json");
        let task = Click {
            runs: 2,
            apps: vec!["gtk3".into()],
            docs: false,
            program: Some(built("surehand")),
            press: Some(built("examples/press")),
            other: Some(built("surehand")),
            output: Some(output.clone()),
        };
        task.run().unwrap();
        let report: Value = serde_json::from_str(&std::fs::read_to_string(output).unwrap()).unwrap();
        for click in report["clicks"].as_array().unwrap() {
            for who in ["ours", "other"] {
                for what in trips::NUMBERS.iter().copied().chain(["cold"]) {
                    let number = click[who][what]["median"].as_f64();
                    assert!(number.is_some_and(|number| number > 0.0), "{who} {what}: {click}");
                }
            }
            assert!(click["raw"]["median"].as_f64().is_some_and(|number| number > 0.0), "{click}");
        }
        assert_eq!(report["clicks"][0]["ours"]["delivery"], json!({ "delivered_verified": 2 }));
        assert_eq!(report["clicks"][1]["ours"]["delivery"], json!({ "delivered_unverified": 2 }));
    }
}
