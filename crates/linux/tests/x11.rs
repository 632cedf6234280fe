//! The X11 side against real servers: every test starts its own Xvfb, most of them with openbox, and is
//! itself the client whose windows are listed, typed into, covered and closed.

#![allow(clippy::expect_used, clippy::panic, reason = "a failed step of a helper fails the test")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use surehand_core::disposition::Delivery;
use surehand_core::geometry::Rect;
use surehand_core::input::Chord;
use surehand_core::platform::Picture;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Result};
use surehand_linux::x11::{Display, XWindow};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, CreateGCAux,
    CreateWindowAux, EventMask, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, ModMask, PropMode, Rectangle,
    StackMode, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Longer than anything here takes; what takes longer is a failure.
const PATIENCE: Duration = Duration::from_secs(10);

const NONE_DOWN: [u8; 0] = [];

struct RealTime;

impl Clock for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn pause(&self, _: Duration, _: &Cancel) {
        unreachable!("an adapter does not pause")
    }
}

/// A process that ends with the test, by its pid.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing can be done about a process that has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A display of one's own. Fields are dropped in order: the window manager first.
struct Desk {
    _manager: Option<Running>,
    /// Kept, so that nobody else gets the ids of its windows while they may still be spoken of.
    _prober: Option<Client>,
    server: Running,
    display: String,
    cancel: Cancel,
}

impl Desk {
    fn bare(arguments: &[&str]) -> Desk {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.0.stdout.take().expect("a pipe");
        // The server writes the number when it is ready, and closes the pipe when it fails.
        BufReader::new(output).read_line(&mut number).expect("the server's display number");
        let display = format!(":{}", number.trim().parse::<u16>().expect("the server came up"));
        Desk { _manager: None, _prober: None, server, display, cancel: Cancel::default() }
    }

    /// With openbox, once it manages windows.
    fn managed() -> Desk {
        let mut desk = Desk::bare(&["-screen", "0", "800x600x24"]);
        let manager = Command::new("openbox")
            .args(["--sm-disable"])
            .env("DISPLAY", &desk.display)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .expect("openbox starts");
        desk._manager = Some(manager);
        let prober = Client::new(&desk);
        prober.wait_until_managed();
        desk._prober = Some(prober);
        desk
    }

    fn call(&self, span: Duration) -> Call<'_> {
        Call::lasting(&RealTime, &self.cancel, span)
    }

    fn connect(&self) -> Display {
        Display::connect(&self.call(PATIENCE), &self.display, None).expect("connected")
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.server.0.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a pid"), signal).expect("signalled");
    }
}

/// A client with windows.
struct Client {
    c: RustConnection,
    root: Window,
}

impl Client {
    fn new(desk: &Desk) -> Client {
        let (c, screen) = RustConnection::connect(Some(&desk.display)).expect("a client connects");
        let root = c.setup().roots[screen].root;
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        c.change_window_attributes(root, &aux).expect("sent");
        Client { c, root }
    }

    fn atom(&self, name: &str) -> u32 {
        self.c.intern_atom(false, name.as_bytes()).expect("sent").reply().expect("an atom").atom
    }

    /// Everything sent has been handled.
    fn sync(&self) {
        self.c.get_input_focus().expect("sent").reply().expect("answered");
    }

    /// Waits for an event; the test fails when it does not come.
    fn until(&self, what: &str, wanted: impl FnMut(&Event) -> bool) -> Event {
        self.within(PATIENCE, wanted).unwrap_or_else(|| panic!("waited in vain until {what}"))
    }

