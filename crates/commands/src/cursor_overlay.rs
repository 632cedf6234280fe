//! `cursor-overlay`: not on this platform.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::Outline;

/// Show a second pointer for the agent; not on Linux
///
/// Nothing draws a pointer of the agent on Linux.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct CursorOverlay {
    /// `enable` or `disable`
    #[arg(value_name = "STATE", value_parser = clap::builder::PossibleValuesParser::new(["enable", "disable"]))]
    state: String,
}

/// There is never an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Never {}

impl Outline for Never {
    fn outline(&self) -> String {
        String::new()
    }
}

impl Command for CursorOverlay {
    const SPEC: Spec = Spec::new("cursor-overlay", Group::System, Effect::Observe);
    type Output = Never;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, _: &mut Cx<'_>) -> Result<Never> {
        Err(Error::new(Code::PlatformNotSupported, "nothing draws a pointer of the agent on Linux")
            .kind("not_on_this_platform")
            .suggest("headless actions do not move the pointer at all; a trace shows what was done"))
    }
}
