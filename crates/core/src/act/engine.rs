//! The way of an action: wait until the element is ready, hand the action over once, follow what it does.

use std::time::Duration;

use super::effects::{Ears, Of, What};
use super::expectation::{Expected, Seen};
use super::outcome::{Label, Mechanism, Outcome, PostState, Progress, Step, Unverified};
use super::plan::Plan;
use super::{Action, Terms, physical, scroll};
use crate::actionability::{self, CheckKind, Report};
use crate::disposition::Delivery;
use crate::error::{Code, Error, Result};
use crate::evidence::{self, Evidence, Labels, Verdict};
use crate::lease::{Claim, Held};
use crate::node::Node;
use crate::object::ObjectId;
use crate::platform::{Inspection, Live, Platform};
use crate::reading::Reading;
use crate::resolve::{self, Resolved};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::text::quote;
use crate::time::Call;
use crate::wait::INTERVAL;
use crate::window::Window;

/// How long an effect is looked for after the action was handed over. Toolkits change their tree when they
/// get round to it, some a quarter of a second later.
const SETTLE: Duration = Duration::from_millis(1_000);

/// The first pause while looking for an effect; most are there within a few milliseconds.
const FIRST_LOOK: Duration = Duration::from_millis(8);

/// What an action is about.
pub(super) struct Scope<'a> {
    pub(super) platform: &'a dyn Platform,
    pub(super) snapshot: &'a Snapshot,
    pub(super) captured: &'a Evidence,
}

impl Scope<'_> {
    /// The window that the element is in.
    pub(super) fn window(&self, call: &Call<'_>) -> Result<Window> {
        let windows = self.platform.windows(call, std::slice::from_ref(&self.snapshot.application))?;
        windows.items.into_iter().find(|window| window.object.as_ref() == Some(&self.captured.window)).ok_or_else(
            || {
                Error::new(Code::StaleRef, "its window has closed")
                    .kind("window_gone")
                    .suggest("take a new `snapshot`; nothing was done to the application")
            },
        )
    }
}

/// An element that is ready, and what is going to be done with it. As long as it is there nobody else acts on the
/// application.
struct Ready {
    resolved: Resolved,
    plan: Plan,
    report: Report,
    aim: Option<physical::Aim>,
    attempts: u32,
    held: Box<dyn Held>,
}

