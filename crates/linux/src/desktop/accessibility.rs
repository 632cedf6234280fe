//! The accessibility bus and its registry.

use futures_util::StreamExt as _;
use surehand_core::desktop::Environment;
use surehand_core::error::{Code, Error, Result};
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, MatchRule, MessageStream, message::Type};

use super::bus::{self, DAEMON, ask};
use super::component::{Plan, Started, change, start};
use super::places::Desk;
use super::programs::Programs;
use super::record::Member;
use super::wait::{Attempt, run};
use crate::process::{Stamp, program};

/// The name that the launcher of the accessibility bus takes on the session bus.
const LAUNCHER: &str = "org.a11y.Bus";
const LAUNCHER_PATH: &str = "/org/a11y/bus";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
const REGISTRY: &str = "org.a11y.atspi.Registry";
const REGISTRY_ROOT: &str = "/org/a11y/atspi/accessible/root";

/// Starts the accessibility bus and returns when its registry has answered.
pub(super) fn bring_up(
    attempt: &Attempt<'_>,
    desk: &Desk,
    programs: &Programs,
    environment: &Environment,
    session: &Started,
) -> Result<()> {
    let address = bus::address(desk);
    run(|| async move {
        let connected = attempt.unless_ended(&session.pidfd, bus::connect(&address)).await?;
        let bus =
            connected.ok_or_else(|| session.ended())?.map_err(|fault| session.explain(said("session bus", &fault)))?;
        // Listening begins before the launcher does, so that its taking the name cannot be missed.
        let names = owner_changes(&bus).await.map_err(|fault| session.explain(said("session bus", &fault)))?;
        let launcher = start(
            attempt,
            desk,
            environment,
            &Plan {
                role: "accessibility-launcher",
                program: &programs.launcher,
                arguments: vec!["--launch-immediately".to_owned()],
                tell: None,
            },
        )?;
        let proved = attempt.unless_ended(&launcher.pidfd, prove(&bus, names)).await;
        let daemon = match proved.map_err(|error| launcher.explain(error))? {
            Some(Ok(pid)) => pid,
            Some(Err(fault)) => return Err(launcher.explain(said("accessibility bus", &fault))),
            None => return Err(launcher.ended()),
        };
        if let Some(stamp) = Stamp::of(daemon) {
            change(attempt, desk, |record| {
                record.components.push(Member { role: "accessibility-bus".into(), program: program(daemon), stamp });
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// Signals that tell of a new owner of the launcher's name.
async fn owner_changes(bus: &Connection) -> zbus::Result<MessageStream> {
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(DAEMON.0)?
        .interface(DAEMON.2)?
        .member("NameOwnerChanged")?
        .arg(0, LAUNCHER)?
        .build();
    MessageStream::for_match_rule(rule, bus, None).await
}

/// Asks every link up to the registry, and returns the pid of the daemon behind the accessibility bus.
async fn prove(session: &Connection, mut names: MessageStream) -> zbus::Result<u32> {
    // Nobody else can have it: asking for it, which would start a second launcher, is what we do not do.
    while let Some(message) = names.next().await {
        let (_, _, owner): (String, String, String) = message?.body().deserialize()?;
        if !owner.is_empty() {
            break;
        }
    }
    enable(session).await?;
    let bus = bus::connect(&address(session).await?).await?;
    applications(&bus).await?;
    ask(&bus, (DAEMON.0, DAEMON.1, DAEMON.2, "GetConnectionUnixProcessID"), &DAEMON.0).await
}

/// That somebody reads applications, and that it is a screen reader. Applications made with AccessKit look at the
/// second only. The session is the desktop's own, so that both go with it.
async fn enable(session: &Connection) -> zbus::Result<()> {
    let call = (LAUNCHER, LAUNCHER_PATH, PROPERTIES, "Set");
    let () = ask(session, call, &("org.a11y.Status", "IsEnabled", Value::from(true))).await?;
    // A launcher that is too old to know it is good for everything else.
    let _: zbus::Result<()> = ask(session, call, &("org.a11y.Status", "ScreenReaderEnabled", Value::from(true))).await;
    Ok(())
}

/// Whether applications are told that somebody reads them.
pub(crate) async fn enabled(session: &Connection) -> zbus::Result<bool> {
    status(session, "IsEnabled").await
}

/// Whether applications are told that it is a screen reader.
pub(crate) async fn screen_reader(session: &Connection) -> zbus::Result<bool> {
    status(session, "ScreenReaderEnabled").await
}

async fn status(session: &Connection, switch: &str) -> zbus::Result<bool> {
    let call = (LAUNCHER, LAUNCHER_PATH, PROPERTIES, "Get");
    let value: OwnedValue = ask(session, call, &("org.a11y.Status", switch)).await?;
    Ok(bool::try_from(value)?)
}

/// Where the accessibility bus is. The session bus starts the launcher for it when it does not run.
pub(crate) async fn address(session: &Connection) -> zbus::Result<String> {
    ask(session, (LAUNCHER, LAUNCHER_PATH, LAUNCHER, "GetAddress"), &()).await
}

/// How many applications the registry knows. The accessibility bus starts it when it does not run.
pub(crate) async fn applications(bus: &Connection) -> zbus::Result<i32> {
    let call = (REGISTRY, REGISTRY_ROOT, PROPERTIES, "Get");
    let value: OwnedValue = ask(bus, call, &("org.a11y.atspi.Accessible", "ChildCount")).await?;
    Ok(i32::try_from(value)?)
}

fn said(whose: &str, fault: &zbus::Error) -> Error {
    Error::new(Code::ActionFailed, format!("the {whose} does not answer as it should")).platform(fault.to_string())
}
