//! The connection: opening it, its atoms, and what its faults mean.

use std::fmt;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};
use x11rb::connection::RequestConnection as _;
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xproto::{GetPropertyReply, Screen, Window};
use x11rb::protocol::{ErrorKind, composite, damage, randr, res, shape, xkb, xtest};
use x11rb::rust_connection::{DefaultStream, RustConnection};
use x11rb::x11_utils::X11Error;

use super::auth;
use super::stream::{Bounded, Ended, end_of};

x11rb::atom_manager! {
    /// The names that windows and window managers exchange.
    pub(super) Atoms: AtomsCookie {
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLOSE_WINDOW,
        _NET_FRAME_EXTENTS,
        _NET_MOVERESIZE_WINDOW,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        _NET_WM_STATE,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _SUREHAND_BOUND_KEYS,
        UTF8_STRING,
        WM_CHANGE_STATE,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_STATE,
    }
}

/// No tree of windows is nested deeper than this.
pub(super) const DEEPEST: usize = 64;

/// One connection to an X server of this machine.
pub struct Display {
    pub(super) connection: RustConnection<Bounded>,
    pub(super) atoms: Atoms,
    /// The name of this machine, which clients write into their properties.
    pub(super) host: Vec<u8>,
    /// The window that has to have the keyboard when keys are sent; 0 where it may be any.
    pub(super) expected: AtomicU32,
    screen: usize,
    number: u16,
}

impl fmt::Debug for Display {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Display").field("number", &self.number).field("screen", &self.screen).finish_non_exhaustive()
    }
}

impl Display {
    /// Connects to the display of this name, for example `:1`, with the cookie that the file holds for it.
    /// Everything until the next [`Display::limit`] is bounded by `call`.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when there is no such display on this machine, `PERM_DENIED` when it does not
    /// let us in, `TIMEOUT` when it does not answer.
    pub fn connect(call: &Call<'_>, display: &str, xauthority: Option<&Path>) -> Result<Display> {
        call.go_on()?;
        let (number, screen) = parse(display).ok_or_else(|| {
            Error::new(
                Code::PlatformNotSupported,
                format!("{} is not a display of this machine", surehand_core::text::quote(display)),
            )
            .kind("display_name")
            .suggest("a display is named like `:0` or `:1.0`")
        })?;
        let host = host_name();
        let cookie = xauthority.and_then(|path| read_cookie(path, &host, number));
        let had_cookie = cookie.is_some();
        let (name, data) = cookie.unwrap_or_default();
        let socket = open(call, number)?;
        let (stream, _) = DefaultStream::from_unix_stream(UnixStream::from(socket)).map_err(|e| lost(&e))?;
        let stream = Bounded::new(stream, call);
        let connection = RustConnection::connect_to_stream_with_auth_info(stream, screen, name, data)
            .map_err(|fault| refused(call, &fault, had_cookie))?;
        let atoms = prepare(&connection).map_err(|fault| meaning(&connection, fault))?;
        Ok(Display { connection, atoms, host, expected: AtomicU32::new(0), screen, number })
    }

    /// Bounds what follows by this call. One call at a time: the limit belongs to the connection.
    ///
    /// # Errors
    /// `TIMEOUT` when an earlier call ended in the middle of a request: the display is spent then and has to
    /// be connected anew.
    pub fn limit(&self, call: &Call<'_>) -> Result<()> {
        self.connection.stream().set(call);
        match self.connection.stream().spent() {
            Some(_) => Err(self.fault(ConnectionError::UnknownError)),
            None => call.go_on(),
        }
    }

    /// Whether a call ended in the middle of a request, so that nothing more can be sent.
    pub fn is_spent(&self) -> bool {
        self.connection.stream().spent().is_some()
    }

    pub(super) fn screen(&self) -> &Screen {
        // The connection was only made because the server has a screen of this number.
        &x11rb::connection::Connection::setup(&self.connection).roots[self.screen]
    }

    pub(super) fn screen_number(&self) -> usize {
        self.screen
    }

