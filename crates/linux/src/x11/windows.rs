//! Windows: which there are and what is known of them.

use std::collections::{HashMap, HashSet};

use surehand_core::Result;
use surehand_core::geometry::Rect;
use x11rb::connection::Connection as _;
use x11rb::cookie::Cookie;
use x11rb::errors::ConnectionError;
use x11rb::protocol::res::{self, ClientIdMask, ClientIdSpec, ConnectionExt as _};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, GetGeometryReply, GetPropertyReply, GetWindowAttributesReply, MapState,
    TranslateCoordinatesReply, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;

use super::display::{Display, numbers};
use super::manager::Manager;
use super::stream::Bounded;

/// At most so many bytes of a title or class are kept.
const LONGEST_TEXT: usize = 64 << 10;
/// What is read beyond that, so that the cut can be made between two visible characters.
const READ_AHEAD: usize = 256;
/// At most so many windows are listed: far more than a person has, far fewer than a broken property claims.
const MOST_WINDOWS: u32 = 4_096;
/// `WM_STATE` of a window that was minimised.
pub(super) const ICONIC: u32 = 3;
/// A top-level window as the X server and the window manager know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XWindow {
    /// The server's id of the client's window, not of the frame around it.
    pub id: u32,
    /// Its title, at most 64 KiB. Text of the application.
    pub title: String,
    /// The process that made it: by the server's own knowledge, else as the window says.
    pub pid: Option<u32>,
    /// The client's area in pixels of the screen, without the window manager's frame.
    pub bounds: Rect,
    /// The same with the frame.
    pub frame: Rect,
    /// Whether it was minimised.
    pub minimized: bool,
    /// Whether it fills the screen in both directions.
    pub maximized: bool,
    /// Whether it is mapped together with everything around it.
    pub visible: bool,
    /// The class of `WM_CLASS`. Text of the application.
    pub class: String,
}

pub(super) type Asked<'c, R> = Cookie<'c, RustConnection<Bounded>, R>;

/// The questions about one window, all of them under way.
struct Questions<'c> {
    attributes: Asked<'c, GetWindowAttributesReply>,
    geometry: Asked<'c, GetGeometryReply>,
    origin: Asked<'c, TranslateCoordinatesReply>,
    net_name: Asked<'c, GetPropertyReply>,
    name: Asked<'c, GetPropertyReply>,
    class: Asked<'c, GetPropertyReply>,
    pid: Asked<'c, GetPropertyReply>,
    machine: Asked<'c, GetPropertyReply>,
    extents: Asked<'c, GetPropertyReply>,
    net_state: Asked<'c, GetPropertyReply>,
    state: Asked<'c, GetPropertyReply>,
}

impl Display {
    /// The top-level windows, in the window manager's order; without one, in that of the screen from the
    /// bottom. A window that goes while it is being asked about is left out.
    ///
    /// # Errors
    /// `TIMEOUT` or `PLATFORM_NOT_SUPPORTED` when the server does not answer.
    pub fn windows(&self) -> Result<Vec<XWindow>> {
        let (manager, clients) = self.clients()?;
        let pids = self.pids(&clients)?;
        let mut asked = Vec::with_capacity(clients.len());
        for &client in &clients {
            asked.push((client, self.ask(client).map_err(|fault| self.fault(fault))?));
        }
        let mut windows = Vec::with_capacity(clients.len());
        for (client, questions) in asked {
            let known = pids.get(&self.owner(client)).copied();
            windows.extend(self.answer(client, questions, known, manager.says_hidden)?);
        }
        Ok(windows)
    }

