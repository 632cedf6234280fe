//! Runs the binary, step by step, and keeps each answer.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{print, say};

/// Every command has a deadline of its own; this is for one that breaks that promise.
const LIMIT: Duration = Duration::from_secs(90);

/// The program with a state directory of its own, and the folder that its answers go to.
pub(super) struct Surehand {
    program: PathBuf,
    home: PathBuf,
    output: PathBuf,
    /// Whether a desktop was asked for, whatever came of it.
    begun: bool,
    desktop: Option<String>,
    steps: usize,
}

impl Surehand {
    /// Nothing is started by it.
    pub(super) fn new(program: PathBuf, home: PathBuf, output: PathBuf) -> Self {
        Surehand { program, home, output, begun: false, desktop: None, steps: 0 }
    }

    /// How many steps were taken.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// The program that is run.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The desktop, while it is up.
    pub(super) fn desktop(&self) -> Option<&str> {
        self.desktop.as_deref()
    }

    /// Starts the desktop that all further steps run on.
    ///
    /// # Errors
    /// As [`Surehand::step`].
    pub(super) fn start_desktop(&mut self) -> Result<()> {
        self.begun = true;
        let answer = self.step("desktop-start", &["desktop", "start", "--size", "1280x800", "--name", "demo"])?;
        let id = ["/data/desktop/id", "/data/id"].iter().find_map(|at| refs::string(&answer, at).ok());
        let id = id.context("the answer to `desktop start` has no id")?;
        say(format_args!(
            "     if this is interrupted, clean up by: SUREHAND_HOME={} {} desktop stop {id}",
            self.home.display(),
            self.program.display(),
        ));
        self.desktop = Some(id);
        Ok(())
    }

    /// Stops it, as the last step.
    ///
    /// # Errors
    /// As [`Surehand::step`].
    pub(super) fn stop_desktop(&mut self) -> Result<()> {
        if let Some(desktop) = self.desktop.clone() {
            self.step("desktop-stop", &["desktop", "stop", &desktop])?;
            self.desktop = None;
        }
        Ok(())
    }

    /// Stops the desktop after a failure. One that failed half-way through its start is found by its list.
    ///
    /// # Errors
    /// When something could not be stopped.
    pub(super) fn take_down(&mut self) -> Result<()> {
        if !self.begun {
            return Ok(());
        }
        if self.desktop.is_none() {
            return self.ask(&["desktop", "list", "--prune"]).map(drop);
        }
        self.stop_desktop()
    }

    /// Runs one command, keeps its answer as `NN-name.json` and prints a line about it.
    ///
    /// # Errors
    /// When the command fails or does not answer with one envelope; the envelope is printed.
    pub(super) fn step(&mut self, name: &str, arguments: &[&str]) -> Result<Value> {
        let began = Instant::now();
        let answer = self.answer(arguments);
        let took = began.elapsed();
        let (envelope, fault) = match answer {
            Ok(envelope) => (envelope, None),
            Err(Failure { envelope: Some(envelope), error }) => (envelope, Some(error)),
            Err(Failure { envelope: None, error }) => return Err(error.context(format!("step `{name}`"))),
        };
        let file = self.write(name, &envelope)?;
        let word = if fault.is_some() { "FAILED" } else { "ok" };
        print(format_args!(
            "{:>3}. {name:<16} {word:<6} {:<22} {:>6} ms  {file}",
            self.steps,
            delivery(&envelope).unwrap_or("-"),
            took.as_millis()
        ));
        match fault {
            None => Ok(envelope),
            Some(error) => {
                say(format_args!("{envelope:#}"));
                Err(error.context(format!("step `{name}`")))
            }
        }
    }

