//! `session list`: the sessions there are.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::session::Session;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline};
use crate::session_start::line;

/// List sessions, the oldest first, those that were ended among them
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionList {}

/// The sessions there are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SessionsThere {
    /// The sessions.
    sessions: Vec<Session>,
}

impl Outline for SessionsThere {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        self.sessions.iter().for_each(|session| line(session, &mut lines));
        lines.finish()
    }
}

impl Command for SessionList {
    const SPEC: Spec = Spec::new("session list", Group::Session, Effect::Observe);
    type Output = SessionsThere;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<SessionsThere> {
        Ok(SessionsThere { sessions: cx.services.sessions().list()? })
    }
}
