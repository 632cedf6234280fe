//! Doing and undoing on real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use surehand_core::Code;
use surehand_core::time::Cancel;
use surehand_kernel::action::{Action, Request};
use surehand_kernel::authority::{Authority, Person};
use surehand_kernel::capability::{Capability, Verb};
use surehand_kernel::engine::{Applied, Control, Outcome, Session, Undone};
use surehand_kernel::plan::{self, Making, Origin, Plan};
use surehand_kernel::root::Root;
use surehand_kernel::sys::{Handle, System as _, linux::Linux};
use surehand_testkit::files::{Tree, differences, tree};

struct Bench {
    base: tempfile::TempDir,
    root: PathBuf,
}

impl Bench {
    fn new() -> Bench {
        let base = tempfile::tempdir().expect("a directory");
        let root = base.path().join("root");
        fs::create_dir(&root).expect("made");
        fs::create_dir(base.path().join("state")).expect("made");
        Bench { base, root }
    }

    fn state(&self) -> Handle {
        Linux.open_root(&self.base.path().join("state")).expect("opened")
    }

    fn open(&self) -> Root<'static> {
        let person = Person { ours: vec![self.base.path().join("state")], ..Person::default() };
        Root::open(&Linux, &self.root, Authority::of(&Linux, &person)).expect("a root")
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, content).expect("written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn tree(&self) -> Tree {
        tree(&self.root)
    }

    fn plan(&self, actions: &[Action]) -> surehand_core::Result<Plan> {
        let requests: Vec<Request> = actions.iter().cloned().map(Into::into).collect();
        let declared = plan::needed(&requests);
        let making = Making { granted: &everything(), declared, origin: Origin::given(), tool: "test" };
        plan::make(&self.open(), requests, making)
    }

    fn apply(&self, plan: &Plan) -> surehand_core::Result<Applied> {
        Session::open(self.open(), self.state())?.apply(plan, &everything(), &quiet(&Cancel::default()))
    }

    fn run(&self, actions: &[Action]) -> Applied {
        let plan = self.plan(actions).expect("a plan");
        self.apply(&plan).expect("applied")
    }

    fn undo(&self, task: &str) -> surehand_core::Result<Undone> {
        Session::open(self.open(), self.state())?.undo(task, &quiet(&Cancel::default()))
    }

    fn redo(&self, task: &str) -> surehand_core::Result<Applied> {
        Session::open(self.open(), self.state())?.redo(task, &quiet(&Cancel::default()))
    }
}

fn everything() -> Vec<Capability> {
    Verb::ALL.iter().copied().filter(|verb| verb.token().starts_with("fs.")).map(Capability::on_root).collect()
}

fn quiet(cancel: &Cancel) -> Control<'_> {
    Control { cancel, progress: &|_, _| {} }
}

fn mv(from: &str, to: &str) -> Action {
    Action::Move { from: from.into(), to: to.into() }
}

fn mkdir(path: &str) -> Action {
    Action::Mkdir { path: path.into() }
}

fn trash(path: &str) -> Action {
    Action::Trash { path: path.into() }
}

fn cp(from: &str, to: &str) -> Action {
    Action::Copy { from: from.into(), to: to.into() }
}

fn put(path: &str, text: &str) -> Action {
    Action::Write { path: path.into(), text: Some(text.to_owned()), base64: None }
}

/// Times that no clock of the test gives.
fn age(path: &Path) {
    let old = rustix::fs::Timespec { tv_sec: 1_234_567_890, tv_nsec: 123_456_789 };
    let times = rustix::fs::Timestamps { last_access: old, last_modification: old };
    rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).expect("aged");
}

fn age_all(folder: &Path) {
    for entry in fs::read_dir(folder).expect("read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() {
            age_all(&path);
        }
        age(&path);
    }
    age(folder);
}

