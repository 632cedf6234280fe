//! What only pointer and keyboard can do.

use surehand_core::act::Action;
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::geometry::{Point, Rect};
use surehand_core::stroke::{PointerButton, Stroke};
use surehand_testkit::fake::{Received, button, check};

use crate::refused;
use crate::rig::Rig;

fn strokes(rig: &Rig) -> Vec<Stroke> {
    let log = rig.fake.log().into_iter();
    log.filter_map(|entry| if let Received::Stroke { stroke, .. } = entry.what { Some(stroke) } else { None }).collect()
}

fn stage() -> Rig {
    let switch = check("Wrap")
        .key("wrap")
        .at(100, 100, 40, 20)
        .edit(|node| node.affordances.press = surehand_core::reading::Reading::Absent);
    let rig = Rig::new([button("Save").key("save").at(100, 50, 40, 20), switch]);
    rig.fake.change(|scene| scene.place_window(&rig.window, Rect { x: 50, y: 20, width: 400, height: 300 }));
    rig
}

#[test]
fn without_leave_nothing_is_struck_and_the_refusal_says_what_it_takes() {
    let rig = stage();
    let shot = rig.shot();
    for (key, action) in [("save", Action::DoubleClick), ("save", Action::RightClick), ("wrap", Action::Check)] {
        refused(
            &rig.attempt(&shot, &rig.object(key), action, 1_000).expect_err(key),
            Code::PolicyDenied,
            "needs_headed",
        );
    }
    assert!(rig.fake.effects().is_empty());
}

#[test]
fn a_double_click_is_struck_in_the_middle_of_the_element() {
    let mut rig = stage();
    rig.headed = true;
    let shot = rig.shot();
    rig.attempt(&shot, &rig.object("save"), Action::DoubleClick, 0).expect("is struck");
    let click = [Stroke::ButtonDown(PointerButton::Left), Stroke::ButtonUp(PointerButton::Left)];
    let wanted = [vec![Stroke::MoveTo(Point { x: 120, y: 60 })], click.to_vec(), click.to_vec()].concat();
    assert_eq!(strokes(&rig), wanted);
    let outcome = rig.attempt(&shot, &rig.object("wrap"), Action::Check, 0).expect("is struck");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
}

#[test]
fn case_30_a_window_that_stays_behind_is_refused_naming_the_one_in_front() {
    let mut rig = stage();
    rig.headed = true;
    let shot = rig.shot();
    rig.fake.change(|scene| {
        let other = scene.start("browser");
        let front = scene.open(other, "Pay now", []);
        scene.place_window(&front, Rect { x: 0, y: 0, width: 800, height: 600 });
        scene.keep_windows();
    });
    let error = rig.attempt(&shot, &rig.object("save"), Action::DoubleClick, 0).expect_err("is behind");
    refused(&error, Code::PolicyDenied, "window_not_in_front");
    assert!(error.message().contains("Pay now"), "{error}");
    assert!(strokes(&rig).is_empty());
}

#[test]
fn what_is_covered_within_its_window_is_not_struck() {
    let mut rig = stage();
    rig.headed = true;
    let shot = rig.shot();
    rig.fake.change(|scene| scene.append(&rig.window, button("Banner").at(90, 40, 100, 60)));
    let error = rig.attempt(&shot, &rig.object("save"), Action::DoubleClick, 0).expect_err("is covered");
    refused(&error, Code::ActionFailed, "covered");
    assert_eq!(error.details()["occluder"]["name"], "Banner");
    assert!(strokes(&rig).is_empty());
}
