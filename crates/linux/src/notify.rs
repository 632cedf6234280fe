//! Notifications: what the monitor knows, and asking the server to close one or to act on one.

mod book;
mod file;
pub(crate) mod monitor;
mod servers;

use std::path::PathBuf;
use std::sync::OnceLock;

use surehand_core::desktop::Environment;
use surehand_core::disposition::Delivery;
use surehand_core::notification::{Notice, NoticeAction, NoticeId, Notices, Notifications};
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};
use zbus::Connection;

use self::file::Shelf;
use self::monitor::{Order, Watching, connect};
use crate::adapter::LinuxPlatform;
use crate::connect::session_address;
use crate::desktop::bus::ask;
use crate::helper::{self, Program, Role};

/// The name that the notification server of a session has, its object, and its interface.
pub(crate) const SERVER: &str = "org.freedesktop.Notifications";
pub(crate) const OBJECT: &str = "/org/freedesktop/Notifications";
pub(crate) const INTERFACE: &str = "org.freedesktop.Notifications";

/// What watching notifications takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watcher {
    /// The program that becomes the monitor.
    pub program: Program,
    /// The runtime directory of surehand; what was shown is kept below it.
    pub runtime: PathBuf,
}

impl Watcher {
    pub(crate) fn folder(&self) -> PathBuf {
        self.runtime.join("notifications")
    }

    /// Starts the monitor of the session bus that an environment names, unless there is one.
    ///
    /// # Errors
    /// As [`helper::start`], and what the monitor says.
    pub(crate) fn start(&self, environment: &Environment, call: &Call<'_>) -> Result<()> {
        let order = Order { folder: self.folder() };
        let begun: Watching = helper::start(&self.program, Role::NotificationMonitor, environment, call, &order, &[])?;
        tracing::debug!(already = begun.already, "notifications are watched");
        Ok(())
    }
}

/// The session bus as a client of its own, connected to when notifications are first asked for.
#[derive(Debug, Default)]
pub(crate) struct Session(OnceLock<(Connection, Shelf)>);

impl LinuxPlatform {
    fn watcher(&self) -> Result<&Watcher> {
        self.watcher.as_ref().ok_or_else(|| {
            Error::new(Code::PlatformNotSupported, "notifications cannot be watched from here").kind("no_helper")
        })
    }

    fn notification_bus(&self, call: &Call<'_>) -> Result<&(Connection, Shelf)> {
        if let Some(session) = self.session.0.get() {
            return Ok(session);
        }
        let folder = self.watcher()?.folder();
        let address = session_address(&self.environment)?;
        let connection = self.run(call, connect(&address))??;
        let shelf = Shelf::new(&folder, &connection.server_guid().to_string())?;
        Ok(self.session.0.get_or_init(|| (connection, shelf)))
    }

    /// One call to a notification server, by its own name so that nothing is started and nobody else gets it.
    fn tell<B, R>(&self, call: &Call<'_>, server: &str, (interface, method): (&str, &str), body: &B) -> Result<R, Fault>
    where
        B: serde::Serialize + zbus::zvariant::DynamicType,
        R: serde::de::DeserializeOwned + zbus::zvariant::Type,
    {
        let (bus, _) = self.notification_bus(call).map_err(Fault::Ours)?;
        let asked = self.run(call, ask(bus, (server, OBJECT, interface, method), body));
        asked.map_err(Fault::Ours)?.map_err(Fault::Bus)
    }
}

/// Why a server did not do as it was told.
enum Fault {
    /// It was not asked, or we no longer wanted the answer.
    Ours(Error),
    /// What the bus or the server said.
    Bus(zbus::Error),
}

impl Fault {
    fn is_gone(&self) -> bool {
        let gone = ["org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"];
        matches!(self, Fault::Bus(zbus::Error::MethodError(name, _, _)) if gone.contains(&name.as_str()))
    }

    /// As an error of a call that may have reached the server.
    fn error(self, what: &str) -> Error {
        match self {
            Fault::Ours(error) if error.code() == Code::Timeout => error.delivery(Delivery::DeliveryUncertain),
            Fault::Ours(error) => error,
            Fault::Bus(fault) => {
                Error::new(Code::ActionFailed, format!("the notification server did not {what}"))
                    .kind("server_refused")
                    .delivery(Delivery::DeliveryUncertain)
                    // The name of the error; its text can repeat what a notification says.
                    .platform(crate::error::Fault::of(&fault).word())
            }
        }
    }
}

fn gone() -> Error {
    Error::new(Code::NotificationNotFound, "the notification server that showed it has ended").kind("server_gone")
}

impl Notifications for LinuxPlatform {
    fn notices(&self, call: &Call<'_>) -> Result<Notices> {
        let (_, shelf) = self.notification_bus(call)?;
        if let Some(notices) = shelf.read()? {
            return Ok(notices);
        }
        self.watcher()?.start(&self.environment, call)?;
        shelf.read()?.ok_or_else(|| {
            Error::new(Code::Internal, "the process that watches notifications ended at once").kind("monitor_ended")
        })
    }

    fn close(&self, call: &Call<'_>, id: &NoticeId) -> Result<()> {
        match self.tell(call, &id.server, (INTERFACE, "CloseNotification"), &id.number) {
            Ok(()) => Ok(()),
            Err(fault) if fault.is_gone() => Err(gone()),
            Err(fault) => Err(fault.error("close it")),
        }
    }

    fn invoke(&self, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()> {
        servers::invoke(self, call, notice, action)
    }
}
