//! The floor of the benchmark: `floor NAME PATH` reads one window with the fewest calls that tell what a snapshot
//! prints, and prints how many elements and calls that were.
//!
//! It is told the window's object, so it looks for nothing, and it checks nothing, keeps nothing and takes every
//! answer at its word. Nothing of the adapter's own reading is used; only the table of roles is shared, so that
//! both ask for the same fields.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program that prints its result")]

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::hint::black_box;

use futures_util::StreamExt as _;
use serde::Serialize;
use surehand_core::role::Role;
use zbus::message::Type;
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue};
use zbus::{Connection, Message, MessageStream, connection::Builder};

#[path = "../src/roles.rs"]
#[allow(dead_code, unreachable_pub, reason = "only the table is used")]
mod roles;

type Reference = (String, OwnedObjectPath);
type Item = (Reference, Reference, Reference, i32, i32, Vec<String>, String, u32, String, Vec<u32>);
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const ROOT: &str = "/org/a11y/atspi/accessible/root";
const IN_FLIGHT: usize = 128;

/// An element, as far as it decides what else is asked.
#[derive(Clone, Default)]
struct Element {
    path: String,
    role: u32,
    named: bool,
    interfaces: Vec<String>,
    children: i32,
}

struct Client {
    connection: Connection,
    replies: MessageStream,
    destination: Option<String>,
    calls: usize,
}

impl Client {
    fn of(connection: Connection, destination: Option<&str>) -> Client {
        let replies = MessageStream::from(&connection);
        Client { connection, replies, destination: destination.map(str::to_owned), calls: 0 }
    }

    fn message(
        &self,
        path: &str,
        interface: &str,
        member: &str,
        body: &(impl Serialize + DynamicType),
    ) -> Result<Message> {
        let mut message = Message::method_call(path, member)?.interface(interface)?;
        if let Some(destination) = &self.destination {
            message = message.destination(destination.as_str())?;
        }
        Ok(message.build(body)?)
    }

    fn get(&self, path: &str, interface: &str, property: &str) -> Result<Message> {
        self.message(path, "org.freedesktop.DBus.Properties", "Get", &(interface, property))
    }

    /// Sends all, and takes the answers as they come.
    async fn all(&mut self, messages: &[Message]) -> Result<Vec<Option<Message>>> {
        self.calls += messages.len();
        let mut waiting = HashMap::with_capacity(messages.len());
        let mut answers = vec![None; messages.len()];
        let mut sent = 0;
        let mut taken = 0;
        while taken < messages.len() {
            while sent < messages.len() && sent - taken < IN_FLIGHT {
                waiting.insert(messages[sent].primary_header().serial_num(), sent);
                self.connection.send(&messages[sent]).await?;
                sent += 1;
            }
            let answer = self.replies.next().await.ok_or("disconnected")??;
            let place = answer.header().reply_serial().and_then(|serial| waiting.remove(&serial));
            if let Some(place) = place {
                answers[place] = (answer.message_type() == Type::MethodReturn).then_some(answer);
                taken += 1;
            }
        }
        Ok(answers)
    }

    async fn one(&mut self, message: Message) -> Result<Message> {
        Ok(self.all(&[message]).await?.pop().flatten().ok_or("refused")?)
    }
}

fn text(answer: &Option<Message>) -> Option<String> {
    let value: OwnedValue = answer.as_ref()?.body().deserialize().ok()?;
    value.try_into().ok()
}

