//! `session end`: ends a session.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// End a session: nothing is traced in it any more
///
/// Its snapshots and its trace are kept until `session gc`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionEnd {
    /// Session to end; the one of `--session` if left out
    #[arg(value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// The session that was ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Ended {
    /// Its id.
    session_id: String,
    /// When it was ended; earlier, where it had been ended before.
    ended_at: String,
}

impl Outline for Ended {
    fn outline(&self) -> String {
        Lines::new().words([Word::Own("ended"), made(&self.session_id), made(format!("at={}", self.ended_at))]).finish()
    }
}

impl Command for SessionEnd {
    const SPEC: Spec = Spec::new("session end", Group::Session, Effect::Observe);
    type Output = Ended;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Ended> {
        let id = which(self.id.as_deref(), cx)?;
        let session = cx.services.sessions().end(&id)?;
        Ok(Ended { session_id: session.session_id, ended_at: session.ended_at.unwrap_or_default() })
    }
}

/// The session that is meant: the one named, else the one chosen for the whole call.
///
/// # Errors
/// `INVALID_ARGS` when neither is there.
pub(crate) fn which(id: Option<&str>, cx: &Cx<'_>) -> Result<String> {
    id.or_else(|| cx.services.session()).map(str::to_owned).ok_or_else(|| {
        Error::new(Code::InvalidArgs, "no session was named")
            .kind("no_session")
            .suggest("give its id with `--session` or in SUREHAND_SESSION; see `session list`")
    })
}
