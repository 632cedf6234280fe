//! `open-system-surface`: not on this platform.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::Outline;

/// Present a surface of the desktop shell, such as the dock; not on Linux
///
/// Desktops of Linux have no common shell whose surfaces could be presented.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenSystemSurface {
    /// The surface
    #[arg(long, value_name = "KIND")]
    surface: String,
}

/// There is never an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Never {}

impl Outline for Never {
    fn outline(&self) -> String {
        String::new()
    }
}

impl Command for OpenSystemSurface {
    const SPEC: Spec = Spec::new("open-system-surface", Group::Observation, Effect::Observe);
    type Output = Never;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, _: &mut Cx<'_>) -> Result<Never> {
        Err(Error::new(
            Code::PlatformNotSupported,
            "desktops of Linux have no common shell whose surfaces could be presented",
        )
        .kind("not_on_this_platform")
        .suggest("panels and menus that publish a tree are in `list-apps` like any application"))
    }
}
