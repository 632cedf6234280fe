//! A desktop, and the few things that every test here does with it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use surehand_core::recording::Recording;
use surehand_testkit::live::{PrivateDesktop, Run, Sandbox, wait_until};
use surehand_testkit::replay::neutral;

/// How long an application may take to show a window, and a window to change.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// A private desktop of its own.
pub(crate) struct Desk {
    pub(crate) desktop: PrivateDesktop,
    folder: tempfile::TempDir,
    facts: RefCell<BTreeMap<&'static str, String>>,
}

impl Desk {
    pub(crate) fn start() -> Self {
        let sandbox = Sandbox::new(Path::new(env!("CARGO_BIN_EXE_surehand")));
        let folder = tempfile::tempdir().expect("a directory for output");
        Desk { desktop: PrivateDesktop::start(&sandbox), folder, facts: RefCell::default() }
    }

    /// Notes how a command came out, for the table of `cargo xtask toolkits`.
    pub(crate) fn note(&self, what: &'static str, how: &str) {
        self.facts.borrow_mut().insert(what, how.to_owned());
    }

    /// Records the window, and keeps the recording under this name where `cargo xtask toolkits --record` wants it.
    /// `places` are paths that the application shows, with what stands for each.
    #[allow(clippy::disallowed_methods, reason = "a test is started by a person or a machine, not by a binary of ours")]
    pub(crate) fn record(&self, name: &str, app: &str, places: &[(&str, &str)]) {
        let file = format!("{name}.json");
        let folder = self.folder.path().to_string_lossy();
        let answer = self.ok(&["snapshot", "--app", app, "--record", &file, "--output-dir", &folder]);
        let text = std::fs::read_to_string(self.folder.path().join(&file)).expect("a recording");
        let recording = Recording::read(&text).expect("a recording");
        assert_eq!(answer["complete"], recording.observation.is_complete(), "{answer}");
        assert!(!text.contains("hunter2"), "{text}");
        if let Some(folder) = std::env::var_os("TOOLKITS_RECORDINGS") {
            let text = neutral(&recording, places).write().expect("a recording");
            std::fs::write(Path::new(&folder).join(file), text).expect("a recording is kept");
        }
    }

    /// Ends a test: reads the window once more, and writes down what was noted where somebody wants to know.
    #[allow(clippy::disallowed_methods, reason = "a test is started by a person or a machine, not by a binary of ours")]
    pub(crate) fn report(&self, name: &str, app: &str) {
        let run = self.desktop.surehand(&["snapshot", "--app", app, "--format", "json", "--verbose"]);
        let snapshot = run.expect_ok();
        let line = run.stderr.lines().find(|line| line.contains("surehand::observe")).unwrap_or_default();
        let number = |key: &str| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
            value.and_then(|value| value.parse::<u64>().ok()).unwrap_or_else(|| panic!("no {key} in the trace\n{run}"))
        };
        let (nodes, calls) = (number("nodes"), number("calls"));
        assert!(nodes > 1 && calls > 1, "{run}");
        let toolkit = line.split("toolkit=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let Some(folder) = std::env::var_os("TOOLKITS_REPORT") else { return };
        let facts = serde_json::json!({
            "name": name,
            "toolkit": toolkit,
            "nodes": nodes,
            "calls": calls,
            "milliseconds": number("milliseconds"),
            "complete": snapshot["complete"],
            "commands": *self.facts.borrow(),
        });
        std::fs::write(Path::new(&folder).join(format!("{name}.json")), facts.to_string()).expect("a report");
    }

    /// Writes down how every command came out, for `docs/reference/actions.md`, where somebody wants to know.
    #[allow(clippy::disallowed_methods, reason = "a test is started by a person or a machine, not by a binary of ours")]
    pub(crate) fn keep_actions(&self, name: &str, came_out: &[(&str, String)]) {
        let Some(folder) = std::env::var_os("TOOLKITS_REPORT") else { return };
        let text = serde_json::json!(came_out).to_string();
        std::fs::write(Path::new(&folder).join(format!("{name}.actions.json")), text).expect("a report");
    }

    /// Runs a command that has to be refused before anything is sent, for a reason that names what is left.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        // Where pointer or keyboard could do it, that is what is said.
        let needs_headed = run.json()["error"]["details"]["kind"] == "needs_headed";
        let error = run.expect_error(if needs_headed { "POLICY_DENIED" } else { "ACTION_NOT_SUPPORTED" });
        assert_eq!(error["disposition"]["delivery"], "not_delivered", "{error}");
        error["message"].as_str().unwrap_or_default().to_owned()
    }

    /// Runs a command that has to succeed and returns its data.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Value {
        self.run(arguments).expect_ok()
    }

    /// Runs a command for its JSON.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.desktop.surehand(&[arguments, &["--format", "json"]].concat())
    }

    /// Waits until a window with this text in its title is there and can be read, and returns it.
    pub(crate) fn window(&self, title: &str) -> Value {
        let found = wait_until(PATIENCE, || {
            let windows = self.ok(&["list-windows"]);
            let all = windows["windows"].as_array()?;
            all.iter()
                .find(|window| {
                    window["accessible"] == true && window["title"].as_str().is_some_and(|found| found.contains(title))
                })
                .cloned()
        });
        found.unwrap_or_else(|| panic!("no window {title:?} came: {}", self.ok(&["list-windows"])))
    }

    /// The ref of the only element of that role and name.
    pub(crate) fn find(&self, app: &str, role: &str, name: &str) -> String {
        let run = self.run(&["find", "--app", app, "--role", role, "--name", name, "--exact"]);
        let found = run.expect_ok();
        let matches = found["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert_eq!(matches.len(), 1, "one {role} {name:?} in {app}\n{run}");
        matches[0]["ref_id"].as_str().unwrap_or_else(|| panic!("it has no ref\n{run}")).to_owned()
    }

    /// One property of an element.
    pub(crate) fn get(&self, reference: &str, property: &str) -> Value {
        self.ok(&["get", reference, "--property", property])["value"].clone()
    }

    /// Whether an element is in a state.
    pub(crate) fn is(&self, reference: &str, property: &str) -> Value {
        self.ok(&["is", reference, "--property", property])["result"].clone()
    }

    /// The outline of an application's window, which has to be whole.
    pub(crate) fn outline(&self, app: &str) -> String {
        let run = self.desktop.surehand(&["snapshot", "--app", app, "--format", "outline"]);
        assert_eq!(run.status(), 0, "{run}");
        run.stdout
    }

    /// A picture of the application's window shows something: it has this many colours at least.
    pub(crate) fn has_picture(&self, app: &str) {
        let folder = self.folder.path().to_string_lossy();
        let name = format!("{}.png", app.replace(' ', "-"));
        self.ok(&["screenshot", &name, "--app", app, "--output-dir", &folder]);
        let file = std::fs::File::open(self.folder.path().join(name)).expect("a picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        let colours: std::collections::HashSet<&[u8]> = pixels.chunks(4).collect();
        assert!(colours.len() > 8, "{app} shows {} colours", colours.len());
    }
}