async fn bus() -> Result<Connection> {
    let address = match std::env::var("AT_SPI_BUS_ADDRESS") {
        Ok(address) if !address.is_empty() => address,
        _ => {
            let session = Builder::session()?.build().await?;
            let mut client = Client::of(session, Some("org.a11y.Bus"));
            let ask = client.message("/org/a11y/bus", "org.a11y.Bus", "GetAddress", &())?;
            client.one(ask).await?.body().deserialize::<String>()?
        }
    };
    Ok(Builder::address(address.as_str())?.build().await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(window)) = (arguments.next(), arguments.next()) else { return Err("floor NAME PATH".into()) };
    let connection = bus().await?;
    let mut on_bus = Client::of(connection, Some(&name));
    let asks = [
        on_bus.get(ROOT, "org.a11y.atspi.Application", "ToolkitName")?,
        on_bus.message(ROOT, "org.a11y.atspi.Application", "GetApplicationBusAddress", &())?,
    ];
    let answers = on_bus.all(&asks).await?;
    let toolkit = text(&answers[0]).unwrap_or_default();
    let private = answers[1].as_ref().and_then(|answer| answer.body().deserialize::<String>().ok());
    let mut before = on_bus.calls;
    // The private connection is what registers us with the application: its list of all elements is kept from then.
    let mut client = match private.filter(|address| !address.is_empty()) {
        Some(address) => Client::of(Builder::address(address.as_str())?.p2p().build().await?, None),
        None => {
            before = 0;
            on_bus
        }
    };
    let elements = match toolkit.as_str() {
        "GTK" | "Qt" => breadth_first(&mut client, &window).await?,
        _ => in_bulk(&mut client, &name, &window).await?,
    };
    details(&mut client, &elements, &toolkit).await?;
    println!("{{\"nodes\":{},\"calls\":{}}}", elements.len(), before + client.calls);
    Ok(())
}