    fn within(&self, span: Duration, mut wanted: impl FnMut(&Event) -> bool) -> Option<Event> {
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
    fn wait_until_managed(&self) {
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

    fn numbers(&self, window: Window, property: u32) -> Vec<u32> {
        let property = self.c.get_property(false, window, property, AtomEnum::ANY, 0, 64).expect("sent");
        property.reply().expect("there").value32().map(Iterator::collect).unwrap_or_default()
    }

    /// A window of one colour that is on the screen and painted.
    fn window(&self, area: Rect, color: u32, override_redirect: bool) -> Window {
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
    fn show(&self, window: Window) {
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

    fn title(&self, window: Window, bytes: &[u8]) {
        let (name, utf8) = (self.atom("_NET_WM_NAME"), self.atom("UTF8_STRING"));
        // In pieces, since a request has a largest size.
        self.c.delete_property(window, name).expect("sent");
        for piece in bytes.chunks(100_000) {
            self.c.change_property8(PropMode::APPEND, window, name, utf8, piece).expect("sent");
        }
        self.sync();
    }

    fn protocols(&self, window: Window, names: &[&str]) {
        let atoms: Vec<u32> = names.iter().map(|name| self.atom(name)).collect();
        let protocols = self.atom("WM_PROTOCOLS");
        self.c.change_property32(PropMode::REPLACE, window, protocols, AtomEnum::ATOM, &atoms).expect("sent");
        self.sync();
    }

    /// Paints a pattern in which no two pixels near each other are the same.
    fn paint(&self, window: Window, width: u16, height: u16) {
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

    fn focus(&self, window: Window) {
        self.c.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
        self.sync();
    }

    fn keys_down(&self) -> Vec<u8> {
        let keys = self.c.query_keymap().expect("sent").reply().expect("keys").keys;
        (0..=255u8).filter(|code| keys[usize::from(code / 8)] & 1 << (code % 8) != 0).collect()
    }

    fn fake(&self, kind: u8, code: u8) {
        self.c.xtest_fake_input(kind, code, 0, x11rb::NONE, 0, 0, 0).expect("sent").check().expect("faked");
    }

    /// The next key that is no modifier: what it means at the level that shift chooses, and its state.
    fn next_key(&self) -> (u32, u16) {
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

fn pattern(x: u32, y: u32) -> [u8; 3] {
    let cell = x / 10;
    [(y * 3 + 7) as u8, (cell * 11 + y) as u8, (cell * 5 + 3) as u8]
}

fn area(x: i32, y: i32, width: u32, height: u32) -> Rect {
    Rect { x, y, width, height }
}

fn chord(text: &str) -> Chord {
    text.parse().expect(text)
}

fn pixel(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    let at = ((y * picture.width + x) * 3) as usize;
    picture.rgb[at..at + 3].try_into().expect("a pixel")
}

fn assert_pattern(picture: &Picture) {
    assert_eq!(picture.rgb.len(), (picture.width * picture.height * 3) as usize);
    for y in 0..picture.height {
        for x in 0..picture.width {
            assert_eq!(pixel(picture, x, y), pattern(x, y), "at {x},{y}");
        }
    }
}

fn find(windows: &[XWindow], id: Window) -> &XWindow {
    windows.iter().find(|window| window.id == id).expect("the window is listed")
}

/// Does something else meanwhile: the calls are synchronous, and the client has to answer in between.
fn meanwhile<T: Send>(call: impl FnOnce() -> T + Send, other: impl FnOnce()) -> T {
    std::thread::scope(|scope| {
        let running = scope.spawn(call);
        other();
        running.join().expect("the call returned")
    })
}

#[test]
fn keys_arrive_as_meant_and_none_stays_down() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(50, 50, 200, 100), 0, false);
    client.show(window);
    client.focus(window);
    let display = desk.connect();
    let keysym = |c: char| xkeysym::Keysym::from_char(c).raw();
    for (keys, symbol, state) in [
        ("s", keysym('s'), 0),
        ("S", keysym('S'), 1),
        ("?", keysym('?'), 1),
        ("ctrl+s", keysym('s'), 4),
        ("ctrl+S", keysym('s'), 4),
        ("ctrl+shift+s", keysym('S'), 5),
        ("alt+x", keysym('x'), 8),
        ("ctrl+alt+shift+q", keysym('Q'), 13),
        ("return", xkeysym::key::Return, 0),
        ("shift+tab", xkeysym::key::ISO_Left_Tab, 1),
        ("del", xkeysym::key::Delete, 0),
        ("f5", xkeysym::key::F5, 0),
        ("plus", keysym('+'), 1),
    ] {
        display.press(&chord(keys)).expect(keys);
        assert_eq!(client.keys_down(), NONE_DOWN, "{keys}");
        assert_eq!(client_key(&client, keys, symbol), (symbol, state), "{keys}");
    }
    let error = display.press(&chord("é")).expect_err("not on this keyboard");
    assert_eq!((error.code(), error.delivered()), (Code::InvalidArgs, Delivery::NotDelivered));
    assert!(error.message().contains("\"é\""), "{error}");
    assert_eq!(client.keys_down(), NONE_DOWN);
}

/// Left tab lies in the range that is skipped for modifiers; it is looked for by itself.
fn client_key(client: &Client, keys: &str, symbol: u32) -> (u32, u16) {
    if symbol != xkeysym::key::ISO_Left_Tab {
        return client.next_key();
    }
    let mut state = 0;
    client.until(keys, |event| match event {
        Event::KeyPress(press) if press.detail == 23 => {
            state = u16::from(press.state);
            true
        }
        _ => false,
    });
    (symbol, state)
}

#[test]
fn the_layout_that_is_active_is_used() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(50, 50, 200, 100), 0, false);
    client.show(window);
    client.focus(window);
    let layout = |arguments: &[&str]| {
        let status = Command::new("setxkbmap").args(["-display", &desk.display]).args(arguments).status();
        assert!(status.expect("setxkbmap runs").success());
    };
    let display = desk.connect();
    let keysym = |c: char| xkeysym::Keysym::from_char(c).raw();
    layout(&["de"]);
    for (keys, symbol, state) in
        [("@", keysym('@'), 0x80), ("?", keysym('?'), 1), ("ü", keysym('ü'), 0), ("z", keysym('z'), 0)]
    {
        display.press(&chord(keys)).expect(keys);
        assert_eq!(client.next_key(), (symbol, state), "{keys}");
        assert_eq!(client.keys_down(), NONE_DOWN, "{keys}");
    }
    // With two layouts the one that is switched to decides.
    layout(&["us,ru"]);
    display.press(&chord("s")).expect("s");
    assert_eq!(client.next_key(), (keysym('s'), 0));
    client.c.xkb_use_extension(1, 0).expect("sent").reply().expect("XKB");
    client
        .c
        .xkb_latch_lock_state(
            0x100,
            ModMask::from(0u16),
            ModMask::from(0u16),
            true,
            1u8.into(),
            ModMask::from(0u16),
            false,
            0,
        )
        .expect("sent")
        .check()
        .expect("switched");
    assert_eq!(display.press(&chord("s")).expect_err("Russian").code(), Code::InvalidArgs);
    display.press(&chord("ы")).expect("ы");
    client.until("the key of s arrives", |event| matches!(event, Event::KeyPress(press) if press.detail == 39));
    assert_eq!(client.keys_down(), NONE_DOWN);
}

#[test]
fn nothing_is_pressed_while_a_person_holds_a_key_or_a_lock_is_on() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(50, 50, 200, 100), 0, false);
    client.show(window);
    client.focus(window);
    let display = desk.connect();
    for held in [37, 50, 64] {
        client.fake(KEY_PRESS_EVENT, held);
        let error = display.press(&chord("s")).expect_err("held");
        assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("keys_held")));
        assert_eq!(error.delivered(), Delivery::NotDelivered);
        assert_eq!(client.keys_down(), [held], "what is held stays held");
        client.fake(KEY_RELEASE_EVENT, held);
    }
    // Caps lock.
    client.fake(KEY_PRESS_EVENT, 66);
    client.fake(KEY_RELEASE_EVENT, 66);
    let error = display.press(&chord("s")).expect_err("caps lock");
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("lock_active")));
    display.press(&chord("1")).expect("caps lock does not matter");
    assert_eq!(client.next_key().0, u32::from(b'1'));
    client.fake(KEY_PRESS_EVENT, 66);
    client.fake(KEY_RELEASE_EVENT, 66);
    display.press(&chord("s")).expect("off again");
    assert_eq!(client.next_key(), (u32::from(b's'), 0));
}

