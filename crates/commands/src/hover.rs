//! `hover`: puts the pointer over an element or a point.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::reference::Ref;
use surehand_core::stroke::Stroke;
use surehand_core::{Code, Error, Result};

use crate::aiming::Endpoint;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::{Resource, Scope};
use crate::physical::{Meant, PointerReport, Xy, acting_on, needs_headed, strike_at};

/// Put the pointer over an element, or over a point of the screen
///
/// Needs `--headed`. For an element its window is brought to the front first, and the pointer goes to it only where
/// nothing covers it and its place on the screen is known.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hover {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF", required_unless_present = "xy", conflicts_with = "xy")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ref_id: Option<Ref>,
    /// Point of the screen, in physical pixels; write negative ones as `--xy=-100,50`
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    xy: Option<Xy>,
    /// Milliseconds to wait until the element is there
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

impl Command for Hover {
    const SPEC: Spec = Spec::new("hover", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.ref_id.map_or(Ok(Scope::All), |ref_id| cx.scope_of(ref_id))?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let call = cx.call_for_action(self.timeout_ms);
        match (self.ref_id, self.xy) {
            (Some(ref_id), None) => {
                let end = Endpoint::of_ref(cx, &call, ref_id, true)?;
                let meant = end.window.clone().map(Meant::Window);
                strike_at(cx, &call, meant.as_ref(), end.point, &[Stroke::MoveTo(end.point)])?;
                Ok(PointerReport::new(Self::SPEC.name, end.point, end.window.as_ref()))
            }
            (None, Some(Xy(point))) => {
                acting_on(cx, None);
                strike_at(cx, &call, None, point, &[Stroke::MoveTo(point)])?;
                Ok(PointerReport::new(Self::SPEC.name, point, None))
            }
            _ => Err(Error::new(Code::InvalidArgs, "give either an element or `--xy`").kind("bad_target")),
        }
    }
}
