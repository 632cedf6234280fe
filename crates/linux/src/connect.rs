//! The accessibility bus, and private connections to applications.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use surehand_core::desktop::Environment;
use surehand_core::object::{ObjectId, Process};
use surehand_core::{Code, Error, Result};
use tokio::sync::OnceCell;
use zbus::Address;
use zbus::address::transport::Transport;
use zbus::connection::Builder;

use crate::error::{Fault, no_bus};
use crate::process;
use crate::socket::Batched;
use crate::toolkit::Toolkit;
use crate::trip::{Kind, Trip};
use crate::wire::{ATSPI, Answer, Ask, Line, Peer, body, property};

/// The root object of every application on the accessibility bus, and of the registry.
pub(crate) const ROOT: &str = "/org/a11y/atspi/accessible/root";

/// Answers that a batch may have waiting for us before the bus library stops reading.
const QUEUE: usize = 1_024;

/// The accessibility bus of one desktop session.
pub(crate) struct Bus {
    line: Line,
    /// The bus's GUID: no other bus, now or later, has the same.
    guid: String,
    links: SyncMutex<HashMap<String, Arc<OnceCell<Arc<Link>>>>>,
    met: SyncMutex<HashMap<String, Met>>,
}

/// What listing the applications told of one, so that it need not be asked again. The bus never hands a name out
/// twice, so none of it can come to be about another application.
#[derive(Debug, Clone)]
pub(crate) struct Met {
    /// The process.
    pub(crate) process: Process,
    /// The toolkit's name.
    pub(crate) toolkit: String,
    /// The address of the private connection; none where it offers none.
    pub(crate) address: Option<String>,
    /// How many windows it had. Only good for not asking for the list of something that claims millions.
    pub(crate) windows: Option<i32>,
}

/// One application, and the ways to talk to it.
pub(crate) struct Link {
    /// The unique bus name, never used again by the bus.
    pub(crate) name: String,
    /// The process behind it.
    pub(crate) process: Process,
    /// What its toolkit is.
    pub(crate) toolkit: Toolkit,
    /// Where it is asked.
    pub(crate) read: Peer,
    /// The address of its private connection, where it offers one.
    private: Option<String>,
    /// The connection that actions go over, opened before the first one.
    act: OnceCell<Peer>,
}

impl Bus {
    /// Connects to the accessibility bus that the session bus names, and has toolkits publish their trees.
    pub(crate) async fn connect(environment: &Environment) -> Result<Bus> {
        let address = match environment.0.get("AT_SPI_BUS_ADDRESS").filter(|address| !address.is_empty()) {
            Some(address) => address.clone(),
            None => address_from_session(environment).await?,
        };
        let line = open(&address, false).await.map_err(|fault| {
            no_bus("the session bus names one, and it cannot be connected to").platform(fault.word())
        })?;
        let guid = line.connection.server_guid().to_string();
        Ok(Bus { line, guid, links: SyncMutex::default(), met: SyncMutex::default() })
    }

    /// The identity of this desktop session.
    pub(crate) fn guid(&self) -> &str {
        &self.guid
    }

    /// The registry, which lists the applications.
    pub(crate) fn registry(&self) -> Peer {
        self.peer("org.a11y.atspi.Registry")
    }

    /// The bus itself.
    pub(crate) fn daemon(&self) -> Peer {
        self.peer("org.freedesktop.DBus")
    }

    /// Whoever has that name on the bus.
    pub(crate) fn peer(&self, name: &str) -> Peer {
        Peer::on_bus(&self.line, name)
    }

    /// The identity of an object of an application.
    pub(crate) fn object(&self, name: &str, path: &str) -> ObjectId {
        ObjectId { owner: format!("{}{}", self.guid, name), object: path.to_owned() }
    }

