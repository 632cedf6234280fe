//! What is told of the effects of an action, and what is claimed because of them.

use surehand_core::act::{Of, Unverified, What};
use surehand_core::disposition::Delivery;
use surehand_core::state::State;
use surehand_core::watch::Changed;
use surehand_testkit::fake::{button, field, label, password};

use crate::rig::{Rig, ms};

#[test]
fn a_window_that_a_click_opens_proves_it_and_is_named() {
    let rig = Rig::new([button("Open").key("open")]);
    let open = rig.object("open");
    let shot = rig.shot();
    let app = rig.app;
    rig.fake.change(|scene| {
        scene.on_press(&open, move |scene| {
            scene.after(ms(70), move |scene| {
                scene.open(app, "Open a file", [field("Name")]);
            });
        });
    });
    let outcome = rig.click(&shot, &open).expect("is clicked");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    let effect = outcome.effects.iter().find(|effect| effect.what == What::WindowOpened).expect("it is told");
    assert_eq!(
        (effect.of, effect.window.as_ref().map(|window| window.title.as_str())),
        (Of::Process, Some("Open a file"))
    );
    assert!(rig.clock.passed() < ms(200), "it is told as soon as it is known: {:?}", rig.clock.passed());
}

#[test]
fn case_23_what_changes_elsewhere_claims_nothing() {
    let rig = Rig::new([button("Apply").key("apply"), label("tick").key("noise"), label("other").key("other")]);
    let (apply, noise, other) = (rig.object("apply"), rig.object("noise"), rig.object("other"));
    let shot = rig.shot();
    // An unrelated element changes twenty times a second, and one more when the button is pressed.
    for tick in 1..200 {
        let noise = noise.clone();
        rig.fake.at(ms(50 * tick), move |scene| scene.announce(&noise, Changed::Name));
    }
    rig.fake.change(|scene| scene.on_press(&apply, move |scene| scene.announce(&other, Changed::Value)));
    for _ in 0..10 {
        let before = rig.clock.passed();
        let outcome = rig.click(&shot, &apply).expect("is clicked");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
        assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
        assert!(outcome.effects.is_empty(), "{:?}", outcome.effects);
        let meanwhile = outcome.meanwhile.expect("something happened");
        assert_eq!(meanwhile.elements, 2, "{meanwhile:?}");
        assert!(rig.clock.passed() - before < ms(500), "noise does not hold it up for ever");
    }
}

#[test]
fn what_the_element_says_it_controls_proves_a_click() {
    let rig = Rig::new([button("More").key("more"), label("page").key("page")]);
    let (more, page) = (rig.object("more"), rig.object("page"));
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.relate(&more, std::slice::from_ref(&page));
        scene.on_press(&more, move |scene| scene.announce(&page, Changed::Value));
    });
    let outcome = rig.click(&shot, &more).expect("is clicked");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    assert_eq!(outcome.effects[0].of, Of::Related);
}

#[test]
fn what_was_announced_before_the_action_is_not_its_effect() {
    let rig = Rig::new([button("Bold").key("bold").disabled()]);
    let bold = rig.object("bold");
    let shot = rig.shot();
    let target = bold.clone();
    rig.fake.at(ms(50), move |scene| {
        scene.set_state(&target, State::Pressed, true);
        scene.enable(&target);
    });
    let outcome = rig.attempt(&shot, &bold, surehand_core::act::Action::Click, 1_000).expect("is clicked");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    assert!(outcome.effects.is_empty(), "{:?}", outcome.effects);
}

#[test]
fn a_new_name_of_the_button_is_told_and_proves_nothing() {
    let rig = Rig::new([button("Play").key("play")]);
    let play = rig.object("play");
    let shot = rig.shot();
    let target = play.clone();
    rig.fake.change(|scene| scene.on_press(&play, move |scene| scene.rename(&target, "Pause")));
    let outcome = rig.click(&shot, &play).expect("is clicked");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    assert_eq!((outcome.effects[0].what, outcome.effects[0].of), (What::Name, Of::Target));
}

#[test]
fn what_is_new_in_the_element_is_told_with_its_object() {
    let rig = Rig::new([button("Add").key("add")]);
    let add = rig.object("add");
    let shot = rig.shot();
    let target = add.clone();
    rig.fake.change(|scene| {
        scene.on_press(&add, move |scene| {
            scene.append(&target, label("1"));
        });
    });
    let outcome = rig.click(&shot, &add).expect("is clicked");
    assert!(outcome.effects.iter().any(|effect| effect.what == What::Added && effect.object.is_some()));
}

#[test]
fn a_platform_that_announces_nothing_is_looked_at() {
    let rig = Rig::new([button("Apply").key("apply")]);
    let apply = rig.object("apply");
    let shot = rig.shot();
    rig.fake.change(surehand_testkit::fake::Scene::mute);
    let outcome = rig.click(&shot, &apply).expect("is clicked");
    assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
    assert_eq!(rig.clock.passed(), ms(0));
}

#[test]
fn nothing_of_a_secret_is_told_not_even_that_it_changed() {
    let rig = Rig::new([password("Password").key("pw")]);
    let pw = rig.object("pw");
    let shot = rig.shot();
    let target = pw.clone();
    rig.fake.change(|scene| {
        scene.on(&pw, move |scene, _| {
            for _ in 0..7 {
                scene.announce(&target, Changed::Value);
            }
        });
    });
    let outcome = rig.set(&shot, &pw, "hunter2").expect("is set");
    let json = rig.json(&outcome).to_string();
    assert!(!json.contains('7') && !json.contains("hunter2"), "{json}");
    assert_eq!(outcome.effects.iter().filter(|effect| effect.what == What::Value).count(), 0);
}

#[test]
fn a_dry_run_checks_everything_and_sends_nothing() {
    let mut rig = Rig::new([button("Apply").key("apply"), button("Later").key("later").disabled()]);
    rig.dry_run = true;
    let shot = rig.shot();
    let outcome = rig.click(&shot, &rig.object("apply")).expect("could be clicked");
    assert!(outcome.dry_run && outcome.checks.is_some_and(|report| report.actionable));
    assert_eq!(outcome.disposition.delivery, Delivery::NotDelivered);
    assert!(rig.click(&shot, &rig.object("later")).is_err());
    assert!(rig.fake.effects().is_empty());
}
