//! The session bus.

use std::fs;

use surehand_core::desktop::Environment;
use surehand_core::error::Result;
use zbus::zvariant::DynamicType;

use super::component::{Plan, Started, start};
use super::display::told_line;
use super::places::Desk;
use super::programs::Programs;
use super::wait::{Attempt, internal};

/// Names that must not be activated in a desktop: without a session around them they answer late or never,
/// and applications wait for them.
const MASKED: &[&str] = &["org.freedesktop.portal.Desktop", "org.freedesktop.portal.Documents"];

/// Where the session bus of a desktop listens. Nothing in it has to be escaped: see [`Places::check_paths`].
///
/// [`Places::check_paths`]: super::places::Places::check_paths
pub(super) fn address(desk: &Desk) -> String {
    format!("unix:path={}", desk.run().join("bus").display())
}

/// Starts the bus and returns when it listens.
///
/// It comes after the display, so that services which it starts later find that in its environment.
pub(super) fn bring_up(
    attempt: &Attempt<'_>,
    desk: &Desk,
    programs: &Programs,
    environment: &Environment,
) -> Result<Started> {
    mask(desk).map_err(|fault| internal("services of the session bus cannot be masked", &fault))?;
    let started = start(
        attempt,
        desk,
        environment,
        &Plan {
            role: "session-bus",
            program: &programs.bus,
            arguments: ["--session", "--nofork", "--nosyslog", "--address", &address(desk)].map(str::to_owned).to_vec(),
            tell: Some("--print-address"),
        },
    )?;
    told_line(attempt, &started).map_err(|error| started.explain(error))?;
    Ok(started)
}

/// The runtime directory is the first place in which the bus looks for service files.
fn mask(desk: &Desk) -> std::io::Result<()> {
    let services = desk.run().join("dbus-1/services");
    fs::create_dir_all(&services)?;
    for name in MASKED {
        let text = format!("[D-BUS Service]\nName={name}\nExec=/bin/false\n");
        fs::write(services.join(format!("{name}.service")), text)?;
    }
    Ok(())
}

/// Connects to a bus, which includes its greeting.
pub(crate) async fn connect(address: &str) -> zbus::Result<zbus::Connection> {
    zbus::connection::Builder::address(address)?.build().await
}

/// One method call and its answer. Plain calls only: a proxy would read and keep properties on its own.
pub(crate) async fn ask<B, R>(
    bus: &zbus::Connection,
    (name, path, interface, method): (&str, &str, &str, &str),
    body: &B,
) -> zbus::Result<R>
where
    B: serde::Serialize + DynamicType,
    R: serde::de::DeserializeOwned + zbus::zvariant::Type,
{
    bus.call_method(Some(name), path, Some(interface), method, body).await?.body().deserialize()
}

/// The bus itself, as a place to send calls to: name, path, interface.
pub(crate) const DAEMON: (&str, &str, &str) = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus");
