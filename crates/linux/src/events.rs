//! What an application announces on the accessibility bus.
//!
//! Toolkits announce only what somebody registered for, so only the kinds that are used are registered; that an element
//! moved is not among them, of which some toolkits have dozens to tell for each click.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use surehand_core::object::ObjectId;
use surehand_core::state::State;
use surehand_core::watch::{Change, Changed};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use zbus::message::Type as MessageType;
use zbus::zvariant::{OwnedValue, Structure, Value};
use zbus::{Message, MessageStream};

use crate::app::NativeRef;
use crate::connect::{Bus, ROOT};
use crate::error::Fault;
use crate::skeleton::NULL;
use crate::wire::{ATSPI, Peer, body};

/// The kinds of announcements that are registered for.
const KINDS: &[&str] = &[
    "object:state-changed",
    "object:property-change",
    "object:text-changed",
    "object:children-changed",
    "object:selection-changed",
    "window:",
];

/// The signals that these arrive as.
const SIGNALS: &[(&str, Option<&str>)] = &[
    ("org.a11y.atspi.Event.Object", Some("StateChanged")),
    ("org.a11y.atspi.Event.Object", Some("PropertyChange")),
    ("org.a11y.atspi.Event.Object", Some("TextChanged")),
    ("org.a11y.atspi.Event.Object", Some("ChildrenChanged")),
    ("org.a11y.atspi.Event.Object", Some("SelectionChanged")),
    ("org.a11y.atspi.Event.Window", None),
];

/// More announcements than this are not kept; whoever falls so far behind looks instead of listening.
const MOST: usize = 4_096;

/// What was announced and not taken yet.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(String, Changed)>,
    /// For children the path only: their owner is the application.
    notify: Arc<Notify>,
}

/// A subscription to one application.
pub(crate) struct Subscription {
    name: String,
    queue: Arc<Mutex<Queue>>,
    notify: Arc<Notify>,
    task: JoinHandle<()>,
    windows: HashSet<String>,
}

impl Subscription {
    /// Subscribes, and returns once the application knows of it.
    pub(crate) async fn begin(bus: &Bus, name: &str) -> Result<Subscription, Fault> {
        let notify = Arc::new(Notify::new());
        let queue = Arc::new(Mutex::new(Queue { waiting: VecDeque::new(), notify: Arc::clone(&notify) }));
        let registry = bus.registry();
        // Taken in all the time, so that what nobody reads yet does not hold up the answers behind it.
        let stream = MessageStream::from(registry.connection());
        let task = tokio::spawn(take_in(stream, name.to_owned(), Arc::clone(&queue)));
        let mut subscription = Subscription { name: name.to_owned(), queue, notify, task, windows: HashSet::new() };
        bus.daemon().post(matches(bus, name, "AddMatch")).await;
        let registered = registry.batch(registrations(&registry, "RegisterEvent", name)).await;
        if let Some(Err(fault)) = registered.into_iter().next() {
            return Err(fault);
        }
        // The registry told the application before it answered us; an answer of the application to a question that
        // was asked after that shows that it has heard.
        subscription.windows = subscription.top(bus).await?.into_iter().collect();
        Ok(subscription)
    }

    /// Waits until something is there to be taken.
    pub(crate) async fn wait(&self, span: Duration) {
        let filled = || !lock(&self.queue).waiting.is_empty();
        // What has arrived already is taken in before anybody decides that there is nothing.
        tokio::task::yield_now().await;
        let _ = tokio::time::timeout(span, async {
            while !filled() {
                self.notify.notified().await;
            }
        })
        .await;
    }

    /// What was announced since the last time.
    pub(crate) fn take(&self, bus: &Bus) -> Vec<Change> {
        let waiting = std::mem::take(&mut lock(&self.queue).waiting);
        waiting
            .into_iter()
            .map(|(path, what)| {
                let child = |path: Option<ObjectId>| path.map(|child| bus.object(&self.name, &child.object));
                let what = match what {
                    Changed::ChildAdded(path) => Changed::ChildAdded(child(path)),
                    Changed::ChildRemoved(path) => Changed::ChildRemoved(child(path)),
                    other => other,
                };
                // Where a window is announced of the application's root, the root is meant as little as the window.
                let what = match what {
                    Changed::ChildAdded(Some(_)) if path == ROOT => Changed::WindowOpened,
                    other => other,
                };
                Change { source: bus.object(&self.name, &path), what }
            })
            .collect()
    }

    /// The objects at the top of the application that were not there at the beginning.
    pub(crate) async fn opened(&self, bus: &Bus) -> Result<Vec<ObjectId>, Fault> {
        let now = self.top(bus).await?;
        Ok(now
            .into_iter()
            .filter(|path| !self.windows.contains(path))
            .map(|path| bus.object(&self.name, &path))
            .collect())
    }

