//! `trace export`: a session as one page for people.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use surehand_core::Result;
use surehand_core::session::unknown;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::session_end::which;
use crate::trace::page::page;
use crate::trace::read::read;

/// Write what was done in a session as one HTML file that people can read
///
/// The file holds everything it shows, pictures too, and opens without a network. Pictures show whatever was on the
/// screen: keep such a file out of public places.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct TraceExport {
    /// New file to write, inside the folder for output; a file in the folder of the session if left out
    #[arg(long, value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    /// Only the last so many events; 0 for all
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    #[serde(default = "five_thousand")]
    limit: usize,
}

fn five_thousand() -> usize {
    5_000
}

/// More bytes of pictures than this are not put into one page.
const MAX_PICTURES: usize = 100 << 20;

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Exported {
    /// The file.
    path: String,
    /// The session.
    session_id: String,
    /// How many commands it shows.
    commands: usize,
    /// How many events it shows.
    event_count: usize,
    /// How many pictures are in it.
    screenshots_embedded: usize,
    /// How many are not: gone, or beyond what one page holds.
    screenshots_skipped: usize,
    /// Its size.
    bytes: usize,
    /// How many events there are.
    total_events: usize,
    /// How many of them were looked at.
    returned_events: usize,
    /// Whether the limit left some out.
    truncated: bool,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Outline for Exported {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("exported"),
            Word::Quoted(&self.path),
            made(format!("commands={}", self.commands)),
            made(format!("events={}", self.event_count)),
            made(format!("pictures={}", self.screenshots_embedded)),
            made(format!("bytes={}", self.bytes)),
        ]);
        for warning in &self.warnings {
            lines.words([Word::Own("warning"), Word::Quoted(warning)]);
        }
        lines.finish()
    }
}

impl Command for TraceExport {
    const SPEC: Spec = Spec::new("trace export", Group::Session, Effect::Observe);
    const PLAIN: &'static [&'static str] = &[];
    type Output = Exported;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Exported> {
        let id = which(None, cx)?;
        let sessions = cx.services.sessions();
        let session = sessions.find(&id)?.ok_or_else(|| unknown(&id))?;
        let mut read = read(sessions, &id)?;
        let total = read.events.len();
        let left_out = if self.limit == 0 { 0 } else { total.saturating_sub(self.limit) };
        read.events.drain(..left_out);
        let mut pictures = BTreeMap::new();
        let (mut bytes, mut skipped) = (0, 0);
        for event in &read.events {
            let Some(name) = event.get("picture").and_then(Value::as_str) else { continue };
            match sessions.picture(&id, name)? {
                Some(png) if bytes + png.len() <= MAX_PICTURES => {
                    bytes += png.len();
                    pictures.insert(name.to_owned(), png);
                }
                _ => skipped += 1,
            }
        }
        let page = page(&session, &read, left_out, &pictures, &cx.services.facts().version);
        let path = match &self.out {
            Some(out) => cx.services.write_output(out, page.html.as_bytes())?,
            None => sessions.keep(&id, &format!("trace-{id}.html"), page.html.as_bytes())?,
        };
        Ok(Exported {
            path: path.to_string_lossy().into_owned(),
            session_id: id,
            commands: page.commands,
            event_count: read.events.len(),
            screenshots_embedded: pictures.len(),
            screenshots_skipped: skipped,
            bytes: page.html.len(),
            total_events: total,
            returned_events: read.events.len(),
            truncated: left_out > 0,
            warnings: read.warnings,
        })
    }
}
