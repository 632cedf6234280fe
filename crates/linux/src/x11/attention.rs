//! Where the pointer and the keyboard are.

use surehand_core::Result;
use surehand_core::geometry::Point;
use surehand_core::platform::Attention;
use x11rb::protocol::xproto::{ConnectionExt as _, InputFocus, Window};

use super::display::{DEEPEST, Display, numbers};

impl Display {
    /// Where the pointer, the active window and the keyboard are. Handles are those of [`XWindow::id`].
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub fn attention(&self) -> Result<Attention> {
        let pointer = self.connection.query_pointer(self.root()).map_err(|fault| self.fault(fault))?;
        let focus = self.connection.get_input_focus().map_err(|fault| self.fault(fault))?;
        let active = self.root_numbers(self.atoms._NET_ACTIVE_WINDOW, 1)?;
        let pointer = pointer.reply().map_err(|fault| self.fault(fault))?;
        let focus = focus.reply().map_err(|fault| self.fault(fault))?.focus;
        let active = numbers(Some(&active.reply().map_err(|fault| self.fault(fault))?));
        let (manager, clients) = self.clients()?;
        // The property may still name a window that is gone.
        let is_active = |window: &u32| manager.is_running() && clients.contains(window);
        let keyboard = if focus == u32::from(InputFocus::POINTER_ROOT) || focus == self.root() {
            // The keys go to whatever is under the pointer.
            self.top_of(self.below(pointer.child)?, &clients)?
        } else {
            self.top_of(focus, &clients)?
        };
        Ok(Attention {
            pointer: pointer.same_screen.then(|| Point { x: pointer.root_x.into(), y: pointer.root_y.into() }),
            active: active.first().copied().filter(is_active).map(u64::from),
            keyboard: keyboard.map(u64::from),
        })
    }

    /// The innermost window under the pointer, beginning with `window`.
    fn below(&self, window: Window) -> Result<Window> {
        let mut window = window;
        for _ in 0..DEEPEST {
            if window == 0 {
                break;
            }
            let pointer = self.connection.query_pointer(window).map_err(|fault| self.fault(fault))?;
            match self.if_there(pointer.reply())? {
                Some(pointer) if pointer.child != 0 => window = pointer.child,
                _ => break,
            }
        }
        Ok(window)
    }

    /// The client that a window is, or is a part of; none when it is no client's, as the window that window
    /// managers park the focus on.
    fn top_of(&self, window: Window, clients: &[Window]) -> Result<Option<Window>> {
        let mut window = window;
        for _ in 0..DEEPEST {
            if window == 0 || window == self.root() {
                return Ok(None);
            }
            if clients.contains(&window) {
                return Ok(Some(window));
            }
            let tree = self.connection.query_tree(window).map_err(|fault| self.fault(fault))?;
            let Some(tree) = self.if_there(tree.reply())? else {
                return Ok(None);
            };
            window = tree.parent;
        }
        Ok(None)
    }
}
