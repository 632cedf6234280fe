//! A connection to an X display whose every operation ends.
//!
//! `RustConnection::connect` waits for ever on a server that takes the connection and then says nothing,
//! and reads the environment for the cookie. Here both are given.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use surehand_core::time::Call;
use x11rb::connection::Connection as _;
use x11rb::errors::{ConnectError, ReplyError};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};
use x11rb::reexports::x11rb_protocol::parse_display::{ConnectAddress, parse_display};
use x11rb::rust_connection::{DefaultStream, PollMode, RustConnection, Stream};
use x11rb::utils::RawFdContainer;

use super::wait::{internal, real_deadline, run, timespec};
use super::xauthority::{self, Cookie};

/// A connection that gives up at a moment fixed when it was made.
pub(crate) type Display = RustConnection<Bounded>;

/// A stream whose waits end with `TimedOut` at a fixed moment.
pub(crate) struct Bounded {
    inner: DefaultStream,
    until: Instant,
}

impl AsFd for Bounded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl Stream for Bounded {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut flags = PollFlags::empty();
        if mode.readable() {
            flags |= PollFlags::IN;
        }
        if mode.writable() {
            flags |= PollFlags::OUT;
        }
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut fds = [PollFd::new(&self.inner, flags)];
            match poll(&mut fds, Some(&timespec(left))) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    fn read(&self, buffer: &mut [u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.read(buffer, fds)
    }

    fn write(&self, buffer: &[u8], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.write(buffer, fds)
    }

    fn write_vectored(&self, buffers: &[io::IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.inner.write_vectored(buffers, fds)
    }
}

/// What stopped us from talking to a display.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The name is none of a display.
    Name(String),
    /// Nothing listens there.
    Nobody(String),
    /// Somebody listens, and it came to no conversation.
    Failed(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Name(text) | Refusal::Nobody(text) | Refusal::Failed(text) => f.write_str(text),
        }
    }
}

/// Connects to `name`, for example `:1`, with the cookie in `authority`, within what is left of the call.
pub(crate) fn connect(call: &Call<'_>, name: &str, authority: Option<&Path>) -> Result<(Display, usize), Refusal> {
    let parsed = parse_display(Some(name)).map_err(|fault| Refusal::Name(fault.to_string()))?;
    let until = real_deadline(call);
    let cookie = authority.and_then(|file| xauthority::read(file, parsed.display)).unwrap_or_default();
    let mut last = Refusal::Nobody("no address".into());
    for address in parsed.connect_instruction() {
        match open(&address, call.left()) {
            Ok(stream) => return converse(stream, until, parsed.screen.into(), cookie),
            // The first address is the usual one, so its answer is the one to tell.
            Err(fault) if matches!(&last, Refusal::Nobody(text) if text == "no address") => {
                last = if fault.kind() == io::ErrorKind::TimedOut || fault.kind() == io::ErrorKind::WouldBlock {
                    Refusal::Failed(fault.to_string())
                } else {
                    Refusal::Nobody(fault.to_string())
                };
            }
            Err(_) => {}
        }
    }
    Err(last)
}

fn converse(stream: DefaultStream, until: Instant, screen: usize, cookie: Cookie) -> Result<(Display, usize), Refusal> {
    let stream = Bounded { inner: stream, until };
    RustConnection::connect_to_stream_with_auth_info(stream, screen, cookie.0, cookie.1)
        .map(|display| (display, screen))
        .map_err(|fault| match fault {
            ConnectError::SetupFailed(said) => {
                Refusal::Failed(format!("refused: {}", String::from_utf8_lossy(&said.reason).trim()))
            }
            fault => Refusal::Failed(fault.to_string()),
        })
}

/// Opens the stream without ever blocking in `connect`, which a server that accepts nobody would make it.
fn open(address: &ConnectAddress<'_>, span: Duration) -> io::Result<DefaultStream> {
    let opened = run(|| async {
        let within = tokio::time::timeout(span, async {
            match address {
                ConnectAddress::Socket(path) => {
                    let stream: UnixStream = match tokio::net::UnixStream::connect(path).await {
                        Ok(stream) => stream.into_std()?,
                        // The abstract socket that a server has besides, or instead of, the one in /tmp.
                        Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                            tokio::net::UnixStream::connect(format!("\0{path}")).await.map_err(|_| fault)?.into_std()?
                        }
                        Err(fault) => return Err(fault),
                    };
                    DefaultStream::from_unix_stream(stream)
                }
                ConnectAddress::Hostname(host, port) => {
                    let stream = tokio::net::TcpStream::connect((*host, *port)).await?.into_std()?;
                    DefaultStream::from_tcp_stream(stream)
                }
                _ => Err(io::ErrorKind::Unsupported.into()),
            }
        });
        Ok(within.await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())))
    });
    match opened {
        Ok(stream) => Ok(stream?.0),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The window manager that answers on a screen.
pub(crate) struct Manager {
    /// How it calls itself; empty when it does not.
    pub(crate) name: String,
}

/// Asks for the window manager: the root names a window of it, which has to exist and to name itself.
///
/// `None` when there is none, or what the root names is left from one that has ended. Source: Extended
/// Window Manager Hints 1.5, `_NET_SUPPORTING_WM_CHECK`.
pub(crate) fn manager(display: &Display, root: Window) -> Result<Option<Manager>, ReplyError> {
    let check = atom(display, "_NET_SUPPORTING_WM_CHECK")?;
    let Some(window) = window_property(display, root, check)? else { return Ok(None) };
    match window_property(display, window, check) {
        Ok(Some(own)) if own == window => {}
        Ok(_) | Err(ReplyError::X11Error(_)) => return Ok(None),
        Err(fault) => return Err(fault),
    }
    let name =
        display.get_property(false, window, atom(display, "_NET_WM_NAME")?, AtomEnum::ANY, 0, 64)?.reply()?.value;
    Ok(Some(Manager { name: String::from_utf8_lossy(&name).into_owned() }))
}

pub(crate) fn atom(display: &Display, name: &str) -> Result<u32, ReplyError> {
    Ok(display.intern_atom(false, name.as_bytes())?.reply()?.atom)
}

fn window_property(display: &Display, of: Window, property: u32) -> Result<Option<Window>, ReplyError> {
    let reply = display.get_property(false, of, property, AtomEnum::WINDOW, 0, 1)?.reply()?;
    Ok(reply.value32().and_then(|mut values| values.next()))
}

/// The root window and the size of a screen.
pub(crate) fn screen(display: &Display, number: usize) -> Option<(Window, u16, u16)> {
    let screen = display.setup().roots.get(number)?;
    Some((screen.root, screen.width_in_pixels, screen.height_in_pixels))
}

/// Turns a failed conversation into our error.
pub(crate) fn lost(fault: impl Into<ReplyError>) -> surehand_core::Error {
    internal("the display stopped answering", &fault.into())
}
