//! `session gc`: removes sessions that nobody needs.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::Delivery;
use surehand_core::session::Unwanted;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Remove sessions with their snapshots and traces
///
/// Without `--older-than` every session that was ended. One that a process works in, or that was not ended and had
/// something written within five minutes, is never removed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionGc {
    /// Those in which nothing was written for so long, also where they were not ended
    #[arg(long, value_name = "SECS")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    older_than: Option<u64>,
    /// Of these only the ones that were ended
    #[arg(long)]
    #[serde(default)]
    ended: bool,
}

/// What was removed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Collected {
    /// The ids.
    removed: Vec<String>,
}

impl Outline for Collected {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for id in &self.removed {
            lines.words([Word::Own("removed"), made(id)]);
        }
        lines.finish()
    }
}

impl Command for SessionGc {
    const SPEC: Spec = Spec::new("session gc", Group::Session, Effect::Manage);
    type Output = Collected;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Collected> {
        let removed = cx.services.sessions().remove(Unwanted { older_than: self.older_than, ended: self.ended })?;
        let delivery = if removed.is_empty() { Delivery::NotDelivered } else { Delivery::DeliveredVerified };
        cx.disposition = Some(delivery.into());
        Ok(Collected { removed })
    }
}
