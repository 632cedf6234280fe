//! Looking: `snapshot`, `find`, `get`, `is`, `wait`, `list-apps`, `list-windows`, `screenshot`.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use surehand_core::Code;

use crate::stage::{APP, PATIENCE, Stage, Tree, has, reference};

#[test]
fn a_snapshot_shows_what_there_is() {
    let stage = Stage::new();
    let tree = stage.snapshot();
    assert_eq!(tree.0["app"], APP);
    assert_eq!(tree.0["window"]["title"], "Fixture GTK3");
    assert_eq!(tree.0["complete"], true);
    assert_eq!(tree.0["tree"]["role"], "window");
    let refs: Vec<String> = tree.nodes().iter().filter_map(|node| node["ref_id"].as_str().map(str::to_owned)).collect();
    assert_eq!(tree.0["ref_count"], refs.len());
    let unique: std::collections::BTreeSet<&String> = refs.iter().collect();
    assert_eq!(unique.len(), refs.len());
    let id = tree.0["snapshot_id"].as_str().expect("an id");
    assert!(refs.iter().all(|one| one.starts_with(&format!("@{id}:e"))), "{refs:?}");
    for (role, name, value) in [
        ("textfield", "Name field", json!("hello")),
        ("textfield", "Read-only field", json!("look only")),
        ("textfield", "Notes", json!("first line\nsecond line\nthird line")),
        ("slider", "Volume", json!("40")),
        ("incrementor", "Copies", json!("1")),
    ] {
        assert_eq!(tree.node(role, name)["value"], value, "{name}");
    }
    assert!(has(tree.node("textfield", "Read-only field"), "readonly"));
    assert!(has(tree.node("button", "Later"), "disabled"));
    assert!(has(tree.node("radiobutton", "One"), "checked"));
    assert!(has(tree.node("textfield", "Password"), "secure"));
    assert_eq!(tree.node("textfield", "Name field")["placeholder"], "your name");
    assert_eq!(tree.node("button", "Press me")["native_id"]["value"], "press-id");
    assert_eq!(tree.node("button", "Press me")["available_actions"], json!(["Click"]));
}

#[test]
fn a_snapshot_can_be_thinned_out_and_keeps_what_can_be_used() {
    let stage = Stage::with(&["--deep", "30"]);
    let whole = stage.snapshot();
    let thin = Tree(stage.ok(&["snapshot", "--app", APP, "-i", "--compact"]));
    let usable = |tree: &Tree| -> Vec<(Value, Value)> {
        let nodes = tree.nodes();
        nodes
            .iter()
            .filter(|node| node["ref_id"].is_string() && !has(node, "hidden") && !has(node, "offscreen"))
            .map(|node| (node["role"].clone(), node["name"].clone()))
            .collect()
    };
    assert_eq!(usable(&thin), usable(&whole));
    assert!(thin.nodes().len() + 30 < whole.nodes().len());
    let mut stage = stage;
    let mark = stage.mark();
    stage.ok(&["click", &thin.reference("button", "Deep")]);
    assert_eq!(stage.told_since(mark), ["clicked Deep"]);
}

#[test]
fn bounds_are_where_the_elements_are() {
    let stage = Stage::new();
    let tree = Tree(stage.ok(&["snapshot", "--app", APP, "--include-bounds"]));
    let bounds =
        |node: &Value| ["x", "y", "width", "height"].map(|key| node["bounds"][key].as_i64().expect("a number"));
    let [x, y, width, height] = bounds(tree.node("window", "Fixture GTK3"));
    // With what the window manager draws around it.
    assert!(width >= 520 && height >= 700, "{width}x{height}");
    let [left, top, wide, high] = bounds(tree.node("button", "Press me"));
    assert!(left >= x && left + wide <= x + width && top > y && top + high <= y + height && wide > 0 && high > 0);
    // A button below another is below it.
    assert!(bounds(tree.node("button", "Later"))[1] >= top + high);
    let press = tree.reference("button", "Press me");
    let live = stage.ok(&["get", &press, "--property", "bounds"]);
    assert_eq!(live["value"], tree.node("button", "Press me")["bounds"]);
}

