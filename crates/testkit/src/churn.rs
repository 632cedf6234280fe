//! The churn harness: does a ref ever lead to another element than the one that was seen?
//!
//! A trial shows a window of random widgets, lets the tool under test read it, chooses one of the handles it
//! gave, changes the window, and lets the tool click the handle. The application's own log then tells which
//! widget was really clicked. Everything of a trial follows from the seed, its index and the toolkit, so that
//! one that failed can be carried out again.

mod puppet;
mod report;
mod rng;
mod scene;
mod tool;
mod trial;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

pub use puppet::Click;
pub use report::{Report, docs, table};
pub use scene::{Mutation, Widget};
pub use tool::Answer;
pub use trial::{Trial, Verdict};

use crate::live::{PrivateDesktop, Sandbox};
use trial::Bench;

/// A toolkit that the application is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolkit {
    /// GTK 3.
    Gtk3,
    /// GTK 4.
    Gtk4,
    /// Qt 5.
    Qt5,
    /// Qt 6.
    Qt6,
}

impl Toolkit {
    /// All of them.
    pub const ALL: [Toolkit; 4] = [Toolkit::Gtk3, Toolkit::Gtk4, Toolkit::Qt5, Toolkit::Qt6];

    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Toolkit::Gtk3 => "gtk3",
            Toolkit::Gtk4 => "gtk4",
            Toolkit::Qt5 => "qt5",
            Toolkit::Qt6 => "qt6",
        }
    }

    /// The toolkit of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolkit| toolkit.name() == name)
    }
}

/// When the window changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Between reading and clicking: by the time the tool clicks everything has settled.
    Before,
    /// At a random moment while the tool clicks, so that it now and then falls between the tool's last read and
    /// its action, which nothing outside of the application can exclude.
    Gap,
}

impl Mode {
    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Before => "before",
            Mode::Gap => "gap",
        }
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Config {
    /// The binary under test; it makes the private desktops as well.
    pub binary: PathBuf,
    /// The script that drives another tool, where it is one; its protocol is told in `adapters/README.md`.
    pub adapter: Option<Vec<String>>,
    /// What everything random follows from.
    pub seed: u64,
    /// The indices of the trials, of each toolkit its share.
    pub trials: std::ops::Range<u64>,
    /// The toolkits.
    pub toolkits: Vec<Toolkit>,
    /// When the window changes.
    pub mode: Mode,
    /// So many desktops at a time.
    pub desktops: usize,
    /// Tells about progress now and then: how many are done.
    pub progress: fn(u64),
}

/// Carries out the trials. Panics when the machine is unfit, as the live guards do.
pub fn run(config: &Config) -> Report {
    let begun = Instant::now();
    let next = AtomicU64::new(config.trials.start);
    let count = config.trials.end.saturating_sub(config.trials.start).max(1);
    let spoilt = AtomicU64::new(0);
    let done: Mutex<Vec<Trial>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..config.desktops.max(1) {
            scope.spawn(|| {
                let sandbox = Sandbox::new(&config.binary);
                let desktop = PrivateDesktop::start(&sandbox);
                let mut bench: Option<Bench<'_>> = None;
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= config.trials.end {
                        break;
                    }
                    // One toolkit after the other, so that one application at a time takes part.
                    let share = (index - config.trials.start) * config.toolkits.len() as u64 / count;
                    let Some(toolkit) = config.toolkits.get(share as usize).copied() else { break };
                    if bench.as_ref().is_none_or(|bench| bench.toolkit() != toolkit) {
                        // The old one goes first: two of them would not be told apart by some tools.
                        drop(bench.take());
                        bench = Some(Bench::new(config, &desktop, toolkit));
                    }
                    let Some(held) = &mut bench else { break };
                    // An application that hangs or crashes spoils its own trial and not the hours before it.
                    let Ok(trial) = catch_unwind(AssertUnwindSafe(|| held.trial(index))) else {
                        let spoilt = spoilt.fetch_add(1, Ordering::Relaxed) + 1;
                        assert!(spoilt <= 2 + count / 200, "{spoilt} trials could not be carried out");
                        bench = None;
                        continue;
                    };
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.push(trial);
                    (config.progress)(done.len() as u64);
                }
            });
        }
    });
    let mut trials = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    trials.sort_by_key(|trial| trial.index);
    Report::new(config, trials, spoilt.into_inner(), begun.elapsed())
}
