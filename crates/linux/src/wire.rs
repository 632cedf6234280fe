//! Many calls at once to one peer.
//!
//! A tree of a thousand elements is a few thousand properties, and asking for one after the other costs a
//! round trip each. Here all of a batch are written first, and answers are taken as they come, matched by
//! serial. One reader for the whole batch: with a reader for each call, every answer would wake all of them.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt as _;
use serde::Serialize;
use zbus::message::Type as MessageType;
use zbus::zvariant::{DynamicDeserialize, DynamicType, Value};
use zbus::{Connection, Message, MessageStream};

use crate::error::Fault;
use crate::socket::Outbox;
use crate::trip::{Kind, Trip};

/// How many calls are on the way at once. Enough to keep the peer busy, and few enough that it still gets
/// round to its own user between two of ours.
const IN_FLIGHT: usize = 128;

/// How many bytes of long answers are kept of one batch. A thousand elements whose names are a megabyte each are more
/// than a small machine has.
const MOST_BYTES: usize = 48 << 20;

/// An answer of more bytes than this is a long one.
const LONG: usize = 64 << 10;

/// The accessible interfaces' common prefix.
pub(crate) const ATSPI: &str = "org.a11y.atspi.";

/// One call to make.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    message: Result<Message, Fault>,
}

/// One answer.
pub(crate) type Answer = Result<Message, Fault>;

/// A connection, and where messages are kept until a batch of them is put together.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) connection: Connection,
    /// None where the bus library has the socket to itself and each message is written at once.
    pub(crate) outbox: Option<Arc<Outbox>>,
}

/// A peer: a name on a bus, or the other end of a private connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    line: Line,
    /// The bus name; none on a private connection, where there is only one other.
    destination: Option<String>,
    /// How many calls were made, by all clones together.
    made: Arc<AtomicU64>,
}

impl Peer {
    pub(crate) fn on_bus(line: &Line, name: &str) -> Peer {
        Peer { line: line.clone(), destination: Some(name.to_owned()), made: Arc::default() }
    }

    pub(crate) fn private(line: Line) -> Peer {
        Peer { line, destination: None, made: Arc::default() }
    }

    /// The connection, for whoever takes in what comes over it unasked.
    pub(crate) fn connection(&self) -> &Connection {
        &self.line.connection
    }

    /// Sends calls to which no answer is waited for.
    pub(crate) async fn post(&self, asks: Vec<Ask>) {
        for message in asks.into_iter().filter_map(|ask| ask.message.ok()) {
            if self.line.connection.send(&message).await.is_err() {
                return;
            }
        }
        if let Some(outbox) = &self.line.outbox {
            // A connection that is broken needs nothing taken back.
            let _ = outbox.flush().await;
        }
    }

    /// How many calls were made to it so far.
    pub(crate) fn calls(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// A method call. `interface` is the full name.
    pub(crate) fn call<B: Serialize + DynamicType>(&self, path: &str, interface: &str, member: &str, body: &B) -> Ask {
        let build = || -> zbus::Result<Message> {
            let mut message = Message::method_call(path, member)?.interface(interface)?;
            if let Some(destination) = &self.destination {
                message = message.destination(destination.as_str())?;
            }
            message.build(body)
        };
        // Paths and names can come from an application; one that is not valid makes no call, and no panic.
        Ask { message: build().map_err(|_| Fault::Malformed) }
    }

    /// The call that reads one property. Never all of them: Qt dies of `GetAll`.
    pub(crate) fn get(&self, path: &str, interface: &str, property: &str) -> Ask {
        self.call(path, "org.freedesktop.DBus.Properties", "Get", &(interface, property))
    }

    /// Makes all calls and returns the answers in their order. The caller bounds the time; a batch that is
    /// dropped leaves nothing behind but answers that nobody takes.
    pub(crate) async fn batch(&self, asks: Vec<Ask>) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = (0..asks.len()).map(|_| None).collect();
        self.batch_into(asks, &mut answers).await;
        answers.into_iter().map(|answer| answer.unwrap_or(Err(Fault::NoAnswer))).collect()
    }

