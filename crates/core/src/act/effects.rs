//! What an application announced while it was acted on, sorted by how it belongs to the action.
//!
//! Only three things prove that an action did something: that the element itself changed as the action promises, that
//! something changed which the element says it controls, and that its process opened a window. Everything else that
//! happened at the same time may have happened anyway; it is counted, and claims nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::Action;
use crate::object::{Application, ObjectId};
use crate::platform::Platform;
use crate::reference::Ref;
use crate::role::Role;
use crate::state::State;
use crate::time::Call;
use crate::wait::INTERVAL;
use crate::watch::{Change, Changed, Watch};
use crate::window::Window;

/// How long an application may take to be listened to. It is acted on also where it cannot be.
const LISTENING: std::time::Duration = std::time::Duration::from_millis(500);

/// How long nothing that belongs to the action may be announced before it is taken to be over.
const SILENCE: Duration = Duration::from_millis(50);

/// How long a window that opened is waited for until the window system shows it as well.
const MAPPED: Duration = Duration::from_millis(600);

/// How much longer than its first announcement may take an application is listened to that does not fall silent.
const RESTLESS: Duration = Duration::from_millis(300);

/// So many of the things that happened meanwhile are named.
const EXAMPLES: usize = 3;

/// What became different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// What it holds. Never told what it was or became.
    Value,
    /// A state.
    State,
    /// It got or lost the focus.
    Focus,
    /// What it is called.
    Name,
    /// Its description.
    Description,
    /// Which of its children are chosen.
    Selection,
    /// A window opened.
    WindowOpened,
    /// A window closed.
    WindowClosed,
    /// Something is in it that was not.
    Added,
    /// Something is no longer in it.
    Removed,
    /// It is gone.
    Gone,
}

/// How something that changed belongs to the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// It is the element itself.
    Target,
    /// The element says that it controls, labels or opens it.
    Related,
    /// It is the window that the element is in.
    Window,
    /// It is another window of the process.
    Process,
}

/// A window that opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opened {
    /// The id that commands take.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// Something that the action did, or that changed with what it acted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effect {
    /// What became different.
    pub what: What,
    /// How it belongs to the action.
    pub of: Of,
    /// The state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Whether it is in the state now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// The window that opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Opened>,
    /// A ref of what is new, from a snapshot that was taken of it.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<Ref>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The object that is new, for whoever gives it a ref.
    #[serde(skip)]
    pub object: Option<ObjectId>,
    /// The window that opened, for whoever reads it.
    #[serde(skip)]
    pub opened: Option<Window>,
}

/// Something else that changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Example {
    /// What became different.
    pub what: What,
    /// Its ref, where the snapshot of the acted-on ref has one for it, or one was made.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<Ref>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What it is called now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The object.
    #[serde(skip)]
    pub object: Option<ObjectId>,
}

/// What else happened in the application at the same time. It may have nothing to do with the action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Meanwhile {
    /// How many elements changed.
    pub elements: usize,
    /// In how many of them each thing became different.
    pub counts: BTreeMap<What, usize>,
    /// A few of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Example>,
}

/// What is listened for, and what was heard.
pub(super) struct Ears<'w> {
    watch: Option<Box<dyn Watch + 'w>>,
    target: ObjectId,
    related: Vec<ObjectId>,
    window: ObjectId,
    effects: Vec<Effect>,
    others: BTreeMap<ObjectId, BTreeSet<What>>,
    order: Vec<(ObjectId, What)>,
    /// Whether something suggests that a window opened, and nobody has looked yet.
    hint: bool,
    proved: bool,
    /// Windows that opened after listening began and before anything was done.
    overlooked: Vec<ObjectId>,
}

impl<'w> Ears<'w> {
    /// Begins to listen; where nothing is announced here there is nothing to hear.
    pub(super) fn open(
        platform: &'w dyn Platform,
        call: &Call<'_>,
        application: &Application,
        target: &ObjectId,
        window: &ObjectId,
    ) -> Self {
        // An application that does not answer costs the time in which the action is to find that out itself.
        let watch = platform.watch(&call.at_most(LISTENING.min(call.left() / 3)), application).ok();
        Ears { watch, ..Ears::deaf(target, window) }
    }

    /// Nobody listens.
    pub(super) fn deaf(target: &ObjectId, window: &ObjectId) -> Self {
        Ears {
            watch: None,
            target: target.clone(),
            related: Vec::new(),
            window: window.clone(),
            effects: Vec::new(),
            others: BTreeMap::new(),
            order: Vec::new(),
            hint: false,
            proved: false,
            overlooked: Vec::new(),
        }
    }

