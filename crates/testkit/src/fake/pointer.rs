//! The pointer of a scene, and what it reaches.

use surehand_core::error::Result;
use surehand_core::geometry::{Point, Rect};
use surehand_core::object::ObjectId;
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::stroke::{PointerButton, Stroke};

use super::scene::Scene;

fn holds(rect: &Rect, point: Point) -> bool {
    let within = |at: i32, from: i32, room: u32| {
        i64::from(at) >= i64::from(from) && i64::from(at) < i64::from(from) + i64::from(room)
    };
    within(point.x, rect.x, rect.width) && within(point.y, rect.y, rect.height)
}

impl Scene {
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

    /// What a decent application does when it is struck: a left button on an element presses it, and text goes to
    /// the element that was pressed last.
    pub(crate) fn struck(&mut self, stroke: &Stroke) -> Result<()> {
        match stroke {
            Stroke::ButtonDown(PointerButton::Left) => {
                let Some(point) = self.attention.pointer else { return Ok(()) };
                let native = self.window_at(point);
                self.attention.keyboard = native;
                let window = self.windows.iter().find(|window| Some(window.native) == native);
                let Some(window) = window.and_then(|window| window.object.clone()) else { return Ok(()) };
                if let Some(object) = self.element_there(&window, point) {
                    self.struck_object = Some(object.clone());
                    self.obey(&object, &Operation::Press { action: String::new() });
                }
            }
            Stroke::Text(text) => {
                if let Some(object) = self.struck_object.clone() {
                    self.obey(&object, &Operation::InsertText(text.clone()));
                }
            }
            _ => {}
        }
        Ok(())
    }
}
