//! Acting on an application that is still being told that somebody listens.

use surehand_core::Code;
use surehand_core::disposition::Delivery;
use surehand_core::state::State;
use surehand_testkit::fake::button;

use crate::rig::{Rig, ms};

#[test]
fn an_element_that_changed_while_the_application_was_told_is_looked_at_again() {
    let rig = Rig::new([button("Keep").key("keep")]);
    let keep = rig.object("keep");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hears_after(ms(40)));
    let target = keep.clone();
    // After the first look, and before anything can be sent.
    rig.fake.at(ms(20), move |scene| scene.rename(&target, "Delete"));
    let pressed = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let press = std::sync::Arc::clone(&pressed);
    rig.fake.change(|scene| {
        scene.on_press(&keep, move |_| press.store(true, std::sync::atomic::Ordering::Release));
    });
    let refused = rig.click(&shot, &keep).expect_err("it is another one by now");
    assert_eq!((refused.code(), refused.kind_of()), (Code::StaleRef, Some("changed")));
    assert_eq!(refused.delivered(), Delivery::NotDelivered);
    assert!(!pressed.load(std::sync::atomic::Ordering::Acquire), "nothing was sent");
}

#[test]
fn what_an_element_announces_is_heard_once_the_application_knows() {
    let rig = Rig::new([button("Bold").key("bold")]);
    let bold = rig.object("bold");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.hears_after(ms(40));
        let target = bold.clone();
        scene.on_press(&bold, move |scene| scene.set_state(&target, State::Pressed, true));
    });
    let outcome = rig.click(&shot, &bold).expect("is clicked");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
}

#[test]
fn an_application_that_never_hears_is_acted_on_all_the_same() {
    let rig = Rig::new([button("Go").key("go")]);
    let go = rig.object("go");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hears_after(ms(600_000)));
    let outcome = rig.click(&shot, &go).expect("there is time left for it");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
}

#[test]
fn a_dry_run_waits_for_nobody_to_hear() {
    let mut rig = Rig::new([button("Go").key("go")]);
    let go = rig.object("go");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hears_after(ms(600_000)));
    rig.dry_run = true;
    rig.click(&shot, &go).expect("nothing is listened to");
    assert!(rig.clock.passed() < ms(1_000), "{:?}", rig.clock.passed());
}

#[test]
fn a_snapshot_tells_where_to_look_and_does_not_go_round_in_circles() {
    let rig = Rig::new([button("Go").key("go")]);
    let go = rig.object("go");
    let mut snapshot = rig.shot().snapshot;
    assert_eq!(snapshot.around(&go), std::slice::from_ref(&rig.window));
    assert_eq!(snapshot.around(&rig.window), []);
    let elsewhere = surehand_core::object::ObjectId { object: "/no/such/thing".to_owned(), ..go.clone() };
    assert_eq!(snapshot.around(&elsewhere), []);
    // A file that somebody has changed.
    for below in [0, 1, 7] {
        for seen in snapshot.seen.values_mut() {
            seen.below = Some(below);
        }
        assert!(snapshot.around(&go).len() <= snapshot.seen.len());
    }
}
