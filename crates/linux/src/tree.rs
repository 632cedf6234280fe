//! Reading the tree of a window.
//!
//! Where the toolkit can list a whole application in one call, that list is taken, and only what it lacks is
//! asked for (the ATK bridge leaves out table cells and what it has not got round to). Elsewhere the tree is
//! walked breadth first, one batch of calls a level. Either way a container's count of children is known
//! before its children are asked for.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use atspi::State as NativeState;
use surehand_core::geometry::Rect;
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::ObserveRequest;
use surehand_core::reading::Reading;
use surehand_core::tree::{Gap, GapReason, Observation};
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::app::NativeRef;
use crate::connect::{Bus, Link};
use crate::error::{Fault, unresponsive};
use crate::process;
use crate::read::{self, Raw, SKELETON_ASKS, interfaces};
use crate::states::NativeStates;
use crate::toolkit::Toolkit;
use crate::wire::{ATSPI, body};

/// The path that stands for "no object".
pub(crate) const NULL: &str = "/org/a11y/atspi/null";

/// The part of the time that is kept for reading what the skeleton does not tell.
const SHARE_FOR_DETAILS: u32 = 3;

/// In how many steps at most what the list leaves out is asked for at once: a table, its rows, their cells, and what
/// is in those.
const CACHE_STEPS: usize = 6;

/// One entry of `Cache.GetItems`: object, application, parent, index in parent, count of children,
/// interfaces, name, role, description, states. Read with plain types: one entry of a kind we do not know
/// must not cost us the others.
type CacheItem = (NativeRef, NativeRef, NativeRef, i32, i32, Vec<String>, String, u32, String, Vec<u32>);

/// Reads a window within the budgets.
pub(crate) async fn observe(
    bus: &Bus,
    application: &Application,
    window: &Window,
    request: &ObserveRequest,
    span: Duration,
) -> Result<Observation> {
    let gone = || {
        Error::new(Code::WindowNotFound, format!("window {} has no tree any more", window.id))
            .suggest("see `list-windows`")
    };
    let object = window.object.as_ref().ok_or_else(gone)?;
    let name = bus.name_of(object).ok_or_else(gone)?;
    let silent = |fault: &Fault| unresponsive(&application.program, application.process.pid, fault);
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let link = match tokio::time::timeout(left(), bus.link(name)).await {
        Err(_) => return Err(silent(&Fault::NoAnswer)),
        Ok(Err(Fault::Disconnected)) => return Err(gone()),
        Ok(other) => other.map_err(|fault| silent(&fault))?,
    };
    let budget = span - span / SHARE_FOR_DETAILS;
    let mut skeleton = Skeleton::new(&link, request);
    match skeleton.read(&object.object, budget).await {
        Ok(()) => {}
        Err(Fault::NoAnswer) => return Err(silent(&Fault::NoAnswer)),
        Err(Fault::Disconnected) if process::is_running(&application.process) => {
            return Err(silent(&Fault::Disconnected));
        }
        Err(Fault::Disconnected | Fault::NoSuchObject) => return Err(gone()),
        Err(fault) => {
            return Err(Error::new(Code::ActionFailed, format!("the tree of window {} cannot be read", window.id))
                .kind("live_read_incomplete")
                .platform(fault.word()));
        }
    }
    let (raws, mut gaps) = skeleton.in_document_order();
    let id = |path: &str| bus.object(name, path);
    let completed = read::complete(&link, &raws, id, request, left()).await;
    gaps.extend(completed.clipped.iter().map(|index| Gap {
        reason: GapReason::TextBudget,
        node: Some(*index),
        missing: None,
    }));
    if completed.late {
        gaps.push(Gap { reason: GapReason::Deadline, node: None, missing: None });
    }
    let mut nodes = completed.nodes;
    if request.bounds && link.toolkit == Toolkit::Gtk4 {
        to_screen(&mut nodes, window);
    }
    Ok(Observation { application: application.clone(), window: window.clone(), nodes, gaps })
}