#[test]
fn windows_are_listed_as_they_are() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let plain = client.window(area(100, 120, 200, 100), 0, false);
    client.title(plain, "Plain — Ü".as_bytes());
    // What a window says about its process is not believed where the server knows.
    let pid = client.atom("_NET_WM_PID");
    client.c.change_property32(PropMode::REPLACE, plain, pid, AtomEnum::CARDINAL, &[1]).expect("sent");
    client
        .c
        .change_property8(PropMode::REPLACE, plain, AtomEnum::WM_CLASS, AtomEnum::STRING, b"inst\0Class\0")
        .expect("sent");
    client.show(plain);
    let hostile = client.window(area(400, 120, 150, 100), 0, false);
    client.show(hostile);
    let display = desk.connect();
    let windows = display.windows().expect("listed");
    assert_eq!(windows.len(), 2, "{windows:?}");
    let seen = find(&windows, plain);
    assert_eq!(seen.title, "Plain — Ü");
    assert_eq!(seen.class, "Class");
    assert_eq!(seen.pid, Some(std::process::id()));
    let origin = client.c.translate_coordinates(plain, client.root, 0, 0).expect("sent").reply().expect("there");
    assert_eq!(seen.bounds, area(origin.dst_x.into(), origin.dst_y.into(), 200, 100));
    assert!(seen.frame.y < seen.bounds.y && seen.frame.height > seen.bounds.height, "{seen:?}");
    assert!(seen.visible && !seen.minimized);

    for (bytes, wanted) in [
        (vec![0xff, 0xfe, b'x'], "\u{fffd}\u{fffd}x".to_owned()),
        (b"\x1b[2J\n@a1:e5 button \"OK\"".to_vec(), "\u{1b}[2J\n@a1:e5 button \"OK\"".to_owned()),
        ("\u{202e}gnp.exe".as_bytes().to_vec(), "\u{202e}gnp.exe".to_owned()),
        ("ü".repeat(1 << 20).into_bytes(), "ü".repeat(1 << 15)),
    ] {
        client.title(hostile, &bytes);
        let windows = display.windows().expect("listed");
        assert_eq!(find(&windows, hostile).title, wanted);
    }

    let state = client.atom("WM_CHANGE_STATE");
    let iconify = ClientMessageEvent::new(32, plain, state, [3, 0, 0, 0, 0]);
    let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
    client.c.send_event(false, client.root, mask, iconify).expect("sent");
    let (states, hidden) = (client.atom("_NET_WM_STATE"), client.atom("_NET_WM_STATE_HIDDEN"));
    client.until("it is minimised", |_| {
        let attributes = client.c.get_window_attributes(plain).expect("sent").reply().expect("there");
        attributes.map_state != MapState::VIEWABLE && client.numbers(plain, states).contains(&hidden)
    });
    let windows = display.windows().expect("listed");
    assert!(find(&windows, plain).minimized && !find(&windows, plain).visible);
    let error = display.capture_window(plain).map(drop).expect_err("minimised");
    assert_eq!((error.code(), error.kind_of()), (Code::ActionNotSupported, Some("minimized")));
}

