//! `click`: each kind of element is activated once, and what is claimed is what was seen.

use surehand_core::Code;

use crate::stage::{APP, Stage, has};

/// What `click` answers about its effect.
fn delivery(answer: &serde_json::Value) -> &str {
    answer["disposition"]["delivery"].as_str().expect("a delivery")
}

#[test]
fn a_button_is_clicked_once_and_no_effect_is_claimed() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    let mark = stage.mark();
    let answer = stage.ok(&["click", &button]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
    assert_eq!(answer["resolved_by"], "retained");
    // A button says nothing of itself about having been pressed.
    assert_eq!(delivery(&answer), "delivered_unverified");
    assert_eq!(answer["unverified"], "insufficient_evidence");
    assert_eq!(answer["disposition"]["retry"], "unsafe");
}

#[test]
fn a_check_box_is_switched_and_seen_to_be() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let check = tree.reference("checkbox", "Check me");
    assert!(!has(tree.node("checkbox", "Check me"), "checked"));
    for state in [true, false] {
        let mark = stage.mark();
        let answer = stage.ok(&["click", &check]);
        assert_eq!(stage.told_since(mark), [format!("toggled Check me {state}")]);
        assert_eq!(delivery(&answer), "delivered_verified");
        assert_eq!(has(&answer["post_state"], "checked"), state);
        assert_eq!(stage.ok(&["is", &check, "--property", "checked"])["result"], state);
    }
}

#[test]
fn a_toggle_button_and_a_switch_are_switched_and_seen_to_be() {
    let mut stage = Stage::new();
    for name in ["Toggle me", "Switch me"] {
        let toggle = stage.snapshot().reference("button", name);
        for state in [true, false] {
            let mark = stage.mark();
            let answer = stage.ok(&["click", &toggle]);
            assert_eq!(stage.told_since(mark), [format!("toggled {name} {state}")]);
            assert_eq!(delivery(&answer), "delivered_verified", "{answer}");
            assert_eq!(has(&answer["post_state"], "checked"), state, "{answer}");
        }
    }
}

#[test]
fn a_radio_button_is_chosen_and_its_neighbour_is_not_any_more() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (one, two) = (tree.reference("radiobutton", "One"), tree.reference("radiobutton", "Two"));
    let mark = stage.mark();
    let answer = stage.ok(&["click", &two]);
    assert_eq!(stage.told_since(mark), ["toggled One false", "toggled Two true"]);
    assert_eq!(delivery(&answer), "delivered_verified");
    assert_eq!(stage.ok(&["is", &one, "--property", "checked"])["result"], false);
    // Chosen already: nothing changes, so nothing is claimed, and nothing is wrong.
    let mark = stage.mark();
    let again = stage.ok(&["click", &two]);
    assert!(stage.told_since(mark).is_empty());
    assert_eq!(delivery(&again), "delivered_unverified");
    assert!(has(&again["post_state"], "checked"));
}

#[test]
fn a_disabled_button_is_waited_for_and_clicked_once() {
    let mut stage = Stage::new();
    let later = stage.snapshot().reference("button", "Later");
    let mark = stage.mark();
    // Long enough for the command to be looking already, also under load.
    stage.fixture.command("enable-after 2000");
    let answer = stage.ok(&["click", &later, "--timeout-ms", "20000"]);
    assert_eq!(stage.told_since(mark), ["clicked Later"]);
    assert!(answer["attempts"].as_u64().expect("a number") > 1, "it was not waited for: {answer}");
}

#[test]
fn a_button_that_stays_disabled_is_not_clicked() {
    let mut stage = Stage::new();
    let later = stage.snapshot().reference("button", "Later");
    let mark = stage.mark();
    let error = stage.refused(&["click", &later, "--timeout-ms", "0"], Code::Timeout);
    assert_eq!(error["details"]["kind"], "actionability_timeout");
    assert_eq!(error["details"]["attempts"], 1, "a timeout of zero is one attempt: {error}");
    let error = stage.refused(&["click", &later, "--timeout-ms", "1500"], Code::Timeout);
    assert!(error["details"]["attempts"].as_u64().expect("a number") > 1, "{error}");
    // Also not when it becomes ready after the refusal.
    stage.fixture.command("enable");
    assert!(stage.told_since(mark).is_empty());
}

#[test]
fn a_timeout_of_zero_is_enough_for_what_is_ready() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    let mark = stage.mark();
    stage.ok(&["click", &button, "--timeout-ms", "0"]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}