/// GTK 4 tells places within the window's surface. The surface can be larger than the window by the shadow
/// around it, which is the same on both sides.
fn to_screen(nodes: &mut [Node], window: &Window) {
    let surface = nodes.first().map(|node| node.bounds).unwrap_or_default();
    let (Reading::Known(client), Reading::Known(surface)) = (window.bounds, surface) else {
        nodes.iter_mut().for_each(|node| node.bounds = Reading::Unknown);
        return;
    };
    let shift = |client: u32, surface: u32| (i64::from(client) - i64::from(surface)) as i32 / 2;
    let x = client.x + shift(client.width, surface.width) - surface.x;
    let y = client.y + shift(client.height, surface.height) - surface.y;
    for node in nodes {
        node.bounds = std::mem::take(&mut node.bounds).map(|rect| Rect { x: rect.x + x, y: rect.y + y, ..rect });
    }
}

/// A tree that is being read.
struct Skeleton<'a> {
    link: &'a Link,
    request: &'a ObserveRequest,
    raws: Vec<Raw>,
    gaps: Vec<Gap>,
    /// Every path that has a place in the tree: an object that is said to be in two places, or to be its own
    /// ancestor, is taken at the first.
    seen: HashSet<String>,
}

impl<'a> Skeleton<'a> {
    fn new(link: &'a Link, request: &'a ObserveRequest) -> Self {
        Skeleton { link, request, raws: Vec::new(), gaps: Vec::new(), seen: HashSet::new() }
    }

    /// Reads from `root` down, a level at a time.
    async fn read(&mut self, root: &str, span: Duration) -> Result<(), Fault> {
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let mut cache = if self.link.toolkit.has_bulk_read() { self.bulk(left()).await } else { Cache::default() };
        self.complete_cache(&mut cache, root, left()).await;
        self.seen.insert(root.to_owned());
        self.raws.push(Raw::new(root.to_owned()));
        let mut level = vec![0];
        for _ in 0..MAX_DEPTH {
            self.fill(&level, &cache, left()).await?;
            level = self.children_of(&level, &cache, left()).await;
            if level.is_empty() {
                return Ok(());
            }
        }
        self.gaps.extend(level.iter().map(|index| Gap { reason: GapReason::Depth, node: Some(*index), missing: None }));
        Ok(())
    }

    /// Everything the toolkit lists of the application.
    async fn bulk(&self, span: Duration) -> Cache {
        let peer = &self.link.read;
        let ask = peer.call("/org/a11y/atspi/cache", &format!("{ATSPI}Cache"), "GetItems", &());
        let answer = peer.batch_within(vec![ask], span).await.pop().unwrap_or(Err(Fault::Malformed));
        Cache::of(&self.link.name, body(answer).unwrap_or_default())
    }

    /// Asks for what the list leaves out, wherever in the tree it is, in few steps: a level at a time would be a
    /// round trip for each level. What cannot be asked here, or is not answered, is left to the levels, which say
    /// what became of it.
    async fn complete_cache(&self, cache: &mut Cache, root: &str, span: Duration) {
        let started = tokio::time::Instant::now();
        let peer = &self.link.read;
        let accessible = format!("{ATSPI}Accessible");
        let mut seen = HashSet::from([root.to_owned()]);
        let mut edge = vec![root.to_owned()];
        for _ in 0..if cache.items.is_empty() { 0 } else { CACHE_STEPS } {
            let mut strangers = Vec::new();
            let mut parents = Vec::new();
            while let Some(path) = edge.pop() {
                let Some(count) = cache.count(&path) else {
                    strangers.push(path);
                    continue;
                };
                if count == 0 || count > self.request.max_children {
                    continue;
                }
                let listed = cache.children.get(&path);
                // Also where some are missing: those that are listed are looked into right away.
                let paths = listed.into_iter().flat_map(|children| &children.paths);
                edge.extend(paths.filter(|child| seen.insert((*child).clone())).cloned());
                if listed.is_none_or(|children| !children.are_all(count)) {
                    parents.push(path);
                }
                if seen.len() > self.request.max_nodes {
                    return;
                }
            }
            let ask_parent = |path: &String| peer.call(path, &accessible, "GetChildren", &());
            let asks = strangers.iter().flat_map(|path| read::skeleton_asks(self.link, path));
            let asks: Vec<_> = asks.chain(parents.iter().map(ask_parent)).collect();
            if asks.is_empty() {
                return;
            }
            let left = span.saturating_sub(started.elapsed());
            let mut answers = peer.batch_within(asks, left).await.into_iter();
            for path in strangers {
                let mut raw = Raw::new(path.clone());
                if read::take_skeleton(&mut raw, &mut answers.by_ref().take(SKELETON_ASKS)).is_ok() {
                    cache.strangers.insert(path.clone(), raw);
                    edge.push(path);
                }
            }
            for path in parents {
                if let Some(Ok(answer)) = answers.next()
                    && let Ok(children) = body::<Vec<NativeRef>>(Ok(answer))
                {
                    let own = children.iter().filter(|child| self.is_own(child)).map(|(_, path)| path.to_string());
                    edge.extend(own.filter(|child| child != NULL && seen.insert(child.clone())));
                    cache.asked.insert(path, children);
                }
            }
        }
    }

