//! `snapshot --record`: what is in the file, where it may be written, and that it replays to what was answered.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};
use surehand_commands::context::{Allowed, Facts, Index, Services};
use surehand_commands::dispatch::dispatch;
use surehand_commands::gate::Gate;
use surehand_commands::{envelope, registry};
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::Doctor;
use surehand_core::lease::Leases;
use surehand_core::platform::Platform;
use surehand_core::snapshot::SnapshotStore;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Result};
use surehand_runtime::{Places, Runtime, Settings};
use surehand_testkit::replay::Replay;

use crate::stage::{APP, Stage};

/// The program's own runtime, with a recording in the place of the desktop.
struct Replayed {
    runtime: Runtime,
    replay: Replay,
    _folder: tempfile::TempDir,
}

impl Replayed {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a directory");
        let places = Places { state: folder.path().join("state"), runtime: folder.path().join("run") };
        let settings = Settings {
            environment: Environment(std::collections::BTreeMap::new()),
            places,
            desktop: None,
            output: None,
            allowed: Allowed::default(),
            session: None,
            trace: None,
            trace_strict: false,
            helpers: None,
            version: "0".to_owned(),
            target: String::new(),
        };
        let replay = Replay::read(text).expect("a recording");
        Replayed { runtime: Runtime::new(settings, None), replay, _folder: folder }
    }

    /// The outline and the `data` of a command.
    fn run(&self, command: &str, arguments: Value) -> (String, Value) {
        let invocation = registry::find(command).expect(command).from_json(arguments).expect("arguments");
        let answer = dispatch(invocation, self, &Cancel::default()).result.expect("a success");
        let line = envelope::success(command, &*answer).expect("JSON");
        let mut line: Value = serde_json::from_str(&line).expect("JSON");
        (answer.outline(), line["data"].take())
    }
}

impl Services for Replayed {
    fn platform(&self, _: &Call<'_>) -> Result<&dyn Platform> {
        Ok(&self.replay)
    }

    fn desktops(&self) -> &dyn Desktops {
        self.runtime.desktops()
    }

    fn doctor(&self) -> &dyn Doctor {
        self.runtime.doctor()
    }

    fn applications(&self) -> Result<&Index> {
        self.runtime.applications()
    }

    fn environment(&self) -> Result<&Environment> {
        self.runtime.environment()
    }

    fn snapshots(&self) -> &dyn SnapshotStore {
        self.runtime.snapshots()
    }

    fn gate(&self) -> &dyn Gate {
        self.runtime.gate()
    }

    fn leases(&self) -> &dyn Leases {
        self.runtime.leases()
    }

    fn clipboard(&self) -> Result<&dyn surehand_core::clipboard::Clipboard> {
        self.runtime.clipboard()
    }

    fn write_temporary(&self, beginning: &str, ending: &str, bytes: &[u8]) -> Result<std::path::PathBuf> {
        self.runtime.write_temporary(beginning, ending, bytes)
    }

    fn read_input(&self, path: &str, most: usize) -> Result<Vec<u8>> {
        self.runtime.read_input(path, most)
    }

    fn existing(&self, path: &str) -> Result<std::path::PathBuf> {
        self.runtime.existing(path)
    }

    fn sessions(&self) -> &dyn surehand_core::session::Sessions {
        self.runtime.sessions()
    }

    fn trace(&self) -> &dyn surehand_core::trace::Trace {
        self.runtime.trace()
    }

    fn holder(&self) -> &dyn surehand_core::hold::Holder {
        self.runtime.holder()
    }

    fn confirm(&self, cancel: &Cancel, what: &str) -> Result<()> {
        self.runtime.confirm(cancel, what)
    }

    fn allowed(&self) -> Allowed {
        self.runtime.allowed()
    }

    fn clock(&self) -> &dyn Clock {
        self.runtime.clock()
    }

    fn unix_time(&self) -> u64 {
        self.runtime.unix_time()
    }

    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<std::path::PathBuf> {
        self.runtime.write_output(path, bytes)
    }

    fn standard_input(&self, cancel: &Cancel) -> Result<String> {
        self.runtime.standard_input(cancel)
    }

    fn run_foreground(&self, command: &[String], environment: &Environment) -> Result<u8> {
        self.runtime.run_foreground(command, environment)
    }

    fn facts(&self) -> &Facts {
        self.runtime.facts()
    }
}

/// An answer without what is another one each time: the id of its snapshot, and where the recording went.
fn timeless(mut data: Value) -> Value {
    let id = data["snapshot_id"].as_str().expect("an id").to_owned();
    data.as_object_mut().expect("an answer").remove("recording");
    serde_json::from_str(&data.to_string().replace(&id, "ID")).expect("JSON")
}

fn timeless_outline(outline: &str) -> String {
    let id = outline.split_whitespace().nth(1).expect("an id");
    let lines = outline.trim_end().lines().filter(|line| !line.starts_with("recording "));
    lines.collect::<Vec<_>>().join("\n").replace(id, "ID")
}

