//! One program for all targets; the environment variable `SUREHAND_FUZZ_TARGET` names the one to run.

#![no_main]

use std::sync::OnceLock;

use surehand_testkit::properties::{CORE, Target};

#[path = "../../crates/commands/tests/commands/outline_rows.rs"]
mod outline_rows;

/// What is looked into outside of core.
const ABOVE: &[(&str, Target)] = &[("outline", outline_rows::outline), ("replies", surehand_linux::properties::replies)];

fn target() -> Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let wanted = std::env::var("SUREHAND_FUZZ_TARGET").unwrap_or_default();
        let found = CORE.iter().chain(ABOVE).find(|(name, _)| *name == wanted);
        found.unwrap_or_else(|| panic!("there is no target {wanted:?}; start this with `cargo xtask fuzz`")).1
    })
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| target()(data));
