//! `list-surfaces`: the parts of an application that can be read by themselves.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::platform::ObserveRequest;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made, quoted};
use crate::surface::{Surface, surfaces, word};
use crate::target::{self, Wanted};

/// List the windows, dialogs, menus and messages of an application that can be read by themselves
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListSurfaces {
    /// Application, by its name or its program's name; the one of the focused window if left out
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
}

/// How long the list may take.
const LOOK_MS: u64 = 10_000;

/// A part of an application.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SurfaceView {
    /// The window it is in, for `--window-id`.
    id: String,
    /// What it is, for `--surface`.
    #[serde(rename = "type")]
    kind: Surface,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// How many elements it holds directly.
    item_count: usize,
}

/// The parts of an application.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SurfacesThere {
    /// The process.
    pid: u32,
    /// Its parts.
    surfaces: Vec<SurfaceView>,
}

impl Outline for SurfacesThere {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        for surface in &self.surfaces {
            lines.words([
                Word::Own("surface"),
                made(word(surface.kind)),
                quoted(surface.title.as_deref()),
                made(format!("window={}", surface.id)),
                made(format!("items={}", surface.item_count)),
            ]);
        }
        lines.finish()
    }
}

impl Command for ListSurfaces {
    const SPEC: Spec = Spec::new("list-surfaces", Group::Observation, Effect::Observe);
    type Output = SurfacesThere;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(self.app.clone().map_or(Scope::Focused, Scope::Named))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<SurfacesThere> {
        let call = cx.call(LOOK_MS);
        let platform = cx.platform(&call)?;
        let windows = target::readable_windows(platform, &call, Wanted { app: self.app.as_deref(), window_id: None })?;
        let pid = windows.first().map_or(0, |(application, _)| application.process.pid);
        let mut found = Vec::new();
        for (application, window) in windows {
            let observation = platform.observe(&call, &application, &window, &ObserveRequest::default())?;
            for (kind, index) in surfaces(&observation) {
                let Some(node) = observation.nodes.get(index) else { continue };
                let title = if index == 0 { Some(window.title.clone()) } else { node.name.text().map(str::to_owned) };
                found.push(SurfaceView { id: window.id.clone(), kind, title, item_count: node.children.len() });
            }
        }
        Ok(SurfacesThere { pid, surfaces: found })
    }
}
