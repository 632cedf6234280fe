//! Escapes from a root: every one is refused before any effect.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use surehand_core::Code;
use surehand_core::time::Cancel;
use surehand_kernel::action::{Action, Given, Request};
use surehand_kernel::authority::{Authority, Person};
use surehand_kernel::capability::{Capability, Verb};
use surehand_kernel::engine::{Control, Session};
use surehand_kernel::plan::{self, Making, Origin, Plan};
use surehand_kernel::refusal::Rule;
use surehand_kernel::root::Root;
use surehand_kernel::sys::{System as _, linux::Linux};
use surehand_testkit::files::{differences, tree};

/// A home with a root in it, and everything around it that must not be touched.
struct Home {
    base: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        let home = Home { base: tempfile::tempdir().expect("a directory") };
        for folder in [
            "root/sub/deep",
            "root-evil",
            "outside/inner",
            ".ssh",
            ".config/autostart",
            ".config/systemd/user",
            ".local/share/applications",
            "state",
        ] {
            fs::create_dir_all(home.path(folder)).expect("made");
        }
        for file in ["root/a", "root/sub/b", "root-evil/x", "outside/secret", "outside/inner/y", ".ssh/key", ".bashrc"]
        {
            fs::write(home.path(file), file).expect("written");
        }
        let link = |target: PathBuf, name: &str| symlink(target, home.path(name)).expect("link");
        link(home.path("outside"), "root/out");
        link(home.path("outside/secret"), "root/file-link");
        link(home.path(".ssh"), "root/keys");
        link(PathBuf::from(".."), "root/up");
        link(PathBuf::from("../.."), "root/sub/upup");
        link(PathBuf::from("/"), "root/slash");
        link(PathBuf::from("sub"), "root/within");
        link(PathBuf::from("chain2"), "root/chain1");
        link(home.path("outside"), "root/chain2");
        link(home.path("nowhere"), "root/dangling");
        link(PathBuf::from("loop"), "root/loop");
        link(PathBuf::from("/proc/self/root"), "root/proc");
        link(PathBuf::from("/proc/self/cwd"), "root/sub/cwd");
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn authority(&self) -> Authority {
        let person = Person { home: Some(self.path("")), ours: vec![self.path("state")], ..Person::default() };
        Authority::of(&Linux, &person)
    }

    fn root(&self, name: &str) -> surehand_core::Result<Root<'static>> {
        Root::open(&Linux, &self.path(name), self.authority())
    }

    fn plan(&self, action: &Action) -> surehand_core::Result<Plan> {
        let requests = vec![Request::from(action.clone())];
        let making = Making { granted: &all(), declared: all(), origin: Origin::given(), tool: "test" };
        plan::make(&self.root("root")?, requests, making)
    }
}

fn all() -> Vec<Capability> {
    Verb::ALL.iter().copied().filter(|verb| verb.token().starts_with("fs.")).map(Capability::on_root).collect()
}

/// Every kind of action that could use a path.
fn uses(path: &[u8]) -> Vec<Action> {
    let at = |bytes: &[u8]| Given(bytes.to_vec());
    vec![
        Action::Mkdir { path: at(path) },
        Action::Move { from: at(b"a"), to: at(path) },
        Action::Move { from: at(path), to: at(b"taken") },
        Action::Copy { from: at(b"a"), to: at(path) },
        Action::Copy { from: at(path), to: at(b"taken") },
        Action::Write { path: at(path), text: Some("x".into()), base64: None },
        Action::Trash { path: at(path) },
    ]
}

