//! Owning the clipboard: the side of those who are asked.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use surehand_core::clipboard::Content;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Error, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Property, PropertyNotifyEvent,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Timestamp, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use super::clipboard::Desk;
use super::display::Display;
use super::selection::{Offer, offers};

/// More than this is handed out in pieces of this size. Far below what one request may hold on any server.
const PIECE: usize = 128 << 10;

/// So many readers are served in pieces at the same time; the one that has taken nothing for longest gives way.
const MOST_TRANSFERS: usize = 32;

/// How long readers that are in the middle of it are still served once the clipboard is somebody else's.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// How long a manager of clipboards may take to take over.
const TAKE_OVER: Duration = Duration::from_secs(3);

/// A server that takes nothing for so long is as good as gone.
const SERVER: Duration = Duration::from_secs(24 * 60 * 60);

/// So many conversions can be asked for at once.
const MOST_PAIRS: u32 = 256;

/// The owner of the clipboard, from the moment it is.
pub(crate) struct ClipboardOwner<'d> {
    desk: Desk<'d>,
    clock: &'d dyn Clock,
    offers: Vec<Offer>,
    since: Timestamp,
    transfers: Vec<Transfer>,
}

/// Content on its way to one reader.
struct Transfer {
    reader: Window,
    property: Atom,
    offer: Offer,
    sent: usize,
    last: Instant,
}

/// Why an owner need not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Somebody else has the clipboard.
    Replaced,
    /// A manager of clipboards has copied what it is to keep.
    Kept,
    /// It was told to end.
    Told,
}

impl<'d> ClipboardOwner<'d> {
    /// Takes the clipboard.
    ///
    /// # Errors
    /// `CONFLICT` when somebody else took it at the same moment.
    pub(crate) fn take(display: &'d Display, call: &Call<'d>, content: &Content) -> Result<Self> {
        let desk = Desk::new(display)?;
        let offers = offers(&desk.names, content);
        let since = desk.now(call)?;
        let c = &display.connection;
        c.set_selection_owner(desk.window, desk.names.CLIPBOARD, since).map_err(|fault| display.fault(fault))?;
        if desk.owner()? != Some(desk.window) {
            return Err(Error::new(Code::Conflict, "another program took the clipboard at the same moment")
                .kind("clipboard_taken"));
        }
        Ok(ClipboardOwner { desk, clock: call.clock, offers, since, transfers: Vec::new() })
    }

    /// The window by which others know it.
    pub(crate) fn window(&self) -> Window {
        self.desk.window
    }

    /// Hands out what it has until somebody else has the clipboard or `end` becomes readable.
    ///
    /// # Errors
    /// That the server is gone, which is the usual end on a desktop that ends.
    pub(crate) fn serve(mut self, end: BorrowedFd<'_>) -> Result<()> {
        let nobody = Cancel::default();
        let call = Call::lasting(self.clock, &nobody, SERVER);
        let over = loop {
            self.desk.display.limit(&call)?;
            if let Some(over) = self.news()? {
                break over;
            }
            if self.wait(Some(end), None)? {
                break Over::Told;
            }
        };
        if over == Over::Told {
            self.hand_over(&call)?;
        }
        // The clipboard is somebody else's or nobody's by now; what was promised before is kept.
        let until = Instant::now() + AFTERWARDS;
        while !self.transfers.is_empty() && Instant::now() < until {
            self.desk.display.limit(&call)?;
            self.news()?;
            self.wait(None, Some(until))?;
        }
        Ok(())
    }