    pub(super) fn root(&self) -> Window {
        self.screen().root
    }

    /// Whether the server has the extension.
    pub(super) fn has(&self, extension: &'static str) -> Result<bool> {
        let found = self.connection.extension_information(extension).map_err(|fault| self.fault(fault))?;
        Ok(found.is_some())
    }

    /// What a fault of the connection or an error of the server means to a caller. Nothing was delivered by
    /// requests that only read; callers that changed something say so themselves.
    pub(super) fn fault(&self, fault: impl Into<ReplyOrIdError>) -> Error {
        meaning(&self.connection, fault.into())
    }

    /// An answer about a window, or none where the window is gone: that is no fault of a listing.
    pub(super) fn if_there<T>(&self, answer: Result<T, ReplyError>) -> Result<Option<T>> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(ReplyError::X11Error(error)) if is_gone(&error) => Ok(None),
            Err(fault) => Err(self.fault(fault)),
        }
    }
}

/// Asks for everything that every call needs, in one go.
fn prepare(connection: &RustConnection<Bounded>) -> Result<Atoms, ReplyOrIdError> {
    let extensions = [
        xtest::X11_EXTENSION_NAME,
        xkb::X11_EXTENSION_NAME,
        res::X11_EXTENSION_NAME,
        composite::X11_EXTENSION_NAME,
        damage::X11_EXTENSION_NAME,
        shape::X11_EXTENSION_NAME,
        randr::X11_EXTENSION_NAME,
    ];
    let atoms = Atoms::new(connection)?;
    for name in extensions {
        connection.prefetch_extension_information(name)?;
    }
    Ok(atoms.reply()?)
}

fn meaning(connection: &RustConnection<Bounded>, fault: ReplyOrIdError) -> Error {
    if let Some(ended) = connection.stream().spent() {
        return timed_out(ended);
    }
    match fault {
        ReplyOrIdError::ConnectionError(ConnectionError::IoError(fault)) => lost(&fault),
        ReplyOrIdError::ConnectionError(fault) => Error::new(Code::Internal, "the connection to the display failed")
            .kind("display_protocol")
            .platform(fault.to_string()),
        ReplyOrIdError::IdsExhausted => {
            Error::new(Code::Internal, "the display has no resource ids left").kind("display_protocol")
        }
        ReplyOrIdError::X11Error(error) if is_gone(&error) => window_gone().platform(name_of(&error)),
        ReplyOrIdError::X11Error(error) => Error::new(Code::Internal, "the display refused a request")
            .kind("display_request")
            .platform(name_of(&error)),
    }
}

/// Whether the error says that there is no window of that id.
pub(super) fn is_gone(error: &X11Error) -> bool {
    matches!(error.error_kind, ErrorKind::Window | ErrorKind::Drawable)
}

/// The error of a window that is not there.
pub(super) fn window_gone() -> Error {
    Error::new(Code::WindowNotFound, "the window is not there any more")
}

/// The name of an error, never what was in the request.
pub(super) fn name_of(error: &X11Error) -> String {
    format!("X11 Bad{:?} in {}", error.error_kind, error.request_name.unwrap_or("an unknown request"))
}

/// The numbers of a 32-bit property; nothing where it is missing or of another kind.
pub(super) fn numbers(property: Option<&GetPropertyReply>) -> Vec<u32> {
    property.and_then(GetPropertyReply::value32).map(Iterator::collect).unwrap_or_default()
}

fn timed_out(ended: Ended) -> Error {
    match ended {
        Ended::Cancelled => Error::new(Code::Timeout, "the call was cancelled").kind("cancelled"),
        Ended::Deadline => Error::new(Code::Timeout, "the display did not answer in time").kind("deadline"),
    }
}

fn lost(fault: &std::io::Error) -> Error {
    Error::new(Code::PlatformNotSupported, "the connection to the display was lost")
        .kind("display_lost")
        .platform(fault.kind().to_string())
}