    /// Fills in the skeletons of one level.
    async fn fill(&mut self, level: &[usize], cache: &Cache, span: Duration) -> Result<(), Fault> {
        let mut unknown = Vec::new();
        for index in level {
            let raw = &mut self.raws[*index];
            match cache.items.get(&raw.path) {
                Some(item) => item.fill(raw),
                None => match cache.strangers.get(&raw.path) {
                    Some(known) => *raw = Raw { parent: raw.parent, ..known.clone() },
                    None => unknown.push(*index),
                },
            }
        }
        let asks = unknown.iter().flat_map(|index| read::skeleton_asks(self.link, &self.raws[*index].path)).collect();
        let mut answers = self.link.read.batch_within(asks, span).await.into_iter();
        for index in unknown {
            let mut own = answers.by_ref().take(SKELETON_ASKS);
            let Err(fault) = read::take_skeleton(&mut self.raws[index], &mut own) else { continue };
            if index == 0 {
                return Err(fault);
            }
            let reason = match fault {
                Fault::NoAnswer if span.is_zero() => GapReason::Deadline,
                Fault::NoAnswer | Fault::Disconnected => GapReason::Unresponsive,
                // It went away between being named as a child and being asked.
                Fault::NoSuchObject => continue,
                Fault::Malformed | Fault::Refused(_) => GapReason::Unreadable,
            };
            self.gaps.push(Gap { reason, node: Some(index), missing: None });
        }
        Ok(())
    }

    /// Adds the children of one level to the tree and returns their indices.
    async fn children_of(&mut self, level: &[usize], cache: &Cache, span: Duration) -> Vec<usize> {
        let peer = self.link.read.clone();
        let accessible = format!("{ATSPI}Accessible");

        // Cached counts can be "not said" (negative); those are asked for first.
        let unsaid: Vec<usize> = level
            .iter()
            .copied()
            .filter(|index| self.raws[*index].child_count.is_unknown() && !self.raws[*index].role.is_unknown())
            .collect();
        let asks = unsaid.iter().map(|index| peer.get(&self.raws[*index].path, &accessible, "ChildCount")).collect();
        for (index, answer) in unsaid.iter().zip(peer.batch_within(asks, span).await) {
            if let Ok(count) = crate::wire::property::<i32>(answer) {
                self.raws[*index].child_count = Reading::Known(u64::try_from(count).unwrap_or(0));
            }
        }

        let mut asked = Vec::new();
        let mut told = Vec::new();
        let mut lists: HashMap<usize, Vec<String>> = HashMap::new();
        for &index in level {
            let raw = &self.raws[index];
            if raw.native(NativeState::Defunct) {
                continue;
            }
            let count = match raw.child_count {
                Reading::Known(0) | Reading::Absent | Reading::Unknown => continue,
                Reading::Known(count) => count,
            };
            if count > self.request.max_children {
                self.gaps.push(Gap { reason: GapReason::TooManyChildren, node: Some(index), missing: Some(count) });
                continue;
            }
            match (cache.children.get(&raw.path), cache.asked.get(&raw.path)) {
                (Some(children), _) if children.are_all(count) => {
                    lists.insert(index, children.paths.clone());
                }
                (_, Some(children)) => told.push((index, children)),
                _ => asked.push((index, count)),
            }
        }
        for (index, children) in told {
            lists.insert(index, self.own(index, children));
        }
        let asks = asked
            .iter()
            .map(|(index, _)| peer.call(&self.raws[*index].path, &accessible, "GetChildren", &()))
            .collect();
        for ((index, count), answer) in asked.iter().zip(peer.batch_within(asks, span).await) {
            match body::<Vec<NativeRef>>(answer) {
                Ok(children) => {
                    lists.insert(*index, self.own(*index, &children));
                }
                Err(Fault::NoAnswer) if span.is_zero() => self.gap(GapReason::Deadline, *index, *count),
                Err(Fault::NoAnswer | Fault::Disconnected) => self.gap(GapReason::Unresponsive, *index, *count),
                Err(Fault::NoSuchObject) => {}
                Err(Fault::Malformed | Fault::Refused(_)) => self.gap(GapReason::Unreadable, *index, *count),
            }
        }
        self.add(level, &lists)
    }

