//! `list-apps`: the running applications that can be read.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::text::fold;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made};
use crate::target::{self, Silent};

/// List the running applications that can be read
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListApps {
    /// Only those whose name or program holds this text
    #[arg(long, value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
}

/// How long the list may take.
const LOOK_MS: u64 = 5_000;

/// A running application.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AppView {
    /// The name it gives itself.
    name: String,
    /// The process.
    pid: u32,
    /// The process's start, so that a later process of the same pid is not taken for it.
    process_instance: String,
    /// The program it runs, as the system tells it.
    program: String,
    /// Its toolkit, as it says.
    toolkit: String,
}

/// The running applications.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Apps {
    /// Those that answered.
    apps: Vec<AppView>,
    /// Those that did not answer in time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresponsive: Vec<Silent>,
}

impl Outline for Apps {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for app in &self.apps {
            lines.words([
                Word::Own("app"),
                Word::Quoted(&app.name),
                made(format!("pid={}", app.pid)),
                Word::Labelled("program", &app.program),
                Word::Labelled("toolkit", &app.toolkit),
            ]);
        }
        target::silent_lines(&self.unresponsive, &mut lines);
        lines.finish()
    }
}

impl Command for ListApps {
    const SPEC: Spec = Spec::new("list-apps", Group::Applications, Effect::Observe);
    type Output = Apps;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(Scope::All)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Apps> {
        let call = cx.call(LOOK_MS);
        let listing = cx.platform(&call)?.applications(&call)?;
        let wanted = self.app.as_deref().map(fold);
        let fits = |name: &str, program: &str| {
            wanted.as_ref().is_none_or(|wanted| fold(name).contains(wanted) || fold(program).contains(wanted))
        };
        let apps = listing
            .items
            .into_iter()
            .filter(|application| fits(&application.name, &application.program))
            .map(|application| AppView {
                name: application.name,
                pid: application.process.pid,
                process_instance: application.process.generation,
                program: application.program,
                toolkit: application.toolkit,
            })
            .collect();
        let mut unresponsive = Silent::all(&listing.unresponsive);
        unresponsive.retain(|silent| fits("", &silent.program));
        Ok(Apps { apps, unresponsive })
    }
}
