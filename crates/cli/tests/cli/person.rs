//! `--force` is a person's: it is confirmed at the terminal device, and nowhere that an agent could answer.

use std::process::Command;

use serde_json::Value;
use surehand_core::Code;

use crate::stage::{APP, Stage, refused};

/// Runs a command with a terminal of its own, as a person has it, and types a line once it is asked for.
fn at_a_terminal(stage: &Stage, arguments: &[&str], typed: &str) -> String {
    const SCRIPT: &str = "
import os, pty, sys
typed, program, *arguments = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(program, [program, *arguments])
seen, answered = b'', False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    seen += part
    if b'to allow it: ' in seen and not answered:
        answered = True
        os.write(terminal, typed.encode() + b'\\n')
os.waitpid(pid, 0)
sys.stdout.buffer.write(seen)
";
    let line = [arguments, &["--desktop", stage.desktop.id(), "--format", "json"]].concat();
    let surehand = stage.desktop.sandbox().command(&line);
    let mut python = Command::new("/usr/bin/python3");
    python.args(["-c", SCRIPT, typed]).arg(surehand.get_program()).args(surehand.get_args()).env_clear();
    for (name, value) in surehand.get_envs() {
        if let Some(value) = value {
            python.env(name, value);
        }
    }
    let output = python.output().expect("python runs");
    String::from_utf8(output.stdout).expect("text")
}

fn envelope(seen: &str) -> Value {
    let line = seen.lines().find_map(|line| line.find("{\"version\"").map(|at| &line[at..])).expect("an envelope");
    serde_json::from_str(line.trim()).expect("JSON")
}

#[test]
fn a_protected_combination_needs_a_person_at_the_terminal() {
    let mut stage = Stage::new();
    let line = ["press", "alt+f4", "--app", APP, "--force"];
    let mark = stage.mark();
    // Without a terminal nobody can be asked, whatever stands on standard input.
    let error = refused(&stage.desktop.runner(&line).stdin("yes\nyes\n").run(), Code::PolicyDenied);
    assert_eq!(error["details"]["kind"], "no_person");
    let seen = at_a_terminal(&stage, &line, "no");
    assert_eq!(envelope(&seen)["error"]["details"]["kind"], "not_confirmed", "{seen}");
    assert!(seen.contains("alt+f4"), "the question names what is asked for: {seen}");
    assert_eq!(stage.told_since(mark), Vec::<String>::new());
    let seen = at_a_terminal(&stage, &line, "yes");
    assert_eq!(envelope(&seen)["ok"], true, "{seen}");
    stage.fixture.wait_for("the window was asked to close", |events| {
        events[mark..].iter().any(|event| event["event"] == "delete-event").then_some(())
    });
}
