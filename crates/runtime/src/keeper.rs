//! The process that keeps one key or button pressed.
//!
//! It is this program once more, started by a command that is long gone when the time comes to let go. It ends, and
//! lets go, when the client that it holds for ends, when its time is over, when it is asked to over its socket, and
//! when it is told to end by a signal.

use std::io::{BufRead as _, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::{Deserialize, Serialize};
use surehand_core::disposition::Delivery;
use surehand_core::hold::Grip;
use surehand_core::object::Process;
use surehand_core::stroke::{PointerButton, Stroke};
use surehand_core::time::{Call, Cancel};
use surehand_core::{Code, Error, Result};
use surehand_linux::x11::Display;

use crate::clock::SystemClock;

/// The argument that makes this program the keeper. It stands in no help: only surehand itself starts it.
pub const KEEPER: &str = "__keep-held";

/// How long pressing and letting go may take.
const STRIKE: Duration = Duration::from_secs(3);

/// How long a signal may go unnoticed that came between looking and waiting.
const NOTICE: Duration = Duration::from_millis(500);

/// What the keeper is told on its standard input, in one line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) display: String,
    pub(crate) xauthority: Option<PathBuf>,
    pub(crate) grip: Held,
    pub(crate) limit_ms: u64,
    pub(crate) client: Process,
    pub(crate) socket: PathBuf,
}

/// What to hold, in the words of the command line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Held {
    Keys(String),
    Button(PointerButton),
}

impl Held {
    pub(crate) fn of(grip: &Grip) -> Held {
        match grip {
            Grip::Keys(chord) => Held::Keys(chord.to_string()),
            Grip::Button(button) => Held::Button(*button),
        }
    }

    pub(crate) fn grip(&self) -> Result<Grip> {
        Ok(match self {
            Held::Keys(chord) => Grip::Keys(chord.parse()?),
            Held::Button(button) => Grip::Button(*button),
        })
    }
}

/// What the keeper answers, in one line, once it holds or cannot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) code: Option<Code>,
    pub(crate) message: String,
    pub(crate) kind: String,
    pub(crate) delivery: Delivery,
}

/// How long somebody who connected may take to say what for.
const HURRY: Duration = Duration::from_millis(500);

/// What a client says that asks the keeper to let go.
pub(crate) const RELEASE: &[u8] = b"release\n";

/// What the keeper answers to that.
pub(crate) const RELEASED: &[u8] = b"released\n";
const STUCK: &[u8] = b"stuck\n";

/// Runs the keeper with its standard input and output. Returns when everything is let go.
pub fn keep() {
    // It must not end with the terminal or the group of the command that started it.
    let _ = rustix::process::setsid();
    let end = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&end));
    }
    let begun = take_order().and_then(|order| Keeper::begin(&order).map(|keeper| (keeper, order)));
    let answer = match &begun {
        Ok(_) => {
            Answer { code: None, message: String::new(), kind: String::new(), delivery: Delivery::DeliveredVerified }
        }
        Err(error) => Answer {
            code: Some(error.code()),
            message: error.message().to_owned(),
            kind: error.kind_of().unwrap_or_default().to_owned(),
            delivery: error.delivered(),
        },
    };
    let told = serde_json::to_vec(&answer).map_err(std::io::Error::from).and_then(|mut line| {
        line.push(b'\n');
        let mut out = std::io::stdout().lock();
        out.write_all(&line)?;
        out.flush()
    });
    if let Ok((keeper, order)) = begun {
        // Nobody is there any more who would ask for it to be let go.
        if told.is_err() {
            end.store(true, Ordering::Release);
        }
        keeper.stay(&order, &end);
    }
}

fn take_order() -> Result<Order> {
    let bad = |why: String| Error::new(Code::InvalidArgs, "the keeper was not told what to hold").platform(why);
    let mut line = String::new();
    std::io::stdin().lock().take(1 << 16).read_line(&mut line).map_err(|error| bad(error.to_string()))?;
    serde_json::from_str(&line).map_err(|error| bad(error.to_string()))
}

struct Keeper {
    display: Display,
    grip: Grip,
    client: OwnedFd,
    listener: UnixListener,
    until: Instant,
}

impl Keeper {
    fn begin(order: &Order) -> Result<Keeper> {
        let grip = order.grip.grip()?;
        let client = watch(&order.client)?;
        let listener = listen(&order.socket)?;
        let cancel = Cancel::default();
        let call = Call::lasting(&SystemClock, &cancel, STRIKE);
        let pressed = Display::connect(&call, &order.display, order.xauthority.as_deref())
            .and_then(|display| display.strike(&[grip.press()]).map(|()| display));
        match pressed {
            Ok(display) => {
                let until = Instant::now() + Duration::from_millis(order.limit_ms);
                Ok(Keeper { display, grip, client, listener, until })
            }
            Err(error) => {
                let _ = std::fs::remove_file(&order.socket);
                Err(error)
            }
        }
    }

