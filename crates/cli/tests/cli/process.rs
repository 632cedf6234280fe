//! The process: exit statuses, output that closes, signals, help.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use surehand_core::Code;
use surehand_testkit::live::wait_until;

use crate::stage::{PATIENCE, Stage, sandbox};

/// Starts a command with its output collected.
fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Waits until a process has a handler for this signal, so that the signal meets it.
fn catches(child: &Child, signal: Signal) {
    let path = format!("/proc/{}/status", child.id());
    wait_until(PATIENCE, || {
        let status = std::fs::read_to_string(&path).ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        (mask >> (signal.as_raw() - 1) & 1 == 1).then_some(())
    })
    .expect("it catches the signal");
}

fn interrupted(arguments: &[&str], signal: Signal, status: i32) {
    let stage = Stage::new();
    let mut child =
        spawn(&mut stage.desktop.sandbox().command(&[arguments, &["--desktop", stage.desktop.id()]].concat()));
    catches(&child, signal);
    assert!(child.try_wait().expect("its state").is_none(), "it has ended already");
    kill_process(Pid::from_child(&child), signal).expect("it is ours");
    let output = child.wait_with_output().expect("its output");
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    let envelope: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one envelope");
    assert_eq!(envelope["error"]["code"], "TIMEOUT", "{envelope}");
    assert_eq!(envelope["error"]["details"]["kind"], "cancelled", "{envelope}");
    assert!(envelope["error"].get("recovery").is_none(), "nobody asked to try again: {envelope}");
}

#[test]
fn an_interrupt_ends_a_wait_for_time() {
    interrupted(&["wait", "60000"], Signal::INT, 130);
}

#[test]
fn an_interrupt_ends_a_wait_for_text() {
    interrupted(&["wait", "--text", "never there", "--app", crate::stage::APP, "--timeout", "60000"], Signal::INT, 130);
}

#[test]
fn a_request_to_terminate_ends_a_wait() {
    interrupted(&["wait", "--window", "never there", "--timeout", "60000"], Signal::TERM, 143);
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let stage = Stage::new();
    for arguments in
        [&["snapshot", "--app", crate::stage::APP][..], &["list-windows", "--format", "outline"], &["--help"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = stage.desktop.sandbox().command(&[arguments, &["--desktop", stage.desktop.id()]].concat());
        let output = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn help_version_and_completions_are_printed() {
    let sandbox = sandbox();
    let text = |arguments: &[&str]| {
        let run = sandbox.surehand(arguments);
        assert_eq!((run.status(), run.stderr.as_str()), (0, ""), "{run}");
        assert!(!run.stdout.trim().is_empty(), "{run}");
        run.stdout
    };
    let help = text(&["--help"]);
    let commands = surehand_commands::registry::COMMANDS;
    assert!(commands.len() > 15);
    for definition in commands {
        let words: Vec<&str> = definition.spec.name.split(' ').collect();
        assert!(help.contains(words[0]), "{}", definition.spec.name);
        let own = text(&[&words[..], &["--help"]].concat());
        assert!(own.contains("Usage: surehand"), "{own}");
        assert_eq!(text(&[&["help"], &words[..]].concat()), own);
    }
    assert_eq!(text(&["--version"]), format!("surehand {}\n", env!("CARGO_PKG_VERSION")));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&["completions", shell]);
        assert!(script.contains("surehand") && script.contains("list-windows"), "{shell}");
    }
    let version = crate::stage::ok(&sandbox.surehand(&["version"]));
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["envelope"], "1.0");
}

#[test]
fn short_lines_are_for_people_and_go_where_json_would() {
    let stage = Stage::new();
    let answer = stage.desktop.surehand(&["list-windows", "--format", "outline"]);
    assert_eq!((answer.status(), answer.stderr.as_str()), (0, ""), "{answer}");
    assert!(answer.stdout.starts_with("window w-"), "{answer}");
    // An error is for people as well then, and standard output stays empty.
    let error = stage.desktop.surehand(&["snapshot", "--app", "nothing", "--format", "outline"]);
    assert_eq!(error.status(), i32::from(Code::AppNotFound.exit_status()), "{error}");
    assert_eq!(error.stdout, "", "{error}");
    assert!(error.stderr.starts_with("error: APP_NOT_FOUND: ") && error.stderr.contains("\nhint: "), "{error}");
}

#[test]
fn details_go_to_standard_error_and_only_when_asked_for() {
    let stage = Stage::new();
    let quiet = stage.desktop.surehand(&["open", "nothing"]);
    let loud = stage.desktop.surehand(&["-v", "open", "nothing"]);
    assert_eq!(quiet.stderr, "", "{quiet}");
    assert!(!loud.stderr.is_empty(), "{loud}");
    assert_eq!(quiet.stdout, loud.stdout);
}

#[test]
fn nothing_is_done_that_cannot_be_recorded() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    let journal = stage.desktop.sandbox().surehand_home().join("state/journal.jsonl");
    std::fs::remove_file(&journal).expect("the record of starting the desktop");
    std::fs::create_dir(&journal).expect("something in its place");
    let mark = stage.mark();
    let error = stage.refused(&["click", &button], Code::Internal);
    assert_eq!(error["details"]["kind"], "journal_not_writable");
    assert!(stage.told_since(mark).is_empty());
    std::fs::remove_dir(&journal).expect("removed");
    stage.ok(&["click", &button]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}
