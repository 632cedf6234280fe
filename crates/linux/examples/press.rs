//! The raw call of `cargo xtask bench click`: `press NAME WINDOW LABEL` connects, looks for the element that is called
//! LABEL, and then presses it once for each line on its standard input, and tells how many microseconds the call took.
//!
//! That is the least a click can cost: nothing is listened to, checked or read back.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program that prints its result")]

use std::collections::VecDeque;
use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use serde::Serialize;
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue};
use zbus::{Connection, Message, connection::Builder};

type Reference = (String, OwnedObjectPath);
type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
const ACTION: &str = "org.a11y.atspi.Action";
const ROOT: &str = "/org/a11y/atspi/accessible/root";

/// What the toolkits call a press.
const PRESS: &[&str] = &["click", "press", "toggle", "check", "uncheck"];

/// More actions than this are not looked through.
const MOST_ACTIONS: i32 = 8;

/// More elements than this are not looked through.
const MOST: usize = 20_000;

struct Client {
    connection: Connection,
    destination: Option<String>,
}

impl Client {
    async fn call(
        &self,
        path: &str,
        interface: &str,
        member: &str,
        body: &(impl Serialize + DynamicType),
    ) -> Result<Message> {
        let destination = self.destination.as_deref();
        Ok(self.connection.call_method(destination, path, Some(interface), member, body).await?)
    }

    async fn property(&self, path: &str, interface: &str, property: &str) -> Result<OwnedValue> {
        let answer = self.call(path, "org.freedesktop.DBus.Properties", "Get", &(interface, property)).await?;
        Ok(answer.body().deserialize()?)
    }

    async fn text(&self, path: &str, property: &str) -> Option<String> {
        self.property(path, ACCESSIBLE, property).await.ok()?.try_into().ok()
    }

    /// The first action of the element that presses it.
    async fn press(&self, path: &str) -> Result<i32> {
        for index in 0..MOST_ACTIONS {
            let name: String = self.call(path, ACTION, "GetName", &(index,)).await?.body().deserialize()?;
            if PRESS.contains(&name.to_ascii_lowercase().as_str()) {
                return Ok(index);
            }
        }
        Err("it cannot be pressed".into())
    }

    /// The element of that name below the window that can be pressed.
    async fn find(&self, window: &str, label: &str) -> Result<(String, i32)> {
        let mut waiting = VecDeque::from([window.to_owned()]);
        for _ in 0..MOST {
            let path = waiting.pop_front().ok_or("there is no such element")?;
            if self.text(&path, "Name").await.as_deref() == Some(label)
                && let Ok(action) = self.press(&path).await
            {
                return Ok((path, action));
            }
            let children = self.call(&path, ACCESSIBLE, "GetChildren", &()).await;
            let children: Vec<Reference> = children.and_then(|list| Ok(list.body().deserialize()?)).unwrap_or_default();
            waiting.extend(children.into_iter().map(|(_, path)| path.to_string()));
        }
        Err("the window is too large".into())
    }
}

async fn bus() -> Result<Connection> {
    let address = match std::env::var("AT_SPI_BUS_ADDRESS") {
        Ok(address) if !address.is_empty() => address,
        _ => {
            let session = Builder::session()?.build().await?;
            let bus = Some("org.a11y.Bus");
            let answer = session.call_method(bus, "/org/a11y/bus", bus, "GetAddress", &()).await?;
            answer.body().deserialize::<String>()?
        }
    };
    Ok(Builder::address(address.as_str())?.build().await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(window), Some(label)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("press NAME WINDOW LABEL".into());
    };
    let on_bus = Client { connection: bus().await?, destination: Some(name) };
    let application = "org.a11y.atspi.Application";
    let private = on_bus.call(ROOT, application, "GetApplicationBusAddress", &()).await;
    let private: Option<String> = private.ok().and_then(|answer| answer.body().deserialize().ok());
    let client = match private.filter(|address| !address.is_empty()) {
        Some(address) => {
            Client { connection: Builder::address(address.as_str())?.p2p().build().await?, destination: None }
        }
        None => on_bus,
    };
    let (path, action) = client.find(&window, &label).await?;
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        line?;
        let began = Instant::now();
        let done: bool = client.call(&path, ACTION, "DoAction", &(action,)).await?.body().deserialize()?;
        let microseconds = began.elapsed().as_micros();
        if !done {
            return Err("the application did not do it".into());
        }
        println!("{microseconds}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
