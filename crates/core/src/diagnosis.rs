//! What `doctor` finds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Call;

/// How one link of the chain stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// It works; it was asked and answered.
    Ok,
    /// It is not there.
    Missing,
    /// It is there and does not work.
    Broken,
    /// It could not be examined because a link before it is missing.
    Unknown,
}

/// A way to mend a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mend {
    /// What it is for: `apt`, `dnf` or `pacman` for packages, `run` for a command of any system.
    pub with: &'static str,
    /// The command line.
    pub command: String,
}

/// One link that seeing and acting depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was examined, for example `accessibility-bus`.
    pub id: &'static str,
    /// How it stands.
    pub health: Health,
    /// Whether reading and acting need it; the rest is for starting private desktops.
    pub needed: bool,
    /// What was found.
    pub found: String,
    /// What mends it; empty when nothing has to be mended.
    pub mends: Vec<Mend>,
}

/// Examines every link between surehand and an application.
pub trait Doctor: Send + Sync {
    /// Looks at all of them, also when one fails.
    fn examine(&self, call: &Call<'_>) -> Vec<Check>;
}
