//! `resize-window`: resize a window.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::platform::WindowChange;
use surehand_core::{Code, Error, Result};

use crate::arrange::{WindowReport, arrange};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::target::Wanted;

/// Resize a window
///
/// The size is that inside its frame. Windows keep sizes within limits of their own; the answer tells the size that was
/// seen once the window had come to rest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResizeWindow {
    /// Width inside its frame, in physical pixels
    #[arg(long, value_name = "PIXELS")]
    width: u32,
    /// Height inside its frame, in physical pixels
    #[arg(long, value_name = "PIXELS")]
    height: u32,
    /// Application whose window is meant
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

/// No window system has larger windows.
const LARGEST: u32 = 32_767;

impl Command for ResizeWindow {
    const SPEC: Spec = Spec::new("resize-window", Group::Applications, Effect::Act);
    type Output = WindowReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Window(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<WindowReport> {
        if self.width == 0 || self.height == 0 || self.width.max(self.height) > LARGEST {
            return Err(Error::new(Code::InvalidArgs, format!("a window is from 1 to {LARGEST} pixels wide and high"))
                .kind("bad_size"));
        }
        arrange(cx, Self::SPEC.name, self.wanted(), WindowChange::Resize { width: self.width, height: self.height })
    }
}

impl ResizeWindow {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
