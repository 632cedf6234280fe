//! `snapshot`: reads a window and gives its elements refs.

use std::collections::BTreeSet;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::recording::Recording;
use surehand_core::reference::Ref;
use surehand_core::role::Role;
use surehand_core::snapshot::{Difference, Snapshot as Kept, number};
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_core::window::Window;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::element::{self, GapView, Printed, Shape, TreeNode};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, labelled, made, quoted};
use crate::rows::rows;
use crate::surface::{self, Surface};
use crate::target::Wanted;

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
    /// Leave out what nothing can be done with now, hidden elements among it, and what does not lead to anything usable;
    /// what is in a closed menu is counted, and read with `--root`
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
    /// Show so many levels below the window; what is below them is counted
    #[arg(long, value_name = "N")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_depth: Option<usize>,
    /// Show the first three levels only, and give labelled containers a ref to go on from with `--root`
    #[arg(long, conflicts_with = "since")]
    #[serde(default)]
    skeleton: bool,
    /// Read only this element and what is below it; refs from before stay valid
    #[arg(long, value_name = "REF", conflicts_with_all = ["window_id", "app", "surface", "since"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Ref>,
    /// With `--root`: of a container with too many children, read from the Nth on, from 0; of a table, from the Nth cell on
    #[arg(long, value_name = "N", requires = "root")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// Read this part of the application instead of its window
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    surface: Surface,
    /// Show only what is different from this snapshot of the same window, the order of elements aside
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// New file, inside the folder for output, for a recording of what was read: it can be replayed without the
    /// application. It holds everything that the window shows, also what this answer leaves out; only what is in
    /// password fields is not in it
    #[arg(long, value_name = "FILE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
    /// Milliseconds after which the part read so far is returned
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// How deep a skeleton shows.
const SKELETON_DEPTH: usize = 3;

/// The window that was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WindowName {
    /// Its id.
    id: String,
    /// Its title.
    title: String,
}

/// An element that is gone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Removed {
    /// The ref it had.
    ref_id: Ref,
    /// What it was.
    role: Role,
    /// What it was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// What is different from an earlier snapshot.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Different {
    /// The elements that are new, each with what is below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<TreeNode>,
    /// The elements that look different, as they are now, without what is below them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<TreeNode>,
    /// The elements with a ref that are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<Removed>,
    /// How many elements are gone in all.
    #[serde(skip_serializing_if = "is_zero")]
    gone: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A window and its elements, or what is different in it.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct SnapshotTaken {
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// The window.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<WindowName>,
    /// How many elements have a ref.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_count: Option<usize>,
    /// The id that the refs carry; none where nothing is different, so that the earlier refs are all there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    /// The snapshot that differences are told from.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// That nothing is different.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    /// The file that the recording was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<String>,
    /// Whether every element was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    /// Whether something is missing; only then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// How many elements were read; only where some are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes_observed: Option<usize>,
    /// What is missing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<GapView>,
    /// The elements; where no difference was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<TreeNode>,
    /// What is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Different>,
}

impl Outline for SnapshotTaken {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        if self.unchanged {
            lines.words([Word::Own("unchanged"), self.since.as_ref().map_or(Word::Nothing, made)]);
            self.recording_line(&mut lines);
            return lines.finish();
        }
        lines.words([
            Word::Own("snapshot"),
            self.snapshot_id.as_ref().map_or(Word::Nothing, made),
            self.since.as_ref().map_or(Word::Nothing, |since| made(format!("since={since}"))),
            labelled("app", self.app.as_deref()),
            self.window.as_ref().map_or(Word::Nothing, |window| made(format!("window={}", window.id))),
            self.ref_count.map_or(Word::Nothing, |count| made(format!("refs={count}"))),
            Word::Own(if self.complete == Some(false) { "partial" } else { "complete" }),
        ]);
        if let Some(tree) = &self.tree {
            rows(tree, &mut lines, 0);
        }
        if let Some(difference) = &self.difference {
            for (word, nodes) in [("added", &difference.added), ("changed", &difference.changed)] {
                if !nodes.is_empty() {
                    lines.words([Word::Own(word)]);
                    nodes.iter().for_each(|node| rows(node, &mut lines, 1));
                }
            }
            for removed in &difference.removed {
                lines.words([
                    Word::Own("removed"),
                    made(removed.role),
                    made(removed.ref_id),
                    quoted(removed.name.as_deref()),
                ]);
            }
            if difference.gone > difference.removed.len() {
                lines.words([
                    Word::Own("removed"),
                    made(difference.gone - difference.removed.len()),
                    Word::Own("more"),
                ]);
            }
        }
        element::gap_lines(&self.gaps, &mut lines);
        self.recording_line(&mut lines);
        lines.finish()
    }
}

