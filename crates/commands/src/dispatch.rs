//! The one way in which commands are run.

use serde_json::{Value, json};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::time::{Cancel, Deadline};
use surehand_core::{Code, Error, Result};

use crate::command::{Answer, Effect, Group, Invocation, Spec};
use crate::context::{Cx, Services};
use crate::gate::Record;
use crate::trace::{self, TracedStore, pictures};
use crate::view::View;

/// What became of a command.
pub struct Outcome {
    /// What is fixed about the command.
    pub spec: Spec,
    /// Its answer or its error.
    pub result: Result<Box<dyn Answer>>,
}

impl Outcome {
    /// The exit status for a process that ran just this.
    pub fn exit_status(&self) -> u8 {
        match &self.result {
            Ok(answer) => answer.exit_status().unwrap_or(0),
            // It failed, and nothing of it is left: another thing than a failure that leaves something.
            Err(error) if error.kind_of() == Some("rolled_back") => 6,
            Err(error) => error.code().exit_status(),
        }
    }
}

/// Runs a command: asks the gate, does it, and has what it did recorded, whether it succeeded or not. Where a trace is
/// written, it gets the command with its outcome.
pub fn dispatch(invocation: Box<dyn Invocation>, services: &dyn Services, cancel: &Cancel) -> Outcome {
    dispatch_within(invocation, services, cancel, None)
}

/// The same for a command that is part of something that has to be over at a certain moment.
pub(crate) fn dispatch_within(
    invocation: Box<dyn Invocation>,
    services: &dyn Services,
    cancel: &Cancel,
    limit: Option<Deadline>,
) -> Outcome {
    let spec = invocation.spec();
    let trace = services.trace();
    if !trace.is_on() && trace.is_strict() && spec.effect.is_journaled() {
        let error = Error::new(Code::Internal, "nothing is done that cannot be traced, and no trace is written here")
            .kind("trace_not_writable")
            .delivery(Delivery::NotDelivered)
            .suggest("give a session that is traced and has not ended, or leave out `--trace-strict`");
        return Outcome { spec, result: Err(error) };
    }
    if !trace.is_on() {
        let (result, _) = run(invocation, Cx::new(services, cancel).within(limit));
        return Outcome { spec, result };
    }
    let call = trace::next_call();
    let began = services.clock().now();
    let start = json!({ "command": spec.name, "effect": spec.effect, "arguments": invocation.traced() });
    if let Err(error) = trace::write(trace, call, "command.start", start)
        && trace.is_strict()
    {
        return Outcome { spec, result: Err(error) };
    }
    let snapshots = TracedStore { inner: services.untraced_snapshots(), trace, call };
    let view = View { base: services, snapshots: &snapshots, untraced: snapshots.inner, trace, session: None };
    let (result, disposition) = run(invocation, Cx::new(&view, cancel).within(limit).numbered(call));
    let took = services.clock().now().saturating_duration_since(began).as_millis();
    let error = result.as_ref().err();
    let end = json!({
        "command": spec.name,
        "ok": result.is_ok(),
        "code": error.map(|error| error.code().token()),
        "kind": error.and_then(Error::kind_of),
        "delivery": disposition.map(|disposition| disposition.delivery),
        "duration_ms": u64::try_from(took).unwrap_or(u64::MAX),
    });
    // It is done, and that its end is not written down takes nothing of it back.
    let _ = trace::write(trace, call, "command.end", end);
    Outcome { spec, result }
}

/// Runs it and says, for what acts, how far it got.
fn run(invocation: Box<dyn Invocation>, mut cx: Cx<'_>) -> (Result<Box<dyn Answer>>, Option<Disposition>) {
    let spec = invocation.spec();
    let admitted = invocation.resources(&cx).and_then(|resources| cx.services.gate().admit(&spec, &resources));
    if let Err(refused) = admitted {
        let disposition = Error::delivered(&refused).into();
        return (Err(refused), Some(disposition));
    }
    // The entries of a batch have pictures of their own.
    let acts = matches!(spec.effect, Effect::Act | Effect::Input) && spec.group != Group::Session;
    let shows = acts && cx.services.trace().keeps_pictures();
    let shown = shows.then(|| invocation.arguments().unwrap_or(Value::Null)).and_then(|it| pictures::before(&cx, &it));
    let result = invocation.run(&mut cx);
    let disposition = match &result {
        Ok(_) => cx.disposition,
        Err(error) => Some(Error::delivered(error).into()),
    };
    if spec.effect.is_journaled() {
        dispatched(&cx, &spec, &result, disposition);
        record(&cx, &spec, &result);
    }
    if let Some(shown) = shown {
        pictures::after(&cx, &shown);
    }
    (result, disposition)
}

/// What was handed over, for the trace.
fn dispatched(cx: &Cx<'_>, spec: &Spec, result: &Result<Box<dyn Answer>>, disposition: Option<Disposition>) {
    let event = if result.is_ok() { "action.dispatch.ok" } else { "action.dispatch.error" };
    let delivery = disposition.map(|disposition| disposition.delivery);
    cx.note(
        event,
        json!({ "command": spec.name, "app": cx.subject.app, "role": cx.subject.role, "delivery": delivery }),
    );
}

fn record(cx: &Cx<'_>, spec: &Spec, result: &Result<Box<dyn Answer>>) {
    let (code, disposition) = match result {
        // Nothing was to be done and nothing was.
        Ok(_) if cx.disposition == Some(Delivery::NotDelivered.into()) => return,
        Ok(_) => (None, cx.disposition.unwrap_or(Delivery::Unknown.into())),
        Err(error) => (Some(error.code().token()), Error::delivered(error).into()),
    };
    cx.services.gate().record(&Record { command: spec.name, subject: &cx.subject, code, disposition });
}
