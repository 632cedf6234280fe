//! `mouse-move`: the pointer to a point of the screen.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::stroke::Stroke;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::physical::{Meant, PHYSICAL_MS, PointerReport, Xy, acting_on, needs_headed, strike_at};
use crate::target::Wanted;

/// Move the pointer to a point of the screen
///
/// Needs `--headed`. Nothing is focused or pressed. With a window named it goes there only if that window is in front at
/// the point.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseMove {
    /// Point of the screen, in physical pixels; write negative ones as `--xy=-100,50`
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    xy: Xy,
    /// Application that has to be in front there
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to be in front there
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

impl Command for MouseMove {
    const SPEC: Spec = Spec::new("mouse-move", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        let wanted = self.wanted();
        let scope = if wanted.is_nothing() { Scope::All } else { wanted.scope() };
        Ok(vec![Resource::UiInput(scope)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let call = cx.call(PHYSICAL_MS);
        let meant = Meant::find(cx.platform(&call)?, &call, self.wanted())?;
        let window = meant.as_ref().map(Meant::window);
        acting_on(cx, window);
        strike_at(cx, &call, meant.as_ref(), self.xy.0, &[Stroke::MoveTo(self.xy.0)])?;
        Ok(PointerReport::new(Self::SPEC.name, self.xy.0, window))
    }
}

impl MouseMove {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
