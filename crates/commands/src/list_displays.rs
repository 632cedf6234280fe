//! `list-displays`: the screens.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::display::Display;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, flag, made};

/// List the screens, the primary one first
///
/// The place of each in the list is the number that `screenshot --screen` takes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListDisplays {}

/// How long the list may take.
const LOOK_MS: u64 = 5_000;

/// The screens.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Displays {
    /// The primary one first.
    displays: Vec<Display>,
}

impl Outline for Displays {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for (index, display) in self.displays.iter().enumerate() {
            let b = display.bounds;
            lines.words([
                Word::Own("display"),
                made(index),
                Word::Quoted(&display.id),
                made(format!("({},{} {}x{})", b.x, b.y, b.width, b.height)),
                made(format!("scale={}", display.scale)),
                flag(display.is_primary, "primary"),
            ]);
        }
        lines.finish()
    }
}

impl Command for ListDisplays {
    const SPEC: Spec = Spec::new("list-displays", Group::Observation, Effect::Observe);
    type Output = Displays;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(Scope::All)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Displays> {
        let call = cx.call(LOOK_MS);
        Ok(Displays { displays: cx.platform(&call)?.displays(&call)? })
    }
}
