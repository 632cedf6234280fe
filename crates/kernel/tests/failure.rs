//! Failures that a real system gives: a full disk, a folder that may not be written.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use surehand_core::time::Cancel;
use surehand_kernel::engine::Outcome;
use surehand_kernel::history;
use surehand_kernel::journal::Status;
use surehand_kernel::root::Root;
use surehand_kernel::sys::{System as _, linux::Linux};
use surehand_testkit::fault::work::{Performed, Phase, perform, planned};
use surehand_testkit::files::{differences, tree};

use surehand_kernel::action::Action;

fn mv(from: &str, to: &str) -> Action {
    Action::Move { from: from.into(), to: to.into() }
}

/// How the tasks of a root stand.
fn standing(root: &Path, state: &Path) -> Vec<(Status, usize)> {
    let root = Root::open(&Linux, root, surehand_kernel::authority::Authority::default()).expect("a root");
    let read = history::read(&root, &Linux.open_root(state).expect("state")).expect("a journal");
    history::entries(&read.tasks).into_iter().map(|entry| (entry.status, entry.done)).collect()
}

#[test]
fn a_disk_that_is_full_half_way_costs_nothing() {
    let base = tempfile::tempdir().expect("a directory");
    let (root, state) = (base.path().join("root"), base.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::create_dir(&state).expect("made");
    let mounted = rustix::mount::mount("none", &root, "tmpfs", rustix::mount::MountFlags::empty(), c"size=3m");
    if mounted.is_err() {
        println!("no mounts are possible here: {mounted:?}");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        fs::write(root.join("big"), vec![7; 1 << 20]).expect("written");
        for name in ["a", "b", "c"] {
            fs::write(root.join(name), name).expect("written");
        }
        // The journal is made before, as it is in every root that is used.
        drop(surehand_testkit::fault::work::session(&Linux, &root, &state).expect("a session"));
        let before = tree(&root);
        let copy = |to: &str| Action::Copy { from: "big".into(), to: to.into() };
        let mut actions =
            vec![mv("a", "a2"), Action::Mkdir { path: "d".into() }, mv("b", "d/b"), Action::Trash { path: "c".into() }];
        actions.extend(["d/copy1", "d/copy2", "d/copy3"].map(copy));
        let plan = planned(&Linux, &root, &actions).expect("a plan");
        let done = perform(&Linux, &root, &state, &plan, Phase::Apply).expect("an answer");
        let Performed::Applied(applied) = done else { panic!("{done:?}") };
        assert_eq!(applied.outcome, Outcome::RolledBack, "{applied:?}");
        assert_eq!(applied.failure.as_ref().and_then(surehand_core::Error::kind_of), Some("no_space"), "{applied:?}");
        assert_eq!(differences(&before, &tree(&root)), Vec::<String>::new());
        assert_eq!(standing(&root, &state), [(Status::RolledBack, 0)]);
    });
    rustix::mount::unmount(&root, rustix::mount::UnmountFlags::DETACH).expect("unmounted");
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

/// A user without rights, for a process of the test's own.
const NOBODY: u32 = 65_534;

/// Names the folder to the process that runs without rights.
const FOLDER: &str = "SUREHAND_TEST_FOLDER";

#[test]
fn a_folder_that_may_not_be_written_stops_a_plan_and_leaves_nothing() {
    if !rustix::process::geteuid().is_root() {
        return without_rights(tempfile::tempdir().expect("a directory").path());
    }
    let base = tempfile::tempdir().expect("a directory");
    fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).expect("mode");
    let own = base.path().join("own");
    fs::create_dir(&own).expect("made");
    chown(&own, Some(NOBODY), Some(NOBODY)).expect("given");
    // The test's own program may stand where another user cannot reach it.
    let program = base.path().join("program");
    fs::copy(std::env::current_exe().expect("a program"), &program).expect("copied");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    let ran = std::process::Command::new(program)
        .args(["--exact", "the_part_of_a_user_without_rights", "--nocapture"])
        .env(FOLDER, &own)
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .expect("run");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("was refused as it should be"), "{said}");
}

#[test]
fn the_part_of_a_user_without_rights() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        without_rights(Path::new(&folder));
    }
}

fn without_rights(folder: &Path) {
    let (root, state) = (folder.join("root"), folder.join("state"));
    for dir in [root.join("fixed"), root.join("free"), state.clone()] {
        fs::create_dir_all(dir).expect("made");
    }
    for name in ["a", "b", "fixed/c"] {
        fs::write(root.join(name), name).expect("written");
    }
    fs::set_permissions(root.join("fixed"), fs::Permissions::from_mode(0o555)).expect("mode");
    drop(surehand_testkit::fault::work::session(&Linux, &root, &state).expect("a session"));
    let before = tree(&root);
    let plan =
        planned(&Linux, &root, &[mv("a", "free/a"), mv("b", "free/b"), mv("fixed/c", "free/c")]).expect("a plan");
    let done = perform(&Linux, &root, &state, &plan, Phase::Apply).expect("an answer");
    let Performed::Applied(applied) = done else { panic!("{done:?}") };
    assert_eq!(applied.outcome, Outcome::RolledBack, "{applied:?}");
    assert_eq!(applied.failure.as_ref().map(surehand_core::Error::code), Some(surehand_core::Code::PermDenied));
    assert_eq!(differences(&before, &tree(&root)), Vec::<String>::new());
    assert_eq!(standing(&root, &state), [(Status::RolledBack, 0)]);
    fs::set_permissions(root.join("fixed"), fs::Permissions::from_mode(0o755)).expect("mode");
    println!("it was refused as it should be");
}

#[test]
fn what_is_stopped_at_a_step_boundary_is_resumed_or_taken_back() {
    let base = tempfile::tempdir().expect("a directory");
    let (root, state) = (base.path().join("root"), base.path().join("state"));
    fs::create_dir(&root).expect("made");
    fs::create_dir(&state).expect("made");
    let count = 1200;
    for index in 0..count {
        fs::write(root.join(format!("f{index}")), index.to_string()).expect("written");
    }
    let before = tree(&root);
    let actions: Vec<Action> = (0..count).map(|index| mv(&format!("f{index}"), &format!("g{index}"))).collect();
    let plan = planned(&Linux, &root, &actions).expect("a plan");
    let granted = surehand_testkit::fault::work::granted();
    let open = || surehand_testkit::fault::work::session(&Linux, &root, &state).expect("a session");
    let cancel = Cancel::default();
    let stop = |done: u64, _: u64| {
        if done >= 500 {
            cancel.raise();
        }
    };
    let control = surehand_kernel::engine::Control { cancel: &cancel, progress: &stop };
    let stopped = open().apply(&plan, &granted, &control).expect("stopped");
    assert_eq!((stopped.outcome, stopped.done), (Outcome::Stopped, 500));
    let quiet = Cancel::default();
    let control = surehand_kernel::engine::Control { cancel: &quiet, progress: &|_, _| {} };
    let again = open().apply(&plan, &granted, &control).expect_err("used");
    assert_eq!(again.code(), surehand_core::Code::PlanUsed);
    let resumed = open().resume(&plan, &granted, &control).expect("resumed");
    assert_eq!((resumed.outcome, resumed.done), (Outcome::Done, count - 500));
    assert!(root.join("g1199").exists() && !root.join("f0").exists());
    let undone = open().undo(&plan.task, &control).expect("undone");
    assert_eq!(undone.taken_back, count);
    let after = tree(&root);
    assert_eq!(differences(&before, &after), Vec::<String>::new());
}
