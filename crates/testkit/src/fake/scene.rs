//! The world behind a fake platform, and how a test changes it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use surehand_core::geometry::Rect;
use surehand_core::node::{Content, Node};
use surehand_core::object::{ObjectId, Process};
use surehand_core::platform::Attention;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::{State, States};
use surehand_core::time::Cancel;
use surehand_core::tree::GapReason;
use surehand_core::watch::Changed;

use super::apps::{App, AppId, FakeWindow};
use super::clipboard::Board;
use super::element::{Element, text_content};
use super::input::OnStroke;
use super::log::{Entry, Received};
use super::notification::Tray;
use super::response::Response;
use crate::clock::Dial;

/// A property that can be made unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The developers' id.
    NativeId,
    /// What it holds.
    Content,
    /// The states.
    States,
    /// The number of children.
    ChildCount,
}

/// Something that happens to the world.
pub(crate) type Change = Box<dyn FnOnce(&mut Scene) + Send>;

/// One live object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) node: Node,
    pub(crate) parent: Option<ObjectId>,
    pub(crate) children: Vec<ObjectId>,
    pub(crate) unreadable: HashSet<Property>,
    pub(crate) failing: bool,
    pub(crate) cut: Option<GapReason>,
    pub(crate) claimed_children: Option<u64>,
}

/// The world: applications, windows, elements, and what is going to happen. Every method that names an
/// object panics when there is none, since the test is wrong then.
pub struct Scene {
    pub(crate) dial: Dial,
    pub(crate) apps: Vec<App>,
    pub(crate) windows: Vec<FakeWindow>,
    pub(crate) objects: HashMap<ObjectId, Object>,
    pub(crate) responses: HashMap<ObjectId, Response>,
    pub(crate) key_responses: HashMap<String, Change>,
    pub(crate) stroke_response: Option<OnStroke>,
    pub(crate) windows_stay: bool,
    pub(crate) hit: Option<ObjectId>,
    pub(crate) screens: Vec<Rect>,
    pub(crate) next_screens: Option<Vec<Rect>>,
    pub(crate) running: HashSet<Process>,
    pub(crate) attention: Attention,
    pub(crate) observation_cut: Option<GapReason>,
    pub(crate) after_observation: Option<Change>,
    pub(crate) after_inspection: Option<Change>,
    pub(crate) after_capture: Option<Change>,
    pub(crate) log: Vec<Entry>,
    pub(crate) serial: u64,
    pub(crate) announced: Vec<surehand_core::watch::Change>,
    pub(crate) muted: bool,
    pub(crate) hears_after: Option<Duration>,
    pub(crate) lag: Duration,
    pub(crate) relations: HashMap<ObjectId, Vec<ObjectId>>,
    pub(crate) struck_object: Option<ObjectId>,
    pub(crate) board: Board,
    pub(crate) tray: Tray,
    schedule: BTreeMap<(Duration, u64), Change>,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene")
            .field("apps", &self.apps)
            .field("windows", &self.windows)
            .field("objects", &self.objects.len())
            .field("scheduled", &self.schedule.len())
            .finish_non_exhaustive()
    }
}

impl Scene {
    pub(crate) fn new(dial: Dial) -> Self {
        Scene {
            dial,
            apps: Vec::new(),
            windows: Vec::new(),
            objects: HashMap::new(),
            responses: HashMap::new(),
            key_responses: HashMap::new(),
            stroke_response: None,
            windows_stay: false,
            hit: None,
            screens: vec![Rect { x: 0, y: 0, width: 1280, height: 800 }],
            next_screens: None,
            running: HashSet::new(),
            attention: Attention { pointer: None, active: None, keyboard: None },
            observation_cut: None,
            after_observation: None,
            after_inspection: None,
            after_capture: None,
            log: Vec::new(),
            serial: 0,
            announced: Vec::new(),
            muted: false,
            hears_after: None,
            lag: Duration::from_millis(100),
            relations: HashMap::new(),
            struck_object: None,
            board: Board::default(),
            tray: Tray::default(),
            schedule: BTreeMap::new(),
        }
    }

