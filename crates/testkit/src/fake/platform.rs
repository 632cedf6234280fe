//! The fake as a platform.

use std::time::Duration;

use surehand_core::display::Display;
use surehand_core::disposition::Delivery;
use surehand_core::error::{Code, Error, Result};
use surehand_core::geometry::{Point, Rect};
use surehand_core::notification::Notifications;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::{
    Attention, CaptureTarget, Listing, Live, ObserveRequest, Operation, Picture, Platform, Unresponsive, WindowChange,
};
use surehand_core::stroke::Stroke;
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_core::watch::Watch;
use surehand_core::window::Window;

use super::apps::{App, AppId};
use super::log::Received;
use super::scene::Scene;
use super::{FakePlatform, lock};

/// How long the fake waits for an application that does not answer, as adapters do, unless the call has
/// less time left.
const ANSWER: Duration = Duration::from_millis(1_000);

impl Scene {
    /// Waits for an application that does not answer, on the virtual clock.
    fn await_answer(&mut self, app: AppId, call: &Call<'_>) -> Result<()> {
        let end = self.now() + call.left().min(ANSWER);
        loop {
            if self.app_mut(app).answers {
                return Ok(());
            }
            match self.next_due() {
                Some(due) if due <= end => self.next_change(),
                _ => break,
            }
            if call.cancel.is_raised() {
                return call.go_on();
            }
        }
        let wait = end.saturating_sub(self.now());
        self.advance(wait, Some(call.cancel));
        let application = &self.app_mut(app).application;
        Err(Error::new(Code::AppUnresponsive, "the application does not answer").detail("pid", application.process.pid))
    }

    pub(crate) fn app_with(&self, process: &Process) -> Option<AppId> {
        self.apps.iter().position(|app| app.application.process == *process).map(AppId)
    }

    fn is_up(&self, app: &App) -> bool {
        self.running.contains(&app.application.process)
    }

    fn native_of(&self, window: &Window) -> Result<u64> {
        let known = self.windows.iter().find(|known| Some(known.native) == window.native);
        known
            .map(|known| known.native)
            .ok_or_else(|| Error::new(Code::WindowNotFound, format!("window {} has closed", window.id)))
    }
}

fn unresponsive(app: &App) -> Unresponsive {
    Unresponsive { program: app.application.program.clone(), pid: app.application.process.pid }
}

impl Platform for FakePlatform {
    fn session(&self) -> &str {
        &self.session
    }

    fn applications(&self, call: &Call<'_>) -> Result<Listing<Application>> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        scene.receive(Received::Applications);
        let (up, silent): (Vec<_>, Vec<_>) =
            scene.apps.iter().filter(|app| scene.is_up(app)).partition(|app| app.answers);
        Ok(Listing {
            items: up.into_iter().map(|app| app.application.clone()).collect(),
            unresponsive: silent.into_iter().map(unresponsive).collect(),
        })
    }

    fn windows(&self, call: &Call<'_>, applications: &[Application]) -> Result<Listing<Window>> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        scene.receive(Received::Windows);
        let mut listing = Listing { items: Vec::new(), unresponsive: Vec::new() };
        for app in scene.apps.iter().filter(|app| applications.contains(&app.application)) {
            if scene.is_up(app) && !app.answers {
                listing.unresponsive.push(unresponsive(app));
            }
        }
        for window in &scene.windows {
            let shown = match window.app.and_then(|app| scene.apps.get(app.0)) {
                None => true,
                Some(app) => app.answers && applications.contains(&app.application),
            };
            if shown {
                listing.items.push(scene.window(window));
            }
        }
        Ok(listing)
    }

