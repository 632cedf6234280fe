//! The clipboard, with applications that copy and paste. What was pasted is judged by what they logged.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::{PrivateDesktop, wait_until};

use crate::stage::{APP, PATIENCE, Stage, ok, refused, sandbox};

/// The processes that keep a clipboard on this desktop: each says of which one it is.
fn owners(desktop: &PrivateDesktop) -> Vec<Pid> {
    helpers(desktop, "__own-clipboard")
}

/// The helpers of surehand on this desktop that were started with this argument.
pub(crate) fn helpers(desktop: &PrivateDesktop, argument: &str) -> Vec<Pid> {
    let entry = format!("SUREHAND_DESKTOP_KEY={}", desktop.environment()["SUREHAND_DESKTOP_KEY"]);
    let words = |path: &Path| fs::read(path).unwrap_or_default();
    let has = |bytes: &[u8], wanted: &str| bytes.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes());
    fs::read_dir("/proc")
        .expect("the processes")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok()?.parse::<i32>().ok())
        .filter(|pid| has(&words(Path::new(&format!("/proc/{pid}/cmdline"))), argument))
        .filter(|pid| has(&words(Path::new(&format!("/proc/{pid}/environ"))), &entry))
        .filter_map(Pid::from_raw)
        .collect()
}

/// Waits until a process is gone.
pub(crate) fn gone(pid: Pid) {
    let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let over = || test_kill_process(pid).is_err() || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z "));
    wait_until(PATIENCE, || over().then_some(())).unwrap_or_else(|| panic!("process {pid:?} goes on"));
}

fn only_owner(desktop: &PrivateDesktop) -> Pid {
    match owners(desktop).as_slice() {
        [pid] => *pid,
        others => panic!("one process is to keep the clipboard, and there are {others:?}"),
    }
}

fn verified(answer: &Value, kind: &str) {
    assert_eq!(answer["type"], kind, "{answer}");
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{answer}");
}

/// A PNG of noise, which is as large as its pixels.
fn noise(width: u32, height: u32) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let pixels: Vec<u8> = (0..width * height * 3).map(|_| next()).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a head");
    writer.write_image_data(&pixels).expect("pixels");
    writer.finish().expect("an end");
    bytes
}

/// The last event of that kind that the fixture logs on this hook.
fn hook(stage: &mut Stage, line: &str, kind: &str) -> Value {
    stage.fixture.command(line);
    stage.fixture.events(kind).pop().unwrap_or_else(|| panic!("no {kind} was logged"))
}

#[test]
fn text_is_pasted_into_an_application_and_copied_out_of_it() {
    let mut stage = Stage::new();
    stage.fixture.command("focus");
    for text in ["zażółć gęślą jaźń €", "-x --stdin", "اَلْعَرَبِيَّةُ 👩‍👩‍👧", "tab\tand 'quotes\""]
    {
        let mark = stage.mark();
        verified(&ok(&stage.desktop.runner(&["clipboard-set", "--stdin"]).stdin(text).run()), "text");
        stage.fixture.command("focus");
        stage.ok(&["press", "ctrl+v", "--app", APP]);
        stage.fixture.wait_for("it is pasted", |events| {
            events[mark..].iter().any(|event| event["event"] == "changed" && event["text"] == text).then_some(())
        });
        assert_eq!(stage.ok(&["clipboard-get"]), json!({ "type": "text", "text": text }));
    }
    // The other way, where the application becomes the owner and ours is over.
    let pid = only_owner(&stage.desktop);
    stage.fixture.command("set \"copied here\"");
    stage.fixture.command("focus");
    stage.ok(&["press", "ctrl+c", "--app", APP]);
    gone(pid);
    assert_eq!(stage.ok(&["clipboard-get"])["text"], "copied here");
    assert!(owners(&stage.desktop).is_empty());
    let held = stage.ok(&["clipboard-clear"]);
    assert_eq!((&held["cleared"], &held["disposition"]["delivery"]), (&json!(true), &json!("delivered_verified")));
    assert_eq!(stage.ok(&["clipboard-get"]), json!({ "type": "text", "found": false }));
    assert_eq!(hook(&mut stage, "paste-text", "pasted-text")["sum"], Value::Null);
}

#[test]
fn large_text_and_pictures_come_in_pieces_and_whole() {
    let mut stage = Stage::new();
    let text = "łąka ".repeat(1 << 20);
    verified(&ok(&stage.desktop.runner(&["clipboard-set", "--stdin"]).stdin(&text).run()), "text");
    assert_eq!(hook(&mut stage, "paste-text", "pasted-text")["length"], text.len());
    assert_eq!(stage.ok(&["clipboard-get"])["text"], text);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("noise.png");
    let picture = noise(1_200, 900);
    assert!(picture.len() > 3 << 20);
    fs::write(&path, &picture).expect("written");
    verified(&stage.ok(&["clipboard-set", "--image", path.to_str().expect("UTF-8")]), "image");
    assert_eq!(hook(&mut stage, "paste-image", "pasted-image")["size"], json!([1_200, 900]));
    let out = folder.path().to_str().expect("UTF-8").to_owned();
    let answer = stage.ok(&["clipboard-get", "--format", "image", "--out", "back.png", "--output-dir", &out]);
    assert_eq!((&answer["width"], &answer["height"]), (&json!(1_200), &json!(900)));
    assert_eq!(fs::read(folder.path().join("back.png")).expect("the file"), picture);
    let line = ["clipboard-get", "--format", "image", "--out", "back.png", "--output-dir", &out];
    refused(&stage.desktop.surehand(&line), Code::Conflict);
    // The other way, and without a name for the file.
    let sum = hook(&mut stage, "copy-image 1000 700", "copied-image")["sum"].clone();
    let answer = stage.ok(&["clipboard-get", "--format", "auto"]);
    assert_eq!(answer["type"], "image");
    let path = Path::new(answer["path"].as_str().expect("a path"));
    assert!(path.starts_with(stage.desktop.sandbox().surehand_home().join("state/tmp")));
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(path).expect("there")) & 0o777, 0o600);
    verified(&stage.ok(&["clipboard-set", "--image", path.to_str().expect("UTF-8")]), "image");
    assert_eq!(hook(&mut stage, "paste-image", "pasted-image")["sum"], sum, "every pixel has come through both ways");
}