#[test]
fn windows_that_come_and_go_are_no_error() {
    let desk = Desk::managed();
    let display = desk.connect();
    let client = Client::new(&desk);
    let stays = client.window(area(10, 10, 50, 50), 0, false);
    client.show(stays);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let churn = Client::new(&desk);
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let windows: Vec<_> = (0..8).map(|i| churn.window(area(i * 20, 40, 30, 30), 0, false)).collect();
                for &window in &windows {
                    churn.c.map_window(window).expect("sent");
                }
                churn.sync();
                for &window in &windows {
                    churn.c.destroy_window(window).expect("sent");
                }
                churn.sync();
            }
        });
        let outcome: Result<()> = (0..300).try_for_each(|_| {
            assert!(display.windows()?.iter().any(|window| window.id == stays));
            display.attention().map(drop)
        });
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        outcome.expect("listing goes on");
    });
}

#[test]
fn attention_is_where_the_keys_go() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let display = desk.connect();
    let nothing = display.attention().expect("asked");
    assert_eq!((nothing.active, nothing.keyboard), (None, None), "openbox keeps the focus on a window of its own");
    for x in [50, 300] {
        let window = client.window(area(x, 50, 100, 100), 0, false);
        client.show(window);
        let attention = display.attention().expect("asked");
        let wanted = Some(u64::from(window));
        assert_eq!((attention.active, attention.keyboard), (wanted, wanted));
    }
}

