//! `doctor`: every link between surehand and an application, each one really asked.
//!
//! Asking for the accessibility bus and its registry starts them where the session can, as every client does;
//! nothing else is started or changed.

pub mod packages;

use std::path::{Path, PathBuf};
use std::time::Duration;

use surehand_core::desktop::Environment;
use surehand_core::diagnosis::{Check, Doctor, Health, Mend};
use surehand_core::error::Result;
use surehand_core::text::quote;
use surehand_core::time::Call;

use crate::desktop::bus::{self, DAEMON, ask};
use crate::desktop::wait::run;
use crate::desktop::{accessibility, programs};
use crate::x11::Display;
use packages::{AT_SPI_BUS_LAUNCHER, DBUS_DAEMON, OPENBOX, PACKAGES, Package, mends};

/// How long one part is asked at most: all that concerns the display, each of the buses.
const PATIENCE: Duration = Duration::from_secs(3);

/// Examines the desktop that an environment belongs to.
#[derive(Debug, Clone)]
pub struct LinuxDoctor {
    environment: Environment,
}

impl LinuxDoctor {
    /// A doctor for the desktop of `environment`.
    pub fn new(environment: Environment) -> Self {
        LinuxDoctor { environment }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.environment.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Display, window manager, input and capture.
    fn screen(&self, call: &Call<'_>) -> [Check; 4] {
        let without = |display: Check| {
            let unknown = |id| needed(id, Health::Unknown, "needs a display", Vec::new());
            [display, unknown("window-manager"), unknown("input"), unknown("capture")]
        };
        let Some(name) = self.get("DISPLAY") else {
            let found = match self.get("WAYLAND_DISPLAY") {
                Some(wayland) => format!(
                    "DISPLAY is not set; the Wayland session {} has no X display, and Wayland is not supported yet",
                    quote(wayland)
                ),
                None => "DISPLAY is not set".to_owned(),
            };
            return without(needed("display", Health::Missing, found, start_one()));
        };
        let authority = self.authority();
        let display = match Display::connect(&call.at_most(PATIENCE), name, authority.as_deref()) {
            Ok(display) => display,
            Err(error) => {
                let health = match error.kind_of() {
                    Some("display_name" | "display_missing") => Health::Missing,
                    _ => Health::Broken,
                };
                return without(needed(
                    "display",
                    health,
                    format!("{}: {}", quote(name), error.message()),
                    start_one(),
                ));
            }
        };
        let (width, height) = display.size();
        [
            needed("display", Health::Ok, format!("{} answers, {width}x{height}", quote(name)), Vec::new()),
            window_manager(&display),
            input(&display),
            capture(&display),
        ]
    }

    /// The file with the cookies of displays.
    fn authority(&self) -> Option<PathBuf> {
        let named = self.get("XAUTHORITY").map(PathBuf::from);
        named.or_else(|| self.get("HOME").map(|home| Path::new(home).join(".Xauthority")))
    }

    /// Where the session bus is, by the environment or, failing that, where systemd puts it.
    fn session_address(&self) -> Option<String> {
        if let Some(address) = self.get("DBUS_SESSION_BUS_ADDRESS") {
            return Some(address.to_owned());
        }
        let socket = Path::new(self.get("XDG_RUNTIME_DIR")?).join("bus");
        socket.exists().then(|| format!("unix:path={}", socket.display()))
    }

    /// Session bus, accessibility bus, registry, and whether a screen reader is announced.
    fn buses(&self, call: &Call<'_>) -> [Check; 4] {
        let unknown = |id, what| needed(id, Health::Unknown, what, Vec::new());
        let reader = || Check { needed: false, ..unknown("screen-reader", "needs an accessibility bus") };
        let Some(address) = self.session_address() else {
            return [
                needed("session-bus", Health::Missing, "DBUS_SESSION_BUS_ADDRESS is not set", install(&DBUS_DAEMON)),
                unknown("accessibility-bus", "needs a session bus"),
                unknown("registry", "needs a session bus"),
                reader(),
            ];
        };
        let outcome = run(|| async {
            let session = match within(call, greeted(&address)).await {
                Ok(session) => session,
                Err(fault) => {
                    return Ok([
                        needed("session-bus", fault.health(), fault.0, install(&DBUS_DAEMON)),
                        unknown("accessibility-bus", "needs a session bus"),
                        unknown("registry", "needs a session bus"),
                        reader(),
                    ]);
                }
            };
            let first = needed("session-bus", Health::Ok, "answers", Vec::new());
            let (second, bus) = match within(call, reach(&session)).await {
                Ok((bus, enabled)) => {
                    let found = if enabled { "answers" } else { "answers; applications are not told to use it yet" };
                    (needed("accessibility-bus", Health::Ok, found, Vec::new()), bus)
                }
                Err(fault) => {
                    let mends = install(&AT_SPI_BUS_LAUNCHER);
                    let second = needed("accessibility-bus", fault.health(), fault.0, mends);
                    return Ok([first, second, unknown("registry", "needs an accessibility bus"), reader()]);
                }
            };
            let third = match within(call, accessibility::applications(&bus)).await {
                Ok(count) => needed("registry", Health::Ok, format!("answers, {count} applications"), Vec::new()),
                Err(fault) => needed("registry", fault.health(), fault.0, install(&AT_SPI_BUS_LAUNCHER)),
            };
            let fourth = screen_reader(within(call, accessibility::screen_reader(&session)).await);
            Ok([first, second, third, fourth])
        });
        outcome.unwrap_or_else(|error| {
            let broken = |id| needed(id, Health::Unknown, error.to_string(), Vec::new());
            [broken("session-bus"), broken("accessibility-bus"), broken("registry"), reader()]
        })
    }

    /// The programs that private desktops are made of.
    fn programs(&self) -> Vec<Check> {
        PACKAGES
            .iter()
            .map(|package| match programs::find(&self.environment, package.program) {
                Some(file) => Check {
                    id: package.component,
                    health: Health::Ok,
                    needed: false,
                    found: quote(&file.to_string_lossy()),
                    mends: Vec::new(),
                },
                None => Check {
                    id: package.component,
                    health: Health::Missing,
                    needed: false,
                    found: format!("{} is not installed", package.program),
                    mends: mends(&[package]),
                },
            })
            .collect()
    }
}

impl Doctor for LinuxDoctor {
    fn examine(&self, call: &Call<'_>) -> Vec<Check> {
        // The two sides know nothing of each other, and either may use up its time.
        let (screen, buses) = std::thread::scope(|scope| {
            let screen = scope.spawn(|| self.screen(call));
            let buses = self.buses(call);
            (screen.join(), buses)
        });
        let screen = screen.unwrap_or_else(|_| {
            ["display", "window-manager", "input", "capture"]
                .map(|id| needed(id, Health::Unknown, "could not be examined", Vec::new()))
        });
        let [display, manager, input, capture] = screen;
        let mut checks = vec![display, manager];
        checks.extend(buses);
        checks.extend([input, capture]);
        checks.extend(self.programs());
        checks
    }
}

fn needed(id: &'static str, health: Health, found: impl Into<String>, mends: Vec<Mend>) -> Check {
    Check { id, health, needed: true, found: found.into(), mends }
}

/// The switch that some applications wait for. It is the person's: on a desktop that is not ours it stays as it is.
fn screen_reader(announced: Result<bool, Silence>) -> Check {
    let (health, found, mends) = match announced {
        Ok(true) => (Health::Ok, "a screen reader is announced".to_owned(), Vec::new()),
        Ok(false) => (
            Health::Missing,
            "none is announced; applications made with AccessKit (egui, Slint, iced) publish nothing before one is, \
             and applications of GTK do not care"
                .to_owned(),
            start_one(),
        ),
        Err(fault) => (Health::Unknown, fault.0, Vec::new()),
    };
    Check { id: "screen-reader", health, needed: false, found, mends }
}

/// A private desktop has every link.
fn start_one() -> Vec<Mend> {
    vec![Mend { with: "run", command: "surehand desktop start".to_owned() }]
}

/// The packages for this desktop, or a desktop of our own.
fn install(package: &Package) -> Vec<Mend> {
    let mut all = mends(&[package]);
    all.extend(start_one());
    all
}

fn window_manager(display: &Display) -> Check {
    match display.manager_name() {
        Ok(Some(name)) => {
            let found = if name.is_empty() { "answers".to_owned() } else { quote(&name) };
            needed("window-manager", Health::Ok, found, Vec::new())
        }
        Ok(None) => needed("window-manager", Health::Missing, "no window manager answers", install(&OPENBOX)),
        Err(error) => needed("window-manager", Health::Broken, error.message(), start_one()),
    }
}

fn input(display: &Display) -> Check {
    match display.input_version() {
        Ok(Some((major, minor))) => needed("input", Health::Ok, format!("XTEST {major}.{minor}"), Vec::new()),
        Ok(None) => needed("input", Health::Missing, "the display has no extension XTEST", start_one()),
        Err(error) => needed("input", Health::Broken, error.message(), start_one()),
    }
}

fn capture(display: &Display) -> Check {
    match display.readable_depth() {
        Ok(Some(depth)) => needed("capture", Health::Ok, format!("the screen can be read, {depth} bit"), Vec::new()),
        Ok(None) => needed("capture", Health::Broken, "the display sends no picture", start_one()),
        Err(error) => needed("capture", Health::Broken, error.message(), start_one()),
    }
}

/// What a bus did instead of answering.
struct Silence(String, bool);

impl Silence {
    fn health(&self) -> Health {
        if self.1 { Health::Broken } else { Health::Missing }
    }
}

/// An answer, or what came instead of it within the time for one part.
async fn within<T>(call: &Call<'_>, asking: impl Future<Output = zbus::Result<T>>) -> Result<T, Silence> {
    match tokio::time::timeout(call.left().min(PATIENCE), asking).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(fault)) => {
            let missing = match &fault {
                zbus::Error::InputOutput(fault) => {
                    matches!(fault.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused)
                }
                zbus::Error::MethodError(name, ..) => name.as_str() == "org.freedesktop.DBus.Error.ServiceUnknown",
                _ => false,
            };
            Err(Silence(fault.to_string(), !missing))
        }
        Err(_) => Err(Silence("does not answer".to_owned(), true)),
    }
}

async fn greeted(address: &str) -> zbus::Result<zbus::Connection> {
    let session = bus::connect(address).await?;
    let _id: String = ask(&session, (DAEMON.0, DAEMON.1, DAEMON.2, "GetId"), &()).await?;
    Ok(session)
}

async fn reach(session: &zbus::Connection) -> zbus::Result<(zbus::Connection, bool)> {
    let address = accessibility::address(session).await?;
    let enabled = accessibility::enabled(session).await?;
    Ok((bus::connect(&address).await?, enabled))
}
