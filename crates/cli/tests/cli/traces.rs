//! Sessions, traces, and pictures with refs.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use surehand_core::Code;

use crate::stage::{APP, PATIENCE, Stage, Tree};

/// A session on a stage.
struct Session {
    stage: Stage,
    id: String,
}

impl Session {
    fn start(stage: Stage, arguments: &[&str]) -> Session {
        let started = stage.ok(&[&["session", "start"], arguments].concat());
        let id = started["session_id"].as_str().expect("an id").to_owned();
        Session { stage, id }
    }

    fn line<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        [arguments, &["--session", self.id.as_str()]].concat()
    }

    fn ok(&self, arguments: &[&str]) -> Value {
        self.stage.ok(&self.line(arguments))
    }

    fn snapshot(&self) -> Tree {
        Tree(self.ok(&["snapshot", "--app", APP]))
    }

    fn folder(&self) -> PathBuf {
        self.stage.desktop.sandbox().surehand_home().join("state/sessions").join(&self.id)
    }
}

#[test]
fn a_ref_is_found_in_its_own_session_only() {
    let one = Session::start(Stage::new(), &["--name", "One"]);
    let press = one.snapshot().reference("button", "Press me");
    let other = one.stage.ok(&["session", "start"])["session_id"].as_str().expect("an id").to_owned();
    one.stage.ok(&["snapshot", "--app", APP]);
    one.stage.ok(&["snapshot", "--app", APP, "--session", &other]);
    let mut one = one;
    let mark = one.stage.mark();
    one.stage.refused(&["click", &press], Code::SnapshotNotFound);
    one.stage.refused(&["click", &press, "--session", &other], Code::SnapshotNotFound);
    assert!(one.stage.told_since(mark).is_empty());
    one.ok(&["click", &press]);
    assert_eq!(one.stage.told_since(mark), ["clicked Press me"]);
    let run = one.stage.desktop.runner(&["get", &press]).env("SUREHAND_SESSION", one.id.as_str()).run();
    assert_eq!(run.expect_ok()["value"], "Press me");
    assert_eq!(one.ok(&["status"])["session_id"], one.id.as_str());
    let error = one.stage.refused(&["status", "--session", "../x"], Code::InvalidArgs);
    assert_eq!(error["details"]["kind"], "bad_session");
}

