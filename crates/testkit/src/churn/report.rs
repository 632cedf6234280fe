//! What the trials come to: a JSON document, a table, a page of the documentation.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::trial::{Trial, Verdict};
use super::{Config, Mode};

/// All trials of a run.
#[derive(Debug)]
pub struct Report {
    /// The trials, by number.
    pub trials: Vec<Trial>,
    head: Value,
}

/// Counts of some trials.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    trials: u64,
    right: u64,
    refused: u64,
    lost: u64,
    wrong: u64,
    unchanged: u64,
    unchanged_right: u64,
    unprovable: u64,
}

impl Count {
    fn of<'t>(trials: impl Iterator<Item = &'t Trial>) -> Self {
        let mut count = Count::default();
        for trial in trials {
            count.trials += 1;
            *match trial.verdict {
                Verdict::Right => &mut count.right,
                Verdict::Refused => &mut count.refused,
                Verdict::Lost => &mut count.lost,
                Verdict::Wrong => &mut count.wrong,
            } += 1;
            match (trial.unchanged, trial.provable) {
                (true, true) => {
                    count.unchanged += 1;
                    count.unchanged_right += u64::from(trial.verdict == Verdict::Right);
                }
                (true, false) => count.unprovable += 1,
                (false, _) => {}
            }
        }
        count
    }

    fn json(self) -> Value {
        json!({
            "trials": self.trials, "right": self.right, "refused": self.refused, "lost": self.lost,
            "wrong": self.wrong, "unchanged": self.unchanged, "unchanged_right": self.unchanged_right,
            "unchanged_look_alikes_in_recycling_lists": self.unprovable,
        })
    }
}

impl Report {
    pub(super) fn new(config: &Config, trials: Vec<Trial>, spoilt: u64, took: Duration) -> Self {
        let tool = config.adapter.as_ref().map_or("surehand".to_owned(), |words| {
            let script = words.last().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
            script.trim_end_matches(".py").to_owned()
        });
        let head = json!({
            "tool": tool,
            "seed": config.seed,
            "first": config.trials.start,
            "trials": trials.len(),
            "spoilt": spoilt,
            "toolkits": config.toolkits.iter().map(|toolkit| toolkit.name()).collect::<Vec<_>>(),
            "mode": config.mode.name(),
            "desktops": config.desktops,
            "seconds": took.as_secs(),
        });
        Report { trials, head }
    }

    /// How many trials ended with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.trials.iter().filter(|trial| trial.verdict == verdict).count()
    }

    /// Of the elements that were left as they were and could be told from all others: how many there were, and
    /// how many of them were found and clicked.
    pub fn unchanged(&self) -> (u64, u64) {
        let count = Count::of(self.trials.iter());
        (count.unchanged, count.unchanged_right)
    }

    /// The document that is kept: counts, and the whole story of every trial that has to be looked into.
    pub fn json(&self) -> Value {
        let mut report = self.head.clone();
        let by = |key: &dyn Fn(&Trial) -> &'static str| -> Value {
            let mut groups: BTreeMap<&str, Vec<&Trial>> = BTreeMap::new();
            for trial in &self.trials {
                groups.entry(key(trial)).or_default().push(trial);
            }
            groups
                .into_iter()
                .map(|(name, trials)| (name.to_owned(), Count::of(trials.into_iter()).json()))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        report["total"] = Count::of(self.trials.iter()).json();
        report["by_toolkit"] = by(&|trial| trial.toolkit);
        report["by_mutation"] = by(&|trial| trial.mutation);
        report["late"] = json!(self.trials.iter().filter(|trial| trial.late).count());
        let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
        for trial in self.trials.iter().filter(|trial| trial.verdict == Verdict::Refused) {
            *codes.entry(&trial.code).or_default() += 1;
        }
        report["refused_with"] = json!(codes);
        let mut times: Vec<u64> = self.trials.iter().map(|trial| trial.took_ms).collect();
        times.sort_unstable();
        report["click_ms_median"] = json!(times.get(times.len() / 2));
        report["stories"] = json!(self.trials.iter().filter(|trial| trial.story.is_some()).collect::<Vec<_>>());
        report
    }
}

