//! `release-all`: lets go everything that is kept down.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::hold::Released;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made};
use crate::physical::PHYSICAL_MS;

/// Let go every key and button that surehand keeps down on this desktop
///
/// Keys and buttons that a person holds stay as they are.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReleaseAll {}

/// What was let go.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AllReleased {
    /// The command.
    action: &'static str,
    /// What was kept down until now.
    released: Vec<Released>,
    /// How far it got.
    disposition: Disposition,
}

impl Outline for AllReleased {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own(self.action), made(self.released.len())]);
        for released in &self.released {
            lines.words([Word::Own("released"), made(&released.what)]);
        }
        lines.finish()
    }
}

impl Command for ReleaseAll {
    const SPEC: Spec = Spec::new("release-all", Group::Keyboard, Effect::Input);
    type Output = AllReleased;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(Scope::All)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<AllReleased> {
        let call = cx.call(PHYSICAL_MS);
        let released = cx.services.holder().release_all(&call)?;
        let delivery = if released.is_empty() { Delivery::NotDelivered } else { Delivery::DeliveredUnverified };
        cx.disposition = Some(delivery.into());
        Ok(AllReleased { action: Self::SPEC.name, released, disposition: delivery.into() })
    }
}