#[test]
fn a_trace_says_what_was_done_and_holds_no_text() {
    const SECRET: &str = "hunter2 zebra";
    let session = Session::start(Stage::new(), &[]);
    let tree = session.snapshot();
    let (press, name, password) = (
        tree.reference("button", "Press me"),
        tree.reference("textfield", "Name field"),
        tree.reference("textfield", "Password"),
    );
    session.ok(&["click", &press]);
    session.ok(&["set-value", &name, SECRET]);
    session.ok(&["type", &password, SECRET]);
    let run = session.stage.desktop.runner(&session.line(&["type", &password, "--stdin"])).stdin(SECRET).run();
    run.expect_ok();
    session.stage.refused(&session.line(&["click", &format!("{press}9999")]), Code::ElementNotFound);
    session.ok(&["find", "--app", APP, "--text", "zebra"]);
    let shown = session.ok(&["trace", "show"]);
    assert_eq!(shown["segments"], 8, "one for each process, that of `trace show` among them");
    let events = shown["events"].as_array().expect("events");
    let ends: Vec<(&Value, &Value, &Value)> = events
        .iter()
        .filter(|event| event["event"] == "command.end")
        .map(|event| (&event["command"], &event["ok"], &event["delivery"]))
        .collect();
    assert_eq!(ends.len(), 7, "{ends:?}");
    assert_eq!(ends[0].0, "snapshot");
    assert_eq!((ends[2].0, ends[2].2), (&json!("set-value"), &json!("delivered_verified")));
    assert_eq!((ends[5].0, ends[5].1), (&json!("click"), &json!(false)));
    assert!(events.is_sorted_by_key(|event| event["ts_ms"].as_u64()));
    let only = session.ok(&["trace", "show", "--event", "ref.resolve.error", "--limit", "1"]);
    assert_eq!(only["returned_events"], 1);
    assert_eq!(only["events"][0]["code"], "ELEMENT_NOT_FOUND");

    let folder = session.folder();
    let mut files = vec![folder.join("session.json")];
    files.extend(std::fs::read_dir(folder.join("trace")).expect("a trace").map(|entry| entry.expect("a file").path()));
    assert_eq!(files.len(), 10, "{files:?}");
    for file in &files {
        let mode = std::fs::metadata(file).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        let text = std::fs::read_to_string(file).expect("text");
        for word in ["zebra", "hunter2", "Press me", "Name field", "Password", "hello"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }

    // A process that was killed leaves half a line, and half a line is no reason not to read the rest.
    let torn = files.iter().find(|file| file.extension().is_some_and(|it| it == "jsonl")).expect("a segment");
    let mut text = std::fs::read_to_string(torn).expect("text");
    text.push_str("{\"event\":\"command.st");
    std::fs::write(torn, text).expect("written");
    let shown = session.ok(&["trace", "show", "--limit", "0"]);
    assert_eq!(shown["warnings"].as_array().map(Vec::len), Some(1), "{}", shown["warnings"]);

    session.ok(&["session", "end"]);
    let before = session.ok(&["trace", "show"])["total_events"].clone();
    session.ok(&["click", &press]);
    assert_eq!(session.ok(&["trace", "show"])["total_events"], before, "nothing is traced after the end");
    let gone = session.stage.ok(&["session", "gc"]);
    assert_eq!(gone["removed"], json!([session.id]));
    assert!(!folder.exists());
}

#[test]
fn a_trace_can_go_into_a_file_and_nothing_is_done_that_cannot_be_traced() {
    let mut stage = Stage::new();
    let folder = stage.desktop.sandbox().path().join("out");
    std::fs::create_dir(&folder).expect("made");
    let out = folder.to_string_lossy().into_owned();
    let press = stage.snapshot().reference("button", "Press me");
    let line = |path: &'static str| ["click", press.as_str(), "--output-dir", &out, "--trace", path, "--trace-strict"];
    stage.ok(&line("t.jsonl"));
    stage.ok(&line("t.jsonl"));
    let text = std::fs::read_to_string(folder.join("t.jsonl")).expect("written");
    let count = |word: &str| text.matches(word).count();
    assert_eq!((count("\"trace.meta\""), count("\"command.start\""), count("\"command.end\"")), (2, 2, 2), "{text}");
    std::fs::write(folder.join("mine.txt"), "a letter\n").expect("written");
    std::os::unix::fs::symlink(folder.join("elsewhere"), folder.join("link")).expect("made");
    let mark = stage.mark();
    for path in ["mine.txt", "link", "../up.jsonl", "no/x"] {
        let run = stage.desktop.surehand(&line(path));
        let error = &run.json()["error"];
        assert_eq!(error["details"]["kind"], "trace_not_writable", "{path}\n{run}");
        assert_eq!(error["disposition"]["delivery"], "not_delivered", "{path}\n{run}");
    }
    assert!(stage.told_since(mark).is_empty(), "nothing was clicked");
    assert_eq!(std::fs::read_to_string(folder.join("mine.txt")).expect("there"), "a letter\n");
    assert!(!folder.join("elsewhere").exists());
    stage.refused(&["status", "--trace-strict"], Code::InvalidArgs);
}

/// A page shown by a browser without a window, as a picture; `dark` as somebody has it who prefers that.
fn shown(page: &Path, picture: &Path, dark: bool) {
    let profile = tempfile::tempdir().expect("a directory");
    let mut command = Command::new("chromium");
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,2400"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--screenshot={}", picture.display()))
        .args(if dark { &["--blink-settings=preferredColorScheme=0"][..] } else { &[] })
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("chromium");
    let ended = surehand_testkit::live::wait_until(PATIENCE * 3, || child.try_wait().expect("its state"));
    if ended.is_none() {
        let _ = child.kill();
    }
    assert!(ended.is_some_and(|status| status.success()) && picture.is_file(), "the page was not shown");
}