    fn observe(
        &self,
        call: &Call<'_>,
        application: &Application,
        window: &Window,
        request: &ObserveRequest,
    ) -> Result<Observation> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        let gone = || Error::new(Code::WindowNotFound, format!("window {} has closed", window.id));
        let object = window.object.clone().ok_or_else(gone)?;
        scene.receive(Received::Observe(object.clone()));
        let app = scene.app_with(&application.process).ok_or_else(gone)?;
        scene.await_answer(app, call)?;
        let native = scene.native_of(window)?;
        let known = scene.windows.iter().find(|known| known.native == native).ok_or_else(gone)?;
        let shown = scene.window(known);
        let observation = scene.observation(application, &shown, &object, request);
        if let Some(change) = scene.after_observation.take() {
            change(&mut scene);
        }
        Ok(observation)
    }

    fn inspect(&self, call: &Call<'_>, object: &ObjectId, process: &Process) -> Result<Live> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        scene.receive(Received::Inspect(object.clone()));
        let Some(app) = scene.app_of(object).filter(|_| scene.running.contains(process)) else {
            return Ok(Live::ProcessGone);
        };
        scene.await_answer(app, call)?;
        if scene.objects.get(object).is_some_and(|object| object.failing) {
            return Err(Error::new(Code::AppUnresponsive, "the application does not answer about this object"));
        }
        let live = match scene.inspection(object) {
            Some(inspection) => Live::Element(Box::new(inspection)),
            None => Live::Gone,
        };
        if let Some(change) = scene.after_inspection.take() {
            change(&mut scene);
        }
        Ok(live)
    }

    fn perform(&self, call: &Call<'_>, object: &ObjectId, operation: &Operation) -> Result<()> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        let app = scene.app_of(object).filter(|app| scene.apps.get(app.0).is_some_and(|app| scene.is_up(app)));
        let Some(app) = app else {
            return Err(Error::new(Code::AppUnresponsive, "the application has ended").kind("process_gone"));
        };
        scene.receive(Received::Operation { object: object.clone(), operation: operation.clone() });
        if !scene.app_mut(app).answers {
            // It lies in the application's queue and takes effect when it wakes up, as it really would.
            scene.app_mut(app).waiting.push((object.clone(), operation.clone()));
            return scene.await_answer(app, call).map_err(|error| error.delivery(Delivery::DeliveryUncertain));
        }
        scene.carry_out(object, operation)
    }

    fn notifications(&self) -> Result<&dyn Notifications> {
        Ok(self)
    }

    fn attention(&self, call: &Call<'_>) -> Result<Attention> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        scene.receive(Received::Attention);
        Ok(scene.attention.clone())
    }

    fn strike(&self, call: &Call<'_>, strokes: &[Stroke]) -> Result<()> {
        call.go_on()?;
        lock(&self.scene).strike(strokes)
    }

    fn window_at(&self, call: &Call<'_>, point: Point) -> Result<Option<u64>> {
        call.go_on()?;
        Ok(lock(&self.scene).window_at(point))
    }

    fn window_owner(&self, call: &Call<'_>, native: u64) -> Result<Option<Process>> {
        call.go_on()?;
        let scene = lock(&self.scene);
        Ok(scene.windows.iter().find(|window| window.native == native).map(|window| window.process.clone()))
    }

    fn element_at(&self, call: &Call<'_>, _: &Application, window: &Window, point: Point) -> Result<Option<ObjectId>> {
        call.go_on()?;
        let scene = lock(&self.scene);
        let there = || window.object.as_ref().and_then(|object| scene.element_there(object, point));
        Ok(scene.hit.clone().or_else(there))
    }

    fn change_window(&self, call: &Call<'_>, window: &Window, change: WindowChange) -> Result<()> {
        call.go_on()?;
        lock(&self.scene).change_window(window, change)
    }

    fn displays(&self, call: &Call<'_>) -> Result<Vec<Display>> {
        call.go_on()?;
        Ok(lock(&self.scene).displays())
    }

    fn capture(&self, call: &Call<'_>, target: &CaptureTarget) -> Result<Picture> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        scene.receive(Received::Capture);
        let bounds = match target {
            CaptureTarget::Screen => Rect { x: 0, y: 0, width: 1280, height: 800 },
            CaptureTarget::Window(window) => {
                let native = scene.native_of(window)?;
                match scene.windows.iter().find(|known| known.native == native) {
                    Some(known) if !known.minimized => known.bounds,
                    _ => {
                        return Err(Error::new(Code::ActionNotSupported, "the window is minimised"));
                    }
                }
            }
        };
        let bytes = bounds.width as usize * bounds.height as usize * 3;
        if let Some(change) = scene.after_capture.take() {
            change(&mut scene);
        }
        Ok(Picture { width: bounds.width, height: bounds.height, rgb: vec![0x80; bytes], bounds })
    }

    fn close(&self, call: &Call<'_>, window: &Window) -> Result<()> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        let native = scene.native_of(window)?;
        scene.receive(Received::Close(window.id.clone()));
        let Some(known) = scene.windows.iter_mut().find(|known| known.native == native) else {
            return Ok(());
        };
        let keeps_open = known.keeps_open;
        if let Some(change) = known.on_close.take() {
            change(&mut scene);
        }
        if !keeps_open {
            scene.close_native(native);
        }
        Ok(())
    }

    fn watch(&self, call: &Call<'_>, application: &Application) -> Result<Box<dyn Watch + '_>> {
        call.go_on()?;
        self.listen(application)
    }

    fn is_running(&self, process: &Process) -> bool {
        lock(&self.scene).running.contains(process)
    }
}