/// Carries out one action.
///
/// # Errors
/// What [`resolve::resolve`] refuses; `ACTION_NOT_SUPPORTED` when the element does not offer the action, and
/// `POLICY_DENIED` with kind `needs_headed` when only pointer or keyboard could do it and they are not allowed;
/// `TIMEOUT` with kind `actionability_timeout` when it did not become ready; `ACTION_FAILED` with kind
/// `post_action_verification` when what was read back contradicts what was asked.
pub fn act(
    platform: &dyn Platform,
    call: &Call<'_>,
    snapshot: &Snapshot,
    captured: &Evidence,
    action: &Action,
    terms: &Terms<'_>,
) -> Result<Outcome> {
    let scope = Scope { platform, snapshot, captured };
    // Before the element is looked at: between the last look and the action there is to be nothing else.
    let mut ears = if terms.dry_run {
        Ears::deaf(&captured.object, &captured.window)
    } else {
        Ears::open(platform, call, &snapshot.application, &captured.object, &captured.window)
    };
    let mut ready = ready(&scope, call, action, terms)?;
    let acts = !terms.dry_run && !matches!(ready.plan, Plan::Already);
    if acts && ears.get_ready(call) {
        // It took waiting, and the last look is not the last moment any more.
        drop(ready);
        ready = self::ready(&scope, call, action, terms)?;
    }
    let ready = ready;
    let node = &ready.resolved.live.node;
    // What was a secret before is one still, whatever the element says of itself by now.
    let secret = node.has(State::Secure);
    let outcome = |delivery: Delivery| Outcome {
        resolved_by: ready.resolved.how,
        attempts: ready.attempts,
        dry_run: terms.dry_run,
        steps: Vec::new(),
        checks: None,
        post_state: None,
        unverified: None,
        effects: Vec::new(),
        meanwhile: None,
        disposition: delivery.into(),
    };
    let (expected, watched) = match &ready.plan {
        Plan::Already => {
            let steps = vec![Step { label: Label::None, outcome: Progress::Skipped, mechanism: None, verified: None }];
            let post_state = Some(PostState::of(node, secret));
            let checks = terms.dry_run.then(|| ready.report.clone());
            return Ok(Outcome { steps, post_state, checks, ..outcome(Delivery::NotDelivered) });
        }
        Plan::Semantic { expected, watched, .. } => (expected.clone(), watched.clone()),
        Plan::Physical { expected } => (expected.clone(), None),
    };
    if terms.dry_run {
        let steps = steps(&ready.plan, Progress::Skipped, None);
        return Ok(Outcome { steps, checks: Some(ready.report.clone()), ..outcome(Delivery::NotDelivered) });
    }
    if ready.attempts > 1 {
        ears.overlook_windows(call);
    }
    ears.attend(call, watched.as_ref().unwrap_or(&node.object), &ready.resolved.live.related);
    dispatch(&scope, call, &ready, action)?;
    let Ready { resolved, plan, held, attempts, .. } = ready;
    let (effect, after) = follow(&scope, call, &resolved.live, watched.as_ref(), &expected, action, &mut ears);
    // What another one brought about meanwhile would be taken for the proof of this.
    drop(held);
    let post_state = after.as_ref().map(|after| PostState::of(after, secret));
    let (delivery, unverified) = match effect {
        Effect::Confirmed => (Delivery::DeliveredVerified, None),
        Effect::Unconfirmed(why) => (Delivery::DeliveredUnverified, Some(why)),
        Effect::Contradicted => return Err(contradiction(post_state)),
    };
    let (mut effects, meanwhile) = ears.told();
    if secret {
        // Whether a text was announced as changed depends on what was there before.
        effects.retain(|effect| effect.of != Of::Target || effect.what != What::Value);
    }
    Ok(Outcome {
        resolved_by: resolved.how,
        attempts,
        dry_run: false,
        steps: steps(&plan, Progress::Succeeded, Some(delivery == Delivery::DeliveredVerified)),
        checks: None,
        post_state,
        unverified,
        effects,
        meanwhile,
        disposition: delivery.into(),
    })
}

fn steps(plan: &Plan, outcome: Progress, verified: Option<bool>) -> Vec<Step> {
    match plan {
        Plan::Already => Vec::new(),
        Plan::Physical { .. } => {
            vec![Step { label: Label::Strike, outcome, mechanism: Some(Mechanism::PhysicalSynthetic), verified }]
        }
        Plan::Semantic { moves, .. } => moves
            .iter()
            .map(|step| Step {
                label: Label::Operation(step.operation.word()),
                outcome,
                mechanism: Some(Mechanism::SemanticApi),
                verified,
            })
            .collect(),
    }
}

/// Hands over what is planned. Every operation is sent once; the first that fails ends it.
fn dispatch(scope: &Scope<'_>, call: &Call<'_>, ready: &Ready, action: &Action) -> Result<()> {
    match &ready.plan {
        Plan::Already => Ok(()),
        Plan::Physical { .. } => match &ready.aim {
            Some(aim) => physical::strike(scope, call, aim, action),
            None => Err(Error::new(Code::Internal, "a pointer without an aim")),
        },
        Plan::Semantic { moves, .. } => {
            for (number, step) in moves.iter().enumerate() {
                scope.platform.perform(call, &step.object, &step.operation).map_err(|error| {
                    // What came before has been done.
                    if number > 0 { error.delivery(Delivery::DeliveryUncertain) } else { error }
                })?;
            }
            Ok(())
        }
    }
}

/// What looking for the effect gave.
enum Effect {
    Confirmed,
    Unconfirmed(Unverified),
    Contradicted,
}

/// What one look at the element gave.
enum Look {
    At(Box<Node>, Seen),
    Gone,
    Silent,
    NoTime,
}

