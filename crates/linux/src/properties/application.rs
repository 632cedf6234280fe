//! An application that answers out of bytes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use zbus::connection::Builder;
use zbus::message::{Builder as Reply, Header, Type};
use zbus::zvariant::{ObjectPath, Value};
use zbus::{Message, MessageStream};

use super::GUID;

/// The name that it has on the bus.
pub(super) const NAME: &str = ":1.7";

/// A reference to an object.
type Target<'a> = (&'a str, ObjectPath<'a>);

/// What the application was asked and how it answered, shared with who looks at what became of it.
#[derive(Clone)]
pub(super) struct Answers(Arc<Mutex<Log>>);

struct Log {
    bytes: Vec<u8>,
    at: usize,
    /// Answered as promised, or with a message that was damaged and may say anything now.
    good: HashSet<(String, String)>,
    /// Answered with something else.
    bad: HashSet<(String, String)>,
}

impl Answers {
    pub(super) fn new(data: &[u8]) -> Answers {
        Answers(Arc::new(Mutex::new(Log { bytes: data.to_vec(), at: 0, good: HashSet::new(), bad: HashSet::new() })))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn were_good(&self, path: &str, key: &str) -> bool {
        self.log().good.contains(&(path.to_owned(), key.to_owned()))
    }

    pub(super) fn were_bad(&self, path: &str, key: &str) -> bool {
        self.log().bad.contains(&(path.to_owned(), key.to_owned()))
    }

    pub(super) fn were_asked(&self, path: &str, key: &str) -> bool {
        self.were_good(path, key) || self.were_bad(path, key)
    }

    pub(super) fn only_bad(&self, path: &str, key: &str) -> bool {
        self.were_bad(path, key) && !self.were_good(path, key)
    }
}

impl Log {
    /// One byte; once they are used up, one that makes the answer right, so that reading ends.
    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    fn pick<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())]
    }
}

/// Answers every call until the connection ends, which it also may do by itself.
pub(super) async fn answer(stream: UnixStream, answers: Answers) {
    // One half for the bus library to read the calls, one to write answers to that it would not send.
    let Ok(stream) = stream.into_std() else { return };
    let Ok(writer) = stream.try_clone() else { return };
    let (Ok(reader), Ok(mut writer)) = (UnixStream::from_std(stream), UnixStream::from_std(writer)) else { return };
    let Ok(builder) = Builder::authenticated_socket(reader, GUID) else { return };
    let Ok(connection) = builder.p2p().max_queued(1_024).build().await else { return };
    let mut calls = MessageStream::from(&connection);
    while let Some(Ok(call)) = calls.next().await {
        if call.message_type() != Type::MethodCall {
            continue;
        }
        let bytes = {
            let mut log = answers.log();
            reply(&mut log, &call)
        };
        match bytes {
            Some(bytes) if writer.write_all(&bytes).await.is_ok() => {}
            _ => break,
        }
    }
    let _ = writer.shutdown().await;
    let _ = connection.close().await;
}