impl SnapshotTaken {
    fn recording_line(&self, lines: &mut Lines) {
        if let Some(path) = &self.recording {
            lines.words([Word::Own("recording"), Word::Quoted(path)]);
        }
    }
}

impl Command for Snapshot {
    const SPEC: Spec = Spec::new("snapshot", Group::Observation, Effect::Observe);
    type Output = SnapshotTaken;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(match self.root {
            Some(root) => cx.scope_of(root)?,
            None => self.wanted().scope(),
        })])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<SnapshotTaken> {
        self.check()?;
        let call = cx.call(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let earlier = self.since.as_deref().map(|id| cx.services.snapshots().load(id.parse()?)).transpose()?;
        let (application, window, root) = self.target(cx, platform, &call)?;
        if let Some(earlier) = &earlier {
            same_window(earlier, platform, &window)?;
        }
        let request =
            ObserveRequest { root, offset: self.offset, bounds: self.include_bounds, ..ObserveRequest::default() };
        let observation = platform.observe(&call, &application, &window, &request)?;
        self.check_offset(&observation)?;
        // Before anything is kept: where the file cannot be written nothing was done.
        let recording = self.record.as_deref().map(|path| record(cx, path, &request, &observation)).transpose()?;
        let difference = earlier.as_ref().map(|earlier| earlier.difference(&observation));
        if let Some(earlier) = &earlier
            && observation.is_complete()
            && difference.as_ref().is_some_and(Difference::is_empty)
        {
            let since = Some(earlier.id.clone());
            return Ok(SnapshotTaken { since, unchanged: true, recording, ..SnapshotTaken::default() });
        }
        let taken = self.taken(cx, platform, &observation, earlier.as_ref().zip(difference.as_ref()))?;
        Ok(SnapshotTaken { recording, ..taken })
    }
}

impl SnapshotTaken {
    /// The id that its refs carry.
    pub(crate) fn snapshot_id(&self) -> Option<&str> {
        self.snapshot_id.as_deref()
    }
}

impl Snapshot {
    /// Gives refs to what was observed, keeps it, and shows it as these arguments say.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be kept.
    pub(crate) fn taken(
        &self,
        cx: &Cx<'_>,
        platform: &dyn Platform,
        observation: &Observation,
        since: Option<(&Kept, &Difference)>,
    ) -> Result<SnapshotTaken> {
        let depth = match (self.skeleton, self.max_depth) {
            (true, most) => Some(most.unwrap_or(SKELETON_DEPTH).min(SKELETON_DEPTH)),
            (false, most) => most,
        };
        let store = cx.services.snapshots();
        let id = store.allocate()?;
        let anchors = anchors(observation, depth);
        let wanted =
            |index: usize| observation.nodes.get(index).is_some_and(Node::is_interactive) || anchors.contains(&index);
        let referenced = number(observation, id, platform.session(), cx.services.unix_time(), wanted);
        store.save(id, &referenced.snapshot)?;
        let printed = Printed::new(observation, &referenced, id);
        let shape = Shape { interactive_only: self.interactive_only, compact: self.compact, depth };
        let complete = observation.is_complete();
        let window = &observation.window;
        Ok(SnapshotTaken {
            app: Some(observation.application.name.clone()),
            window: Some(WindowName { id: window.id.clone(), title: window.title.clone() }),
            ref_count: Some(referenced.snapshot.refs.len()),
            snapshot_id: Some(id.to_string()),
            since: since.map(|(earlier, _)| earlier.id.clone()),
            unchanged: false,
            recording: None,
            complete: Some(complete),
            truncated: !complete,
            nodes_observed: (!complete).then_some(observation.nodes.len()),
            gaps: element::gaps(observation, |index| printed.ref_of(index)),
            tree: if since.is_some() { None } else { printed.tree(shape) },
            difference: since.map(|(earlier, difference)| told(earlier, difference, observation, &printed)),
        })
    }
}

/// Writes a recording of what was read, and returns the whole path.
fn record(cx: &Cx<'_>, path: &str, request: &ObserveRequest, observation: &Observation) -> Result<String> {
    let text = Recording::new(request, observation).write()?;
    Ok(cx.services.write_output(path, text.as_bytes())?.to_string_lossy().into_owned())
}

