//! A client with windows: what is listed, typed into, covered and closed.

use std::time::{Duration, Instant};

use surehand_core::geometry::Rect;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateGCAux, CreateWindowAux, EventMask, InputFocus,
    PropMode, Rectangle, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::desk::{Desk, PATIENCE};

/// A client with windows.
pub(crate) struct Client {
    pub(crate) c: RustConnection,
    pub(crate) root: Window,
}

impl Client {
    pub(crate) fn new(desk: &Desk) -> Client {
        let (c, screen) = RustConnection::connect(Some(&desk.display)).expect("a client connects");
        let root = c.setup().roots[screen].root;
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        c.change_window_attributes(root, &aux).expect("sent");
        Client { c, root }
    }

    pub(crate) fn atom(&self, name: &str) -> u32 {
        self.c.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    }

    /// Everything sent has been handled.
    pub(crate) fn sync(&self) {
        self.c.get_input_focus().expect("sent").reply().expect("answered");
    }

    /// Waits for an event; the test fails when it does not come.
    pub(crate) fn until(&self, what: &str, wanted: impl FnMut(&Event) -> bool) -> Event {
        self.within(PATIENCE, wanted).unwrap_or_else(|| panic!("waited in vain until {what}"))
    }

    pub(crate) fn within(&self, span: Duration, mut wanted: impl FnMut(&Event) -> bool) -> Option<Event> {
        let end = Instant::now() + span;
        self.c.flush().expect("flushed");
        loop {
            while let Some(event) = self.c.poll_for_event().expect("connected") {
                if wanted(&event) {
                    return Some(event);
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let nanos = left.as_nanos().min(500_000_000) as i64;
            let timeout = rustix::event::Timespec { tv_sec: 0, tv_nsec: nanos };
            let mut fds = [rustix::event::PollFd::new(self.c.stream(), rustix::event::PollFlags::IN)];
            rustix::event::poll(&mut fds, Some(&timeout)).expect("polled");
        }
    }

    /// Shows a window until the window manager takes it. Openbox announces itself with all its properties
    /// before it begins to manage, and what is mapped in between it overlooks; nothing signals when it is done.
    pub(crate) fn wait_until_managed(&self) {
        let end = Instant::now() + PATIENCE;
        let probe = self.window(area(0, 0, 10, 10), 0, false);
        let (list, active) = (self.atom("_NET_CLIENT_LIST"), self.atom("_NET_ACTIVE_WINDOW"));
        let speaks_of = |property| self.numbers(self.root, property).contains(&probe);
        loop {
            self.c.map_window(probe).expect("sent");
            let managed = |_: &Event| speaks_of(list) && speaks_of(active);
            if self.within(Duration::from_millis(300), managed).is_some() {
                break;
            }
            assert!(Instant::now() < end, "the window manager manages nothing");
            self.c.unmap_window(probe).expect("sent");
        }
        self.c.destroy_window(probe).expect("sent");
        while speaks_of(list) {
            self.until(
                "the window manager has forgotten the window",
                |event| matches!(event, Event::PropertyNotify(notice) if notice.window == self.root),
            );
        }
    }

    pub(crate) fn numbers(&self, window: Window, property: u32) -> Vec<u32> {
        let property = self.c.get_property(false, window, property, AtomEnum::ANY, 0, 64).expect("sent");
        property.reply().expect("there").value32().map(Iterator::collect).unwrap_or_default()
    }

    /// A window of one colour that is on the screen and painted.
    pub(crate) fn window(&self, area: Rect, color: u32, override_redirect: bool) -> Window {
        let window = self.c.generate_id().expect("an id");
        let mask = EventMask::EXPOSURE
            | EventMask::STRUCTURE_NOTIFY
            | EventMask::KEY_PRESS
            | EventMask::KEY_RELEASE
            | EventMask::FOCUS_CHANGE
            | EventMask::PROPERTY_CHANGE;
        let aux = CreateWindowAux::new()
            .event_mask(mask)
            .background_pixel(color)
            .override_redirect(u32::from(override_redirect));
        let (x, y) = (area.x as i16, area.y as i16);
        let (width, height) = (area.width as u16, area.height as u16);
        self.c
            .create_window(0, window, self.root, x, y, width, height, 0, WindowClass::INPUT_OUTPUT, 0, &aux)
            .expect("sent")
            .check()
            .expect("created");
        // The position is the person's: openbox puts the window where it says.
        let hints = [1u32, area.x as u32, area.y as u32, area.width, area.height];
        let hints: Vec<u32> = hints.into_iter().chain([0; 13]).collect();
        self.c
            .change_property32(PropMode::REPLACE, window, AtomEnum::WM_NORMAL_HINTS, AtomEnum::WM_SIZE_HINTS, &hints)
            .expect("sent");
        window
    }

    /// Maps a window and waits until it is on the screen and, with a window manager, in its list.
    pub(crate) fn show(&self, window: Window) {
        self.c.map_window(window).expect("sent");
        self.until(
            "the window is exposed",
            |event| matches!(event, Event::Expose(notice) if notice.window == window && notice.count == 0),
        );
        let attributes = self.c.get_window_attributes(window).expect("sent").reply().expect("there");
        let managed = !self.numbers(self.root, self.atom("_NET_SUPPORTING_WM_CHECK")).is_empty();
        if managed && !attributes.override_redirect {
            // The last thing that openbox does with a new window is to raise it and give it the focus.
            let (list, active) = (self.atom("_NET_CLIENT_LIST"), self.atom("_NET_ACTIVE_WINDOW"));
            while !self.numbers(self.root, list).contains(&window) || self.numbers(self.root, active) != [window] {
                self.until(
                    "the window is listed and active",
                    |event| matches!(event, Event::PropertyNotify(notice) if notice.window == self.root),
                );
            }
        }
    }

    pub(crate) fn title(&self, window: Window, bytes: &[u8]) {
        let (name, utf8) = (self.atom("_NET_WM_NAME"), self.atom("UTF8_STRING"));
        // In pieces, since a request has a largest size.
        self.c.delete_property(window, name).expect("sent");
        for piece in bytes.chunks(100_000) {
            self.c.change_property8(PropMode::APPEND, window, name, utf8, piece).expect("sent");
        }
        self.sync();
    }

    pub(crate) fn protocols(&self, window: Window, names: &[&str]) {
        let atoms: Vec<u32> = names.iter().map(|name| self.atom(name)).collect();
        let protocols = self.atom("WM_PROTOCOLS");
        self.c.change_property32(PropMode::REPLACE, window, protocols, AtomEnum::ATOM, &atoms).expect("sent");
        self.sync();
    }

    /// Paints a pattern in which no two pixels near each other are the same.
    pub(crate) fn paint(&self, window: Window, width: u16, height: u16) {
        let gc = self.c.generate_id().expect("an id");
        self.c.create_gc(gc, window, &CreateGCAux::new()).expect("sent");
        for y in 0..height {
            for x in (0..width).step_by(10) {
                let [red, green, blue] = pattern(u32::from(x), u32::from(y));
                let color = u32::from_be_bytes([0, red, green, blue]);
                let aux = x11rb::protocol::xproto::ChangeGCAux::new().foreground(color);
                self.c.change_gc(gc, &aux).expect("sent");
                let rectangle = Rectangle { x: x as i16, y: y as i16, width: 10, height: 1 };
                self.c.poly_fill_rectangle(window, gc, &[rectangle]).expect("sent");
            }
        }
        self.c.free_gc(gc).expect("sent");
        self.sync();
    }

    pub(crate) fn focus(&self, window: Window) {
        self.c.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
        self.sync();
    }

    pub(crate) fn keys_down(&self) -> Vec<u8> {
        let keys = self.c.query_keymap().expect("sent").reply().expect("keys").keys;
        (0..=255u8).filter(|code| keys[usize::from(code / 8)] & 1 << (code % 8) != 0).collect()
    }

    pub(crate) fn fake(&self, kind: u8, code: u8) {
        self.c.xtest_fake_input(kind, code, 0, x11rb::NONE, 0, 0, 0).expect("sent").check().expect("faked");
    }

    /// The next key that is no modifier: what it means at the level that shift chooses, and its state.
    pub(crate) fn next_key(&self) -> (u32, u16) {
        let map = self.c.get_keyboard_mapping(8, 248).expect("sent").reply().expect("a mapping");
        let width = usize::from(map.keysyms_per_keycode);
        let mut found = (0, 0);
        self.until("a key arrives", |event| {
            let Event::KeyPress(press) = event else {
                return false;
            };
            let state = u16::from(press.state);
            let row = usize::from(press.detail - 8) * width;
            let level = usize::from(state & 1) + if state & 0x80 == 0 { 0 } else { 4 };
            found = (map.keysyms[row + level], state);
            !(0xfe00..0xff00).contains(&found.0) && !(0xffe1..=0xffee).contains(&found.0)
        });
        found
    }
}

pub(crate) fn pattern(x: u32, y: u32) -> [u8; 3] {
    let cell = x / 10;
    [(y * 3 + 7) as u8, (cell * 11 + y) as u8, (cell * 5 + 3) as u8]
}

pub(crate) fn area(x: i32, y: i32, width: u32, height: u32) -> Rect {
    Rect { x, y, width, height }
}
