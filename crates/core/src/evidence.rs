//! What is kept about an element to know it again, and the comparison that decides whether it is the same.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::label::stable;
use crate::node::Node;
use crate::object::{ObjectId, Process};
use crate::reading::Reading;
use crate::role::Role;
use crate::tree::Observation;

/// A labelled container that an element sits in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// What the container is.
    pub role: Role,
    /// What it is called.
    pub name: String,
}

/// Everything captured about an element. Its value, its place on the screen and its position in the tree
/// are not here: they change while the element stays the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The native object.
    pub object: ObjectId,
    /// The process it lives in.
    pub process: Process,
    /// The window it was seen in.
    pub window: ObjectId,
    /// What it is.
    pub role: Role,
    /// The name its developers gave it.
    pub native_id: Reading<String>,
    /// What it is called.
    pub name: Reading<String>,
    /// Its description.
    pub description: Reading<String>,
    /// The labelled containers around it, nearest first, without the window, whose title changes freely.
    /// Unknown where one of the containers did not say what it is called.
    pub context: Reading<Vec<Context>>,
    /// Whether it sits in a container that re-uses its children's objects for other content, so that the
    /// living object proves nothing by itself.
    pub recycled: bool,
    /// What tells its row from the others of such a container: the row's id, else what it is called, else the
    /// first text in it. Absent outside of them.
    pub row: Reading<String>,
    /// Whether it has a name or an id and nothing else in the window could have been taken for it. Only then
    /// does another object that agrees in full prove to be it; otherwise that may be the twin.
    pub sole: bool,
}

/// What of an observation decides whether an element can be told from all others in it.
struct Census<'o> {
    observation: &'o Observation,
    rows: Vec<Reading<&'o str>>,
    /// How many elements agree in every piece, where every piece is known.
    exact: HashMap<(Looks<'o>, [Option<&'o str>; 2]), u32>,
    /// How many agree in role, name and context.
    alike: HashMap<Looks<'o>, u32>,
    /// The same, of those whose id or description is not known.
    vague: HashMap<Looks<'o>, u32>,
    /// The roles of which there are elements that could be called anything.
    faceless: HashSet<Role>,
}

/// Role, name, context and row of an element.
type Looks<'o> = (Role, Option<&'o str>, Vec<(Role, &'o str)>, Option<&'o str>);

impl<'o> Census<'o> {
    fn of(observation: &'o Observation) -> Self {
        let mut census = Census {
            observation,
            rows: rows(observation),
            exact: HashMap::new(),
            alike: HashMap::new(),
            vague: HashMap::new(),
            faceless: HashSet::new(),
        };
        for (index, node) in observation.nodes.iter().enumerate() {
            let Some(looks) = looks(observation, index, census.row(index)) else {
                census.faceless.insert(node.role);
                continue;
            };
            *census.alike.entry(looks.clone()).or_default() += 1;
            match details(node) {
                Some(details) => *census.exact.entry((looks, details)).or_default() += 1,
                None => *census.vague.entry(looks).or_default() += 1,
            }
        }
        census
    }

    fn row(&self, index: usize) -> Reading<&'o str> {
        self.rows.get(index).copied().unwrap_or(Reading::Unknown)
    }

    /// Whether the element has a name or an id and no other one could be taken for it.
    fn is_sole(&self, index: usize) -> bool {
        let Some(node) = self.observation.nodes.get(index) else { return false };
        let Some(looks) = looks(self.observation, index, self.row(index)) else { return false };
        let is_named = node.name.known().is_some() || node.native_id.known().is_some() || looks.3.is_some();
        // What was not looked at may hold its twin.
        let whole = self.observation.is_whole() && self.observation.above.is_empty();
        if !is_named || !whole || self.faceless.contains(&node.role) {
            return false;
        }
        match details(node) {
            None => self.alike.get(&looks) == Some(&1),
            Some(details) => !self.vague.contains_key(&looks) && self.exact.get(&(looks, details)) == Some(&1),
        }
    }
}

fn around(observation: &Observation, index: usize) -> Vec<&Node> {
    let within = observation.ancestors(index).filter_map(|ancestor| observation.nodes.get(ancestor));
    within.chain(&observation.above).collect()
}

