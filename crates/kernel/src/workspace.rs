//! What commands work with: the roots that a person has configured, our state, and plans by their digest.

use std::path::{Path, PathBuf};

use rustix::io::Errno;
use surehand_core::{Code, Error, Result};

use crate::action::Request;
use crate::anchor;
use crate::authority::{Authority, Person, path_of};
use crate::capability::{Capability, Verb};
use crate::engine::{Applied, Control, Session, Undone};
use crate::history::{self, Read};
use crate::path::shown;
use crate::plan::{self, Making, Origin, Plan};
use crate::refusal::{Refusal, Rule};
use crate::root::{Root, failed};
use crate::sys::{Handle, System, lookup};

/// The policy file in the configuration directory.
pub const POLICY: &str = "policy.toml";

/// Where surehand keeps and finds what is of plans.
pub struct Workspace {
    sys: Box<dyn System>,
    state: PathBuf,
    config: PathBuf,
    person: Person,
    tool: String,
}

impl Workspace {
    /// A workspace. The state directory is there and private; the configuration directory need not be there.
    pub fn new(sys: Box<dyn System>, state: PathBuf, config: PathBuf, person: Person, tool: String) -> Workspace {
        Workspace { sys, state, config, person, tool }
    }

    fn state(&self) -> Result<Handle> {
        self.sys.open_root(&self.state).map_err(|errno| failed(errno, "our state directory cannot be opened"))
    }

