//! The clipboard between X clients: ours as the owner with a plain client that asks, and as the one who asks.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use surehand_core::Code;
use surehand_core::clipboard::{Clipboard as _, Content, Kind};
use surehand_core::desktop::Environment;
use surehand_linux::clipboard::LinuxClipboard;
use surehand_linux::helper::{Role, Stage, run};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, EventMask, PropMode, Property,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window,
};
use x11rb::wrapper::ConnectionExt as _;

use crate::client::{Client, area};
use crate::desk::{Desk, PATIENCE, RealTime};

fn environment(desk: &Desk) -> Environment {
    Environment(BTreeMap::from([("DISPLAY".to_owned(), desk.display.clone())]))
}

fn ours(desk: &Desk) -> LinuxClipboard {
    LinuxClipboard::new(environment(desk), None)
}

/// The owner, in a thread here instead of a process of its own.
struct Keeper {
    thread: Option<JoinHandle<()>>,
    told: Receiver<Vec<u8>>,
    end: Option<UnixStream>,
}

/// An output that says everything at once.
struct Line(std::sync::mpsc::Sender<Vec<u8>>, Vec<u8>);

impl std::io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.1.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.send(std::mem::take(&mut self.1)).map_err(std::io::Error::other)
    }
}

impl Keeper {
    fn start(desk: &Desk, kind: &str, content: &[u8]) -> Keeper {
        let (environment, order) = (environment(desk), format!("{{\"kind\":\"{kind}\"}}\n"));
        let input = [order.as_bytes(), content].concat();
        let (end, told_end) = UnixStream::pair().expect("a pair");
        let (send, told) = channel();
        let thread = std::thread::spawn(move || {
            let (mut input, mut output) = (input.as_slice(), Line(send, Vec::new()));
            let stage = Stage {
                environment: &environment,
                input: &mut input,
                output: &mut output,
                end: told_end.as_fd(),
                clock: &RealTime,
            };
            run(Role::ClipboardOwner, stage);
        });
        let keeper = Keeper { thread: Some(thread), told, end: Some(end) };
        let answer = keeper.told.recv_timeout(PATIENCE).expect("it answers");
        assert!(String::from_utf8_lossy(&answer).contains("\"failed\":null"), "{}", String::from_utf8_lossy(&answer));
        keeper
    }