    /// One window, if it is still there.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub fn window(&self, window: u32) -> Result<Option<XWindow>> {
        let manager = self.manager()?;
        let known = self.pid_of(window)?;
        let asked = self.ask(window).map_err(|fault| self.fault(fault))?;
        self.answer(window, asked, known, manager.says_hidden)
    }

    fn ask(&self, window: Window) -> Result<Questions<'_>, ConnectionError> {
        let c = &self.connection;
        let numbers = |atom: Atom| c.get_property(false, window, atom, AtomEnum::ANY, 0, 64);
        let text = |atom: Atom| {
            // Lengths of properties are counted in units of four bytes.
            let longest = (LONGEST_TEXT + READ_AHEAD) as u32 / 4;
            c.get_property(false, window, atom, AtomEnum::ANY, 0, longest)
        };
        Ok(Questions {
            attributes: c.get_window_attributes(window)?,
            geometry: c.get_geometry(window)?,
            origin: c.translate_coordinates(window, self.root(), 0, 0)?,
            net_name: text(self.atoms._NET_WM_NAME)?,
            name: text(AtomEnum::WM_NAME.into())?,
            class: text(AtomEnum::WM_CLASS.into())?,
            pid: numbers(self.atoms._NET_WM_PID)?,
            machine: text(AtomEnum::WM_CLIENT_MACHINE.into())?,
            extents: numbers(self.atoms._NET_FRAME_EXTENTS)?,
            net_state: numbers(self.atoms._NET_WM_STATE)?,
            state: numbers(self.atoms.WM_STATE)?,
        })
    }

    /// Reads every answer also when an early one says that the window is gone: they are under way anyway.
    fn answer(
        &self,
        id: Window,
        asked: Questions<'_>,
        known: Option<u32>,
        says_hidden: bool,
    ) -> Result<Option<XWindow>> {
        let attributes = self.if_there(asked.attributes.reply())?;
        let geometry = self.if_there(asked.geometry.reply())?;
        let origin = self.if_there(asked.origin.reply())?;
        let net_name = self.if_there(asked.net_name.reply())?;
        let name = self.if_there(asked.name.reply())?;
        let class = self.if_there(asked.class.reply())?;
        let pid = self.if_there(asked.pid.reply())?;
        let machine = self.if_there(asked.machine.reply())?;
        let extents = self.if_there(asked.extents.reply())?;
        let net_state = self.if_there(asked.net_state.reply())?;
        let state = self.if_there(asked.state.reply())?;
        let (Some(attributes), Some(geometry), Some(origin)) = (attributes, geometry, origin) else {
            return Ok(None);
        };
        let bounds = Rect {
            x: origin.dst_x.into(),
            y: origin.dst_y.into(),
            width: geometry.width.into(),
            height: geometry.height.into(),
        };
        let states = numbers(net_state.as_ref());
        let both = [self.atoms._NET_WM_STATE_MAXIMIZED_VERT, self.atoms._NET_WM_STATE_MAXIMIZED_HORZ];
        let maximized = both.iter().all(|state| states.contains(state));
        let minimized = if says_hidden {
            states.contains(&self.atoms._NET_WM_STATE_HIDDEN)
        } else {
            numbers(state.as_ref()).first() == Some(&ICONIC)
        };
        let title = [net_name, name].iter().flatten().find(|property| property.type_ != 0).map(|property| {
            let latin = property.type_ != self.atoms.UTF8_STRING;
            text(&property.value, latin)
        });
        let class = class.map(|property| {
            let mut parts = property.value.split(|byte| *byte == 0);
            let instance = parts.next().unwrap_or_default();
            text(parts.next().unwrap_or(instance), true)
        });
        let claimed = || {
            let local = machine.as_ref().is_none_or(|m| m.type_ == 0 || m.value == self.host);
            numbers(pid.as_ref()).first().copied().filter(|pid| local && *pid != 0)
        };
        Ok(Some(XWindow {
            id,
            title: title.unwrap_or_default(),
            pid: known.or_else(claimed),
            bounds,
            frame: framed(bounds, &numbers(extents.as_ref())),
            minimized,
            maximized,
            visible: attributes.map_state == MapState::VIEWABLE,
            class: class.unwrap_or_default(),
        }))
    }

    /// What identifies the client that made a window: the part of the id that the server gave it.
    pub(super) fn owner(&self, window: Window) -> u32 {
        window & !self.connection.setup().resource_id_mask
    }

    /// The processes that made these windows, by [`Display::owner`], as the server saw when they connected:
    /// a client can write any number into its own property, but not here.
    pub(super) fn pids(&self, windows: &[Window]) -> Result<HashMap<u32, u32>> {
        if windows.is_empty() || !self.has(res::X11_EXTENSION_NAME)? {
            return Ok(HashMap::new());
        }
        let owners: HashSet<u32> = windows.iter().map(|window| self.owner(*window)).collect();
        let specs: Vec<_> =
            owners.into_iter().map(|client| ClientIdSpec { client, mask: ClientIdMask::LOCAL_CLIENT_PID }).collect();
        // Version 1.2 brought this request; a server of an older one answers with an error.
        let version = self.connection.res_query_version(1, 2).map_err(|fault| self.fault(fault))?;
        let ids = self.connection.res_query_client_ids(&specs).map_err(|fault| self.fault(fault))?;
        version.reply().map_err(|fault| self.fault(fault))?;
        let ids = match ids.reply_unchecked().map_err(|fault| self.fault(fault))? {
            Some(reply) => reply.ids,
            None => Vec::new(),
        };
        let pid = |value: &[u32]| value.first().copied().filter(|pid| *pid != 0);
        Ok(ids.iter().filter_map(|id| Some((self.owner(id.spec.client), pid(&id.value)?))).collect())
    }

    /// The windows that the window manager manages; without one, those that look like it.
    pub(super) fn clients(&self) -> Result<(Manager, Vec<Window>)> {
        let list = self.root_numbers(self.atoms._NET_CLIENT_LIST, MOST_WINDOWS)?;
        let manager = self.manager()?;
        let list = list.reply().map_err(|fault| self.fault(fault))?;
        if manager.is_running() && list.type_ != 0 {
            let mut clients = numbers(Some(&list));
            let mut seen = HashSet::new();
            clients.retain(|client| seen.insert(*client));
            return Ok((manager, clients));
        }
        Ok((manager, self.unmanaged()?))
    }

    pub(super) fn root_numbers(&self, atom: Atom, most: u32) -> Result<Asked<'_, GetPropertyReply>> {
        self.connection
            .get_property(false, self.root(), atom, AtomEnum::ANY, 0, most)
            .map_err(|fault| self.fault(fault))
    }

    /// Windows on the screen that a window manager would have managed: in each child of the root the one
    /// that carries `WM_STATE`, else the child itself unless it asked to be left alone.
    fn unmanaged(&self) -> Result<Vec<Window>> {
        let tops = self.children(self.root())?;
        let mut asked = Vec::with_capacity(tops.len());
        for &top in &tops {
            asked.push(self.connection.get_window_attributes(top).map_err(|fault| self.fault(fault))?);
        }
        let mut clients = Vec::new();
        for (top, attributes) in tops.into_iter().zip(asked) {
            let Some(attributes) = self.if_there(attributes.reply())? else {
                continue;
            };
            if attributes.map_state != MapState::VIEWABLE || attributes.class != WindowClass::INPUT_OUTPUT {
                continue;
            }
            match self.client_in(top, 2)? {
                Some(client) => clients.push(client),
                None if !attributes.override_redirect => clients.push(top),
                None => {}
            }
        }
        Ok(clients)
    }

    pub(super) fn client_in(&self, window: Window, levels: usize) -> Result<Option<Window>> {
        if self.has_state(window)? {
            return Ok(Some(window));
        }
        if levels > 0 {
            for child in self.children(window)? {
                if let Some(client) = self.client_in(child, levels - 1)? {
                    return Ok(Some(client));
                }
            }
        }
        Ok(None)
    }

    /// Whether a window manager keeps a state for the window: it does for all that it manages.
    pub(super) fn has_state(&self, window: Window) -> Result<bool> {
        let state = self
            .connection
            .get_property(false, window, self.atoms.WM_STATE, AtomEnum::ANY, 0, 1)
            .map_err(|fault| self.fault(fault))?;
        Ok(self.if_there(state.reply())?.is_some_and(|state| state.type_ != 0))
    }

    /// The children of a window from the bottom to the top; none when it is gone.
    pub(super) fn children(&self, window: Window) -> Result<Vec<Window>> {
        let tree = self.connection.query_tree(window).map_err(|fault| self.fault(fault))?;
        Ok(self.if_there(tree.reply())?.map(|tree| tree.children).unwrap_or_default())
    }
}