/// A level at a time: what an element is and who its children are, all asked at once.
async fn breadth_first(client: &mut Client, window: &str) -> Result<Vec<Element>> {
    let mut elements = Vec::new();
    let mut level = vec![window.to_owned()];
    let mut seen: HashSet<String> = level.iter().cloned().collect();
    while !level.is_empty() {
        let mut asks = Vec::with_capacity(level.len() * 6);
        for path in &level {
            asks.push(client.get(path, ACCESSIBLE, "Name")?);
            asks.push(client.get(path, ACCESSIBLE, "Description")?);
            asks.push(client.message(path, ACCESSIBLE, "GetRole", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetState", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetInterfaces", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetChildren", &())?);
        }
        let answers = client.all(&asks).await?;
        let mut next = Vec::new();
        for (path, own) in level.into_iter().zip(answers.chunks_exact(6)) {
            black_box((text(&own[1]), own[3].as_ref().map(|answer| answer.body().deserialize::<Vec<u32>>())));
            let body = |at: usize| own[at].as_ref().map(Message::body);
            elements.push(Element {
                path,
                role: body(2).and_then(|body| body.deserialize().ok()).unwrap_or(0),
                named: text(&own[0]).is_some_and(|name| !name.is_empty()),
                interfaces: body(4).and_then(|body| body.deserialize().ok()).unwrap_or_default(),
                children: 0,
            });
            let children: Vec<Reference> = body(5).and_then(|body| body.deserialize().ok()).unwrap_or_default();
            next.extend(
                children.into_iter().map(|(_, path)| path.to_string()).filter(|path| seen.insert(path.clone())),
            );
        }
        level = next;
    }
    Ok(elements)
}

/// The list of everything, and a look at what it leaves out.
async fn in_bulk(client: &mut Client, name: &str, window: &str) -> Result<Vec<Element>> {
    let ask = client.message("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems", &())?;
    let items: Vec<Item> = client.one(ask).await?.body().deserialize()?;
    let mut children: HashMap<String, Vec<String>> = HashMap::new();
    let mut known: HashMap<String, Element> = HashMap::new();
    for (object, _, parent, _, count, interfaces, text, role, description, states) in items {
        black_box((description, states));
        let path = object.1.to_string();
        if parent.0 == name {
            children.entry(parent.1.to_string()).or_default().push(path.clone());
        }
        known.insert(path.clone(), Element { path, role, named: !text.is_empty(), interfaces, children: count });
    }
    let mut elements = Vec::new();
    let mut level = vec![window.to_owned()];
    while !level.is_empty() {
        let missing: Vec<&String> = level.iter().filter(|path| !known.contains_key(*path)).collect();
        let mut asks = Vec::new();
        for path in &missing {
            asks.push(client.get(path, ACCESSIBLE, "Name")?);
            asks.push(client.get(path, ACCESSIBLE, "Description")?);
            asks.push(client.message(path, ACCESSIBLE, "GetRole", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetState", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetInterfaces", &())?);
            asks.push(client.message(path, ACCESSIBLE, "GetChildren", &())?);
        }
        let unlisted = |path: &&String| {
            known.get(*path).is_some_and(|element| {
                element.children != children.get(*path).map_or(0, |children| children.len() as i32)
            })
        };
        let partly: Vec<&String> = level.iter().filter(unlisted).collect();
        for path in &partly {
            asks.push(client.message(path, ACCESSIBLE, "GetChildren", &())?);
        }
        let answers = client.all(&asks).await?;
        let (skeletons, lists) = answers.split_at(missing.len() * 6);
        let list = |answer: &Option<Message>| {
            let list = answer.as_ref().and_then(|answer| answer.body().deserialize::<Vec<Reference>>().ok());
            list.unwrap_or_default().into_iter().map(|(_, path)| path.to_string()).collect::<Vec<_>>()
        };
        let mut found = Vec::new();
        for (path, own) in missing.into_iter().zip(skeletons.chunks_exact(6)) {
            black_box((text(&own[1]), own[3].as_ref().map(|answer| answer.body().deserialize::<Vec<u32>>())));
            let body = |at: usize| own[at].as_ref().map(Message::body);
            let element = Element {
                path: path.clone(),
                role: body(2).and_then(|body| body.deserialize().ok()).unwrap_or(0),
                named: text(&own[0]).is_some_and(|name| !name.is_empty()),
                interfaces: body(4).and_then(|body| body.deserialize().ok()).unwrap_or_default(),
                children: 0,
            };
            found.push((element, list(&own[5])));
        }
        for (path, answer) in partly.iter().zip(lists) {
            children.insert((*path).clone(), list(answer));
        }
        for (element, own) in found {
            children.insert(element.path.clone(), own);
            known.insert(element.path.clone(), element);
        }
        let mut next = Vec::new();
        for path in &level {
            if let Some(element) = known.get(path) {
                elements.push(element.clone());
                next.extend(children.get(path).into_iter().flatten().cloned());
            }
        }
        level = next;
    }
    Ok(elements)
}

/// What else a snapshot prints, all asked at once. A text is asked for without its length.
async fn details(client: &mut Client, elements: &[Element], toolkit: &str) -> Result<()> {
    let browser = matches!(toolkit, "Chromium" | "Gecko");
    let mut asks = Vec::new();
    for element in elements {
        let path = element.path.as_str();
        let has = |interface: &str| {
            element.interfaces.iter().any(|name| name.strip_prefix("org.a11y.atspi.") == Some(interface))
        };
        let (role, _) = roles::role(element.role);
        if has("Action") && !role.holds_text() {
            let action = "org.a11y.atspi.Action";
            asks.push(match browser {
                true => client.message(path, action, "GetName", &(0i32,))?,
                false => client.message(path, action, "GetActions", &())?,
            });
        }
        if has("Text") && role.holds_text() && !roles::is_secret(element.role) {
            asks.push(client.message(path, "org.a11y.atspi.Text", "GetText", &(0i32, -1i32))?);
        }
        if has("Value") && (role.is_range() || role == Role::ProgressBar) {
            for property in ["CurrentValue", "MinimumValue", "MaximumValue"] {
                asks.push(client.get(path, "org.a11y.atspi.Value", property)?);
            }
        }
        if role.is_interactive() || has("Action") || has("EditableText") {
            if browser || role == Role::TextField {
                asks.push(client.message(path, ACCESSIBLE, "GetAttributes", &())?);
            }
            if !browser && toolkit != "Qt" {
                asks.push(client.get(path, ACCESSIBLE, "AccessibleId")?);
            }
            if !element.named && role != Role::MenuItem {
                asks.push(client.message(path, ACCESSIBLE, "GetRelationSet", &())?);
            }
        }
    }
    for answer in client.all(&asks).await?.into_iter().flatten() {
        black_box(answer.body().deserialize::<zbus::zvariant::Structure<'_>>().is_ok());
    }
    Ok(())
}