    /// The bus name in an identity, if it is one of this bus.
    pub(crate) fn name_of<'o>(&self, object: &'o ObjectId) -> Option<&'o str> {
        object.owner.strip_prefix(&self.guid)
    }

    /// The link to an application, made at the first call and kept.
    pub(crate) async fn link(&self, name: &str) -> Result<Arc<Link>, Fault> {
        let cell = {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(links.entry(name.to_owned()).or_default())
        };
        // Whoever comes while it is being opened waits for that one.
        cell.get_or_try_init(async || self.open_link(name).await.map(Arc::new)).await.map(Arc::clone)
    }

    /// Remembers what listing the applications told of one.
    pub(crate) fn meet(&self, name: &str, met: Met) {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), met);
    }

    /// What is remembered of an application.
    pub(crate) fn met(&self, name: &str) -> Option<Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    async fn open_link(&self, name: &str) -> Result<Link, Fault> {
        let met = match self.met(name) {
            Some(met) if process::is_stopped(met.process.pid) => return Err(Fault::NoAnswer),
            Some(met) => met,
            None => self.introduce(name).await?,
        };
        let mut read = self.peer(name);
        if let Some(address) = &met.address
            && let Some(peer) = open_private(address, met.process.pid).await
        {
            read = peer;
        }
        Ok(Link {
            name: name.to_owned(),
            process: met.process,
            toolkit: Toolkit::named(&met.toolkit),
            read,
            private: met.address,
            act: OnceCell::new(),
        })
    }

    async fn introduce(&self, name: &str) -> Result<Met, Fault> {
        let peer = self.peer(name);
        let application = format!("{ATSPI}Application");
        let asks = vec![peer.get(ROOT, &application, "ToolkitName"), private_address(&peer)];
        let process = async {
            let process = process::process(self.pid_of(name).await?).ok_or(Fault::Disconnected)?;
            // It will not answer to the other question.
            if process::is_stopped(process.pid) { Err(Fault::NoAnswer) } else { Ok(process) }
        };
        let answers = async { Ok(peer.batch(asks).await) };
        let (process, answers) = futures_util::future::try_join(process, answers).await?;
        let mut answers = answers.into_iter();
        let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
        let (toolkit, address) = (property::<String>(next()), local_address(next()));
        if let Err(fault @ (Fault::NoAnswer | Fault::Disconnected)) = toolkit {
            return Err(fault);
        }
        Ok(Met { process, toolkit: toolkit.unwrap_or_default(), address, windows: None })
    }

    /// The pid behind a bus name, as the bus itself knows it.
    pub(crate) async fn pid_of(&self, name: &str) -> Result<u32, Fault> {
        let daemon = self.daemon();
        let ask = daemon.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", &(name,));
        body(daemon.one(ask).await)
    }
}

/// For what is told of an application without there being a bus.
#[cfg(any(test, fuzzing))]
impl Bus {
    pub(crate) fn of_line(line: Line, guid: &str) -> Bus {
        Bus { line, guid: guid.to_owned(), links: SyncMutex::default(), met: SyncMutex::default() }
    }

    pub(crate) async fn know(&self, link: Link) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.insert(link.name.clone(), Arc::new(OnceCell::new_with(Some(Arc::new(link)))));
    }
}

#[cfg(any(test, fuzzing))]
impl Link {
    pub(crate) fn of_parts(name: &str, process: Process, toolkit: Toolkit, read: Peer) -> Link {
        Link { name: name.to_owned(), process, toolkit, read, private: None, act: OnceCell::new() }
    }
}

impl Link {
    /// The connection for actions. An action that opens a dialog can keep the connection it came over from
    /// being answered until the dialog closes, so it gets one of its own, and reading goes on over the other.
    pub(crate) async fn act(&self, bus: &Bus) -> &Peer {
        self.act
            .get_or_init(async || match &self.private {
                Some(address) => match open_private(address, self.process.pid).await {
                    Some(peer) => peer,
                    None => bus.peer(&self.name),
                },
                None => bus.peer(&self.name),
            })
            .await
    }
}

/// The question for the address of an application's private connection.
pub(crate) fn private_address(peer: &Peer) -> Ask {
    peer.call(ROOT, &format!("{ATSPI}Application"), "GetApplicationBusAddress", &())
}

/// The address in the answer, if it is one that may be connected to.
pub(crate) fn local_address(answer: Answer) -> Option<String> {
    body::<String>(answer).ok().filter(|address| is_local_socket(address))
}

