//! The tool under test: the binary, or another one behind an adapter script.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::live::PrivateDesktop;

/// Something that the tool can be told to click.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Handle {
    /// What the tool calls it.
    pub(super) handle: String,
    /// `button`, `check` or `row`; others are of no use here.
    pub(super) role: String,
    /// What it is called.
    pub(super) name: String,
}

/// What the tool said of a click.
#[derive(Debug, Clone, Deserialize, serde::Serialize)]
pub struct Answer {
    /// Whether it says that it clicked.
    pub ok: bool,
    /// What it refused it for, in a word.
    #[serde(default)]
    pub code: String,
    /// Whether it says for certain that nothing was done.
    #[serde(default)]
    pub certain: bool,
    /// All that it said.
    #[serde(default)]
    pub told: String,
}

/// The tool under test.
pub(super) enum Tool<'d> {
    /// The binary.
    Surehand(&'d PrivateDesktop),
    /// Another tool.
    Other(Adapter),
}

impl<'d> Tool<'d> {
    /// The binary, or what the words of a command start.
    pub(super) fn new(desktop: &'d PrivateDesktop, adapter: Option<&[String]>) -> Self {
        match adapter {
            None => Tool::Surehand(desktop),
            Some(words) => Tool::Other(Adapter::start(desktop, words)),
        }
    }

    /// Reads the application's window.
    pub(super) fn snapshot(&mut self, app: &str) -> Result<Vec<Handle>, String> {
        match self {
            Tool::Surehand(desktop) => {
                let run = desktop.surehand(&["snapshot", "--app", app, "--format", "json"]);
                if run.status() != 0 {
                    return Err(run.stdout);
                }
                let mut handles = Vec::new();
                collect(&run.json()["data"]["tree"], &mut handles);
                Ok(handles)
            }
            Tool::Other(adapter) => {
                let answer = adapter.ask(&json!({ "do": "snapshot", "app": app }));
                serde_json::from_value(answer["elements"].clone()).map_err(|_| answer.to_string())
            }
        }
    }

    /// Clicks.
    pub(super) fn click(&mut self, handle: &str, timeout_ms: u64) -> Answer {
        match self {
            Tool::Surehand(desktop) => {
                let timeout = timeout_ms.to_string();
                let run = desktop.surehand(&["click", handle, "--timeout-ms", &timeout, "--format", "json"]);
                let error = &run.json()["error"];
                Answer {
                    ok: run.status() == 0,
                    code: error["code"].as_str().unwrap_or_default().to_owned(),
                    certain: error["disposition"]["delivery"] == "not_delivered",
                    told: run.stdout.trim().to_owned(),
                }
            }
            Tool::Other(adapter) => {
                let answer = adapter.ask(&json!({ "do": "click", "handle": handle, "timeout_ms": timeout_ms }));
                serde_json::from_value(answer.clone())
                    .unwrap_or_else(|fault| panic!("the adapter answered {answer} to a click: {fault}"))
            }
        }
    }
}

fn collect(node: &Value, into: &mut Vec<Handle>) {
    let role = match node["role"].as_str() {
        Some("button") => "button",
        Some("checkbox") => "check",
        Some("cell") => "row",
        _ => "",
    };
    if let (Some(handle), Some(name), false) = (node["ref_id"].as_str(), node["name"].as_str(), role.is_empty()) {
        into.push(Handle { handle: handle.to_owned(), role: role.to_owned(), name: name.to_owned() });
    }
    for child in node["children"].as_array().into_iter().flatten() {
        collect(child, into);
    }
}

/// A script that drives another tool; it ends when this goes.
pub(super) struct Adapter {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Adapter {
    fn start(desktop: &PrivateDesktop, words: &[String]) -> Self {
        let [program, arguments @ ..] = words else { panic!("no command for the other tool") };
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(desktop.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|fault| panic!("cannot start {program}: {fault}"));
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("a child without its pipes");
        };
        Adapter { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn ask(&mut self, request: &Value) -> Value {
        let mut line = String::new();
        self.stdin
            .write_all(format!("{request}\n").as_bytes())
            .and_then(|()| self.stdout.read_line(&mut line))
            .unwrap_or_else(|fault| panic!("the adapter does not answer: {fault}"));
        serde_json::from_str(&line).unwrap_or_else(|fault| panic!("the adapter answered {line:?}: {fault}"))
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}