    /// Runs one command that is no step of its own.
    ///
    /// # Errors
    /// As [`Surehand::step`], with nothing printed.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Value> {
        self.answer(arguments).map_err(|failure| failure.error)
    }

    /// Keeps an answer that [`Surehand::ask`] gave as a step.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn keep(&mut self, name: &str, envelope: &Value) -> Result<()> {
        let file = self.write(name, envelope)?;
        print(format_args!("{:>3}. {name:<16} {:<6} {:<22} {:>9}  {file}", self.steps, "ok", "-", ""));
        Ok(())
    }

    fn write(&mut self, name: &str, envelope: &Value) -> Result<String> {
        self.steps += 1;
        let file = format!("{:02}-{name}.json", self.steps);
        let path = self.output.join(&file);
        std::fs::write(&path, format!("{envelope:#}\n")).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(file)
    }

    fn answer(&self, arguments: &[&str]) -> Result<Value, Failure> {
        let mut command = Command::new(&self.program);
        command.env("SUREHAND_HOME", &self.home).env_remove("SUREHAND_DESKTOP");
        command.args(["--format", "json"]);
        if let Some(desktop) = &self.desktop {
            command.args(["--desktop", desktop]);
        }
        command.arg("--output-dir").arg(&self.output).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let (success, printed) = run(&mut command)?;
        let envelope = one_envelope(&printed)?;
        match (success, envelope["ok"].as_bool()) {
            (true, Some(true)) => Ok(envelope),
            (false, Some(false)) => {
                let error = anyhow::anyhow!(
                    "{}: {}",
                    envelope["error"]["code"].as_str().unwrap_or("no code"),
                    envelope["error"]["message"].as_str().unwrap_or("no message")
                );
                Err(Failure { envelope: Some(envelope), error })
            }
            _ => {
                let error = anyhow::anyhow!("its exit status and `ok` in its answer contradict each other");
                Err(Failure { envelope: Some(envelope), error })
            }
        }
    }
}

/// Why a step failed, with the answer if there was one.
struct Failure {
    envelope: Option<Value>,
    error: anyhow::Error,
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure { envelope: None, error }
    }
}

/// Runs the command to its end and to the end of its output, which are two things: an application that it
/// started and that inherited its output would keep that open.
fn run(command: &mut Command) -> Result<(bool, String)> {
    let mut child = command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let mut output = child.stdout.take().context("no output to read")?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes).map(|_| bytes);
        // Nobody listens any more after the limit.
        drop(sender.send(read));
    });
    let Ok(read) = receiver.recv_timeout(LIMIT) else {
        child.kill().ok();
        child.wait().ok();
        bail!("its output was still open after {} s", LIMIT.as_secs());
    };
    let printed = String::from_utf8(read?).context("its output is not UTF-8")?;
    Ok((child.wait()?.success(), printed))
}

/// Standard output is exactly one line of JSON.
fn one_envelope(printed: &str) -> Result<Value> {
    let mut lines = printed.lines();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        bail!("it printed {} lines instead of one: {printed:?}", printed.lines().count());
    };
    let envelope: Value = serde_json::from_str(line).with_context(|| format!("its output is not JSON: {line:?}"))?;
    for key in ["version", "ok", "command"] {
        if envelope.get(key).is_none() {
            bail!("its answer has no `{key}`: {line}");
        }
    }
    Ok(envelope)
}

fn delivery(envelope: &Value) -> Option<&str> {
    ["/data/disposition/delivery", "/data/delivery", "/error/disposition/delivery"]
        .iter()
        .find_map(|at| envelope.pointer(at)?.as_str())
}

/// Picking things out of envelopes.
pub(super) mod refs {
    use anyhow::{Context, Result, bail};
    use serde_json::Value;

