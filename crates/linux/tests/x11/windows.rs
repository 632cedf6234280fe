//! Listing windows and closing them.

use surehand_core::disposition::Delivery;
use surehand_core::{Code, Result};
use surehand_linux::x11::XWindow;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, MapState, PropMode, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::client::{Client, area};
use crate::desk::Desk;

fn find(windows: &[XWindow], id: Window) -> &XWindow {
    windows.iter().find(|window| window.id == id).expect("the window is listed")
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