#[test]
fn everything_is_done_and_taken_back_to_the_last_attribute() {
    let bench = Bench::new();
    for name in ["a", "b", "c", "d/e", "d/f/g", "old", "notes.txt"] {
        bench.write(name, &format!("content of {name}"));
    }
    fs::set_permissions(bench.root.join("notes.txt"), fs::Permissions::from_mode(0o640)).expect("mode");
    let attributed = bench.root.join("notes.txt");
    rustix::fs::setxattr(&attributed, "user.mark", b"kept", rustix::fs::XattrFlags::empty()).expect("attribute");
    symlink("/nowhere", bench.root.join("link")).expect("link");
    let odd = bench.root.join(std::ffi::OsStr::from_bytes(b"odd\xff\n\"name"));
    fs::write(&odd, "odd").expect("written");
    let sparse = fs::File::create(bench.root.join("sparse")).expect("made");
    sparse.write_at(b"end", 10 << 20).expect("written");
    drop(sparse);
    age_all(&bench.root);
    let before = bench.tree();

    let actions = [
        mkdir("new"),
        mkdir("new/inner"),
        mv("a", "new/inner/a"),
        Action::Move { from: (&b"odd\xff\n\"name"[..]).into(), to: (&b"new/odd\xfe"[..]).into() },
        mv("link", "new/link"),
        cp("sparse", "new/sparse"),
        cp("notes.txt", "new/notes copy"),
        put("notes.txt", "rewritten"),
        put("new/fresh", "fresh"),
        trash("old"),
        trash("d/f"),
        mv("d", "moved"),
        mv("moved/e", "moved/e2"),
        mv("b", "c"),
        mv("c", "b"),
    ];
    let applied = bench.run(&actions);
    assert_eq!((applied.outcome, applied.done), (Outcome::Done, applied.steps), "{applied:?}");
    assert_eq!(bench.read("new/inner/a"), "content of a");
    assert_eq!(bench.read("notes.txt"), "rewritten");
    assert_eq!(bench.read("new/notes copy"), "content of notes.txt");
    assert_eq!((bench.read("b"), bench.read("c")), ("content of c".into(), "content of b".into()));
    assert_eq!(bench.read("moved/e2"), "content of d/e");
    assert!(!bench.root.join("old").exists() && !bench.root.join("moved/f").exists());
    let now = bench.tree();
    assert_eq!(now[&b"notes.txt"[..]].attributes, before[&b"notes.txt"[..]].attributes);
    assert_eq!(now[&b"notes.txt"[..]].mode, before[&b"notes.txt"[..]].mode);
    assert_eq!(now[&b"new/sparse"[..]], before[&b"sparse"[..]], "holes, mode and times of a copy");
    assert_eq!(now[&b"new/notes copy"[..]], before[&b"notes.txt"[..]]);

    let undone = bench.undo(&applied.task).expect("undone");
    assert!(undone.conflicts.is_empty() && undone.unknown.is_empty(), "{undone:?}");
    assert_eq!(differences(&before, &bench.tree()), Vec::<String>::new());

    let again = bench.redo(&applied.task).expect("redone");
    assert_eq!(again.outcome, Outcome::Done, "{again:?}");
    let redone = bench.tree();
    assert_eq!(now.keys().collect::<Vec<_>>(), redone.keys().collect::<Vec<_>>());
    assert_eq!(bench.read("notes.txt"), "rewritten");
    bench.undo(&applied.task).expect("undone");
    assert_eq!(differences(&before, &bench.tree()), Vec::<String>::new());
}

#[test]
fn case_58_names_are_swapped_in_chains_and_cycles_of_any_length() {
    let bench = Bench::new();
    let count = 1000;
    for index in 0..count {
        bench.write(&index.to_string(), &index.to_string());
    }
    let before = bench.tree();
    let names: Vec<String> = (0..count).map(|index| index.to_string()).collect();
    let cycle: Vec<Action> = (0..count).map(|index| mv(&names[index], &names[(index + 1) % count])).collect();
    let applied = bench.run(&cycle);
    assert_eq!(applied.outcome, Outcome::Done);
    for index in 0..count {
        assert_eq!(bench.read(&names[(index + 1) % count]), names[index]);
    }
    bench.undo(&applied.task).expect("undone");
    assert_eq!(differences(&before, &bench.tree()), Vec::<String>::new());
    let chain: Vec<Action> = (0..count - 1)
        .map(|index| mv(&names[index], &names[index + 1]))
        .chain([mv(&names[count - 1], "last")])
        .collect();
    let applied = bench.run(&chain);
    assert_eq!(applied.outcome, Outcome::Done);
    assert_eq!(bench.read("last"), names[count - 1]);
    bench.undo(&applied.task).expect("undone");
    assert_eq!(differences(&before, &bench.tree()), Vec::<String>::new());
}

#[test]
fn case_56_a_step_that_fails_leaves_every_file_where_it_was() {
    let bench = Bench::new();
    for index in 0..50 {
        bench.write(&format!("f{index}"), "x");
    }
    bench.write("target", "a file where a folder is wanted");
    let before = bench.tree();
    let error = bench.plan(&[mkdir("target"), mv("f1", "target/f1")]).expect_err("a file is there");
    assert_eq!(error.code(), Code::PlanStale);
    // The folder is taken by a file between the plan and its application.
    let plan = bench
        .plan(&(0..50).map(|index| mv(&format!("f{index}"), &format!("g{index}"))).collect::<Vec<_>>())
        .expect("a plan");
    bench.write("g37", "somebody's");
    let error = bench.apply(&plan).expect_err("stale");
    assert_eq!(error.code(), Code::PlanStale);
    assert_eq!(error.details()["paths"], serde_json::json!(["\"g37\""]));
    fs::remove_file(bench.root.join("g37")).expect("removed");
    age(&bench.root);
    let mut aged = before;
    aged.get_mut(&b""[..]).expect("the root").mtime = 1_234_567_890_123_456_789;
    assert_eq!(differences(&aged, &bench.tree()), Vec::<String>::new());
}