#[test]
fn a_recording_replays_to_the_answer_that_it_was_made_with() {
    let stage = Stage::new();
    let take = |name: &str, arguments: &[&str]| {
        let data = stage.ok(&[&["snapshot", "--record", name], arguments].concat());
        let path = data["recording"].as_str().expect("where it went").to_owned();
        assert!(path.ends_with(&format!("/{name}")), "{path}");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
        (data, Replayed::new(&fs::read_to_string(path).expect("a recording")))
    };
    for (name, bounds) in [("plain.json", false), ("bounds.json", true)] {
        let (live, replayed) = take(name, if bounds { &["--app", APP, "--include-bounds"] } else { &["--app", APP] });
        // The window of the recording is the focused one, as it was.
        let (_, again) = replayed.run("snapshot", json!({ "include_bounds": bounds }));
        assert!(live["ref_count"].as_u64().is_some_and(|count| count > 20), "{live}");
        assert_eq!(timeless(again), timeless(live));
    }
    let run = stage.desktop.surehand(&["snapshot", "--app", APP, "--record", "o.json", "--format", "outline"]);
    assert_eq!(run.status(), 0, "{run}");
    let path = run.stdout.lines().find_map(|line| line.strip_prefix("recording \"")?.strip_suffix('"'));
    let text = fs::read_to_string(path.expect("a line that says where it went")).expect("a recording");
    let replayed = Replayed::new(&text);
    let (outline, taken) = replayed.run("snapshot", json!({ "app": APP }));
    assert_eq!(timeless_outline(&outline), timeless_outline(&run.stdout));

    // A part of the answer is a part of the window, and the recording holds all of it.
    let (thin, replayed_thin) = take("thin.json", &["--app", APP, "-i", "--compact", "--max-depth", "2"]);
    assert!(thin["tree"].to_string().len() < taken["tree"].to_string().len() / 2, "{thin}");
    assert_eq!(timeless(replayed_thin.run("snapshot", json!({})).1), timeless(taken.clone()));

    // Refs of a replay are as good as any other.
    let found = replayed.run("find", json!({ "name": "Press me", "exact": true, "first": true })).1;
    let reference = found["match"]["ref_id"].as_str().expect("a ref");
    assert_eq!(replayed.run("get", json!({ "ref_id": reference, "property": "title" })).1["value"], "Press me");

    // Of an element and what is below it.
    let letters = stage.ok(&["find", "--app", APP, "--role", "button", "--name", "Press me", "--first"]);
    let root = letters["match"]["ref_id"].as_str().expect("a ref");
    let (live, replayed) = take("root.json", &["--root", root]);
    assert_eq!(timeless(replayed.run("snapshot", json!({})).1), timeless(live));
}

#[test]
fn a_recording_is_a_new_file_in_the_folder_for_output_or_nothing() {
    let stage = Stage::new();
    let base = stage.desktop.sandbox().home();
    let folder = base.join("out");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("there.json"), "precious").expect("a file");
    symlink(base.join("elsewhere.json"), folder.join("link.json")).expect("a link");
    symlink(&base, folder.join("up")).expect("a link");
    let output = folder.to_str().expect("a path in UTF-8");
    let snapshots = stage.desktop.sandbox().surehand_home().join("state/snapshots");
    let kept = || fs::read_dir(&snapshots).map_or(0, Iterator::count);
    stage.ok(&["snapshot", "--app", APP]);
    let before = kept();
    assert!(before > 0, "snapshots are kept in {}", snapshots.display());
    let absolute = base.join("x.json");
    for (path, code) in [
        ("there.json", Code::Conflict),
        ("link.json", Code::Conflict),
        ("up/x.json", Code::PolicyDenied),
        ("../x.json", Code::PolicyDenied),
        (absolute.to_str().expect("a path in UTF-8"), Code::PolicyDenied),
        ("no/such/folder.json", Code::InvalidArgs),
    ] {
        stage.refused(&["snapshot", "--app", APP, "--record", path, "--output-dir", output], code);
    }
    assert_eq!(kept(), before, "no snapshot is kept of what was refused");
    assert_eq!(fs::read_to_string(folder.join("there.json")).expect("the file"), "precious");
    let left = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(left(&folder), ["link.json", "there.json", "up"]);
    assert!(!base.join("elsewhere.json").exists() && !absolute.exists());
    stage.ok(&["snapshot", "--app", APP, "--record", "new.json", "--output-dir", output]);
    assert_eq!(left(&folder), ["link.json", "new.json", "there.json", "up"]);
}

#[test]
fn a_recording_holds_neither_a_password_nor_its_length() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Password");
    let mut record = |name: &str, secret: &str| {
        let mark = stage.mark();
        stage.ok(&["set-value", &field, secret]);
        // It did arrive, or nothing of this would prove anything.
        assert_eq!(stage.since(mark).last().map(|event| event["text"].clone()), Some(json!(secret)));
        let data = stage.ok(&["snapshot", "--app", APP, "--record", name]);
        fs::read_to_string(data["recording"].as_str().expect("where it went")).expect("a recording")
    };
    let short = record("short.json", "x1");
    let long = record("long.json", &"correct-horse".repeat(30));
    assert!(!long.contains("correct-horse"), "{long}");
    assert_eq!(short, long);
    assert!(short.contains("\"Password\"") && short.contains("secure"), "{short}");
}
