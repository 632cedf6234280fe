//! The application of a trial, driven over its standard input and output.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::Toolkit;
use super::scene::Widget;

/// The interpreter that has the system's bindings of the toolkits.
const PYTHON: &str = "/usr/bin/python3";

/// How long the application may take for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// A click as the application saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Click {
    /// Of which widget.
    pub serial: u64,
    /// What it stood for at that moment.
    pub content: u64,
    /// Whether it came after the change of a trial in which that falls somewhere into the click.
    pub after: bool,
}

/// A running application; it ends when this goes.
#[derive(Debug)]
pub(super) struct Puppet {
    toolkit: Toolkit,
    child: Child,
    stdin: ChildStdin,
    events: Receiver<Value>,
    /// What was clicked since it was asked last.
    clicks: Vec<Click>,
    /// The state after a change that was to come later, once it has come.
    pub(super) mutated: Option<Vec<Widget>>,
}

impl Puppet {
    /// Starts it, and returns when its window is there. Serial numbers begin behind `base`.
    pub(super) fn start(environment: &BTreeMap<String, String>, toolkit: Toolkit, base: u64) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/churn_app.py");
        let mut child = Command::new(PYTHON)
            .arg(script)
            .args([toolkit.name(), &base.to_string()])
            .env_clear()
            .envs(environment)
            // Qt 6 asks only when it starts whether somebody wants its tree.
            .env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|fault| panic!("cannot start {PYTHON}: {fault}"));
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("a child without its pipes");
        };
        let (send, events) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let event = serde_json::from_str(&line).unwrap_or_else(|_| json!({ "event": "failed", "line": line }));
                if send.send(event).is_err() {
                    break;
                }
            }
        });
        let mut puppet = Puppet { toolkit, child, stdin, events, clicks: Vec::new(), mutated: None };
        puppet.wait_for("ready", PATIENCE);
        puppet
    }

    /// Has something carried out, and returns what the window holds then.
    pub(super) fn ask(&mut self, request: &Value) -> Vec<Widget> {
        let line = format!("{request}\n");
        self.stdin
            .write_all(line.as_bytes())
            .unwrap_or_else(|fault| panic!("{} does not take {line}: {fault}", self.toolkit.name()));
        let Some(done) = self.wait_for("done", PATIENCE) else {
            panic!("{} did not carry out {line} within {PATIENCE:?}", self.toolkit.name());
        };
        state(&done)
    }

    /// Waits until something was clicked, or the time is up.
    pub(super) fn wait_for_click(&mut self, limit: Duration) {
        if self.clicks.is_empty() {
            self.wait_for("clicked", limit);
        }
    }

    /// Waits until the change that was to come later has come.
    pub(super) fn wait_for_change(&mut self) {
        if self.mutated.is_none() && self.wait_for("mutated", PATIENCE).is_none() {
            panic!("{} did not change within {PATIENCE:?}", self.toolkit.name());
        }
    }

    /// What was clicked since this was asked last.
    pub(super) fn clicks(&mut self) -> Vec<Click> {
        std::mem::take(&mut self.clicks)
    }

    /// Kills it and waits for its end.
    pub(super) fn end(&mut self) {
        // Its id is its own until it is waited for, and that happens once.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }

    /// Waits for an event of a kind and takes in all that come before.
    fn wait_for(&mut self, kind: &str, limit: Duration) -> Option<Value> {
        let end = Instant::now() + limit;
        loop {
            let event = match self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => panic!("{} has ended by itself", self.toolkit.name()),
            };
            let number = |field: &str| event[field].as_u64().unwrap_or_default();
            match event["event"].as_str() {
                Some("clicked") => {
                    let after = self.mutated.is_some();
                    self.clicks.push(Click { serial: number("serial"), content: number("content"), after });
                }
                Some("mutated") => self.mutated = Some(state(&event)),
                Some("failed") => panic!("{} failed: {event}", self.toolkit.name()),
                _ => {}
            }
            if event["event"] == kind {
                return Some(event);
            }
        }
    }
}

fn state(event: &Value) -> Vec<Widget> {
    serde_json::from_value(event["state"].clone()).unwrap_or_else(|fault| panic!("no state in {event}: {fault}"))
}

impl Drop for Puppet {
    fn drop(&mut self) {
        self.end();
    }
}
