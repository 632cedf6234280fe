//! Reading one object, with the way up from it to its window.

use std::collections::HashMap;
use std::time::Duration;

use atspi::{RelationType, State as NativeState};
use surehand_core::node::Node;
use surehand_core::object::ObjectId;
use surehand_core::platform::ObserveRequest;

use crate::app::NativeRef;
use crate::connect::{Bus, Link};
use crate::error::Fault;
use crate::read::{self, Raw, SKELETON_ASKS};
use crate::skeleton::{MAX_DEPTH, NULL};
use crate::wire::{ATSPI, body};

/// Reads one object and the containers around it.
///
/// Besides, the objects that it says it controls, labels or reports errors in.
///
/// The containers in `guess` are asked at the same time. Which ones count is told by the answers alone: each names its
/// own parent, and one that was not guessed is asked then.
pub(crate) async fn inspect(
    bus: &Bus,
    link: &Link,
    object: &ObjectId,
    guess: &[ObjectId],
    span: Duration,
) -> Result<(Vec<Node>, Vec<ObjectId>), Fault> {
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let mut raws: Vec<Raw> = Vec::new();
    let mut related = Vec::new();
    let mut path = object.object.clone();
    let guess = guess.iter().filter(|guessed| guessed.owner == object.owner && guessed.object != path);
    let paths: Vec<String> = std::iter::once(&path).chain(guess.map(|guessed| &guessed.object)).cloned().collect();
    let mut told = ask_upwards(link, paths, &object.object, left()).await;
    // The window is the child of the application's root, so the walk up ends below it.
    while path != NULL && path != crate::connect::ROOT {
        if raws.iter().any(|raw| raw.path == path) || raws.len() >= MAX_DEPTH {
            return Err(Fault::Malformed);
        }
        if !told.contains_key(&path) {
            told.extend(ask_upwards(link, vec![path.clone()], &object.object, left()).await);
        }
        let mut answers = told.remove(&path).unwrap_or_default().into_iter();
        let mut raw = Raw::new(path.clone());
        read::take_skeleton(&mut raw, &mut answers.by_ref().take(SKELETON_ASKS))?;
        if raw.native(NativeState::Defunct) {
            return Err(Fault::NoSuchObject);
        }
        let parent: zbus::zvariant::OwnedValue = body(answers.next().unwrap_or(Err(Fault::Malformed)))?;
        let parent: NativeRef = parent.try_into().map_err(|_| Fault::Malformed)?;
        if let Some(answer) = answers.next() {
            related = own_relations(bus, link, answer);
        }
        // The parent of a window is the application, which some toolkits name by its own path.
        let foreign = !parent.0.is_empty() && parent.0 != link.name;
        let is_window = raw.role.known().is_some_and(|role| crate::roles::is_application(*role));
        if is_window {
            break;
        }
        raws.push(raw);
        path = if foreign { NULL.to_owned() } else { parent.1.to_string() };
    }
    if let Some(window) = raws.last_mut()
        && path == NULL
        && let Some(listed) = listed_window(link, window, left()).await
    {
        window.path = listed;
    }
    let request = ObserveRequest { bounds: true, ..ObserveRequest::default() };
    let completed = read::complete(link, &raws, |path| bus.object(&link.name, path), &request, left()).await;
    if completed.late {
        return Err(Fault::NoAnswer);
    }
    Ok((completed.nodes, related))
}

/// Asks objects what they are and what they are in, all at once, and `target` for its relations as well.
async fn ask_upwards(
    link: &Link,
    paths: Vec<String>,
    target: &str,
    span: Duration,
) -> HashMap<String, Vec<crate::wire::Answer>> {
    let accessible = format!("{ATSPI}Accessible");
    let mut asks = Vec::new();
    let mut counts = Vec::new();
    for path in &paths {
        let before = asks.len();
        asks.extend(read::skeleton_asks(link, path));
        asks.push(link.read.get(path, &accessible, "Parent"));
        if path == target {
            asks.push(link.read.call(path, &accessible, "GetRelationSet", &()));
        }
        counts.push(asks.len() - before);
    }
    let mut answers = link.read.batch_within(asks, span).await.into_iter();
    paths.into_iter().zip(counts).map(|(path, count)| (path, answers.by_ref().take(count).collect())).collect()
}

/// The objects that an element says of itself that it acts on.
fn own_relations(bus: &Bus, link: &Link, answer: crate::wire::Answer) -> Vec<ObjectId> {
    let kinds = [RelationType::ControllerFor, RelationType::LabelFor, RelationType::ErrorMessage];
    let relations: Vec<(u32, Vec<NativeRef>)> = body(answer).unwrap_or_default();
    relations
        .into_iter()
        .filter(|(kind, _)| kinds.iter().any(|wanted| *kind == *wanted as u32))
        .flat_map(|(_, targets)| targets)
        .filter(|(owner, path)| (owner.is_empty() || *owner == link.name) && path.as_str() != NULL)
        .map(|(_, path)| bus.object(&link.name, &path))
        .take(MAX_RELATED)
        .collect()
}

/// More related objects than this are not kept apart from others.
const MAX_RELATED: usize = 64;

/// The window that the application lists in place of the one that the way up led to. LibreOffice has two objects
/// for a window: what is inside one says that it is inside the other, which nothing contains. Only where one
/// window alone has its name and role.
async fn listed_window(link: &Link, found: &Raw, span: Duration) -> Option<String> {
    if !found.role.known().is_some_and(|role| crate::roles::is_window(*role)) {
        return None;
    }
    let accessible = format!("{ATSPI}Accessible");
    let peer = &link.read;
    let ask = vec![peer.call(crate::connect::ROOT, &accessible, "GetChildren", &())];
    let children: Vec<NativeRef> = body(peer.batch_within(ask, span).await.pop()?).ok()?;
    let paths: Vec<String> = children
        .into_iter()
        .filter(|(owner, _)| *owner == link.name)
        .map(|(_, path)| path.to_string())
        .take(crate::window::MAX_WINDOWS)
        .collect();
    if paths.contains(&found.path) {
        return None;
    }
    let asks = paths
        .iter()
        .flat_map(|path| [peer.get(path, &accessible, "Name"), peer.call(path, &accessible, "GetRole", &())])
        .collect();
    let mut answers = peer.batch_within(asks, span).await.into_iter();
    let mut same = paths.into_iter().filter(|_| {
        let name = answers.next().map(|answer| read::text_reading(crate::wire::property(answer)));
        let role = answers.next().and_then(|answer| body::<u32>(answer).ok());
        name.as_ref() == Some(&found.name) && role.is_some() && role.as_ref() == found.role.known()
    });
    let only = same.next()?;
    same.next().is_none().then_some(only)
}
