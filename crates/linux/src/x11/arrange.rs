//! Asking the window manager to change a window. Source: Extended Window Manager Hints 1.5, and the Inter-Client
//! Communication Conventions Manual 2.0 for minimising.

use surehand_core::disposition::Delivery;
use surehand_core::platform::WindowChange;
use surehand_core::{Code, Error, Result};
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask};

use super::display::{Display, numbers, window_gone};
use super::windows::ICONIC;

/// A message of a person's tool, not of an application: window managers obey it at once.
const SOURCE_PAGER: u32 = 2;

/// Which of x, y, width and height a request to move or resize holds: bits 8 to 11.
const HAS_X_AND_Y: u32 = 3 << 8;
const HAS_SIZE: u32 = 3 << 10;

/// The window is put with the corner of its frame, not of its content: the gravity of the upper left.
const NORTH_WEST: u32 = 1;

/// `_NET_WM_STATE`: take the state away, add it.
const REMOVE: u32 = 0;
const ADD: u32 = 1;

impl Display {
    /// Asks the window manager to change the window. What it makes of that is for the caller to see.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone, `ACTION_NOT_SUPPORTED` when no window manager would do it.
    pub fn change_window(&self, window: u32, change: WindowChange) -> Result<()> {
        let (manager, clients) = self.clients()?;
        let supported = numbers(Some(
            &self.root_numbers(self.atoms._NET_SUPPORTED, 1_024)?.reply().map_err(|fault| self.fault(fault))?,
        ));
        if !manager.is_running() {
            return Err(Error::new(Code::ActionNotSupported, "no window manager runs that could change windows")
                .kind("no_window_manager"));
        }
        if !clients.contains(&window) {
            return Err(window_gone());
        }
        let atoms = &self.atoms;
        let both = [atoms._NET_WM_STATE_MAXIMIZED_VERT, atoms._NET_WM_STATE_MAXIMIZED_HORZ];
        let state = |action: u32| (atoms._NET_WM_STATE, [action, both[0], both[1], SOURCE_PAGER, 0]);
        let activate = (atoms._NET_ACTIVE_WINDOW, [SOURCE_PAGER, x11rb::CURRENT_TIME, 0, 0, 0]);
        let place = |flags: u32, [x, y, width, height]: [u32; 4]| {
            let flags = flags | NORTH_WEST | SOURCE_PAGER << 12;
            (atoms._NET_MOVERESIZE_WINDOW, [flags, x, y, width, height])
        };
        // Numbers of the protocol are signed where they can be; the bits are the same.
        let bits = i32::cast_unsigned;
        let messages = match change {
            WindowChange::Focus => vec![activate],
            WindowChange::Move(point) => vec![place(HAS_X_AND_Y, [bits(point.x), bits(point.y), 0, 0])],
            WindowChange::Resize { width, height } => vec![place(HAS_SIZE, [0, 0, width, height])],
            WindowChange::Minimize => vec![(atoms.WM_CHANGE_STATE, [ICONIC, 0, 0, 0, 0])],
            WindowChange::Maximize => vec![state(ADD)],
            // Being shown again comes first: some window managers keep the state of a window that is put away.
            WindowChange::Restore => vec![activate, state(REMOVE)],
        };
        for (kind, _) in &messages {
            if *kind != atoms.WM_CHANGE_STATE && !supported.contains(kind) {
                return Err(Error::new(Code::ActionNotSupported, "the window manager takes no such request")
                    .kind("not_supported_by_window_manager"));
            }
        }
        let mut sent = Vec::new();
        for (kind, data) in messages {
            let event = ClientMessageEvent::new(32, window, kind, data);
            let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
            sent.push(self.connection.send_event(false, self.root(), mask, event).map_err(|fault| self.fault(fault))?);
        }
        for request in sent {
            request.check().map_err(|fault| self.fault(fault).delivery(Delivery::DeliveryUncertain))?;
        }
        Ok(())
    }
}