/// Looks for the effect of an action that was handed over, and returns the element as it was last seen. The
/// action cannot be taken back, so nothing here is a failure except seeing the contrary for long enough.
fn follow(
    scope: &Scope<'_>,
    call: &Call<'_>,
    before: &Inspection,
    watched: Option<&ObjectId>,
    expected: &Expected,
    action: &Action,
    ears: &mut Ears<'_>,
) -> (Effect, Option<Node>) {
    let settle = call.at_most(SETTLE);
    let insufficient = || Effect::Unconfirmed(Unverified::InsufficientEvidence);
    let application = &scope.snapshot.application;
    // Nothing that the element could show would prove it, so what is announced is listened to first.
    if matches!(expected, Expected::Nothing(Unverified::InsufficientEvidence)) && ears.are_open() {
        ears.listen_for_proof(scope.platform, &settle, application, action);
    }
    let mut pause = FIRST_LOOK;
    let mut last = None;
    loop {
        // A look without time, or one that nobody wants, would be taken for an application that is silent.
        if call.go_on().is_err() {
            return (if ears.have_proof() { Effect::Confirmed } else { insufficient() }, last);
        }
        let look = look(scope, call, before, watched, expected);
        // Whatever was announced meanwhile, a window among it, counts.
        ears.listen(&call.at_most(Duration::ZERO), action);
        if ears.suspect_window() {
            ears.look_for_windows(scope.platform, &settle, application, action);
        }
        let proved = ears.have_proof();
        match look {
            Look::At(node, Seen::Yes) => return (Effect::Confirmed, Some(*node)),
            Look::At(node, _) if proved && !expected.is_promised() => return (Effect::Confirmed, Some(*node)),
            Look::At(node, Seen::CannotTell(why)) => return (Effect::Unconfirmed(why), Some(*node)),
            Look::At(node, Seen::No) if settle.left().is_zero() => {
                let effect = if expected.is_promised() { Effect::Contradicted } else { insufficient() };
                return (effect, Some(*node));
            }
            Look::At(node, Seen::No) => last = Some(*node),
            Look::Gone | Look::Silent | Look::NoTime if proved => return (Effect::Confirmed, last),
            Look::Gone => return (Effect::Unconfirmed(Unverified::TargetGone), None),
            Look::Silent => return (Effect::Unconfirmed(Unverified::NoAnswer), None),
            Look::NoTime => return (insufficient(), last),
        }
        ears.listen(&settle.at_most(pause), action);
        pause = (pause * 2).min(INTERVAL);
    }
}

/// Looks once at the element that shows the effect.
fn look(
    scope: &Scope<'_>,
    call: &Call<'_>,
    before: &Inspection,
    watched: Option<&ObjectId>,
    expected: &Expected,
) -> Look {
    let object = watched.unwrap_or(&before.node.object);
    // Most likely it is where it was.
    let guess: Vec<ObjectId> = before.ancestors.iter().map(|ancestor| ancestor.object.clone()).collect();
    let live = match scope.platform.inspect_guessing(call, object, &scope.captured.process, &guess) {
        Ok(Live::Element(live)) => live,
        Ok(Live::Gone | Live::ProcessGone) => return Look::Gone,
        // The action was handed over; that nobody answers now takes nothing of that back.
        Err(_) if call.go_on().is_err() => return Look::NoTime,
        Err(_) => return Look::Silent,
    };
    // An object that is used again for other content tells nothing of the content it had.
    let around = evidence::context(live.ancestors.iter());
    if watched.is_none()
        && scope.captured.recycled
        && evidence::compare(scope.captured, &live.node, &around, Labels::Exact) != Verdict::Same
    {
        return Look::Gone;
    }
    let seen = match expected {
        Expected::Shown => match scroll::is_shown(scope, call, object) {
            Some(true) => Seen::Yes,
            Some(false) => Seen::No,
            None => Seen::CannotTell(Unverified::InsufficientEvidence),
        },
        expected => expected.seen_in(&live.node),
    };
    Look::At(Box::new(live.node), seen)
}

/// Waits until the ref resolves to an element that is ready, and holds what it takes to act on it.
fn ready(scope: &Scope<'_>, call: &Call<'_>, action: &Action, terms: &Terms<'_>) -> Result<Ready> {
    let waiting = call.at_most(terms.ready);
    let mut attempts = 0;
    let mut last: Option<Error> = None;
    loop {
        attempts += 1;
        let obstacle = match attempt(scope, call, action, terms, attempts) {
            Ok(ready) => return Ok(ready),
            Err(error) if may_pass(&error) => error,
            // A look that had no time left says nothing of the element; the look before it does.
            Err(error) if error.kind_of() == Some("deadline") => match last {
                Some(obstacle) => return Err(obstacle.detail("attempts", attempts - 1)),
                None => return Err(error),
            },
            Err(error) => return Err(error),
        };
        if call.cancel.is_raised() {
            return Err(Error::new(Code::Timeout, "cancelled before anything was done").kind("cancelled"));
        }
        if waiting.left().is_zero() {
            return Err(obstacle.detail("attempts", attempts));
        }
        last = Some(obstacle);
        call.clock.pause(INTERVAL.min(waiting.left()), call.cancel);
    }
}

