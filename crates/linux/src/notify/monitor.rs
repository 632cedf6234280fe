//! The process that watches what notifications are shown.
//!
//! The standard for notifications has no way to list them, so one has to have been there when they came. The monitor
//! ([`crate::helper`]) becomes a monitor of the session bus for nothing but calls to show a notification, and what the
//! notification server answers and announces. It sends nothing, and could not: a monitor is cut off when it does.
//!
//! Its life: it is started with a private desktop, and elsewhere when notifications are first asked for. There is one for
//! each session bus, and a second one ends at once. It is over when the bus is, or when it is told to by a signal, and
//! takes its file with it.

use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{FutureExt as _, StreamExt as _};
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use zbus::message::Type;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, Message, MessageStream};

use super::book::{Book, Shown};
use super::file::{Pen, Shelf};
use super::{INTERFACE, SERVER};
use crate::connect::session_address;
use crate::desktop::bus::{self, DAEMON, ask};
use crate::helper::{self, Stage};

/// How long becoming a monitor may take.
const BEGIN: Duration = Duration::from_secs(10);

/// How long to pause before looking again whether another monitor has begun. Nothing signals that.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// So many messages are read before what they change is written, in a flood of them.
const BATCH: usize = 500;

/// Messages that may wait for us before the bus library stops reading.
const QUEUE: usize = 1_024;

/// What a monitor is told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The directory that its file goes into.
    pub(super) folder: PathBuf,
}

/// What a monitor answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Watching {
    /// Whether it is another one that watches this bus.
    pub(super) already: bool,
}

/// Watches until the bus is gone or it is told to end.
///
/// # Errors
/// What kept it from beginning, which it has answered, or from going on.
pub(crate) fn watch(stage: Stage<'_>) -> Result<()> {
    let Stage { environment, input, output, end, .. } = stage;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|fault| internal("no thread for the monitor", &fault))?;
    let order: Result<Order> = helper::take_order(input);
    runtime.block_on(async {
        let begun = async {
            let (address, order) = (session_address(environment)?, order?);
            let begun = tokio::time::timeout(BEGIN, begin(&address, &order)).await;
            begun.map_err(|_| Error::new(Code::Timeout, "the session bus does not answer").kind("deadline"))?
        };
        let begun = begun.await;
        let answer = begun.as_ref().map(|begun| Watching { already: begun.is_none() });
        helper::answer(output, answer).map_err(|fault| internal("nobody listens", &fault))?;
        match begun? {
            Some(monitor) => monitor.go_on(end).await,
            None => Ok(()),
        }
    })
}

/// A monitor at work.
struct Monitor {
    stream: MessageStream,
    book: Book,
    pen: Pen,
}

/// Becomes a monitor; `None` when there is one.
async fn begin(address: &str, order: &Order) -> Result<Option<Monitor>> {
    let connection = zbus::connection::Builder::address(address)
        .map_err(|fault| refused(&fault))?
        .max_queued(QUEUE)
        .build()
        .await
        .map_err(|fault| refused(&fault))?;
    let shelf = Shelf::new(&order.folder, &connection.server_guid().to_string())?;
    let pen = loop {
        match shelf.take()? {
            Some(pen) => break pen,
            None if shelf.read()?.is_some() => return Ok(None),
            // The other one has only just begun, and whoever started us is going to read what it has written.
            None => tokio::time::sleep(LOOK_AGAIN).await,
        }
    };
    // Before anything can come.
    let stream = MessageStream::from(&connection);
    become_monitor(&connection).await.map_err(|fault| refused(&fault))?;
    let book = Book::new(now());
    pen.write(&book.notices).map_err(|fault| internal("nothing can be kept about notifications", &fault))?;
    Ok(Some(Monitor { stream, book, pen }))
}