#[test]
fn a_page_shows_a_person_what_was_done() {
    let stage = Stage::with(&["--title", "<script>alert(1)</script>"]);
    let session = Session::start(stage, &["--name", "Check <b>the</b> form", "--screenshots"]);
    let tree = session.snapshot();
    // Pictures hold an action up for a moment only, and on a machine under load there is none now and then.
    surehand_testkit::live::wait_until(PATIENCE * 3, || {
        session.ok(&["click", &tree.reference("button", "Press me")]);
        let shots = session.ok(&["trace", "show", "--event", "action.artifacts"]);
        shots["events"].as_array().into_iter().flatten().find(|shot| {
            shot["boxes"].as_array().is_some_and(|boxes| boxes.iter().any(|element| element["meant"] == true))
        })?;
        Some(())
    })
    .expect("a picture with the ref that was acted on");
    session.ok(&["set-value", &tree.reference("textfield", "Name field"), "Ada Lovelace"]);
    session.ok(&["set-value", &tree.reference("slider", "Volume"), "75"]);
    session.stage.desktop.surehand(&session.line(&["click", &tree.reference("button", "Later"), "--timeout-ms", "0"]));
    session.ok(&["screenshot", "--app", APP, "--annotate"]);
    session.stage.refused(&session.line(&["get", "@szz:e1"]), Code::SnapshotNotFound);
    session.ok(&["session", "end"]);
    let exported = session.ok(&["trace", "export"]);
    assert!(exported["screenshots_embedded"].as_u64().is_some_and(|count| count >= 1), "{exported}");
    assert_eq!(exported["screenshots_skipped"], 0);
    let page = PathBuf::from(exported["path"].as_str().expect("a path"));
    let html = std::fs::read_to_string(&page).expect("a page");
    assert_eq!(exported["bytes"], html.len());
    assert!(!html.contains("<script") && !html.contains("http:") && !html.contains("https:"));
    assert!(html.contains("Check &lt;b&gt;the&lt;/b&gt; form"));
    for sentence in [
        "Done, and the effect was seen.",
        "No snapshot of this desktop has that id.",
        "the one acted on is the thick one",
    ] {
        assert!(html.contains(sentence), "{sentence}");
    }
    assert!(html.contains("<g class=\"meant\">"), "the ref that was acted on is drawn");
    let folder = session.stage.desktop.sandbox().path().to_owned();
    let colours = |picture: &Path| {
        let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(picture).expect("a picture")))
            .read_info()
            .expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("its size")];
        let info = reader.next_frame(&mut pixels).expect("its pixels");
        let step = info.color_type.samples();
        let corner = [pixels[0], pixels[1], pixels[2]];
        (corner, pixels.chunks(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect::<BTreeSet<_>>())
    };
    let (light, dark) = (folder.join("light.png"), folder.join("dark.png"));
    shown(&page, &light, false);
    shown(&page, &dark, true);
    let (corner, seen) = colours(&light);
    assert_eq!(corner, [0xf6, 0xf7, 0xf9], "the light page");
    assert!(seen.contains(&[0xb8, 0x14, 0x5a]), "the mark of the ref that was acted on");
    assert_eq!(colours(&dark).0, [0x0f, 0x12, 0x16], "the dark page");
    if let Some(keep) = option_env!("SUREHAND_KEEP_PICTURES") {
        for file in [&page, &light, &dark] {
            let _ = std::fs::copy(file, Path::new(keep).join(file.file_name().expect("a name")));
        }
    }
}

#[test]
fn refs_stand_on_the_picture_where_their_elements_are() {
    let stage = Stage::new();
    let folder = stage.desktop.sandbox().path().join("out");
    std::fs::create_dir(&folder).expect("made");
    let out = folder.to_string_lossy().into_owned();
    let answer = stage.ok(&["screenshot", "refs.png", "--annotate", "--app", APP, "--output-dir", &out]);
    stage.ok(&["screenshot", "plain.png", "--app", APP, "--output-dir", &out]);
    let id = answer["snapshot_id"].as_str().expect("an id");
    assert!(answer["annotated"].as_u64().is_some_and(|count| count >= 10), "{answer}");
    let pixels = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(folder.join(name)).expect("a picture"));
        let mut reader = png::Decoder::new(file).read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("its size")];
        let info = reader.next_frame(&mut pixels).expect("its pixels");
        (info.width as usize, pixels)
    };
    let ((width, marked), (_, plain)) = (pixels("refs.png"), pixels("plain.png"));
    let at = |pixels: &[u8], x: usize, y: usize| pixels[(y * width + x) * 3..][..3].to_vec();
    // The frame of the button runs where the button says it is, and the number works as a ref.
    let listed = stage.ok(&["list-windows", "--app", APP])["windows"][0]["bounds"].clone();
    let number = |value: &Value, key: &str| value[key].as_i64().expect("a number");
    let found = (1..=answer["ref_count"].as_u64().expect("a count")).find_map(|place| {
        let reference = format!("@{id}:e{place}");
        let got = stage.ok(&["get", &reference, "--property", "title"]);
        (got["value"] == "Press me").then_some(reference)
    });
    let press = found.expect("the button has a ref");
    let bounds = stage.ok(&["get", &press, "--property", "bounds"])["value"].clone();
    let place = |key: &str, of: &str| {
        usize::try_from(number(&bounds, key) - number(&listed, of)).expect("it is inside the window")
    };
    let (left, top) = (place("x", "x"), place("y", "y"));
    let middle = left + usize::try_from(number(&bounds, "width")).expect("a size") / 2;
    assert_ne!(at(&marked, middle, top), at(&plain, middle, top), "the upper edge of the frame");
    let mut stage = stage;
    let mark = stage.mark();
    stage.ok(&["click", &press]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}
