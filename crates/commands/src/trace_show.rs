//! `trace show`: the events of a session.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use surehand_core::Result;
use surehand_core::session::unknown;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::session_end::which;
use crate::trace::read::read;

/// Show what was done in a session, event by event
///
/// The session is the one of `--session`. Texts of people and applications were taken out when it was written.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceShow {
    /// Only the last so many events; 0 for all
    #[arg(long, value_name = "N", default_value_t = 500)]
    #[serde(default = "five_hundred")]
    limit: usize,
    /// Only events whose kind begins so, for example `action.`
    #[arg(long, value_name = "PREFIX")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
}

fn five_hundred() -> usize {
    500
}

/// What was done in a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TraceShown {
    /// The session.
    session_id: String,
    /// How many processes wrote into it.
    segments: usize,
    /// How many events there are.
    total_events: usize,
    /// How many of them are here.
    returned_events: usize,
    /// How many are of the kind that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_events: Option<usize>,
    /// Whether the limit left some out.
    truncated: bool,
    /// The events, the oldest first, each with `ts_ms`, `pid`, `n`, `event` and what belongs to it.
    events: Vec<Map<String, Value>>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Outline for TraceShown {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("trace"),
            made(&self.session_id),
            made(format!("events={}", self.total_events)),
            made(format!("shown={}", self.returned_events)),
        ]);
        let first = self.events.first().and_then(|event| event.get("ts_ms")).and_then(Value::as_u64).unwrap_or(0);
        for event in &self.events {
            let at = event.get("ts_ms").and_then(Value::as_u64).unwrap_or(0).saturating_sub(first);
            let mut rest = event.clone();
            for known in ["ts_ms", "pid", "n", "event"] {
                rest.remove(known);
            }
            let kind = event.get("event").and_then(Value::as_str).unwrap_or_default();
            // A file may have been written to by others, so not even the kind is taken for a word of ours.
            let plain = kind.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
            let fields = if rest.is_empty() { String::new() } else { Value::Object(rest).to_string() };
            lines.words([
                made(format!("+{at}ms")),
                if plain { made(kind) } else { Word::Quoted(kind) },
                if fields.is_empty() { Word::Nothing } else { Word::Quoted(&fields) },
            ]);
        }
        for warning in &self.warnings {
            lines.words([Word::Own("warning"), Word::Quoted(warning)]);
        }
        lines.finish()
    }
}

impl Command for TraceShow {
    const SPEC: Spec = Spec::new("trace show", Group::Session, Effect::Observe);
    const PLAIN: &'static [&'static str] = &["event"];
    type Output = TraceShown;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<TraceShown> {
        let id = which(None, cx)?;
        let sessions = cx.services.sessions();
        sessions.find(&id)?.ok_or_else(|| unknown(&id))?;
        let read = read(sessions, &id)?;
        let total = read.events.len();
        let fits = |event: &Map<String, Value>| match &self.event {
            Some(prefix) => event.get("event").and_then(Value::as_str).is_some_and(|kind| kind.starts_with(prefix)),
            None => true,
        };
        let matching: Vec<Map<String, Value>> = read.events.into_iter().filter(fits).collect();
        let matched = matching.len();
        let left_out = if self.limit == 0 { 0 } else { matched.saturating_sub(self.limit) };
        let events: Vec<_> = matching.into_iter().skip(left_out).collect();
        Ok(TraceShown {
            session_id: id,
            segments: read.segments,
            total_events: total,
            returned_events: events.len(),
            matched_events: self.event.is_some().then_some(matched),
            truncated: left_out > 0,
            events,
            warnings: read.warnings,
        })
    }
}
