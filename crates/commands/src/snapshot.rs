//! `snapshot`: reads a window and gives its elements refs.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::node::Node;
use surehand_core::platform::ObserveRequest;
use surehand_core::snapshot::number;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::element::{self, GapView, Shape, TreeNode};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::target::{self, Wanted};

/// Read a window's elements and give each one that can be used a ref
///
/// The refs (`@s0k:e8`) stay valid as long as their element is unchanged, whatever snapshots come later. The window
/// is the focused one unless `--app` or `--window-id` says which.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    /// Application to read, by its name or its program's name
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window to read, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Leave out what nothing can be done with and what does not lead to anything usable
    #[arg(short = 'i', long)]
    #[serde(default)]
    interactive_only: bool,
    /// Leave out containers that say nothing and hold one element
    #[arg(long)]
    #[serde(default)]
    compact: bool,
    /// Add where each element is, in screen pixels
    #[arg(long)]
    #[serde(default)]
    include_bounds: bool,
    /// Milliseconds after which the part read so far is returned
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// The window that was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WindowName {
    /// Its id.
    id: String,
    /// Its title.
    title: String,
}

/// A window and its elements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct SnapshotTaken {
    /// The application.
    app: String,
    /// The window.
    window: WindowName,
    /// How many elements have a ref.
    ref_count: usize,
    /// The id that the refs carry.
    snapshot_id: String,
    /// Whether every element was read.
    complete: bool,
    /// Whether something is missing; only then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// How many elements were read; only where some are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_observed: Option<usize>,
    /// What is missing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<GapView>,
    /// The elements.
    tree: TreeNode,
}

impl Outline for SnapshotTaken {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("snapshot"),
            made(&self.snapshot_id),
            Word::Labelled("app", &self.app),
            made(format!("window={}", self.window.id)),
            made(format!("refs={}", self.ref_count)),
            Word::Own(if self.complete { "complete" } else { "partial" }),
        ]);
        self.tree.lines(&mut lines, 0);
        element::gap_lines(&self.gaps, &mut lines);
        lines.finish()
    }
}

impl Command for Snapshot {
    const SPEC: Spec = Spec::new("snapshot", Group::Observation, Effect::Observe);
    type Output = SnapshotTaken;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<SnapshotTaken> {
        nonzero(self.timeout_ms, "timeout_ms")?;
        let call = cx.call(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let (application, window) = target::readable_window(platform, &call, self.wanted())?;
        let request = ObserveRequest { bounds: self.include_bounds, ..ObserveRequest::default() };
        let observation = platform.observe(&call, &application, &window, &request)?;
        let store = cx.services.snapshots();
        let id = store.allocate()?;
        let usable = |index: usize| observation.nodes.get(index).is_some_and(Node::is_interactive);
        let referenced = number(&observation, id, platform.session(), cx.services.unix_time(), usable);
        store.save(id, &referenced.snapshot)?;
        let shape = Shape { interactive_only: self.interactive_only, compact: self.compact };
        let tree = element::tree(&observation, &referenced, id, shape)
            .ok_or_else(|| Error::new(Code::Internal, "an observation without a root"))?;
        let complete = observation.is_complete();
        Ok(SnapshotTaken {
            app: application.name,
            window: WindowName { id: window.id, title: window.title },
            ref_count: referenced.snapshot.refs.len(),
            snapshot_id: id.to_string(),
            complete,
            truncated: !complete,
            nodes_observed: (!complete).then_some(observation.nodes.len()),
            gaps: element::gaps(&observation),
            tree,
        })
    }
}

impl Snapshot {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}

/// Looking takes time, so none at all is a mistake and not a wish.
pub(crate) fn nonzero(milliseconds: u64, argument: &str) -> Result<()> {
    if milliseconds == 0 {
        return Err(Error::new(Code::InvalidArgs, format!("`{argument}` is zero, in which nothing can be looked at"))
            .kind("zero_timeout")
            .suggest("give it a second or more; leave it out for the default"));
    }
    Ok(())
}
