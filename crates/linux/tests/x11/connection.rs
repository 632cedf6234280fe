//! Connecting, and what becomes of a connection.

use std::time::{Duration, Instant};

use surehand_core::disposition::Delivery;
use surehand_core::{Code, Result};
use surehand_linux::x11::Display;

use crate::client::{Client, area};
use crate::desk::{Desk, NONE_DOWN, PATIENCE, meanwhile};

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
