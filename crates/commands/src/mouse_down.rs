//! `mouse-down`: presses a button of the pointer and keeps it down.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::hold::Grip;
use surehand_core::lease::Claim;
use surehand_core::stroke::Stroke;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::key_down::{HOLD_MS, hold_ms, limit};
use crate::physical::{Meant, PHYSICAL_MS, PointerReport, Xy, acting_on, button, named, needs_headed};
use crate::target::Wanted;

/// Press a button of the pointer at a point of the screen and keep it down
///
/// Needs `--headed`, and the window or the application that is meant. The button is let go by `mouse-up` or
/// `release-all`, when the process that ran this ends, and after the time limit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseDown {
    /// Point of the screen, in physical pixels; write negative ones as `--xy=-100,50`
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    xy: Xy,
    /// The button: `left`, `middle` or `right`
    #[arg(long, value_name = "BUTTON", default_value = "left")]
    #[serde(default = "left")]
    button: String,
    /// Milliseconds after which it is let go in any case, at most 300000
    #[arg(long, value_name = "MS", default_value_t = HOLD_MS)]
    #[serde(default = "hold_ms")]
    limit_ms: u64,
    /// Application that has to be in front there
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to be in front there
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

fn left() -> String {
    "left".to_owned()
}

impl Command for MouseDown {
    const SPEC: Spec = Spec::new("mouse-down", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let (button, limit) = (button(&self.button)?, limit(self.limit_ms)?);
        let call = cx.call(PHYSICAL_MS);
        let platform = cx.platform(&call)?;
        let meant = named(Meant::find(platform, &call, self.wanted())?)?;
        acting_on(cx, Some(meant.window()));
        let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
        meant.check(platform, &call, self.xy.0)?;
        platform.strike(&call, &[Stroke::MoveTo(self.xy.0)])?;
        cx.services.holder().hold(&call, &Grip::Button(button), limit)?;
        let report = PointerReport::new(Self::SPEC.name, self.xy.0, Some(meant.window()));
        cx.disposition = Some(report.disposition);
        Ok(PointerReport { button: Some(button), ..report })
    }
}

impl MouseDown {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
