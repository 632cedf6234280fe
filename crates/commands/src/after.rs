//! Waiting after a command until something is there, or is gone: `--wait-for` and `--wait-for-gone`.

use std::str::FromStr;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use surehand_core::disposition::Delivery;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::query::Query;
use surehand_core::reference::Ref;
use surehand_core::role::Role;
use surehand_core::text::quote;
use surehand_core::time::{Call, Cancel};
use surehand_core::tree::Observation;
use surehand_core::wait::{Look, until_told};
use surehand_core::{Code, Error, Result};

use crate::command::{Answer, Command, Effect, Group, Invocation, Spec};
use crate::context::{Cx, Services};
use crate::dispatch::{Outcome, dispatch};
use crate::gate::{Resource, Scope};
use crate::outline::Outline;
use crate::snapshot::{Snapshot, SnapshotTaken};
use crate::target::{self, Wanted};

/// What has to be there after a command, or has to be gone.
#[derive(Debug, Clone)]
pub struct WaitFor {
    /// What is looked for.
    pub selector: Selector,
    /// Whether it has to be gone instead.
    pub gone: bool,
    /// Milliseconds to wait at most.
    pub timeout_ms: u64,
}

/// A role and a text, written `role:text`, `role` or `:text`.
#[derive(Debug, Clone)]
pub struct Selector {
    word: String,
    query: Query,
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let bad = |why: String| Error::new(Code::InvalidArgs, why).kind("bad_selector");
        let (role, text) = match word.split_once(':') {
            Some((role, text)) => (role, Some(text).filter(|text| !text.trim().is_empty())),
            None => (word, None),
        };
        let role = match role {
            "" => None,
            role => Some(Role::from_str(role).map_err(|_| {
                bad(format!("{} is no role", quote(role))).suggest("write `role:text`, `role`, or `:text` for any role")
            })?),
        };
        if role.is_none() && text.is_none() {
            return Err(bad("there is nothing to wait for in it: write `role:text`, `role` or `:text`".to_owned()));
        }
        let query = Query { role, text: text.map(str::to_owned), ..Query::default() };
        Ok(Selector { word: word.to_owned(), query })
    }
}

/// What a command answered, and what was there afterwards.
#[derive(Serialize)]
struct Afterwards {
    #[serde(flatten)]
    snapshot: Option<SnapshotTaken>,
    /// What was waited for.
    matched_selector: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// That the whole window is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    target_absent: bool,
    /// Milliseconds from the command's end.
    elapsed_ms: u64,
    /// What the command itself answered; a snapshot answers nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_action: Option<Box<RawValue>>,
    #[serde(skip)]
    outline: String,
}

impl Answer for Afterwards {
    fn json(&self) -> Result<Box<RawValue>> {
        serde_json::value::to_raw_value(self)
            .map_err(|error| Error::new(Code::Internal, "a value has no JSON form").platform(error.to_string()))
    }

    fn outline(&self) -> String {
        let state = if self.gone { "gone" } else { "there" };
        let mut text = self.outline.clone();
        if !text.is_empty() {
            text.push('\n');
        }
        text += &format!("{state} {} {}ms", quote(&self.matched_selector), self.elapsed_ms);
        if let Some(snapshot) = &self.snapshot {
            text.push('\n');
            text += &snapshot.outline();
        }
        text
    }

    fn exit_status(&self) -> Option<u8> {
        None
    }
}

/// Whether something can be waited for after a command: where it is told which window is meant.
fn is_supported(spec: &Spec) -> bool {
    spec.group == Group::Interaction || matches!(spec.name, "snapshot" | "press")
}

/// The window in which it is looked.
struct Place {
    application: Application,
    window: ObjectId,
}