#[test]
fn case_57_what_a_person_changed_since_is_kept_and_told() {
    let bench = Bench::new();
    bench.write("a", "a");
    bench.write("b", "b");
    bench.write("n", "old");
    let applied = bench.run(&[mkdir("d"), mv("a", "d/a"), mv("b", "d/b"), put("n", "new"), put("m", "made")]);
    bench.write("d/mine", "a person's");
    bench.write("a", "another a");
    bench.write("n", "edited");
    bench.write("d/b", "b, edited");
    let undone = bench.undo(&applied.task).expect("undone in part");
    let stayed: Vec<u64> = undone.conflicts.iter().map(|(step, _)| *step).collect();
    assert_eq!(stayed, [3, 1, 0], "{undone:?}");
    assert_eq!(bench.read("d/mine"), "a person's");
    assert_eq!((bench.read("a"), bench.read("d/a")), ("another a".into(), "a".into()));
    assert_eq!(bench.read("n"), "edited");
    assert_eq!(bench.read("b"), "b, edited");
    assert!(!bench.root.join("m").exists());
    // The way is free: the rest goes back as well.
    fs::remove_file(bench.root.join("a")).expect("removed");
    fs::remove_file(bench.root.join("d/mine")).expect("removed");
    fs::write(bench.root.join("n"), "new").expect("written");
    let undone = bench.undo(&applied.task).expect("undone");
    assert!(undone.conflicts.is_empty(), "{undone:?}");
    assert_eq!((bench.read("a"), bench.read("n")), ("a".into(), "old".into()));
    assert!(!bench.root.join("d").exists());
}

#[test]
fn case_70_a_stale_step_is_found_before_the_first_effect() {
    let bench = Bench::new();
    for index in 0..1000 {
        bench.write(&format!("f{index}"), "x");
    }
    let actions: Vec<Action> = (0..1000).map(|index| mv(&format!("f{index}"), &format!("g{index}"))).collect();
    let plan = bench.plan(&actions).expect("a plan");
    bench.write("f900", "changed");
    let before = bench.tree();
    let error = bench.apply(&plan).expect_err("stale");
    assert_eq!((error.code(), error.details()["count"].as_u64()), (Code::PlanStale, Some(1)));
    assert_eq!(error.details()["paths"], serde_json::json!(["\"f900\""]));
    assert_eq!(differences(&before, &bench.tree()), Vec::<String>::new());
}

#[test]
fn a_plan_is_fixed_private_and_used_once() {
    let bench = Bench::new();
    bench.write("a", "a");
    let plan = bench.plan(&[mv("a", "b")]).expect("a plan");
    let digest = plan::save(&Linux, &bench.state(), &plan).expect("saved");
    let file = bench.base.path().join(format!("state/plans/{digest}.json"));
    assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
    let (whole, loaded) = plan::load(&Linux, &bench.state(), &digest[..8]).expect("found");
    assert_eq!((&whole, &loaded), (&digest, &plan));
    bench.apply(&loaded).expect("applied");
    let again = bench.apply(&loaded).expect_err("used");
    assert_eq!(again.code(), Code::PlanUsed);
    let text = fs::read_to_string(&file).expect("read").replace("\"b\"", "\"c\"");
    fs::write(&file, text).expect("written");
    assert_eq!(plan::load(&Linux, &bench.state(), &digest).expect_err("changed").code(), Code::Conflict);
}

#[test]
fn two_sessions_on_one_root_are_kept_apart() {
    let bench = Bench::new();
    let first = Session::open(bench.open(), bench.state()).expect("opened");
    let second = Session::open(bench.open(), bench.state()).err().expect("busy");
    assert_eq!(second.kind_of(), Some("root_busy"));
    drop(first);
    assert!(Session::open(bench.open(), bench.state()).is_ok());
}

#[test]
fn a_journal_that_was_changed_or_is_foreign_is_not_worked_with() {
    let bench = Bench::new();
    bench.write("a", "a");
    let applied = bench.run(&[mv("a", "b")]);
    let journal = bench.root.join(".surehand/journal.jsonl");
    let text = fs::read_to_string(&journal).expect("read");
    let lines: Vec<&str> = text.lines().collect();
    fs::write(&journal, lines[..lines.len() - 1].join("\n") + "\n").expect("cut");
    let cut = Session::open(bench.open(), bench.state()).err().expect("cut");
    assert_eq!(cut.kind_of(), Some("journal_damaged"));
    fs::write(&journal, &text).expect("put back");
    assert!(Session::open(bench.open(), bench.state()).is_ok());
    fs::write(&journal, format!("{text}{{\"v\":1,\"torn")).expect("torn");
    let session = Session::open(bench.open(), bench.state()).expect("a torn end is put aside");
    assert_eq!(session.notes.len(), 1, "{:?}", session.notes);
    drop(session);
    let text = fs::read_to_string(&journal).expect("read");
    // Another machine's state knows nothing of it.
    fs::remove_dir_all(bench.base.path().join("state/journals")).expect("removed");
    let foreign = Session::open(bench.open(), bench.state()).err().expect("foreign");
    assert_eq!((foreign.code(), foreign.kind_of()), (Code::ApprovalRequired, Some("journal_not_ours")));
    assert_eq!(text, fs::read_to_string(&journal).expect("read"));
    drop(Session::adopt(bench.open(), bench.state()).expect("adopted"));
    bench.undo(&applied.task).expect("undone");
    assert_eq!(bench.read("a"), "a");
}