fn refused(call: &Call<'_>, fault: &ConnectError, had_cookie: bool) -> Error {
    match fault {
        ConnectError::IoError(fault) if fault.kind() == std::io::ErrorKind::TimedOut => {
            timed_out(if call.cancel.is_raised() { Ended::Cancelled } else { Ended::Deadline })
        }
        ConnectError::IoError(fault) => lost(fault),
        ConnectError::SetupFailed(_) | ConnectError::SetupAuthenticate(_) => {
            let why = if had_cookie {
                "the display does not accept the cookie that is kept for it"
            } else {
                "the display wants a cookie, and the file given holds none for it"
            };
            Error::new(Code::PermDenied, why).kind("display_refused")
        }
        ConnectError::InvalidScreen => {
            Error::new(Code::PlatformNotSupported, "the display has no screen of that number").kind("display_name")
        }
        fault => Error::new(Code::PlatformNotSupported, "what answers is not an X server that we understand")
            .kind("display_protocol")
            .platform(fault.to_string()),
    }
}

/// Display and screen of `:N`, `:N.S` or `unix:N.S`. Displays of other machines are not reached: what is
/// seen and done must not leave this one.
fn parse(display: &str) -> Option<(u16, usize)> {
    let numbers = display.strip_prefix("unix").unwrap_or(display).strip_prefix(':')?;
    let (number, screen) = numbers.split_once('.').unwrap_or((numbers, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(number) || !digits(screen) {
        return None;
    }
    Some((number.parse().ok()?, screen.parse().ok()?))
}

fn host_name() -> Vec<u8> {
    let mut name = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    name.truncate(name.trim_ascii_end().len());
    name
}

/// The cookie, if the file can be read and has one. Without it the server decides: it may admit us by user.
fn read_cookie(path: &Path, host: &[u8], number: u16) -> Option<auth::Cookie> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(auth::LARGEST_FILE).read_to_end(&mut bytes).ok()?;
    auth::cookie(&bytes, host, number)
}

/// Opens the display's socket: the file first, then the abstract name that servers without a writable
/// directory have.
fn open(call: &Call<'_>, number: u16) -> Result<OwnedFd> {
    let path = format!("/tmp/.X11-unix/X{number}");
    let addresses = [SocketAddrUnix::new(path.as_str()), SocketAddrUnix::new_abstract_name(path.as_bytes())];
    let mut last = Errno::NOENT;
    for address in addresses {
        match address.and_then(|address| open_at(call, &address)) {
            Ok(socket) => return Ok(socket),
            Err(Errno::TIMEDOUT) => {
                call.go_on()?;
                return Err(timed_out(Ended::Deadline));
            }
            Err(errno) => last = errno,
        }
    }
    if last == Errno::ACCESS {
        return Err(Error::new(Code::PermDenied, format!("the socket of display :{number} is not ours to use"))
            .kind("display_refused")
            .platform(format!("{last:?}")));
    }
    Err(Error::new(Code::PlatformNotSupported, format!("there is no display :{number}"))
        .kind("display_missing")
        .platform(format!("{last:?}")))
}

fn open_at(call: &Call<'_>, address: &SocketAddrUnix) -> Result<OwnedFd, Errno> {
    let until = end_of(call);
    loop {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match rustix::net::connect(&socket, address) {
            Ok(()) => return Ok(socket),
            // The server's queue of unaccepted connections is full.
            Err(Errno::AGAIN) => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() || call.cancel.is_raised() {
                    return Err(Errno::TIMEDOUT);
                }
                wait_for_a_place_in_the_queue(left);
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Nothing signals that a server accepts again, so it is asked every few milliseconds.
fn wait_for_a_place_in_the_queue(left: Duration) {
    std::thread::park_timeout(left.min(Duration::from_millis(10)));
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn only_displays_of_this_machine_are_names() {
        assert_eq!(parse(":1"), Some((1, 0)));
        assert_eq!(parse(":10.2"), Some((10, 2)));
        assert_eq!(parse("unix:0"), Some((0, 0)));
        for name in ["", ":", "1", ":1.", ":.1", ":-1", ":+1", ":99999", "host:1", "localhost:10.0", ":1 ", "tcp/h:1"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
