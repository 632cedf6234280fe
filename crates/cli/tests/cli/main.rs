//! Tests of the real binary on real desktops.
//!
//! Every test starts a desktop of its own. What an action did is judged by what the application logged of
//! itself, or by what the kernel or the display server say, never by what surehand answered.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by a panic, and a helper that finds the machine unfit fails its test"
)]

mod act;
mod bad_arguments;
mod bad_targets;
mod cases;
mod clipboard;
mod desktops;
mod dialogs;
mod frozen;
mod headed;
mod headless;
mod held;
mod hostile;
mod identity;
mod large;
mod lease;
mod look;
mod notifications;
mod open;
mod person;
mod pointer;
mod press;
mod process;
mod record;
mod secrets;
mod stage;
mod text;
mod traces;
mod waits;
mod windows;

/// A file that is not named above would never be compiled, and its tests never run.
#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let main = std::fs::read_to_string(folder.join("main.rs")).expect("this file");
    let named: Vec<&str> = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .expect("this folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8"))
        .filter_map(|name| name.strip_suffix(".rs").filter(|name| *name != "main").map(str::to_owned))
        .collect();
    files.sort();
    assert_eq!(files, named);
}
