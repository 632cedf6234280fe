//! Pictures of a window before and after an action, for sessions that keep them.
//!
//! They are for whoever reads the trace afterwards, so nothing fails because of them: what cannot be shown in the time
//! there is, is not shown.

use serde_json::{Value, json};
use surehand_core::platform::{CaptureTarget, ObserveRequest};
use surehand_core::reference::Ref;
use surehand_core::snapshot::Snapshot;
use surehand_core::tree::Observation;
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::context::Cx;
use crate::picture::{Mark, encode, marks, placed};
use crate::target::{self, Wanted};

/// How long taking one picture may hold up an action.
const TAKE_MS: u64 = 1_000;

/// What was shown before an action.
pub(crate) struct Shown {
    window: Window,
}

/// What the arguments of a command say about what it acts on.
fn target(arguments: &Value) -> (Option<Ref>, Option<&str>, Option<&str>) {
    let word = |name: &str| arguments.get(name).and_then(Value::as_str);
    let reference = ["ref_id", "from", "to"].iter().find_map(|name| word(name)?.parse().ok());
    (reference, word("app"), word("window_id"))
}

/// Takes the picture before.
pub(crate) fn before(cx: &Cx<'_>, arguments: &Value) -> Option<Shown> {
    match take_before(cx, arguments) {
        Ok(shown) => Some(shown),
        Err(error) => {
            cx.note("action.artifacts", json!({ "when": "before", "missing": error.code().token() }));
            None
        }
    }
}

fn take_before(cx: &Cx<'_>, arguments: &Value) -> Result<Shown> {
    let call = cx.call(TAKE_MS);
    let platform = cx.platform(&call)?;
    let (reference, app, window_id) = target(arguments);
    let Some(reference) = reference else {
        let (_, window) = target::window(platform, &call, Wanted { app, window_id })?;
        take(cx, &window, "before", &[], None)?;
        return Ok(Shown { window });
    };
    let snapshot = cx.services.snapshots().load(reference.snapshot)?;
    let windows = platform.windows(&call, std::slice::from_ref(&snapshot.application))?.items;
    let window = windows.into_iter().find(|window| window.object.as_ref() == Some(&snapshot.window));
    let window = window.ok_or_else(|| Error::new(Code::WindowNotFound, "its window is gone"))?;
    let request = ObserveRequest { bounds: true, ..ObserveRequest::default() };
    // A picture without refs says more than none.
    let observed = platform.observe(&call, &snapshot.application, &window, &request);
    let boxes = observed.map(|observation| named(&observation, &snapshot)).unwrap_or_default();
    take(cx, &window, "before", &boxes, Some(reference.number))?;
    Ok(Shown { window })
}

/// The boxes of the elements that had a ref in the snapshot and are the same object still.
fn named(observation: &Observation, snapshot: &Snapshot) -> Vec<Mark> {
    marks(observation, |index| {
        let object = &observation.nodes.get(index)?.object.object;
        snapshot.seen.get(object)?.number
    })
}

/// Takes the picture after.
pub(crate) fn after(cx: &Cx<'_>, shown: &Shown) {
    if let Err(error) = take(cx, &shown.window, "after", &[], None) {
        cx.note("action.artifacts", json!({ "when": "after", "missing": error.code().token() }));
    }
}

fn take(cx: &Cx<'_>, window: &Window, when: &str, boxes: &[Mark], meant: Option<u32>) -> Result<()> {
    let call = cx.call(TAKE_MS);
    let picture = cx.platform(&call)?.capture(&call, &CaptureTarget::Window(window.clone()))?;
    let Some(file) = cx.services.trace().keep_picture(&encode(&picture)?)? else { return Ok(()) };
    let boxes: Vec<Value> = placed(&picture, boxes)
        .iter()
        .map(|mark| {
            let (place, tag) = (mark.element, mark.label);
            json!({
                "ref": format!("e{}", mark.number), "x": place.x, "y": place.y, "w": place.width, "h": place.height,
                "tx": tag.x, "ty": tag.y, "meant": Some(mark.number) == meant,
            })
        })
        .collect();
    cx.note(
        "action.artifacts",
        json!({
            "when": when, "picture": file, "width": picture.width, "height": picture.height,
            "window_id": window.id,
            "boxes": boxes,
        }),
    );
    Ok(())
}