#[test]
fn case_42_more_than_two_hundred_escapes_are_refused_before_any_effect() {
    let home = Home::new();
    let before = tree(&home.path(""));
    let absolute = home.path("outside/secret");
    let prefix = home.path("root-evil/x");
    let inside = home.path("root/a");
    let mut paths: Vec<Vec<u8>> = [
        // As they are written.
        "..",
        "../outside/secret",
        "../root-evil/x",
        "sub/../../outside/secret",
        "sub/../a",
        "./a",
        "a/.",
        "a/..",
        "sub//b",
        "",
        "/",
        "/etc/passwd",
        "a/",
        ".",
        "sub/..",
        "sub/../..",
        "../root/a",
        "..\\outside",
        "a\0b",
        // Over links.
        "out/secret",
        "out/new",
        "out/inner/y",
        "keys/key",
        "keys/new",
        "up/outside/secret",
        "up/new",
        "sub/upup/new",
        "slash/etc/passwd",
        "slash/tmp/new",
        "within/b",
        "within/new",
        "chain1/secret",
        "chain2/new",
        "dangling/new",
        "loop/new",
        "proc/etc/passwd",
        "sub/cwd/new",
        // Ours, in every spelling that a volume could take for it.
        ".surehand",
        ".surehand/journal.jsonl",
        ".surehand/vault/x",
        ".SUREHAND/x",
        ".Surehand",
        "sub/.surehand/x",
        ".surehand-new-x",
        ".sureh\u{200b}and/x",
        ".\u{17f}urehand/x",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    for path in [&absolute, &prefix, &inside] {
        paths.push(path.as_os_str().as_encoded_bytes().to_vec());
    }
    paths.push(vec![b'x'; 256]);
    paths.push([&b"sub/"[..]].concat().repeat(2000));
    let mut refused = 0;
    for path in &paths {
        for action in uses(path) {
            // A backslash is a name like any other here, and a plain new name can be used.
            let error = match home.plan(&action) {
                Err(error) => error,
                Ok(_) if path.starts_with(b"..\\") => continue,
                Ok(_) => panic!("{action:?} was planned"),
            };
            let plain = error.code() == Code::PlanStale && path.starts_with(b"..\\");
            assert!(
                error.code() == Code::PolicyDenied || plain || error.kind_of() == Some("name_refused"),
                "{action:?}: {error} {:?}",
                error.kind_of()
            );
            if error.code() == Code::PolicyDenied {
                let kind = error.kind_of().expect("a rule");
                assert!(Rule::ALL.iter().any(|rule| rule.token() == kind), "{kind}");
                assert!(error.details().contains_key("action"), "{error:?}");
            }
            refused += 1;
        }
    }
    assert!(refused >= 200, "{refused}");
    assert_eq!(differences(&before, &tree(&home.path(""))), Vec::<String>::new());
}

#[test]
fn authority_paths_are_out_of_reach_whatever_the_root() {
    let home = Home::new();
    let before = tree(&home.path(""));
    // Home itself and everything above it, our state, and places of authority are no roots.
    for bad in ["", "state", ".ssh", ".config/autostart", ".config", ".local/share/applications", ".local/share"] {
        let refused = home.root(bad).err().map(|error| error.kind_of() == Some("bad_root"));
        let allowed = matches!(bad, ".config" | ".local/share");
        assert!(refused == Some(true) || allowed, "{bad}: {refused:?}");
    }
    for bad in ["/", "/etc", "/proc/self", "/usr/share", "/dev/shm"] {
        let error = Root::open(&Linux, Path::new(bad), home.authority()).err().expect(bad);
        assert_eq!(error.kind_of(), Some("bad_root"), "{bad}");
    }
    // A root that holds such places does not reach them, nor what is above them.
    for (root, path) in [
        (".config", "autostart/evil.desktop"),
        (".config", "autostart"),
        (".config", "AutoStart/x"),
        (".config", "systemd/user/x.service"),
        (".config", "fish/config.fish"),
        (".config", "surehand/policy.toml"),
        (".local/share", "applications/evil.desktop"),
        (".local", "share/applications/evil.desktop"),
        (".local", "share"),
        (".local", "bin/ls"),
    ] {
        let Ok(opened) = home.root(root) else { panic!("{root}") };
        for action in uses(path.as_bytes()) {
            let requests = vec![Request::from(action.clone())];
            let making = Making { granted: &all(), declared: all(), origin: Origin::given(), tool: "test" };
            let error = plan::make(&opened, requests, making).expect_err("refused");
            // The other path of the action may be what is refused first: there is no `a` in this root.
            assert_eq!(error.kind_of(), Some("authority_path"), "{root}/{path} {action:?}: {error}");
        }
    }
    assert_eq!(differences(&before, &tree(&home.path(""))), Vec::<String>::new());
}

#[test]
fn a_mount_of_a_place_of_authority_is_known_by_its_inode() {
    let home = Home::new();
    fs::create_dir(home.path("root/mounted")).expect("made");
    let mounted = rustix::mount::mount_bind(home.path(".ssh"), home.path("root/mounted"));
    if mounted.is_err() {
        println!("no mounts are possible here: {mounted:?}");
        return;
    }
    let outcomes: Vec<_> = ["mounted/key", "mounted/new", "mounted"]
        .iter()
        .flat_map(|path| uses(path.as_bytes()))
        .map(|action| (format!("{action:?}"), home.plan(&action)))
        .collect();
    rustix::mount::unmount(home.path("root/mounted"), rustix::mount::UnmountFlags::empty()).expect("unmounted");
    for (action, outcome) in outcomes {
        assert_eq!(outcome.expect_err("refused").kind_of(), Some("authority_path"), "{action}");
    }
}

#[test]
fn a_link_is_moved_and_not_followed() {
    let home = Home::new();
    let plan = home.plan(&Action::Move { from: "file-link".into(), to: "sub/moved".into() }).expect("a plan");
    let state = || Linux.open_root(&home.path("state")).expect("opened");
    let cancel = Cancel::default();
    let control = Control { cancel: &cancel, progress: &|_, _| {} };
    Session::open(home.root("root").expect("a root"), state())
        .expect("opened")
        .apply(&plan, &all(), &control)
        .expect("applied");
    assert_eq!(fs::read_link(home.path("root/sub/moved")).expect("a link"), home.path("outside/secret"));
    assert_eq!(fs::read_to_string(home.path("outside/secret")).expect("there"), "outside/secret");
}

#[test]
fn a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
    let home = Home::new();
    fs::create_dir(home.path("root/target")).expect("made");
    symlink(home.path("outside"), home.path("root/trap")).expect("link");
    let stop = AtomicBool::new(false);
    let (target, trap, spare) = (home.path("root/target"), home.path("root/trap"), home.path("root/spare"));
    let before = tree(&home.path("outside"));
    let state = || Linux.open_root(&home.path("state")).expect("opened");
    let mut planned = 0;
    let mut refused = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::rename(&target, &spare).and_then(|()| fs::rename(&trap, &target));
                let _ = fs::rename(&target, &trap).and_then(|()| fs::rename(&spare, &target));
            }
        });
        for index in 0..300 {
            let action = Action::Write {
                path: format!("target/f{index}").as_str().into(),
                text: Some("x".into()),
                base64: None,
            };
            let Ok(plan) = home.plan(&action) else {
                refused += 1;
                continue;
            };
            planned += 1;
            let cancel = Cancel::default();
            let control = Control { cancel: &cancel, progress: &|_, _| {} };
            if let Ok(mut session) = Session::open(home.root("root").expect("a root"), state()) {
                let _ = session.apply(&plan, &all(), &control);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(planned > 0 && planned + refused == 300, "{planned} {refused}");
    assert_eq!(differences(&before, &tree(&home.path("outside"))), Vec::<String>::new(), "nothing got out");
}

#[test]
fn what_is_undone_is_judged_again() {
    let home = Home::new();
    fs::create_dir(home.path("root/gone")).expect("made");
    fs::write(home.path("root/gone/file"), "x").expect("written");
    let plan = home.plan(&Action::Move { from: "gone/file".into(), to: "kept".into() }).expect("a plan");
    let state = || Linux.open_root(&home.path("state")).expect("opened");
    let cancel = Cancel::default();
    let control = Control { cancel: &cancel, progress: &|_, _| {} };
    let mut session = Session::open(home.root("root").expect("a root"), state()).expect("opened");
    session.apply(&plan, &all(), &control).expect("applied");
    fs::remove_dir(home.path("root/gone")).expect("removed");
    symlink(home.path("outside"), home.path("root/gone")).expect("link");
    let undone = session.undo(&plan.task, &control).expect("an answer");
    assert_eq!(undone.conflicts.len(), 1);
    assert_eq!(undone.conflicts[0].1.kind_of(), Some("link_on_the_way"));
    assert!(!home.path("outside/file").exists() && home.path("root/kept").exists());
}
