//! `key-up`: lets go keys that `key-down` keeps down.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::Delivery;
use surehand_core::hold::Grip;
use surehand_core::input::Chord;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::key_down::KeyReport;
use crate::physical::{PHYSICAL_MS, needs_headed};

/// Let go keys that `key-down` keeps down
///
/// Needs `--headed`. It is the same combination as that of `key-down`. Where nothing is kept down, nothing is sent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyUp {
    /// Keys joined with `+`, as they were given to `key-down`
    #[arg(value_name = "COMBO")]
    combo: String,
}

impl Command for KeyUp {
    const SPEC: Spec = Spec::new("key-up", Group::Keyboard, Effect::Input);
    type Output = KeyReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(Scope::All)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<KeyReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let chord: Chord = self.combo.parse()?;
        let combo = chord.to_string();
        let call = cx.call(PHYSICAL_MS);
        // No lease: whoever waits for the keys to be let go must not keep them from it.
        let released = cx.services.holder().release(&call, &Grip::Keys(chord))?;
        let delivery = if released { Delivery::DeliveredUnverified } else { Delivery::NotDelivered };
        cx.disposition = Some(delivery.into());
        Ok(KeyReport { action: Self::SPEC.name, combo, limit_ms: None, window: None, disposition: delivery.into() })
    }
}
