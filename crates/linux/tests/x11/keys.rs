//! Keys.

use std::process::Command;

use surehand_core::Code;
use surehand_core::disposition::Delivery;
use surehand_core::input::Chord;
use surehand_core::stroke::Stroke;
use surehand_linux::x11::Display;
use x11rb::protocol::Event;
use x11rb::protocol::xkb::ConnectionExt as _;
use x11rb::protocol::xproto::{KEY_PRESS_EVENT, KEY_RELEASE_EVENT, ModMask};

use crate::client::{Client, area};
use crate::desk::{Desk, NONE_DOWN};

fn press(display: &Display, chord: &Chord) -> surehand_core::Result<()> {
    display.strike(&[Stroke::Chord(chord.clone())])
}

fn chord(text: &str) -> Chord {
    text.parse().expect(text)
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
        press(&display, &chord(keys)).expect(keys);
        assert_eq!(client.keys_down(), NONE_DOWN, "{keys}");
        assert_eq!(client_key(&client, keys, symbol), (symbol, state), "{keys}");
    }
    let error = press(&display, &chord("é")).expect_err("not on this keyboard");
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
        press(&display, &chord(keys)).expect(keys);
        assert_eq!(client.next_key(), (symbol, state), "{keys}");
        assert_eq!(client.keys_down(), NONE_DOWN, "{keys}");
    }
    // With two layouts the one that is switched to decides.
    layout(&["us,ru"]);
    press(&display, &chord("s")).expect("s");
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
    assert_eq!(press(&display, &chord("s")).expect_err("Russian").code(), Code::InvalidArgs);
    press(&display, &chord("ы")).expect("ы");
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
        let error = press(&display, &chord("s")).expect_err("held");
        assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("keys_held")));
        assert_eq!(error.delivered(), Delivery::NotDelivered);
        assert_eq!(client.keys_down(), [held], "what is held stays held");
        client.fake(KEY_RELEASE_EVENT, held);
    }
    // Caps lock.
    client.fake(KEY_PRESS_EVENT, 66);
    client.fake(KEY_RELEASE_EVENT, 66);
    let error = press(&display, &chord("s")).expect_err("caps lock");
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("lock_active")));
    press(&display, &chord("1")).expect("caps lock does not matter");
    assert_eq!(client.next_key().0, u32::from(b'1'));
    client.fake(KEY_PRESS_EVENT, 66);
    client.fake(KEY_RELEASE_EVENT, 66);
    press(&display, &chord("s")).expect("off again");
    assert_eq!(client.next_key(), (u32::from(b's'), 0));
}
