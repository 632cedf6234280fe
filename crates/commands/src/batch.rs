//! `batch`: several commands in one call.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use surehand_core::disposition::Delivery;
use surehand_core::session::Namespace;
use surehand_core::text::quote;
use surehand_core::time::Deadline;
use surehand_core::{Code, Error, Result};

use crate::command::{Audience, Command, Effect, Group, Invocation, Spec};
use crate::context::{Cx, Services};
use crate::dispatch::{Outcome, dispatch_within};
use crate::envelope;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::registry;
use crate::view::View;

/// Run several commands one after the other, in one process and on one connection
///
/// Each entry is `{"command": "click", "args": {"ref_id": "@s0k:e8"}}`, with the long names of its arguments and
/// underscores in them. Every entry is checked before the first is run, and each passes the gate by itself. What was done
/// stays done when a later entry fails. A `wait --event` compares with what there was before the entry ahead of it, so
/// that nothing is missed in between. Texts that nobody should see belong on standard input: arguments of a process can be
/// read by others.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// List of commands as JSON; with `--stdin` it is left out
    #[arg(value_name = "JSON")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entries: Option<Entries>,
    /// Take the list from standard input
    #[arg(long, conflicts_with = "entries")]
    #[serde(skip)]
    stdin: bool,
    /// Run no more entries after one that failed
    #[arg(long)]
    #[serde(default)]
    stop_on_error: bool,
    /// Milliseconds for all entries together
    #[arg(long, value_name = "MS", default_value_t = 60_000)]
    #[serde(default = "a_minute")]
    timeout_ms: u64,
}

fn a_minute() -> u64 {
    60_000
}

/// The longest list, in bytes.
const MAX_INPUT: usize = 1 << 20;

/// The most entries.
const MAX_ENTRIES: usize = 64;

/// The most bytes of answers.
const MAX_OUTPUT: usize = 4 << 20;

/// How many of them are kept for what stands around the answers.
const RESERVE: usize = 8 << 10;

/// Commands to run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Entries(Vec<Entry>);

/// One command to run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Name of the command.
    command: String,
    /// Its arguments, by their long names with underscores.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    args: Map<String, Value>,
    /// Session to run it in, where it is not that of the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

impl FromStr for Entries {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.len() > MAX_INPUT {
            return Err(bad(format!("the list of commands is longer than {MAX_INPUT} bytes")));
        }
        // What stands in it can be a secret, so it is told where it is wrong, and not what is there.
        let list: Value = serde_json::from_str(text).map_err(|error| {
            bad(format!("the list of commands is not JSON, at line {} column {}", error.line(), error.column()))
        })?;
        let Value::Array(list) = list else { return Err(bad("the commands are not a JSON list")) };
        let entries = list.into_iter().enumerate().map(|(index, entry)| {
            serde_json::from_value(entry).map_err(|_| {
                bad("an entry is an object with `command`, and if need be `args` and `session`, and nothing else")
                    .detail("batch_index", index)
            })
        });
        Ok(Entries(entries.collect::<Result<_>>()?))
    }
}

fn bad(why: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgs, why).kind("bad_batch")
}

/// Whether an entry was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Execution {
    /// It ran to its end, well or not.
    Completed,
    /// Nothing of it was done.
    NotStarted,
}

/// What became of one entry: an envelope, and where it belongs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntryResult {
    /// Its place in the list, from 0.
    index: usize,
    /// Whether it was run.
    execution: Execution,
    /// Why it was not: `cancelled`, `deadline`, `session_ended` or `stopped_on_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_started_reason: Option<&'static str>,
    /// The version of the envelope.
    version: &'static str,
    /// Whether it succeeded.
    ok: bool,
    /// The command.
    command: &'static str,
    /// What it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    data: Option<Box<RawValue>>,
    /// Its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
    #[serde(skip)]
    outline: String,
}

/// What became of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchDone {
    /// The entries in their order.
    results: Vec<EntryResult>,
    /// How many succeeded.
    succeeded: usize,
    /// How many were run and failed.
    failed: usize,
    /// How many were not run.
    not_started: usize,
}