    /// Virtual time since the platform was made.
    pub fn now(&self) -> Duration {
        self.dial.passed()
    }

    /// Lets something happen when `span` has passed from now.
    pub fn after(&mut self, span: Duration, change: impl FnOnce(&mut Scene) + Send + 'static) {
        let at = self.now() + span;
        let serial = self.next_serial();
        self.schedule.insert((at, serial), Box::new(change));
    }

    /// Lets time pass, with everything that is due in it, in order. Ends at the change that raises `cancel`.
    pub(crate) fn advance(&mut self, span: Duration, cancel: Option<&Cancel>) {
        let raised = || cancel.is_some_and(Cancel::is_raised);
        let end = self.now() + span;
        while !raised() {
            match self.schedule.first_key_value() {
                Some(((at, _), _)) if *at <= end => self.next_change(),
                _ => return self.dial.turn_to(end),
            }
        }
    }

    /// When the next change is due.
    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.schedule.first_key_value().map(|((at, _), _)| *at)
    }

    /// Turns the clock to the next change and lets it happen.
    pub(crate) fn next_change(&mut self) {
        if let Some(((at, _), change)) = self.schedule.pop_first() {
            self.dial.turn_to(at);
            change(self);
        }
    }

    /// Puts an element into a tree, before the child of that index or after the last one.
    pub fn insert(&mut self, parent: &ObjectId, index: usize, element: Element) -> ObjectId {
        let object = self.place(&parent.owner.clone(), Some(parent.clone()), element);
        let children = &mut self.object_mut(parent).children;
        children.insert(index.min(children.len()), object.clone());
        self.announce(parent, Changed::ChildAdded(Some(object.clone())));
        object
    }

    /// Puts an element behind the other children.
    pub fn append(&mut self, parent: &ObjectId, element: Element) -> ObjectId {
        self.insert(parent, usize::MAX, element)
    }

    /// Takes an element, and what is below it, out of its tree for good. The object is dead then.
    pub fn remove(&mut self, object: &ObjectId) {
        if let Some(parent) = self.object_mut(object).parent.clone() {
            self.object_mut(&parent).children.retain(|child| child != object);
            self.announce(&parent, Changed::ChildRemoved(Some(object.clone())));
        }
        self.announce(object, Changed::Defunct);
        self.forget(object);
    }

    /// Puts another element in the place of one. The old object is dead then, also where the new one has the
    /// same key.
    pub fn replace(&mut self, object: &ObjectId, element: Element) -> ObjectId {
        let parent = self.parent_of(object);
        let index = self.index_of(&parent, object);
        self.remove(object);
        self.insert(&parent, index, element)
    }

    /// Makes a new object that looks like this one, at the same place: what toolkits do that build their
    /// tree anew.
    pub fn rebuild(&mut self, object: &ObjectId) -> ObjectId {
        let copy = self.copy_of(object);
        self.replace(object, copy)
    }

    /// Puts the children of an element into another order.
    pub fn reorder(&mut self, parent: &ObjectId, order: &[ObjectId]) {
        let children = &mut self.object_mut(parent).children;
        let (mut now, mut then) = (children.clone(), order.to_vec());
        now.sort();
        then.sort();
        assert!(now == then, "{parent} has other children than the new order names");
        *children = order.to_vec();
    }

    /// Moves an element below another parent; the object stays the same.
    pub fn move_to(&mut self, object: &ObjectId, parent: &ObjectId, index: usize) {
        let old = self.parent_of(object);
        self.object_mut(&old).children.retain(|child| child != object);
        let children = &mut self.object_mut(parent).children;
        children.insert(index.min(children.len()), object.clone());
        self.object_mut(object).parent = Some(parent.clone());
    }

    /// Lets two objects stand for each other's content, as a list does that uses its rows again. What is
    /// below them changes places as well.
    pub fn swap_content(&mut self, one: &ObjectId, other: &ObjectId) {
        let mut node = self.object_mut(one).node.clone();
        std::mem::swap(&mut node, &mut self.object_mut(other).node);
        self.object_mut(one).node = node;
        self.object_mut(one).node.object = one.clone();
        self.object_mut(other).node.object = other.clone();
        let children = std::mem::take(&mut self.object_mut(one).children);
        let others = std::mem::replace(&mut self.object_mut(other).children, children);
        self.object_mut(one).children = others;
        for parent in [one, other] {
            for child in self.object_mut(parent).children.clone() {
                self.object_mut(&child).parent = Some(parent.clone());
            }
        }
    }

    /// Calls an element, or a window, something else.
    pub fn rename(&mut self, object: &ObjectId, name: &str) {
        self.object_mut(object).node.name = Reading::of_text(name.to_owned());
        self.announce(object, Changed::Name);
    }

    /// Lets an element react again.
    pub fn enable(&mut self, object: &ObjectId) {
        self.set_state(object, State::Disabled, false);
    }

    /// Makes an element react to nothing.
    pub fn disable(&mut self, object: &ObjectId) {
        self.set_state(object, State::Disabled, true);
    }

    /// Puts an element into a state, or takes it out.
    pub fn set_state(&mut self, object: &ObjectId, state: State, on: bool) {
        let node = &mut self.object_mut(object).node;
        let mut states: States =
            node.states.known().copied().unwrap_or_default().iter().filter(|held| *held != state).collect();
        if on {
            states.insert(state);
        }
        let was = node.has(state);
        node.states = Reading::Known(states);
        if was != on {
            self.announce(object, Changed::State(state, on));
        }
    }

    /// Puts text into an element. Where it is secure nobody will read it.
    pub fn set_text(&mut self, object: &ObjectId, text: &str) {
        let node = &mut self.object_mut(object).node;
        if !node.has(State::Secure) {
            node.content = text_content(text);
        }
        self.announce(object, Changed::Value);
    }

    /// Sets the number of an element, within its range as toolkits do.
    pub fn set_number(&mut self, object: &ObjectId, number: f64) {
        let content = &mut self.object_mut(object).node.content;
        let Reading::Known(Content::Number { current, minimum, maximum }) = content else {
            panic!("{object} holds no number");
        };
        *current = number.max(*minimum).min(*maximum);
        self.announce(object, Changed::Value);
    }

    /// Changes anything else about an element.
    pub fn edit(&mut self, object: &ObjectId, change: impl FnOnce(&mut Node)) {
        change(&mut self.object_mut(object).node);
    }

    /// What an element holds, as a caller would see it.
    pub fn value(&self, object: &ObjectId) -> Option<String> {
        self.objects.get(object).and_then(|object| object.node.value())
    }

    /// Whether the object lives.
    pub fn lives(&self, object: &ObjectId) -> bool {
        self.objects.contains_key(object)
    }

    /// The children of an element, in order.
    pub fn children(&mut self, object: &ObjectId) -> Vec<ObjectId> {
        self.object_mut(object).children.clone()
    }

    /// Lets reads of one property of one element fail, so that it is unknown.
    pub fn hide(&mut self, object: &ObjectId, property: Property) {
        self.object_mut(object).unreadable.insert(property);
    }

    /// Lets the property be read again.
    pub fn show(&mut self, object: &ObjectId, property: Property) {
        self.object_mut(object).unreadable.remove(&property);
    }

    /// Lets every read of one object fail, or work again: an observation has a gap there.
    pub fn fail_reads(&mut self, object: &ObjectId, fail: bool) {
        self.object_mut(object).failing = fail;
    }

    /// Cuts observations below an element.
    pub fn cut(&mut self, object: &ObjectId, reason: Option<GapReason>) {
        self.object_mut(object).cut = reason;
    }

    /// Cuts every observation, without saying where.
    pub fn cut_observations(&mut self, reason: Option<GapReason>) {
        self.observation_cut = reason;
    }

    /// Lets an element say that it has so many children, whatever it has.
    pub fn claim_children(&mut self, object: &ObjectId, count: u64) {
        self.object_mut(object).claimed_children = Some(count);
    }

    /// Lets something happen when a key combination is pressed next, written as `ctrl+s`.
    pub fn on_keys(&mut self, chord: &str, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.key_responses.insert(chord.to_owned(), Box::new(change));
    }

    /// Lets something happen right after the next observation, before anything else can be asked.
    pub fn after_observation(&mut self, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.after_observation = Some(Box::new(change));
    }

    /// Lets something happen right after the next object was read.
    pub fn after_inspection(&mut self, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.after_inspection = Some(Box::new(change));
    }

    /// Lets something happen right after the next picture was taken.
    pub fn after_capture(&mut self, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.after_capture = Some(Box::new(change));
    }

    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    pub(crate) fn receive(&mut self, what: Received) {
        let at = self.now();
        self.log.push(Entry { at, what });
    }

    /// Gives an element and everything below it objects.
    pub(crate) fn place(&mut self, owner: &str, parent: Option<ObjectId>, element: Element) -> ObjectId {
        let path = match element.key {
            Some(key) => format!("/{key}"),
            None => format!("/made-up/{}", self.next_serial()),
        };
        let id = ObjectId { owner: owner.to_owned(), object: path };
        assert!(!self.objects.contains_key(&id), "there are two objects {id}");
        let mut node = element.node;
        node.object = id.clone();
        let object = Object {
            node,
            parent,
            children: Vec::new(),
            unreadable: HashSet::new(),
            failing: false,
            cut: None,
            claimed_children: None,
        };
        self.objects.insert(id.clone(), object);
        for child in element.children {
            let child = self.place(owner, Some(id.clone()), child);
            self.object_mut(&id).children.push(child);
        }
        id
    }

    pub(crate) fn forget(&mut self, id: &ObjectId) {
        if let Some(object) = self.objects.remove(id) {
            for child in object.children {
                self.forget(&child);
            }
        }
    }

    /// The element as it could be written down, without keys.
    pub(crate) fn copy_of(&mut self, id: &ObjectId) -> Element {
        let (node, children) = {
            let object = self.object_mut(id);
            (object.node.clone(), object.children.clone())
        };
        Element { key: None, node, children: children.iter().map(|child| self.copy_of(child)).collect() }
    }

    pub(crate) fn object_mut(&mut self, id: &ObjectId) -> &mut Object {
        self.objects.get_mut(id).unwrap_or_else(|| panic!("the scene has no object {id}"))
    }

    pub(crate) fn parent_of(&mut self, id: &ObjectId) -> ObjectId {
        self.object_mut(id).parent.clone().unwrap_or_else(|| panic!("{id} has no parent"))
    }

    fn index_of(&mut self, parent: &ObjectId, child: &ObjectId) -> usize {
        self.object_mut(parent).children.iter().position(|other| other == child).unwrap_or(usize::MAX)
    }

    /// Takes the other radio buttons of the same parent back.
    pub(crate) fn release_siblings(&mut self, chosen: &ObjectId) {
        let parent = self.parent_of(chosen);
        for sibling in self.children(&parent) {
            if sibling != *chosen && self.object_mut(&sibling).node.role == Role::RadioButton {
                self.set_state(&sibling, State::Checked, false);
            }
        }
    }

    pub(crate) fn app_mut(&mut self, app: AppId) -> &mut App {
        self.apps.get_mut(app.0).unwrap_or_else(|| panic!("the scene has no application {}", app.0))
    }
}