/// The elements that get a ref so that reading can go on from them: labelled containers whose children are
/// not shown, and those whose children were not all read.
fn anchors(observation: &Observation, depth: Option<usize>) -> BTreeSet<usize> {
    let mut anchors: BTreeSet<usize> = observation.gaps.iter().filter_map(|gap| gap.node).collect();
    if let Some(most) = depth {
        let at_edge = (0..observation.nodes.len()).filter(|index| observation.ancestors(*index).count() == most);
        anchors.extend(at_edge.filter(|index| {
            observation.nodes.get(*index).is_some_and(|node| !node.children.is_empty() && node.name.known().is_some())
        }));
    }
    anchors
}

/// Differences mean something only within one window of one process.
fn same_window(earlier: &Kept, platform: &dyn Platform, window: &Window) -> Result<()> {
    if earlier.session == platform.session()
        && earlier.application.process == window.process
        && Some(&earlier.window) == window.object.as_ref()
    {
        return Ok(());
    }
    Err(Error::new(Code::InvalidArgs, format!("snapshot {} was taken of another window", earlier.id))
        .kind("other_window")
        .suggest("take a `snapshot` without `--since`"))
}

fn told(earlier: &Kept, difference: &Difference, observation: &Observation, printed: &Printed<'_>) -> Different {
    let added: BTreeSet<usize> = difference.added.iter().copied().collect();
    let is_added = |index: usize| added.contains(&index);
    let topmost = difference.added.iter().filter(|index| {
        observation.nodes.get(**index).and_then(|node| node.parent).is_none_or(|parent| !is_added(parent))
    });
    let id = earlier.id.parse().ok();
    let removed = difference.removed.iter().filter_map(|number| {
        let evidence = earlier.refs.get(number)?;
        Some(Removed {
            ref_id: Ref { snapshot: id?, number: *number },
            role: evidence.role,
            name: evidence.name.text().map(str::to_owned),
        })
    });
    Different {
        added: topmost.filter_map(|index| printed.branch(*index, &is_added)).collect(),
        changed: difference.changed.iter().filter_map(|index| printed.node(*index)).collect(),
        removed: removed.collect(),
        gone: difference.gone,
    }
}

impl Snapshot {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }

    /// The command line refuses these as well; JSON arguments come here unexamined.
    fn check(&self) -> Result<()> {
        nonzero(self.timeout_ms, "timeout_ms")?;
        let bad = |why: &str| Error::new(Code::InvalidArgs, why).kind("bad_snapshot");
        let elsewhere = self.app.is_some() || self.window_id.is_some() || self.surface != Surface::Window;
        if self.root.is_some() && (elsewhere || self.since.is_some()) {
            return Err(bad(
                "`root` says itself what is read, so it goes with no other choice of it, nor with `since`",
            ));
        }
        if self.offset.is_some() && self.root.is_none() {
            return Err(bad("`offset` belongs to `root`"));
        }
        if self.skeleton && self.since.is_some() {
            return Err(bad("`skeleton` shows a part and `since` compares the whole, so they do not go together"));
        }
        Ok(())
    }

    /// An offset beyond the end would give an answer with nothing in it, which looks like a container that is empty.
    fn check_offset(&self, observation: &Observation) -> Result<()> {
        let Some(offset) = self.offset else { return Ok(()) };
        let empty = observation.nodes.first().is_some_and(|root| root.children.is_empty());
        let page = observation.gaps.iter().find(|gap| gap.node == Some(0) && gap.from.is_some());
        match page.and_then(|gap| gap.missing) {
            Some(all) if empty && offset >= all => {
                Err(Error::new(Code::InvalidArgs, format!("`offset` is {offset}, and there are {all}, counted from 0"))
                    .kind("offset_beyond_end")
                    .suggest("take the `next_offset` of a page"))
            }
            _ => Ok(()),
        }
    }

    /// The window that is read, and the element of it that is begun at.
    fn target(
        &self,
        cx: &Cx<'_>,
        platform: &dyn Platform,
        call: &Call<'_>,
    ) -> Result<(Application, Window, Option<ObjectId>)> {
        if let Some(root) = self.root {
            let (snapshot, evidence) = cx.evidence(platform, root)?;
            let live = cx.resolve(platform, call, &snapshot, &evidence)?.live;
            let windows = platform.windows(call, std::slice::from_ref(&snapshot.application))?;
            let window = windows.items.into_iter().find(|window| window.object.as_ref() == Some(&evidence.window));
            let window = window.ok_or_else(|| {
                Error::new(Code::StaleRef, "its window has closed").kind("window_gone").suggest("take a new `snapshot`")
            })?;
            return Ok((snapshot.application, window, Some(live.node.object)));
        }
        surface::target(platform, call, self.wanted(), self.surface)
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
