//! A scripted platform.
//!
//! A test writes down applications, windows and elements, says what happens to them and when, and runs the
//! code under test against it on a virtual clock. Afterwards it asks what the applications really received.
//!
//! ```
//! use std::time::Duration;
//! use surehand_testkit::fake::{FakePlatform, button, field};
//!
//! let fake = FakePlatform::new();
//! fake.window("Editor", [field("Name").key("name"), button("Save").key("save").disabled()]);
//! let save = fake.object("save");
//! fake.at(Duration::from_millis(300), move |scene| scene.enable(&save));
//! ```
//!
//! An object is named by its key, which is its path on a fake bus; [`Scene`] has everything that can be
//! changed or scripted. All of it is thread-safe; a change is atomic for readers.

mod apps;
mod clipboard;
mod element;
mod input;
mod log;
mod notification;
mod platform;
mod pointer;
mod read;
mod response;
mod scene;
mod watch;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use surehand_core::evidence::Evidence;
use surehand_core::object::ObjectId;
use surehand_core::platform::{ObserveRequest, Operation, Platform};
use surehand_core::reference::SnapshotId;
use surehand_core::snapshot::{self, Snapshot};
use surehand_core::time::{Call, Cancel};
use surehand_core::tree::Observation;

pub use apps::AppId;
pub use element::{
    Element, button, check, combo, element, expander, field, group, item, label, password, radio, recycling_list,
    scroll_bar, spin,
};
pub use log::{Entry, Received};
pub use scene::{Property, Scene};

use crate::clock::{Dial, VirtualClock};

/// A poisoned scene is that of a test that has failed already; the others do not share it.
pub(crate) fn lock(scene: &Mutex<Scene>) -> MutexGuard<'_, Scene> {
    scene.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A platform on which nothing happens but what the test says.
#[derive(Debug, Clone)]
pub struct FakePlatform {
    scene: Arc<Mutex<Scene>>,
    dial: Dial,
    session: String,
}

/// A snapshot of one window in which every element has a ref.
#[derive(Debug, Clone)]
pub struct Shot {
    /// What was observed.
    pub observation: Observation,
    /// What is kept of it.
    pub snapshot: Snapshot,
    numbers: BTreeMap<ObjectId, u32>,
}

impl Shot {
    /// The evidence captured about an object.
    pub fn evidence(&self, object: &ObjectId) -> &Evidence {
        let number = self.numbers.get(object).unwrap_or_else(|| panic!("{object} was not in the snapshot"));
        &self.snapshot.refs[number]
    }
}

impl Default for FakePlatform {
    fn default() -> Self {
        FakePlatform::new()
    }
}

impl FakePlatform {
    /// An empty desktop at time zero.
    pub fn new() -> Self {
        FakePlatform::of_session("fake-desktop")
    }

    /// An empty desktop with this identity.
    pub fn of_session(session: &str) -> Self {
        let dial = Dial::new();
        FakePlatform { scene: Arc::new(Mutex::new(Scene::new(dial.clone()))), dial, session: session.to_owned() }
    }

    /// The clock on which everything here happens.
    pub fn clock(&self) -> VirtualClock {
        VirtualClock::new(Arc::clone(&self.scene), self.dial.clone())
    }

    /// Looks at or changes anything, at once.
    pub fn change<T>(&self, change: impl FnOnce(&mut Scene) -> T) -> T {
        change(&mut lock(&self.scene))
    }

    /// Lets something happen when `span` has passed from now.
    pub fn at(&self, span: Duration, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.change(|scene| scene.after(span, change));
    }

    /// Opens a window of the first application, which is started where there is none.
    pub fn window(&self, title: &str, elements: impl IntoIterator<Item = Element>) -> ObjectId {
        self.change(|scene| {
            let app = if scene.apps.is_empty() { scene.start("editor") } else { AppId(0) };
            scene.open(app, title, elements)
        })
    }

    /// The first application.
    pub fn app(&self) -> AppId {
        AppId(0)
    }

    /// The living object of this key, among all applications.
    pub fn object(&self, key: &str) -> ObjectId {
        let path = format!("/{key}");
        self.change(|scene| {
            let mut found = scene.objects.keys().filter(|object| object.object == path);
            match (found.next(), found.next()) {
                (Some(object), None) => object.clone(),
                (None, _) => panic!("no object has the key {key}"),
                (Some(_), Some(_)) => panic!("several objects have the key {key}"),
            }
        })
    }

    /// Everything that was received, oldest first.
    pub fn log(&self) -> Vec<Entry> {
        self.change(|scene| scene.log.clone())
    }

    /// What could have changed something in an application, oldest first.
    pub fn effects(&self) -> Vec<Entry> {
        self.log().into_iter().filter(|entry| entry.what.is_effect()).collect()
    }

    /// The operations that reached applications, oldest first.
    pub fn operations(&self) -> Vec<(ObjectId, Operation)> {
        self.log()
            .into_iter()
            .filter_map(|entry| match entry.what {
                Received::Operation { object, operation } => Some((object, operation)),
                _ => None,
            })
            .collect()
    }

    /// A snapshot of a window, with a ref for every element. It is not in the log.
    pub fn shot(&self, window: &ObjectId) -> Shot {
        let clock = self.clock();
        let cancel = Cancel::default();
        let call = Call::lasting(&clock, &cancel, Duration::from_secs(60));
        let logged = self.change(|scene| scene.log.len());
        let fail = |error| panic!("no snapshot of {window}: {error}");
        let applications = self.applications(&call).unwrap_or_else(fail).items;
        let fail = |error| panic!("no snapshot of {window}: {error}");
        let windows = self.windows(&call, &applications).unwrap_or_else(fail).items;
        let Some(shown) = windows.into_iter().find(|shown| shown.object.as_ref() == Some(window)) else {
            panic!("there is no window {window}");
        };
        let Some(application) = applications.into_iter().find(|app| app.process == shown.process) else {
            panic!("no application owns the window {window}");
        };
        let fail = |error| panic!("no snapshot of {window}: {error}");
        let request = ObserveRequest::default();
        let observation = self.observe(&call, &application, &shown, &request).unwrap_or_else(fail);
        self.change(|scene| scene.log.truncate(logged));
        let referenced = snapshot::number(&observation, SnapshotId(1), self.session(), 0, |_| true);
        let numbers = referenced
            .numbers
            .iter()
            .filter_map(|(index, number)| Some((observation.nodes.get(*index)?.object.clone(), *number)))
            .collect();
        Shot { snapshot: referenced.snapshot, observation, numbers }
    }
}
