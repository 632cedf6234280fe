//! A plan: fixed, bound to what it was made for, and kept where only its owner reads it.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::action::{Action, Request};
use crate::canonical::{hex, json, sha256};
use crate::capability::{Capability, Verb};
use crate::compile::{Compiled, PlannedStep, compile};
use crate::path::{self, RelPath, shown};
use crate::policy::{check_action, check_capabilities, id_of};
use crate::root::{Root, failed};
use crate::sys::{Handle, System, lookup};

/// The folder of plans in the state directory.
pub const FOLDER: &str = "plans";

/// The most actions of one plan.
pub const MAX_ACTIONS: usize = 1_000_000;

/// Who made the list of actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The skill, or `actions` for a list that was given.
    pub name: String,
    /// Where the skill comes from: `built-in`, `user`, or `given`.
    pub source: String,
    /// The digest of the skill, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Origin {
    /// A list that was given.
    pub fn given() -> Origin {
        Origin { name: "actions".to_owned(), source: "given".to_owned(), digest: None }
    }
}

/// The root a plan is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Its real path.
    #[serde(serialize_with = "path::serialize", deserialize_with = "path::deserialize")]
    pub path: Vec<u8>,
    /// Its inode.
    pub ino: u64,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the form.
    pub form: u32,
    /// The task that it becomes when it is applied.
    pub task: String,
    /// Milliseconds since 1970.
    pub created: u64,
    /// Version of surehand.
    pub tool: String,
    /// Who made it.
    pub origin: Origin,
    /// The root.
    pub root: Bound,
    /// What it may do.
    pub capabilities: Vec<Capability>,
    /// What was asked for.
    pub actions: Vec<Request>,
    /// What will be done.
    pub steps: Vec<PlannedStep>,
    /// What a person might want to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a plan is made with.
pub struct Making<'a> {
    /// What is granted.
    pub granted: &'a [Capability],
    /// What the skill declares; for a given list, what its actions need.
    pub declared: Vec<Capability>,
    /// Who made the list.
    pub origin: Origin,
    /// Version of surehand.
    pub tool: &'a str,
}

/// What the actions of a list need, on the root.
pub fn needed(requests: &[Request]) -> Vec<Capability> {
    let mut verbs: Vec<Verb> = requests.iter().flat_map(|request| request.action.verbs()).copied().collect();
    verbs.sort_unstable();
    verbs.dedup();
    verbs.into_iter().map(Capability::on_root).collect()
}

/// Judges a list of actions and fixes it as a plan. Nothing is written.
///
/// # Errors
/// The refusal, or `PLAN_STALE` and others naming every path that stands against it.
pub fn make(root: &Root<'_>, requests: Vec<Request>, making: Making<'_>) -> Result<Plan> {
    if requests.len() > MAX_ACTIONS {
        return Err(Error::new(Code::InvalidArgs, format!("a plan has at most {MAX_ACTIONS} actions")).kind("too_many"));
    }
    check_capabilities(&making.declared, making.granted, &root.path)?;
    let random = root.sys.random().map_err(|errno| failed(errno, "there are no random numbers"))?;
    let created = root.sys.now();
    let task = format!("task-{created}-{}", &hex(&random)[..8]);
    let compiled = examine(root, &requests, &making.declared, &task)?;
    if let Some(error) = against(&compiled) {
        return Err(error);
    }
    let bound = Bound { path: root.path.as_os_str().as_encoded_bytes().to_vec(), ino: root.dir.ino };
    Ok(Plan {
        form: 1,
        task,
        created,
        tool: making.tool.to_owned(),
        origin: making.origin,
        root: bound,
        capabilities: making.declared,
        actions: requests,
        steps: compiled.steps,
        warnings: compiled.warnings,
    })
}

/// Judges every action, then compiles them.
fn examine(root: &Root<'_>, requests: &[Request], declared: &[Capability], task: &str) -> Result<Compiled> {
    root.forget();
    let mut paths: Vec<Vec<RelPath>> = Vec::with_capacity(requests.len());
    for request in requests {
        paths.push(check_action(request, root, declared)?);
    }
    compile(root, requests, &paths, task)
}

/// One error for all that stands against a list of actions.
fn against(compiled: &Compiled) -> Option<Error> {
    let first = compiled.problems.first()?;
    let all: Vec<&str> = compiled.problems.iter().take(SHOWN).map(|problem| problem.error.message()).collect();
    let paths: Vec<_> =
        compiled.problems.iter().filter_map(|problem| problem.error.details().get("path")).take(SHOWN).collect();
    Some(first.error.clone().detail("problems", all).detail("paths", paths).detail("count", compiled.problems.len()))
}

/// How many paths an error names.
const SHOWN: usize = 100;

impl Plan {
    /// The digest that fixes it.
    ///
    /// # Errors
    /// `INTERNAL` when it has no JSON form.
    pub fn digest(&self) -> Result<String> {
        Ok(sha256(json(self)?.as_bytes()))
    }