    async fn top(&self, bus: &Bus) -> Result<Vec<String>, Fault> {
        let peer = bus.peer(&self.name);
        let ask = peer.call(ROOT, &format!("{ATSPI}Accessible"), "GetChildren", &());
        let children: Vec<NativeRef> = body(peer.one(ask).await)?;
        let own = children.into_iter().filter(|(owner, _)| owner.is_empty() || *owner == self.name);
        Ok(own.map(|(_, path)| path.to_string()).filter(|path| path != NULL).take(crate::window::MAX_WINDOWS).collect())
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Takes a subscription to the application of that name back, whether it was begun in full or not.
pub(crate) async fn end(bus: &Bus, name: &str) {
    let registry = bus.registry();
    registry.post(registrations(&registry, "DeregisterEvent", name)).await;
    bus.daemon().post(matches(bus, name, "RemoveMatch")).await;
}

fn matches(bus: &Bus, name: &str, member: &str) -> Vec<crate::wire::Ask> {
    let daemon = bus.daemon();
    let rule = |(interface, signal): &(&str, Option<&str>)| {
        let signal = signal.map(|signal| format!(",member='{signal}'")).unwrap_or_default();
        format!("type='signal',sender='{name}',interface='{interface}'{signal}")
    };
    SIGNALS
        .iter()
        .map(|signal| daemon.call("/org/freedesktop/DBus", "org.freedesktop.DBus", member, &(rule(signal),)))
        .collect()
}

fn registrations(registry: &Peer, member: &str, name: &str) -> Vec<crate::wire::Ask> {
    let interface = format!("{ATSPI}Registry");
    let call = |kind: &&str| match member {
        "RegisterEvent" => {
            registry.call("/org/a11y/atspi/registry", &interface, member, &(*kind, Vec::<String>::new(), name))
        }
        _ => registry.call("/org/a11y/atspi/registry", &interface, member, &(*kind,)),
    };
    KINDS.iter().map(call).collect()
}

/// A panic while the queue was held leaves nothing half changed in it.
fn lock(queue: &Mutex<Queue>) -> std::sync::MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes in what the application of that name announces, as long as somebody wants it.
async fn take_in(mut stream: MessageStream, name: String, queue: Arc<Mutex<Queue>>) {
    while let Some(Ok(message)) = stream.next().await {
        if message.message_type() != MessageType::Signal {
            continue;
        }
        let header = message.header();
        if header.sender().map(zbus::names::UniqueName::as_str) != Some(name.as_str()) {
            continue;
        }
        let (Some(path), Some(interface), Some(member)) = (header.path(), header.interface(), header.member()) else {
            continue;
        };
        let Some(what) = changed(interface.as_str(), member.as_str(), &message) else { continue };
        crate::trip::announced();
        let mut queue = lock(&queue);
        if queue.waiting.len() < MOST {
            queue.waiting.push_back((path.as_str().to_owned(), what));
        }
        queue.notify.notify_one();
    }
}

/// What a signal says.
fn changed(interface: &str, member: &str, message: &Message) -> Option<Changed> {
    match interface {
        // GTK 4 writes them in lower case.
        "org.a11y.atspi.Event.Window" => match member.to_ascii_lowercase().as_str() {
            "create" | "open" | "activate" => Some(Changed::WindowOpened),
            "destroy" | "close" => Some(Changed::WindowClosed),
            _ => None,
        },
        "org.a11y.atspi.Event.Object" => {
            let (detail, number, value) = parts(message)?;
            match member {
                "StateChanged" => state(&detail, number != 0),
                "PropertyChange" => match detail.as_str() {
                    "accessible-name" => Some(Changed::Name),
                    "accessible-description" => Some(Changed::Description),
                    "accessible-value" => Some(Changed::Value),
                    _ => None,
                },
                "TextChanged" => Some(Changed::Value),
                "SelectionChanged" => Some(Changed::Selection),
                "ChildrenChanged" if detail.starts_with("add") => Some(Changed::ChildAdded(child(&value))),
                "ChildrenChanged" if detail.starts_with("remove") => Some(Changed::ChildRemoved(child(&value))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Detail, first number and value of a signal. Qt ends it with a reference, all others with a table.
fn parts(message: &Message) -> Option<(String, i32, OwnedValue)> {
    let body = message.body();
    let whole: Structure<'_> = body.deserialize().ok()?;
    match whole.fields() {
        [Value::Str(detail), Value::I32(number), Value::I32(_), value, ..] => {
            Some((detail.as_str().to_owned(), *number, value.try_to_owned().ok()?))
        }
        _ => None,
    }
}

/// The child in the value of a signal, as an object without an owner.
fn child(value: &OwnedValue) -> Option<ObjectId> {
    let mut value: &Value<'_> = value;
    while let Value::Value(inner) = value {
        value = inner;
    }
    let Value::Structure(reference) = value else { return None };
    match reference.fields() {
        [Value::Str(_), Value::ObjectPath(path)] if path.as_str() != NULL => {
            Some(ObjectId { owner: String::new(), object: path.as_str().to_owned() })
        }
        _ => None,
    }
}

/// What a native state that was gained or lost means for us.
fn state(word: &str, on: bool) -> Option<Changed> {
    let is = |state| Some(Changed::State(state, on));
    match word {
        "focused" => is(State::Focused),
        "checked" => is(State::Checked),
        "pressed" => is(State::Pressed),
        "expanded" => is(State::Expanded),
        "selected" => is(State::Selected),
        "indeterminate" => is(State::Indeterminate),
        "busy" => is(State::Busy),
        "modal" => is(State::Modal),
        "invalid-entry" => is(State::Invalid),
        "required" => is(State::Required),
        "sensitive" => Some(Changed::State(State::Disabled, !on)),
        "visible" => Some(Changed::State(State::Hidden, !on)),
        "showing" => Some(Changed::State(State::Offscreen, !on)),
        "defunct" if on => Some(Changed::Defunct),
        _ => None,
    }
}