#[test]
fn attention_without_a_window_manager() {
    let desk = Desk::bare(&["-screen", "0", "800x600x24"]);
    let client = Client::new(&desk);
    let display = desk.connect();
    let first = client.window(area(50, 50, 100, 100), 0, false);
    client.show(first);
    let second = client.window(area(300, 50, 100, 100), 0, false);
    client.show(second);
    // Toolkits give the focus to a small window inside.
    let inner = client.c.generate_id().expect("an id");
    let aux = CreateWindowAux::new();
    client.c.create_window(0, inner, second, 0, 0, 1, 1, 0, WindowClass::INPUT_OUTPUT, 0, &aux).expect("sent");
    client.c.map_window(inner).expect("sent");
    client.c.warp_pointer(x11rb::NONE, client.root, 0, 0, 0, 0, 123, 234).expect("sent");
    client.focus(inner);
    let attention = display.attention().expect("asked");
    assert_eq!((attention.active, attention.keyboard), (None, Some(u64::from(second))));
    assert_eq!(attention.pointer, Some(surehand_core::geometry::Point { x: 123, y: 234 }));
    client.c.set_input_focus(InputFocus::NONE, InputFocus::POINTER_ROOT, x11rb::CURRENT_TIME).expect("sent");
    client.c.warp_pointer(x11rb::NONE, first, 0, 0, 0, 0, 5, 5).expect("sent");
    client.sync();
    assert_eq!(display.attention().expect("asked").keyboard, Some(u64::from(first)));
    client.c.set_input_focus(InputFocus::NONE, x11rb::NONE, x11rb::CURRENT_TIME).expect("sent");
    client.sync();
    assert_eq!(display.attention().expect("asked").keyboard, None);
}

#[test]
fn without_a_window_manager_windows_are_still_found() {
    let desk = Desk::bare(&["-screen", "0", "800x600x24"]);
    let client = Client::new(&desk);
    let window = client.window(area(30, 40, 100, 100), 0, false);
    client.show(window);
    let popup = client.window(area(300, 40, 100, 100), 0, true);
    client.show(popup);
    let display = desk.connect();
    let windows = display.windows().expect("listed");
    assert_eq!(windows.iter().map(|window| window.id).collect::<Vec<_>>(), [window]);
    assert_eq!((windows[0].bounds, windows[0].frame), (area(30, 40, 100, 100), area(30, 40, 100, 100)));
    client.protocols(window, &["WM_DELETE_WINDOW"]);
    display.close(window).expect("asked");
    let delete = client.atom("WM_DELETE_WINDOW");
    client.until(
        "it is asked to close",
        |event| matches!(event, Event::ClientMessage(message) if message.data.as_data32()[0] == delete),
    );
}

#[test]
fn the_screen_is_captured_pixel_by_pixel_in_every_depth() {
    for depth in ["24", "16", "30"] {
        let screen = format!("640x480x{depth}");
        let desk = Desk::bare(&["-screen", "0", &screen]);
        let client = Client::new(&desk);
        let white = client.c.setup().roots[0].white_pixel;
        let window = client.window(area(100, 50, 60, 40), white, true);
        client.show(window);
        let picture = desk.connect().capture_screen().expect(depth);
        assert_eq!((picture.width, picture.height, picture.bounds), (640, 480, area(0, 0, 640, 480)));
        for y in 0..480 {
            for x in 0..640 {
                let inside = (100..160).contains(&x) && (50..90).contains(&y);
                assert_eq!(pixel(&picture, x, y), [if inside { 255 } else { 0 }; 3], "{depth}: {x},{y}");
            }
        }
    }
}

/// A painted window that is covered as told and that paints again when asked to.
fn capture_covered(desk: &Desk, cover: Rect, at: Rect) -> (Result<Picture>, usize) {
    let client = Client::new(desk);
    let window = client.window(at, 0x00ff_0000, false);
    client.show(window);
    let (width, height) = (at.width as u16, at.height as u16);
    client.paint(window, width, height);
    let other = Client::new(desk);
    let above = other.window(cover, 0x0000_ff00, true);
    other.show(above);
    other.c.configure_window(above, &ConfigureWindowAux::new().stack_mode(StackMode::ABOVE)).expect("sent");
    other.sync();
    let display = desk.connect();
    let before = display.attention().expect("asked");
    // What comes of being mapped is over; what is painted from here on the capture asked for.
    client.sync();
    while client.c.poll_for_event().expect("connected").is_some() {}
    let mut exposed = 0;
    let done = std::sync::atomic::AtomicBool::new(false);
    let picture = std::thread::scope(|scope| {
        let capture = scope.spawn(|| {
            let picture = display.capture_window(window);
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            // Wakes the client, which waits for its events.
            other.c.map_window(above).expect("sent");
            let note = ClientMessageEvent::new(32, window, 1u32, [0; 5]);
            other.c.send_event(false, window, EventMask::NO_EVENT, note).expect("sent");
            other.sync();
            picture
        });
        client.until("the capture is done", |event| {
            if let Event::Expose(notice) = event {
                exposed += 1;
                if notice.count == 0 {
                    client.paint(window, width, height);
                }
            }
            done.load(std::sync::atomic::Ordering::Relaxed)
        });
        capture.join().expect("no panic")
    });
    assert_eq!(display.attention().expect("asked"), before, "nothing is disturbed");
    // On the screen the cover is still what is seen, and the window is what it was.
    let screen = display.capture_screen().expect("the screen");
    if let Some((x, y)) = u32::try_from(cover.x.max(0)).ok().zip(u32::try_from(cover.y.max(0)).ok()) {
        assert_eq!(pixel(&screen, x, y), [0, 255, 0]);
    }
    (picture, exposed)
}