    /// Waits until the application knows that somebody listens, and says whether that took any waiting.
    pub(super) fn get_ready(&mut self, call: &Call<'_>) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        let waits = !watch.is_ready();
        // Without ears it can be acted on as well, so some time is kept for that.
        if watch.ready(&call.at_most(call.left() / 2)).is_err() {
            self.watch = None;
        }
        waits
    }

    /// Forgets what was announced so far: it was there before the action. From now on it is about this element.
    pub(super) fn attend(&mut self, call: &Call<'_>, target: &ObjectId, related: &[ObjectId]) {
        self.target = target.clone();
        self.related = related.to_vec();
        if let Some(watch) = &mut self.watch
            && watch.changes(&call.at_most(Duration::ZERO)).is_err()
        {
            self.watch = None;
        }
    }

    /// Takes the windows that opened while the element was waited for as being there before.
    pub(super) fn overlook_windows(&mut self, call: &Call<'_>) {
        let opened = self.watch.as_mut().map(|watch| watch.opened(call));
        match opened {
            Some(Ok(opened)) => self.overlooked = opened,
            // Without knowing them, a window that is new proves nothing.
            Some(Err(_)) => self.watch = None,
            None => {}
        }
    }

    /// Whether anything can be heard at all.
    pub(super) fn are_open(&self) -> bool {
        self.watch.is_some()
    }

    /// Whether what was heard proves that the action did something.
    pub(super) fn have_proof(&self) -> bool {
        self.proved
    }

    /// How long the first announcement may take.
    pub(super) fn lag(&self) -> Duration {
        self.watch.as_ref().map_or(Duration::ZERO, |watch| watch.lag())
    }

    /// Listens until something that belongs to the action is announced, or the time of the call is over.
    pub(super) fn listen(&mut self, call: &Call<'_>, action: &Action) {
        while self.hear(call, action) == Some(false) {}
    }

    /// Takes in what is announced next. Says whether something of it belongs to the action; nothing when there was
    /// nothing to hear until the time of the call was over.
    fn hear(&mut self, call: &Call<'_>, action: &Action) -> Option<bool> {
        let Some(watch) = &mut self.watch else {
            // What cannot be heard is waited for.
            call.clock.pause(call.left(), call.cancel);
            return None;
        };
        let Ok(changes) = watch.changes(call) else {
            self.watch = None;
            return None;
        };
        if changes.is_empty() {
            return None;
        }
        let mut own = false;
        for change in &changes {
            own |= self.take(change, action);
        }
        Some(own)
    }

    /// Listens until there is proof, or until the application has fallen silent. What has nothing to do with the
    /// action puts that off for a moment only: some applications never fall silent.
    pub(super) fn listen_for_proof(
        &mut self,
        platform: &dyn Platform,
        call: &Call<'_>,
        application: &Application,
        action: &Action,
    ) {
        let lag = call.at_most(self.lag());
        let rest = call.at_most(self.lag() + RESTLESS);
        let (mut own, mut any) = (lag.clone(), lag.clone());
        while !self.proved && self.watch.is_some() {
            let waiting = own.left().max(any.left().min(rest.left()));
            if waiting.is_zero() || call.go_on().is_err() {
                return;
            }
            match self.hear(&call.at_most(waiting), action) {
                Some(true) => (own, any) = (later(call, &own), later(call, &any)),
                Some(false) => any = later(call, &any),
                None => {}
            }
            if self.hint {
                self.look_for_windows(platform, call, application, action);
            }
        }
    }

    /// Takes in one announcement and says whether it belongs to the action.
    fn take(&mut self, change: &Change, action: &Action) -> bool {
        let (what, state, on) = match &change.what {
            Changed::State(State::Focused, on) => (What::Focus, Some(State::Focused), Some(*on)),
            Changed::State(state, on) => (What::State, Some(*state), Some(*on)),
            Changed::Name => (What::Name, None, None),
            Changed::Description => (What::Description, None, None),
            Changed::Value => (What::Value, None, None),
            Changed::Selection => (What::Selection, None, None),
            Changed::ChildAdded(_) => (What::Added, None, None),
            Changed::ChildRemoved(_) => (What::Removed, None, None),
            Changed::Focused => (What::Focus, Some(State::Focused), Some(true)),
            Changed::WindowOpened => (What::WindowOpened, None, None),
            Changed::WindowClosed => (What::WindowClosed, None, None),
            Changed::Defunct => (What::Gone, None, None),
        };
        // Whichever object it is announced of, whether it is a window of this application is asked for.
        if matches!(change.what, Changed::WindowOpened) {
            self.hint = true;
            return false;
        }
        if matches!(change.what, Changed::State(State::Offscreen, false)) {
            self.hint = true;
        }
        let of = if change.source == self.target {
            Of::Target
        } else if self.related.contains(&change.source) {
            Of::Related
        } else if change.source == self.window {
            Of::Window
        } else {
            if self.others.entry(change.source.clone()).or_default().insert(what) {
                let object = match &change.what {
                    Changed::ChildAdded(Some(child)) => child,
                    _ => &change.source,
                };
                self.order.push((object.clone(), what));
            }
            return false;
        };
        self.proved |= match of {
            Of::Target => match action {
                Action::Focus => what == What::Focus && on == Some(true),
                _ => action.is_click() && is_promised_by_click(state),
            },
            Of::Related => action.is_click() && what != What::Focus,
            Of::Window | Of::Process => false,
        };
        let object = match &change.what {
            Changed::ChildAdded(child) => child.clone(),
            _ => None,
        };
        let effect =
            Effect { what, of, state, on, window: None, ref_id: None, role: None, name: None, object, opened: None };
        // What went on and off again is told as it is now.
        self.effects
            .retain(|known| (known.what, known.of, known.state) != (what, of, state) || known.object != effect.object);
        self.effects.push(effect);
        true
    }

