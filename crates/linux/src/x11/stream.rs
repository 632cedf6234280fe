//! A stream to the X server that never waits past a limit.
//!
//! x11rb waits in [`Stream::poll`] only; a limit there bounds everything above it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use surehand_core::time::{Call, Cancel};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;

/// How long a raised [`Cancel`] can go unnoticed: it is a flag, and nothing wakes a poll for it.
const CANCEL_NOTICE: Duration = Duration::from_millis(25);

/// A connected socket with a limit to the waiting.
#[derive(Debug)]
pub(super) struct Bounded {
    inner: DefaultStream,
    limit: Mutex<Limit>,
}

#[derive(Debug)]
struct Limit {
    until: Instant,
    cancel: Cancel,
    /// What ended the waiting. A request may have been written by half then, so nothing may follow it.
    spent: Option<Ended>,
}

/// Why waiting ended without what was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The time was used up.
    Deadline,
    /// The caller asked to stop.
    Cancelled,
}

/// The moment at which the call ends. Sockets live on real time whatever the call's clock is, so what is
/// left of the call is carried over.
pub(super) fn end_of(call: &Call<'_>) -> Instant {
    Instant::now() + call.left()
}

impl Bounded {
    pub(super) fn new(inner: DefaultStream, call: &Call<'_>) -> Self {
        let limit = Limit { until: end_of(call), cancel: call.cancel.clone(), spent: None };
        Bounded { inner, limit: Mutex::new(limit) }
    }

    fn limit(&self) -> MutexGuard<'_, Limit> {
        self.limit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bounds what follows by another call.
    pub(super) fn set(&self, call: &Call<'_>) {
        let mut limit = self.limit();
        limit.until = end_of(call);
        limit.cancel = call.cancel.clone();
    }

    /// Why the stream can no longer be used, if so.
    pub(super) fn spent(&self) -> Option<Ended> {
        self.limit().spent
    }

    /// Until when the present call may wait.
    pub(super) fn until(&self) -> Instant {
        self.limit().until
    }

    /// Waits until there is something to read, at most `span`. `false` when nothing came; the stream stays
    /// usable, since nobody was in the middle of a request.
    pub(super) fn readable_within(&self, span: Duration) -> io::Result<bool> {
        let (until, cancel) = {
            let limit = self.limit();
            (limit.until.min(Instant::now() + span), limit.cancel.clone())
        };
        Ok(ready(&self.inner, PollFlags::IN, until, &cancel)?.is_ok())
    }
}

/// Waits for the descriptor, the moment or the cancellation, whichever comes first.
fn ready(stream: &DefaultStream, flags: PollFlags, until: Instant, cancel: &Cancel) -> io::Result<Result<(), Ended>> {
    loop {
        if cancel.is_raised() {
            return Ok(Err(Ended::Cancelled));
        }
        let left = until.saturating_duration_since(Instant::now());
        let slice = left.min(CANCEL_NOTICE);
        // Nanoseconds below a second always fit.
        let timeout = Timespec {
            tv_sec: i64::try_from(slice.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(slice.subsec_nanos()),
        };
        let mut fds = [PollFd::new(stream, flags)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(0) if left.is_zero() => return Ok(Err(Ended::Deadline)),
            Ok(0) | Err(Errno::INTR) => {}
            // An error condition counts as ready: the read or write that follows tells which.
            Ok(_) => return Ok(Ok(())),
            Err(errno) => return Err(errno.into()),
        }
    }
}

impl AsFd for Bounded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl Stream for Bounded {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let (until, cancel, spent) = {
            let limit = self.limit();
            (limit.until, limit.cancel.clone(), limit.spent)
        };
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, mode.readable());
        flags.set(PollFlags::OUT, mode.writable());
        let outcome = match spent {
            Some(ended) => Err(ended),
            None => ready(&self.inner, flags, until, &cancel)?,
        };
        outcome.map_err(|ended| {
            self.limit().spent = Some(ended);
            // The server takes back what we hold, such as itself in the middle of a combination of keys, also
            // when the display is kept for a while.
            let _ = rustix::net::shutdown(&self.inner, rustix::net::Shutdown::Both);
            io::Error::from(io::ErrorKind::TimedOut)
        })
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