    /// Waits until it is over by itself.
    fn ends(mut self) {
        let thread = self.thread.take().expect("a thread");
        let end = Instant::now() + PATIENCE;
        while !thread.is_finished() {
            assert!(Instant::now() < end, "the owner goes on");
            std::thread::yield_now();
        }
        thread.join().expect("no panic");
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

/// A client that asks for what is in the clipboard, and one that has it.
struct Peer {
    client: Client,
    window: Window,
    board: Atom,
    property: Atom,
}

impl Peer {
    fn new(desk: &Desk) -> Peer {
        let client = Client::new(desk);
        let window = client.window(area(0, 0, 10, 10), 0, true);
        client.sync();
        let (board, property) = (client.atom("CLIPBOARD"), client.atom("PEER"));
        Peer { client, window, board, property }
    }

    fn convert(&self, target: &str) -> Option<(Atom, Vec<u8>)> {
        let target = self.client.atom(target);
        self.client.c.convert_selection(self.window, self.board, target, self.property, 0u32).expect("sent");
        let told = self.client.until("it is answered", |event| matches!(event, Event::SelectionNotify(_)));
        let Event::SelectionNotify(told) = told else { unreachable!("it was looked for") };
        (told.property != x11rb::NONE).then(|| self.taken())
    }

    /// What lies in the property, taken away.
    fn taken(&self) -> (Atom, Vec<u8>) {
        let asked = self.client.c.get_property(true, self.window, self.property, AtomEnum::ANY, 0, u32::MAX / 4);
        let reply = asked.expect("sent").reply().expect("there");
        (reply.type_, reply.value)
    }

    fn own(&self) {
        self.client.c.set_selection_owner(self.window, self.board, x11rb::CURRENT_TIME).expect("sent");
        self.client.sync();
    }

    fn next_request(&self) -> SelectionRequestEvent {
        let event = self.client.until("it is asked", |event| matches!(event, Event::SelectionRequest(_)));
        let Event::SelectionRequest(asked) = event else { unreachable!("it was looked for") };
        asked
    }

    fn answer(&self, asked: &SelectionRequestEvent, property: Atom) {
        let event = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property,
        };
        self.client.c.send_event(false, asked.requestor, EventMask::NO_EVENT, event).expect("sent");
        self.client.c.flush().expect("flushed");
    }

    /// Answers with text as the only form, and that to come in pieces.
    fn begin_pieces(&self) -> SelectionRequestEvent {
        let utf8 = self.client.atom("UTF8_STRING");
        let asked = self.next_request();
        self.client
            .c
            .change_property32(PropMode::REPLACE, asked.requestor, asked.property, AtomEnum::ATOM, &[utf8])
            .expect("sent");
        self.answer(&asked, asked.property);
        let asked = self.next_request();
        assert_eq!(asked.target, utf8);
        let aux = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        self.client.c.change_window_attributes(asked.requestor, &aux).expect("sent");
        let incr = self.client.atom("INCR");
        self.client.c.change_property32(PropMode::REPLACE, asked.requestor, asked.property, incr, &[1]).expect("sent");
        self.answer(&asked, asked.property);
        asked
    }

    fn until_taken(&self, asked: &SelectionRequestEvent) {
        self.client.until("the piece is taken", |event| {
            matches!(event, Event::PropertyNotify(told)
                if told.window == asked.requestor && told.atom == asked.property && told.state == Property::DELETE)
        });
    }

    fn piece(&self, asked: &SelectionRequestEvent, bytes: &[u8]) {
        let (requestor, property) = (asked.requestor, asked.property);
        self.client.c.change_property8(PropMode::REPLACE, requestor, property, asked.target, bytes).expect("sent");
        self.client.c.flush().expect("flushed");
    }
}

#[test]
fn an_owner_answers_as_the_rules_say() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let keeper = Keeper::start(&desk, "text", "naïve".as_bytes());
    let peer = Peer::new(&desk);
    let atom = |name: &str| peer.client.atom(name);
    let numbers = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|four| u32::from_ne_bytes(four.try_into().expect("four"))).collect()
    };
    let (kind, targets) = peer.convert("TARGETS").expect("a list");
    assert_eq!(kind, u32::from(AtomEnum::ATOM));
    let targets = numbers(&targets);
    for name in [
        "TARGETS",
        "TIMESTAMP",
        "MULTIPLE",
        "SAVE_TARGETS",
        "UTF8_STRING",
        "STRING",
        "TEXT",
        "text/plain;charset=utf-8",
    ] {
        assert!(targets.contains(&atom(name)), "{name}");
    }
    assert_eq!(peer.convert("UTF8_STRING"), Some((atom("UTF8_STRING"), "naïve".as_bytes().to_vec())));
    assert_eq!(peer.convert("STRING"), Some((u32::from(AtomEnum::STRING), b"na\xefve".to_vec())));
    assert_eq!(peer.convert("TEXT").expect("text").0, atom("UTF8_STRING"));
    assert_eq!(peer.convert("image/png"), None);
    let (kind, time) = peer.convert("TIMESTAMP").expect("a time");
    assert!(kind == u32::from(AtomEnum::INTEGER) && numbers(&time)[0] > 0);
    // Several at once, of which one does not exist.
    let (one, two) = (atom("ONE"), atom("TWO"));
    let pairs = [atom("UTF8_STRING"), one, atom("image/png"), two];
    peer.client
        .c
        .change_property32(PropMode::REPLACE, peer.window, peer.property, atom("ATOM_PAIR"), &pairs)
        .expect("sent");
    let (_, pairs) = peer.convert("MULTIPLE").expect("the list again");
    assert_eq!(numbers(&pairs), [atom("UTF8_STRING"), one, atom("image/png"), x11rb::NONE]);
    let filled = peer.client.c.get_property(true, peer.window, one, AtomEnum::ANY, 0, 100).expect("sent").reply();
    assert_eq!(filled.expect("there").value, "naïve".as_bytes());
    // Somebody else takes the clipboard.
    peer.own();
    keeper.ends();
}

#[test]
fn what_is_promised_is_handed_out_also_when_the_clipboard_is_lost_meanwhile() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let text = "0123456789".repeat(60_000);
    let keeper = Keeper::start(&desk, "text", text.as_bytes());
    let (peer, thief) = (Peer::new(&desk), Peer::new(&desk));
    assert_eq!(peer.convert("UTF8_STRING").expect("text").0, peer.client.atom("INCR"));
    let mut whole = Vec::new();
    let piece = || {
        peer.client.until("a piece is there", |event| {
            matches!(event, Event::PropertyNotify(told)
                if told.window == peer.window && told.atom == peer.property && told.state == Property::NEW_VALUE)
        });
        peer.taken().1
    };
    whole.extend(piece());
    thief.own();
    loop {
        let part = piece();
        if part.is_empty() {
            break;
        }
        whole.extend(part);
    }
    assert!(whole == text.as_bytes(), "{} of {} bytes", whole.len(), text.len());
    keeper.ends();
}

