//! What the applications of a scene announce.

use std::collections::HashSet;
use std::time::Duration;

use surehand_core::error::{Code, Error, Result};
use surehand_core::object::{Application, ObjectId};
use surehand_core::time::Call;
use surehand_core::watch::{Change, Changed, Watch};

use super::apps::AppId;
use super::scene::Scene;
use super::{FakePlatform, lock};

impl Scene {
    /// Lets an application announce something, whether it is so or not.
    pub fn announce(&mut self, source: &ObjectId, what: Changed) {
        self.announced.push(Change { source: source.clone(), what });
    }

    /// Lets nothing be listened to from now on.
    pub fn mute(&mut self) {
        self.muted = true;
    }

    /// From now on an application takes so long to hear that somebody listens, from when that is waited for.
    pub fn hears_after(&mut self, span: Duration) {
        self.hears_after = Some(span);
    }

    /// Says that an element controls, labels or opens others.
    pub fn relate(&mut self, object: &ObjectId, others: &[ObjectId]) {
        self.relations.insert(object.clone(), others.to_vec());
    }

    /// How long the first announcement after an action may take.
    pub fn lag(&mut self, span: Duration) {
        self.lag = span;
    }
}

/// A subscription to one application of a scene.
pub(crate) struct FakeWatch<'p> {
    platform: &'p FakePlatform,
    owner: String,
    app: AppId,
    next: usize,
    windows: HashSet<ObjectId>,
    /// How long it takes until the application has heard of it; none once it has.
    waits: Option<Duration>,
}

impl FakePlatform {
    pub(crate) fn listen(&self, application: &Application) -> Result<Box<dyn Watch + '_>> {
        let scene = lock(&self.scene);
        if scene.muted {
            return Err(Error::new(Code::PlatformNotSupported, "nothing is announced on this desktop"));
        }
        let gone = || Error::new(Code::AppUnresponsive, "the application has ended");
        let app = scene.app_with(&application.process).ok_or_else(gone)?;
        let windows = scene.windows_of(app).into_iter().collect();
        let next = scene.announced.len();
        let (owner, waits) = (application.object.owner.clone(), scene.hears_after);
        Ok(Box::new(FakeWatch { platform: self, owner, app, next, windows, waits }))
    }
}

impl Watch for FakeWatch<'_> {
    fn is_ready(&self) -> bool {
        self.waits.is_none()
    }

    fn ready(&mut self, call: &Call<'_>) -> Result<()> {
        let Some(span) = self.waits.take() else { return Ok(()) };
        let mut scene = lock(&self.platform.scene);
        let end = scene.now() + span.min(call.left());
        while scene.next_due().is_some_and(|due| due <= end) {
            scene.next_change();
        }
        let rest = end.saturating_sub(scene.now());
        scene.advance(rest, Some(call.cancel));
        if call.left().is_zero() {
            return Err(Error::new(Code::AppUnresponsive, "the application does not answer"));
        }
        // What was announced before it had heard was announced to nobody.
        self.next = scene.announced.len();
        Ok(())
    }

    fn changes(&mut self, call: &Call<'_>) -> Result<Vec<Change>> {
        let mut scene = lock(&self.platform.scene);
        let end = scene.now() + call.left();
        loop {
            let new: Vec<Change> = scene.announced[self.next..]
                .iter()
                .filter(|change| change.source.owner == self.owner)
                .cloned()
                .collect();
            self.next = scene.announced.len();
            if !new.is_empty() || call.cancel.is_raised() {
                return Ok(new);
            }
            match scene.next_due() {
                Some(due) if due <= end => scene.next_change(),
                _ => {
                    let rest = end.saturating_sub(scene.now());
                    scene.advance(rest, Some(call.cancel));
                    return Ok(Vec::new());
                }
            }
        }
    }

    fn opened(&mut self, call: &Call<'_>) -> Result<Vec<ObjectId>> {
        call.go_on()?;
        let scene = lock(&self.platform.scene);
        let now = scene.windows_of(self.app);
        Ok(now.into_iter().filter(|window| !self.windows.contains(window)).collect())
    }

    fn lag(&self) -> Duration {
        lock(&self.platform.scene).lag
    }
}
