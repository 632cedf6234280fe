//! What is claimed of an action, and what is not.

use surehand_core::act::{Action, Unverified};
use surehand_core::disposition::{Delivery, Retry};
use surehand_core::error::{Code, Error};
use surehand_core::node::Content;
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::state::State;
use surehand_testkit::fake::{button, check, field, password, radio, recycling_list};

use crate::refused;
use crate::rig::{Rig, ms};

#[test]
fn text_is_set_and_read_back() {
    let rig = Rig::new([field("Name").key("name").holding("old")]);
    let name = rig.object("name");
    let shot = rig.shot();
    let outcome = rig.set(&shot, &name, "Zażółć\n\u{1f9d1}\u{200d}\u{1f680}").expect("is set");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    assert_eq!(outcome.disposition.retry, Retry::Unsafe);
    assert_eq!(outcome.post_state.and_then(|state| state.value).as_deref(), Some("Zażółć\n\u{1f9d1}\u{200d}\u{1f680}"));
    assert_eq!(rig.fake.operations().len(), 1);
    let outcome = rig.set(&shot, &name, "").expect("is emptied");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
}

#[test]
fn typed_text_is_verified_where_it_was_inserted() {
    let rig = Rig::new([field("Name").key("name").holding("ab"), field("Empty").key("empty")]);
    let shot = rig.shot();
    for key in ["name", "empty"] {
        let object = rig.object(key);
        let outcome = rig.attempt(&shot, &object, Action::TypeText("cd".into()), 0).expect(key);
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    }
}

#[test]
fn a_lying_toolkit_is_found_out() {
    let rig = Rig::new([field("Name").key("name").holding("old"), field("Empty").key("empty")]);
    let shot = rig.shot();
    for (key, action) in [
        ("name", Action::SetValue("new".into())),
        ("name", Action::TypeText("new".into())),
        ("empty", Action::SetValue("new".into())),
    ] {
        let object = rig.object(key);
        rig.fake.change(|scene| scene.ignore(&object));
        let before = rig.fake.operations().len();
        let error = rig.attempt(&shot, &object, action, 0).expect_err("did not happen");
        assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("post_action_verification")));
        assert_eq!(error.delivered(), Delivery::DeliveredUnverified);
        assert_eq!(error.details()["postcondition_satisfied"], false);
        assert_eq!(rig.fake.operations().len(), before + 1, "nothing is sent twice");
    }
}

#[test]
fn a_text_that_the_application_changes_is_not_claimed() {
    let rig = Rig::new([field("Phone").key("phone")]);
    let phone = rig.object("phone");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.normalise(&phone, |text| text.replace(' ', "")));
    let error = rig.set(&shot, &phone, "12 34").expect_err("holds something else");
    assert_eq!(error.kind_of(), Some("post_action_verification"));
    assert_eq!(error.details()["post_state"]["value"], "1234");
}

#[test]
fn a_late_effect_is_waited_for() {
    for late in [1, 100, 250, 900] {
        let rig = Rig::new([field("Name").key("name").holding("old"), check("On").key("on")]);
        let (name, on) = (rig.object("name"), rig.object("on"));
        let shot = rig.shot();
        rig.fake.change(|scene| {
            scene.delay(&name, ms(late));
            scene.delay(&on, ms(late));
        });
        let outcome = rig.set(&shot, &name, "new").expect("comes late");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified, "{late}");
        let outcome = rig.click(&shot, &on).expect("comes late");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified, "{late}");
        assert_eq!(rig.fake.operations().len(), 2);
    }
}

#[test]
fn an_effect_that_there_was_no_time_to_wait_for_is_not_denied() {
    let rig = Rig::new([field("Name").key("name").holding("old")]);
    let name = rig.object("name");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.delay(&name, ms(500)));
    let outcome =
        rig.attempt_within(&shot, &name, Action::SetValue("new".into()), 0, ms(100)).expect("was handed over");
    assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
    assert_eq!(rig.clock.passed(), ms(100));
    // The same where the caller gives up.
    let cancel = rig.cancel.clone();
    rig.fake.at(ms(450), move |_| cancel.raise());
    let outcome = rig.set(&shot, &name, "newer").expect("was handed over");
    assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
}

#[test]
fn a_toggle_is_verified_by_its_state_and_a_plain_button_by_nothing() {
    let rig = Rig::new([check("Bold").key("bold"), button("Apply").key("apply")]);
    let shot = rig.shot();
    let outcome = rig.click(&shot, &rig.object("bold")).expect("toggles");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    assert!(outcome.post_state.expect("is there").states.contains(State::Checked));
    let outcome = rig.click(&shot, &rig.object("apply")).expect("is accepted");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
}