/// Runs a command and waits afterwards. The command's own failure comes back as it is; a wait in vain carries what the
/// command answered in `details.after_action`, and how far it got as its delivery.
pub fn dispatch_and_wait(
    invocation: Box<dyn Invocation>,
    services: &dyn Services,
    cancel: &Cancel,
    wait: &WaitFor,
) -> Outcome {
    let spec = invocation.spec();
    let failed = |error| Outcome { spec, result: Err(error) };
    let arguments = match invocation.arguments().and_then(|arguments| check(&spec, arguments, wait)) {
        Ok(arguments) => arguments,
        Err(error) => return failed(error),
    };
    let cx = Cx::new(services, cancel);
    let place = match place(&cx, &arguments) {
        Ok(place) => place,
        Err(error) => {
            // The command meets the same, and says it in its own words; if it does not, there is still nowhere to look.
            let outcome = dispatch(invocation, services, cancel);
            return if outcome.result.is_err() { outcome } else { failed(after(error, &outcome)) };
        }
    };
    let outcome = dispatch(invocation, services, cancel);
    if outcome.result.is_err() {
        return outcome;
    }
    match wait_there(&cx, &place, &arguments, wait, &outcome) {
        Ok(afterwards) => Outcome { spec, result: Ok(Box::new(afterwards)) },
        Err(error) => failed(after(error, &outcome)),
    }
}

fn check(spec: &Spec, arguments: Value, wait: &WaitFor) -> Result<Value> {
    let bad = |why: String| Error::new(Code::InvalidArgs, why).kind("bad_wait_for");
    if !is_supported(spec) {
        return Err(bad(format!("nothing can be waited for after `{}` in this way", spec.name))
            .suggest("it goes with `snapshot`, `press` and what acts on a ref; use `wait` after other commands"));
    }
    if !arguments["root"].is_null() || !arguments["since"].is_null() {
        return Err(bad("waiting looks at a whole window, so it does not go with `--root` and `--since`".to_owned()));
    }
    crate::snapshot::nonzero(wait.timeout_ms, "wait-timeout")?;
    Ok(arguments)
}

/// How long finding the window may take.
const LOOK_MS: u64 = 5_000;

fn place(cx: &Cx<'_>, arguments: &Value) -> Result<Place> {
    let word = |name: &str| arguments[name].as_str();
    let reference = word("ref_id").and_then(|word| word.parse::<Ref>().ok());
    let scope = match reference {
        Some(reference) => cx.scope_of(reference)?,
        None => Wanted { app: word("app"), window_id: word("window_id") }.scope(),
    };
    admit(cx, scope)?;
    if let Some(reference) = reference {
        let snapshot = cx.services.snapshots().load(reference.snapshot)?;
        return Ok(Place { application: snapshot.application, window: snapshot.window });
    }
    let call = cx.call(LOOK_MS);
    let wanted = Wanted { app: word("app"), window_id: word("window_id") };
    let (application, window) = target::readable_window(cx.platform(&call)?, &call, wanted)?;
    let object = window.object.ok_or_else(|| Error::new(Code::ActionNotSupported, "the window cannot be read"))?;
    Ok(Place { application, window: object })
}

/// Waiting reads the window, so the gate is asked as for a snapshot of it.
fn admit(cx: &Cx<'_>, scope: Scope) -> Result<()> {
    cx.services.gate().admit(&Snapshot::SPEC, &[Resource::UiRead(scope)])
}

/// What a look found.
enum Found {
    Shown(Box<Observation>),
    NoWindow,
}

