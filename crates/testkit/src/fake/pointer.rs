//! The pointer of a scene, and what it reaches.

use surehand_core::error::{Code, Error, Result};
use surehand_core::geometry::{Point, Rect};
use surehand_core::object::ObjectId;
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::stroke::{PointerButton, Stroke};

use super::log::Received;
use super::scene::Scene;

fn holds(rect: &Rect, point: Point) -> bool {
    let within = |at: i32, from: i32, room: u32| {
        i64::from(at) >= i64::from(from) && i64::from(at) < i64::from(from) + i64::from(room)
    };
    within(point.x, rect.x, rect.width) && within(point.y, rect.y, rect.height)
}

impl Scene {
    /// The window that is in front at a point: the one that was opened or raised last.
    pub(crate) fn window_there(&self, point: Point) -> Option<u64> {
        let shown = self.windows.iter().rev().filter(|window| !window.minimized && holds(&window.bounds, point));
        let active = self.attention.active;
        let mut shown = shown.map(|window| window.native).peekable();
        let first = shown.peek().copied();
        shown.find(|native| Some(*native) == active).or(first)
    }

    /// The innermost element of a window at a point.
    pub(crate) fn element_there(&self, window: &ObjectId, point: Point) -> Option<ObjectId> {
        let object = self.objects.get(window)?;
        let inner = object.children.iter().rev().find_map(|child| self.element_there(child, point));
        let own = matches!(&object.node.bounds, Reading::Known(bounds) if holds(bounds, point));
        inner.or_else(|| own.then(|| window.clone()))
    }

    /// Places a window on the screen.
    pub fn place_window(&mut self, window: &ObjectId, bounds: Rect) {
        self.window_mut(window).bounds = bounds;
    }

    /// Lets windows stay where they are when they are asked to come to the front.
    pub fn refuse_focus(&mut self) {
        self.refuses_focus = true;
    }

    /// What a decent application does when it is struck: a left button on an element presses it.
    pub(crate) fn struck(&mut self, strokes: &[Stroke]) -> Result<()> {
        for stroke in strokes {
            self.receive(Received::Stroke(stroke.clone()));
            match stroke {
                Stroke::MoveTo(point) => self.attention.pointer = Some(*point),
                Stroke::ButtonDown(PointerButton::Left) => {
                    let Some(point) = self.attention.pointer else { continue };
                    let native = self.window_there(point);
                    self.attention.keyboard = native;
                    let window = self.windows.iter().find(|window| Some(window.native) == native);
                    let Some(window) = window.and_then(|window| window.object.clone()) else { continue };
                    if let Some(object) = self.element_there(&window, point) {
                        self.struck_object = Some(object.clone());
                        self.obey(&object, &Operation::Press { action: String::new() });
                    }
                }
                Stroke::Text(text) => {
                    let object = self
                        .struck_object
                        .clone()
                        .ok_or_else(|| Error::new(Code::ActionFailed, "no element of the scene has the focus"))?;
                    self.obey(&object, &Operation::InsertText(text.clone()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
