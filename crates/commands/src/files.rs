//! What the commands for files have in common: lists of actions, views, and outcomes as answers or errors.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::disposition::Delivery;
use surehand_core::text::quote;
use surehand_core::time::Cancel;
use surehand_core::{Code, Error, Result};
use surehand_kernel::action::Request;
use surehand_kernel::engine::{Applied, Control, Outcome, Undone};
use surehand_kernel::history;
use surehand_kernel::journal::Step;
use surehand_kernel::plan::Plan;
use surehand_kernel::workspace::Workspace;

use crate::context::Services;

/// The longest list of actions, in bytes.
const MAX_LIST: usize = 64 << 20;

/// The text of a file with a list of actions.
///
/// # Errors
/// `INVALID_ARGS` when it cannot be read or is no text.
pub(crate) fn read_text(services: &dyn Services, path: &str) -> Result<String> {
    String::from_utf8(services.read_input(path, MAX_LIST)?).map_err(|_| {
        Error::new(Code::InvalidArgs, format!("the list of actions {} is no text", quote(path))).kind("bad_actions")
    })
}

/// A list of actions.
///
/// # Errors
/// `INVALID_ARGS` that names the entry which is none.
pub(crate) fn requests(text: &str) -> Result<Vec<Request>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let at = error.path().to_string();
        // What stands there is not repeated: the file may be any other.
        let (line, column) = (error.inner().line(), error.inner().column());
        Error::new(
            Code::InvalidArgs,
            format!("the list of actions is not valid at {}, line {line}, column {column}", quote(&at)),
        )
        .kind("bad_actions")
        .suggest("a list looks like `[{\"kind\":\"fs.move\",\"from\":\"a\",\"to\":\"b\"}]`")
    })
}

/// Work that is stopped by a signal, and tells nobody how far it is.
pub(crate) fn control(cancel: &Cancel) -> Control<'_> {
    Control { cancel, progress: &|done, total| tracing::info!(done, total, "steps") }
}

/// Bytes of a path as text.
pub(crate) fn path_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A path as one quoted token, for a question to a person: folders can be called anything.
pub(crate) fn quoted(path: &Path) -> String {
    quote(&path.to_string_lossy())
}

/// A word of the kernel as it stands in its files.
pub(crate) fn token(word: &impl Serialize) -> String {
    serde_json::to_value(word).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// An action of a plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ActionView {
    /// Its id.
    id: String,
    /// Its kind.
    kind: String,
    /// What it does, in our words.
    pub(crate) summary: String,
    /// Why, in the words of whoever asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

/// The view of an action.
pub(crate) fn action(plan: &Plan, index: usize) -> ActionView {
    let request = &plan.actions[index];
    ActionView {
        id: plan.action_id(index),
        kind: request.action.kind().to_owned(),
        summary: request.action.summary(),
        note: request.note.clone(),
    }
}

/// A step of a task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct StepView {
    /// Its number.
    pub(crate) step: u64,
    /// The action it belongs to.
    action: String,
    /// How it stands: `ok`, `failed`, `rolled-back`, `started` or `unknown`.
    pub(crate) status: String,
    /// What it does.
    pub(crate) summary: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

impl StepView {
    pub(crate) fn of(number: u64, step: &Step) -> StepView {
        StepView {
            step: number,
            action: step.action_id.clone(),
            status: step.state.status().as_ref().map(token).unwrap_or_default(),
            summary: step.summary.clone(),
            detail: step.detail.clone(),
        }
    }
}

/// A task in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TaskView {
    /// Its id.
    pub(crate) task: String,
    /// Who planned it.
    pub(crate) skill: String,
    /// When it began, in milliseconds since 1970.
    began: u64,
    /// How many steps it has.
    pub(crate) steps: usize,
    /// How many of them are done now.
    pub(crate) done: usize,
    /// How it stands.
    pub(crate) status: String,
}

/// A root with its tasks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RootView {
    /// Its path.
    pub(crate) root: String,
    /// How its journal stands: `ours`, `foreign`, `damaged` or `unreadable`.
    pub(crate) journal: String,
    /// Bytes in its vault.
    pub(crate) vault_bytes: u64,
    /// Its tasks, the latest first.
    pub(crate) tasks: Vec<TaskView>,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl RootView {
    pub(crate) fn unreadable(path: &Path, error: &Error) -> RootView {
        RootView {
            root: path.to_string_lossy().into_owned(),
            journal: "unreadable".to_owned(),
            vault_bytes: 0,
            tasks: Vec::new(),
            problem: Some(error.message().to_owned()),
        }
    }
}

/// The view of a root.
///
/// # Errors
/// As reading its journal.
pub(crate) fn root_view(workspace: &Workspace, path: &Path) -> Result<RootView> {
    let read = workspace.read(path)?;
    let vault = surehand_kernel::vault::list(&workspace.root(path)?)?;
    let task = |entry: history::Entry| TaskView {
        task: entry.task,
        skill: entry.skill,
        began: entry.began,
        steps: entry.steps,
        done: entry.done,
        status: token(&entry.status),
    };
    Ok(RootView {
        root: path.to_string_lossy().into_owned(),
        journal: token(&read.verified.trust),
        vault_bytes: vault.iter().map(|kept| kept.bytes).sum(),
        tasks: history::entries(&read.tasks).into_iter().map(task).collect(),
        problem: None,
    })
}