impl Outline for BatchDone {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("batch"),
            made(format!("succeeded={}", self.succeeded)),
            made(format!("failed={}", self.failed)),
            made(format!("not-started={}", self.not_started)),
        ]);
        for result in &self.results {
            let code = result.error.as_ref().and_then(|error| error["code"].as_str());
            lines.words([
                made(result.index),
                Word::Own(result.command),
                Word::Own(if result.ok { "ok" } else { "failed" }),
                code.map_or(Word::Nothing, made),
                result.not_started_reason.map_or(Word::Nothing, Word::Own),
            ]);
            for line in result.outline.lines() {
                // The outline of a command is made of quoted tokens already.
                lines.indented(1, [made(line)]);
            }
        }
        lines.finish()
    }
}

impl Command for Batch {
    const SPEC: Spec = Spec::new("batch", Group::Session, Effect::Act);
    const PLAIN: &'static [&'static str] = &[];
    type Output = BatchDone;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        // Each entry passes the gate by itself.
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<BatchDone> {
        // What is done is recorded by the entries; the batch itself does nothing.
        cx.disposition = Some(Delivery::NotDelivered.into());
        let entries = match (self.entries, self.stdin) {
            (Some(entries), false) => entries,
            (None, true) => cx.services.standard_input(cx.cancel)?.parse()?,
            (Some(_), true) => return Err(bad("give the list as an argument or with `--stdin`, not both")),
            (None, false) => return Err(bad("no list of commands was given")),
        };
        crate::snapshot::nonzero(self.timeout_ms, "timeout_ms")?;
        let prepared = check(entries.0, cx.services)?;
        let limit = cx.call(self.timeout_ms).deadline;
        Ok(Running { cx, limit, stop_on_error: self.stop_on_error, bytes: 0 }.all(prepared))
    }
}

/// An entry that can be run.
struct Prepared {
    invocation: Option<Box<dyn Invocation>>,
    spec: Spec,
    session: Option<String>,
    /// What kept it from looking before the entry ahead of it: then it would wait for a difference from too late.
    blind: Option<Error>,
}

/// Refuses a list in which anything is wrong, before anything of it is done.
fn check(entries: Vec<Entry>, services: &dyn Services) -> Result<Vec<Prepared>> {
    if entries.is_empty() || entries.len() > MAX_ENTRIES {
        return Err(bad(format!("a batch has 1 to {MAX_ENTRIES} entries, and not {}", entries.len())));
    }
    let mut prepared = Vec::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let at = |error: Error| error.detail("batch_index", index);
        let definition = registry::find(&entry.command).ok_or_else(|| {
            at(bad(format!("there is no command {}", quote(&entry.command)))
                .kind("unknown_command")
                .suggest("a family and its command are two words, as in `session list`"))
        })?;
        if definition.spec.name == Batch::SPEC.name {
            return Err(at(bad("a batch does not hold another one").kind("nested_batch")));
        }
        if definition.spec.audience == Audience::Person {
            return Err(at(Error::new(
                Code::PolicyDenied,
                format!("`{}` is a command for people, and stands in no batch", definition.spec.name),
            )
            .kind("person_command")));
        }
        if let Some(session) = &entry.session {
            services.sessions().find(session).map_err(at)?;
        }
        let invocation = definition.from_json(Value::Object(entry.args)).map_err(at)?;
        prepared.push(Prepared {
            invocation: Some(invocation),
            spec: definition.spec,
            session: entry.session,
            blind: None,
        });
    }
    Ok(prepared)
}

struct Running<'r, 'a> {
    cx: &'r Cx<'a>,
    limit: Deadline,
    stop_on_error: bool,
    bytes: usize,
}

impl Running<'_, '_> {
    fn all(mut self, mut entries: Vec<Prepared>) -> BatchDone {
        let mut done = BatchDone { results: Vec::new(), succeeded: 0, failed: 0, not_started: 0 };
        self.prepare(entries.first_mut());
        for index in 0..entries.len() {
            let reason = self.reason(&done, entries.get(index).and_then(|entry| entry.session.as_deref()));
            if reason.is_none() {
                self.prepare(entries.get_mut(index + 1));
            }
            let Some(entry) = entries.get_mut(index) else { continue };
            let result = match (reason, entry.invocation.take()) {
                (None, Some(invocation)) => {
                    self.cx.note("batch.child", json!({ "index": index, "command": entry.spec.name }));
                    let outcome = self.run(invocation, entry);
                    self.completed(index, &outcome)
                }
                (reason, _) => not_started(index, entry.spec, reason.unwrap_or("cancelled")),
            };
            match (result.execution, result.ok) {
                (Execution::Completed, true) => done.succeeded += 1,
                (Execution::Completed, false) => done.failed += 1,
                (Execution::NotStarted, _) => done.not_started += 1,
            }
            let fields = json!({ "index": index, "ok": result.ok, "not_started": result.not_started_reason });
            self.cx.note("batch.item", fields);
            done.results.push(result);
        }
        done
    }

