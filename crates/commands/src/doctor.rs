//! `doctor`: what is missing, and what mends it.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::diagnosis::{Check, Health};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Examine every link between surehand and applications, and say what mends a missing one
///
/// Exits with 0 only when applications can be read and acted on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Doctor {}

/// How long the examination may take.
const EXAMINE_MS: u64 = 10_000;

/// What was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Examined {
    /// Whether applications can be read and acted on.
    healthy: bool,
    /// The private desktop that was examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    desktop: Option<String>,
    /// Each link.
    checks: Vec<Check>,
}

impl Outline for Examined {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for check in &self.checks {
            let health = match check.health {
                Health::Ok => "ok",
                Health::Missing => "missing",
                Health::Broken => "broken",
                Health::Unknown => "unknown",
            };
            lines.words([made(format!("{health:8}")), Word::Own(check.id), made(&check.found)]);
            for mend in &check.mends {
                lines.indented(9, [made(format!("{}:", mend.with)), made(&mend.command)]);
            }
        }
        let verdict = if self.healthy {
            "applications can be read and acted on"
        } else {
            "applications cannot be read and acted on yet"
        };
        lines.words([Word::Own(verdict)]);
        lines.finish()
    }

    fn exit_status(&self) -> Option<u8> {
        Some(u8::from(!self.healthy))
    }
}

impl Command for Doctor {
    const SPEC: Spec = Spec::new("doctor", Group::System, Effect::Observe);
    type Output = Examined;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Nothing])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Examined> {
        let call = cx.call(EXAMINE_MS);
        // A desktop that was named and is not there is an error of the caller, not a finding.
        cx.services.environment()?;
        let checks = cx.services.doctor().examine(&call);
        let healthy = checks.iter().filter(|check| check.needed).all(|check| check.health == Health::Ok);
        Ok(Examined { healthy, desktop: cx.services.facts().desktop.clone(), checks })
    }
}