#[test]
fn elements_are_found_by_what_they_are() {
    let mut stage = Stage::new();
    let count = |arguments: &[&str]| {
        stage.ok(&[&["find", "--app", APP, "--count"], arguments].concat())["count"].as_u64().expect("a number")
    };
    assert_eq!(count(&["--role", "radiobutton"]), 3);
    assert_eq!(count(&["--name", "twin", "--role", "button"]), 2);
    assert_eq!(count(&["--name", "press", "--exact"]), 0);
    assert_eq!(count(&["--name", "PRESS ME", "--exact"]), 1);
    assert_eq!(count(&["--native-id", "press-id"]), 1);
    assert_eq!(count(&["--value", "look only"]), 1);
    assert_eq!(count(&["--role", "button", "--state", "disabled"]), 1);
    assert_eq!(count(&["--role", "radiobutton", "--state", "checked=false"]), 2);
    assert_eq!(count(&["--text", "nowhere"]), 0);
    let first = stage.ok(&["find", "--app", APP, "--role", "button", "--name", "Twin", "--first"]);
    let last = stage.ok(&["find", "--app", APP, "--role", "button", "--name", "Twin", "--last"]);
    let all = stage.ok(&["find", "--app", APP, "--role", "button", "--name", "Twin"]);
    assert_eq!(all["matches"].as_array().expect("matches").len(), 2);
    let mark = stage.mark();
    for found in [&first["match"], &last["match"], &all["matches"][0]] {
        stage.ok(&["click", &reference(found)]);
    }
    assert_eq!(stage.told_since(mark), ["clicked Twin 1", "clicked Twin 2", "clicked Twin 1"]);
    let none = stage.ok(&["find", "--app", APP, "--role", "treeitem", "--first"]);
    assert_eq!(none["match"], Value::Null);
    assert!(none["roles_present"].as_array().expect("roles").contains(&json!("button")));
}

#[test]
fn get_and_is_tell_the_present_and_not_the_snapshot() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (field, later) = (tree.reference("textfield", "Name field"), tree.reference("button", "Later"));
    assert_eq!(stage.ok(&["get", &field])["value"], "hello");
    stage.fixture.command("set good bye");
    assert_eq!(stage.ok(&["get", &field])["value"], "good bye");
    assert_eq!(stage.ok(&["get", &field, "--property", "title"])["value"], "Name field");
    assert_eq!(stage.ok(&["get", &later, "--property", "role"])["value"], "button");
    assert_eq!(stage.ok(&["is", &later, "--property", "enabled"])["result"], false);
    stage.fixture.command("enable");
    assert_eq!(stage.ok(&["is", &later, "--property", "enabled"])["result"], true);
    assert_eq!(stage.ok(&["get", &later, "--property", "states"])["value"], json!([]));
    let press = tree.reference("button", "Press me");
    assert_eq!(stage.ok(&["is", &press])["result"], true);
    stage.fixture.command("hide");
    assert_eq!(stage.ok(&["is", &press, "--property", "visible"])["result"], false);
    assert_eq!(stage.ok(&["is", &press, "--property", "checked"])["result"], false);
    assert_eq!(stage.ok(&["is", &field, "--property", "expanded"])["applicable"], false);
}

#[test]
fn waiting_ends_when_it_is_so_and_says_what_was_seen_when_it_is_not() {
    let mut stage = Stage::new();
    let later = stage.snapshot().reference("button", "Later");
    stage.fixture.command("enable-after 400");
    let waited = stage.ok(&["wait", "--element", &later, "--predicate", "enabled"]);
    assert_eq!(waited["found"], true);
    assert_eq!(stage.ok(&["is", &later, "--property", "enabled"])["result"], true);
    stage.fixture.command("set now it is there");
    let waited = stage.ok(&["wait", "--text", "It Is There", "--app", APP]);
    assert_eq!(waited["role"], "textfield");
    assert_eq!(stage.ok(&["get", waited["ref"].as_str().expect("a ref")])["value"], "now it is there");
    stage.fixture.command("retitle Another title");
    assert_eq!(stage.ok(&["wait", "--window", "another TITLE"])["window"]["title"], "Another title");
    let error = stage.refused(&["wait", "--text", "never there", "--app", APP, "--timeout", "2000"], Code::Timeout);
    assert_eq!(error["details"]["kind"], "wait_timeout");
    assert!(error["details"]["last_observed"].as_str().is_some_and(|seen| seen.starts_with('0')), "{error}");
    let error = stage.refused(&["wait", "--window", "never there", "--timeout", "2000"], Code::Timeout);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("Another title")), "{error}");
    let error =
        stage.refused(&["wait", "--text", "Twin", "--count", "9", "--app", APP, "--timeout", "2000"], Code::Timeout);
    assert_eq!(error["details"]["kind"], "wait_timeout");
}

#[test]
fn waiting_for_time_takes_the_time() {
    let sandbox = crate::stage::sandbox();
    let run = sandbox.surehand(&["wait", "250"]);
    assert!(crate::stage::ok(&run)["waited_ms"].as_u64().is_some_and(|waited| waited >= 250), "{run}");
    assert!(run.took >= Duration::from_millis(250));
}