/// Whether the next attempt may find it otherwise.
fn may_pass(error: &Error) -> bool {
    matches!(error.kind_of(), Some("live_read_incomplete" | "actionability_timeout"))
        || error.details().get("retryable") == Some(&serde_json::Value::Bool(true))
}

/// One attempt: take hold, recognise the element, examine it, make the plan.
fn attempt(scope: &Scope<'_>, call: &Call<'_>, action: &Action, terms: &Terms<'_>, attempts: u32) -> Result<Ready> {
    let intent = action.intent();
    let mut claim = Claim::Application(scope.captured.process.clone());
    loop {
        let held = terms.leases.take(call, &claim)?;
        let resolved = resolve::resolve(scope.platform, call, scope.snapshot, scope.captured)?;
        let node = &resolved.live.node;
        let report = actionability::examine_with(node, intent, terms.headed);
        if let Some(check) = report.terminal() {
            return Err(terminal(check.check, check.reason.clone().unwrap_or_default(), &report));
        }
        if !report.actionable {
            return Err(not_ready(&report));
        }
        if matches!(action, Action::Focus) && !node.has(State::Focused) {
            may_focus(scope, call, terms)?;
        }
        let plan = Plan::of(scope, call, &resolved, action)?;
        if !matches!(plan, Plan::Physical { .. }) {
            return Ok(Ready { resolved, plan, report, aim: None, attempts, held });
        }
        if claim == Claim::Desktop {
            let aim = physical::aim(scope, call, node, !terms.dry_run)?;
            return Ok(Ready { resolved, plan, report, aim: Some(aim), attempts, held });
        }
        // Only now it is known that it takes the pointer; and what was looked at is looked at again with it in hand.
        drop(held);
        claim = Claim::Desktop;
    }
}

/// A headless action leaves the keyboard with the window that has it. Giving the focus to an element of another
/// window would take it away from there, sooner or later.
fn may_focus(scope: &Scope<'_>, call: &Call<'_>, terms: &Terms<'_>) -> Result<()> {
    if terms.headed {
        return Ok(());
    }
    let window = scope.window(call)?;
    if window.focused == Reading::Known(true) {
        return Ok(());
    }
    Err(Error::new(
        Code::PolicyDenied,
        format!("window {} {} does not have the keyboard, and an element of it cannot get it without taking it from another window", window.id, quote(&window.title)),
    )
    .kind("needs_headed")
    .detail("retryable", false)
    .suggest("use `set-value`, `type` or `click`, which need no focus; or have it allowed with `--headed`"))
}

fn terminal(check: CheckKind, why: String, report: &Report) -> Error {
    let error = if check == CheckKind::Policy {
        Error::new(Code::PolicyDenied, format!("{why}; pointer or keyboard could do it, and they are not allowed"))
            .kind("needs_headed")
            .suggest("whoever starts surehand can allow them with `--headed`")
    } else {
        Error::new(Code::ActionNotSupported, why).kind("not_supported_by_element")
    };
    error.detail("retryable", false).detail("report", report)
}

fn not_ready(report: &Report) -> Error {
    let why = report.transient().and_then(|check| check.reason.clone()).unwrap_or_default();
    Error::new(Code::Timeout, format!("the element did not become ready: {why}"))
        .kind("actionability_timeout")
        .detail("last_report", report)
        .suggest("make the element usable first, or give it longer with `--timeout-ms`")
}

fn contradiction(after: Option<PostState>) -> Error {
    Error::new(Code::ActionFailed, "the application accepted the action, and the element does not hold what was asked")
        .kind("post_action_verification")
        .detail("post_state", after)
        .detail("postcondition_satisfied", false)
        .delivery(Delivery::DeliveredUnverified)
        .suggest("look at the element before anything else: part of it may have happened")
}
