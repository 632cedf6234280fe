//! Plans that mix all effects, on small folders.

use std::path::Path;

use surehand_core::Result;
use surehand_core::time::Cancel;
use surehand_kernel::action::{Action, Request};
use surehand_kernel::authority::Authority;
use surehand_kernel::capability::{Capability, Verb};
use surehand_kernel::engine::{Applied, Control, Session, Undone};
use surehand_kernel::plan::{self, Making, Origin, Plan};
use surehand_kernel::root::Root;
use surehand_kernel::sys::System;

use super::model::{Model, Volume};

/// The root.
pub const ROOT: &str = "/r";
/// Our state.
pub const STATE: &str = "/s";

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A plan is applied.
    Apply,
    /// It is taken back.
    Undo,
    /// It is done again.
    Redo,
}

/// A plan and the folder it is for.
#[derive(Clone)]
pub struct Work {
    /// Its name.
    pub name: &'static str,
    /// The folder before, with a journal in it.
    pub start: Volume,
    /// The plan.
    pub plan: Plan,
}

/// Every capability of files.
pub fn granted() -> Vec<Capability> {
    Verb::ALL.iter().copied().filter(|verb| verb.token().starts_with("fs.")).map(Capability::on_root).collect()
}

fn mv(from: &str, to: &str) -> Action {
    Action::Move { from: from.into(), to: to.into() }
}

fn cp(from: &str, to: &str) -> Action {
    Action::Copy { from: from.into(), to: to.into() }
}

fn mkdir(path: &str) -> Action {
    Action::Mkdir { path: path.into() }
}

fn put(path: &str, text: &str) -> Action {
    Action::Write { path: path.into(), text: Some(text.to_owned()), base64: None }
}

fn trash(path: &str) -> Action {
    Action::Trash { path: path.into() }
}

/// The lists.
pub fn lists() -> Vec<(&'static str, Vec<Action>)> {
    vec![
        (
            "mixed",
            vec![
                mkdir("new"),
                mkdir("new/inner"),
                mv("a", "new/inner/a"),
                cp("notes", "new/copy"),
                put("notes", "rewritten"),
                put("new/fresh", "fresh"),
                trash("old"),
                mv("d", "moved"),
                mv("moved/e", "moved/e2"),
                mv("b", "c"),
                mv("c", "b"),
            ],
        ),
        ("independent", vec![mv("a", "a2"), mv("b", "b2"), trash("c"), cp("notes", "n2"), put("old", "x"), mkdir("k")]),
        ("devices", vec![mv("a", "m/a"), mv("m/y", "y"), trash("m/z"), put("m/x", "rewritten"), put("m/w", "w")]),
        ("cycle", vec![mv("a", "b"), mv("b", "c"), mv("c", "a"), mv("d/e", "d/f/e"), trash("d")]),
        (
            "chain",
            vec![mv("a", "b"), mv("b", "c"), mv("c", "notes"), mv("notes", "last"), mkdir("z"), mv("last", "z/last")],
        ),
    ]
}

/// A folder on any system: `/r` as it is for the lists above, on this path.
///
/// # Errors
/// What the system says.
pub fn fill(sys: &dyn System, root: &Path) -> surehand_kernel::sys::Sys<()> {
    let top = sys.open_root(root)?;
    for name in ["d", "m"] {
        sys.mkdir(&top, name.as_bytes())?;
    }
    let d = sys.open_dir(&top, b"d")?;
    let m = sys.open_dir(&top, b"m")?;
    sys.mkdir(&d, b"f")?;
    let f = sys.open_dir(&d, b"f")?;
    let files = [
        (&top, "a"),
        (&top, "b"),
        (&top, "c"),
        (&top, "old"),
        (&top, "notes"),
        (&d, "e"),
        (&f, "g"),
        (&m, "x"),
        (&m, "y"),
        (&m, "z"),
    ];
    for (index, (dir, name)) in files.into_iter().enumerate() {
        let file = sys.create(dir, name.as_bytes())?;
        sys.write(&file, 0, format!("original {name}").as_bytes())?;
        sys.set_mode(&file, 0o600 + u32::try_from(index).unwrap_or(0))?;
        sys.set_times(&file, (77, 5), (i64::try_from(index).unwrap_or(0) + 100, 5))?;
    }
    for dir in [&f, &d, &m, &top] {
        sys.set_times(dir, (88, 5), (88, 5))?;
    }
    Ok(())
}

/// Opens a session.
///
/// # Errors
/// As the kernel.
pub fn session<'s>(sys: &'s dyn System, root: &Path, state: &Path) -> Result<Session<'s>> {
    let root = Root::open(sys, root, Authority::default())?;
    let state = sys.open_root(state).map_err(|errno| {
        surehand_core::Error::new(surehand_core::Code::Internal, "no state").platform(errno.to_string())
    })?;
    Session::open(root, state)
}

/// Plans a list.
///
/// # Errors
/// As the kernel.
pub fn planned(sys: &dyn System, root: &Path, actions: &[Action]) -> Result<Plan> {
    let requests: Vec<Request> = actions.iter().cloned().map(Into::into).collect();
    let declared = plan::needed(&requests);
    let root = Root::open(sys, root, Authority::default())?;
    plan::make(&root, requests, Making { granted: &granted(), declared, origin: Origin::given(), tool: "test" })
}

/// Every list on a folder in memory.
pub fn works() -> Vec<Work> {
    let made = |(name, actions): (&'static str, Vec<Action>)| {
        let model = Model::empty();
        let top = model.open_root(Path::new("/")).unwrap_or_else(|errno| panic!("{errno}"));
        for folder in ["r", "s"] {
            model.mkdir(&top, folder.as_bytes()).unwrap_or_else(|errno| panic!("{errno}"));
        }
        fill(&model, Path::new(ROOT)).unwrap_or_else(|errno| panic!("{errno}"));
        for file in ["r/m", "r/m/x", "r/m/y", "r/m/z"] {
            model.mount(file, 2);
        }
        // The journal is there already: what its making costs is another thing.
        drop(session(&model, Path::new(ROOT), Path::new(STATE)).unwrap_or_else(|error| panic!("{name}: {error}")));
        let plan = planned(&model, Path::new(ROOT), &actions).unwrap_or_else(|error| panic!("{name}: {error}"));
        model.settle();
        Work { name, start: model.live(), plan }
    };
    lists().into_iter().map(made).collect()
}

/// Does one phase.
///
/// # Errors
/// As the kernel.
pub fn perform(sys: &dyn System, root: &Path, state: &Path, plan: &Plan, phase: Phase) -> Result<Performed> {
    let cancel = Cancel::default();
    let control = Control { cancel: &cancel, progress: &|_, _| {} };
    let mut session = session(sys, root, state)?;
    match phase {
        Phase::Apply => session.apply(plan, &granted(), &control).map(Performed::Applied),
        Phase::Undo => session.undo(&plan.task, &control).map(Performed::Undone),
        Phase::Redo => session.redo(&plan.task, &control).map(Performed::Applied),
    }
}

/// What a phase came to.
#[derive(Debug)]
pub enum Performed {
    /// Applied, or done again.
    Applied(Applied),
    /// Taken back.
    Undone(Undone),
}

impl Performed {
    /// Whether all of it was done.
    pub fn is_whole(&self) -> bool {
        match self {
            Performed::Applied(applied) => applied.outcome == surehand_kernel::engine::Outcome::Done,
            Performed::Undone(undone) => undone.conflicts.is_empty() && undone.unknown.is_empty() && !undone.stopped,
        }
    }
}
