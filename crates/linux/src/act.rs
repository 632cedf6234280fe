//! Handing one operation to an application.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use surehand_core::disposition::Delivery;
use surehand_core::object::ObjectId;
use surehand_core::platform::Operation;
use surehand_core::{Code, Error, Result};

use crate::app::NativeRef;
use crate::connect::{Bus, Link};
use crate::error::{Fault, unresponsive};
use crate::trip::{Kind, Trip};
use crate::wire::{ATSPI, Peer, body, property};

/// Performs the operation. Everything that has to be looked up for it is looked up over the reading
/// connection; the one call that acts goes over a connection of its own.
pub(crate) async fn perform(
    bus: &Bus,
    link: &Link,
    object: &ObjectId,
    operation: &Operation,
    span: Duration,
    sent: &AtomicBool,
) -> Result<()> {
    let path = object.object.as_str();
    if let Operation::SetText(text) | Operation::InsertText(text) = operation
        && let Some(why) = link.toolkit.cannot_write(text)
    {
        return Err(Error::new(Code::ActionNotSupported, why)
            .kind("text_not_supported_by_toolkit")
            .suggest("write it without those characters"));
    }
    let started = tokio::time::Instant::now();
    let left = || span.saturating_sub(started.elapsed());
    let peer = tokio::time::timeout(left(), link.act(bus))
        .await
        .map_err(|_| unresponsive(&crate::process::program(link.process.pid), link.process.pid, &Fault::NoAnswer))?;
    let ask = match operation {
        Operation::Press { action }
        | Operation::ShowMenu { action }
        | Operation::Expand { action }
        | Operation::Collapse { action } => {
            let index = action_index(link, path, action, left()).await?;
            peer.call(path, &format!("{ATSPI}Action"), "DoAction", &(index,))
        }
        Operation::SetText(text) => {
            peer.call(path, &format!("{ATSPI}EditableText"), "SetTextContents", &(text.as_str(),))
        }
        Operation::InsertText(text) => {
            let at = caret(link, path, left()).await?;
            let length = i32::try_from(link.toolkit.insert_length(text))
                .map_err(|_| Error::new(Code::InvalidArgs, "the text is too long"))?;
            peer.call(path, &format!("{ATSPI}EditableText"), "InsertText", &(at, text.as_str(), length))
        }
        Operation::Choose { child } => {
            let index = place_of(link, path, child, left()).await?;
            peer.call(path, &format!("{ATSPI}Selection"), "SelectChild", &(index,))
        }
        Operation::Focus => peer.call(path, &format!("{ATSPI}Component"), "GrabFocus", &()),
        Operation::ScrollTo => peer.call(path, &format!("{ATSPI}Component"), "ScrollTo", &(ANYWHERE,)),
        Operation::SetNumber(number) => {
            let value = zbus::zvariant::Value::from(*number);
            let of = (format!("{ATSPI}Value"), "CurrentValue", value);
            peer.call(path, "org.freedesktop.DBus.Properties", "Set", &of)
        }
    };
    // From here on nobody can say that nothing was sent, also where this is given up half-way.
    sent.store(true, Ordering::Release);
    let _trip = Trip::begin(Kind::Dispatch, 1);
    let answer = peer.batch_within(vec![ask], left()).await.pop().unwrap_or(Err(Fault::Malformed));
    let accepted = match operation {
        Operation::SetNumber(_) => body::<()>(answer).map(|()| true),
        _ => body::<bool>(answer),
    };
    match accepted {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::new(Code::ActionFailed, "the application answered that it did not do it")
            .kind("refused_by_application")
            // Some toolkits answer no after having done half of it.
            .delivery(Delivery::DeliveryUncertain)
            .suggest("look at the element before anything else")),
        Err(fault) => Err(failed(link, &fault)),
    }
}

fn failed(link: &Link, fault: &Fault) -> Error {
    let (code, why, delivery) = match fault {
        Fault::NoSuchObject => (Code::StaleRef, "the element went away just before the action", Delivery::NotDelivered),
        Fault::Disconnected => {
            (Code::AppUnresponsive, "the application ended while it was acted on", Delivery::DeliveryUncertain)
        }
        Fault::NoAnswer => {
            (Code::AppUnresponsive, "the application did not answer to the action", Delivery::DeliveryUncertain)
        }
        Fault::Malformed | Fault::TooLarge => {
            (Code::ActionFailed, "the application's answer to the action cannot be read", Delivery::DeliveryUncertain)
        }
        Fault::Refused(_) => (Code::ActionFailed, "the application refused the action", Delivery::DeliveryUncertain),
    };
    Error::new(code, why)
        .kind("dispatch")
        .detail("pid", link.process.pid)
        .platform(fault.word())
        .delivery(delivery)
        .suggest("look at the application before anything else")
}

