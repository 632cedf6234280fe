//! The pointer: it goes to the pixel where the element is, and only to the window that is meant.

use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop};

use crate::stage::{APP, Stage, Tree, front, ok, refused, sandbox, settle, wait_for_windows};

/// A rectangle of an answer.
fn rect(value: &Value) -> (i64, i64, i64, i64) {
    let number = |key: &str| value[key].as_i64().unwrap_or_else(|| panic!("no {key} in {value}"));
    (number("x"), number("y"), number("width"), number("height"))
}

fn centre(value: &Value) -> String {
    let (x, y, width, height) = rect(value);
    format!("{},{}", x + width / 2, y + height / 2)
}

/// Where an element is, as `get` tells it.
fn bounds(desktop: &PrivateDesktop, reference: &str) -> Value {
    let answer = ok(&desktop.surehand(&["get", reference, "--property", "bounds"]));
    assert_eq!(answer["live"], true);
    answer["value"].clone()
}

fn window(desktop: &PrivateDesktop, title: &str) -> Value {
    wait_for_windows(desktop, &format!("{title:?} is there"), |windows| {
        windows.iter().find(|window| window["title"] == title && window["bounds"].is_object()).cloned()
    })
}

/// Clicks a button by its place on the screen, and waits until the application has been clicked.
fn click_at(desktop: &PrivateDesktop, fixture: &mut Fixture, app: &str, name: &str) {
    let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", app])));
    let place = centre(&bounds(desktop, &tree.reference("button", name)));
    let mark = fixture.log().len();
    let answer = ok(&desktop.surehand(&["--headed", "mouse-click", "--xy", &place, "--app", app]));
    assert_eq!(
        (&answer["frame"], &answer["disposition"]["delivery"]),
        (&json!("screen"), &json!("delivered_unverified"))
    );
    let clicked = fixture.wait_for(&format!("{name} is clicked at {place}"), |events| {
        events[mark..].iter().find(|event| event["event"] == "clicked").cloned()
    });
    assert_eq!(clicked["widget"], name);
}

#[test]
fn case_27_at_twice_the_size_the_click_hits_what_was_meant() {
    let desktop = PrivateDesktop::start_with(&sandbox(), &["--size", "1600x1600"]);
    let mut environment = desktop.environment();
    environment.insert("GDK_SCALE".into(), "2".into());
    let mut fixture = Fixture::python(&environment, "gtk3_app.py", &[]);
    settle(&mut fixture);
    let own = window(&desktop, "Fixture GTK3");
    assert!(rect(&own["bounds"]).2 >= 1_040, "it is drawn at twice the size: {own}");
    for name in ["Press me", "Beta", "Press me"] {
        click_at(&desktop, &mut fixture, APP, name);
    }
    // The element under the pointer is the one that was aimed at, and nobody points at what is covered.
    let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", APP])));
    ok(&desktop.surehand(&["--headed", "hover", &tree.reference("button", "Gamma")]));
    let mark = fixture.log().len();
    ok(&desktop.surehand(&["click", &tree.reference("button", "Alpha")]));
    fixture.wait_for("it is clicked", |events| {
        events[mark..].iter().find(|event| event["event"] == "clicked" && event["widget"] == "Alpha").cloned()
    });
}

#[test]
fn case_28_places_count_from_the_screen_also_where_the_toolkit_counts_from_its_window() {
    let desktop = PrivateDesktop::start(&sandbox());
    let mut fixture = Fixture::gtk4(&desktop, &[]);
    window(&desktop, "Fixture GTK4");
    let moved = ok(&desktop.surehand(&["move-window", "--app", "fixture-gtk4", "--x", "400", "--y", "60"]));
    assert_eq!(moved["disposition"]["delivery"], "delivered_verified", "{moved}");
    let own = rect(&window(&desktop, "Fixture GTK4")["bounds"]);
    assert!(own.0 >= 400 && own.1 >= 60, "{own:?}");
    let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", "fixture-gtk4"])));
    let place = rect(&bounds(&desktop, &tree.reference("button", "Press me")));
    assert!(place.0 >= own.0 && place.1 >= own.1 && place.0 + place.2 <= own.0 + own.2, "{place:?} in {own:?}");
    for name in ["Press me", "Alpha"] {
        click_at(&desktop, &mut fixture, "fixture-gtk4", name);
    }
}

