//! Switches, options, folds, focus and scrolling.

use surehand_core::act::{Action, Direction};
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::platform::Operation;
use surehand_core::state::State;
use surehand_testkit::fake::{button, check, combo, element, expander, field, group, radio, scroll_bar, spin};

use crate::refused;
use crate::rig::Rig;

fn deliver(rig: &Rig, key: &str, action: Action) -> Delivery {
    let shot = rig.shot();
    rig.attempt(&shot, &rig.object(key), action, 0).expect(key).disposition.delivery
}

#[test]
fn check_and_uncheck_do_nothing_when_it_is_so_already() {
    let rig = Rig::new([check("Wrap").key("wrap")]);
    assert_eq!(deliver(&rig, "wrap", Action::Uncheck), Delivery::NotDelivered);
    assert_eq!(deliver(&rig, "wrap", Action::Check), Delivery::DeliveredVerified);
    assert_eq!(deliver(&rig, "wrap", Action::Check), Delivery::NotDelivered);
    assert_eq!(deliver(&rig, "wrap", Action::Toggle), Delivery::DeliveredVerified);
    assert!(!rig.states(&rig.object("wrap")).contains(State::Checked));
    assert_eq!(rig.fake.operations().len(), 2);
}

#[test]
fn a_toggle_that_stays_as_it_was_contradicts_the_request() {
    let rig = Rig::new([check("Wrap").key("wrap")]);
    let wrap = rig.object("wrap");
    rig.fake.change(|scene| scene.ignore(&wrap));
    let shot = rig.shot();
    for action in [Action::Toggle, Action::Check] {
        let error = rig.attempt(&shot, &wrap, action, 0).expect_err("nothing happened");
        assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("post_action_verification")));
    }
}

#[test]
fn a_radio_button_is_chosen_and_never_taken_back() {
    let rig = Rig::new([radio("One").key("one"), radio("Two").key("two")]);
    assert_eq!(deliver(&rig, "two", Action::Check), Delivery::DeliveredVerified);
    let shot = rig.shot();
    for action in [Action::Uncheck, Action::Toggle] {
        let error = rig.attempt(&shot, &rig.object("two"), action, 0).expect_err("cannot be");
        refused(&error, Code::ActionNotSupported, "not_supported_by_element");
    }
}

#[test]
fn case_17_an_option_is_chosen_and_the_box_has_to_show_it() {
    let rig = Rig::new([combo("Colour", "Red", &["Red", "Green", "Blue"]).key("colour")]);
    let colour = rig.object("colour");
    assert_eq!(deliver(&rig, "colour", Action::Select("Green".into())), Delivery::DeliveredVerified);
    assert_eq!(deliver(&rig, "colour", Action::Select("Green".into())), Delivery::NotDelivered);
    let shot = rig.shot();
    let error = rig.attempt(&shot, &colour, Action::Select("Mauve".into()), 0).expect_err("there is none");
    refused(&error, Code::ElementNotFound, "no_such_option");
    // The list says that it is chosen, and the box goes on showing another.
    rig.fake.change(|scene| {
        scene.on(&colour, |scene, operation| {
            if let Operation::Choose { child } = operation {
                scene.set_state(child, State::Selected, true);
            }
        });
    });
    let error = rig.attempt(&shot, &colour, Action::Select("Blue".into()), 0).expect_err("it lies");
    assert_eq!(error.kind_of(), Some("post_action_verification"));
    assert_eq!(rig.fake.operations().len(), 2);
}

#[test]
fn two_options_of_one_text_are_refused() {
    let rig = Rig::new([combo("Colour", "Red", &["Red", "Green", "Green"]).key("colour")]);
    let shot = rig.shot();
    let error = rig.attempt(&shot, &rig.object("colour"), Action::Select("Green".into()), 0).expect_err("which");
    refused(&error, Code::AmbiguousTarget, "ambiguous_option");
}

#[test]
fn folding_is_idempotent_and_verified() {
    let rig = Rig::new([expander("Details").key("details")]);
    assert_eq!(deliver(&rig, "details", Action::Collapse), Delivery::NotDelivered);
    assert_eq!(deliver(&rig, "details", Action::Expand), Delivery::DeliveredVerified);
    assert_eq!(deliver(&rig, "details", Action::Expand), Delivery::NotDelivered);
    assert_eq!(deliver(&rig, "details", Action::Collapse), Delivery::DeliveredVerified);
}

#[test]
fn a_field_is_emptied_and_a_number_is_not() {
    let rig = Rig::new([field("Name").key("name").holding("old"), spin("Copies", 1.0, 1.0..=9.0).key("copies")]);
    assert_eq!(deliver(&rig, "name", Action::Clear), Delivery::DeliveredVerified);
    let shot = rig.shot();
    let error = rig.attempt(&shot, &rig.object("copies"), Action::Clear, 0).expect_err("a number");
    refused(&error, Code::ActionNotSupported, "not_supported_by_element");
}

#[test]
fn the_focus_is_given_only_where_the_window_has_the_keyboard() {
    let focusable = |name: &str| field(name).edit(|node| node.affordances.focus = true);
    let mut rig = Rig::new([focusable("Name").key("name")]);
    assert_eq!(deliver(&rig, "name", Action::Focus), Delivery::DeliveredVerified);
    let name = rig.object("name");
    rig.fake.change(|scene| {
        scene.set_state(&name, State::Focused, false);
        scene.focus(None);
    });
    let shot = rig.shot();
    refused(
        &rig.attempt(&shot, &name, Action::Focus, 0).expect_err("takes it away"),
        Code::PolicyDenied,
        "needs_headed",
    );
    rig.headed = true;
    assert_eq!(deliver(&rig, "name", Action::Focus), Delivery::DeliveredVerified);
}

#[test]
fn scrolling_moves_the_bar_and_ends_at_its_end() {
    let area = element(surehand_core::role::Role::ScrollArea, "")
        .with([group("", [button("One").key("one")]), scroll_bar(0.0, 0.0..=50.0).key("bar")]);
    let rig = Rig::new([area]);
    let down = |amount| Action::Scroll { direction: Direction::Down, amount };
    assert_eq!(deliver(&rig, "one", down(3)), Delivery::DeliveredVerified);
    assert_eq!(rig.fake.operations(), [(rig.object("bar"), Operation::SetNumber(30.0))]);
    assert_eq!(deliver(&rig, "one", down(9)), Delivery::DeliveredVerified);
    assert_eq!(deliver(&rig, "one", down(1)), Delivery::NotDelivered);
    let shot = rig.shot();
    let sideways = Action::Scroll { direction: Direction::Left, amount: 1 };
    refused(
        &rig.attempt(&shot, &rig.object("one"), sideways, 0).expect_err("no bar"),
        Code::ActionNotSupported,
        "scroll_unsupported",
    );
}
