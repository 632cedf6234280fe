//! `maximize`: let a window fill the screen.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::platform::WindowChange;

use crate::arrange::{WindowReport, arrange};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::target::Wanted;

/// Let a window fill the screen
///
/// Success is what was seen once the window had come to rest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Maximize {
    /// Application whose window is meant
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

impl Command for Maximize {
    const SPEC: Spec = Spec::new("maximize", Group::Applications, Effect::Act);
    type Output = WindowReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Window(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<WindowReport> {
        arrange(cx, Self::SPEC.name, self.wanted(), WindowChange::Maximize)
    }
}

impl Maximize {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
