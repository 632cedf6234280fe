//! `desktop stop`: takes a private desktop down.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::desktop::Stopped;
use surehand_core::disposition::Delivery;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Stop a private desktop with everything that runs on it
///
/// Its home directory is kept when there are files in it other than settings.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesktopStop {
    /// Id or name of the desktop; the one of `--desktop` if left out
    #[arg(value_name = "DESKTOP")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// How long it may take: applications are given time to end by themselves.
const STOP_MS: u64 = 20_000;

/// The desktop that was stopped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct TakenDown {
    /// What was done.
    #[serde(flatten)]
    stopped: Stopped,
}

impl Outline for TakenDown {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        line(&self.stopped, &mut lines);
        lines.finish()
    }
}

/// Adds the line for a desktop that was stopped.
pub(crate) fn line(stopped: &Stopped, lines: &mut Lines) {
    let kept = stopped.kept_home.as_ref().map(|home| home.to_string_lossy());
    lines.words([
        Word::Own("stopped"),
        made(&stopped.id),
        made(format!("processes={}", stopped.processes)),
        kept.as_deref().map_or(Word::Nothing, |home| Word::Labelled("kept", home)),
    ]);
}

impl Command for DesktopStop {
    const SPEC: Spec = Spec::new("desktop stop", Group::System, Effect::Manage);
    type Output = TakenDown;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Desktop(which(self.id.as_deref(), cx)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<TakenDown> {
        let id = which(self.id.as_deref(), cx)?;
        let stopped = cx.services.desktops().stop(&cx.call(STOP_MS), &id)?;
        cx.disposition = Some(Delivery::DeliveredVerified.into());
        Ok(TakenDown { stopped })
    }
}

/// The desktop that is meant: the one named, else the one chosen for the whole call.
///
/// # Errors
/// `INVALID_ARGS` when neither is there.
pub(crate) fn which(id: Option<&str>, cx: &Cx<'_>) -> Result<String> {
    id.map(str::to_owned).or_else(|| cx.services.facts().desktop.clone()).ok_or_else(|| {
        surehand_core::Error::new(surehand_core::Code::InvalidArgs, "no desktop was named")
            .kind("no_desktop")
            .suggest("give its id or name; see `desktop list`")
    })
}