/// The outer rectangle, from left, right, top and bottom of `_NET_FRAME_EXTENTS`. Nobody's frame is wider
/// than a screen; such numbers are not believed.
fn framed(bounds: Rect, extents: &[u32]) -> Rect {
    let believable = |extent: &u32| *extent <= 1 << 12;
    match extents {
        [left, right, top, bottom, ..] if [left, right, top, bottom].into_iter().all(believable) => Rect {
            x: bounds.x.saturating_sub_unsigned(*left),
            y: bounds.y.saturating_sub_unsigned(*top),
            width: bounds.width.saturating_add(left + right),
            height: bounds.height.saturating_add(top + bottom),
        },
        _ => bounds,
    }
}

/// Text of a property: any bytes, cut between two visible characters.
fn text(bytes: &[u8], latin: bool) -> String {
    let bytes = match bytes {
        [text @ .., 0] => text,
        text => text,
    };
    let text: String = match std::str::from_utf8(bytes) {
        _ if latin => bytes.iter().copied().map(char::from).collect(),
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    };
    surehand_core::text::clip(&text, LONGEST_TEXT).0.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_become_a_text_within_the_limit() {
        assert_eq!(text(b"caf\xe9\0", true), "café");
        assert_eq!(text("café".as_bytes(), false), "café");
        assert_eq!(text(b"a\xff\xfeb\0c", false), "a\u{fffd}\u{fffd}b\0c");
        assert_eq!(text(&vec![0xff; 70_000], false).len(), LONGEST_TEXT - LONGEST_TEXT % 3);
        let family = "👨‍👩‍👧".repeat(4_000);
        let cut = text(&family.as_bytes()[..LONGEST_TEXT + READ_AHEAD], false);
        assert!(cut.len() <= LONGEST_TEXT && cut.len().is_multiple_of("👨‍👩‍👧".len()) && family.starts_with(&cut));
    }

    #[test]
    fn frames_are_believed_within_reason() {
        let bounds = Rect { x: 10, y: 20, width: 100, height: 50 };
        assert_eq!(framed(bounds, &[1, 2, 20, 3]), Rect { x: 9, y: 0, width: 103, height: 73 });
        for extents in [&[][..], &[1, 2, 3], &[u32::MAX, 0, 0, 0]] {
            assert_eq!(framed(bounds, extents), bounds);
        }
    }
}