#[test]
fn a_covered_window_is_captured_pixel_by_pixel() {
    let desk = Desk::managed();
    for (cover, at) in [
        // Partly, wholly, beyond the edge of the screen, and not at all.
        (area(150, 150, 100, 60), area(100, 100, 220, 160)),
        (area(0, 0, 800, 600), area(100, 100, 220, 160)),
        (area(500, 400, 300, 200), area(700, 500, 220, 160)),
    ] {
        let (picture, exposed) = capture_covered(&desk, cover, at);
        let picture = picture.expect("captured");
        assert_eq!((picture.width, picture.height), (at.width, at.height));
        assert!(exposed > 0, "the window was covered, so it had to paint");
        assert_pattern(&picture);
    }
    let (picture, exposed) = capture_covered(&desk, area(600, 10, 50, 50), area(100, 100, 220, 160));
    assert_pattern(&picture.expect("captured"));
    assert_eq!(exposed, 0, "a window that is seen whole is left in peace");
}

#[test]
fn a_covered_window_that_does_not_paint_is_no_picture() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(100, 100, 200, 100), 0x00ff_0000, false);
    client.show(window);
    let above = client.window(area(0, 0, 800, 600), 0x0000_ff00, true);
    client.show(above);
    let display = desk.connect();
    let error = display.capture_window(window).map(drop).expect_err("nobody paints");
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("not_repainted")));
    assert_eq!(error.delivered(), Delivery::NotDelivered);
    // Uncovered it is what the server filled in.
    client.c.unmap_window(above).expect("sent");
    client.sync();
    let picture = display.capture_window(window).expect("captured");
    assert!(picture.rgb.chunks(3).all(|pixel| pixel == [255, 0, 0]));
}

#[test]
fn a_window_that_resizes_meanwhile_is_no_picture() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(100, 100, 200, 100), 0x00ff_0000, false);
    client.show(window);
    let above = client.window(area(0, 0, 800, 600), 0x0000_ff00, true);
    client.show(above);
    let display = desk.connect();
    let outcome = meanwhile(
        || display.capture_window(window),
        || {
            client.until(
                "it is asked to paint",
                |event| matches!(event, Event::Expose(notice) if notice.window == window),
            );
            client.c.configure_window(window, &ConfigureWindowAux::new().width(250)).expect("sent");
            client.until("it is resized", |event| {
                matches!(event, Event::ConfigureNotify(notice) if notice.window == window && notice.width == 250)
            });
            client.paint(window, 250, 100);
        },
    );
    let error = outcome.map(drop).expect_err("resized");
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("changed")));
}

#[test]
fn closing_asks_and_never_kills() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let polite = client.window(area(50, 50, 100, 100), 0, false);
    client.protocols(polite, &["WM_DELETE_WINDOW"]);
    client.show(polite);
    let deaf = client.window(area(300, 50, 100, 100), 0, false);
    client.show(deaf);
    let display = desk.connect();
    display.close(polite).expect("asked");
    let delete = client.atom("WM_DELETE_WINDOW");
    client.until("it is asked to close", |event| {
        matches!(event, Event::ClientMessage(message)
            if message.window == polite && message.data.as_data32()[0] == delete)
    });
    let error = display.close(deaf).expect_err("it takes no such request");
    assert_eq!((error.code(), error.delivered()), (Code::ActionNotSupported, Delivery::NotDelivered));
    client.c.destroy_window(polite).expect("sent");
    client.sync();
    for error in [display.close(polite).expect_err("gone"), display.capture_window(polite).map(drop).expect_err("gone")]
    {
        assert_eq!((error.code(), error.delivered()), (Code::WindowNotFound, Delivery::NotDelivered));
    }
    assert_eq!(display.windows().expect("listed").len(), 1, "the display can still be used");
}

