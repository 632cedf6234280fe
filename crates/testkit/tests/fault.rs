//! The fault harness at the size of a smoke test. `cargo xtask fault` is the whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(target_os = "linux")]

use std::path::Path;

use surehand_testkit::fault::{crash, errors, kill};

#[test]
fn nothing_is_lost_when_the_power_fails() {
    let count = crash::run(Some(150), &|_| {});
    assert!(count.is_clean(), "{count:#?}");
}

#[test]
fn nothing_is_lost_when_calls_fail() {
    let count = errors::run(Some(300), &|_| {});
    assert!(count.is_clean(), "{count:#?}");
}

#[test]
fn nothing_is_lost_when_a_process_is_killed() {
    let folder = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_fault"));
    let count = kill::run(program, folder.path(), Some(60), &|_| {});
    assert!(count.is_clean(), "{count:#?}");
}