fn looks<'o>(observation: &'o Observation, index: usize, row: Reading<&'o str>) -> Option<Looks<'o>> {
    let node = observation.nodes.get(index)?;
    if node.name.is_unknown() {
        return None;
    }
    let row = match row {
        Reading::Known(key) => Some(key),
        Reading::Absent => None,
        Reading::Unknown => return None,
    };
    match labelled(around(observation, index).into_iter()) {
        Reading::Known(context) => Some((node.role, node.name.text(), context, row)),
        Reading::Absent | Reading::Unknown => None,
    }
}

/// For each node the key of the row that it sits in, or is, in the nearest container that re-uses its objects.
///
/// Absent outside of such containers and for a row without any text. Unknown where a text that could be the
/// key was not read: a weaker one in its place could be another row's. Made in one pass, since a container can
/// hold as many nodes as there are.
pub fn rows(observation: &Observation) -> Vec<Reading<&str>> {
    let mut rows: Vec<Reading<&str>> = Vec::with_capacity(observation.nodes.len());
    for (index, node) in observation.nodes.iter().enumerate() {
        let row = match node.parent {
            Some(parent) if observation.nodes.get(parent).is_some_and(|parent| parent.recycles) => {
                first_text(observation, index)
            }
            // Parents come before their children in document order.
            Some(parent) => rows.get(parent).copied().unwrap_or(Reading::Unknown),
            None => match observation.above.iter().position(|around| around.recycles) {
                None => Reading::Absent,
                Some(0) => first_text(observation, index),
                // Its row was not read.
                Some(_) => Reading::Unknown,
            },
        };
        rows.push(row);
    }
    rows
}

/// The id of a node, else its name, else the first text below it.
fn first_text(observation: &Observation, row: usize) -> Reading<&str> {
    let Some(node) = observation.nodes.get(row) else { return Reading::Unknown };
    if let Reading::Known(id) = &node.native_id {
        return Reading::Known(id);
    }
    match &node.name {
        Reading::Known(name) => return Reading::Known(name),
        Reading::Unknown => return Reading::Unknown,
        Reading::Absent => {}
    }
    for child in &node.children {
        match first_text(observation, *child) {
            Reading::Absent => {}
            found => return found,
        }
    }
    Reading::Absent
}

fn details(node: &Node) -> Option<[Option<&str>; 2]> {
    let description = description(node);
    let known = !node.native_id.is_unknown() && !description.is_unknown();
    known.then(|| [node.native_id.text(), description.text()])
}

/// The description as far as it is evidence. Some toolkits describe a range by the number it stands at, which
/// is its value and changes with it.
fn description(node: &Node) -> &Reading<String> {
    if node.role.is_range() { &Reading::Absent } else { &node.description }
}

/// Captures the evidence of the nodes that `wanted` picks, with their indices, in order.
pub fn capture(observation: &Observation, wanted: impl Fn(usize) -> bool) -> Vec<(usize, Evidence)> {
    let Some(window) = &observation.window.object else { return Vec::new() };
    let census = Census::of(observation);
    let picked = observation.nodes.iter().enumerate().filter(|(index, _)| wanted(*index));
    picked
        .map(|(index, node)| {
            let around = around(observation, index);
            let evidence = Evidence {
                object: node.object.clone(),
                process: observation.application.process.clone(),
                window: window.clone(),
                role: node.role,
                native_id: node.native_id.clone(),
                name: node.name.clone(),
                description: description(node).clone(),
                context: context(around.iter().copied()),
                recycled: around.iter().any(|ancestor| ancestor.recycles),
                row: census.row(index).map(str::to_owned),
                sole: census.is_sole(index),
            };
            (index, evidence)
        })
        .collect()
}

/// The labelled ones among the containers around an element, nearest first; the outermost is the window.
/// Unknown where one of them did not say what it is called: it may be labelled or not.
pub fn context<'a>(ancestors: impl DoubleEndedIterator<Item = &'a Node> + ExactSizeIterator) -> Reading<Vec<Context>> {
    labelled(ancestors)
        .map(|labelled| labelled.into_iter().map(|(role, name)| Context { role, name: name.to_owned() }).collect())
}