#[test]
fn choosing_a_radio_button_again_is_no_contradiction() {
    let rig = Rig::new([radio("One").key("one"), radio("Two").key("two")]);
    let (one, two) = (rig.object("one"), rig.object("two"));
    let shot = rig.shot();
    rig.click(&shot, &one).expect("chosen");
    assert_eq!(rig.click(&shot, &two).expect("chosen").disposition.delivery, Delivery::DeliveredVerified);
    assert!(!rig.states(&one).contains(State::Checked));
    let outcome = rig.click(&shot, &two).expect("stays chosen");
    assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
}

#[test]
fn a_row_that_was_used_for_something_else_meanwhile_verifies_nothing() {
    let rig = Rig::new([recycling_list(
        "Tasks",
        [check("Buy milk").key("r1"), check("Call Bob").key("r2").state(State::Checked)],
    )]);
    let (milk, bob) = (rig.object("r1"), rig.object("r2"));
    let shot = rig.shot();
    let (first, second) = (milk.clone(), bob.clone());
    // The press does nothing, but the list scrolls and the object shows another, checked row.
    rig.fake.change(|scene| scene.on(&milk, move |scene, _| scene.swap_content(&first, &second)));
    let outcome = rig.click(&shot, &milk).expect("was handed over");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
}

#[test]
fn a_secret_is_delivered_and_appears_nowhere() {
    let secret = "correct horse battery";
    let rig = Rig::new([password("Password").key("pw"), password("Leaky").key("leaky")]);
    let shot = rig.shot();
    let leaky = rig.object("leaky");
    // An application that reads it out after all, and stops saying that it is secret.
    let target = leaky.clone();
    rig.fake.change(|scene| {
        scene.on(&leaky, move |scene, operation| {
            if let Operation::SetText(text) = operation {
                let text = text.clone();
                scene.edit(&target, move |node| {
                    node.content = Reading::Known(Content::Text { text, clipped: false });
                    node.states = Reading::Unknown;
                });
            }
        });
    });
    for key in ["pw", "leaky"] {
        let object = rig.object(key);
        let outcome = rig.set(&shot, &object, secret).expect(key);
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
        assert_eq!(outcome.unverified, Some(Unverified::SecureField));
        assert!(!rig.json(&outcome).to_string().contains(secret), "{key}");
        assert_eq!(rig.fake.operations().last(), Some(&(object, Operation::SetText(secret.into()))));
    }
}

#[test]
fn a_click_that_removes_its_own_element_is_not_a_failure() {
    let rig = Rig::new([button("Dismiss").key("dismiss")]);
    let dismiss = rig.object("dismiss");
    let shot = rig.shot();
    let gone = dismiss.clone();
    rig.fake.change(|scene| scene.on_press(&dismiss, move |scene| scene.remove(&gone)));
    let outcome = rig.click(&shot, &dismiss).expect("was handed over");
    assert_eq!(outcome.unverified, Some(Unverified::TargetGone));
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    assert_eq!(outcome.post_state, None);
}

#[test]
fn a_click_that_ends_the_application_is_not_a_failure() {
    let rig = Rig::new([button("Quit").key("quit")]);
    let quit = rig.object("quit");
    let shot = rig.shot();
    let app = rig.app;
    rig.fake.change(|scene| scene.on_press(&quit, move |scene| scene.end(app)));
    let outcome = rig.click(&shot, &quit).expect("was handed over");
    assert_eq!(outcome.unverified, Some(Unverified::TargetGone));
}

#[test]
fn an_application_that_stops_answering_takes_nothing_back() {
    let rig = Rig::new([button("Save as").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    let app = rig.app;
    rig.fake.change(|scene| scene.on_press(&save, move |scene| scene.silence(app)));
    let outcome = rig.click(&shot, &save).expect("was handed over");
    assert_eq!(outcome.unverified, Some(Unverified::NoAnswer));
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    assert_eq!(outcome.disposition.retry, Retry::Unsafe);
    assert_eq!(rig.fake.operations().len(), 1);
}

#[test]
fn an_operation_that_may_have_arrived_says_so() {
    let rig = Rig::new([button("Send").key("send")]);
    let send = rig.object("send");
    let shot = rig.shot();
    let app = rig.app;
    // It answers when asked about the button, and freezes before the press gets there.
    rig.fake.change(|scene| scene.after_inspection(move |scene| scene.silence(app)));
    let error = rig.click(&shot, &send).expect_err("no answer");
    assert_eq!((error.code(), error.delivered()), (Code::AppUnresponsive, Delivery::DeliveryUncertain));
    assert_eq!(rig.fake.operations().len(), 1);
}

#[test]
fn a_refusal_of_the_application_is_passed_on() {
    let rig = Rig::new([button("Send").key("send")]);
    let send = rig.object("send");
    let shot = rig.shot();
    let refusal = Error::new(Code::ActionFailed, "the application refused").kind("refused");
    rig.fake.change(|scene| scene.refuse(&send, refusal));
    refused(&rig.click(&shot, &send).expect_err("refused"), Code::ActionFailed, "refused");
}