    fn add(&mut self, level: &[usize], lists: &HashMap<usize, Vec<String>>) -> Vec<usize> {
        let mut next = Vec::new();
        for &parent in level {
            let Some(children) = lists.get(&parent) else { continue };
            for (position, path) in children.iter().enumerate() {
                if path == NULL || self.seen.contains(path) {
                    continue;
                }
                if self.raws.len() >= self.request.max_nodes {
                    self.gap(GapReason::NodeBudget, parent, (children.len() - position) as u64);
                    break;
                }
                self.seen.insert(path.clone());
                let mut raw = Raw::new(path.clone());
                raw.parent = Some(parent);
                let index = self.raws.len();
                self.raws.push(raw);
                self.raws[parent].children.push(index);
                next.push(index);
            }
        }
        next
    }

    /// Whether a child belongs to the same application. An empty owner means "mine"; another owner would
    /// have us act on one process in the belief that it is another.
    fn is_own(&self, child: &NativeRef) -> bool {
        child.0.is_empty() || child.0 == self.link.name
    }

    /// The children that belong to the same application; others are a gap.
    fn own(&mut self, index: usize, children: &[NativeRef]) -> Vec<String> {
        let own = children.iter().filter(|child| self.is_own(child)).map(|(_, path)| path.to_string());
        let own: Vec<String> = own.collect();
        let foreign = children.len() - own.len();
        if foreign > 0 {
            self.gap(GapReason::Unreadable, index, foreign as u64);
        }
        own
    }

    fn gap(&mut self, reason: GapReason, node: usize, missing: u64) {
        self.gaps.push(Gap { reason, node: Some(node), missing: Some(missing) });
    }

    /// The nodes depth first, as they are read, instead of breadth first, as they were asked for.
    fn in_document_order(self) -> (Vec<Raw>, Vec<Gap>) {
        let mut order = Vec::with_capacity(self.raws.len());
        let mut stack = if self.raws.is_empty() { Vec::new() } else { vec![0usize] };
        while let Some(index) = stack.pop() {
            let raw = &self.raws[index];
            // What vanished while it was read is no part of the tree.
            if index != 0 && (raw.role.is_unknown() && !self.is_gap(index) || raw.native(NativeState::Defunct)) {
                continue;
            }
            order.push(index);
            stack.extend(raw.children.iter().rev());
        }
        let new_index: HashMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        let gaps = self
            .gaps
            .into_iter()
            .map(|gap| Gap { node: gap.node.and_then(|node| new_index.get(&node).copied()), ..gap })
            .collect();
        let mut raws: Vec<Option<Raw>> = self.raws.into_iter().map(Some).collect();
        let ordered = order
            .iter()
            .filter_map(|old| {
                let mut raw = raws[*old].take()?;
                raw.parent = raw.parent.and_then(|parent| new_index.get(&parent).copied());
                raw.children = raw.children.iter().filter_map(|child| new_index.get(child).copied()).collect();
                Some(raw)
            })
            .collect();
        (ordered, gaps)
    }

    fn is_gap(&self, index: usize) -> bool {
        self.gaps.iter().any(|gap| gap.node == Some(index))
    }
}

/// What `Cache.GetItems` told.
#[derive(Default)]
struct Cache {
    items: HashMap<String, Item>,
    /// The children of each parent, as far as the list tells them.
    children: HashMap<String, Children>,
    /// What the list left out and was asked for at once.
    strangers: HashMap<String, Raw>,
    /// The children of parents of which the list does not tell them all.
    asked: HashMap<String, Vec<NativeRef>>,
}

/// Children of one parent in the list.
struct Children {
    paths: Vec<String>,
    /// Whether their places are 0, 1, 2, …, which proves the order; anything else is asked for.
    in_order: bool,
}

