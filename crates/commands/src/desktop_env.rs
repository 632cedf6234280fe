//! `desktop env`: the environment of a private desktop, for a shell.

use std::collections::BTreeMap;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::desktop_stop::which;
use crate::gate::Resource;
use crate::outline::Outline;

/// Print the variables that make a shell part of a private desktop
///
/// For `eval "$(surehand desktop env ID)"`. For people: whatever runs in that environment can do anything there.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesktopEnv {
    /// Id or name of the desktop; the one of `--desktop` if left out
    #[arg(value_name = "DESKTOP")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// The variables.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Variables {
    /// Each with its value.
    environment: BTreeMap<String, String>,
}

impl Outline for Variables {
    fn outline(&self) -> String {
        let lines: Vec<String> =
            self.environment.iter().map(|(name, value)| format!("export {name}={}", shell_quote(value))).collect();
        lines.join("\n")
    }
}

/// One word of a POSIX shell: in single quotes nothing is special but the quote itself.
fn shell_quote(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

impl Command for DesktopEnv {
    const SPEC: Spec = Spec::new("desktop env", Group::System, Effect::Observe).for_person().as_text();
    type Output = Variables;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Desktop(which(self.id.as_deref(), cx)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Variables> {
        let id = which(self.id.as_deref(), cx)?;
        Ok(Variables { environment: cx.services.desktops().environment(&id)?.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_gets_out_of_its_quotes() {
        assert_eq!(shell_quote("a b"), "'a b'");
        assert_eq!(shell_quote("it's $HOME `x`"), r"'it'\''s $HOME `x`'");
    }
}
