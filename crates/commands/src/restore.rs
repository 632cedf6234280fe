//! `restore`: show a window again that was put away, and undo that it fills the screen.

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

/// Show a window again that was put away, and undo that it fills the screen
///
/// A window that was put away gets the keyboard by it, which needs `--headed`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restore {
    /// Application whose window is meant
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

impl Command for Restore {
    const SPEC: Spec = Spec::new("restore", Group::Applications, Effect::Act);
    type Output = WindowReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Window(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<WindowReport> {
        arrange(cx, Self::SPEC.name, self.wanted(), WindowChange::Restore)
    }
}

impl Restore {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