async fn become_monitor(connection: &Connection) -> zbus::Result<()> {
    let rules = [
        format!("type='method_call',interface='{INTERFACE}',member='Notify'"),
        format!("type='method_return',sender='{SERVER}'"),
        format!("type='error',sender='{SERVER}'"),
        format!("type='signal',sender='{SERVER}',interface='{INTERFACE}'"),
        format!("type='signal',sender='{}',member='NameOwnerChanged',arg0='{SERVER}'", DAEMON.0),
    ];
    let call = (DAEMON.0, DAEMON.1, "org.freedesktop.DBus.Monitoring", "BecomeMonitor");
    ask::<_, ()>(connection, call, &(rules.as_slice(), 0u32)).await
}

impl Monitor {
    async fn go_on(mut self, end: BorrowedFd<'_>) -> Result<()> {
        #[expect(deprecated, reason = "the successor is unsafe, for types less simple than a descriptor")]
        let end = AsyncFd::with_interest(end, Interest::READABLE)
            .map_err(|fault| internal("a descriptor cannot be watched", &fault))?;
        loop {
            let mut next = tokio::select! {
                next = self.stream.next() => next,
                _ = end.readable() => return Ok(()),
            };
            let mut changed = false;
            for _ in 0..BATCH {
                let Some(Ok(message)) = next else { return Ok(()) };
                changed |= self.take(&message).unwrap_or(false);
                // Only what has come already: what is known is written before anything is waited for.
                let Some(ready) = self.stream.next().now_or_never() else {
                    next = None;
                    break;
                };
                next = Some(match ready {
                    Some(message) => message,
                    None => return Ok(()),
                });
            }
            // The last one of a full batch.
            if let Some(Ok(message)) = next {
                changed |= self.take(&message).unwrap_or(false);
            }
            if changed {
                self.pen
                    .write(&self.book.notices)
                    .map_err(|fault| internal("nothing can be kept about notifications", &fault))?;
            }
        }
    }

    /// Takes one message. Whether it changed what is known; `None` for one that is not as it should be.
    fn take(&mut self, message: &Message) -> Option<bool> {
        let header = message.header();
        let sender = header.sender()?.as_str();
        let body = message.body();
        match message.message_type() {
            Type::MethodCall => {
                type Notify = (
                    String,
                    u32,
                    String,
                    String,
                    String,
                    Vec<String>,
                    std::collections::HashMap<String, OwnedValue>,
                    i32,
                );
                let (app_name, _, _, title, text, actions, _, _): Notify = body.deserialize().ok()?;
                let serial = header.primary().serial_num().get();
                self.book.asked(sender, serial, Shown { app_name, title, body: text, actions });
                Some(false)
            }
            Type::MethodReturn => {
                let (caller, serial) = (header.destination()?.as_str(), header.reply_serial()?.get());
                // Answers to other calls say other things; only those to a call that was seen are looked up.
                let number: u32 = body.deserialize().ok()?;
                Some(self.book.answered(sender, caller, serial, number, now()))
            }
            Type::Error => {
                self.book.refused(header.destination()?.as_str(), header.reply_serial()?.get());
                Some(false)
            }
            Type::Signal => match header.member()?.as_str() {
                "NotificationClosed" => {
                    let (number, reason): (u32, u32) = body.deserialize().ok()?;
                    Some(self.book.closed(sender, number, reason))
                }
                "ActionInvoked" => {
                    let (number, key): (u32, String) = body.deserialize().ok()?;
                    Some(self.book.invoked(sender, number, &key))
                }
                "NameOwnerChanged" if sender == DAEMON.0 => {
                    let (_, old, _): (String, String, String) = body.deserialize().ok()?;
                    Some(self.book.server_gone(&old))
                }
                _ => Some(false),
            },
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn refused(fault: &zbus::Error) -> Error {
    Error::new(Code::PlatformNotSupported, "the session bus does not let notifications be watched")
        .kind("no_monitor")
        .platform(fault.to_string())
}

fn internal(what: &str, fault: &impl std::fmt::Display) -> Error {
    Error::new(Code::Internal, what).platform(fault.to_string())
}

/// Connects to the session bus as a plain client.
pub(super) async fn connect(address: &str) -> Result<Connection> {
    bus::connect(address).await.map_err(|fault| {
        Error::new(Code::PlatformNotSupported, "the session bus cannot be connected to")
            .kind("no_session_bus")
            .platform(fault.to_string())
    })
}
