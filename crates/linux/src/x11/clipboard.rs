//! Reading and emptying the clipboard: the side of those who ask.
//!
//! What is in the clipboard is with the client that owns it. It is asked for its list of forms, then for one of them,
//! and writes it into a property of a window of ours, in pieces where it is large.

use std::time::Instant;

use surehand_core::clipboard::{Content, Kind, MOST_BYTES};
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Property,
    SelectionNotifyEvent, Timestamp, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::display::Display;
use super::selection::{Form, Names, decode};

/// So many forms are looked at in an owner's list.
const MOST_TARGETS: u32 = 1_024;

/// How much of a property is read at once, in units of four bytes.
const PIECE: u32 = 1 << 18;

/// A window of ours that nobody sees, for what belongs to a window.
pub(super) struct Desk<'d> {
    pub(super) display: &'d Display,
    pub(super) names: Names,
    pub(super) window: Window,
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        // The server does so as well when we leave.
        let _ = self.display.connection.destroy_window(self.window);
    }
}

impl<'d> Desk<'d> {
    pub(super) fn new(display: &'d Display) -> Result<Self> {
        let c = &display.connection;
        let names = Names::new(c).map_err(|fault| display.fault(fault))?;
        let window = c.generate_id().map_err(|fault| display.fault(fault))?;
        let aux = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE).override_redirect(1);
        c.create_window(
            0,
            window,
            display.root(),
            -1,
            -1,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            x11rb::COPY_FROM_PARENT,
            &aux,
        )
        .map_err(|fault| display.fault(fault))?;
        let names = names.reply().map_err(|fault| display.fault(fault))?;
        Ok(Desk { display, names, window })
    }

    /// The next event, as long as the call lasts.
    pub(super) fn event(&self, call: &Call<'_>) -> Result<Option<Event>> {
        let c = &self.display.connection;
        c.flush().map_err(|fault| self.display.fault(fault))?;
        loop {
            if let Some(event) = c.poll_for_event().map_err(|fault| self.display.fault(fault))? {
                return Ok(Some(event));
            }
            let left = c.stream().until().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            if call.cancel.is_raised() {
                call.go_on()?;
            }
            c.stream()
                .readable_within(left)
                .map_err(|fault| self.display.fault(x11rb::errors::ConnectionError::from(fault)))?;
        }
    }

    /// The server's time now. Owning and asking carry a time, so that of two that happen at once the later wins.
    pub(super) fn now(&self, call: &Call<'_>) -> Result<Timestamp> {
        let c = &self.display.connection;
        c.change_property8(PropMode::APPEND, self.window, self.names.STAMP, AtomEnum::STRING, &[])
            .map_err(|fault| self.display.fault(fault))?;
        loop {
            match self.event(call)? {
                Some(Event::PropertyNotify(told)) if told.window == self.window && told.atom == self.names.STAMP => {
                    return Ok(told.time);
                }
                Some(_) => {}
                None => return Err(Error::new(Code::Timeout, "the display did not answer in time").kind("deadline")),
            }
        }
    }

    pub(super) fn owner(&self) -> Result<Option<Window>> {
        self.owner_of(self.names.CLIPBOARD)
    }

    pub(super) fn owner_of(&self, selection: Atom) -> Result<Option<Window>> {
        let asked =
            self.display.connection.get_selection_owner(selection).map_err(|fault| self.display.fault(fault))?;
        let owner = asked.reply().map_err(|fault| self.display.fault(fault))?.owner;
        Ok((owner != x11rb::NONE).then_some(owner))
    }
}

impl Display {
    /// Who owns the clipboard.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn clipboard_owner(&self) -> Result<Option<Window>> {
        Desk::new(self)?.owner()
    }

    /// Leaves the clipboard without an owner.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn clear_clipboard(&self, call: &Call<'_>) -> Result<()> {
        let desk = Desk::new(self)?;
        let now = desk.now(call)?;
        let cleared = self.connection.set_selection_owner(x11rb::NONE, desk.names.CLIPBOARD, now);
        cleared.map_err(|fault| self.fault(fault))?.check().map_err(|fault| self.fault(fault))
    }

    /// The first of these kinds that the clipboard holds.
    ///
    /// # Errors
    /// See [`surehand_core::clipboard::Clipboard::read`].
    pub(crate) fn read_clipboard(&self, call: &Call<'_>, wanted: &[Kind]) -> Result<Option<Content>> {
        let desk = Desk::new(self)?;
        let Some(owner) = desk.owner()? else { return Ok(None) };
        let reading = Reading { time: desk.now(call)?, desk: &desk, owner, call };
        reading.watch_owner()?;
        let offered = reading.targets()?;
        for kind in wanted {
            let forms: Vec<(Atom, Form)> = match kind {
                Kind::Text => desk.names.text().into(),
                Kind::Image => desk.names.image().into(),
                Kind::FileUrls => desk.names.files().into(),
            };
            for (target, form) in forms {
                if offered.as_ref().is_some_and(|offered| !offered.contains(&target)) {
                    continue;
                }
                if let Some(bytes) = reading.convert(target)?
                    && let Some(content) = decode(form, bytes)?
                {
                    return Ok(Some(content));
                }
            }
        }
        Ok(None)
    }
}