#[test]
fn a_hidden_button_is_not_clicked() {
    let mut stage = Stage::new();
    let button = stage.snapshot().reference("button", "Press me");
    stage.fixture.command("hide");
    let mark = stage.mark();
    let error = stage.refused(&["click", &button, "--timeout-ms", "0"], Code::Timeout);
    assert_eq!(error["details"]["kind"], "actionability_timeout");
    assert!(stage.told_since(mark).is_empty());
    stage.fixture.command("show");
    stage.ok(&["click", &button]);
    assert_eq!(stage.told_since(mark), ["clicked Press me"]);
}

#[test]
fn an_item_of_a_closed_menu_is_chosen() {
    let mut stage = Stage::new();
    let item = stage.snapshot().reference("menuitem", "Open\u{2026}");
    let mark = stage.mark();
    stage.ok(&["click", &item]);
    assert_eq!(stage.told_since(mark), ["activate Open\u{2026}"]);
}

#[test]
fn an_item_of_a_combo_box_is_chosen() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    let (combo, blue) = (tree.reference("combobox", "Colour"), tree.reference("menuitem", "Blue"));
    let mark = stage.mark();
    stage.ok(&["click", &blue]);
    assert_eq!(stage.told_since(mark), ["changed Colour Blue"]);
    stage.ok(&["get", &combo]);
}

#[test]
fn a_row_of_a_tree_view_is_activated_by_its_cell() {
    let mut stage = Stage::with(&["--rows", "12"]);
    let tree = stage.snapshot();
    for (name, row) in [("item 0", 0), ("item 7", 7), ("item 3", 3)] {
        let mark = stage.mark();
        stage.ok(&["click", &tree.reference("cell", name)]);
        let told = stage.told_since(mark);
        let activated: Vec<_> = told.iter().filter(|event| event.starts_with("row-activated")).collect();
        assert_eq!(activated, [&format!("row-activated Prices {row}")], "{told:?}");
    }
}

/// The first action of a text view deletes a line; only an action that is named as activating is invoked.
#[test]
fn a_text_view_is_not_clicked_into_deleting_a_line() {
    let mut stage = Stage::new();
    let tree = stage.snapshot();
    for role_and_name in [("textfield", "Notes"), ("textfield", "Name field")] {
        let field = tree.reference(role_and_name.0, role_and_name.1);
        let mark = stage.mark();
        if role_and_name.1 == "Notes" {
            let error = stage.refused(&["click", &field], Code::PolicyDenied);
            assert_eq!(error["details"]["retryable"], false);
        } else {
            // The one action of an entry is named `activate`: what the return key does in it.
            let _ = stage.desktop.surehand(&["click", &field]);
        }
        let told = stage.told_since(mark);
        assert!(told.iter().all(|event| !event.starts_with("changed")), "{told:?}");
    }
    let notes = tree.reference("textfield", "Notes");
    assert_eq!(stage.ok(&["get", &notes])["value"], "first line\nsecond line\nthird line");
}

#[test]
fn an_application_is_asked_to_close_and_ends() {
    let mut stage = Stage::new();
    let mark = stage.mark();
    let answer = stage.ok(&["close-app", APP]);
    assert_eq!(answer["closed"], true, "{answer}");
    assert_eq!(delivery(&answer), "delivered_verified");
    stage.fixture.wait_for("it has ended", |events| events.iter().any(|event| event["event"] == "end").then_some(()));
    let asked = stage.fixture.log().into_iter().skip(mark).filter(|event| event["event"] == "delete-event").count();
    assert_eq!(asked, 1);
}

#[test]
fn an_application_that_stays_is_not_said_to_be_closed() {
    let mut stage = Stage::new();
    stage.fixture.command("keep-open");
    let mark = stage.mark();
    let answer = stage.ok(&["close-app", APP, "--timeout-ms", "500"]);
    assert_eq!(answer["closed"], false, "{answer}");
    assert_eq!(delivery(&answer), "delivered_unverified");
    assert_eq!(answer["windows"][0]["title"], "Fixture GTK3");
    assert_eq!(stage.told_since(mark), ["delete-event"]);
}

#[test]
fn case_23_noise_elsewhere_is_never_taken_for_an_effect() {
    let mut stage = Stage::new();
    let press = stage.snapshot().reference("button", "Press me");
    // A label that has nothing to do with the button changes twenty times a second.
    stage.fixture.command("count 50");
    let mut heard = 0;
    for _ in 0..40 {
        let answer = stage.ok(&["click", &press]);
        assert_eq!(answer["disposition"]["delivery"], "delivered_unverified", "{answer}");
        assert_eq!(answer["effects"], serde_json::Value::Null, "{answer}");
        heard += answer["meanwhile"]["elements"].as_u64().unwrap_or(0);
    }
    stage.fixture.command("stop-count");
    // The test hears the noise, or it proves nothing.
    assert!(heard > 40, "{heard}");
    assert_eq!(stage.fixture.events("clicked").len(), 40);
}
