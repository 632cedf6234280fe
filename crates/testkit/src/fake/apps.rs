//! Applications and windows of a scene.

use surehand_core::geometry::Rect;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::watch::Changed;
use surehand_core::window::Window;

use super::element::{Element, element};
use super::scene::{Change, Scene};

/// An application of a scene, by its number in order of start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AppId(pub(crate) usize);

#[derive(Debug)]
pub(crate) struct App {
    pub(crate) application: Application,
    /// Whether it answers at all.
    pub(crate) answers: bool,
    /// What reached it while it did not answer: it finds all of that when it wakes up.
    pub(crate) waiting: Vec<(ObjectId, Operation)>,
}

pub(crate) struct FakeWindow {
    pub(crate) app: Option<AppId>,
    pub(crate) process: Process,
    pub(crate) object: Option<ObjectId>,
    pub(crate) title: String,
    pub(crate) native: u64,
    pub(crate) bounds: Rect,
    pub(crate) minimized: bool,
    pub(crate) maximized: bool,
    pub(crate) has_handle: bool,
    pub(crate) keeps_open: bool,
    pub(crate) on_close: Option<Change>,
}

impl std::fmt::Debug for FakeWindow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", window_id(self.native), self.title)
    }
}

pub(crate) fn window_id(native: u64) -> String {
    format!("w-{native:x}")
}

impl Scene {
    /// Starts an application that has no window yet.
    pub fn start(&mut self, name: &str) -> AppId {
        let number = self.apps.len();
        let serial = self.next_serial();
        let process = Process { pid: 4_000 + number as u32, generation: format!("generation-{serial}") };
        let owner = format!("fake-bus:1.{serial}");
        self.running.insert(process.clone());
        self.apps.push(App {
            application: Application {
                name: name.to_owned(),
                program: name.to_owned(),
                process,
                object: ObjectId { owner, object: "/root".to_owned() },
                toolkit: "fake 1.0".to_owned(),
            },
            answers: true,
            waiting: Vec::new(),
        });
        AppId(number)
    }

    /// Opens a window; it gets the keyboard.
    pub fn open(&mut self, app: AppId, title: &str, elements: impl IntoIterator<Item = Element>) -> ObjectId {
        let application = self.app_mut(app).application.clone();
        let window = element(Role::Window, title).with(elements);
        let object = self.place(&application.object.owner, None, window);
        self.show_window(Some(app), application.process, Some(object.clone()), title);
        self.announce(&object, Changed::WindowOpened);
        object
    }

    /// Opens a window of a program that publishes no tree. Returns the window system's handle.
    pub fn open_foreign(&mut self, title: &str, process: Process) -> u64 {
        self.running.insert(process.clone());
        self.show_window(None, process, None, title)
    }

    fn show_window(&mut self, app: Option<AppId>, process: Process, object: Option<ObjectId>, title: &str) -> u64 {
        let native = 0x40_0000 + self.next_serial();
        let step = 20 * self.windows.len() as i32;
        self.windows.push(FakeWindow {
            app,
            process,
            object,
            title: title.to_owned(),
            native,
            bounds: Rect { x: step, y: step, width: 64, height: 48 },
            minimized: false,
            maximized: false,
            has_handle: true,
            keeps_open: false,
            on_close: None,
        });
        self.attention.active = Some(native);
        self.attention.keyboard = Some(native);
        native
    }

    /// Gives a window the keyboard; none takes it from every window.
    pub fn focus(&mut self, window: Option<&ObjectId>) {
        let native = window.map(|window| self.window_mut(window).native);
        self.attention.active = native;
        self.attention.keyboard = native;
    }

    /// Moves a window to the right, together with nothing that is in it.
    pub fn shift(&mut self, window: &ObjectId, by: i32) {
        self.window_mut(window).bounds.x += by;
    }

    /// Minimises a window, or brings it back.
    pub fn minimize(&mut self, window: &ObjectId, minimized: bool) {
        self.window_mut(window).minimized = minimized;
    }

    /// Lets a window stay open when it is asked to close, as one with unsaved work does.
    pub fn keep_open(&mut self, window: &ObjectId) {
        self.window_mut(window).keeps_open = true;
    }

    /// Lets something happen when a window is asked to close, besides closing.
    pub fn on_close(&mut self, window: &ObjectId, change: impl FnOnce(&mut Scene) + Send + 'static) {
        self.window_mut(window).on_close = Some(Box::new(change));
    }

    /// Closes a window at once; its objects are dead then.
    pub fn close(&mut self, window: &ObjectId) {
        let native = self.window_mut(window).native;
        self.close_native(native);
    }

