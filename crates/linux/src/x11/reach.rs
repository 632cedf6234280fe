//! What a pointer at a point of the screen would reach.

use surehand_core::Result;
use surehand_core::geometry::Point;
use x11rb::protocol::shape::{self, ConnectionExt as _, SK};
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window};

use super::display::Display;
use super::region::Area;

impl Display {
    /// The window that a pointer at this point would reach: that of the client where a window manager has put a
    /// frame around it, also when the point is on the frame; a menu or another window that no window manager sees by
    /// its own handle; none where there is only the background.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub fn window_at(&self, point: Point) -> Result<Option<u32>> {
        let tops = self.children(self.root())?;
        for top in tops.into_iter().rev() {
            if self.reaches(top, point)? {
                return Ok(Some(self.client_in(top, 2)?.unwrap_or(top)));
            }
        }
        Ok(None)
    }

    /// The process that made the window, as the server knows it.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub fn pid_of(&self, window: u32) -> Result<Option<u32>> {
        Ok(self.pids(&[window])?.get(&self.owner(window)).copied())
    }

    /// Whether the pointer at this point is in the window, by the shape in which it takes the pointer.
    fn reaches(&self, window: Window, point: Point) -> Result<bool> {
        let attributes = self.connection.get_window_attributes(window).map_err(|fault| self.fault(fault))?;
        let geometry = self.connection.get_geometry(window).map_err(|fault| self.fault(fault))?;
        let attributes = self.if_there(attributes.reply())?;
        let geometry = self.if_there(geometry.reply())?;
        let (Some(attributes), Some(geometry)) = (attributes, geometry) else { return Ok(false) };
        if attributes.map_state != MapState::VIEWABLE {
            return Ok(false);
        }
        let border = u32::from(geometry.border_width);
        let (left, top) = (i32::from(geometry.x), i32::from(geometry.y));
        let at = Area::new(point.x, point.y, 1, 1);
        let outer =
            Area::new(left, top, u32::from(geometry.width) + 2 * border, u32::from(geometry.height) + 2 * border);
        if outer.meet(at).is_none() {
            return Ok(false);
        }
        if !self.has(shape::X11_EXTENSION_NAME)? {
            return Ok(true);
        }
        let bounding = self.connection.shape_get_rectangles(window, SK::BOUNDING).map_err(|fault| self.fault(fault))?;
        let input = self.connection.shape_get_rectangles(window, SK::INPUT).map_err(|fault| self.fault(fault))?;
        let bounding = self.if_there(bounding.reply())?;
        let input = self.if_there(input.reply())?;
        let (Some(bounding), Some(input)) = (bounding, input) else { return Ok(false) };
        // Shapes are told relative to the inside of the border.
        let (left, top) = (left.saturating_add_unsigned(border), top.saturating_add_unsigned(border));
        let within = |shape: &shape::GetRectanglesReply| {
            shape.rectangles.iter().any(|r| {
                let area = Area::new(left + i32::from(r.x), top + i32::from(r.y), r.width.into(), r.height.into());
                area.meet(at).is_some()
            })
        };
        Ok(within(&bounding) && within(&input))
    }
}