#[test]
fn from_right_to_left_the_click_hits_what_was_meant() {
    let mut stage = Stage::with(&["--rtl"]);
    let tree = stage.snapshot();
    let place = |name| rect(&bounds(&stage.desktop, &tree.reference("button", name))).0;
    assert!(place("Alpha") > place("Beta") && place("Beta") > place("Gamma"), "it is from right to left");
    for name in ["Alpha", "Gamma"] {
        click_at(&stage.desktop, &mut stage.fixture, APP, name);
    }
}

#[test]
fn case_30_a_click_goes_to_the_window_that_is_meant_or_to_nobody() {
    let mut stage = Stage::new();
    let below = window(&stage.desktop, "Fixture GTK3");
    let mut other = stage.behind("In front");
    let above = window(&stage.desktop, "In front");
    let id = |window: &Value| window["id"].as_str().expect("an id").to_owned();
    ok(&stage.desktop.surehand(&["move-window", "--window-id", &id(&below), "--x", "20", "--y", "20"]));
    ok(&stage.desktop.surehand(&["move-window", "--window-id", &id(&above), "--x", "300", "--y", "20"]));
    settle(&mut other);
    let (mark, other_mark) = (stage.mark(), other.log().len());
    let (lower, upper) = (id(&below), id(&above));
    let click = |stage: &Stage, xy: &str, by: &[&str]| {
        stage.desktop.surehand(&[&["--headed", "mouse-click", "--xy", xy][..], by].concat())
    };
    // In both windows, and so in the one that is in front there.
    for by in [&["--window-id", lower.as_str()][..], &["--app", APP]] {
        let error = refused(&click(&stage, "400,300", by), Code::PolicyDenied);
        assert_eq!(error["details"]["kind"], "another_window_in_front", "{error}");
        assert_eq!(error["details"]["in_front"]["id"], upper.as_str());
        assert!(error["message"].as_str().is_some_and(|message| message.contains("\"In front\"")), "{error}");
    }
    let error = refused(&click(&stage, "1270,790", &["--window-id", &lower]), Code::PolicyDenied);
    assert!(error["message"].as_str().is_some_and(|message| message.contains("background")), "{error}");
    assert_eq!(refused(&click(&stage, "400,300", &[]), Code::InvalidArgs)["details"]["kind"], "no_window_named");
    assert_eq!(refused(&click(&stage, "5000,300", &["--app", "another"]), Code::PolicyDenied)["ok"], Value::Null);
    assert_eq!(stage.told_since(mark), Vec::<String>::new());
    settle(&mut other);
    let heard = other.log().split_off(other_mark);
    assert!(!heard.iter().any(|event| event["event"] == "clicked" || event["event"] == "window-focus-in"), "{heard:?}");
    // Where it can be seen it is clicked; nothing was raised for it.
    let tree = Tree(ok(&stage.desktop.surehand(&["snapshot", "--window-id", &lower])));
    let (x, y, ..) = rect(&bounds(&stage.desktop, &tree.reference("button", "Press me")));
    let mark = stage.mark();
    ok(&click(&stage, &format!("{},{}", x + 8, y + 8), &["--window-id", &lower]));
    stage.fixture.wait_for("it is clicked", |events| {
        events[mark..].iter().find(|event| event["event"] == "clicked" && event["widget"] == "Press me").cloned()
    });
}

#[test]
fn case_31_an_application_that_hangs_costs_nobody_else() {
    let mut stage = Stage::new();
    let press = stage.snapshot().reference("button", "Press me");
    let mark = stage.mark();
    stage.fixture.freeze();
    std::thread::scope(|scope| {
        let stuck = scope.spawn(|| stage.desktop.surehand(&["click", &press, "--timeout-ms", "3000"]));
        for _ in 0..3 {
            let run = stage.desktop.surehand(&["status"]);
            ok(&run);
            assert!(run.took < std::time::Duration::from_secs(5), "{run}");
        }
        let stuck = stuck.join().expect("it ended");
        let error = stuck.expect_error("APP_UNRESPONSIVE");
        assert!(stuck.took < std::time::Duration::from_secs(9), "{stuck}");
        assert!(error["disposition"]["delivery"].is_string());
    });
    stage.fixture.thaw();
    stage.since(mark);
    let mark = stage.mark();
    stage.ok(&["click", &press]);
    stage
        .fixture
        .wait_for("it is clicked", |events| events[mark..].iter().find(|event| event["event"] == "clicked").cloned());
}

