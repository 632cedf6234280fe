//! From actions to steps.
//!
//! The files are looked at once, as they are now; what the actions before have done to names is kept in a
//! [`view::View`]. An action goes after the one that frees its target or makes its folder, wherever that stands in the
//! list. Where names form a cycle, one file waits under a name of ours meanwhile.
//!
//! The same function runs again right before a plan is applied: a plan is stale where the steps differ.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use surehand_core::text::fold;
use surehand_core::{Code, Error, Result};

use crate::action::{Action, Request};
use crate::canonical::sha256;
use crate::effect::{Carry, Expect, Fill, Ident, Make, Shift, Step, Swap, hash_at, is_listed};
use crate::path::{OURS, RelPath};
use crate::policy::id_of;
use crate::root::{Root, STAGE, VAULT};
use crate::sys::Kind;

mod view;

use view::{Found, Seen, View};

/// One step of a plan, and what it is to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedStep {
    /// The action it belongs to, by its place in the list.
    pub action: usize,
    /// The step.
    pub step: Step,
    /// What it is to find.
    pub expect: Expect,
}

/// An action that cannot be carried out as things are.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The action, by its place in the list.
    pub action: usize,
    /// Why.
    pub error: Error,
}

/// What a list of actions comes to.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The steps, in order.
    pub steps: Vec<PlannedStep>,
    /// What stands against it.
    pub problems: Vec<Problem>,
    /// What a person might want to know.
    pub warnings: Vec<String>,
}

/// Mode of a new directory.
const NEW_DIR: u32 = 0o755;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Open,
    Waiting,
    Over,
}

struct Compiler<'r, 's> {
    root: &'r Root<'s>,
    requests: &'r [Request],
    paths: &'r [Vec<RelPath>],
    task: &'r str,
    view: View<'r, 's>,
    turns: Vec<Turn>,
    /// Actions that take something away from a path.
    leaving: HashMap<&'r RelPath, Vec<usize>>,
    /// Actions that put something at a path.
    arriving: HashMap<&'r RelPath, Vec<usize>>,
    /// Files that wait under a name of ours until an action is over.
    held: HashMap<usize, Vec<(usize, RelPath)>>,
    out: Compiled,
}

/// Compiles actions whose paths have been judged. `task` makes the names of ours unique.
///
/// # Errors
/// What the system says; what stands against single actions is in [`Compiled::problems`].
pub fn compile(root: &Root<'_>, requests: &[Request], paths: &[Vec<RelPath>], task: &str) -> Result<Compiled> {
    let mut leaving: HashMap<&RelPath, Vec<usize>> = HashMap::new();
    let mut arriving: HashMap<&RelPath, Vec<usize>> = HashMap::new();
    for (index, (request, paths)) in requests.iter().zip(paths).enumerate() {
        match (&request.action, &paths[..]) {
            (Action::Move { .. }, [from, to]) => {
                leaving.entry(from).or_default().push(index);
                arriving.entry(to).or_default().push(index);
            }
            (Action::Copy { .. }, [_, to]) | (Action::Mkdir { .. } | Action::Write { .. }, [to]) => {
                arriving.entry(to).or_default().push(index);
            }
            (Action::Trash { .. }, [from]) => leaving.entry(from).or_default().push(index),
            _ => {}
        }
    }
    let mut compiler = Compiler {
        root,
        requests,
        paths,
        task,
        view: View::new(root),
        turns: vec![Turn::Open; requests.len()],
        leaving,
        arriving,
        held: HashMap::new(),
        out: Compiled::default(),
    };
    for index in 0..requests.len() {
        compiler.visit(index)?;
    }
    compiler.look_alikes();
    Ok(compiler.out)
}