/// The containers within the innermost document. What is around a document is called by its title, which a page
/// changes as freely as a window does; where the living object is at hand that says nothing against it.
pub fn within_document(context: &Reading<Vec<Context>>) -> Reading<Vec<Context>> {
    let inside = |context: &Vec<Context>| {
        context.iter().take_while(|around| !matches!(around.role, Role::WebArea | Role::Document)).cloned().collect()
    };
    context.as_ref().map(inside)
}

fn labelled<'a>(
    ancestors: impl DoubleEndedIterator<Item = &'a Node> + ExactSizeIterator,
) -> Reading<Vec<(Role, &'a str)>> {
    let inner = ancestors.len().saturating_sub(1);
    let mut labelled = Vec::new();
    for node in ancestors.take(inner) {
        match &node.name {
            Reading::Known(name) => labelled.push((node.role, name.as_str())),
            Reading::Absent => {}
            Reading::Unknown => return Reading::Unknown,
        }
    }
    Reading::Known(labelled)
}

/// One piece of evidence, for saying which differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// The role.
    Role,
    /// The developers' id.
    NativeId,
    /// The name.
    Name,
    /// The description.
    Description,
    /// The containers around it.
    Context,
    /// The row it sits in.
    Row,
}

/// What comparing captured evidence with a live element says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every captured piece agrees.
    Same,
    /// These pieces differ.
    Different(Vec<Piece>),
    /// None differs, and these could not be read now, so that nothing is proved.
    Unreadable(Vec<Piece>),
}

/// How exactly labels have to agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    /// To the letter: the label is all there is to tell the element by.
    Exact,
    /// Without what changes by itself ([`crate::label::stable`]): the living object is the same one.
    Stable,
}

/// Compares captured evidence with a live node and the containers around it, native objects and rows aside.
pub fn compare(captured: &Evidence, live: &Node, around: &Reading<Vec<Context>>, labels: Labels) -> Verdict {
    let mut different = Vec::new();
    let mut unreadable = Vec::new();
    if captured.role != live.role {
        different.push(Piece::Role);
    }
    let mut examine = |piece, known_then: bool, known_now: bool, equal: bool| {
        // What was not known then cannot tell anything now.
        if !known_then || equal {
            return;
        }
        if known_now { different.push(piece) } else { unreadable.push(piece) }
    };
    let same = |then: &str, now: &str| match labels {
        Labels::Exact => then == now,
        Labels::Stable => then == now || stable(then) == stable(now),
    };
    let same_reading = |then: &Reading<String>, now: &Reading<String>| match (then, now) {
        (Reading::Known(then), Reading::Known(now)) => same(then, now),
        (then, now) => then == now,
    };
    for (piece, then, now, equal) in [
        (Piece::NativeId, &captured.native_id, &live.native_id, captured.native_id == live.native_id),
        (Piece::Name, &captured.name, &live.name, same_reading(&captured.name, &live.name)),
        (
            Piece::Description,
            &captured.description,
            description(live),
            same_reading(&captured.description, description(live)),
        ),
    ] {
        examine(piece, !then.is_unknown(), !now.is_unknown(), equal);
    }
    let same_context = match (&captured.context, around) {
        (Reading::Known(then), Reading::Known(now)) => {
            then.len() == now.len()
                && then.iter().zip(now).all(|(then, now)| then.role == now.role && same(&then.name, &now.name))
        }
        (then, now) => then == now,
    };
    examine(Piece::Context, !captured.context.is_unknown(), !around.is_unknown(), same_context);
    match (different.is_empty(), unreadable.is_empty()) {
        (false, _) => Verdict::Different(different),
        (true, false) => Verdict::Unreadable(unreadable),
        (true, true) => Verdict::Same,
    }
}

