//! The process that keeps one key or button pressed.
//!
//! It is this program once more, started by a command that is long gone when the time comes to let go. It ends, and
//! lets go, when the client that it holds for ends, when its time is over, when it is asked to over its socket, and
//! when it is told to end by a signal.

use std::io::Write as _;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::{Deserialize, Serialize};
use surehand_core::desktop::Environment;
use surehand_core::disposition::Delivery;
use surehand_core::hold::Grip;
use surehand_core::object::Process;
use surehand_core::stroke::{PointerButton, Stroke};
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Error, Result};

use crate::helper::{self, Program, Role, Stage};
use crate::x11::Display;

/// How long pressing and letting go may take.
const STRIKE: Duration = Duration::from_secs(3);

/// How long a keeper may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// What the keeper is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The display to hold it on.
    pub display: String,
    /// The file with the key to the display.
    pub xauthority: Option<PathBuf>,
    /// What to hold.
    pub grip: Held,
    /// After so many milliseconds it is let go in any case.
    pub limit_ms: u64,
    /// It is let go when this process ends.
    pub client: Process,
    /// Where the keeper listens for being asked to let go.
    pub socket: PathBuf,
}

/// What to hold, in the words of the command line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// A chord of keys.
    Keys(String),
    /// A button of the pointer.
    Button(PointerButton),
}

impl Held {
    /// The words for it.
    pub fn of(grip: &Grip) -> Held {
        match grip {
            Grip::Keys(chord) => Held::Keys(chord.to_string()),
            Grip::Button(button) => Held::Button(*button),
        }
    }

    /// What the words mean.
    ///
    /// # Errors
    /// `INVALID_ARGS` when they are no keys.
    pub fn grip(&self) -> Result<Grip> {
        Ok(match self {
            Held::Keys(chord) => Grip::Keys(chord.parse()?),
            Held::Button(button) => Grip::Button(*button),
        })
    }
}

/// How long somebody who connected may take to say what for.
const HURRY: Duration = Duration::from_millis(500);

/// What a client says that asks the keeper to let go.
pub const RELEASE: &[u8] = b"release\n";

/// What the keeper answers to that.
pub const RELEASED: &[u8] = b"released\n";
const STUCK: &[u8] = b"stuck\n";

/// Starts a keeper, and returns once it holds what it was told to.
///
/// # Errors
/// What the keeper says; `INTERNAL` when it cannot be started, `TIMEOUT` with kind `keeper_silent` when it does not answer.
/// It is told to let go then.
pub fn start(program: &Program, call: &Call<'_>, order: &Order) -> Result<()> {
    // What it needs to know of the desktop is in the order.
    let nothing = Environment(std::collections::BTreeMap::new());
    let begun = helper::start(program, Role::InputKeeper, &nothing, &call.at_most(ANSWER), order, &[]);
    begun.map(|_: bool| ()).map_err(|error| match error.kind_of() {
        Some("deadline" | "cancelled") => silent(error.message()),
        _ => error,
    })
}

/// A keeper that was started and said nothing: it may have pressed something or not.
pub(crate) fn silent(why: &str) -> Error {
    Error::new(Code::Timeout, "the process that holds keys and buttons did not answer")
        .kind("keeper_silent")
        .platform(why)
        .delivery(Delivery::DeliveryUncertain)
        .suggest("`release-all` lets go whatever is held")
}

/// Is the keeper until everything is let go.
///
/// # Errors
/// That it could not begin, which it has answered.
pub(crate) fn keep(stage: Stage<'_>) -> Result<()> {
    let Stage { input, output, end, clock, .. } = stage;
    let order: Result<Order> = helper::take_order(input);
    let keeper = order.and_then(|order| Keeper::begin(&order, clock).map(|keeper| (keeper, order)));
    let told = helper::answer(output, keeper.as_ref().map(|_| true));
    let (keeper, order) = keeper?;
    // Where the answer did not arrive nobody is there any more who would ask for it to be let go.
    keeper.stay(&order, told.is_ok().then_some(end));
    Ok(())
}