/// Whether an address that somebody gave is a plain local socket. Others could make us start a
/// program (`unixexec:`) or talk to another machine (`tcp:`).
fn is_local_socket(address: &str) -> bool {
    address.parse::<zbus::Address>().is_ok_and(|address| matches!(address.transport(), Transport::Unix(_)))
}

/// Opens a private connection and makes sure that the process asked for is at its other end.
async fn open_private(address: &str, pid: u32) -> Option<Peer> {
    let line = open(address, true).await.ok()?;
    let credentials = line.connection.peer_creds().await.ok()?;
    (credentials.process_id() == Some(pid)).then(|| Peer::private(line))
}

async fn open(address: &str, private: bool) -> Result<Line, Fault> {
    let fault = |error: zbus::Error| Fault::of(&error);
    // Whoever has the name of the accessibility bus tells its address; it must not make us do anything else.
    if !is_local_socket(address) {
        return Err(Fault::Refused("not a socket of this machine".to_owned()));
    }
    let parsed: Address = address.parse().map_err(|_| Fault::Malformed)?;
    let _trip = Trip::begin(Kind::Connection, 0);
    let (builder, outbox) = match Batched::connect(&parsed).await {
        Some(socket) => {
            let socket = socket.map_err(|_| Fault::Disconnected)?;
            let outbox = socket.outbox();
            (Builder::socket(socket), Some(outbox))
        }
        None => (Builder::address(parsed).map_err(fault)?, None),
    };
    let builder = builder.max_queued(QUEUE);
    let builder = if private { builder.p2p() } else { builder };
    Ok(Line { connection: builder.build().await.map_err(fault)?, outbox })
}

/// The address of the session bus that an environment names.
///
/// # Errors
/// `PLATFORM_NOT_SUPPORTED` when it names none.
pub(crate) fn session_address(environment: &Environment) -> Result<String> {
    environment
        .0
        .get("DBUS_SESSION_BUS_ADDRESS")
        .cloned()
        .filter(|address| !address.is_empty())
        .or_else(|| {
            let runtime = environment.0.get("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty())?;
            std::path::Path::new(runtime).join("bus").exists().then(|| format!("unix:path={runtime}/bus"))
        })
        .ok_or_else(|| {
            Error::new(Code::PlatformNotSupported, "no session bus is named in the environment")
                .kind("no_session_bus")
                .suggest("run it inside a desktop session, or start a private one with `surehand desktop start`")
        })
}

/// Asks the session bus for the accessibility bus, and switches accessibility on where it is off: toolkits
/// other than GTK publish nothing before.
async fn address_from_session(environment: &Environment) -> Result<String> {
    let session = session_address(environment)?;
    let line = open(&session, false)
        .await
        .map_err(|fault| no_bus("the session bus cannot be connected to").platform(fault.word()))?;
    let peer = Peer::on_bus(&line, "org.a11y.Bus");
    let mut answers = peer
        .batch(vec![
            peer.get("/org/a11y/bus", "org.a11y.Status", "IsEnabled"),
            peer.call("/org/a11y/bus", "org.a11y.Bus", "GetAddress", &()),
        ])
        .await;
    let address: Result<String, Fault> = body(answers.pop().unwrap_or(Err(Fault::Malformed)));
    let enabled: Result<bool, Fault> = property(answers.pop().unwrap_or(Err(Fault::Malformed)));
    if enabled == Ok(false) {
        let value = zbus::zvariant::Value::from(true);
        let set = peer.call(
            "/org/a11y/bus",
            "org.freedesktop.DBus.Properties",
            "Set",
            &("org.a11y.Status", "IsEnabled", value),
        );
        // Where it cannot be switched on, GTK applications are still there to be read.
        let _ = peer.one(set).await;
    }
    address.ok().filter(|address| !address.is_empty()).ok_or_else(|| no_bus("the session bus does not know of one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_cannot_make_us_start_programs_or_talk_to_other_machines() {
        assert!(is_local_socket("unix:path=/run/user/1/at-spi2-socket-7"));
        assert!(is_local_socket("unix:abstract=/tmp/x"));
        for address in ["unixexec:path=/bin/sh", "tcp:host=example.org,port=1", "", "nonsense", "unix:"] {
            assert!(!is_local_socket(address), "{address}");
        }
    }
}
