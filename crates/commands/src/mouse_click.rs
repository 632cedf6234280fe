//! `mouse-click`: presses a button of the pointer at a point of the screen.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::stroke::Stroke;
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::physical::{
    Meant, PHYSICAL_MS, PointerReport, Xy, acting_on, button, named, needs_headed, strike_at, with_modifiers,
};
use crate::target::Wanted;

/// Click at a point of the screen
///
/// Needs `--headed`, and the window or the application that is meant: where another one is in front at the point nothing
/// is sent. Nothing is focused for it. What the click did is not known; look at the application afterwards.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseClick {
    /// Point of the screen, in physical pixels; write negative ones as `--xy=-100,50`
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    xy: Xy,
    /// The button: `left`, `middle` or `right`
    #[arg(long, value_name = "BUTTON", default_value = "left")]
    #[serde(default = "left")]
    button: String,
    /// How often, at most 100; 2 is a double click
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[serde(default = "once")]
    count: u32,
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

/// More clicks than this are a mistake.
const MOST: u32 = 100;

fn once() -> u32 {
    1
}

fn left() -> String {
    "left".to_owned()
}

impl Command for MouseClick {
    const SPEC: Spec = Spec::new("mouse-click", Group::Mouse, Effect::Input);
    type Output = PointerReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<PointerReport> {
        needs_headed(cx, Self::SPEC.name)?;
        if !(1..=MOST).contains(&self.count) {
            return Err(Error::new(Code::InvalidArgs, format!("`--count` is from 1 to {MOST}")).kind("bad_count"));
        }
        let button = button(&self.button)?;
        let clicks = (0..self.count).flat_map(|_| [Stroke::ButtonDown(button), Stroke::ButtonUp(button)]);
        let strokes = with_modifiers(&self.modifiers, [Stroke::MoveTo(self.xy.0)].into_iter().chain(clicks).collect())?;
        let call = cx.call(PHYSICAL_MS);
        let meant = named(Meant::find(cx.platform(&call)?, &call, self.wanted())?)?;
        acting_on(cx, Some(meant.window()));
        strike_at(cx, &call, Some(&meant), self.xy.0, &strokes)?;
        Ok(PointerReport {
            button: Some(button),
            count: Some(self.count),
            ..PointerReport::new(Self::SPEC.name, self.xy.0, Some(meant.window()))
        })
    }
}

impl MouseClick {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