    /// Looks whether everything still is as it was planned; changes nothing.
    ///
    /// # Errors
    /// `PLAN_STALE` that names each path which changed, or the refusal of an action.
    pub fn check(&self, root: &Root<'_>, granted: &[Capability]) -> Result<()> {
        if self.root.path != root.path.as_os_str().as_encoded_bytes() || self.root.ino != root.dir.ino {
            let what = format!("the plan is for another root, {}", shown(&self.root.path));
            return Err(Error::new(Code::PlanStale, what).kind("another_root"));
        }
        check_capabilities(&self.capabilities, granted, &root.path)?;
        let now = examine(root, &self.actions, &self.capabilities, &self.task)?;
        let mut changed: Vec<String> = Vec::new();
        for problem in &now.problems {
            changed.extend(problem.error.details().get("path").and_then(|path| path.as_str()).map(str::to_owned));
        }
        // What stands against an action is told; its steps and those of the others are compared by what they do.
        let told: Vec<usize> = now.problems.iter().map(|problem| problem.action).collect();
        let mut rest = now.steps.iter().filter(|step| !told.contains(&step.action));
        for step in self.steps.iter().filter(|step| !told.contains(&step.action)) {
            if rest.next() != Some(step) {
                changed.extend(step.step.effect().paths().first().map(|path| path.quoted()));
            }
        }
        if changed.is_empty() && now.problems.is_empty() && now.steps.len() == self.steps.len() {
            return Ok(());
        }
        changed.sort_unstable();
        changed.dedup();
        let first = changed.first().cloned().unwrap_or_else(|| "something".to_owned());
        let count = changed.len();
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        changed.truncate(SHOWN);
        Err(Error::new(Code::PlanStale, format!("{first}{more} is not as it was when the plan was made"))
            .kind("changed")
            .detail("paths", changed)
            .detail("count", count)
            .suggest("make the plan again with `surehand preview`"))
    }

    /// The id of an action.
    pub fn action_id(&self, index: usize) -> String {
        self.actions.get(index).map(id_of).unwrap_or_default()
    }

    /// The content that a step writes, where it writes one.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the plan holds none.
    pub fn content(&self, index: usize) -> Result<Option<Vec<u8>>> {
        match self.actions.get(index).map(|request| &request.action) {
            Some(Action::Write { text, base64, .. }) => Action::content(text.as_deref(), base64.as_deref()).map(Some),
            _ => Ok(None),
        }
    }
}

/// Keeps a plan in the state directory, mode 0600, and gives its digest.
///
/// # Errors
/// What the system says.
pub fn save(sys: &dyn System, state: &Handle, plan: &Plan) -> Result<String> {
    let text = json(plan)?;
    let digest = sha256(text.as_bytes());
    let folder = folder(sys, state, FOLDER)?;
    write_whole(sys, &folder, &format!("{digest}.json"), text.as_bytes())?;
    Ok(digest)
}

/// Finds a plan by its digest or the beginning of it, of at least eight digits.
///
/// # Errors
/// `INVALID_ARGS` when there is none, `AMBIGUOUS_TARGET` when there are several, `CONFLICT` when its file does not have
/// the digest that it is named after.
pub fn load(sys: &dyn System, state: &Handle, digest: &str) -> Result<(String, Plan)> {
    let bad = |what: String| Error::new(Code::InvalidArgs, what).kind("no_such_plan");
    if digest.len() < 8 || digest.len() > 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(bad(format!(
            "{} is not a digest of a plan, nor its first eight digits or more",
            shown(digest.as_bytes())
        )));
    }
    let digest = digest.to_ascii_lowercase();
    let folder = folder(sys, state, FOLDER)?;
    let unread = |errno| failed(errno, "the plans cannot be read");
    let mut names: Vec<String> = sys
        .list(&folder)
        .map_err(unread)?
        .into_iter()
        .filter_map(|name| String::from_utf8(name).ok()?.strip_suffix(".json").map(str::to_owned))
        .filter(|name| name.starts_with(&digest))
        .collect();
    let whole = match (names.pop(), names.is_empty()) {
        (Some(name), true) => name,
        (Some(_), false) => {
            return Err(Error::new(Code::AmbiguousTarget, format!("several plans begin with {digest}")));
        }
        (None, _) => return Err(bad(format!("there is no plan {digest}")).suggest("make one with `surehand preview`")),
    };
    let file = sys.open_file(&folder, format!("{whole}.json").as_bytes()).map_err(unread)?;
    let size = usize::try_from(sys.stat_open(&file).map_err(unread)?.size).unwrap_or(usize::MAX);
    let bytes = sys.read(&file, 0, size).map_err(unread)?;
    let changed =
        || Error::new(Code::Conflict, format!("the plan {whole} was changed after it was made")).kind("plan_changed");
    if sha256(&bytes) != whole {
        return Err(changed());
    }
    let plan: Plan = serde_json::from_slice(&bytes).map_err(|error| changed().platform(error.to_string()))?;
    Ok((whole, plan))
}

/// A folder of our state, made where it is not there.
pub(crate) fn folder(sys: &dyn System, state: &Handle, name: &str) -> Result<Handle> {
    let made = || {
        if lookup(sys, state, name.as_bytes())?.is_none() {
            match sys.mkdir(state, name.as_bytes()) {
                Ok(()) => sys.sync(state)?,
                Err(rustix::io::Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        sys.open_dir(state, name.as_bytes())
    };
    made().map_err(|errno| failed(errno, "our state directory cannot be used"))
}

/// Puts a file of our state in place as a whole, durable.
pub(crate) fn write_whole(sys: &dyn System, dir: &Handle, name: &str, bytes: &[u8]) -> Result<()> {
    let written = || {
        let random = sys.random()?;
        let staging = format!(".new-{}", hex(&random));
        let file = sys.create(dir, staging.as_bytes())?;
        let placed = sys
            .write(&file, 0, bytes)
            .and_then(|()| sys.sync(&file))
            .and_then(|()| sys.replace(dir, staging.as_bytes(), name.as_bytes()))
            .and_then(|()| sys.sync(dir));
        if placed.is_err() {
            let _ = sys.unlink(dir, staging.as_bytes());
        }
        placed
    };
    written().map_err(|errno| failed(errno, "our state directory cannot be written"))
}
