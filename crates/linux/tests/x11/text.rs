//! Typing text: every character arrives, once and in order, whatever the layout, also at a client that is slow to
//! learn that the layout changed; and the layout is as it was afterwards.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use surehand_core::disposition::Delivery;
use surehand_core::stroke::Stroke;
use surehand_core::{Code, Result};
use surehand_linux::x11::Display;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt as _, EventMask, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Mapping, Window,
};

use crate::client::{Client, area};
use crate::desk::{Desk, NONE_DOWN};

/// A stage with a client that reads keys as toolkits do: by the mapping it fetched when it was last told of a change.
struct Stage {
    desk: Desk,
    client: Client,
    window: Window,
}

/// How the client behaves.
#[derive(Clone, Copy)]
struct Manners {
    pings: bool,
    /// How long it takes over each event.
    pause: Duration,
}

const QUICK: Manners = Manners { pings: true, pause: Duration::ZERO };

impl Stage {
    fn new(layout: &str) -> Stage {
        let desk = Desk::managed();
        let status = Command::new("setxkbmap").args(["-display", &desk.display]).args(layout.split(' ')).status();
        assert!(status.expect("setxkbmap runs").success());
        let client = Client::new(&desk);
        let window = client.window(area(50, 50, 200, 100), 0, false);
        client.show(window);
        client.focus(window);
        Stage { desk, client, window }
    }

    fn mapping(&self) -> (usize, Vec<u32>) {
        let map = self.client.c.get_keyboard_mapping(8, 248).expect("sent").reply().expect("a mapping");
        (usize::from(map.keysyms_per_keycode), map.keysyms)
    }

    /// What the client reads while the text is typed.
    fn typed(&self, display: &Display, text: &str, manners: Manners) -> (Result<()>, String) {
        if manners.pings {
            self.client.protocols(self.window, &["_NET_WM_PING"]);
        }
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| self.read(&over, manners));
            let result = display.strike(&[Stroke::Text(text.to_owned())]);
            over.store(true, Ordering::Release);
            (result, reader.join().expect("the client read"))
        })
    }

    fn read(&self, over: &AtomicBool, manners: Manners) -> String {
        let c = &self.client.c;
        let (mut width, mut symbols) = self.mapping();
        let (protocols, ping) = (self.client.atom("WM_PROTOCOLS"), self.client.atom("_NET_WM_PING"));
        let mut text = String::new();
        loop {
            let ending = over.load(Ordering::Acquire);
            let Some(event) = self.client.within(Duration::from_millis(20), |_| true) else {
                if ending {
                    return text;
                }
                continue;
            };
            // Slow, as an application that is at work.
            std::thread::park_timeout(manners.pause);
            match event {
                Event::MappingNotify(notice) if notice.request == Mapping::KEYBOARD => {
                    (width, symbols) = self.mapping();
                }
                Event::ClientMessage(asked) if asked.type_ == protocols && asked.data.as_data32()[0] == ping => {
                    let root = self.client.root;
                    let answer = ClientMessageEvent { window: root, ..asked };
                    let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
                    c.send_event(false, root, mask, answer).expect("sent");
                }
                Event::KeyPress(press) => {
                    let state = u16::from(press.state);
                    let group = if state & 0x2000 == 0 { 0 } else { 2 };
                    let level = usize::from(state & 1) + if state & 0x80 == 0 { 0 } else { 4 };
                    let row = usize::from(press.detail - 8) * width;
                    let all = &symbols[row..row + width];
                    // A key without that group has the first one only.
                    let symbol = all.get(group + level).copied().filter(|symbol| *symbol != 0).unwrap_or(all[level]);
                    let symbol = xkeysym::Keysym::new(symbol);
                    text.extend(match symbol.raw() {
                        xkeysym::key::Return => Some('\n'),
                        xkeysym::key::Tab => Some('\t'),
                        _ => symbol.key_char(),
                    });
                }
                _ => {}
            }
        }
    }
}

const POLISH: &str = "Zażółć gęślą jaźń € Ω 中文 👍 é";

#[test]
fn every_character_arrives_in_every_layout() {
    for layout in ["us", "de", "fr", "ru", "us,ru"] {
        let stage = Stage::new(layout);
        let display = stage.desk.connect();
        let before = stage.mapping();
        for text in ["Hello, World! 0123456789", "a\tb\nc", "{}[]|\\~`@#'\"<>", POLISH, "Привет ёж", "ÄÖÜß àéîõ"]
        {
            let (result, read) = stage.typed(&display, text, QUICK);
            result.unwrap_or_else(|error| panic!("{layout} {text}: {error} {:?}", error.details()));
            assert_eq!(read, text, "{layout}");
            assert_eq!(stage.client.keys_down(), NONE_DOWN, "{layout}");
        }
        assert_eq!(stage.mapping(), before, "{layout}");
    }
}