fn wait_there(cx: &Cx<'_>, place: &Place, arguments: &Value, wait: &WaitFor, outcome: &Outcome) -> Result<Afterwards> {
    let started = cx.services.clock().now();
    let call = cx.call(wait.timeout_ms);
    let platform = cx.platform(&call)?;
    let watch = platform.watch(&call, &place.application).ok();
    let mut last: Option<Observation> = None;
    let word = quote(&wait.selector.word);
    let what = if wait.gone { format!("{word} being gone") } else { format!("{word} being there") };
    let found = until_told(&call, &what, watch, || {
        let Some(observation) = look(platform, &call, place)? else {
            return Ok(if wait.gone {
                Look::Holds(Found::NoWindow)
            } else {
                Look::NotYet("its window is closed".into())
            });
        };
        let matching = observation.nodes.iter().filter(|node| wait.selector.query.matches(node)).count();
        let holds = if wait.gone { matching == 0 && observation.is_whole() } else { matching > 0 };
        if holds {
            return Ok(Look::Holds(Found::Shown(Box::new(observation))));
        }
        let seen = match matching {
            0 if wait.gone => "not everything could be read".to_owned(),
            0 => format!("none of {} elements is it", observation.nodes.len()),
            count => format!("{count} elements are it"),
        };
        last = Some(observation);
        Ok(Look::NotYet(seen))
    });
    // How it is shown is told by the arguments of a snapshot; after an action it is shown whole.
    let shape = if outcome.spec.name == Snapshot::SPEC.name { arguments.clone() } else { json!({}) };
    let shape: Snapshot = serde_json::from_value(shape)
        .map_err(|error| Error::new(Code::Internal, "arguments have no JSON form").platform(error.to_string()))?;
    let found = found.map_err(|error| {
        let error = error.detail("predicate", "selector");
        match last.as_ref().map(|last| shape.taken(cx, platform, last, None)) {
            Some(Ok(taken)) => error.detail("snapshot_id", taken.snapshot_id()),
            Some(Err(_)) | None => error,
        }
    })?;
    let snapshot = match &found {
        Found::Shown(observation) => Some(shape.taken(cx, platform, observation, None)?),
        Found::NoWindow => None,
    };
    let elapsed = cx.services.clock().now().saturating_duration_since(started).as_millis();
    let acted = outcome.spec.effect != Effect::Observe;
    let answer = outcome.result.as_ref().ok().filter(|_| acted);
    Ok(Afterwards {
        target_absent: snapshot.is_none(),
        snapshot,
        matched_selector: wait.selector.word.clone(),
        gone: wait.gone,
        elapsed_ms: u64::try_from(elapsed).unwrap_or(u64::MAX),
        after_action: answer.map(|answer| answer.json()).transpose()?,
        outline: answer.map(|answer| answer.outline()).unwrap_or_default(),
    })
}

/// How long one look may take, so that one at an application that hangs does not use up the whole wait.
const ONE_LOOK: std::time::Duration = std::time::Duration::from_secs(2);

fn look(platform: &dyn Platform, call: &Call<'_>, place: &Place) -> Result<Option<Observation>> {
    let call = call.at_most(ONE_LOOK);
    if !platform.is_running(&place.application.process) {
        return Ok(None);
    }
    let windows = platform.windows(&call, std::slice::from_ref(&place.application))?;
    let silent = windows.unresponsive.iter().any(|silent| silent.pid == place.application.process.pid);
    let Some(window) = windows.items.into_iter().find(|window| window.object.as_ref() == Some(&place.window)) else {
        // One that does not answer cannot say that its window is gone.
        return if silent {
            Err(Error::new(Code::AppUnresponsive, "the application does not answer"))
        } else {
            Ok(None)
        };
    };
    match platform.observe(&call, &place.application, &window, &ObserveRequest::default()) {
        Ok(observation) => Ok(Some(observation)),
        Err(error) if error.code() == Code::WindowNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// An error after a command that was done.
fn after(error: Error, outcome: &Outcome) -> Error {
    let Ok(answer) = &outcome.result else { return error };
    let value: Value = answer.json().ok().and_then(|json| serde_json::from_str(json.get()).ok()).unwrap_or_default();
    if outcome.spec.effect == Effect::Observe {
        return error.delivery(Delivery::NotDelivered);
    }
    let delivery = match value["disposition"]["delivery"].as_str() {
        Some("not_delivered") => Delivery::NotDelivered,
        Some("delivered_verified") => Delivery::DeliveredVerified,
        Some("delivered_unverified") => Delivery::DeliveredUnverified,
        Some("delivery_uncertain") => Delivery::DeliveryUncertain,
        _ => Delivery::Unknown,
    };
    error.delivery(delivery).detail("after_action", value)
}
