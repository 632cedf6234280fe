//! `session start`: makes a session.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::session::{Artifacts, Session, SessionRequest};
use surehand_core::text::is_invisible;
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made, quoted};

/// Start a session: snapshots of its own, and a trace of what is done in it
///
/// Nothing works in it by itself: give its id with `--session`, or in the variable SUREHAND_SESSION. A ref that was made
/// in a session is found in that session only. Texts are taken out of the trace; pictures show whatever was on the
/// screen.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionStart {
    /// Name for people
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Write no trace
    #[arg(long, conflicts_with = "screenshots")]
    #[serde(default)]
    no_trace: bool,
    /// Keep a picture of the window before and after each action
    #[arg(long)]
    #[serde(default)]
    screenshots: bool,
}

/// The longest name, in bytes.
const MAX_NAME: usize = 200;

/// The session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// What it is.
    #[serde(flatten)]
    session: Session,
}

impl Outline for Started {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        line(&self.session, &mut lines);
        lines.finish()
    }
}

/// Adds the line for a session.
pub(crate) fn line(session: &Session, lines: &mut Lines) {
    lines.words([
        Word::Own("session"),
        made(&session.session_id),
        quoted(session.name.as_deref()),
        made(format!("created={}", session.created_at)),
        session.ended_at.as_ref().map_or(Word::Nothing, |ended| made(format!("ended={ended}"))),
        Word::Own(match (session.trace, session.artifacts) {
            (false, _) => "untraced",
            (true, Artifacts::Events) => "traced",
            (true, Artifacts::Full) => "traced-with-pictures",
        }),
    ]);
}

impl Command for SessionStart {
    const SPEC: Spec = Spec::new("session start", Group::Session, Effect::Observe);
    type Output = Started;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Started> {
        let bad = |why: &str| Error::new(Code::InvalidArgs, why).kind("bad_session");
        if let Some(name) = &self.name
            && (name.trim().is_empty()
                || name.len() > MAX_NAME
                || name.chars().any(|c| c.is_control() || is_invisible(c)))
        {
            return Err(bad("a name is one line of up to 200 bytes that can be seen"));
        }
        if self.no_trace && self.screenshots {
            return Err(bad("`screenshots` are part of the trace, so they do not go with `no_trace`"));
        }
        let artifacts = if self.screenshots { Artifacts::Full } else { Artifacts::Events };
        let request = SessionRequest { name: self.name, trace: !self.no_trace, artifacts };
        Ok(Started { session: cx.services.sessions().start(&request)? })
    }
}