    pub(crate) fn close_native(&mut self, native: u64) {
        let Some(index) = self.windows.iter().position(|window| window.native == native) else {
            return;
        };
        if let Some(object) = self.windows.remove(index).object {
            self.announce(&object, Changed::WindowClosed);
            self.forget(&object);
        }
        for holder in [&mut self.attention.active, &mut self.attention.keyboard] {
            holder.take_if(|held| *held == native);
        }
    }

    /// Lets an application answer nothing any more, as one that was stopped or hangs.
    pub fn silence(&mut self, app: AppId) {
        self.app_mut(app).answers = false;
    }

    /// Lets an application answer again. What was sent to it meanwhile happens now.
    pub fn wake(&mut self, app: AppId) {
        let fake = self.app_mut(app);
        fake.answers = true;
        for (object, operation) in std::mem::take(&mut fake.waiting) {
            // Nobody waits for the answer any more.
            let _ = self.carry_out(&object, &operation);
        }
    }

    /// Ends an application with everything it shows.
    pub fn end(&mut self, app: AppId) {
        let process = self.app_mut(app).application.process.clone();
        self.running.remove(&process);
        for window in self.windows_of(app) {
            self.close(&window);
        }
    }

    /// Ends an application and starts it anew with equal windows: the pid is the same, the process is not,
    /// and its connection has another name.
    pub fn restart(&mut self, app: AppId) {
        let owner = format!("fake-bus:1.{}", self.next_serial());
        self.restart_as(app, &owner);
    }

    /// As [`Scene::restart`], but every object has the very same native identity again, so that only the
    /// process tells.
    pub fn restart_with_same_objects(&mut self, app: AppId) {
        let owner = self.app_mut(app).application.object.owner.clone();
        self.restart_as(app, &owner);
    }

    fn restart_as(&mut self, app: AppId, owner: &str) {
        let windows: Vec<_> = self.windows_of(app).into_iter().map(|window| self.copy_with_keys(&window)).collect();
        self.end(app);
        let generation = format!("generation-{}", self.next_serial());
        let application = &mut self.app_mut(app).application;
        application.process.generation = generation;
        owner.clone_into(&mut application.object.owner);
        let process = application.process.clone();
        self.running.insert(process.clone());
        for window in windows {
            let title = window.node.name.text().unwrap_or_default().to_owned();
            let object = self.place(owner, None, window);
            self.show_window(Some(app), process.clone(), Some(object), &title);
        }
    }

    /// Lets another process answer for an application's objects from now on, while the old one runs on.
    pub fn hand_over(&mut self, app: AppId) -> Process {
        let process = Process { pid: 9_000 + app.0 as u32, generation: format!("generation-{}", self.next_serial()) };
        self.running.insert(process.clone());
        self.app_mut(app).application.process = process.clone();
        process
    }

    fn copy_with_keys(&mut self, id: &ObjectId) -> Element {
        let (node, children) = {
            let object = self.object_mut(id);
            (object.node.clone(), object.children.clone())
        };
        Element {
            key: id.object.strip_prefix('/').map(str::to_owned),
            node,
            children: children.iter().map(|child| self.copy_with_keys(child)).collect(),
        }
    }

    /// The windows of an application, oldest first.
    pub fn windows_of(&self, app: AppId) -> Vec<ObjectId> {
        self.windows
            .iter()
            .filter(|window| window.app == Some(app))
            .filter_map(|window| window.object.clone())
            .collect()
    }

    /// The application that owns an object, by its connection.
    pub(crate) fn app_of(&self, object: &ObjectId) -> Option<AppId> {
        self.apps.iter().position(|app| app.application.object.owner == object.owner).map(AppId)
    }

    pub(crate) fn window_mut(&mut self, object: &ObjectId) -> &mut FakeWindow {
        self.windows
            .iter_mut()
            .find(|window| window.object.as_ref() == Some(object))
            .unwrap_or_else(|| panic!("the scene has no window {object}"))
    }

    /// A window as the platform tells of it.
    pub(crate) fn window(&self, window: &FakeWindow) -> Window {
        let name = window.object.as_ref().and_then(|object| self.objects.get(object));
        let title = name.and_then(|object| object.node.name.text()).unwrap_or(&window.title);
        let app_name = window.app.and_then(|app| self.apps.get(app.0)).map(|app| app.application.name.clone());
        Window {
            id: window_id(window.native),
            other_id: None,
            title: title.to_owned(),
            app_name: app_name.unwrap_or_default(),
            process: window.process.clone(),
            object: window.object.clone(),
            native: window.has_handle.then_some(window.native),
            // One that takes no room is one of which nobody knows where it is.
            bounds: if window.bounds.has_area() { Reading::Known(window.bounds) } else { Reading::Unknown },
            frame: Reading::Known(window.bounds),
            maximized: Reading::Known(window.maximized),
            focused: Reading::Known(self.attention.keyboard == Some(window.native)),
            minimized: Reading::Known(window.minimized),
            visible: Reading::Known(!window.minimized),
        }
    }
}
