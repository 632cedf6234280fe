//! `move-window`: move a window.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::geometry::Point;
use surehand_core::platform::WindowChange;

use crate::arrange::{WindowReport, arrange};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::target::Wanted;

/// Move a window
///
/// The corner is that of its frame. Success is what was seen once the window had come to rest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveWindow {
    /// Left edge of its frame, in physical pixels of the screen
    #[arg(long, value_name = "PIXELS", allow_hyphen_values = true)]
    x: i32,
    /// Upper edge of its frame, in physical pixels of the screen
    #[arg(long, value_name = "PIXELS", allow_hyphen_values = true)]
    y: i32,
    /// Application whose window is meant
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

impl Command for MoveWindow {
    const SPEC: Spec = Spec::new("move-window", Group::Applications, Effect::Act);
    type Output = WindowReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Window(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<WindowReport> {
        arrange(cx, Self::SPEC.name, self.wanted(), WindowChange::Move(Point { x: self.x, y: self.y }))
    }
}

impl MoveWindow {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
