//! From a ref back to one live element, or a refusal. Every command that takes a ref goes through here.
//!
//! 1. The process must be the very one the ref was made in.
//! 2. If the native object still lives and every captured piece of evidence agrees, it is the element, also
//!    among look-alikes: that is what retaining the object is for.
//! 3. If it lives and something differs, the ref is stale. Something else may carry the old name by now, but
//!    the caller saw this object.
//! 4. If it is gone, or lives in a container that re-uses its objects, the elements of the window as it is
//!    now that agree in full are counted. One is the element, provided that nothing else looked the same at
//!    the snapshot: of two twins the one that is left may be the other. None and several are refusals.
//! 5. An object that had a ref of its own in the snapshot is that other element, also when it looks like the
//!    one that is gone by now.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Code, Error, Result};
use crate::evidence::{self, Evidence, Labels, Verdict};
use crate::node::Node;
use crate::platform::{Inspection, Live, ObserveRequest, Platform};
use crate::reference::Ref;
use crate::snapshot::Snapshot;
use crate::text::quote;
use crate::time::Call;

/// How an element was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// By the living object itself.
    Retained,
    /// As the only one in its window that agrees in full.
    OnlyMatch,
}

/// A live element that was proved to be the one the ref means.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The element with what surrounds it.
    pub live: Inspection,
    /// How it was recognised.
    pub how: How,
}

/// The evidence behind a ref.
///
/// # Errors
/// `SNAPSHOT_NOT_FOUND` when the snapshot belongs to another desktop, `ELEMENT_NOT_FOUND` when it has no such
/// element.
pub fn evidence_of<'s>(platform: &dyn Platform, snapshot: &'s Snapshot, reference: Ref) -> Result<&'s Evidence> {
    if snapshot.session != platform.session() {
        return Err(Error::new(
            Code::SnapshotNotFound,
            format!("snapshot {} was taken on another desktop", reference.snapshot),
        )
        .kind("foreign_snapshot")
        .suggest("take a `snapshot` on this desktop, or name the other one with `--desktop`"));
    }
    snapshot.refs.get(&reference.number).ok_or_else(|| {
        Error::new(
            Code::ElementNotFound,
            format!("snapshot {} has no element e{}", reference.snapshot, reference.number),
        )
        .kind("unknown_ref")
        .detail("ref_count", snapshot.refs.len())
        .suggest("use a ref that the snapshot printed")
    })
}

/// Finds the live element for captured evidence.
///
/// # Errors
/// `STALE_REF` when it is not there any more, `AMBIGUOUS_TARGET` when several could be it, `ACTION_FAILED`
/// with kind `live_read_incomplete` when not enough could be read to tell, `APP_UNRESPONSIVE` when the
/// application does not answer. Nothing was delivered in any of these.
pub fn resolve(platform: &dyn Platform, call: &Call<'_>, snapshot: &Snapshot, captured: &Evidence) -> Result<Resolved> {
    call.go_on()?;
    if !platform.is_running(&captured.process) {
        return Err(stale("the application has ended since the snapshot", "process_gone"));
    }
    let guess = snapshot.around(&captured.object);
    match platform.inspect_guessing(call, &captured.object, &captured.process, &guess)? {
        Live::ProcessGone => Err(stale("the application has ended since the snapshot", "process_gone")),
        Live::Element(live) if live.process != captured.process => {
            Err(stale("the application is not the process it was at the snapshot", "process_changed"))
        }
        // A widget that was taken out of its window still answers, and is nothing anybody can see.
        Live::Element(live) if !is_in_window(&live, captured) => only_match(platform, call, snapshot, captured),
        Live::Element(live) if !captured.recycled => {
            let around = evidence::within_document(&evidence::context(live.ancestors.iter()));
            let expected = Evidence { context: evidence::within_document(&captured.context), ..captured.clone() };
            match evidence::compare(&expected, &live.node, &around, Labels::Stable) {
                Verdict::Same => Ok(Resolved { live: *live, how: How::Retained }),
                Verdict::Different(pieces) => Err(stale("the element is not what it was at the snapshot", "changed")
                    .detail("differs", pieces)
                    .detail("captured", summary_of(captured))
                    .detail("live", summary(&live.node))),
                Verdict::Unreadable(pieces) => {
                    Err(incomplete("the application does not say enough about the element")
                        .detail("unreadable", pieces))
                }
            }
        }
        Live::Element(_) | Live::Gone => only_match(platform, call, snapshot, captured),
    }
}

/// Whether the element still hangs together with the window it was seen in.
fn is_in_window(live: &Inspection, captured: &Evidence) -> bool {
    live.ancestors.last().unwrap_or(&live.node).object == captured.window
}

