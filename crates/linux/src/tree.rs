//! Looking at a window: what is in it, once it is all told, with what each element says of itself.

use std::time::Duration;

use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::ObserveRequest;
use surehand_core::text::quote;
use surehand_core::tree::{Gap, GapReason, Observation};
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::connect::{Bus, Link};
use crate::error::{Fault, unresponsive};
use crate::place;
use crate::process;
use crate::read;
use crate::skeleton::Skeleton;
use crate::toolkit::Toolkit;
use crate::wake;

/// The part of the time that is kept for reading what the skeleton does not tell.
const SHARE_FOR_DETAILS: u32 = 3;

/// How long a page is waited for that is there and does not say yet what of it is shown.
const LATE: Duration = Duration::from_millis(2_500);

/// How often it is looked at. What changes meanwhile is announced by nothing.
const LOOK_AGAIN: Duration = Duration::from_millis(60);

/// Reads a window within the budgets.
pub(crate) async fn observe(
    bus: &Bus,
    application: &Application,
    window: &Window,
    request: &ObserveRequest,
    span: Duration,
) -> Result<Observation> {
    let gone = || {
        Error::new(Code::WindowNotFound, format!("window {} has no tree any more", window.id))
            .suggest("see `list-windows`")
    };
    let object = window.object.as_ref().ok_or_else(gone)?;
    let name = bus.name_of(object).ok_or_else(gone)?;
    let silent = |fault: &Fault| unresponsive(&application.program, application.process.pid, fault);
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let link = match tokio::time::timeout(left(), bus.link(name)).await {
        Err(_) => return Err(silent(&Fault::NoAnswer)),
        Ok(Err(Fault::Disconnected)) => return Err(gone()),
        Ok(other) => other.map_err(|fault| silent(&fault))?,
    };
    let calls_before = link.read.calls();
    let root = request.root.as_ref().unwrap_or(object);
    let id = |path: &str| bus.object(name, path);
    let until = started + LATE.min(span / 2);
    let mut before: Option<Look> = None;
    let look = loop {
        let look = match Look::at(&link, &object.object, &root.object, request, left(), id).await {
            Ok(look) => look,
            Err(Fault::NoAnswer) => return Err(silent(&Fault::NoAnswer)),
            Err(Fault::Disconnected) if process::is_running(&application.process) => {
                return Err(silent(&Fault::Disconnected));
            }
            Err(Fault::Disconnected | Fault::NoSuchObject) => return Err(gone()),
            Err(fault) => {
                return Err(Error::new(Code::ActionFailed, format!("the tree of window {} cannot be read", window.id))
                    .kind("live_read_incomplete")
                    .platform(fault.word()));
            }
        };
        // What the first look at a page brings about shows in a later one. It is all there once a look says that
        // it is, and, where one said that it was not, the next says the same.
        let settled = !look.is_late && before.as_ref().is_none_or(|before| before.nodes == look.nodes);
        if settled || tokio::time::Instant::now() >= until {
            break look;
        }
        before = Some(look);
        tokio::time::sleep(LOOK_AGAIN).await;
    };
    if request.root.is_none() && look.is_unpublished {
        return Err(Error::new(
            Code::ActionNotSupported,
            format!("{} publishes nothing of window {}", quote(&application.name), window.id),
        )
        .kind("empty_tree")
        .suggest(link.toolkit.mend()));
    }
    let Look { mut nodes, mut gaps, is_late, .. } = look;
    if is_late && !gaps.iter().any(|gap| gap.reason == GapReason::Deadline) {
        gaps.push(Gap::somewhere(GapReason::Deadline));
    }
    let above = match &request.root {
        Some(root) if root != object => containers(bus, &link, root, left(), &silent).await?,
        _ => Vec::new(),
    };
    if request.bounds {
        place::to_screen(&mut nodes, place::frame(&link, window, left()).await);
    }
    tracing::debug!(
        target: "surehand::observe",
        toolkit = application.toolkit,
        nodes = nodes.len(),
        calls = link.read.calls() - calls_before,
        milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "a window was read"
    );
    Ok(Observation { application: application.clone(), window: window.clone(), nodes, above, gaps })
}

/// One look at a window.
struct Look {
    nodes: Vec<Node>,
    gaps: Vec<Gap>,
    /// Whether the application names nothing in the window, although it says that there is something.
    is_unpublished: bool,
    /// Whether a page is shown of which not everything is told yet.
    is_late: bool,
}

impl Look {
    /// Looks at what is below `root` in the window.
    async fn at(
        link: &Link,
        window: &str,
        root: &str,
        request: &ObserveRequest,
        span: Duration,
        id: impl Fn(&str) -> ObjectId,
    ) -> Result<Look, Fault> {
        let started = tokio::time::Instant::now();
        let budget = span - span / SHARE_FOR_DETAILS;
        let left = |span: Duration| span.saturating_sub(started.elapsed());
        if link.toolkit == Toolkit::Chromium {
            wake::wake(link, window, budget / 2).await?;
        }
        let mut skeleton = Skeleton::new(link, request);
        skeleton.read(root, left(budget)).await?;
        let is_unpublished = skeleton.is_unpublished();
        let is_late = link.toolkit.shows_late() && (skeleton.is_blind() || skeleton.is_untold(left(budget)).await);
        if request.root.is_none() {
            skeleton.doubt_emptiness();
        }
        if link.toolkit == Toolkit::Gtk4 {
            skeleton.unmade_rows();
        }
        let (raws, mut gaps) = skeleton.in_document_order();
        let completed = read::complete(link, &raws, id, request, left(span)).await;
        gaps.extend(completed.clipped.iter().map(|index| Gap::at(GapReason::TextBudget, *index)));
        if completed.late {
            gaps.push(Gap::somewhere(GapReason::Deadline));
        }
        Ok(Look { nodes: completed.nodes, gaps, is_unpublished, is_late })
    }
}

/// The containers around the element that the reading begins at.
async fn containers(
    bus: &Bus,
    link: &Link,
    root: &ObjectId,
    span: Duration,
    silent: &impl Fn(&Fault) -> Error,
) -> Result<Vec<Node>> {
    let (mut chain, _) = crate::inspect::inspect(bus, link, root, &[], span).await.map_err(|fault| match fault {
        Fault::NoSuchObject | Fault::Disconnected => {
            Error::new(Code::StaleRef, "the element went away while it was read").kind("gone")
        }
        fault => silent(&fault),
    })?;
    Ok(if chain.is_empty() { chain } else { chain.split_off(1) })
}