/// One look at what an owner has.
struct Reading<'r> {
    desk: &'r Desk<'r>,
    owner: Window,
    time: Timestamp,
    call: &'r Call<'r>,
}

impl Reading<'_> {
    /// Has us told when the owner ends in the middle of it.
    fn watch_owner(&self) -> Result<()> {
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::STRUCTURE_NOTIFY);
        // An owner that is gone by now does not answer the question that follows either.
        let sent = self.desk.display.connection.change_window_attributes(self.owner, &aux);
        sent.map(x11rb::cookie::VoidCookie::ignore_error).map_err(|fault| self.desk.display.fault(fault))
    }

    /// The forms that the owner offers; `None` where it does not say, as very old clients do not.
    fn targets(&self) -> Result<Option<Vec<Atom>>> {
        let Some(bytes) = self.convert(self.desk.names.TARGETS)? else { return Ok(None) };
        let atoms = bytes.chunks_exact(4).take(MOST_TARGETS as usize);
        Ok(Some(atoms.filter_map(|four| Some(Atom::from_ne_bytes(four.try_into().ok()?))).collect()))
    }

    /// What the owner hands out for a target; `None` when it refuses.
    fn convert(&self, target: Atom) -> Result<Option<Vec<u8>>> {
        let Desk { display, names, window } = self.desk;
        let c = &display.connection;
        c.delete_property(*window, names.TRANSFER).map_err(|fault| display.fault(fault))?;
        c.convert_selection(*window, names.CLIPBOARD, target, names.TRANSFER, self.time)
            .map_err(|fault| display.fault(fault))?;
        // The server hands out the numbers of windows again. An owner that was busy may answer now what was asked by the
        // one before us, whose window had this number; it repeats the time at which it was asked, which is not ours.
        let in_time = |told: &SelectionNotifyEvent| told.time == self.time || told.time == x11rb::CURRENT_TIME;
        let answers = |told: &SelectionNotifyEvent| {
            told.requestor == *window && told.selection == names.CLIPBOARD && told.target == target && in_time(told)
        };
        loop {
            match self.next()? {
                Event::SelectionNotify(told) if answers(&told) && told.property == x11rb::NONE => return Ok(None),
                Event::SelectionNotify(told) if answers(&told) => break,
                _ => {}
            }
        }
        let (kind, bytes) = self.take(MOST_BYTES)?;
        if kind == names.INCR { self.pieces().map(Some) } else { Ok(Some(bytes)) }
    }

    /// What comes in pieces, to its end, which is a piece without anything in it.
    fn pieces(&self) -> Result<Vec<u8>> {
        let mut whole = Vec::new();
        loop {
            match self.next()? {
                Event::PropertyNotify(told)
                    if told.window == self.desk.window
                        && told.atom == self.desk.names.TRANSFER
                        && told.state == Property::NEW_VALUE =>
                {
                    let (_, piece) = self.take(MOST_BYTES - whole.len())?;
                    if piece.is_empty() {
                        return Ok(whole);
                    }
                    whole.extend_from_slice(&piece);
                }
                _ => {}
            }
        }
    }

    /// Takes what lies in the property, at most so many bytes, and with that tells the owner to go on.
    fn take(&self, most: usize) -> Result<(Atom, Vec<u8>)> {
        let Desk { display, names, window } = self.desk;
        let c = &display.connection;
        let mut bytes = Vec::new();
        loop {
            let offset = u32::try_from(bytes.len() / 4).unwrap_or(u32::MAX);
            let asked = c.get_property(false, *window, names.TRANSFER, AtomEnum::ANY, offset, PIECE);
            let part = asked.map_err(|fault| display.fault(fault))?.reply().map_err(|fault| display.fault(fault))?;
            // Numbers come in the server's order of bytes, which the connection has made ours.
            bytes.extend_from_slice(&part.value);
            if bytes.len().saturating_add(part.bytes_after as usize) > most {
                return Err(Error::new(
                    Code::ActionFailed,
                    format!("there is more in the clipboard than {MOST_BYTES} bytes"),
                )
                .kind("too_large"));
            }
            if part.bytes_after == 0 || part.value.is_empty() {
                c.delete_property(*window, names.TRANSFER).map_err(|fault| display.fault(fault))?;
                return Ok((part.type_, bytes));
            }
        }
    }

    fn next(&self) -> Result<Event> {
        match self.desk.event(self.call)? {
            Some(Event::DestroyNotify(gone)) if gone.window == self.owner => Err(Error::new(
                Code::AppUnresponsive,
                "the program that has the clipboard ended before it handed it out",
            )
            .kind("owner_gone")),
            Some(event) => Ok(event),
            None => Err(Error::new(Code::AppUnresponsive, "the program that has the clipboard does not hand it out")
                .kind("owner_silent")
                .suggest("try again when it is no longer busy, or put something else into the clipboard")),
        }
    }
}