    /// As [`Peer::batch`], for at most `span`: what has not been answered by then is [`Fault::NoAnswer`].
    pub(crate) async fn batch_within(&self, asks: Vec<Ask>, span: std::time::Duration) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = (0..asks.len()).map(|_| None).collect();
        let _ = tokio::time::timeout(span, self.batch_into(asks, &mut answers)).await;
        answers.into_iter().map(|answer| answer.unwrap_or(Err(Fault::NoAnswer))).collect()
    }

    async fn batch_into(&self, asks: Vec<Ask>, answers: &mut [Option<Answer>]) {
        if asks.is_empty() {
            return;
        }
        self.made.fetch_add(asks.len() as u64, Ordering::Relaxed);
        tracing::debug!(calls = asks.len(), to = self.destination.as_deref().unwrap_or("private"), "batch");
        let _trip = Trip::begin(Kind::Calls, asks.len());
        let mut replies = MessageStream::from(&self.line.connection);
        let mut waiting: HashMap<NonZeroU32, usize> = HashMap::with_capacity(asks.len().min(IN_FLIGHT));
        let mut asks = asks.into_iter().enumerate();
        let mut room = MOST_BYTES;
        loop {
            // New ones go out together once half of the others are answered: the peer is never idle, and is not
            // woken for each.
            if waiting.len() <= IN_FLIGHT / 2 && asks.len() > 0 {
                let hold = self.line.outbox.as_deref().map(Outbox::hold);
                for (index, ask) in asks.by_ref().take(IN_FLIGHT - waiting.len()) {
                    let message = match ask.message {
                        Ok(message) => message,
                        Err(fault) => {
                            answers[index] = Some(Err(fault));
                            continue;
                        }
                    };
                    waiting.insert(message.primary_header().serial_num(), index);
                    if self.line.connection.send(&message).await.is_err() {
                        return lost(&waiting, answers);
                    }
                }
                drop(hold);
                if let Some(outbox) = &self.line.outbox
                    && outbox.flush().await.is_err()
                {
                    return lost(&waiting, answers);
                }
            }
            if waiting.is_empty() {
                if asks.len() == 0 {
                    return;
                }
                continue;
            }
            if !self.take(&mut replies, &mut waiting, answers, &mut room).await {
                return lost(&waiting, answers);
            }
        }
    }

    /// Takes one message from the stream, and says whether the connection still lives.
    async fn take(
        &self,
        replies: &mut MessageStream,
        waiting: &mut HashMap<NonZeroU32, usize>,
        answers: &mut [Option<Answer>],
        room: &mut usize,
    ) -> bool {
        let Some(Ok(message)) = replies.next().await else {
            return false;
        };
        let kind = message.message_type();
        if !matches!(kind, MessageType::MethodReturn | MessageType::Error) {
            return true;
        }
        let header = message.header();
        // Serials are easily guessed: an answer counts only from the one that was asked, or from the bus itself
        // where it says that there is nobody.
        let sender = header.sender().map(zbus::names::UniqueName::as_str);
        let from_bus = kind == MessageType::Error && sender == Some("org.freedesktop.DBus");
        let asked = self.destination.as_deref().filter(|name| name.starts_with(':'));
        if asked.is_some() && sender != asked && !from_bus {
            return true;
        }
        let Some(index) = header.reply_serial().and_then(|serial| waiting.remove(&serial)) else {
            return true;
        };
        let answer = if kind == MessageType::Error {
            Err(header.error_name().map_or(Fault::Malformed, |name| Fault::of_error_name(name.as_str())))
        } else {
            drop(header);
            let long = Some(message.body().len()).filter(|length| *length > LONG).unwrap_or(0);
            match room.checked_sub(long) {
                Some(left) => {
                    *room = left;
                    Ok(message)
                }
                None => Err(Fault::TooLarge),
            }
        };
        answers[index] = Some(answer);
        true
    }

    /// Makes one call.
    pub(crate) async fn one(&self, ask: Ask) -> Answer {
        self.batch(vec![ask]).await.pop().unwrap_or(Err(Fault::Malformed))
    }
}

/// Everything that was still waited for is lost with the connection.
fn lost(waiting: &HashMap<NonZeroU32, usize>, answers: &mut [Option<Answer>]) {
    for index in waiting.values() {
        answers[*index] = Some(Err(Fault::Disconnected));
    }
    for answer in answers.iter_mut().filter(|answer| answer.is_none()) {
        *answer = Some(Err(Fault::Disconnected));
    }
}

/// The body of an answer as `T`; anything else than the promised signature is [`Fault::Malformed`].
pub(crate) fn body<T>(answer: Answer) -> Result<T, Fault>
where
    T: for<'d> DynamicDeserialize<'d>,
{
    answer?.body().deserialize::<T>().map_err(|_| Fault::Malformed)
}

/// The value in the answer to [`Peer::get`].
pub(crate) fn property<T>(answer: Answer) -> Result<T, Fault>
where
    T: for<'v> TryFrom<Value<'v>>,
{
    let answer = answer?;
    let body = answer.body();
    let value: Value<'_> = body.deserialize().map_err(|_| Fault::Malformed)?;
    T::try_from(value).map_err(|_| Fault::Malformed)
}
