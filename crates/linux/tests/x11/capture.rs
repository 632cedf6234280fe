//! Pictures of the screen and of windows.

use surehand_core::disposition::Delivery;
use surehand_core::geometry::Rect;
use surehand_core::platform::Picture;
use surehand_core::{Code, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask, StackMode};

use crate::client::{Client, area, pattern};
use crate::desk::{Desk, meanwhile};

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
fn capture_covered(desk: &Desk, cover: Rect, at: Rect) -> Result<Picture> {
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
            if let Event::Expose(notice) = event
                && notice.count == 0
            {
                client.paint(window, width, height);
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
    picture
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
        let picture = capture_covered(&desk, cover, at).expect("captured");
        assert_eq!((picture.width, picture.height), (at.width, at.height));
        assert_pattern(&picture);
    }
    let picture = capture_covered(&desk, area(600, 10, 50, 50), area(100, 100, 220, 160));
    assert_pattern(&picture.expect("captured"));
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
