//! Physical input and windows of a fake platform.

use surehand_core::display::Display;
use surehand_core::error::{Code, Error, Result};
use surehand_core::geometry::{Point, Rect};
use surehand_core::object::ObjectId;
use surehand_core::platform::WindowChange;
use surehand_core::stroke::Stroke;
use surehand_core::window::Window;

use super::apps::FakeWindow;
use super::log::Received;
use super::scene::Scene;

/// What the world does when something is struck.
pub(crate) type OnStroke = Box<dyn FnMut(&mut Scene, &Stroke) + Send>;

impl Scene {
    /// What the application does with each step of physical input.
    pub fn on_stroke(&mut self, response: impl FnMut(&mut Scene, &Stroke) + Send + 'static) {
        self.stroke_response = Some(Box::new(response));
    }

    pub(crate) fn strike(&mut self, strokes: &[Stroke]) -> Result<()> {
        for stroke in strokes {
            let window = self.attention.keyboard;
            if let Stroke::MoveTo(point) = stroke {
                self.attention.pointer = Some(*point);
            }
            if let Stroke::Expect(expected) = stroke {
                if window == Some(*expected) {
                    continue;
                }
                return Err(Error::new(Code::PolicyDenied, "another window has the keyboard").kind("not_focused"));
            }
            if let Stroke::Chord(chord) = stroke {
                let chord = chord.to_string();
                self.receive(Received::Keys { window, chord: chord.clone() });
                if let Some(change) = self.key_responses.remove(&chord) {
                    change(self);
                }
            } else {
                self.receive(Received::Stroke { window, stroke: stroke.clone() });
            }
            match self.stroke_response.take() {
                None => self.struck(stroke)?,
                Some(mut response) => {
                    response(self, stroke);
                    self.stroke_response.get_or_insert(response);
                }
            }
        }
        Ok(())
    }

    /// The active window lies on top, then the one that was opened last.
    pub(crate) fn window_at(&self, point: Point) -> Option<u64> {
        let holds = |window: &&FakeWindow| !window.minimized && window.bounds.contains(point);
        let mut there = self.windows.iter().rev().filter(holds).map(|window| window.native).peekable();
        let first = there.peek().copied();
        there.find(|native| Some(*native) == self.attention.active).or(first)
    }

    pub(crate) fn change_window(&mut self, window: &Window, change: WindowChange) -> Result<()> {
        self.receive(Received::Change(window.id.clone(), change));
        let stubborn = self.windows_stay;
        let Some(known) = self.windows.iter_mut().find(|known| Some(known.native) == window.native) else {
            return Err(Error::new(Code::WindowNotFound, format!("window {} has closed", window.id)));
        };
        if stubborn {
            return Ok(());
        }
        match change {
            WindowChange::Focus => {
                known.minimized = false;
                self.attention.active = window.native;
                self.attention.keyboard = window.native;
            }
            WindowChange::Move(point) => (known.bounds.x, known.bounds.y) = (point.x, point.y),
            WindowChange::Resize { width, height } => (known.bounds.width, known.bounds.height) = (width, height),
            WindowChange::Minimize => known.minimized = true,
            WindowChange::Maximize => (known.minimized, known.maximized) = (false, true),
            WindowChange::Restore => (known.minimized, known.maximized) = (false, false),
        }
        Ok(())
    }

    /// What is under the pointer inside of windows, whatever the point.
    pub fn hit(&mut self, object: &ObjectId) {
        self.hit = Some(object.clone());
    }

    /// The window is not told from others of the screen any more.
    pub fn lose_handle(&mut self, window: &ObjectId) {
        self.window_mut(window).has_handle = false;
    }

    /// The screens are others from the second time on that they are asked for.
    pub fn screens_change(&mut self) {
        self.next_screens = Some(vec![Rect { x: 0, y: 0, width: 640, height: 480 }]);
    }

    pub(crate) fn displays(&mut self) -> Vec<Display> {
        let screen = |(index, bounds): (usize, &Rect)| Display {
            id: format!("fake-{index}"),
            bounds: *bounds,
            is_primary: index == 0,
            scale: 1.0,
        };
        let displays = self.screens.iter().enumerate().map(screen).collect();
        if let Some(next) = self.next_screens.take() {
            self.screens = next;
        }
        displays
    }

    /// From now on windows are asked in vain to change.
    pub fn keep_windows(&mut self) {
        self.windows_stay = true;
    }
}