/// The counts of a report as a table in Markdown.
pub fn table(report: &Value) -> String {
    let mut out = String::from(
        "| What happened | Trials | Right | Refused | Lost | Wrong | Unchanged and clicked |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut row = |name: &str, count: &Value| {
        let of = |field: &str| count[field].as_u64().unwrap_or_default();
        let unchanged = match of("unchanged") {
            0 => "-".to_owned(),
            all => format!("{} of {all}", of("unchanged_right")),
        };
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {} | {unchanged} |",
            of("trials"),
            of("right"),
            of("refused"),
            of("lost"),
            of("wrong"),
        );
    };
    for part in ["by_mutation", "by_toolkit"] {
        for (name, count) in report[part].as_object().into_iter().flatten() {
            row(name, count);
        }
    }
    row("**all**", &report["total"]);
    out
}

/// A page of the documentation from the documents of several runs.
pub fn docs(reports: &[Value]) -> String {
    let mut page = String::from(PREFACE);
    for report in reports {
        let (tool, mode) = (report["tool"].as_str().unwrap_or("?"), report["mode"].as_str().unwrap_or("?"));
        let toolkits: Vec<&str> =
            report["toolkits"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let total = &report["total"];
        let of = |field: &str| total[field].as_u64().unwrap_or_default();
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 * 100.0 / all as f64 };
        let when = if mode == Mode::Gap.name() {
            "the window changes while the tool clicks"
        } else {
            "the window changes before the click"
        };
        let _ = writeln!(page, "\n## {tool}: {when}\n");
        let _ = writeln!(
            page,
            "`cargo xtask bench churn --trials {} --seed {} --mode {mode} --toolkit {}`{}\n",
            report["trials"],
            report["seed"],
            toolkits.join(","),
            if tool == "surehand" { String::new() } else { format!(", with `--tool` and the adapter {tool}") },
        );
        page.push_str(&table(report));
        let _ = writeln!(
            page,
            "\nUnchanged elements that were found and clicked: {} of {} ({:.2} %). Not counted there: {} elements in lists \
             that use their widgets again and look like another one there.",
            of("unchanged_right"),
            of("unchanged"),
            share(of("unchanged_right"), of("unchanged")),
            of("unchanged_look_alikes_in_recycling_lists"),
        );
        if mode == Mode::Gap.name() {
            let _ = writeln!(
                page,
                "In {} trials the click reached the application after the change. Wrong: {} of {} ({:.2} %).",
                report["late"],
                of("wrong"),
                of("trials"),
                share(of("wrong"), of("trials")),
            );
        }
        if report["spoilt"].as_u64().unwrap_or_default() > 0 {
            let _ = writeln!(page, "Not carried out, since the application hung or ended: {}.", report["spoilt"]);
        }
        let codes: Vec<String> = report["refused_with"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(code, count)| format!("{} {count}", if code.is_empty() { "(no code)" } else { code }))
            .collect();
        let _ = writeln!(page, "Refused with: {}.", if codes.is_empty() { "-".to_owned() } else { codes.join(", ") });
    }
    page
}

const PREFACE: &str = "# Churn

Generated by `cargo xtask bench churn --docs`; do not edit. Every number is of a real run on private desktops.

A trial shows random widgets, many of the same name, lets the tool read the window, chooses one, changes the window
and lets the tool click what it was given. The application's own log tells which widget was clicked; every widget has
a serial number, and the number of what it stands for.

- **Right**: the very widget was clicked, once; or, where it was replaced, the only one that looks like it and stands
  for the same.
- **Refused**: the tool refused, and nothing was clicked.
- **Lost**: the tool said that it clicked, and nothing was.
- **Wrong**: another widget was clicked, or one that stands for something else by now, or one although the tool said
  that nothing was done, or more than one.

In a list that may use its widgets again (the tree view of GTK 3; the lists of GTK 4) what a row is called is what it is: there a widget is right that took over the row's content, two rows that look
the same can only be refused, and a row that is renamed to what a removed one was called cannot be told from it, so
that change is not made there.

A change that falls between the last read of a tool and its action cannot be seen by it. That is what the second mode
measures: the change comes at a random moment while the tool clicks. GTK 4 shows a button pressed for a quarter of a
second before it tells the application, and a change in that time counts here as well.
";