/// The bytes of an answer; none to end the connection.
fn reply(log: &mut Log, call: &Message) -> Option<Vec<u8>> {
    let header = call.header();
    let path = header.path()?.to_string();
    let member = header.member()?.to_string();
    let body = call.body();
    // Properties go by their own name.
    let key = match member.as_str() {
        "Get" => body.deserialize::<(&str, &str)>().ok()?.1.to_owned(),
        _ => member.clone(),
    };
    let place = (path, key.clone());
    match log.byte() {
        0..=159 => {
            let (message, confirms) = promised(log, &header, &member, &key)?;
            let list = if confirms { &mut log.good } else { &mut log.bad };
            list.insert(place);
            Some(message.data().bytes().to_vec())
        }
        160..=199 => {
            let message = other(log, &header)?;
            log.bad.insert(place);
            Some(message.data().bytes().to_vec())
        }
        200..=227 => {
            log.bad.insert(place);
            let name = log.pick(&[
                "org.freedesktop.DBus.Error.UnknownObject",
                "org.freedesktop.DBus.Error.NoReply",
                "org.freedesktop.DBus.Error.Failed",
                "org.freedesktop.DBus.Error.ServiceUnknown",
                "x.y",
            ]);
            let message = Message::error(&header, name).ok()?.sender(NAME).ok()?.build(&("no",)).ok()?;
            Some(message.data().bytes().to_vec())
        }
        228..=251 => {
            let (message, _) = promised(log, &header, &member, &key)?;
            let mut bytes = message.data().bytes().to_vec();
            // Damaged where it may be noticed by nobody: it can be an answer to anything now.
            // Only what it answers stays: it is not to be an answer to another call.
            let kept = bytes.windows(4).position(|four| four == [5, 1, b'u', 0]).map_or(0..0, |at| at..at + 8);
            for _ in 0..1 + log.below(4) {
                let at = log.below(bytes.len().min(256));
                let byte = log.byte();
                if !kept.contains(&at) {
                    bytes[at] = byte;
                }
            }
            log.good.insert(place);
            Some(bytes)
        }
        252 => {
            log.bad.insert(place);
            // Nothing that could be a message, however long it is waited for the rest of it.
            Some((0..32).map(|_| log.byte()).collect())
        }
        _ => None,
    }
}

fn to<'m>(header: &Header<'_>) -> Option<Reply<'m>> {
    Message::method_return(header).ok()?.sender(NAME).ok()
}