#[test]
fn applications_and_windows_are_listed() {
    let mut stage = Stage::with(&["--title", "One \u{2026} title"]);
    let apps = stage.ok(&["list-apps"])["apps"].take();
    assert_eq!(apps.as_array().expect("a list").len(), 1, "{apps}");
    assert_eq!(apps[0]["name"], APP);
    assert_eq!(apps[0]["pid"], stage.fixture.pid());
    assert!(apps[0]["program"].as_str().is_some_and(|program| program.starts_with("python3")), "{apps}");
    assert!(apps[0]["toolkit"].as_str().is_some_and(|toolkit| toolkit.starts_with("gtk 3.")), "{apps}");
    assert_eq!(stage.ok(&["list-apps", "--app", "GTK3"])["apps"], apps);
    assert_eq!(stage.ok(&["list-apps", "--app", "nothing"])["apps"], json!([]));
    stage.fixture.command("window Second");
    crate::stage::wait_for_windows(&stage.desktop, "there are two windows", |windows| {
        let shown = windows.iter().filter(|window| crate::stage::is_shown(window));
        let titles: Vec<&Value> = shown.map(|window| &window["title"]).collect();
        (titles.contains(&&json!("One \u{2026} title")) && titles.contains(&&json!("Second"))).then_some(())
    });
    let windows = stage.ok(&["list-windows", "--app", APP])["windows"].take();
    for window in windows.as_array().expect("a list") {
        assert_eq!((&window["app_name"], &window["pid"]), (&json!(APP), &json!(stage.fixture.pid())));
        assert_eq!((&window["accessible"], &window["visible"]), (&json!(true), &json!(true)));
        let id = window["id"].as_str().expect("an id");
        assert_eq!(stage.ok(&["snapshot", "--window-id", id])["window"]["title"], window["title"]);
    }
}

/// Width, height and pixels of a picture on the disk.
fn picture(path: &Path) -> (u32, u32, Vec<u8>) {
    let mut reader =
        png::Decoder::new(BufReader::new(File::open(path).expect("a picture"))).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("its pixels");
    assert_eq!((frame.color_type, frame.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    pixels.truncate(frame.buffer_size());
    (frame.width, frame.height, pixels)
}

#[test]
fn pictures_show_the_screen_and_the_window() {
    let mut stage = Stage::new();
    // Drawn only when the application has got round to it.
    crate::stage::settle(&mut stage.fixture);
    let output = stage.desktop.sandbox().home().join("out");
    fs::create_dir(&output).expect("a folder");
    let output = output.to_str().expect("a path in UTF-8");
    let shot = |arguments: &[&str]| stage.ok(&[&["screenshot", "--output-dir", output], arguments].concat());
    let answer = shot(&["screen.png"]);
    assert_eq!((&answer["width"], &answer["height"]), (&json!(1280), &json!(800)));
    let (width, height, screen) = picture(Path::new(answer["path"].as_str().expect("a path")));
    assert_eq!((width, height), (1280, 800));
    let answer = shot(&["window.png", "--app", APP]);
    let (width, height, window) = picture(Path::new(answer["path"].as_str().expect("a path")));
    let bounds = stage.ok(&["list-windows"])["windows"][0]["bounds"].take();
    assert_eq!((&json!(width), &json!(height)), (&bounds["width"], &bounds["height"]));
    // The window's part of the screen is what the picture of the window shows.
    let at = |key: &str| bounds[key].as_u64().expect("a number") as usize;
    let (x, y, row) = (at("x"), at("y"), at("width") * 3);
    let same = window.chunks(row).enumerate().filter(|(line, pixels)| {
        let start = ((y + line) * 1280 + x) * 3;
        screen[start..start + row] == **pixels
    });
    // Something may blink, a caret for one; nearly all of it is the same.
    assert!(same.count() * 10 > height as usize * 9, "the window's picture is not what is on the screen");
    let colours: std::collections::BTreeSet<&[u8]> = window.chunks(3).step_by(7).collect();
    assert!(colours.len() > 8, "the picture shows nothing");
    // Nothing is written over or outside.
    assert_eq!(
        stage.refused(&["screenshot", "screen.png", "--output-dir", output], Code::Conflict)["code"],
        "CONFLICT"
    );
    stage.refused(&["screenshot", "../x.png", "--output-dir", output], Code::PolicyDenied);
    stage.refused(&["screenshot", "/tmp/surehand-test-x.png", "--output-dir", output], Code::PolicyDenied);
    assert!(!Path::new("/tmp/surehand-test-x.png").exists());
    assert_eq!(picture(Path::new(output).join("screen.png").as_path()).2, screen);
}

#[test]
fn a_picture_of_a_covered_window_shows_the_window() {
    let mut stage = Stage::new();
    crate::stage::settle(&mut stage.fixture);
    let window = stage.ok(&["list-windows"])["windows"][0].take();
    let id = window["id"].as_str().expect("an id");
    let before = stage.ok(&["screenshot", "--window-id", id])["data"].take();
    let _cover = stage.behind("Cover");
    let differs = surehand_testkit::live::wait_until(PATIENCE, || {
        // The caret of the window behind stops blinking when the focus leaves.
        crate::stage::settle(&mut stage.fixture);
        let one = stage.ok(&["screenshot", "--window-id", id]);
        let two = stage.ok(&["screenshot", "--window-id", id]);
        (one["data"] == two["data"]).then_some(one["data"] != before)
    });
    let answer = stage.ok(&["screenshot", "--window-id", id]);
    assert_eq!((&answer["width"], &answer["height"]), (&window["bounds"]["width"], &window["bounds"]["height"]));
    assert!(differs.is_some());
}
