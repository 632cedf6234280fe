//! Waiting that ends: for a descriptor, for a condition nothing signals, for a future.

use std::future::Future;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::{Either, select};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use surehand_core::error::{Code, Error, Result};
use surehand_core::time::Call;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How long a wait sleeps at most before it looks whether the caller still wants the answer: a raised
/// [`surehand_core::time::Cancel`] wakes nobody.
const ATTENTION: Duration = Duration::from_millis(25);

/// How long to pause between two looks at something that nothing signals.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A piece of work with several threads: it goes on while the call does and none of them has failed.
pub(crate) struct Attempt<'a> {
    call: Call<'a>,
    abandoned: AtomicBool,
}

impl<'a> Attempt<'a> {
    pub(crate) fn new(call: &Call<'a>) -> Self {
        Attempt { call: call.clone(), abandoned: AtomicBool::new(false) }
    }

    pub(crate) fn call(&self) -> &Call<'a> {
        &self.call
    }

    /// Tells the other threads that there is no use in going on.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
    }

    /// Goes on only while it makes sense.
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.abandoned.load(Ordering::Acquire) {
            return Err(Error::new(Code::Timeout, "another part of it failed").kind("abandoned"));
        }
        self.call.go_on()
    }

    fn nap(&self) -> Duration {
        self.call.left().min(ATTENTION)
    }

    /// Waits until one of the descriptors can be read (or has ended), and says for each whether it is so.
    pub(crate) fn readable(&self, fds: &[BorrowedFd<'_>]) -> Result<Vec<bool>> {
        self.readable_within(fds, None)
    }

    /// The same for at most `span` where one is given; all are false when it has passed.
    pub(crate) fn readable_within(&self, fds: &[BorrowedFd<'_>], span: Option<Duration>) -> Result<Vec<bool>> {
        let part = span.map(|span| self.call.at_most(span));
        loop {
            self.go_on()?;
            let left = part.as_ref().map(Call::left);
            let ready = poll_readable(fds, self.nap().min(left.unwrap_or(ATTENTION)))?;
            if ready.contains(&true) || left.is_some_and(|left| left.is_zero()) {
                return Ok(ready);
            }
        }
    }

    /// Waits for a future, and gives up when the process behind `pidfd` ends first: `None` then.
    pub(crate) async fn unless_ended<T>(&self, pidfd: &OwnedFd, work: impl Future<Output = T>) -> Result<Option<T>> {
        let own = pidfd.try_clone().map_err(|fault| internal("a pidfd cannot be copied", &fault))?;
        #[expect(deprecated, reason = "the successor is unsafe, for types less simple than an owned descriptor")]
        let ended = AsyncFd::with_interest(own, Interest::READABLE)
            .map_err(|fault| internal("a pidfd cannot be watched", &fault))?;
        let mut work = pin!(work);
        let mut end = pin!(ended.readable());
        loop {
            self.go_on()?;
            let tick = pin!(tokio::time::sleep(self.nap()));
            match select(work.as_mut(), select(end.as_mut(), tick)).await {
                Either::Left((value, _)) => return Ok(Some(value)),
                Either::Right((Either::Left(_), _)) => return Ok(None),
                Either::Right((Either::Right(_), _)) => {}
            }
        }
    }
}

/// Which of the descriptors can be read within `span`; all false when none.
pub(crate) fn poll_readable(fds: &[BorrowedFd<'_>], span: Duration) -> Result<Vec<bool>> {
    let mut polled: Vec<PollFd<'_>> = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    match poll(&mut polled, Some(&timespec(span))) {
        Ok(_) => Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(Errno::INTR) => Ok(vec![false; fds.len()]),
        Err(fault) => Err(internal("waiting on descriptors failed", &fault)),
    }
}

/// A span as the system calls take it.
fn timespec(span: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(span.as_secs()).unwrap_or(i64::MAX), tv_nsec: span.subsec_nanos().into() }
}

/// Looks again and again until `look` finds something. Only for what nothing signals, such as a file lock.
pub(crate) fn look_until<T>(call: &Call<'_>, mut look: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        call.go_on()?;
        call.clock.pause(LOOK_AGAIN, call.cancel);
    }
}

/// Runs a future on a thread of its own with a runtime of its own, so that a caller which is itself inside
/// a runtime can call us.
pub(crate) fn run<T, F>(make: impl FnOnce() -> F + Send) -> Result<T>
where
    T: Send,
    F: Future<Output = Result<T>>,
{
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|fault| internal("no runtime could be made", &fault))?;
            let done = runtime.block_on(make());
            // The name of a host that is still being resolved holds up nobody.
            runtime.shutdown_background();
            done
        });
        worker.join().unwrap_or_else(|_| Err(Error::new(Code::Internal, "a worker thread ended unexpectedly")))
    })
}

/// Something that should not have failed did.
pub(crate) fn internal(what: &str, fault: &impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, what).platform(fault.to_string())
}
