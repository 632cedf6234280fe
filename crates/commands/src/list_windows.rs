//! `list-windows`: the top-level windows.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, flag, made};
use crate::target::{self, Silent, WindowView};

/// List the top-level windows
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListWindows {
    /// Only those of this application, by its name or its program's name
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
}

/// How long the list may take.
const LOOK_MS: u64 = 5_000;

/// The top-level windows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Windows {
    /// Those that are known.
    windows: Vec<WindowView>,
    /// Processes that did not answer in time, whose windows may be missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresponsive: Vec<Silent>,
}

impl Outline for Windows {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for window in &self.windows {
            lines.words([
                Word::Own("window"),
                made(&window.id),
                Word::Quoted(&window.title),
                Word::Labelled("app", &window.app_name),
                made(format!("pid={}", window.pid)),
                flag(window.is_focused, "focused"),
                flag(window.minimized == Some(true), "minimized"),
                flag(!window.accessible, "inaccessible"),
            ]);
        }
        target::silent_lines(&self.unresponsive, &mut lines);
        lines.finish()
    }
}

impl Command for ListWindows {
    const SPEC: Spec = Spec::new("list-windows", Group::Applications, Effect::Observe);
    type Output = Windows;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(self.app.clone().map_or(Scope::All, Scope::Named))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Windows> {
        let call = cx.call(LOOK_MS);
        let platform = cx.platform(&call)?;
        let listing = platform.applications(&call)?;
        let applications = match &self.app {
            Some(app) => target::applications_named(&listing, app)?,
            None => listing.items,
        };
        let windows = platform.windows(&call, &applications)?;
        let mut unresponsive = listing.unresponsive;
        unresponsive.extend(windows.unresponsive);
        let own =
            |pid: u32| self.app.is_none() || applications.iter().any(|application| application.process.pid == pid);
        unresponsive.retain(|silent| own(silent.pid));
        Ok(Windows {
            windows: windows.items.iter().filter(|window| own(window.process.pid)).map(WindowView::from).collect(),
            unresponsive: Silent::all(&unresponsive),
        })
    }
}
