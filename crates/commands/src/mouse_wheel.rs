//! `mouse-wheel`: turns the wheel at a point of the screen.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::stroke::Stroke;
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::physical::{
    Meant, PHYSICAL_MS, PointerReport, Xy, acting_on, named, needs_headed, strike_at, with_modifiers,
};
use crate::target::Wanted;

/// Turn the wheel at a point of the screen
///
/// Needs `--headed`, and the window or the application that is meant: where another one is in front at the point nothing
/// is sent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseWheel {
    /// Column of the screen, in physical pixels
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    x: i32,
    /// Row of the screen, in physical pixels
    #[arg(long, value_name = "Y", allow_hyphen_values = true)]
    y: i32,
    /// Notches upwards; downwards where negative
    #[arg(long, value_name = "N", default_value_t = DOWN, allow_hyphen_values = true)]
    #[serde(default = "down")]
    dy: i32,
    /// Notches to the left; to the right where negative
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true)]
    #[serde(default)]
    dx: i32,
    /// Modifier to hold meanwhile: `ctrl`, `alt` or `shift`; can be given several times
    #[arg(long, value_name = "MODIFIER")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    modifiers: Vec<String>,
    /// Application that has to be in front there
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to be in front there
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

/// What a person does who wants to see what is below.
const DOWN: i32 = -3;

/// More notches than this are a mistake.
const MOST: u32 = 1_000;

fn down() -> i32 {
    DOWN
}

impl Command for MouseWheel {
    const SPEC: Spec = Spec::new("mouse-wheel", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        if self.dx.unsigned_abs().max(self.dy.unsigned_abs()) > MOST {
            return Err(Error::new(Code::InvalidArgs, format!("a wheel is turned by at most {MOST} notches")));
        }
        let Xy(point) = format!("{},{}", self.x, self.y).parse()?;
        let turn = Stroke::Wheel { right: -self.dx, down: -self.dy };
        let strokes = with_modifiers(&self.modifiers, vec![Stroke::MoveTo(point), turn])?;
        let call = cx.call(PHYSICAL_MS);
        let meant = named(Meant::find(cx.platform(&call)?, &call, self.wanted())?)?;
        acting_on(cx, Some(meant.window()));
        strike_at(cx, &call, Some(&meant), point, &strokes)?;
        let report = PointerReport::new(Self::SPEC.name, point, Some(meant.window()));
        Ok(PointerReport { dx: Some(self.dx), dy: Some(self.dy), ..report })
    }
}

impl MouseWheel {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