    /// Deals with everything that has come.
    fn news(&mut self) -> Result<Option<Over>> {
        let mut over = None;
        loop {
            let c = &self.desk.display.connection;
            let mut event = c.poll_for_event().map_err(|fault| self.desk.display.fault(fault))?;
            if event.is_none() {
                // Writing reads as well, lest both sides wait for each other, so there may be more after it.
                c.flush().map_err(|fault| self.desk.display.fault(fault))?;
                event = c.poll_for_event().map_err(|fault| self.desk.display.fault(fault))?;
            }
            match event {
                None => return Ok(over),
                Some(Event::SelectionRequest(asked)) if asked.owner == self.desk.window => self.answer(&asked)?,
                Some(Event::PropertyNotify(told)) if told.state == Property::DELETE => self.go_on(&told)?,
                Some(Event::SelectionClear(lost)) if lost.selection == self.desk.names.CLIPBOARD => {
                    over.get_or_insert(Over::Replaced);
                }
                Some(Event::SelectionNotify(told)) if told.selection == self.desk.names.CLIPBOARD_MANAGER => {
                    over = Some(Over::Kept);
                }
                // A reader that has gone, and what is no business of ours.
                Some(_) => {}
            }
        }
    }

    /// Waits for something to read from the server. Whether it is told to end instead.
    fn wait(&self, end: Option<BorrowedFd<'_>>, until: Option<Instant>) -> Result<bool> {
        let own = self.desk.display.as_fd();
        let mut fds: Vec<PollFd<'_>> =
            [Some(own), end].into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let time = left.map(|left| Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        });
        match poll(&mut fds, time.as_ref()) {
            Ok(_) => Ok(fds.get(1).is_some_and(|fd| !fd.revents().is_empty())),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(errno) => Err(Error::new(Code::Internal, "waiting on descriptors failed").platform(errno.to_string())),
        }
    }

    fn answer(&mut self, asked: &SelectionRequestEvent) -> Result<()> {
        // Clients from before the rules name no property and mean the target.
        let property = if asked.property == x11rb::NONE { asked.target } else { asked.property };
        let converted = if asked.target == self.desk.names.MULTIPLE {
            asked.property != x11rb::NONE && self.convert_several(asked.requestor, asked.property)?
        } else {
            self.convert(asked.requestor, asked.target, property)?
        };
        let event = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property: if converted { property } else { x11rb::NONE },
        };
        self.sent(self.desk.display.connection.send_event(false, asked.requestor, EventMask::NO_EVENT, event))
    }

    /// Requests about windows of others fail when these are gone, which costs us nothing.
    fn sent<'c>(
        &self,
        sent: Result<x11rb::cookie::VoidCookie<'c, impl x11rb::connection::Connection>, x11rb::errors::ConnectionError>,
    ) -> Result<()> {
        sent.map(x11rb::cookie::VoidCookie::ignore_error).map_err(|fault| self.desk.display.fault(fault))
    }

    /// Puts one form into the property of a reader. Whether there is such a form.
    fn convert(&mut self, reader: Window, target: Atom, property: Atom) -> Result<bool> {
        let names = &self.desk.names;
        let c = &self.desk.display.connection;
        if target == names.TARGETS {
            let mut targets = vec![names.TARGETS, names.TIMESTAMP, names.MULTIPLE, names.SAVE_TARGETS];
            targets.extend(self.offers.iter().map(|offer| offer.target));
            self.sent(c.change_property32(PropMode::REPLACE, reader, property, AtomEnum::ATOM, &targets))?;
            return Ok(true);
        }
        if target == names.TIMESTAMP {
            self.sent(c.change_property32(PropMode::REPLACE, reader, property, AtomEnum::INTEGER, &[self.since]))?;
            return Ok(true);
        }
        if target == names.SAVE_TARGETS {
            // It only marks that a manager may keep all of it; there is nothing to hand out.
            self.sent(c.change_property32(PropMode::REPLACE, reader, property, names.NULL, &[]))?;
            return Ok(true);
        }
        let Some(offer) = self.offers.iter().find(|offer| offer.target == target).cloned() else { return Ok(false) };
        if offer.bytes.len() <= PIECE {
            self.sent(c.change_property8(PropMode::REPLACE, reader, property, offer.kind, &offer.bytes))?;
            return Ok(true);
        }
        // The reader says by deleting the property that it has taken a piece.
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        self.sent(c.change_window_attributes(reader, &aux))?;
        let size = u32::try_from(offer.bytes.len()).unwrap_or(u32::MAX);
        self.sent(c.change_property32(PropMode::REPLACE, reader, property, names.INCR, &[size]))?;
        self.transfers.retain(|other| (other.reader, other.property) != (reader, property));
        if self.transfers.len() >= MOST_TRANSFERS
            && let Some(oldest) = (0..self.transfers.len()).min_by_key(|at| self.transfers[*at].last)
        {
            self.transfers.swap_remove(oldest);
        }
        self.transfers.push(Transfer { reader, property, offer, sent: 0, last: Instant::now() });
        Ok(true)
    }

    /// Several forms at once: pairs of target and property. Those that do not exist are marked in the list.
    fn convert_several(&mut self, reader: Window, list: Atom) -> Result<bool> {
        let c = &self.desk.display.connection;
        let asked = c.get_property(false, reader, list, self.desk.names.ATOM_PAIR, 0, 2 * MOST_PAIRS);
        let asked = asked.map_err(|fault| self.desk.display.fault(fault))?.reply();
        let Some(pairs) = self.desk.display.if_there(asked)? else { return Ok(false) };
        let Some(mut pairs) = pairs.value32().map(Iterator::collect::<Vec<u32>>) else { return Ok(false) };
        for pair in pairs.chunks_exact_mut(2) {
            let [target, property] = pair else { continue };
            if *target == self.desk.names.MULTIPLE
                || *property == x11rb::NONE
                || !self.convert(reader, *target, *property)?
            {
                *property = x11rb::NONE;
            }
        }
        let c = &self.desk.display.connection;
        self.sent(c.change_property32(PropMode::REPLACE, reader, list, self.desk.names.ATOM_PAIR, &pairs))?;
        Ok(true)
    }

    /// Hands out the next piece to a reader that has taken one.
    fn go_on(&mut self, taken: &PropertyNotifyEvent) -> Result<()> {
        let mine = |transfer: &Transfer| (transfer.reader, transfer.property) == (taken.window, taken.atom);
        let Some(at) = self.transfers.iter().position(mine) else { return Ok(()) };
        let transfer = &mut self.transfers[at];
        let end = (transfer.sent + PIECE).min(transfer.offer.bytes.len());
        let piece = transfer.offer.bytes.get(transfer.sent..end).unwrap_or_default();
        let c = &self.desk.display.connection;
        let sent =
            c.change_property8(PropMode::REPLACE, transfer.reader, transfer.property, transfer.offer.kind, piece);
        let last = piece.is_empty();
        (transfer.sent, transfer.last) = (end, Instant::now());
        sent.map(x11rb::cookie::VoidCookie::ignore_error).map_err(|fault| self.desk.display.fault(fault))?;
        if last {
            // A piece without anything in it is the end.
            let done = self.transfers.swap_remove(at);
            if self.transfers.iter().all(|other| other.reader != done.reader) {
                let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::NO_EVENT);
                self.sent(self.desk.display.connection.change_window_attributes(done.reader, &aux))?;
            }
        }
        Ok(())
    }

    /// Has the manager of clipboards, where there is one, keep what we have, so that it does not end with us.
    fn hand_over(&mut self, call: &Call<'_>) -> Result<()> {
        let names = &self.desk.names;
        let (manager, save, list) = (names.CLIPBOARD_MANAGER, names.SAVE_TARGETS, names.TRANSFER);
        if self.desk.owner_of(manager)?.is_none() {
            return Ok(());
        }
        let targets: Vec<Atom> = self.offers.iter().map(|offer| offer.target).collect();
        let c = &self.desk.display.connection;
        self.sent(c.change_property32(PropMode::REPLACE, self.desk.window, list, AtomEnum::ATOM, &targets))?;
        self.sent(c.convert_selection(self.desk.window, manager, save, list, x11rb::CURRENT_TIME))?;
        let until = Instant::now() + TAKE_OVER;
        loop {
            self.desk.display.limit(call)?;
            if self.news()?.is_some() || Instant::now() >= until {
                return Ok(());
            }
            self.wait(None, Some(until))?;
        }
    }
}