#[test]
fn a_manager_of_clipboards_is_asked_to_keep_it() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let mut keeper = Keeper::start(&desk, "text", b"keep me");
    let manager = Peer::new(&desk);
    let name = manager.client.atom("CLIPBOARD_MANAGER");
    manager.client.c.set_selection_owner(manager.window, name, x11rb::CURRENT_TIME).expect("sent");
    manager.client.sync();
    drop(keeper.end.take());
    let asked = manager.next_request();
    assert_eq!((asked.selection, asked.target), (name, manager.client.atom("SAVE_TARGETS")));
    assert_eq!(manager.convert("UTF8_STRING").expect("text").1, b"keep me", "it still hands it out");
    manager.answer(&asked, x11rb::NONE);
    keeper.ends();
}

#[test]
fn pieces_are_put_together_and_too_many_are_refused() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let peer = Peer::new(&desk);
    peer.own();
    let read = |clipboard: LinuxClipboard| clipboard.read(&desk.call(PATIENCE), &[Kind::Image, Kind::Text]);
    let (text, error) = std::thread::scope(|scope| {
        let reading = scope.spawn(|| read(ours(&desk)));
        let asked = peer.begin_pieces();
        for part in ["zażó", "łć ", &"x".repeat(200_000), ""] {
            peer.until_taken(&asked);
            peer.piece(&asked, part.as_bytes());
        }
        let text = reading.join().expect("no panic").expect("read");
        let reading = scope.spawn(|| read(ours(&desk)));
        let asked = peer.begin_pieces();
        let megabyte = vec![b'x'; 1 << 20];
        for _ in 0..65 {
            peer.until_taken(&asked);
            peer.piece(&asked, &megabyte);
        }
        (text, reading.join().expect("no panic").expect_err("too much"))
    });
    assert!(text == Some(Content::Text(format!("zażółć {}", "x".repeat(200_000)))));
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("too_large")));
}

/// Windows' numbers are used again, and an owner that was busy answers whoever has the number now.
#[test]
fn an_answer_to_somebody_before_is_not_taken_for_ours() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let peer = Peer::new(&desk);
    peer.own();
    let text = std::thread::scope(|scope| {
        let reading = scope.spawn(|| ours(&desk).read(&desk.call(PATIENCE), &[Kind::Text]));
        let asked = peer.next_request();
        // As if it had been asked earlier: nothing is in the property yet.
        peer.answer(&SelectionRequestEvent { time: asked.time - 1, ..asked }, asked.property);
        let utf8 = peer.client.atom("UTF8_STRING");
        let c = &peer.client.c;
        c.change_property32(PropMode::REPLACE, asked.requestor, asked.property, AtomEnum::ATOM, &[utf8]).expect("sent");
        peer.answer(&asked, asked.property);
        let asked = peer.next_request();
        assert_eq!(asked.target, utf8);
        c.change_property8(PropMode::REPLACE, asked.requestor, asked.property, utf8, b"ours").expect("sent");
        peer.answer(&asked, asked.property);
        reading.join().expect("no panic").expect("read")
    });
    assert!(text == Some(Content::Text("ours".to_owned())));
}

#[test]
fn an_owner_that_falls_silent_or_ends_costs_no_more_than_it_may() {
    let desk = Desk::bare(&["-screen", "0", "640x480x24"]);
    let peer = Peer::new(&desk);
    peer.own();
    let begin = Instant::now();
    let span = Duration::from_millis(300);
    let error = ours(&desk).read(&desk.call(span), &[Kind::Text]).expect_err("silent");
    assert_eq!((error.code(), error.kind_of()), (Code::AppUnresponsive, Some("owner_silent")));
    assert!(begin.elapsed() >= span && begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    peer.next_request();
    let begin = Instant::now();
    let error = std::thread::scope(|scope| {
        let reading = scope.spawn(|| ours(&desk).read(&desk.call(PATIENCE), &[Kind::Text]));
        peer.begin_pieces();
        peer.client.c.destroy_window(peer.window).expect("sent");
        peer.client.sync();
        reading.join().expect("no panic").expect_err("gone")
    });
    assert_eq!((error.code(), error.kind_of()), (Code::AppUnresponsive, Some("owner_gone")));
    assert!(begin.elapsed() < PATIENCE / 2, "it was told at once");
    assert!(ours(&desk).read(&desk.call(PATIENCE), &[Kind::Text]).expect("read").is_none(), "nobody has it now");
    desk.cancel.raise();
    assert_eq!(ours(&desk).owner(&desk.call(PATIENCE)).expect_err("cancelled").code(), Code::Timeout);
}
