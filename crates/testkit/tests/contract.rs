//! The contract of platforms, kept by the scripted one; and the proof that a check notices what breaks it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

use std::sync::{Arc, Mutex};

use surehand_core::object::ObjectId;
use surehand_core::platform::Platform;
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_core::time::Clock;
use surehand_testkit::clock::VirtualClock;
use surehand_testkit::contract::{self, Subject};
use surehand_testkit::fake::{FakePlatform, button, check, element, expander, field, group, item, spin};

struct Fake {
    fake: FakePlatform,
    clock: VirtualClock,
    letters: ObjectId,
    /// The letters that were pressed, in order.
    pressed: Arc<Mutex<Vec<&'static str>>>,
    /// Whether a removed letter only gets another name.
    keeps_the_removed: bool,
}

impl Fake {
    fn new() -> Self {
        let fake = FakePlatform::new();
        let letters = [button("Alpha").key("Alpha"), button("Beta").key("Beta"), button("Gamma").key("Gamma")];
        fake.window(
            "Window",
            [
                group("Letters", letters).key("letters"),
                field("Name field").holding("hello").edit(|node| node.affordances.focus = true),
                spin("Copies", 1.0, 1.0..=99.0),
                check("Check me"),
                element(Role::ListBox, "Rows")
                    .with([item("row 0"), item("row 1")])
                    .edit(|node| node.affordances.choose = true),
                expander("Details").state(State::Offscreen).edit(|node| node.affordances.scroll_to = true),
            ],
        );
        let pressed: Arc<Mutex<Vec<&'static str>>> = Arc::default();
        for letter in ["Alpha", "Beta", "Gamma"] {
            let (object, pressed) = (fake.object(letter), Arc::clone(&pressed));
            fake.change(|scene| scene.on_press(&object, move |_| pressed.lock().unwrap().push(letter)));
        }
        Fake { clock: fake.clock(), letters: fake.object("letters"), fake, pressed, keeps_the_removed: false }
    }

    fn letter(&self, name: &str) -> ObjectId {
        let letters = self.fake.change(|scene| scene.children(&self.letters));
        letters
            .into_iter()
            .find(|letter| {
                self.fake.change(|scene| {
                    let mut is = false;
                    scene.edit(letter, |node| is = node.name.text() == Some(name));
                    is
                })
            })
            .unwrap_or_else(|| panic!("no letter {name}"))
    }
}

impl Subject for Fake {
    fn platform(&self) -> &dyn Platform {
        &self.fake
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn application(&self) -> String {
        "editor".to_owned()
    }

    fn presses(&self, button: &str) -> usize {
        self.pressed.lock().unwrap().iter().filter(|pressed| **pressed == button).count()
    }

    fn remove(&mut self, letter: &str) {
        let letter = self.letter(letter);
        let keeps = self.keeps_the_removed;
        self.fake.change(|scene| if keeps { scene.rename(&letter, "Removed") } else { scene.remove(&letter) });
    }

    fn insert_first(&mut self, letter: &str) {
        self.fake.change(|scene| scene.insert(&self.letters, 0, button(letter)));
    }

    fn rename(&mut self, letter: &str, name: &str) {
        let letter = self.letter(letter);
        self.fake.change(|scene| scene.rename(&letter, name));
    }

    fn freeze(&mut self) {
        self.fake.change(|scene| scene.silence(self.fake.app()));
    }

    fn thaw(&mut self) {
        self.fake.change(|scene| scene.wake(self.fake.app()));
    }

    fn kill(&mut self) {
        self.fake.change(|scene| scene.end(self.fake.app()));
    }
}

#[test]
fn the_scripted_platform_keeps_the_contract() {
    contract::run(&mut Fake::new());
}

#[test]
#[should_panic(expected = "what was removed is gone")]
fn a_platform_that_keeps_what_was_removed_breaks_it() {
    contract::run(&mut Fake { keeps_the_removed: true, ..Fake::new() });
}
