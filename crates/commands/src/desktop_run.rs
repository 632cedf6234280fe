//! `desktop run`: runs a program on a private desktop.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::desktop_stop::which;
use crate::gate::Resource;
use crate::outline::Outline;

/// Run a program on a private desktop, in the foreground
///
/// For people: any program can be run. Signals reach it, and its exit status is ours.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesktopRun {
    /// The program and its arguments
    #[arg(value_name = "CMD", trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<String>,
}

/// How the program ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Ran {
    /// Its exit status; 128 and the signal's number where a signal ended it.
    exit_status: u8,
}

impl Outline for Ran {
    fn outline(&self) -> String {
        String::new()
    }

    fn exit_status(&self) -> Option<u8> {
        Some(self.exit_status)
    }
}

impl Command for DesktopRun {
    const SPEC: Spec = Spec::new("desktop run", Group::System, Effect::Manage).for_person().as_text().handing_over();
    type Output = Ran;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Desktop(which(None, cx)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Ran> {
        if self.command.is_empty() {
            return Err(Error::new(Code::InvalidArgs, "no program was given"));
        }
        let environment = cx.services.desktops().environment(&which(None, cx)?)?;
        let exit_status = cx.services.run_foreground(&self.command, &environment)?;
        cx.disposition = Some(Delivery::DeliveredVerified.into());
        Ok(Ran { exit_status })
    }
}