    /// The string at a place.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn string(envelope: &Value, at: &str) -> Result<String> {
        let found = envelope.pointer(at).and_then(Value::as_str);
        found.map(str::to_owned).with_context(|| format!("the answer has no text at {at}"))
    }

    /// The windows of `list-windows`.
    ///
    /// # Errors
    /// When the answer has no such list.
    pub(crate) fn windows(envelope: &Value) -> Result<&Vec<Value>> {
        envelope.pointer("/data/windows").and_then(Value::as_array).context("the answer has no list of windows")
    }

    /// The ref of the only node with this role and name in a snapshot. Blanks that a menu
    /// is padded with are not part of a name.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub(crate) fn only(snapshot: &Value, role: &str, name: &str) -> Result<String> {
        let mut found = Vec::new();
        let tree = snapshot.pointer("/data/tree").context("the answer has no tree")?;
        visit(tree, &mut |node| {
            let named = node["name"].as_str().map(str::trim);
            if node["role"] == *role && named == Some(name) {
                found.extend(node["ref_id"].as_str().map(str::to_owned));
            }
        });
        match <[String; 1]>::try_from(found) {
            Ok([only]) => Ok(only),
            Err(found) => bail!("{} elements with a ref have the role {role} and the name {name:?}", found.len()),
        }
    }

    /// Every node below a tree, which may be one node or a list of them.
    fn visit(tree: &Value, each: &mut impl FnMut(&Value)) {
        match tree {
            Value::Array(nodes) => nodes.iter().for_each(|node| visit(node, each)),
            node => {
                each(node);
                if let Some(children) = node.get("children") {
                    visit(children, each);
                }
            }
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
pub(super) mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    /// A stand-in for the binary: a script that answers as `body` says and notes how it was called. Its output
    /// folder is `out`, in the folder that it lies in.
    pub(in crate::demo) fn stand_in(body: &str) -> (tempfile::TempDir, Surehand) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("surehand");
        let calls = folder.path().join("calls");
        std::fs::write(&program, format!("#!/bin/sh\necho \"$*\" >>{}\n{body}\n", calls.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = folder.path().join("out");
        std::fs::create_dir(&output).unwrap();
        let surehand = Surehand::new(program, folder.path().join("home"), output);
        (folder, surehand)
    }

    const OK: &str = r#"echo '{"version":"1.0","ok":true,"command":"x","data":{"id":"d7"}}'"#;

    #[test]
    fn answers_are_kept_and_the_desktop_is_passed_on() {
        let (folder, mut surehand) = stand_in(OK);
        surehand.start_desktop().unwrap();
        surehand.step("look", &["snapshot"]).unwrap();
        surehand.stop_desktop().unwrap();
        let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
        let calls: Vec<&str> = calls.lines().collect();
        assert!(!calls[0].contains("--desktop "), "{calls:?}");
        assert!(calls[1].contains("--desktop d7") && calls[1].ends_with("snapshot"), "{calls:?}");
        assert!(calls[2].ends_with("desktop stop d7"), "{calls:?}");
        assert!(folder.path().join("out/02-look.json").is_file());
        assert_eq!((surehand.steps(), surehand.desktop()), (3, None));
    }

    #[test]
    fn a_failed_step_is_kept_and_the_desktop_taken_down() {
        let (folder, mut surehand) = stand_in(&format!(
            "case \"$*\" in *click*) echo '{}'; exit 4;; esac\n{OK}",
            r#"{"version":"1.0","ok":false,"command":"click","error":{"code":"STALE_REF","message":"gone"}}"#
        ));
        surehand.start_desktop().unwrap();
        let error = surehand.step("press", &["click", "@s01:e1"]).unwrap_err();
        assert!(format!("{error:#}").contains("STALE_REF: gone"), "{error:#}");
        surehand.take_down().unwrap();
        assert!(folder.path().join("out/02-press.json").is_file());
        assert!(std::fs::read_to_string(folder.path().join("calls")).unwrap().ends_with("desktop stop d7\n"));
    }

    #[test]
    fn a_start_that_gives_no_answer_is_cleaned_up_after() {
        let (folder, mut surehand) = stand_in(&format!("case \"$*\" in *start*) exit 1;; esac\n{OK}"));
        assert!(surehand.start_desktop().is_err());
        surehand.take_down().unwrap();
        assert!(std::fs::read_to_string(folder.path().join("calls")).unwrap().ends_with("desktop list --prune\n"));
    }

    #[test]
    fn answers_that_are_no_answer_are_refused() {
        for (body, why) in [
            ("true", "0 lines"),
            ("echo one; echo two", "2 lines"),
            ("echo '{'", "not JSON"),
            ("echo '{\"ok\":true}'", "`version`"),
            (&*format!("{OK}; exit 1"), "contradict"),
        ] {
            let (_folder, mut surehand) = stand_in(body);
            let error = surehand.step("look", &["snapshot"]).unwrap_err();
            assert!(format!("{error:#}").contains(why), "{body}: {error:#}");
        }
    }

    #[test]
    fn exactly_one_element_is_picked() {
        let snapshot = json!({ "data": { "tree": { "role": "window", "name": "w", "children": [
            { "role": "menuitem", "name": "Save As...      ", "ref_id": "@s01:e1" },
            { "role": "menuitem", "name": "Save As Template...", "ref_id": "@s01:e2" },
            { "role": "button", "name": "Save", "ref_id": "@s01:e3" },
            { "role": "group", "children": [{ "role": "button", "name": "Save", "ref_id": "@s01:e4" }] },
        ] } } });
        assert_eq!(refs::only(&snapshot, "menuitem", "Save As...").unwrap(), "@s01:e1");
        assert!(refs::only(&snapshot, "button", "Save").unwrap_err().to_string().starts_with("2 elements"));
        assert!(refs::only(&snapshot, "button", "Open").unwrap_err().to_string().starts_with("0 elements"));
    }
}