/// Compares captured evidence with a node of an observation, its row included. `rows` is what [`rows`] made of it.
pub fn compare_in(
    captured: &Evidence,
    observation: &Observation,
    rows: &[Reading<&str>],
    index: usize,
) -> Option<Verdict> {
    let node = observation.nodes.get(index)?;
    let around = context(around(observation, index).into_iter());
    let verdict = compare(captured, node, &around, Labels::Exact);
    let now = rows.get(index).copied().unwrap_or(Reading::Unknown);
    Some(match (&captured.row, now) {
        (Reading::Unknown, _) => verdict,
        (Reading::Known(then), Reading::Known(now)) if then == now => verdict,
        (Reading::Absent, Reading::Absent) => verdict,
        (_, Reading::Unknown) => match verdict {
            Verdict::Same => Verdict::Unreadable(vec![Piece::Row]),
            other => other,
        },
        _ => match verdict {
            Verdict::Different(mut pieces) => {
                pieces.push(Piece::Row);
                Verdict::Different(pieces)
            }
            Verdict::Same | Verdict::Unreadable(_) => Verdict::Different(vec![Piece::Row]),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured() -> Evidence {
        Evidence {
            object: ObjectId { owner: "bus:1.1".into(), object: "/1".into() },
            process: Process { pid: 1, generation: "1".into() },
            window: ObjectId { owner: "bus:1.1".into(), object: "/0".into() },
            role: Role::Button,
            native_id: Reading::Absent,
            name: Reading::Known("Beta".into()),
            description: Reading::Unknown,
            context: Reading::Known(vec![Context { role: Role::Group, name: "Letters".into() }]),
            recycled: false,
            row: Reading::Absent,
            sole: true,
        }
    }

    fn live() -> (Node, Reading<Vec<Context>>) {
        let mut node = Node::new(captured().object, Role::Button);
        node.name = Reading::Known("Beta".into());
        node.native_id = Reading::Absent;
        node.description = Reading::Absent;
        (node, captured().context)
    }

    #[test]
    fn what_agrees_is_the_same_and_what_was_never_known_says_nothing() {
        let (node, around) = live();
        assert_eq!(compare(&captured(), &node, &around, Labels::Exact), Verdict::Same);
    }

    #[test]
    fn each_piece_can_differ() {
        let (mut node, _) = live();
        node.role = Role::Link;
        node.name = Reading::Known("Gamma".into());
        node.native_id = Reading::Known("ok".into());
        let verdict = compare(&captured(), &node, &Reading::Known(Vec::new()), Labels::Exact);
        assert_eq!(verdict, Verdict::Different(vec![Piece::Role, Piece::NativeId, Piece::Name, Piece::Context]));
    }

    #[test]
    fn a_range_that_is_described_by_its_number_is_the_same_at_another_one() {
        let (mut node, around) = live();
        let mut then = captured();
        (node.role, then.role) = (Role::Slider, Role::Slider);
        then.description = Reading::Absent;
        node.description = Reading::Known("70".into());
        assert_eq!(compare(&then, &node, &around, Labels::Exact), Verdict::Same);
        // For anything else a description is evidence.
        (node.role, then.role) = (Role::Button, Role::Button);
        let verdict = compare(&then, &node, &around, Labels::Exact);
        assert_eq!(verdict, Verdict::Different(vec![Piece::Description]));
    }

    #[test]
    fn a_page_may_change_its_title() {
        let context = |title: &str| {
            let around = [(Role::Form, "Order"), (Role::WebArea, title), (Role::ScrollArea, title)];
            Reading::Known(around.map(|(role, name)| Context { role, name: name.into() }).to_vec())
        };
        assert_eq!(within_document(&context("Shop")), within_document(&context("(1) Shop")));
        assert_eq!(within_document(&context("Shop")).map(|inside| inside.len()), Reading::Known(1));
        assert_eq!(within_document(&captured().context), captured().context);
    }

    #[test]
    fn a_piece_that_cannot_be_read_proves_nothing() {
        let (mut node, around) = live();
        node.name = Reading::Unknown;
        assert_eq!(compare(&captured(), &node, &around, Labels::Exact), Verdict::Unreadable(vec![Piece::Name]));
        let unread = Verdict::Unreadable(vec![Piece::Name, Piece::Context]);
        assert_eq!(compare(&captured(), &node, &Reading::Unknown, Labels::Exact), unread);
    }
}