    /// Holds until there is a reason not to, and lets go.
    fn stay(self, order: &Order, end: &AtomicBool) {
        let asked = self.wait(end);
        let released = self.release(order).is_ok();
        // Removed before the answer: whoever has it may hold the same again.
        let _ = std::fs::remove_file(&order.socket);
        if let Some(mut asked) = asked {
            let _ = asked.write_all(if released { RELEASED } else { STUCK });
        }
    }

    /// Waits for a reason to let go; the connection of whoever asked for it.
    fn wait(&self, end: &AtomicBool) -> Option<UnixStream> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() || end.load(Ordering::Acquire) {
                return None;
            }
            let slice = left.min(NOTICE);
            let timeout = Timespec {
                tv_sec: i64::try_from(slice.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(slice.subsec_nanos()),
            };
            let mut waiting = [
                PollFd::new(&self.listener, PollFlags::IN),
                PollFd::new(&self.client, PollFlags::IN),
                // That the server went away is reported in any case.
                PollFd::from_borrowed_fd(self.display.as_fd(), PollFlags::empty()),
            ];
            match poll(&mut waiting, Some(&timeout)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => return None,
            }
            if !waiting[1].revents().is_empty() || !waiting[2].revents().is_empty() {
                return None;
            }
            // Some only look whether there is a keeper.
            if let Ok((stream, _)) = self.listener.accept()
                && line_within(&stream, HURRY).as_deref() == Some(RELEASE)
            {
                // An answer that nobody reads must not keep this process.
                let _ = stream.set_write_timeout(Some(HURRY));
                return Some(stream);
            }
        }
    }

    fn release(&self, order: &Order) -> Result<()> {
        let cancel = Cancel::default();
        let call = Call::lasting(&SystemClock, &cancel, STRIKE);
        let strokes = [self.grip.release()];
        match self.display.limit(&call).and_then(|()| self.display.strike(&strokes)) {
            Ok(()) => Ok(()),
            // The connection may be spent; what is held is not bound to it.
            Err(_) => strike_anew(&order.display, order.xauthority.as_deref(), &strokes),
        }
    }
}

/// Carries out steps over a connection of its own.
pub(crate) fn strike_anew(display: &str, xauthority: Option<&std::path::Path>, strokes: &[Stroke]) -> Result<()> {
    let cancel = Cancel::default();
    let call = Call::lasting(&SystemClock, &cancel, STRIKE);
    Display::connect(&call, display, xauthority)?.strike(strokes)
}

/// A handle that tells when this very process ends.
fn watch(client: &Process) -> Result<OwnedFd> {
    let gone = || Error::new(Code::InvalidArgs, "the process that it would be held for has ended").kind("client_gone");
    let pid = i32::try_from(client.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(|errno| gone().platform(errno.to_string()))?;
    // Looked at after the handle was taken: a later process of the same pid would show.
    if surehand_linux::process_of(client.pid).as_ref() == Some(client) { Ok(handle) } else { Err(gone()) }
}

fn listen(socket: &std::path::Path) -> Result<UnixListener> {
    match UnixStream::connect(socket) {
        Ok(_) => {
            return Err(Error::new(Code::Conflict, "it is held already").kind("held_already"));
        }
        // Left behind by one that was killed; what it held was let go before this one was started.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            let _ = std::fs::remove_file(socket);
        }
        Err(_) => {}
    }
    let failed = |error: std::io::Error| {
        Error::new(Code::Internal, "the keeper cannot be reached by others")
            .kind("keeper_socket")
            .platform(error.to_string())
            .delivery(Delivery::NotDelivered)
    };
    let listener = UnixListener::bind(socket).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

/// Reads a line from somebody who may not answer.
pub(crate) fn line_within(mut from: impl std::io::Read + std::os::fd::AsFd, span: Duration) -> Option<Vec<u8>> {
    let end = Instant::now() + span;
    let mut line = Vec::new();
    let mut part = [0; 512];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match poll(&mut [PollFd::new(&from, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return None,
            Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        match from.read(&mut part) {
            Ok(0) => return (!line.is_empty()).then_some(line),
            Ok(count) => line.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        if line.ends_with(b"\n") || line.len() > 1 << 16 {
            return Some(line);
        }
    }
}