#[test]
fn a_client_that_is_slow_to_learn_of_the_layout_loses_nothing() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    let before = stage.mapping();
    let slow = Manners { pings: true, pause: Duration::from_millis(4) };
    for _ in 0..3 {
        let (result, read) = stage.typed(&display, POLISH, slow);
        result.expect("typed");
        assert_eq!(read, POLISH);
    }
    assert_eq!(stage.mapping(), before);
}

#[test]
fn more_characters_than_spare_keys_are_typed_in_pieces() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    let before = stage.mapping();
    let text: String = (0x4e00..0x4e00 + 300u32).filter_map(char::from_u32).collect();
    let (result, read) = stage.typed(&display, &text, QUICK);
    result.expect("typed");
    assert_eq!(read, text);
    assert_eq!(stage.mapping(), before);
}

#[test]
fn a_window_that_takes_no_pings_gets_a_moment() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    let before = stage.mapping();
    let (result, read) = stage.typed(&display, "aéb", Manners { pings: false, ..QUICK });
    result.expect("typed");
    assert_eq!(read, "aéb");
    assert_eq!(stage.mapping(), before);
}

#[test]
fn a_window_that_does_not_read_is_an_error_and_loses_nothing_later() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    let before = stage.mapping();
    stage.client.protocols(stage.window, &["_NET_WM_PING"]);
    let error = display.strike(&[Stroke::Text("aéb".to_owned())]).expect_err("nobody reads");
    assert_eq!((error.code(), error.kind_of()), (Code::AppUnresponsive, Some("keys_not_read")));
    assert_eq!(error.delivered(), Delivery::DeliveryUncertain);
    // It wakes up, and what was typed is still what it reads.
    let over = AtomicBool::new(true);
    assert_eq!(stage.read(&over, QUICK), "aéb");
    // The next one takes the bindings back, also one that needs none.
    let (result, read) = stage.typed(&display, "x", QUICK);
    result.expect("typed");
    assert_eq!(read, "x");
    assert_eq!(stage.mapping(), before);
}

#[test]
fn nothing_is_typed_while_somebody_holds_a_modifier_or_caps_lock_is_on() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    stage.client.fake(KEY_PRESS_EVENT, 50);
    let (result, read) = stage.typed(&display, "abc é", QUICK);
    let error = result.expect_err("shift is held");
    assert_eq!((error.kind_of(), error.delivered()), (Some("keys_held"), Delivery::NotDelivered));
    assert_eq!(read, "");
    stage.client.fake(KEY_RELEASE_EVENT, 50);
    for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
        stage.client.fake(kind, 66);
    }
    for text in ["abc", "é"] {
        let error = stage.typed(&display, text, QUICK).0.expect_err("caps lock");
        assert_eq!((error.kind_of(), error.delivered()), (Some("lock_active"), Delivery::NotDelivered), "{text}");
    }
    let (result, read) = stage.typed(&display, "123 中", QUICK);
    result.expect("caps lock does not matter");
    assert_eq!(read, "123 中");
    let error = stage.typed(&display, "a\u{7}", QUICK).0.expect_err("a bell");
    assert_eq!((error.code(), error.delivered()), (Code::InvalidArgs, Delivery::NotDelivered));
}

#[test]
fn keys_for_a_window_go_to_no_other() {
    let stage = Stage::new("us");
    let display = stage.desk.connect();
    let before = stage.mapping();
    let expected = |window: Window, step: Stroke| display.strike(&[Stroke::Expect(u64::from(window)), step]);
    expected(stage.window, Stroke::Text("a".to_owned())).expect("it has the keyboard");
    assert_eq!(stage.read(&AtomicBool::new(true), QUICK), "a");
    let other = stage.client.window(area(300, 50, 100, 100), 0, false);
    stage.client.show(other);
    for step in [Stroke::Text("aé".to_owned()), Stroke::Chord("a".parse().expect("a chord"))] {
        let error = expected(stage.window, step).expect_err("it has lost it");
        assert_eq!((error.kind_of(), error.delivered()), (Some("not_focused"), Delivery::NotDelivered));
    }
    assert_eq!(stage.mapping(), before);
    assert_eq!(stage.client.keys_down(), NONE_DOWN);
    // Whatever was expected is expected no longer.
    display.strike(&[Stroke::Text("b".to_owned())]).expect("anybody");
    assert_eq!(stage.read(&AtomicBool::new(true), QUICK), "b");
}