impl Compiler<'_, '_> {
    /// Brings an action to its end, with all that has to go before. Not by recursion: a chain can have any length.
    fn visit(&mut self, first: usize) -> Result<()> {
        let mut stack = vec![first];
        while let Some(&index) = stack.last() {
            match self.turns[index] {
                Turn::Over => {
                    stack.pop();
                    continue;
                }
                Turn::Open => self.turns[index] = Turn::Waiting,
                Turn::Waiting => {}
            }
            match self.blocker(index)? {
                Some(other) if self.turns[other] == Turn::Open => stack.push(other),
                Some(other) => {
                    // The other one waits for this one: a cycle. This file steps aside.
                    self.hold(index, other)?;
                    stack.pop();
                }
                None => {
                    self.finish(index)?;
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, index: usize) -> Result<()> {
        self.turns[index] = Turn::Over;
        self.emit(index)?;
        for (waiting, stage) in self.held.remove(&index).unwrap_or_default() {
            let to = self.paths[waiting][1].clone();
            if self.view.find(&to)?.is_some() {
                self.problem(waiting, occupied(&to));
            } else {
                self.shift(waiting, &stage, &to)?;
            }
        }
        Ok(())
    }

    /// An action that is not over yet and has to go first.
    fn blocker(&mut self, index: usize) -> Result<Option<usize>> {
        let paths = self.paths;
        let Some(target) = (match self.requests[index].action {
            Action::Trash { .. } | Action::Delete { .. } => None,
            _ => paths[index].last(),
        }) else {
            return Ok(None);
        };
        let pending = |list: Option<&Vec<usize>>| {
            list.into_iter().flatten().copied().find(|other| *other != index && self.turns[*other] != Turn::Over)
        };
        if let Some(parent) = target.parent()
            && let Some(maker) = pending(self.arriving.get(&parent))
            && self.view.find(&parent)?.is_none()
        {
            // A folder that can only come after this: the list is at odds with itself, and emitting says so.
            return Ok(Some(maker).filter(|maker| self.turns[*maker] == Turn::Open));
        }
        if matches!(self.requests[index].action, Action::Write { .. }) {
            return Ok(None);
        }
        let Some(leaver) = pending(self.leaving.get(target)) else { return Ok(None) };
        let occupied = self.view.find(target)?.is_some();
        let can_wait = matches!(self.requests[index].action, Action::Move { .. });
        Ok(Some(leaver).filter(|leaver| occupied && (can_wait || self.turns[*leaver] == Turn::Open)))
    }

    /// Puts a file under a name of ours until another action is over.
    fn hold(&mut self, index: usize, until: usize) -> Result<()> {
        self.turns[index] = Turn::Over;
        let from = self.paths[index][0].clone();
        let Some(found) = self.view.find(&from)? else {
            self.problem(index, missing(&from));
            return Ok(());
        };
        let number = self.out.steps.len();
        let stage = if self.device(&from)? == self.root.dir.dev {
            RelPath::ours(STAGE, &format!("held-{}-{number}", self.task))
        } else {
            from.beside(&format!("{OURS}-held-{}-{number}", self.task))
        };
        let expect = Expect { main: found.ident(), ..Expect::default() };
        self.step(index, Step::Shift(Shift { from: from.clone(), to: stage.clone() }), expect);
        self.view.shift(&from, &stage)?;
        self.held.entry(until).or_default().push((index, stage));
        // Whoever waited for the name that is free now goes on by itself.
        Ok(())
    }

    fn emit(&mut self, index: usize) -> Result<()> {
        let paths = self.paths;
        let request = &self.requests[index];
        match (&request.action, &paths[index][..]) {
            (Action::Mkdir { .. }, [path]) => {
                if let Some(error) = self.not_free(path)? {
                    self.problem(index, error);
                    return Ok(());
                }
                let stage = self.stage(path, self.out.steps.len())?;
                let step = Step::Make(Make { to: path.clone(), stage, mode: NEW_DIR });
                self.step(index, step, Expect::default());
                self.view.put(path, Seen::Made(Kind::Dir));
            }
            (Action::Move { .. }, [from, to]) => self.emit_move(index, from, to)?,
            (Action::Copy { .. }, [from, to]) => {
                let Some((real, ident)) = self.file(index, from)? else { return Ok(()) };
                if let Some(error) = self.not_free(to)? {
                    self.problem(index, error);
                    return Ok(());
                }
                let hash = hash_at(self.root, &real)?;
                let stage = self.stage(to, self.out.steps.len())?;
                let step = Step::Fill(Fill { to: to.clone(), stage, from: Some(from.clone()), hash });
                self.step(index, step, Expect { main: Some(ident), ..Expect::default() });
                self.view.put(to, Seen::Made(Kind::File));
            }
            (Action::Write { text, base64, .. }, [path]) => {
                let hash = sha256(&Action::content(text.as_deref(), base64.as_deref())?);
                self.emit_write(index, path, hash)?;
            }
            (Action::Trash { .. }, [path]) => {
                let Some(found) = self.view.find(path)? else {
                    self.problem(index, missing(path));
                    return Ok(());
                };
                let vault = RelPath::ours(VAULT, &format!("{}-{}", self.task, self.out.steps.len()));
                self.relocate(index, path, &vault, &found)?;
            }
            _ => self.problem(index, Error::new(Code::Internal, "an action whose paths were not judged")),
        }
        Ok(())
    }

    fn emit_move(&mut self, index: usize, from: &RelPath, to: &RelPath) -> Result<()> {
        let Some(found) = self.view.find(from)? else {
            self.problem(index, missing(from));
            return Ok(());
        };
        if to.is_within(from) {
            let error = Error::new(Code::InvalidArgs, format!("{from} cannot be moved into itself"));
            self.problem(index, error.kind("into_itself"));
            return Ok(());
        }
        let occupant = self.view.find(to)?;
        if let (Some(occupant), Some(real)) = (&occupant, &found.real)
            && occupant.real.is_some()
            && from.parent() == to.parent()
            && from != to
            && occupant.inode() == found.inode()
            && real == from
            && !is_listed(self.root, to)?
        {
            // Both spellings find one name: the volume does not tell them apart. It goes by way of a name of ours.
            let stage = RelPath::ours(STAGE, &format!("held-{}-{}", self.task, self.out.steps.len()));
            let expect = Expect { main: found.ident(), ..Expect::default() };
            self.step(index, Step::Shift(Shift { from: from.clone(), to: stage.clone() }), expect);
            self.view.shift(from, &stage)?;
            return self.shift(index, &stage, to);
        }
        if let Some(error) = self.not_free(to)? {
            self.problem(index, error);
            return Ok(());
        }
        self.relocate(index, from, to, &found)
    }

    fn emit_write(&mut self, index: usize, path: &RelPath, hash: String) -> Result<()> {
        match self.view.find(path)? {
            None => {
                if let Some(error) = self.not_free(path)? {
                    self.problem(index, error);
                    return Ok(());
                }
                let stage = self.stage(path, self.out.steps.len())?;
                self.step(index, Step::Fill(Fill { to: path.clone(), stage, from: None, hash }), Expect::default());
                self.view.put(path, Seen::Made(Kind::File));
            }
            Some(_) => {
                let Some((real, ident)) = self.file(index, path)? else { return Ok(()) };
                let old = hash_at(self.root, &real)?;
                let number = self.out.steps.len();
                let aside = if self.device(path)? == self.root.dir.dev {
                    RelPath::ours(VAULT, &format!("{}-{number}", self.task))
                } else {
                    path.beside(&format!("{OURS}-vault-{}-{number}", self.task))
                };
                let expect = Expect { main: Some(ident), hash: Some(old), ..Expect::default() };
                self.step(index, Step::Swap(Swap { at: path.clone(), aside, hash: Some(hash) }), expect);
                self.view.put(path, Seen::Made(Kind::File));
            }
        }
        Ok(())
    }

    /// A shift, or a carry where the target is on another device.
    fn relocate(&mut self, index: usize, from: &RelPath, to: &RelPath, found: &Found) -> Result<()> {
        let source = match &found.stat {
            Some(stat) => stat.dev,
            None => self.device(from)?,
        };
        let ours = to.components().next() == Some(OURS.as_bytes());
        let target = if ours { self.root.dir.dev } else { self.device(to)? };
        let expect = Expect { main: found.ident(), ..Expect::default() };
        if source == target {
            self.step(index, Step::Shift(Shift { from: from.clone(), to: to.clone() }), expect);
        } else if found.kind == Kind::File {
            let stage = if ours {
                RelPath::ours(STAGE, &format!("new-{}-{}", self.task, self.out.steps.len()))
            } else {
                self.stage(to, self.out.steps.len())?
            };
            self.step(index, Step::Carry(Carry { from: from.clone(), to: to.clone(), stage }), expect);
        } else {
            let what = format!("{from} is not a regular file, and {to} is on another device");
            self.problem(index, Error::new(Code::PolicyDenied, what).kind("unsupported_file"));
            return Ok(());
        }
        self.view.shift(from, to)
    }

    fn shift(&mut self, index: usize, from: &RelPath, to: &RelPath) -> Result<()> {
        let found = self.view.find(from)?;
        let expect = Expect { main: found.and_then(|found| found.ident()), ..Expect::default() };
        self.step(index, Step::Shift(Shift { from: from.clone(), to: to.clone() }), expect);
        self.view.shift(from, to)
    }

    fn step(&mut self, action: usize, step: Step, expect: Expect) {
        self.out.steps.push(PlannedStep { action, step, expect });
    }

    fn problem(&mut self, action: usize, error: Error) {
        let error = error.detail("action", id_of(&self.requests[action]));
        self.out.problems.push(Problem { action, error });
    }

    /// Why nothing can be put at a path.
    fn not_free(&mut self, path: &RelPath) -> Result<Option<Error>> {
        if self.view.find(path)?.is_some() {
            return Ok(Some(occupied(path)));
        }
        let Some(parent) = path.parent() else { return Ok(None) };
        Ok(match self.view.find(&parent)? {
            Some(found) if found.kind == Kind::Dir => None,
            Some(_) => Some(
                Error::new(Code::PlanStale, format!("{parent} is not a directory"))
                    .kind("not_a_folder")
                    .detail("path", parent.quoted()),
            ),
            None => Some(missing(&parent).suggest("let an action before it make the directory")),
        })
    }

    /// A regular file that is on the disk already: where, and what.
    fn file(&mut self, index: usize, path: &RelPath) -> Result<Option<(RelPath, Ident)>> {
        match self.view.find(path)? {
            None => self.problem(index, missing(path)),
            Some(Found { kind: Kind::File, real: Some(real), stat: Some(stat) }) => {
                return Ok(Some((real, (&stat).into())));
            }
            Some(Found { real: None, .. }) => {
                let what = format!("{path} is made by the same plan; its content is not known yet");
                self.problem(index, Error::new(Code::InvalidArgs, what).kind("made_by_plan"));
            }
            Some(_) => {
                let what = format!("{path} is not a regular file");
                self.problem(
                    index,
                    Error::new(Code::PolicyDenied, what).kind("unsupported_file").detail("path", path.quoted()),
                );
            }
        }
        Ok(None)
    }

    /// The device of the directory that a path is in, or will be in.
    fn device(&mut self, path: &RelPath) -> Result<u64> {
        let mut ancestor = path.parent();
        while let Some(dir) = ancestor {
            if let Some(Found { stat: Some(stat), .. }) = self.view.find(&dir)? {
                return Ok(stat.dev);
            }
            ancestor = dir.parent();
        }
        Ok(self.root.dir.dev)
    }

    fn stage(&mut self, path: &RelPath, number: usize) -> Result<RelPath> {
        let name = format!("new-{}-{number}", self.task);
        Ok(if self.device(path)? == self.root.dir.dev {
            RelPath::ours(STAGE, &name)
        } else {
            path.beside(&format!("{OURS}-{name}"))
        })
    }

    /// Targets that a person, or another volume, cannot tell apart.
    fn look_alikes(&mut self) {
        let mut seen: HashMap<(Option<RelPath>, String), &RelPath> = HashMap::new();
        let mut targets: Vec<&RelPath> = self.arriving.keys().copied().collect();
        targets.sort_unstable();
        for target in targets {
            let key = (target.parent(), fold(&String::from_utf8_lossy(target.name())));
            if let Some(other) = seen.insert(key, target) {
                self.out.warnings.push(format!("{other} and {target} look alike"));
            }
        }
    }
}

fn missing(path: &RelPath) -> Error {
    Error::new(Code::PlanStale, format!("{path} is not there")).kind("not_there").detail("path", path.quoted())
}

fn occupied(path: &RelPath) -> Error {
    Error::new(Code::PlanStale, format!("{path} is there already"))
        .kind("occupied")
        .detail("path", path.quoted())
        .suggest("choose another name, or move what is there first")
}
