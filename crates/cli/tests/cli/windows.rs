//! Changing windows: what the window system says afterwards is what was asked for, or the answer says otherwise.

use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::Fixture;

use crate::stage::{APP, Stage, wait_for_windows};

fn own(stage: &Stage) -> Value {
    let windows = stage.ok(&["list-windows"])["windows"].take();
    windows.as_array().expect("a list").iter().find(|window| window["title"] == "Fixture GTK3").expect("it").clone()
}

#[test]
fn a_window_is_moved_resized_put_away_and_brought_back() {
    let stage = Stage::new();
    let done = |line: &[&str]| {
        let answer = stage.ok(line);
        assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{line:?}: {answer}");
        assert_eq!(answer["window"]["bounds"], own(&stage)["bounds"], "what is told is what is there");
        answer
    };
    done(&["move-window", "--app", APP, "--x", "200", "--y", "40"]);
    let resized = done(&["resize-window", "--app", APP, "--width", "600", "--height", "650"]);
    assert_eq!(resized["window"]["bounds"]["width"], 600);
    let before = own(&stage)["bounds"].clone();
    let maximized = done(&["maximize", "--app", APP]);
    assert_eq!(maximized["maximized"], true);
    assert!(maximized["window"]["bounds"]["width"].as_i64() > Some(1_200), "{maximized}");
    assert_eq!(done(&["restore", "--app", APP])["window"]["bounds"], before);
    done(&["minimize", "--app", APP]);
    assert_eq!(own(&stage)["minimized"], true);
    // It would get the keyboard by it.
    stage.refused(&["restore", "--app", APP], Code::PolicyDenied);
    assert_eq!(own(&stage)["minimized"], true);
    done(&["--headed", "restore", "--app", APP]);
    assert_eq!(own(&stage)["minimized"], false);
    assert_eq!(own(&stage)["bounds"], before);
    // What is so already is not sent again.
    let again = stage.ok(&["restore", "--app", APP]);
    assert_eq!(again["disposition"]["delivery"], "not_delivered");
}

#[test]
fn a_window_that_keeps_its_size_is_no_success() {
    let stage = Stage::new();
    let answer = stage.ok(&["resize-window", "--app", APP, "--width", "20", "--height", "20"]);
    assert_eq!(answer["disposition"]["delivery"], "delivered_unverified", "{answer}");
    assert_eq!(answer["unverified"], "came_to_rest_otherwise");
    assert_eq!(answer["window"]["bounds"], own(&stage)["bounds"], "what was seen is told");
    for size in ["0", "40000"] {
        stage.refused(&["resize-window", "--app", APP, "--width", size, "--height", "20"], Code::InvalidArgs);
    }
}

#[test]
fn the_focus_is_given_where_the_window_system_confirms_it() {
    let mut stage = Stage::new();
    let mut observer = Fixture::python(&stage.desktop.environment(), "attention.py", &[]);
    let _other = stage.behind("In front");
    let id = own(&stage)["id"].as_str().expect("an id").to_owned();
    for line in [&["--window-id", id.as_str()][..], &["--title", "fixture"], &["--app", APP]] {
        let answer = stage.ok(&[&["--headed", "focus-window"][..], line].concat());
        assert_eq!(answer["window"]["id"], id.as_str());
        observer.command("look");
        let active = observer.events("attention").last().expect("told")["active"].as_u64().expect("a number");
        assert_eq!(format!("w-{active:x}"), id);
        stage.ok(&["--headed", "focus-window", "--title", "In front"]);
        wait_for_windows(&stage.desktop, "the other one has it", |windows| {
            windows.iter().find(|window| window["title"] == "In front" && window["is_focused"] == true).map(|_| ())
        });
    }
    stage.refused(&["--headed", "focus-window"], Code::InvalidArgs);
    stage.refused(&["--headed", "focus-window", "--title", "nothing like it"], Code::WindowNotFound);
    assert_eq!(
        stage.ok(&["--headed", "focus-window", "--title", "In front"])["disposition"],
        json!({"delivery": "not_delivered", "retry": "safe"})
    );
}
