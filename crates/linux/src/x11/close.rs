//! Asking a window to close.

use surehand_core::disposition::Delivery;
use surehand_core::{Code, Error, Result};
use x11rb::protocol::xproto::{AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask};

use super::display::{Display, numbers, window_gone};

/// A message of a person's tool, not of an application: window managers obey it at once.
const SOURCE_PAGER: u32 = 2;

impl Display {
    /// Asks a window to close, through the window manager where it takes such requests. A window that does
    /// not take `WM_DELETE_WINDOW` is left alone: a window manager would end its process instead.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone, `ACTION_NOT_SUPPORTED` when it cannot be asked.
    pub fn close(&self, window: u32) -> Result<()> {
        let protocols = self
            .connection
            .get_property(false, window, self.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 256)
            .map_err(|fault| self.fault(fault))?;
        let protocols = self.if_there(protocols.reply())?.ok_or_else(window_gone)?;
        if !numbers(Some(&protocols)).contains(&self.atoms.WM_DELETE_WINDOW) {
            return Err(Error::new(
                Code::ActionNotSupported,
                "the window cannot be asked to close; closing it would end its process",
            )
            .kind("no_close_request"));
        }
        let (manager, clients) = self.clients()?;
        let (event, to, mask) = if manager.closes && clients.contains(&window) {
            let data = [x11rb::CURRENT_TIME, SOURCE_PAGER, 0, 0, 0];
            let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
            (ClientMessageEvent::new(32, window, self.atoms._NET_CLOSE_WINDOW, data), self.root(), mask)
        } else {
            let data = [self.atoms.WM_DELETE_WINDOW, x11rb::CURRENT_TIME, 0, 0, 0];
            (ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data), window, EventMask::NO_EVENT)
        };
        let sent = self.connection.send_event(false, to, mask, event).map_err(|fault| self.fault(fault))?;
        sent.check().map_err(|fault| match self.fault(fault) {
            // The window went before it was asked.
            fault if fault.code() == Code::WindowNotFound => fault,
            fault => fault.delivery(Delivery::DeliveryUncertain),
        })
    }
}
