//! `mouse-up`: lets go a button of the pointer that `mouse-down` keeps down.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::Delivery;
use surehand_core::hold::Grip;
use surehand_core::lease::Claim;
use surehand_core::stroke::Stroke;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::physical::{PHYSICAL_MS, PointerReport, Xy, button, needs_headed};

/// Let go a button of the pointer that `mouse-down` keeps down
///
/// Needs `--headed`. The pointer is moved to the point first. Where nothing is kept down, nothing is sent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseUp {
    /// Point of the screen, in physical pixels; write negative ones as `--xy=-100,50`
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    xy: Xy,
    /// The button: `left`, `middle` or `right`
    #[arg(long, value_name = "BUTTON", default_value = "left")]
    #[serde(default = "left")]
    button: String,
}

fn left() -> String {
    "left".to_owned()
}

impl Command for MouseUp {
    const SPEC: Spec = Spec::new("mouse-up", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(Scope::All)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let button = button(&self.button)?;
        let call = cx.call(PHYSICAL_MS);
        let platform = cx.platform(&call)?;
        let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
        let (holder, grip) = (cx.services.holder(), Grip::Button(button));
        let released = holder.held()?.contains(&grip) && {
            platform.strike(&call, &[Stroke::MoveTo(self.xy.0)])?;
            holder.release(&call, &grip)?
        };
        let delivery = if released { Delivery::DeliveredUnverified } else { Delivery::NotDelivered };
        cx.disposition = Some(delivery.into());
        let report = PointerReport::new(Self::SPEC.name, self.xy.0, None);
        Ok(PointerReport { button: Some(button), disposition: delivery.into(), ..report })
    }
}