/// Counts the elements of the window as it is now that agree in full.
fn only_match(platform: &dyn Platform, call: &Call<'_>, snapshot: &Snapshot, captured: &Evidence) -> Result<Resolved> {
    let windows = platform.windows(call, std::slice::from_ref(&snapshot.application))?;
    let Some(window) = windows.items.into_iter().find(|window| window.object.as_ref() == Some(&captured.window)) else {
        return Err(if windows.unresponsive.is_empty() {
            stale("its window has closed", "window_gone")
        } else {
            unresponsive(snapshot)
        });
    };
    let observation = match platform.observe(call, &snapshot.application, &window, &ObserveRequest::default()) {
        Err(error) if error.code() == Code::WindowNotFound => {
            return Err(stale("its window has closed", "window_gone"));
        }
        other => other?,
    };
    let rows = evidence::rows(&observation);
    let mut matching = Vec::new();
    let mut unreadable = false;
    for index in 0..observation.nodes.len() {
        match evidence::compare_in(captured, &observation, &rows, index) {
            Some(Verdict::Same) => matching.push(index),
            Some(Verdict::Unreadable(_)) => unreadable = true,
            Some(Verdict::Different(_)) | None => {}
        }
    }
    let incomplete_now = unreadable || !observation.is_whole();
    match matching.as_slice() {
        [] if !incomplete_now => Err(stale("the element is gone", "gone").detail("captured", summary_of(captured))),
        [] | [_] if !captured.sole => Err(stale(
            "the element cannot be told from others that may have looked the same at the snapshot",
            "indistinct",
        )
        .detail("captured", summary_of(captured))),
        // A match proves that it is the only one only if everything was looked at.
        [] | [_] if incomplete_now => {
            Err(incomplete("the window could not be read in full, so the element cannot be told from others"))
        }
        [index] => {
            let Some(node) = observation.nodes.get(*index) else {
                return Err(Error::new(Code::Internal, "an observation lost a node"));
            };
            if is_known_as_another(snapshot, captured, node) {
                return Err(stale("the element is gone, and another one of the snapshot looks like it by now", "gone")
                    .detail("captured", summary_of(captured)));
            }
            // What is acted on is read once more as itself: the window may have moved on since.
            match platform.inspect(call, &node.object, &captured.process)? {
                Live::Element(live) if live.process == captured.process => {
                    let around = evidence::context(live.ancestors.iter());
                    match evidence::compare(captured, &live.node, &around, Labels::Exact) {
                        Verdict::Same => Ok(Resolved { live: *live, how: How::OnlyMatch }),
                        Verdict::Different(pieces) => {
                            Err(stale("the element changed while it was looked for", "changed")
                                .detail("differs", pieces))
                        }
                        Verdict::Unreadable(pieces) => {
                            Err(incomplete("the application does not say enough about the element")
                                .detail("unreadable", pieces))
                        }
                    }
                }
                Live::Element(_) => {
                    Err(stale("the application is not the process it was at the snapshot", "process_changed"))
                }
                Live::Gone | Live::ProcessGone => Err(stale("the element is gone", "gone")),
            }
        }
        several => {
            let candidates: Vec<_> =
                several.iter().take(5).filter_map(|index| observation.nodes.get(*index)).map(summary).collect();
            Err(Error::new(
                Code::AmbiguousTarget,
                format!("{} elements of the window look exactly like the one of the snapshot", several.len()),
            )
            .kind("ambiguous_ref")
            .detail("count", several.len())
            .detail("candidates", candidates)
            .suggest("take a new `snapshot` and use the ref of the one you mean"))
        }
    }
}

/// Whether the snapshot saw this very object as another element. Where objects are used again for other content
/// that says nothing.
fn is_known_as_another(snapshot: &Snapshot, captured: &Evidence, node: &Node) -> bool {
    node.object != captured.object && snapshot.refs.values().any(|other| other.object == node.object && !other.recycled)
}

/// What a candidate or a stale element looks like, for the error. Values stay out: they may be secret.
#[derive(Debug, Serialize)]
struct Summary {
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    native_id: Option<String>,
}

fn summary(node: &Node) -> Summary {
    Summary {
        role: node.role.to_string(),
        name: node.name.text().map(str::to_owned),
        native_id: node.native_id.text().map(str::to_owned),
    }
}

fn summary_of(captured: &Evidence) -> Summary {
    Summary {
        role: captured.role.to_string(),
        name: captured.name.text().map(str::to_owned),
        native_id: captured.native_id.text().map(str::to_owned),
    }
}

fn stale(why: &str, kind: &str) -> Error {
    Error::new(Code::StaleRef, why)
        .kind(kind)
        .suggest("take a new `snapshot` and use a ref from it; nothing was done to the application")
}

fn incomplete(why: &str) -> Error {
    Error::new(Code::ActionFailed, why)
        .kind("live_read_incomplete")
        .detail("retryable", true)
        .suggest("try again, with a longer `--timeout-ms` if the application is slow")
}

fn unresponsive(snapshot: &Snapshot) -> Error {
    Error::new(Code::AppUnresponsive, format!("{} does not answer", quote(&snapshot.application.name)))
        .detail("pid", snapshot.application.process.pid)
}
