//! Elements that hold a number.

use surehand_core::act::Action;
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::platform::Operation;
use surehand_testkit::fake::spin;

use crate::refused;
use crate::rig::Rig;

#[test]
fn a_spin_button_takes_a_number() {
    let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
    let copies = rig.object("copies");
    let shot = rig.shot();
    let outcome = rig.set(&shot, &copies, "4").expect("is set");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    assert_eq!(outcome.post_state.and_then(|state| state.value).as_deref(), Some("4"));
    assert_eq!(rig.fake.operations(), [(copies, Operation::SetNumber(4.0))]);
}

#[test]
fn what_is_out_of_range_or_no_number_is_never_sent() {
    let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
    let copies = rig.object("copies");
    let shot = rig.shot();
    for (text, kind) in [
        ("0", "out_of_range"),
        ("100", "out_of_range"),
        ("-1", "out_of_range"),
        ("many", "not_a_number"),
        ("", "not_a_number"),
        ("inf", "not_a_number"),
    ] {
        refused(&rig.set(&shot, &copies, text).expect_err(text), Code::InvalidArgs, kind);
    }
    refused(
        &rig.attempt(&shot, &copies, Action::TypeText("4".into()), 0).expect_err("is a number"),
        Code::ActionNotSupported,
        "not_supported_by_element",
    );
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn a_number_that_does_not_stay_is_found_out() {
    let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
    let copies = rig.object("copies");
    let shot = rig.shot();
    let snapping = copies.clone();
    rig.fake.change(|scene| {
        scene.on(&copies, move |scene, _| scene.set_number(&snapping, 10.0));
    });
    let error = rig.set(&shot, &copies, "12").expect_err("went to ten");
    assert_eq!(error.kind_of(), Some("post_action_verification"));
    assert_eq!(error.details()["post_state"]["value"], "10");
}