#[test]
fn a_stopped_server_costs_no_more_than_the_deadline() {
    let desk = Desk::managed();
    let client = Client::new(&desk);
    let window = client.window(area(50, 50, 100, 100), 0, false);
    client.show(window);
    client.focus(window);
    let display = desk.connect();
    display.windows().expect("running");
    desk.signal(rustix::process::Signal::STOP);
    let span = Duration::from_millis(200);
    let timed = |what: &str, run: &dyn Fn() -> Result<()>| {
        let begin = Instant::now();
        let error = run().expect_err(what);
        let took = begin.elapsed();
        assert_eq!((error.code(), error.kind_of()), (Code::Timeout, Some("deadline")), "{what}: {error}");
        assert!(took >= Duration::from_millis(150) && took < Duration::from_secs(2), "{what} took {took:?}");
    };
    timed("connecting", &|| Display::connect(&desk.call(span), &desk.display, None).map(drop));
    timed("listing", &|| {
        display.limit(&desk.call(span))?;
        display.windows().map(drop)
    });
    assert!(display.is_spent());
    assert_eq!(display.limit(&desk.call(span)).expect_err("spent").code(), Code::Timeout);
    // A full queue of connections that nobody accepts must not hang us either.
    let mut waiting = Vec::new();
    loop {
        match Display::connect(&desk.call(Duration::from_millis(5)), &desk.display, None) {
            Err(error) if error.code() == Code::Timeout => {}
            other => panic!("{other:?}"),
        }
        waiting.push(std::os::unix::net::UnixStream::pair().expect("a pair"));
        if waiting.len() == 300 {
            break;
        }
    }
    let cancel = desk.cancel.clone();
    let begin = Instant::now();
    let error = meanwhile(
        || Display::connect(&desk.call(PATIENCE), &desk.display, None).map(drop).expect_err("cancelled"),
        || cancel.raise(),
    );
    assert_eq!((error.code(), error.kind_of()), (Code::Timeout, Some("cancelled")));
    assert!(begin.elapsed() < Duration::from_secs(2));
    desk.signal(rustix::process::Signal::CONT);
    client.sync();
    assert_eq!(client.keys_down(), NONE_DOWN);
}

#[test]
fn a_server_that_ends_is_said_to_be_lost() {
    let mut desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let display = desk.connect();
    desk.server.0.kill().expect("killed");
    desk.server.0.wait().expect("ended");
    let error = display.windows().expect_err("gone");
    assert_eq!((error.code(), error.kind_of()), (Code::PlatformNotSupported, Some("display_lost")));
    let error = Display::connect(&desk.call(PATIENCE), &desk.display, None).expect_err("gone");
    assert_eq!((error.code(), error.kind_of()), (Code::PlatformNotSupported, Some("display_missing")));
}

#[test]
fn the_cookie_opens_the_display() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, data: &[u8]| {
        let mut file = 65_535u16.to_be_bytes().to_vec();
        for part in [b"" as &[u8], b"", b"MIT-MAGIC-COOKIE-1", data] {
            file.extend_from_slice(&(part.len() as u16).to_be_bytes());
            file.extend_from_slice(part);
        }
        let path = folder.path().join(name);
        std::fs::write(&path, file).expect("written");
        path
    };
    let right = write("right", b"0123456789abcdef");
    let wrong = write("wrong", b"fedcba9876543210");
    let desk = Desk::bare(&["-auth", right.to_str().expect("a path")]);
    let connect = |path| Display::connect(&desk.call(PATIENCE), &desk.display, path);
    connect(Some(right.as_path())).expect("the right cookie");
    for path in [None, Some(wrong.as_path()), Some(folder.path())] {
        let error = connect(path).expect_err("not the right cookie");
        assert_eq!((error.code(), error.delivered()), (Code::PermDenied, Delivery::NotDelivered));
    }
}
