//! One window of one application, and the engine run on it in virtual time.
#![allow(clippy::needless_pass_by_value, reason = "a test writes its action where it is used")]

use std::time::Duration;

use serde_json::Value;
use surehand_core::act::{Action, Outcome, Terms, act};
use surehand_core::error::Result;
use surehand_core::lease::Alone;
use surehand_core::object::ObjectId;
use surehand_core::state::States;
use surehand_core::time::{Call, Cancel};
use surehand_testkit::clock::VirtualClock;
use surehand_testkit::fake::{AppId, Element, FakePlatform, Shot};

/// The time a call has unless a test is about that.
const AMPLE: Duration = Duration::from_secs(120);

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) struct Rig {
    pub(crate) fake: FakePlatform,
    pub(crate) clock: VirtualClock,
    pub(crate) cancel: Cancel,
    pub(crate) app: AppId,
    pub(crate) window: ObjectId,
    pub(crate) headed: bool,
    pub(crate) dry_run: bool,
}

impl Rig {
    pub(crate) fn new(elements: impl IntoIterator<Item = Element>) -> Self {
        let fake = FakePlatform::new();
        let window = fake.window("Editor", elements);
        Rig {
            clock: fake.clock(),
            cancel: Cancel::default(),
            app: fake.app(),
            window,
            headed: false,
            dry_run: false,
            fake,
        }
    }

    pub(crate) fn call(&self, span: Duration) -> Call<'_> {
        Call::lasting(&self.clock, &self.cancel, span)
    }

    pub(crate) fn object(&self, key: &str) -> ObjectId {
        self.fake.object(key)
    }

    pub(crate) fn shot(&self) -> Shot {
        self.shot_of(&self.window)
    }

    pub(crate) fn shot_of(&self, window: &ObjectId) -> Shot {
        self.fake.shot(window)
    }

    pub(crate) fn click(&self, shot: &Shot, object: &ObjectId) -> Result<Outcome> {
        self.attempt(shot, object, Action::Click, 0)
    }

    pub(crate) fn set(&self, shot: &Shot, object: &ObjectId, text: &str) -> Result<Outcome> {
        self.attempt(shot, object, Action::SetValue(text.to_owned()), 0)
    }

    pub(crate) fn attempt(&self, shot: &Shot, object: &ObjectId, action: Action, ready: u64) -> Result<Outcome> {
        self.attempt_within(shot, object, action, ready, AMPLE)
    }

    /// Acts with a call that has so much time in all.
    pub(crate) fn attempt_within(
        &self,
        shot: &Shot,
        object: &ObjectId,
        action: Action,
        ready: u64,
        all: Duration,
    ) -> Result<Outcome> {
        let terms = Terms { ready: ms(ready), headed: self.headed, dry_run: self.dry_run, leases: &Alone };
        act(&self.fake, &self.call(all), &shot.snapshot, shot.evidence(object), &action, &terms)
    }

    pub(crate) fn json(&self, outcome: &Outcome) -> Value {
        serde_json::to_value(outcome).expect("an outcome is JSON")
    }

    pub(crate) fn states(&self, object: &ObjectId) -> States {
        let shot = self.shot();
        let node = shot.observation.nodes.iter().find(|node| node.object == *object);
        node.and_then(|node| node.states.known().copied()).expect("is there and says so")
    }
}
