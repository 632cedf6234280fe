//! The running applications.

use std::time::Duration;

use surehand_core::object::Application;
use surehand_core::platform::{Listing, Unresponsive};
use surehand_core::text::clip;
use surehand_core::{Code, Error, Result};

use crate::connect::{Bus, Met, ROOT, local_address, private_address};
use crate::error::Fault;
use crate::process;
use crate::wire::{ATSPI, Answer, body, property};

/// How long the other applications are waited for: one that hangs costs this much, and nobody more.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// Names longer than this are cut; no honest application has one.
pub(crate) const MAX_NAME: usize = 4_096;

/// More applications than this are not asked.
const MAX_APPLICATIONS: usize = 1_024;

/// A reference to an object as it stands in AT-SPI messages.
pub(crate) type NativeRef = (String, zbus::zvariant::OwnedObjectPath);

/// Everything that publishes a tree, each asked at the same time.
pub(crate) async fn applications(bus: &Bus, span: Duration) -> Result<Listing<Application>> {
    let registry = bus.registry();
    let accessible = format!("{ATSPI}Accessible");
    let mut answer = registry.batch_within(vec![registry.call(ROOT, &accessible, "GetChildren", &())], span).await;
    let children: Vec<NativeRef> = body(answer.pop().unwrap_or(Err(Fault::Malformed))).map_err(|fault| {
        Error::new(Code::AppUnresponsive, "the accessibility registry does not answer")
            .kind("registry")
            .platform(fault.word())
            .suggest("run `surehand doctor`")
    })?;
    let names: Vec<String> = children
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.starts_with(':'))
        .take(MAX_APPLICATIONS)
        .collect();

    let daemon = bus.daemon();
    let asks = names
        .iter()
        .map(|name| {
            daemon.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", &(name,))
        })
        .collect();
    let pids: Vec<Result<u32, Fault>> = daemon.batch_within(asks, span).await.into_iter().map(body).collect();

    let found = names.iter().zip(pids).filter_map(|(name, pid)| Some((name.clone(), process::process(pid.ok()?)?)));
    let application = format!("{ATSPI}Application");
    let asked = found.map(|(name, process)| {
        let (accessible, application) = (&accessible, &application);
        async move {
            let program = process::program(process.pid);
            let peer = bus.peer(&name);
            let answers = if process::is_stopped(process.pid) {
                vec![Err(Fault::NoAnswer)]
            } else {
                let asks = vec![
                    peer.get(ROOT, accessible, "Name"),
                    peer.get(ROOT, application, "ToolkitName"),
                    peer.get(ROOT, application, "Version"),
                    // Not for the list: whoever reads a window next needs no round trip for these any more.
                    private_address(&peer),
                    peer.get(ROOT, accessible, "ChildCount"),
                ];
                peer.batch_within(asks, PATIENCE.min(span)).await
            };
            (name, process, program, answers)
        }
    });

    let mut listing = Listing { items: Vec::new(), unresponsive: Vec::new() };
    for (name, process, program, answers) in futures_util::future::join_all(asked).await {
        if matches!(answers.first(), Some(Err(Fault::NoAnswer))) {
            listing.unresponsive.push(Unresponsive { program, pid: process.pid });
            continue;
        }
        // It went away between being listed and being asked.
        if matches!(answers.first(), Some(Err(Fault::Disconnected))) {
            continue;
        }
        let mut answers = answers.into_iter();
        let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
        let title = text(next()).unwrap_or_default();
        let (toolkit, version) = (text(next()), text(next()).unwrap_or_default());
        let (address, windows) = (next(), property(next()).ok());
        // Only what was answered: of one that was too slow, the next to ask shall ask again.
        if let (Ok(toolkit), false) = (&toolkit, matches!(address, Err(Fault::NoAnswer))) {
            let (process, toolkit) = (process.clone(), toolkit.clone());
            bus.meet(&name, Met { process, toolkit, address: local_address(address), windows });
        }
        let toolkit = toolkit.unwrap_or_default();
        listing.items.push(Application {
            name: title,
            program,
            process,
            object: bus.object(&name, ROOT),
            toolkit: format!("{toolkit} {version}").trim().to_owned(),
        });
    }
    Ok(listing)
}

/// A text property, cut where it is absurdly long.
pub(crate) fn text(answer: Answer) -> Result<String, Fault> {
    let text: String = property(answer)?;
    Ok(clip(&text, MAX_NAME).0.to_owned())
}
