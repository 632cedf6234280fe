//! Walking the tree of a window.
//!
//! Where the toolkit can list a whole application in one call, that list is taken, and only what it lacks is
//! asked for (the ATK bridge leaves out table cells and what it has not got round to). Elsewhere the tree is
//! walked breadth first, one batch of calls a level. Either way a container's count of children is known
//! before its children are asked for.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use atspi::{Interface, State as NativeState};
use surehand_core::Result;
use surehand_core::platform::ObserveRequest;
use surehand_core::reading::Reading;
use surehand_core::tree::{Gap, GapReason};

use crate::app::NativeRef;
use crate::cache::Cache;
use crate::connect::Link;
use crate::error::Fault;
use crate::grid::Grid;
use crate::read::{self, Raw, SKELETON_ASKS};
use crate::wire::{ATSPI, body};

/// The path that stands for "no object".
pub(crate) const NULL: &str = "/org/a11y/atspi/null";

/// No honest tree is deeper than this; one that is makes up children as fast as it is asked for them.
pub(crate) const MAX_DEPTH: usize = 512;

/// In how many steps at most what the list leaves out is asked for at once: a table, its rows, their cells, and what
/// is in those.
const CACHE_STEPS: usize = 6;

/// How many rows of a list GTK 4 makes at a time: two hundred and those on the screen. A list with fewer has no more, and one
/// with more is a list box, of which all are there; nothing else tells the two apart.
const ROWS_MADE: std::ops::RangeInclusive<usize> = 200..=400;

/// A tree that is being read.
pub(crate) struct Skeleton<'a> {
    link: &'a Link,
    request: &'a ObserveRequest,
    raws: Vec<Raw>,
    gaps: Vec<Gap>,
    /// Every path that has a place in the tree: an object that is said to be in two places, or to be its own
    /// ancestor, is taken at the first.
    seen: HashSet<String>,
}

impl<'a> Skeleton<'a> {
    pub(crate) fn new(link: &'a Link, request: &'a ObserveRequest) -> Self {
        Skeleton { link, request, raws: Vec::new(), gaps: Vec::new(), seen: HashSet::new() }
    }

    /// Reads from `root` down, a level at a time.
    pub(crate) async fn read(&mut self, root: &str, span: Duration) -> Result<(), Fault> {
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
        self.gaps.extend(level.iter().map(|index| Gap::at(GapReason::Depth, *index)));
        Ok(())
    }

    /// Everything the toolkit lists of the application.
    async fn bulk(&self, span: Duration) -> Cache {
        let peer = &self.link.read;
        let ask = peer.call("/org/a11y/atspi/cache", &format!("{ATSPI}Cache"), "GetItems", &());
        let answer = peer.batch_within(vec![ask], span).await.pop().unwrap_or(Err(Fault::Malformed));
        let Ok(answer) = answer else { return Cache::default() };
        let answer = answer.body();
        Cache::of(&self.link.name, answer.deserialize().unwrap_or_default())
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
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let (mut unknown, mut unnamed) = (Vec::new(), Vec::new());
        for index in level {
            let raw = &mut self.raws[*index];
            match cache.items.get(&raw.path) {
                Some(item) => {
                    item.fill(raw);
                    if raw.name == Reading::Absent && !self.link.toolkit.lists_empty_names() {
                        raw.name = Reading::Unknown;
                        unnamed.push(*index);
                    }
                }
                None => match cache.strangers.get(&raw.path) {
                    Some(known) => *raw = Raw { parent: raw.parent, ..known.clone() },
                    None => unknown.push(*index),
                },
            }
        }
        let accessible = format!("{ATSPI}Accessible");
        let names = unnamed.iter().map(|index| self.link.read.get(&self.raws[*index].path, &accessible, "Name"));
        let names = self.link.read.batch_within(names.collect(), left()).await;
        for (index, answer) in unnamed.into_iter().zip(names) {
            let raw = &mut self.raws[index];
            raw.name = raw.text(crate::wire::property(answer));
        }
        let asks = unknown.iter().flat_map(|index| read::skeleton_asks(self.link, &self.raws[*index].path)).collect();
        let mut answers = self.link.read.batch_within(asks, left()).await.into_iter();
        for index in unknown {
            let mut own = answers.by_ref().take(SKELETON_ASKS);
            let Err(fault) = read::take_skeleton(&mut self.raws[index], &mut own) else { continue };
            if index == 0 {
                return Err(fault);
            }
            let reason = match fault {
                Fault::NoAnswer if left().is_zero() => GapReason::Deadline,
                Fault::NoAnswer | Fault::Disconnected => GapReason::Unresponsive,
                // It went away between being named as a child and being asked.
                Fault::NoSuchObject => continue,
                Fault::Malformed | Fault::TooLarge | Fault::Refused(_) => GapReason::Unreadable,
            };
            self.gaps.push(Gap::at(reason, index));
        }
        Ok(())
    }

