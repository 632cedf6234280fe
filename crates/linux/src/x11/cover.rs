//! What of a window is on the screen, and what is not.

use surehand_core::Result;
use surehand_core::geometry::Rect;
use x11rb::protocol::shape::{self, ConnectionExt as _, SK};
use x11rb::protocol::xproto::{ConnectionExt as _, MapState, Window, WindowClass};

use super::display::{DEEPEST, Display, window_gone};
use super::region::{Area, Region};

impl Display {
    /// Whether a compositing manager runs.
    pub(super) fn composited(&self) -> Result<bool> {
        let name = format!("_NET_WM_CM_S{}", self.screen_number());
        let atom = self.connection.intern_atom(true, name.as_bytes()).map_err(|fault| self.fault(fault))?;
        let atom = atom.reply().map_err(|fault| self.fault(fault))?.atom;
        if atom == 0 {
            return Ok(false);
        }
        let owner = self.connection.get_selection_owner(atom).map_err(|fault| self.fault(fault))?;
        Ok(owner.reply().map_err(|fault| self.fault(fault))?.owner != 0)
    }

    /// The part of the window, in its own coordinates, that is not on the screen: covered by windows above
    /// it or above what it is in, cut off by those, or beyond the edge.
    pub(super) fn hidden(&self, window: Window, bounds: Rect) -> Result<Region> {
        let all = Area::from(bounds);
        let mut shown = Region::of(all);
        let mut inner = window;
        for _ in 0..DEEPEST {
            let tree = self.connection.query_tree(inner).map_err(|fault| self.fault(fault))?;
            let parent = self.if_there(tree.reply())?.ok_or_else(window_gone)?.parent;
            if parent == 0 {
                break;
            }
            let siblings = self.children(parent)?;
            let above = siblings.iter().skip_while(|sibling| **sibling != inner).skip(1).copied().collect::<Vec<_>>();
            let origin = self.connection.translate_coordinates(parent, self.root(), 0, 0);
            let size = self.connection.get_geometry(parent).map_err(|fault| self.fault(fault))?;
            let origin = origin.map_err(|fault| self.fault(fault))?;
            let origin = self.if_there(origin.reply())?.ok_or_else(window_gone)?;
            let size = self.if_there(size.reply())?.ok_or_else(window_gone)?;
            let (x, y) = (i32::from(origin.dst_x), i32::from(origin.dst_y));
            shown.keep(Area::new(x, y, size.width.into(), size.height.into()));
            for cover in self.covers(&above, (x, y), all)? {
                shown.remove(cover);
            }
            inner = parent;
        }
        let mut hidden = Region::of(all);
        hidden.remove_all(&shown);
        Ok(hidden)
    }

    /// The rectangles, on the screen, that these windows cover of `all`.
    fn covers(&self, windows: &[Window], (x, y): (i32, i32), all: Area) -> Result<Vec<Area>> {
        let shaped = self.has(shape::X11_EXTENSION_NAME)?;
        let mut asked = Vec::with_capacity(windows.len());
        for &window in windows {
            let attributes = self.connection.get_window_attributes(window).map_err(|fault| self.fault(fault))?;
            let geometry = self.connection.get_geometry(window).map_err(|fault| self.fault(fault))?;
            asked.push((window, attributes, geometry));
        }
        let mut covers = Vec::new();
        for (window, attributes, geometry) in asked {
            let attributes = self.if_there(attributes.reply())?;
            let geometry = self.if_there(geometry.reply())?;
            let (Some(attributes), Some(geometry)) = (attributes, geometry) else {
                continue;
            };
            if attributes.map_state != MapState::VIEWABLE || attributes.class == WindowClass::INPUT_ONLY {
                continue;
            }
            let border = geometry.border_width;
            let (left, top) = (x + i32::from(geometry.x), y + i32::from(geometry.y));
            let grown = |length: u16| u32::from(length) + 2 * u32::from(border);
            let outer = Area::new(left, top, grown(geometry.width), grown(geometry.height));
            if outer.meet(all).is_none() {
                continue;
            }
            if !shaped {
                covers.push(outer);
                continue;
            }
            // The shape is told relative to the inside of the border.
            let (left, top) = (left + i32::from(border), top + i32::from(border));
            let shape =
                self.connection.shape_get_rectangles(window, SK::BOUNDING).map_err(|fault| self.fault(fault))?;
            let Some(shape) = self.if_there(shape.reply())? else {
                continue;
            };
            covers.extend(shape.rectangles.iter().filter_map(|r| {
                Area::new(left + i32::from(r.x), top + i32::from(r.y), r.width.into(), r.height.into()).meet(outer)
            }));
        }
        Ok(covers)
    }
}
