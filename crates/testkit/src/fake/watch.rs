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
        Ok(Box::new(FakeWatch { platform: self, owner: application.object.owner.clone(), app, next, windows }))
    }
}

impl Watch for FakeWatch<'_> {
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
