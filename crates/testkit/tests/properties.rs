//! What holds for all input, over fixed random bytes. `cargo xtask fuzz` looks further.

#![allow(clippy::panic, reason = "tests")]

use surehand_testkit::properties::{self, CORE, Target, check};

fn run(name: &str, target: Target) {
    assert!(CORE.iter().any(|(known, _)| *known == name), "`cargo xtask fuzz` does not know {name}");
    check(1_500, 160, target);
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test] fn $name() { run(stringify!($name), properties::$name); })*

        #[test]
        fn every_property_is_tried() {
            let mut names = vec![$(stringify!($name)),*];
            names.sort_unstable();
            assert_eq!(names, CORE.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        }
    };
}

targets! { chords clipping evidence folding labels quoting refs }