    /// Adds the children of one level to the tree and returns their indices.
    async fn children_of(&mut self, level: &[usize], cache: &Cache, span: Duration) -> Vec<usize> {
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let peer = self.link.read.clone();
        let accessible = format!("{ATSPI}Accessible");

        // Cached counts can be "not said" (negative); those are asked for first.
        let unsaid: Vec<usize> = level
            .iter()
            .copied()
            .filter(|index| self.raws[*index].child_count.is_unknown() && !self.raws[*index].role.is_unknown())
            .collect();
        let asks = unsaid.iter().map(|index| peer.get(&self.raws[*index].path, &accessible, "ChildCount")).collect();
        for (index, answer) in unsaid.iter().zip(peer.batch_within(asks, left()).await) {
            if let Ok(count) = crate::wire::property::<i32>(answer) {
                self.raws[*index].child_count = Reading::Known(u64::try_from(count).unwrap_or(0));
            }
        }

        let mut asked = Vec::new();
        let (mut pages, mut told, mut uncounted) = (Vec::new(), Vec::new(), Vec::new());
        let mut lists: HashMap<usize, Vec<String>> = HashMap::new();
        for &index in level {
            let raw = &self.raws[index];
            if raw.native(NativeState::Defunct) {
                continue;
            }
            let count = match raw.child_count {
                Reading::Known(0) | Reading::Absent => continue,
                Reading::Known(count) => count,
                Reading::Unknown => {
                    // What it may hold was not looked at. One whose role is not known is a gap already.
                    if !raw.role.is_unknown() {
                        uncounted.push(index);
                    }
                    continue;
                }
            };
            let offset = self.request.offset.filter(|_| index == 0);
            if count > self.request.max_children || offset.is_some_and(|offset| offset > 0) {
                pages.push((index, count, offset));
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
        self.gaps.extend(uncounted.into_iter().map(|index| Gap::at(GapReason::Unreadable, index)));
        for (index, children) in told {
            lists.insert(index, self.own(index, children));
        }
        let asks = asked
            .iter()
            .map(|(index, _)| peer.call(&self.raws[*index].path, &accessible, "GetChildren", &()))
            .collect();
        for ((index, count), answer) in asked.iter().zip(peer.batch_within(asks, left()).await) {
            match body::<Vec<NativeRef>>(answer) {
                Ok(children) => {
                    let missing = count.saturating_sub(children.len() as u64);
                    if missing > 0 {
                        self.gap(GapReason::Unreadable, *index, missing);
                    }
                    lists.insert(*index, self.own(*index, &children));
                }
                Err(Fault::NoAnswer) if left().is_zero() => self.gap(GapReason::Deadline, *index, *count),
                Err(Fault::NoAnswer | Fault::Disconnected) => self.gap(GapReason::Unresponsive, *index, *count),
                Err(Fault::NoSuchObject | Fault::Malformed | Fault::TooLarge | Fault::Refused(_)) => {
                    self.gap(GapReason::Unreadable, *index, *count);
                }
            }
        }
        for (index, count, offset) in pages {
            let page = match self.cells_of(index, offset, left() / 2).await {
                Some(cells) => cells,
                None => self.page_of(index, count, offset, left()).await,
            };
            lists.insert(index, page);
        }
        self.add(level, &lists)
    }

    /// A page of the cells of a table with too many of them: that from the cell asked for, else the part that is on the
    /// screen. None where it does not tell its cells.
    async fn cells_of(&mut self, index: usize, offset: Option<u64>, span: Duration) -> Option<Vec<String>> {
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let raw = &self.raws[index];
        if !raw.has(Interface::Table) {
            return None;
        }
        let path = raw.path.clone();
        let grid = Grid::of(self.link, &path, left()).await?;
        let part = match offset {
            Some(offset) => grid.page(offset, self.request.page, left()).await,
            None => grid.visible(left()).await?,
        };
        if part.cells == 0 && part.from < grid.cells() {
            return None;
        }
        let missing = grid.cells().saturating_sub(part.cells);
        if missing > 0 {
            let gap = Gap::at(GapReason::TooManyChildren, index).missing(missing);
            let columns = Some(grid.columns());
            self.gaps.push(Gap { from: Some(part.from), next: part.next, columns, ..gap });
        }
        Some(part.paths)
    }

    /// A page of a container with too many children: the one asked for, else the part that is on the
    /// screen, else the first. One child after the other is asked for: a list of them all can take minutes to make.
    async fn page_of(&mut self, index: usize, count: u64, offset: Option<u64>, span: Duration) -> Vec<String> {
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let peer = &self.link.read;
        let path = self.raws[index].path.clone();
        let first = match offset {
            None => self.first_on_screen(&path, left()).await.unwrap_or(0),
            Some(asked) => asked,
        };
        let end = count.min(first.saturating_add(self.request.page));
        let asks = (first..end)
            .map(|child| {
                let child = i32::try_from(child).unwrap_or(i32::MAX);
                peer.call(&path, &format!("{ATSPI}Accessible"), "GetChildAtIndex", &(child,))
            })
            .collect();
        let children = peer.batch_within(asks, left()).await.into_iter().filter_map(|answer| {
            let child: NativeRef = body(answer).ok()?;
            self.is_own(&child).then(|| child.1.to_string())
        });
        let children: Vec<String> = children.collect();
        let missing = count.saturating_sub(children.len() as u64);
        if missing > 0 {
            let next = if end < count { Some(end) } else { None };
            self.gaps.push(Gap {
                from: Some(first),
                next,
                ..Gap::at(GapReason::TooManyChildren, index).missing(missing)
            });
        }
        children
    }

    /// The index of the first child that is on the screen, by asking what is at the corner of the container.
    async fn first_on_screen(&self, path: &str, span: Duration) -> Option<u64> {
        let started = tokio::time::Instant::now();
        let left = || span.saturating_sub(started.elapsed());
        let peer = &self.link.read;
        let component = format!("{ATSPI}Component");
        let coordinates = self.link.toolkit.coordinates();
        let ask = peer.call(path, &component, "GetExtents", &(coordinates,));
        let answer = body(peer.batch_within(vec![ask], left()).await.pop()?);
        let Reading::Known(place) = read::rect(&answer) else { return None };
        // The corner may be under a header or between two cells, so a few points further in are tried as well.
        let asks = [(3, 3), (12, 40), (40, 80)]
            .iter()
            .map(|(x, y)| {
                let point = (place.x.max(0).saturating_add(*x), place.y.max(0).saturating_add(*y), coordinates);
                peer.call(path, &component, "GetAccessibleAtPoint", &point)
            })
            .collect();
        let hits: Vec<String> = peer
            .batch_within(asks, left())
            .await
            .into_iter()
            .filter_map(|answer| body::<NativeRef>(answer).ok())
            .map(|child| child.1.to_string())
            .filter(|child| child != NULL && child != path)
            .collect();
        let accessible = format!("{ATSPI}Accessible");
        let asks = hits.iter().map(|child| peer.call(child, &accessible, "GetIndexInParent", &())).collect();
        let places = peer.batch_within(asks, left()).await.into_iter().filter_map(|answer| body::<i32>(answer).ok());
        places.filter_map(|place| u64::try_from(place).ok()).min()
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

    /// Whether the elements of the page that is shown have not even got the name of their tag. Firefox fetches
    /// names, values and attributes of a page when they are asked for the first time, and answers without them
    /// meanwhile, a slider with 0; every element of a page has a tag once it has.
    pub(crate) async fn is_untold(&self, span: Duration) -> bool {
        /// So many elements speak for the page.
        const ENOUGH: usize = 8;
        let Some(page) = self.raws.iter().find(|raw| {
            raw.role.known().is_some_and(|role| crate::roles::is_page(*role)) && raw.native(NativeState::Showing)
        }) else {
            return false;
        };
        let accessible = format!("{ATSPI}Accessible");
        let asks: Vec<_> = page
            .children
            .iter()
            .map(|child| &self.raws[*child])
            .filter(|raw| raw.role.known().is_some_and(|role| !crate::roles::is_text_leaf(*role)))
            .take(ENOUGH)
            .map(|raw| self.link.read.call(&raw.path, &accessible, "GetAttributes", &()))
            .collect();
        let asked = !asks.is_empty();
        let answers = self.link.read.batch_within(asks, span).await;
        asked
            && !answers.into_iter().any(|answer| {
                body::<HashMap<String, String>>(answer).is_ok_and(|attributes| attributes.contains_key("tag"))
            })
    }

    /// Whether a page is shown and says that nothing in it is.
    pub(crate) fn is_blind(&self) -> bool {
        let shows = |raw: &Raw| raw.native(NativeState::Showing);
        self.raws.iter().any(|raw| {
            raw.role.known().is_some_and(|role| crate::roles::is_page(*role))
                && shows(raw)
                && !raw.children.is_empty()
                && !raw.children.iter().any(|child| shows(&self.raws[*child]))
        })
    }

    /// Lists that make a row when it is about to be shown, and publish no others: how many there are is told nowhere,
    /// and one that has as many as are made at a time may have more.
    pub(crate) fn unmade_rows(&mut self) {
        let is_cut = |raw: &Raw| {
            ROWS_MADE.contains(&raw.children.len())
                && raw.role.known().is_some_and(|role| crate::roles::may_recycle(*role))
        };
        let cut: Vec<usize> = (0..self.raws.len()).filter(|index| is_cut(&self.raws[*index])).collect();
        self.gaps.extend(cut.into_iter().map(|index| Gap::at(GapReason::NotPublished, index)));
    }

    /// Whether the window has children and names none of them: only the null object in their place.
    pub(crate) fn is_unpublished(&self) -> bool {
        self.raws.len() == 1 && self.gaps.is_empty() && self.raws[0].child_count.known().is_some_and(|count| *count > 0)
    }

    /// Marks a window that says that it has nothing in it. Hardly any window has, and an application that is starting or
    /// has no accessibility support looks the same.
    pub(crate) fn doubt_emptiness(&mut self) {
        if self.raws.len() == 1 && self.gaps.is_empty() {
            self.gaps.push(Gap::at(GapReason::NotPublished, 0));
        }
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
        self.gaps.push(Gap::at(reason, node).missing(missing));
    }

    /// The nodes depth first, as they are read, instead of breadth first, as they were asked for.
    pub(crate) fn in_document_order(self) -> (Vec<Raw>, Vec<Gap>) {
        let mut order = Vec::with_capacity(self.raws.len());
        let with_gap: HashSet<usize> = self.gaps.iter().filter_map(|gap| gap.node).collect();
        let mut stack = if self.raws.is_empty() { Vec::new() } else { vec![0usize] };
        while let Some(index) = stack.pop() {
            let raw = &self.raws[index];
            // What vanished while it was read is no part of the tree.
            if index != 0 && (raw.role.is_unknown() && !with_gap.contains(&index) || raw.native(NativeState::Defunct)) {
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
}
