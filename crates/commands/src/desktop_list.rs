//! `desktop list`: the private desktops there are.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::desktop::{Desktop, Stopped};
use surehand_core::disposition::Delivery;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline};
use crate::{desktop_start, desktop_stop};

/// List private desktops
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesktopList {
    /// First clear away what is left of desktops whose starter or components have died
    #[arg(long)]
    #[serde(default)]
    prune: bool,
}

/// How long clearing away may take.
const PRUNE_MS: u64 = 60_000;

/// The desktops.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DesktopsThere {
    /// Those there are, oldest first.
    desktops: Vec<Desktop>,
    /// Those that were cleared away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pruned: Vec<Stopped>,
}

impl Outline for DesktopsThere {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        self.pruned.iter().for_each(|stopped| desktop_stop::line(stopped, &mut lines));
        self.desktops.iter().for_each(|desktop| desktop_start::line(desktop, &mut lines));
        lines.finish()
    }
}

impl Command for DesktopList {
    const SPEC: Spec = Spec::new("desktop list", Group::System, Effect::Manage);
    type Output = DesktopsThere;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![if self.prune { Resource::Desktop("broken".into()) } else { Resource::Nothing }])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<DesktopsThere> {
        let desktops = cx.services.desktops();
        let pruned = if self.prune { desktops.prune(&cx.call(PRUNE_MS))? } else { Vec::new() };
        let delivery = if pruned.is_empty() { Delivery::NotDelivered } else { Delivery::DeliveredVerified };
        cx.disposition = Some(delivery.into());
        Ok(DesktopsThere { desktops: desktops.list()?, pruned })
    }
}