    /// Whether windows opened that were not there, each waited for until the window system knows of it as well.
    pub(super) fn look_for_windows(
        &mut self,
        platform: &dyn Platform,
        call: &Call<'_>,
        application: &Application,
        action: &Action,
    ) {
        self.hint = false;
        let Some(watch) = &mut self.watch else { return };
        let Ok(opened) = watch.opened(call) else { return };
        let known = |object: &ObjectId| {
            self.effects
                .iter()
                .any(|effect| effect.opened.as_ref().is_some_and(|window| window.object.as_ref() == Some(object)))
        };
        let is_new = |object: &ObjectId| !known(object) && !self.overlooked.contains(object);
        let new: Vec<ObjectId> = opened.into_iter().filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        let waiting = call.at_most(MAPPED);
        loop {
            let Ok(windows) = platform.windows(&waiting, std::slice::from_ref(application)) else { return };
            let found: Vec<Window> = windows
                .items
                .into_iter()
                .filter(|window| window.object.as_ref().is_some_and(|object| new.contains(object)))
                .collect();
            // Not everything at the top of an application is a window: hints and menus are there as well.
            let all = found.iter().all(|window| window.native.is_some());
            if all && !found.is_empty() || waiting.left() <= INTERVAL || call.go_on().is_err() {
                self.proved |= action.is_click() && !found.is_empty();
                self.effects.extend(found.into_iter().map(|window| Effect {
                    what: What::WindowOpened,
                    of: Of::Process,
                    state: None,
                    on: None,
                    window: Some(Opened { id: window.id.clone(), title: window.title.clone() }),
                    ref_id: None,
                    role: None,
                    name: None,
                    object: None,
                    opened: Some(window),
                }));
                return;
            }
            if found.is_empty() && windows.unresponsive.is_empty() && waiting.left() < MAPPED / 2 {
                return;
            }
            call.clock.pause(Duration::from_millis(20), call.cancel);
        }
    }

    /// Whether somebody should look whether a window opened.
    pub(super) fn suspect_window(&self) -> bool {
        self.hint
    }

    /// What was heard.
    pub(super) fn told(self) -> (Vec<Effect>, Option<Meanwhile>) {
        let mut counts: BTreeMap<What, usize> = BTreeMap::new();
        for what in self.others.values().flatten() {
            *counts.entry(*what).or_default() += 1;
        }
        // What an agent would look for comes first; that things come to be drawn is not of that kind.
        let weight = |what: &What| match what {
            What::Added => 0,
            What::Name | What::Value | What::Selection | What::Description => 1,
            What::State | What::Focus => 2,
            _ => 3,
        };
        let mut order = self.order;
        order.sort_by_key(|(_, what)| weight(what));
        let examples = order
            .into_iter()
            .filter(|(_, what)| weight(what) < 2)
            .take(EXAMPLES)
            .map(|(object, what)| Example { what, ref_id: None, role: None, name: None, object: Some(object) })
            .collect();
        let meanwhile =
            (!self.others.is_empty()).then_some(Meanwhile { elements: self.others.len(), counts, examples });
        (self.effects, meanwhile)
    }
}

/// The later of a moment and the end of a silence that begins now.
fn later<'c>(call: &Call<'c>, moment: &Call<'c>) -> Call<'c> {
    let silence = call.at_most(SILENCE);
    if silence.deadline > moment.deadline { silence } else { moment.clone() }
}

/// The states of an element that a click on it changes by itself.
fn is_promised_by_click(state: Option<State>) -> bool {
    matches!(state, Some(State::Checked | State::Pressed | State::Expanded | State::Selected | State::Indeterminate))
}