    /// Looks at what there is, for an entry that waits for a difference from it.
    fn prepare(&self, entry: Option<&mut Prepared>) {
        if let Some(entry) = entry
            && let Some(invocation) = &mut entry.invocation
        {
            let cx = Cx::new(self.cx.services, self.cx.cancel).within(Some(self.limit));
            entry.blind = invocation.prepare(&cx).err();
        }
    }

    /// Why the next entry is not run.
    fn reason(&self, done: &BatchDone, session: Option<&str>) -> Option<&'static str> {
        let services = self.cx.services;
        let ended = |id: &str| {
            let session = services.sessions().find(id).ok().flatten();
            session.is_some_and(|session| session.ended_at.is_some())
        };
        if self.cx.cancel.is_raised() {
            Some("cancelled")
        } else if self.stop_on_error && done.failed > 0 {
            Some("stopped_on_error")
        } else if self.limit.left(services.clock().now()).is_zero() {
            Some("deadline")
        } else if session.or_else(|| services.session()).is_some_and(ended) {
            Some("session_ended")
        } else {
            None
        }
    }

    fn run(&self, invocation: Box<dyn Invocation>, entry: &Prepared) -> Outcome {
        if let Some(error) = &entry.blind {
            return Outcome { spec: entry.spec, result: Err(error.clone()) };
        }
        let services = self.cx.services;
        let other = entry.session.as_deref().filter(|session| services.session() != Some(session));
        let Some(session) = other else {
            return dispatch_within(invocation, services, self.cx.cancel, Some(self.limit));
        };
        match services.sessions().namespace(session) {
            Err(error) => Outcome { spec: entry.spec, result: Err(error) },
            Ok(Namespace { snapshots, trace }) => {
                let view = View {
                    base: services,
                    snapshots: &*snapshots,
                    untraced: &*snapshots,
                    trace: &*trace,
                    session: Some(session),
                };
                dispatch_within(invocation, &view, self.cx.cancel, Some(self.limit))
            }
        }
    }

    fn completed(&mut self, index: usize, outcome: &Outcome) -> EntryResult {
        let answered =
            outcome.result.as_ref().map_err(Clone::clone).and_then(|answer| Ok((answer.json()?, answer.outline())));
        let (mut data, mut error, outline) = match answered {
            Ok((data, outline)) => (Some(data), None, outline),
            Err(error) => (None, Some(body(outcome.spec.name, &error)), String::new()),
        };
        let size = data.as_ref().map_or(0, |data| data.get().len())
            + error.as_ref().map_or(0, |error| error.to_string().len());
        if self.bytes + size > MAX_OUTPUT - RESERVE {
            let omitted = json!({ "result_omitted": true, "batch_index": index, "max_output_bytes": MAX_OUTPUT });
            match &mut error {
                // How far it got is told in any case.
                Some(error) => error["details"] = omitted,
                None => data = serde_json::value::to_raw_value(&omitted).ok(),
            }
        } else {
            self.bytes += size;
        }
        EntryResult {
            index,
            execution: Execution::Completed,
            not_started_reason: None,
            version: envelope::VERSION,
            ok: error.is_none(),
            command: outcome.spec.name,
            data,
            error,
            outline,
        }
    }
}

/// The `error` of an envelope.
fn body(command: &str, error: &Error) -> Value {
    let line = envelope::failure(command, error);
    serde_json::from_str::<Value>(&line).ok().map(|mut line| line["error"].take()).unwrap_or_default()
}

fn not_started(index: usize, spec: Spec, reason: &'static str) -> EntryResult {
    let (code, why) = match reason {
        "deadline" => (Code::Timeout, "the time for the batch was over before this entry was run"),
        "cancelled" => (Code::Timeout, "the batch was cancelled before this entry was run"),
        "session_ended" => (Code::InvalidArgs, "the session of this entry has ended"),
        _ => (Code::ActionFailed, "an entry before this one failed, and the batch stopped there"),
    };
    EntryResult {
        index,
        execution: Execution::NotStarted,
        not_started_reason: Some(reason),
        version: envelope::VERSION,
        ok: false,
        command: spec.name,
        data: None,
        error: Some(body(spec.name, &Error::new(code, why).kind("not_started"))),
        outline: String::new(),
    }
}