#[test]
fn a_drag_moves_a_slider_and_the_wheel_turns_it() {
    // High enough for all of the window, so that nothing has to be scrolled.
    let desktop = PrivateDesktop::start_with(&sandbox(), &["--size", "1280x1600"]);
    let fixture = front(&desktop, &[]);
    let mut stage = Stage { fixture, desktop };
    let mut observer = Fixture::python(&stage.desktop.environment(), "attention.py", &[]);
    stage.ok(&["resize-window", "--app", APP, "--width", "520", "--height", "1400"]);
    settle(&mut stage.fixture);
    let tree = stage.snapshot();
    let (x, y, width, height) = rect(&bounds(&stage.desktop, &tree.reference("slider", "Volume")));
    let at = |part: i64| format!("{},{}", x + width * part / 100, y + height * 3 / 4);
    let mark = stage.mark();
    // The knob is at 40 of 100.
    let line = ["--headed", "drag", "--from-xy", &at(41), "--to-xy", &at(90), "--app", APP, "--drop-delay", "50"];
    let answer = stage.ok(&line);
    assert_eq!(answer["drop_delay_ms"], 50);
    let value = |event: &Value| event["value"].as_f64().unwrap_or_default();
    let seen = stage.fixture.wait_for("the slider has moved", |events| {
        events[mark..].iter().rev().find(|event| event["widget"] == "Volume" && value(event) > 70.0).cloned()
    });
    observer.command("held");
    assert_eq!(observer.events("held").last().expect("told")["buttons"], json!([]));
    let mark = stage.mark();
    let (wheel_x, wheel_y) = ((x + width / 2).to_string(), (y + height * 3 / 4).to_string());
    stage.ok(&["--headed", "mouse-wheel", "--x", &wheel_x, "--y", &wheel_y, "--dy", "-3", "--app", APP]);
    stage.fixture.wait_for("the wheel has turned it", |events| {
        let moved = |event: &&Value| event["widget"] == "Volume" && value(event) != value(&seen);
        events[mark..].iter().find(moved).cloned()
    });
}

#[test]
fn two_screens_are_listed_captured_and_clicked_on() {
    let desktop = PrivateDesktop::start_with(&sandbox(), &["--size", "2560x800"]);
    let mut observer = Fixture::python(&desktop.environment(), "attention.py", &[]);
    observer.command("monitor left 1 0 0 1280 800");
    observer.command("monitor right 0 1280 0 1280 800");
    let mut fixture = Fixture::gtk3(&desktop, &[]);
    let displays = ok(&desktop.surehand(&["list-displays"]))["displays"].take();
    let places: Vec<_> = displays.as_array().expect("a list").iter().map(|one| rect(&one["bounds"])).collect();
    assert_eq!(places, [(0, 0, 1280, 800), (1280, 0, 1280, 800)], "{displays}");
    assert_eq!((&displays[0]["is_primary"], &displays[1]["is_primary"]), (&json!(true), &json!(false)));
    assert_eq!(displays[0]["scale"], 1.0);
    let right = ok(&desktop.surehand(&["move-window", "--app", APP, "--x", "1400", "--y", "10"]));
    assert_eq!(right["disposition"]["delivery"], "delivered_verified", "{right}");
    click_at(&desktop, &mut fixture, APP, "Press me");
    for (index, expected) in [("0", (1280, 800)), ("1", (1280, 800))] {
        let picture = ok(&desktop.surehand(&["screenshot", &format!("screen{index}.png"), "--screen", index]));
        assert_eq!((picture["width"].as_i64(), picture["height"].as_i64()), (Some(expected.0), Some(expected.1)));
    }
    let error = refused(&desktop.surehand(&["screenshot", "--screen", "2"]), Code::InvalidArgs);
    assert_eq!(error["details"]["kind"], "no_such_screen");
}