/// Something in a vault.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct KeptView {
    /// Its name.
    pub(crate) name: String,
    /// Bytes in it.
    pub(crate) bytes: u64,
    /// How many files.
    pub(crate) files: u64,
}

impl From<surehand_kernel::vault::Kept> for KeptView {
    fn from(kept: surehand_kernel::vault::Kept) -> KeptView {
        KeptView { name: kept.name, bytes: kept.bytes, files: kept.files }
    }
}

/// The task, the steps done and the steps in all of what was done whole; an error for everything else.
///
/// # Errors
/// `ACTION_FAILED` with `rolled_back`, `UNKNOWN_OUTCOME` when not all could be taken back, `TIMEOUT` when it was stopped.
pub(crate) fn applied(applied: Applied) -> Result<(String, usize, usize)> {
    let Applied { task, outcome, steps, done, failure, left, unknown } = applied;
    let why = failure.as_ref().map_or_else(String::new, |error| format!(": {}", error.message()));
    let error = match outcome {
        Outcome::Done => return Ok((task, done, steps)),
        Outcome::RolledBack => {
            Error::new(Code::ActionFailed, format!("a step failed, and all was taken back{why}")).kind("rolled_back")
        }
        Outcome::Partly => Error::new(Code::UnknownOutcome, format!("a step failed, and not all was taken back{why}"))
            .kind("not_rolled_back")
            .delivery(Delivery::DeliveredUnverified)
            .suggest(format!("look at it with `surehand show {task}`")),
        Outcome::Stopped => Error::new(Code::Timeout, format!("it was stopped after {done} of {steps} steps"))
            .kind("cancelled")
            .delivery(Delivery::DeliveredUnverified)
            .suggest(format!("go on with `surehand apply --resume`, or take it back with `surehand undo {task}`")),
    };
    let error = match &failure {
        Some(failure) => error.detail("cause", failure.code()).detail("cause_details", failure.details()),
        None => error,
    };
    let left: Vec<String> = left.iter().map(|(_, error)| error.message().to_owned()).collect();
    Err(error
        .detail("task", task)
        .detail("done", done)
        .detail("steps", steps)
        .detail("left", left)
        .detail("unknown", unknown))
}

/// How many steps were taken back, where all were.
///
/// # Errors
/// `CONFLICT` that names what stays, `UNKNOWN_OUTCOME` where nobody can tell, `TIMEOUT` when it was stopped.
pub(crate) fn undone(undone: Undone) -> Result<usize> {
    let Undone { taken_back, conflicts, unknown, stopped } = undone;
    if conflicts.is_empty() && unknown.is_empty() && !stopped {
        return Ok(taken_back);
    }
    let (code, what, kind) = if !unknown.is_empty() {
        (Code::UnknownOutcome, "of some steps nobody can tell".to_owned(), "unknown_steps")
    } else if stopped {
        (Code::Timeout, format!("it was stopped after {taken_back} steps"), "cancelled")
    } else {
        let what =
            format!("{taken_back} steps were taken back, and {} stay: what was changed since is kept", conflicts.len());
        (Code::Conflict, what, "changed_since")
    };
    let stay: Vec<String> = conflicts.iter().take(100).map(|(_, error)| error.message().to_owned()).collect();
    let delivery = if taken_back > 0 { Delivery::DeliveredUnverified } else { Delivery::NotDelivered };
    Err(Error::new(code, what)
        .kind(kind)
        .delivery(delivery)
        .detail("taken_back", taken_back)
        .detail("conflicts", stay)
        .detail("unknown", unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_that_is_not_whole_is_an_error_with_its_own_status() {
        let came_to = |outcome, done| Applied {
            task: "task-1".into(),
            outcome,
            steps: 2,
            done,
            failure: Some(Error::new(Code::PermDenied, "it may not be written")),
            left: Vec::new(),
            unknown: Vec::new(),
        };
        assert_eq!(applied(came_to(Outcome::Done, 2)).expect("whole"), ("task-1".to_owned(), 2, 2));
        let status = |outcome| {
            let error = applied(came_to(outcome, 0)).expect_err("not whole");
            let kind = error.kind_of().map(str::to_owned);
            let outcome = crate::dispatch::Outcome { spec: crate::registry::COMMANDS[0].spec, result: Err(error) };
            (kind, outcome.exit_status())
        };
        assert_eq!(status(Outcome::RolledBack), (Some("rolled_back".into()), 6));
        assert_eq!(status(Outcome::Partly), (Some("not_rolled_back".into()), 7));
        assert_eq!(status(Outcome::Stopped), (Some("cancelled".into()), 5));
    }
}