/// The index of the action of that name now: a position in a list read earlier could mean another one.
async fn action_index(link: &Link, path: &str, action: &str, span: Duration) -> Result<i32> {
    let peer = &link.read;
    let interface = format!("{ATSPI}Action");
    let names: Vec<String> = if link.toolkit.lists_actions() {
        let ask = peer.call(path, &interface, "GetActions", &());
        let actions: Vec<(String, String, String)> = lookup(link, peer, ask, span).await?;
        actions.into_iter().map(|(name, _, _)| name).collect()
    } else {
        let count = property::<i32>(one(peer, peer.get(path, &interface, "NActions"), span).await)
            .map_err(|fault| not_sent(link, &fault))?;
        let asks = (0..count.clamp(0, 16)).map(|index| peer.call(path, &interface, "GetName", &(index,))).collect();
        let names = peer.batch_within(asks, span).await.into_iter().map(body);
        names.collect::<Result<_, Fault>>().map_err(|fault| not_sent(link, &fault))?
    };
    names.iter().position(|name| name == action).and_then(|index| i32::try_from(index).ok()).ok_or_else(|| {
        Error::new(Code::StaleRef, "the element does not offer that action any more")
            .kind("changed")
            .suggest("take a new `snapshot`")
    })
}

/// `ScrollTo`: as little as it takes to be seen.
const ANYWHERE: u32 = 6;

/// The place of an element among those that can be chosen in a container, asked for now: a place that was read earlier
/// could be another one's.
async fn place_of(link: &Link, container: &str, child: &ObjectId, span: Duration) -> Result<i32> {
    let peer = &link.read;
    let accessible = format!("{ATSPI}Accessible");
    let path = child.object.as_str();
    let asks = vec![peer.call(path, &accessible, "GetIndexInParent", &()), peer.get(path, &accessible, "Parent")];
    let mut answers = peer.batch_within(asks, span).await.into_iter();
    let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
    let index: i32 = body(next()).map_err(|fault| not_sent(link, &fault))?;
    let parent: NativeRef = property_ref(next()).map_err(|fault| not_sent(link, &fault))?;
    // The options of a combo box hang in its menu, and are counted there.
    let ask = peer.call(&parent.1, &accessible, "GetChildAtIndex", &(index,));
    let there: NativeRef = lookup(link, peer, ask, span).await?;
    if index < 0 || there.1.as_str() != path || container == path {
        return Err(Error::new(Code::StaleRef, "the option is not where it was any more")
            .kind("changed")
            .suggest("take a new `snapshot`"));
    }
    Ok(index)
}

fn property_ref(answer: crate::wire::Answer) -> Result<NativeRef, Fault> {
    let value: zbus::zvariant::OwnedValue = body(answer)?;
    value.try_into().map_err(|_| Fault::Malformed)
}

/// Where the caret is, in characters; the end of the text where the application does not say.
async fn caret(link: &Link, path: &str, span: Duration) -> Result<i32> {
    let peer = &link.read;
    let interface = format!("{ATSPI}Text");
    let asks = vec![peer.get(path, &interface, "CaretOffset"), peer.get(path, &interface, "CharacterCount")];
    let mut answers = peer.batch_within(asks, span).await.into_iter();
    let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
    let (caret, count) = (property::<i32>(next()), property::<i32>(next()));
    let count = count.map_err(|fault| not_sent(link, &fault))?;
    Ok(caret.ok().filter(|caret| (0..=count).contains(caret)).unwrap_or(count))
}

async fn lookup<T>(link: &Link, peer: &Peer, ask: crate::wire::Ask, span: Duration) -> Result<T>
where
    T: for<'d> zbus::zvariant::DynamicDeserialize<'d>,
{
    body(one(peer, ask, span).await).map_err(|fault| not_sent(link, &fault))
}

async fn one(peer: &Peer, ask: crate::wire::Ask, span: Duration) -> crate::wire::Answer {
    peer.batch_within(vec![ask], span).await.pop().unwrap_or(Err(Fault::Malformed))
}

/// A failure while looking things up, before anything was sent.
fn not_sent(link: &Link, fault: &Fault) -> Error {
    match fault {
        Fault::NoAnswer | Fault::Disconnected => {
            unresponsive(&crate::process::program(link.process.pid), link.process.pid, fault)
        }
        Fault::NoSuchObject => Error::new(Code::StaleRef, "the element is gone").kind("gone"),
        Fault::Malformed | Fault::TooLarge | Fault::Refused(_) => {
            Error::new(Code::ActionFailed, "the application does not say what the action needs")
                .kind("live_read_incomplete")
                .platform(fault.word())
        }
    }
}
