//! The window manager: who it is, what it does for others, and whether it manages yet.

use std::os::fd::{AsFd, BorrowedFd};

use surehand_core::Result;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::display::{Display, numbers};

/// `WM_HINTS` of a window that does not want the keyboard: the flag of the field `input`, and no.
const NO_INPUT: [u32; 9] = [1, 0, 0, 0, 0, 0, 0, 0, 0];

/// What the running window manager does for others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Manager {
    /// The window that it is known by; none when there is no window manager.
    window: Option<Window>,
    /// Whether it takes requests to close a window.
    pub(super) closes: bool,
    /// Whether it says which windows are minimised.
    pub(super) says_hidden: bool,
}

impl Manager {
    pub(super) fn is_running(&self) -> bool {
        self.window.is_some()
    }
}

impl Display {
    /// The window manager. Its properties outlive it, so its own window is looked at: it has to exist and to
    /// name itself. Source: Extended Window Manager Hints 1.5, `_NET_SUPPORTING_WM_CHECK`.
    pub(super) fn manager(&self) -> Result<Manager> {
        let check = self.root_numbers(self.atoms._NET_SUPPORTING_WM_CHECK, 1)?;
        let supported = self.root_numbers(self.atoms._NET_SUPPORTED, 1_024)?;
        let check = numbers(Some(&check.reply().map_err(|fault| self.fault(fault))?));
        let supported = numbers(Some(&supported.reply().map_err(|fault| self.fault(fault))?));
        let Some(&window) = check.first() else {
            return Ok(Manager::default());
        };
        if self.property(window, self.atoms._NET_SUPPORTING_WM_CHECK)? != [window] {
            return Ok(Manager::default());
        }
        Ok(Manager {
            window: Some(window),
            closes: supported.contains(&self.atoms._NET_CLOSE_WINDOW),
            says_hidden: supported.contains(&self.atoms._NET_WM_STATE_HIDDEN),
        })
    }

    /// How the window manager calls itself, which may be empty; `None` when there is none.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn manager_name(&self) -> Result<Option<String>> {
        let Some(window) = self.manager()?.window else { return Ok(None) };
        let name = self
            .connection
            .get_property(false, window, self.atoms._NET_WM_NAME, AtomEnum::ANY, 0, 64)
            .map_err(|fault| self.fault(fault))?;
        Ok(self.if_there(name.reply())?.map(|name| String::from_utf8_lossy(&name.value).into_owned()))
    }

    /// From now on changes of the root window's properties, which is where window managers announce
    /// themselves and their windows, are [`Display::news`].
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn watch(&self) -> Result<()> {
        let events = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let sent = self.connection.change_window_attributes(self.root(), &events).map_err(|fault| self.fault(fault))?;
        sent.check().map_err(|fault| self.fault(fault))
    }

    /// Takes the events that have come, and says whether there were any. When there were none, the next one
    /// makes the connection readable.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn news(&self) -> Result<bool> {
        let mut any = false;
        while self.connection.poll_for_event().map_err(|fault| self.fault(fault))?.is_some() {
            any = true;
        }
        Ok(any)
    }

    /// Makes a window for finding out whether the window manager manages. Nothing is shown yet.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn probe(&self) -> Result<Probe<'_>> {
        // The id comes from the far end of ours. The server gives our ids to the next client once we have
        // left, and what is still said of this window must not be taken for one of the first of that client.
        let setup = self.connection.setup();
        let window = setup.resource_id_base | setup.resource_id_mask;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let class = WindowClass::INPUT_OUTPUT;
        let made = self
            .connection
            .create_window(0, window, self.root(), 0, 0, 1, 1, 0, class, 0, &aux)
            .map_err(|fault| self.fault(fault))?;
        let hints = AtomEnum::WM_HINTS;
        let hinted = self
            .connection
            .change_property32(PropMode::REPLACE, window, hints, hints, &NO_INPUT)
            .map_err(|fault| self.fault(fault))?;
        made.check().map_err(|fault| self.fault(fault))?;
        hinted.check().map_err(|fault| self.fault(fault))?;
        Ok(Probe { display: self, window })
    }

    /// The numbers in a property of a window; none where either is missing.
    fn property(&self, window: Window, property: u32) -> Result<Vec<u32>> {
        let asked = self
            .connection
            .get_property(false, window, property, AtomEnum::ANY, 0, 1)
            .map_err(|fault| self.fault(fault))?;
        Ok(numbers(self.if_there(asked.reply())?.as_ref()))
    }
}

impl AsFd for Display {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.connection.stream().as_fd()
    }
}

/// A window of one pixel that never gets the keyboard. It lives as long as the connection unless it is
/// destroyed before.
pub(crate) struct Probe<'d> {
    display: &'d Display,
    window: Window,
}

impl Probe<'_> {
    /// Asks to be shown. Doing so again is harmless.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn map(&self) -> Result<()> {
        let sent = self.display.connection.map_window(self.window).map_err(|fault| self.display.fault(fault))?;
        sent.check().map_err(|fault| self.display.fault(fault))
    }

    /// Whether the window manager has taken it: it keeps a state for it and lists it.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn is_managed(&self) -> Result<bool> {
        Ok(self.display.has_state(self.window)? && self.is_listed()?)
    }

    /// Whether it is in the window manager's list.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn is_listed(&self) -> Result<bool> {
        Ok(self.display.clients()?.1.contains(&self.window))
    }

    /// Destroys the window; the window manager forgets it a moment later.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn destroy(&self) -> Result<()> {
        let sent = self.display.connection.destroy_window(self.window).map_err(|fault| self.display.fault(fault))?;
        sent.check().map_err(|fault| self.display.fault(fault))
    }
}