/// An answer of the type that the interface promises, with a content of any kind, and whether it says yes where it
/// is a matter of that.
fn promised(log: &mut Log, header: &Header<'_>, member: &str, key: &str) -> Option<(Message, bool)> {
    let reply = to(header)?;
    if member == "Get" {
        let value = match key {
            "ChildCount" => Value::from(log.pick(&[0, 1, 2, 3, -1, 20, 5_000, i32::MAX, i32::MIN])),
            "NActions" => Value::from(log.pick(&[1, 0, 2, 16, -1, i32::MAX])),
            "CharacterCount" | "CaretOffset" => Value::from(log.pick(&[0, 4, -1, 400, i32::MAX])),
            "CurrentValue" | "MinimumValue" | "MaximumValue" => {
                Value::from(log.pick(&[0.0, 1.5, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE]))
            }
            "Parent" => Value::from(target(log)),
            _ => Value::from(text(log)),
        };
        return Some((reply.build(&(value,)).ok()?, true));
    }
    let mut confirms = true;
    let message = match member {
        "GetRole" => reply.build(&(role(log),)),
        "GetState" => {
            reply.build(&([u32::from(log.byte()) << 8 | u32::from(log.byte()), u32::from(log.byte())].to_vec(),))
        }
        "GetInterfaces" => {
            const INTERFACES: [&str; 9] =
                ["Action", "Component", "Text", "EditableText", "Value", "Table", "Selection", "Accessible", "Unheard"];
            let names = (0..log.below(7)).map(|_| format!("org.a11y.atspi.{}", log.pick(&INTERFACES)));
            reply.build(&(names.collect::<Vec<_>>(),))
        }
        "GetChildren" | "GetMatches" => {
            let children: Vec<Target<'_>> = (0..log.below(6)).map(|_| target(log)).collect();
            reply.build(&(children,))
        }
        "GetChildAtIndex" | "GetAccessibleAt" | "GetAccessibleAtPoint" => reply.build(&(target(log),)),
        "GetActions" => {
            let actions: Vec<(&str, &str, &str)> = (0..log.below(4)).map(|_| (action(log), "", "")).collect();
            reply.build(&(actions,))
        }
        "GetName" => reply.build(&(action(log),)),
        "GetAttributes" => {
            let attributes: HashMap<&str, String> =
                [("id", text(log)), ("placeholder-text", text(log))].into_iter().collect();
            reply.build(&(attributes,))
        }
        "GetRelationSet" => {
            let relations: Vec<(u32, Vec<Target<'_>>)> =
                (0..log.below(3)).map(|_| (u32::from(log.byte() % 4), vec![target(log), target(log)])).collect();
            reply.build(&(relations,))
        }
        "GetExtents" => {
            let mut number = || log.pick(&[0, 7, 300, -1, i32::MIN, i32::MAX]);
            reply.build(&(number(), number(), number(), number()))
        }
        "GetText" => reply.build(&(text(log),)),
        "GetItems" => {
            let items: Vec<_> = (0..log.below(6))
                .map(|_| {
                    let names = vec!["org.a11y.atspi.Action", "org.a11y.atspi.Text"];
                    let count = log.pick(&[0, 1, 2, -1, i32::MAX]);
                    let place = i32::from(log.byte() % 3);
                    let objects = (target(log), target(log), target(log));
                    (
                        objects.0,
                        objects.1,
                        objects.2,
                        place,
                        count,
                        names,
                        text(log),
                        role(log),
                        text(log),
                        vec![log.byte().into(), 0u32],
                    )
                })
                .collect();
            reply.build(&(items,))
        }
        "DoAction" | "SetTextContents" | "InsertText" => {
            confirms = log.byte().is_multiple_of(2);
            reply.build(&(confirms,))
        }
        "GetIndexInParent" | "GetRowAtIndex" | "GetColumnAtIndex" => reply.build(&(log.pick(&[0, 1, -1, i32::MAX]),)),
        "Set" => reply.build(&()),
        _ => {
            confirms = false;
            reply.build(&(text(log),))
        }
    };
    Some((message.ok()?, confirms))
}

/// A well-formed answer of a type that nobody promised.
fn other(log: &mut Log, header: &Header<'_>) -> Option<Message> {
    let reply = to(header)?;
    let nested = Value::Value(Box::new(Value::Value(Box::new(Value::from(7u8)))));
    let message = match log.below(8) {
        // Which is what is promised where a property is set.
        0 if header.member().is_none_or(|member| member != "Set") => reply.build(&()),
        1 => reply.build(&(7u8, "extra", 7.0)),
        2 => reply.build(&(vec![vec![7i64]],)),
        3 => reply.build(&(nested,)),
        4 => reply.build(&((7u16, "struct"), vec![(1u64, true)])),
        5 => reply.build(&(vec![u64::MAX; log.below(40)],)),
        6 => reply.build(&(Value::from(vec!["many", "texts"]),)),
        _ => reply.build(&(HashMap::from([(7u8, Value::from("value"))]),)),
    };
    message.ok()
}

fn target(log: &mut Log) -> Target<'static> {
    const PATHS: [&str; 10] =
        ["/1", "/2", "/3", "/4", "/5", "/6", "/0", "/org/a11y/atspi/null", "/org/a11y/atspi/accessible/root", "/7"];
    let owner = if log.byte() < 230 { NAME } else { log.pick(&["", ":1.8", "org.a11y.atspi.Registry"]) };
    (owner, ObjectPath::from_static_str_unchecked(log.pick(&PATHS)))
}

fn text(log: &mut Log) -> String {
    const TEXTS: [&str; 9] = ["", "Save", "Password", "a\nb", "\u{202e}", "👨‍👩‍👧‍👦", "\u{fffc}", "GtkButton", "0.5"];
    log.pick(&TEXTS).repeat(log.pick(&[1, 1, 1, 9, 60]))
}

fn role(log: &mut Log) -> u32 {
    const ROLES: [u32; 14] = [23, 43, 61, 79, 7, 11, 31, 32, 55, 51, 40, 95, 69, 0];
    if log.byte() < 220 { log.pick(&ROLES) } else { u32::from(log.byte()) << log.below(24) }
}

fn action(log: &mut Log) -> &'static str {
    log.pick(&["click", "press", "delete-line", "", "Activate", "doDefault"])
}