    /// Opens a folder as a root.
    ///
    /// # Errors
    /// As [`Root::open`].
    pub fn root(&self, path: &Path) -> Result<Root<'_>> {
        Root::open(&*self.sys, path, Authority::of(&*self.sys, &self.person))
    }

    fn policy(&self) -> Result<toml_edit::DocumentMut> {
        let damaged = |what: String| {
            Error::new(Code::PolicyDenied, "the policy file cannot be read, so nothing is allowed")
                .kind("bad_policy")
                .platform(what)
        };
        let read = || {
            let dir = match self.sys.open_root(&self.config) {
                Ok(dir) => dir,
                Err(Errno::NOENT) => return Ok(Vec::new()),
                Err(errno) => return Err(errno),
            };
            if lookup(&*self.sys, &dir, POLICY.as_bytes())?.is_none() {
                return Ok(Vec::new());
            }
            let file = self.sys.open_file(&dir, POLICY.as_bytes())?;
            self.sys.read(&file, 0, 1 << 20)
        };
        let bytes = read().map_err(|errno: Errno| damaged(errno.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| damaged(error.to_string()))?;
        text.parse().map_err(|error: toml_edit::TomlError| damaged(error.message().to_owned()))
    }

    /// The roots that a person has configured.
    ///
    /// # Errors
    /// `POLICY_DENIED` when the policy file is damaged.
    pub fn roots(&self) -> Result<Vec<PathBuf>> {
        let policy = self.policy()?;
        let Some(roots) = policy.get("roots") else { return Ok(Vec::new()) };
        let list = roots.as_array().map(|list| list.iter().map(|item| item.as_str().map(PathBuf::from)).collect());
        list.flatten().ok_or_else(|| {
            Error::new(Code::PolicyDenied, "`roots` in the policy file is not a list of paths").kind("bad_policy")
        })
    }

    /// Adds a root to the policy file. A person's decision.
    ///
    /// # Errors
    /// `POLICY_DENIED` when it must not be one, or when it lies in another or another in it; `CONFLICT` when it is there.
    pub fn add_root(&self, path: &Path) -> Result<PathBuf> {
        let real = self.root(path)?.path.clone();
        let text = real.to_str().ok_or_else(|| {
            Error::new(Code::InvalidArgs, "the path of a root in the policy file has to be text").kind("bad_root")
        })?;
        for other in self.roots()? {
            if other == real {
                return Err(Error::new(Code::Conflict, "it is a root already").kind("root_known"));
            }
            if other.starts_with(&real) || real.starts_with(&other) {
                let why = format!("it and the root {} are in each other", shown(other.as_os_str().as_encoded_bytes()));
                return Err(Refusal::new(Rule::BadRoot, why).at(text.as_bytes()).into());
            }
        }
        self.edit(|list| list.push(text))?;
        Ok(real)
    }

    /// Takes a root out of the policy file. Its journal and vault stay.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it is none.
    pub fn remove_root(&self, path: &Path) -> Result<PathBuf> {
        let real = self.root(path).map_or_else(|_| path.to_path_buf(), |root| root.path.clone());
        let place = self.roots()?.iter().position(|root| *root == real || root == path);
        let place = place.ok_or_else(|| Error::new(Code::InvalidArgs, "it is not a root").kind("no_such_root"))?;
        self.edit(|list| {
            list.remove(place);
        })?;
        Ok(real)
    }

    fn edit(&self, change: impl FnOnce(&mut toml_edit::Array)) -> Result<()> {
        let mut policy = self.policy()?;
        let roots = policy.entry("roots").or_insert(toml_edit::value(toml_edit::Array::new()));
        let list = roots.as_array_mut().ok_or_else(|| {
            Error::new(Code::PolicyDenied, "`roots` in the policy file is not a list of paths").kind("bad_policy")
        })?;
        change(list);
        let dir = self.config_dir()?;
        plan::write_whole(&*self.sys, &dir, POLICY, policy.to_string().as_bytes())
    }

    fn config_dir(&self) -> Result<Handle> {
        let made = || {
            // From the nearest folder that is there.
            let mut missing = Vec::new();
            let mut here: &Path = &self.config;
            let mut dir = loop {
                match self.sys.open_root(here) {
                    Ok(dir) => break dir,
                    Err(Errno::NOENT) => {
                        missing.push(here.file_name().ok_or(Errno::NOENT)?);
                        here = here.parent().ok_or(Errno::NOENT)?;
                    }
                    Err(errno) => return Err(errno),
                }
            };
            for name in missing.into_iter().rev() {
                self.sys.mkdir(&dir, name.as_encoded_bytes())?;
                dir = self.sys.open_dir(&dir, name.as_encoded_bytes())?;
            }
            Ok(dir)
        };
        made().map_err(|errno| failed(errno, "the configuration directory cannot be used"))
    }

    /// What is granted in a root that a person has configured, or in a folder of one: all that can be taken back.
    ///
    /// # Errors
    /// `APPROVAL_REQUIRED` for another folder.
    pub fn granted(&self, root: &Root<'_>) -> Result<Vec<Capability>> {
        for configured in self.roots()? {
            if root.path.starts_with(&configured) {
                return Ok(file_capabilities());
            }
        }
        let why = "no root that a person has configured holds it";
        let error: Error =
            Refusal::new(Rule::RootNotConfigured, why).at(root.path.as_os_str().as_encoded_bytes()).into();
        Err(error.suggest("a person allows it with `surehand roots add`"))
    }

    /// Plans a list of actions for a folder, and keeps the plan. Nothing is written in the folder.
    ///
    /// # Errors
    /// As [`plan::make`].
    pub fn preview(&self, path: &Path, requests: Vec<Request>, origin: Origin) -> Result<(String, Plan)> {
        let root = self.root(path)?;
        let declared = plan::needed(&requests);
        // Looking at what would happen needs no grant beyond reading, which the system has judged.
        let making = Making { granted: &file_capabilities(), declared, origin, tool: &self.tool };
        let plan = plan::make(&root, requests, making)?;
        let digest = plan::save(&*self.sys, &self.state()?, &plan)?;
        Ok((digest, plan))
    }

    /// A plan by its digest or the beginning of it.
    ///
    /// # Errors
    /// As [`plan::load`].
    pub fn plan(&self, digest: &str) -> Result<(String, Plan)> {
        plan::load(&*self.sys, &self.state()?, digest)
    }

    /// Applies a plan, or goes on with it.
    ///
    /// # Errors
    /// As [`Session::apply`] and [`Session::resume`], and when no configured root holds its root.
    pub fn apply(&self, digest: &str, resume: bool, control: &Control<'_>) -> Result<Applied> {
        let (_, plan) = self.plan(digest)?;
        let root = self.root(&path_of(&plan.root.path))?;
        let granted = self.granted(&root)?;
        let mut session = Session::open(root, self.state()?)?;
        if resume { session.resume(&plan, &granted, control) } else { session.apply(&plan, &granted, control) }
    }

    /// Takes a task back.
    ///
    /// # Errors
    /// As [`Session::undo`].
    pub fn undo(&self, task: &str, control: &Control<'_>) -> Result<Undone> {
        self.session_of(task)?.undo(task, control)
    }

    /// Does again what was taken back of a task.
    ///
    /// # Errors
    /// As [`Session::redo`].
    pub fn redo(&self, task: &str, control: &Control<'_>) -> Result<Applied> {
        self.session_of(task)?.redo(task, control)
    }

    /// Opens the root of a task for work, where a person has configured it.
    fn session_of(&self, task: &str) -> Result<Session<'_>> {
        let root = self.root_of(task)?;
        self.granted(&root)?;
        Session::open(root, self.state()?)
    }

    /// The root whose journal tells of a task.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is none.
    pub fn root_of(&self, task: &str) -> Result<Root<'_>> {
        for path in self.known()? {
            let Ok(root) = self.root(&path) else { continue };
            if history::read(&root, &self.state()?).is_ok_and(|read| read.tasks.0.contains_key(task)) {
                return Ok(root);
            }
        }
        Err(Error::new(Code::InvalidArgs, format!("there is no task {}", shown(task.as_bytes())))
            .kind("no_such_task")
            .suggest("`surehand history` lists the tasks"))
    }

    /// Every root that has a journal of ours, and every configured one.
    ///
    /// # Errors
    /// What the system says.
    pub fn known(&self) -> Result<Vec<PathBuf>> {
        let mut known: Vec<PathBuf> = anchor::all(&*self.sys, &self.state()?)?
            .iter()
            .map(|anchor| path_of(&anchor.root))
            .chain(self.roots()?)
            .collect();
        known.sort();
        known.dedup();
        Ok(known)
    }

    /// Reads the journal of a root.
    ///
    /// # Errors
    /// As [`history::read`].
    pub fn read(&self, path: &Path) -> Result<Read> {
        history::read(&self.root(path)?, &self.state()?)
    }

    /// Takes over a journal that is not ours. A person's decision.
    ///
    /// # Errors
    /// As [`Session::adopt`].
    pub fn adopt(&self, path: &Path) -> Result<PathBuf> {
        let session = Session::adopt(self.root(path)?, self.state()?)?;
        Ok(session.root.path.clone())
    }

    /// Deletes what is in the vault of a root, for good. A person's decision.
    ///
    /// # Errors
    /// As [`Session::empty_vault`].
    pub fn empty_vault(&self, path: &Path) -> Result<Vec<crate::vault::Kept>> {
        Session::open(self.root(path)?, self.state()?)?.empty_vault()
    }
}

/// Every capability of files, on the root.
fn file_capabilities() -> Vec<Capability> {
    Verb::ALL.iter().copied().filter(|verb| verb.token().starts_with("fs.")).map(Capability::on_root).collect()
}
