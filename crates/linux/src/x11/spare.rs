//! Spare keys that mean a character for a while.
//!
//! Which they are stands in a property of the root window, so that the next one takes back what somebody who was
//! killed in between has left.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use surehand_core::Result;
use x11rb::connection::Connection as _;
use x11rb::errors::ConnectionError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, PropMode, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use super::display::{DEEPEST, Display, numbers};

impl Display {
    /// Binds each key to its symbol, on every level that shift could choose.
    pub(super) fn bind(&self, symbols: &BTreeMap<u8, u32>) -> Result<()> {
        let codes: Vec<u32> = symbols.keys().map(|code| u32::from(*code)).collect();
        let own = self.atoms._SUREHAND_BOUND_KEYS;
        let noted = self
            .connection
            .change_property32(PropMode::REPLACE, self.root(), own, AtomEnum::CARDINAL, &codes)
            .map_err(|fault| self.fault(fault))?;
        noted.check().map_err(|fault| self.fault(fault))?;
        let meanings: Vec<(u8, [u32; 2])> = symbols.iter().map(|(code, symbol)| (*code, [*symbol; 2])).collect();
        self.change_keys(&meanings)
    }

    /// Makes all keys that were bound spare again.
    pub(super) fn take_back_bindings(&self) -> Result<()> {
        let own = self.atoms._SUREHAND_BOUND_KEYS;
        let noted = self.root_numbers(own, 256)?.reply().map_err(|fault| self.fault(fault))?;
        let codes = numbers(Some(&noted));
        if codes.is_empty() {
            return Ok(());
        }
        let meanings: Vec<(u8, [u32; 2])> =
            codes.iter().filter_map(|code| Some((u8::try_from(*code).ok()?, [0; 2]))).collect();
        self.change_keys(&meanings)?;
        let gone = self.connection.delete_property(self.root(), own).map_err(|fault| self.fault(fault))?;
        gone.check().map_err(|fault| self.fault(fault))
    }

    /// Gives neighbouring keys their meaning in one request: each costs every program a look at the layout.
    fn change_keys(&self, meanings: &[(u8, [u32; 2])]) -> Result<()> {
        let mut sent = Vec::new();
        for run in meanings.chunk_by(|(one, _), (next, _)| one.checked_add(1) == Some(*next)) {
            let Some((first, _)) = run.first() else { continue };
            let count = u8::try_from(run.len()).unwrap_or(u8::MAX);
            let symbols: Vec<u32> = run.iter().flat_map(|(_, symbols)| *symbols).collect();
            let request = self.connection.change_keyboard_mapping(count, *first, 2, &symbols);
            sent.push(request.map_err(|fault| self.fault(fault))?);
        }
        for request in sent {
            request.check().map_err(|fault| self.fault(fault))?;
        }
        Ok(())
    }

    /// Asks the window with the focus whether it has handled everything it was sent before. `None` where it takes
    /// no such question, `false` where it did not answer in time. Source: `_NET_WM_PING` of the Extended Window
    /// Manager Hints.
    pub(super) fn ping_focus(&self, patience: Duration) -> Result<Option<bool>> {
        let focus = self.connection.get_input_focus().map_err(|fault| self.fault(fault))?;
        let focus = focus.reply().map_err(|fault| self.fault(fault))?.focus;
        let Some(window) = self.answers_pings(focus)? else { return Ok(None) };
        let until = (Instant::now() + patience).min(self.connection.stream().until());
        let listen = |mask| {
            let aux = ChangeWindowAttributesAux::new().event_mask(mask);
            let sent =
                self.connection.change_window_attributes(self.root(), &aux).map_err(|fault| self.fault(fault))?;
            sent.check().map_err(|fault| self.fault(fault))
        };
        // The answer goes to the root window; Qt sends it to whoever listens to the root window itself.
        listen(EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
        let answered = self.ping(window, until);
        listen(EventMask::NO_EVENT)?;
        answered.map(Some)
    }

    fn ping(&self, window: Window, until: Instant) -> Result<bool> {
        // Window managers ping as well. Ours is told apart by its time, which applications only send back.
        let token = self.connection.setup().resource_id_base | 1;
        let data = [self.atoms._NET_WM_PING, token, window, 0, 0];
        let message = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data);
        let sent = self.connection.send_event(false, window, EventMask::NO_EVENT, message);
        match self.if_there(sent.map_err(|fault| self.fault(fault))?.check())? {
            Some(()) => {}
            None => return Ok(false),
        }
        loop {
            while let Some(event) = self.connection.poll_for_event().map_err(|fault| self.fault(fault))? {
                let Event::ClientMessage(answer) = event else { continue };
                let data = answer.data.as_data32();
                if answer.type_ == self.atoms.WM_PROTOCOLS && data[0] == self.atoms._NET_WM_PING && data[1] == token {
                    return Ok(true);
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            self.connection
                .stream()
                .readable_within(left)
                .map_err(|fault| self.fault(ConnectionError::IoError(fault)))?;
        }
    }

    /// The window, or the nearest around it, that says it answers pings.
    fn answers_pings(&self, window: Window) -> Result<Option<Window>> {
        let mut window = window;
        for _ in 0..DEEPEST {
            // The two smallest numbers are no windows: nobody, and whatever is under the pointer.
            if window <= 1 || window == self.root() {
                return Ok(None);
            }
            let protocols = self
                .connection
                .get_property(false, window, self.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 0, 256)
                .map_err(|fault| self.fault(fault))?;
            let tree = self.connection.query_tree(window).map_err(|fault| self.fault(fault))?;
            let protocols = self.if_there(protocols.reply())?;
            let Some(tree) = self.if_there(tree.reply())? else { return Ok(None) };
            if numbers(protocols.as_ref()).contains(&self.atoms._NET_WM_PING) {
                return Ok(Some(window));
            }
            window = tree.parent;
        }
        Ok(None)
    }

    /// Lets time pass, for a program that tells in no way how far it is. What comes from the server meanwhile is
    /// kept for later.
    pub(super) fn pause(&self, span: Duration) -> Result<()> {
        let until = (Instant::now() + span).min(self.connection.stream().until());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.connection
                .stream()
                .readable_within(left)
                .map_err(|fault| self.fault(ConnectionError::IoError(fault)))?;
            while self.connection.poll_for_event().map_err(|fault| self.fault(fault))?.is_some() {}
        }
    }
}