#[test]
fn files_are_known_by_every_name() {
    let mut stage = Stage::new();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ü & b.txt");
    fs::write(&path, "x").expect("written");
    let answer = stage.ok(&["clipboard-set", "--file-url", path.to_str().expect("UTF-8"), "--file-url", "file:///"]);
    verified(&answer, "file_urls");
    let urls = stage.ok(&["clipboard-get", "--format", "auto"])["file_urls"].take();
    assert_eq!(hook(&mut stage, "paste-files", "pasted-files")["uris"], urls);
    assert!(urls[0].as_str().is_some_and(|url| url.ends_with("/%C3%BC%20%26%20b.txt")), "{urls}");
    stage.fixture.command("copy-files file:///etc/hosts http://elsewhere/");
    let held = stage.ok(&["clipboard-get", "--format=file-urls"]);
    assert_eq!(held, json!({ "type": "file_urls", "file_urls": ["file:///etc/hosts"] }));
    assert_eq!(stage.ok(&["clipboard-get"]), json!({ "type": "text", "found": false }));
}

#[test]
fn whoever_keeps_the_clipboard_ends_when_its_time_has_come() {
    let mut stage = Stage::new();
    let set = |stage: &Stage, text: &str| {
        verified(&stage.ok(&["clipboard-set", text]), "text");
        only_owner(&stage.desktop)
    };
    // Another command of ours.
    let first = set(&stage, "one");
    verified(&stage.ok(&["clipboard-set", "two"]), "text");
    gone(first);
    let second = only_owner(&stage.desktop);
    // A client of another kind.
    stage.fixture.command("copy three");
    gone(second);
    assert_eq!(stage.ok(&["clipboard-get"])["text"], "three");
    // Emptied.
    let third = set(&stage, "four");
    stage.ok(&["clipboard-clear"]);
    gone(third);
    // Killed: the content is gone, and that is said.
    let fourth = set(&stage, "five");
    kill_process(fourth, Signal::KILL).expect("killed");
    gone(fourth);
    wait_until(PATIENCE, || (stage.ok(&["clipboard-get"])["found"] == false).then_some(())).expect("it is empty");
    // Stopped: whoever asks is not kept waiting for ever.
    let fifth = set(&stage, "six");
    kill_process(fifth, Signal::STOP).expect("stopped");
    let error = refused(&stage.desktop.surehand(&["clipboard-get"]), Code::AppUnresponsive);
    assert_eq!(error["details"]["kind"], "owner_silent");
    kill_process(fifth, Signal::CONT).expect("let go on");
    assert_eq!(stage.ok(&["clipboard-get"])["text"], "six");
    // Told to end.
    kill_process(fifth, Signal::TERM).expect("told");
    gone(fifth);
}

#[test]
fn the_desktop_takes_the_clipboard_with_it() {
    let sandbox = sandbox();
    let desktop = PrivateDesktop::start(&sandbox);
    verified(&ok(&desktop.surehand(&["clipboard-set", "kept"])), "text");
    let own = only_owner(&desktop);
    let watching = helpers(&desktop, "__watch-notifications");
    assert_eq!(watching.len(), 1, "it has been there from the start");
    ok(&sandbox.surehand(&["desktop", "stop", desktop.id()]));
    gone(own);
    gone(watching[0]);
    desktop.is_gone();
    let left: Vec<_> = fs::read_dir(sandbox.surehand_home().join("run/notifications")).expect("there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_is_copied_is_in_no_file_and_in_no_argument() {
    let stage = Stage::new();
    let secret = "correct-horse-Ünïcode-battery";
    verified(&ok(&stage.desktop.runner(&["clipboard-set", "--stdin"]).stdin(secret).run()), "text");
    let pid = only_owner(&stage.desktop).as_raw_nonzero();
    let of = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    for file in ["cmdline", "environ"] {
        assert!(!String::from_utf8_lossy(&of(file)).contains("battery"), "{file}");
    }
    assert_eq!(stage.ok(&["clipboard-get"])["text"], secret);
    let mut folders = vec![stage.desktop.sandbox().surehand_home()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    files += 1;
                    let held = fs::read(entry.path()).unwrap_or_default();
                    assert!(!String::from_utf8_lossy(&held).contains("battery"), "{}", entry.path().display());
                }
                _ => {}
            }
        }
    }
    let journal = stage.desktop.sandbox().surehand_home().join("state/journal.jsonl");
    let journal = fs::read_to_string(journal).expect("a record");
    assert!(journal.contains("\"clipboard-set\"") && files > 1);
}