impl Children {
    fn are_all(&self, count: u64) -> bool {
        self.in_order && self.paths.len() as u64 == count
    }
}

struct Item {
    child_count: i32,
    interfaces: Vec<String>,
    name: String,
    role: u32,
    description: String,
    states: Vec<u32>,
}

impl Item {
    fn fill(&self, raw: &mut Raw) {
        raw.role = Reading::Known(self.role);
        raw.name = Reading::of_text(self.name.clone());
        raw.description = Reading::of_text(self.description.clone());
        raw.states = Reading::Known(NativeStates::from_words(&self.states));
        raw.interfaces = Reading::Known(interfaces(&self.interfaces));
        raw.child_count = match u64::try_from(self.child_count) {
            Ok(count) => Reading::Known(count),
            Err(_) => Reading::Unknown,
        };
    }
}

impl Cache {
    /// How many children it has; none where that is not known, and for what the list does not tell, not even that.
    fn count(&self, path: &str) -> Option<u64> {
        match self.items.get(path) {
            Some(item) => Some(u64::try_from(item.child_count).unwrap_or(0)),
            None => self.strangers.get(path).map(|raw| raw.child_count.known().copied().unwrap_or(0)),
        }
    }

    fn of(name: &str, items: Vec<CacheItem>) -> Cache {
        let mut cache = Cache::default();
        let mut placed: HashMap<String, Vec<(i32, String)>> = HashMap::new();
        for (object, _, parent, index, child_count, interfaces, text, role, description, states) in items {
            // An application can only speak for its own objects.
            if object.0 != name {
                continue;
            }
            let path = object.1.to_string();
            if parent.0 == name && !cache.items.contains_key(&path) {
                placed.entry(parent.1.to_string()).or_default().push((index, path.clone()));
            }
            cache.items.entry(path).or_insert(Item { child_count, interfaces, name: text, role, description, states });
        }
        for (parent, mut children) in placed {
            children.sort_by_key(|(index, _)| *index);
            let in_order = children.iter().enumerate().all(|(place, (index, _))| i32::try_from(place) == Ok(*index));
            let paths = children.into_iter().map(|(_, path)| path).collect();
            cache.children.insert(parent, Children { paths, in_order });
        }
        cache
    }
}

/// Reads one object and the containers around it.
pub(crate) async fn inspect(bus: &Bus, link: &Link, object: &ObjectId, span: Duration) -> Result<Vec<Node>, Fault> {
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let accessible = format!("{ATSPI}Accessible");
    let mut raws: Vec<Raw> = Vec::new();
    let mut path = object.object.clone();
    // The window is the child of the application's root, so the walk up ends below it.
    while path != NULL && path != crate::connect::ROOT {
        if raws.iter().any(|raw| raw.path == path) || raws.len() >= MAX_DEPTH {
            return Err(Fault::Malformed);
        }
        let mut asks: Vec<_> = read::skeleton_asks(link, &path).into();
        asks.push(link.read.get(&path, &accessible, "Parent"));
        let mut answers = link.read.batch_within(asks, left()).await.into_iter();
        let mut raw = Raw::new(path);
        read::take_skeleton(&mut raw, &mut answers.by_ref().take(SKELETON_ASKS))?;
        if raw.native(NativeState::Defunct) {
            return Err(Fault::NoSuchObject);
        }
        let parent: zbus::zvariant::OwnedValue = body(answers.next().unwrap_or(Err(Fault::Malformed)))?;
        let parent: NativeRef = parent.try_into().map_err(|_| Fault::Malformed)?;
        // The parent of a window is the application, which some toolkits name by its own path.
        let foreign = !parent.0.is_empty() && parent.0 != link.name;
        let is_window = raw.role.known().is_some_and(|role| crate::roles::is_application(*role));
        if is_window {
            break;
        }
        raws.push(raw);
        path = if foreign { NULL.to_owned() } else { parent.1.to_string() };
    }
    let request = ObserveRequest { bounds: true, ..ObserveRequest::default() };
    let completed = read::complete(link, &raws, |path| bus.object(&link.name, path), &request, left()).await;
    if completed.late {
        return Err(Fault::NoAnswer);
    }
    Ok(completed.nodes)
}

/// No honest tree is deeper than this; one that is makes up children as fast as it is asked for them.
const MAX_DEPTH: usize = 512;
