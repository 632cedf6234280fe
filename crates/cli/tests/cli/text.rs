//! `type` and `set-value`: what the application holds afterwards is exactly what was given.

use serde_json::{Value, json};
use surehand_core::Code;

use crate::stage::{Stage, ok};

/// Characters of one, two, three and four bytes, of several to one letter, and of several to one picture.
const UNICODE: &str = "Aé€\u{65}\u{301}😀👨\u{200d}👩\u{200d}👧🇩🇪\u{1f44d}\u{1f3fd}عربي한글";

/// What the last event of a widget says it holds.
fn held(stage: &mut Stage, mark: usize, widget: &str) -> Value {
    let events = stage.since(mark);
    let last = events.iter().rfind(|event| event["event"] == "changed" && event["widget"] == widget);
    last.unwrap_or_else(|| panic!("nothing changed {widget}: {events:?}"))["text"].clone()
}

fn verified(answer: &Value) {
    assert_eq!(answer["disposition"]["delivery"], "delivered_verified", "{answer}");
}

#[test]
fn text_is_inserted_at_the_caret() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Name field");
    for (caret, text, expected) in
        [(0, "<", "<hello"), (6, ">", "<hello>"), (3, "é😀", "<heé😀llo>"), (5, "!", "<heé😀!llo>")]
    {
        stage.fixture.command(&format!("caret 'Name field' {caret}"));
        let mark = stage.mark();
        verified(&stage.ok(&["type", &field, text]));
        assert_eq!(held(&mut stage, mark, "Name field"), expected);
    }
}

#[test]
fn text_beyond_ascii_arrives_whole_in_a_field_and_in_a_text_view() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let field = tree.reference("textfield", "Name field");
    let mark = stage.mark();
    verified(&stage.ok(&["set-value", &field, UNICODE]));
    assert_eq!(held(&mut stage, mark, "Name field"), UNICODE);
    assert_eq!(stage.ok(&["get", &field, "--property", "value"])["value"], UNICODE);
    let notes = tree.reference("textfield", "Notes");
    stage.fixture.command("caret Notes 10");
    let mark = stage.mark();
    verified(&stage.ok(&["type", &notes, &format!("\n{UNICODE}\n\t")]));
    assert_eq!(held(&mut stage, mark, "Notes"), format!("first line\n{UNICODE}\n\t\nsecond line\nthird line"));
}

#[test]
fn text_comes_from_standard_input_as_well() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (field, notes) = (tree.reference("textfield", "Name field"), tree.reference("textfield", "Notes"));
    stage.fixture.command("caret 'Name field' 0");
    for (given, arrived) in [("-5 --x", "-5 --x"), ("one\n", "one"), ("  \n", "  ")] {
        stage.fixture.command("set");
        let mark = stage.mark();
        verified(&ok(&stage.desktop.runner(&["type", &field, "--stdin"]).stdin(given).run()));
        assert_eq!(held(&mut stage, mark, "Name field"), arrived);
    }
    // Only the one line break that shells add is taken off.
    let mark = stage.mark();
    verified(&ok(&stage.desktop.runner(&["set-value", &notes, "--stdin"]).stdin("a\nb\n\n").run()));
    assert_eq!(held(&mut stage, mark, "Notes"), "a\nb\n");
}

#[test]
fn what_looks_like_an_option_is_text() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Name field");
    for text in ["-5", "--app", "-"] {
        let mark = stage.mark();
        verified(&stage.ok(&["set-value", &field, text]));
        assert_eq!(held(&mut stage, mark, "Name field"), text);
    }
}

#[test]
fn text_that_no_application_can_take_is_refused_before_anything_is_done() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Name field");
    let mark = stage.mark();
    let input = |bytes: &[u8]| {
        crate::stage::refused(&stage.desktop.runner(&["type", &field, "--stdin"]).stdin(bytes).run(), Code::InvalidArgs)
    };
    input(b"a\0b");
    input(b"\xff\xfe");
    input(&vec![b'x'; (1 << 20) + 1]);
    crate::stage::refused(&stage.desktop.surehand(&["type", &field]), Code::InvalidArgs);
    crate::stage::refused(&stage.desktop.surehand(&["type", &field, "x", "--stdin"]), Code::InvalidArgs);
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_field_is_emptied_and_filled() {
    let mut stage = Stage::new();
    let field = stage.snapshot().reference("textfield", "Name field");
    for text in ["", "again", "", "x"] {
        let mark = stage.mark();
        verified(&stage.ok(&["set-value", &field, text]));
        assert_eq!(held(&mut stage, mark, "Name field"), text);
        assert_eq!(stage.ok(&["get", &field, "--property", "value"])["value"], text);
    }
}

/// A spin button takes its number when it is told as a number; the text alone would not be committed.
#[test]
fn a_spin_button_commits_the_number() {
    let mut stage = Stage::new();
    let spin = stage.snapshot().reference("incrementor", "Copies");
    for number in ["16", "99", "1"] {
        let mark = stage.mark();
        let answer = stage.ok(&["set-value", &spin, number]);
        verified(&answer);
        let committed: Vec<f64> = stage
            .since(mark)
            .iter()
            .filter(|event| event["event"] == "value-changed")
            .filter_map(|event| event["value"].as_f64())
            .collect();
        assert_eq!(committed, [number.parse::<f64>().expect("a number")]);
        assert_eq!(answer["post_state"]["value"], number);
    }
}

#[test]
fn a_slider_is_moved_again_and_again_by_the_same_ref() {
    let mut stage = Stage::new();
    let slider = stage.snapshot().reference("slider", "Volume");
    for number in ["70", "0", "100", "41"] {
        let mark = stage.mark();
        verified(&stage.ok(&["set-value", &slider, number]));
        assert_eq!(stage.told_since(mark), [format!("value-changed Volume {number}.0")]);
    }
}

#[test]
fn a_number_out_of_range_or_none_at_all_is_refused_and_nothing_happens() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let mark = stage.mark();
    for (role, name, minimum, maximum) in [("slider", "Volume", 0.0, 100.0), ("incrementor", "Copies", 1.0, 99.0)] {
        let range = tree.reference(role, name);
        for number in ["-1", "101", "1e300"] {
            let error = stage.refused(&["set-value", &range, number], Code::InvalidArgs);
            assert_eq!(error["details"]["kind"], "out_of_range");
            assert_eq!(
                [&error["details"]["minimum"], &error["details"]["maximum"]],
                [&json!(minimum), &json!(maximum)]
            );
        }
        for text in ["", "lots", "4,5", "NaN", "inf", "0x10"] {
            let error = stage.refused(&["set-value", &range, text], Code::InvalidArgs);
            assert_eq!(error["details"]["kind"], "not_a_number", "{text:?}");
        }
        stage.refused(&["type", &range, "5"], Code::ActionNotSupported);
    }
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn what_cannot_be_edited_is_refused_and_stays() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let mark = stage.mark();
    for (role, name) in [("textfield", "Read-only field"), ("button", "Press me"), ("checkbox", "Check me")] {
        let element = tree.reference(role, name);
        for command in ["type", "set-value"] {
            let error = stage.refused(&[command, &element, "x"], Code::ActionNotSupported);
            assert_eq!(error["details"]["retryable"], false, "{name}: {error}");
        }
    }
    assert!(stage.told_since(mark).is_empty());
    assert_eq!(stage.ok(&["get", &tree.reference("textfield", "Read-only field")])["value"], "look only");
}