struct Keeper<'c> {
    clock: &'c dyn Clock,
    display: Display,
    grip: Grip,
    client: OwnedFd,
    listener: UnixListener,
    until: Instant,
}

impl<'c> Keeper<'c> {
    fn begin(order: &Order, clock: &'c dyn Clock) -> Result<Keeper<'c>> {
        let grip = order.grip.grip()?;
        let client = watch(&order.client)?;
        let listener = listen(&order.socket)?;
        let cancel = Cancel::default();
        let call = Call::lasting(clock, &cancel, STRIKE);
        let pressed = Display::connect(&call, &order.display, order.xauthority.as_deref())
            .and_then(|display| display.strike(&[grip.press()]).map(|()| display));
        match pressed {
            Ok(display) => {
                let until = Instant::now() + Duration::from_millis(order.limit_ms);
                Ok(Keeper { clock, display, grip, client, listener, until })
            }
            Err(error) => {
                let _ = std::fs::remove_file(&order.socket);
                Err(error)
            }
        }
    }

    /// Holds until there is a reason not to, and lets go.
    fn stay(self, order: &Order, end: Option<BorrowedFd<'_>>) {
        let asked = end.and_then(|end| self.wait(end));
        let released = self.release(order).is_ok();
        // Removed before the answer: whoever has it may hold the same again.
        let _ = std::fs::remove_file(&order.socket);
        if let Some(mut asked) = asked {
            let _ = asked.write_all(if released { RELEASED } else { STUCK });
        }
    }

    /// Waits for a reason to let go; the connection of whoever asked for it.
    fn wait(&self, end: BorrowedFd<'_>) -> Option<UnixStream> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let timeout = Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            let mut waiting = [
                PollFd::new(&self.listener, PollFlags::IN),
                PollFd::new(&self.client, PollFlags::IN),
                // That the server went away is reported in any case.
                PollFd::from_borrowed_fd(self.display.as_fd(), PollFlags::empty()),
                PollFd::from_borrowed_fd(end, PollFlags::IN),
            ];
            match poll(&mut waiting, Some(&timeout)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => return None,
            }
            if waiting[1..].iter().any(|waited| !waited.revents().is_empty()) {
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
        let call = Call::lasting(self.clock, &cancel, STRIKE);
        let strokes = [self.grip.release()];
        match self.display.limit(&call).and_then(|()| self.display.strike(&strokes)) {
            Ok(()) => Ok(()),
            // The connection may be spent; what is held is not bound to it.
            Err(_) => strike_anew(self.clock, &order.display, order.xauthority.as_deref(), &strokes),
        }
    }
}

/// Carries out steps over a connection of its own.
///
/// # Errors
/// As connecting to the display, and [`Display::strike`].
pub fn strike_anew(clock: &dyn Clock, display: &str, xauthority: Option<&Path>, strokes: &[Stroke]) -> Result<()> {
    let cancel = Cancel::default();
    let call = Call::lasting(clock, &cancel, STRIKE);
    Display::connect(&call, display, xauthority)?.strike(strokes)
}

/// A handle that tells when this very process ends.
fn watch(client: &Process) -> Result<OwnedFd> {
    let gone = || Error::new(Code::InvalidArgs, "the process that it would be held for has ended").kind("client_gone");
    let pid = i32::try_from(client.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(|errno| gone().platform(errno.to_string()))?;
    // Looked at after the handle was taken: a later process of the same pid would show.
    if crate::process::process(client.pid).as_ref() == Some(client) { Ok(handle) } else { Err(gone()) }
}

fn listen(socket: &Path) -> Result<UnixListener> {
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
pub fn line_within(mut from: impl std::io::Read + std::os::fd::AsFd, span: Duration) -> Option<Vec<u8>> {
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
