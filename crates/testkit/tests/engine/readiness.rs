//! What an element has to be before anything is sent to it.

use std::time::Duration;

use serde_json::json;
use surehand_core::act::Action;
use surehand_core::error::Code;
use surehand_core::node::TextAccess;
use surehand_core::state::State;
use surehand_testkit::fake::{button, field, group};

use crate::refused;
use crate::rig::{Rig, ms};

#[test]
fn a_button_that_becomes_enabled_is_clicked_once_after_that() {
    let rig = Rig::new([button("Next").key("next").disabled()]);
    let next = rig.object("next");
    let shot = rig.shot();
    let enabled = next.clone();
    rig.fake.at(ms(300), move |scene| scene.enable(&enabled));
    let outcome = rig.attempt(&shot, &next, Action::Click, 5_000).expect("becomes ready");
    assert!(outcome.attempts > 1);
    let effects = rig.fake.effects();
    assert_eq!(effects.len(), 1);
    assert!((ms(300)..ms(400)).contains(&effects[0].at), "{:?}", effects[0]);
}

#[test]
fn one_that_never_becomes_ready_times_out_with_what_was_seen() {
    let rig = Rig::new([button("Next").key("next").disabled()]);
    let next = rig.object("next");
    let shot = rig.shot();
    let error = rig.attempt(&shot, &next, Action::Click, 500).expect_err("never");
    refused(&error, Code::Timeout, "actionability_timeout");
    let report = &error.details()["last_report"];
    assert_eq!(report["actionable"], false);
    assert!(
        report["checks"]
            .as_array()
            .expect("checks")
            .contains(&json!({"check": "enabled", "status": "fail", "reason": "the application has disabled it"}))
    );
    assert_eq!(rig.clock.passed(), ms(500));
    assert!(rig.fake.effects().is_empty());
}

#[test]
fn a_wait_as_long_as_the_whole_call_ends_with_what_was_seen_as_well() {
    let rig = Rig::new([button("Next").key("next").disabled()]);
    let next = rig.object("next");
    let shot = rig.shot();
    let error = rig.attempt_within(&shot, &next, Action::Click, 500, ms(500)).expect_err("never");
    refused(&error, Code::Timeout, "actionability_timeout");
    assert_eq!(error.details()["last_report"]["actionable"], false);
}

#[test]
fn no_patience_is_one_attempt() {
    let rig = Rig::new([button("Next").key("next").disabled()]);
    let next = rig.object("next");
    let shot = rig.shot();
    let error = rig.attempt(&shot, &next, Action::Click, 0).expect_err("not ready");
    refused(&error, Code::Timeout, "actionability_timeout");
    assert_eq!(error.details()["attempts"], 1);
    assert_eq!(rig.clock.passed(), Duration::ZERO);
    rig.fake.change(|scene| scene.enable(&next));
    assert_eq!(rig.attempt(&shot, &next, Action::Click, 0).expect("ready").attempts, 1);
}

#[test]
fn what_an_element_does_not_offer_is_refused_without_waiting() {
    let rig = Rig::new([
        group("Plain", []).key("plain"),
        field("Log").key("log").state(State::Readonly),
        field("Web").key("web").edit(|node| node.affordances.text = TextAccess::Broken("does nothing".into())),
    ]);
    let shot = rig.shot();
    for (key, action) in
        [("plain", Action::Click), ("log", Action::SetValue("x".into())), ("log", Action::TypeText("x".into()))]
    {
        let error = rig.attempt(&shot, &rig.object(key), action, 5_000).expect_err(key);
        refused(&error, Code::ActionNotSupported, "not_supported_by_element");
    }
    // The keyboard could, and nobody allowed it.
    let error = rig.attempt(&shot, &rig.object("web"), Action::SetValue("x".into()), 5_000).expect_err("broken");
    refused(&error, Code::PolicyDenied, "needs_headed");
    assert_eq!(rig.clock.passed(), Duration::ZERO);
    assert!(rig.fake.effects().is_empty());
}

#[test]
fn an_element_that_turns_into_another_while_waiting_is_not_clicked() {
    let rig = Rig::new([button("Pay").key("pay").disabled()]);
    let pay = rig.object("pay");
    let shot = rig.shot();
    let changing = pay.clone();
    rig.fake.at(ms(300), move |scene| {
        scene.rename(&changing, "Pay twice");
        scene.enable(&changing);
    });
    refused(&rig.attempt(&shot, &pay, Action::Click, 5_000).expect_err("is another"), Code::StaleRef, "changed");
    assert!(rig.fake.effects().is_empty());
}

#[test]
fn a_cancelled_wait_does_nothing_more() {
    let rig = Rig::new([button("Next").key("next").disabled()]);
    let next = rig.object("next");
    let shot = rig.shot();
    let (cancel, enabled) = (rig.cancel.clone(), next.clone());
    rig.fake.at(ms(200), move |scene| {
        cancel.raise();
        scene.enable(&enabled);
    });
    let error = rig.attempt(&shot, &next, Action::Click, 60_000).expect_err("cancelled");
    refused(&error, Code::Timeout, "cancelled");
    assert_eq!(rig.clock.passed(), ms(200));
    assert!(rig.fake.effects().is_empty());
}

#[test]
fn a_call_that_was_cancelled_before_asks_nothing() {
    let rig = Rig::new([button("Next").key("next")]);
    let next = rig.object("next");
    let shot = rig.shot();
    rig.cancel.raise();
    refused(&rig.click(&shot, &next).expect_err("cancelled"), Code::Timeout, "cancelled");
    assert!(rig.fake.log().is_empty());
}
