//! Acting with pointer and keyboard, where a person allowed it.
//!
//! What is struck goes wherever the window system puts it, so everything is made sure of right before: the window is
//! in front, nothing lies over the point, and the point belongs to the element.

use std::time::Duration;

use serde::Serialize;

use super::Action;
use super::engine::Scope;
use crate::error::{Code, Error, Result};
use crate::geometry::{Point, Rect};
use crate::input::Chord;
use crate::node::Node;
use crate::object::ObjectId;
use crate::platform::{Live, ObserveRequest, WindowChange};
use crate::stroke::{PointerButton, Stroke};
use crate::text::quote;
use crate::time::Call;
use crate::window::Window;

/// How long a window may take to come to the front.
const RAISE: Duration = Duration::from_millis(750);

/// How often that is looked at.
const RAISE_LOOK: Duration = Duration::from_millis(25);

/// How far apart the looks are by which an element is known to stay where it is, and how many there are.
const STABLE_STEP: Duration = Duration::from_millis(17);
const STABLE_LOOKS: u32 = 3;

/// What lies over the point that was aimed at.
#[derive(Debug, Clone, Serialize)]
struct Occluder {
    role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// A point of an element that a pointer reaches.
#[derive(Debug, Clone)]
pub(super) struct Aim {
    pub(super) point: Point,
    window: Window,
}

/// Finds the point, and fails where it cannot be made sure of.
pub(super) fn aim(scope: &Scope<'_>, call: &Call<'_>, node: &Node, raise: bool) -> Result<Aim> {
    let window = scope.window(call)?;
    let (Some(native), Some(client)) = (window.native, window.bounds.known().copied()) else {
        return Err(Error::new(
            Code::ActionFailed,
            "it is not known where on the screen this window is, so no point of it is aimed at",
        )
        .kind("origin_unknown")
        .detail("retryable", false)
        .suggest("use an action that needs no pointer, or give the windows of this application different titles"));
    };
    if raise {
        bring_to_front(scope, call, &window, native)?;
    }
    let place = steady_place(scope, call, &window, &node.object)?;
    let Some(visible) = common(&place, &client) else {
        return Err(transient("the element is not within what is shown of its window", "offscreen")
            .suggest("bring it into view with `scroll-to` first"));
    };
    let mut obstacle = None;
    for point in points(&visible) {
        match what_is_there(scope, call, &window, native, point, &node.object)? {
            None => return Ok(Aim { point, window }),
            Some(error) => obstacle = obstacle.or(Some(error)),
        }
    }
    Err(obstacle.unwrap_or_else(|| transient("nothing of the element is shown", "offscreen")))
}

/// Strikes what the action is made of. The caller holds the desktop.
pub(super) fn strike(scope: &Scope<'_>, call: &Call<'_>, aim: &Aim, action: &Action) -> Result<()> {
    let click = |button, times: usize| {
        let one = [Stroke::ButtonDown(button), Stroke::ButtonUp(button)];
        std::iter::once(Stroke::MoveTo(aim.point)).chain(one.into_iter().cycle().take(2 * times)).collect::<Vec<_>>()
    };
    let left = |times| click(PointerButton::Left, times);
    match action {
        Action::Click | Action::Toggle | Action::Check | Action::Uncheck => scope.platform.strike(call, &left(1)),
        Action::DoubleClick => scope.platform.strike(call, &left(2)),
        Action::TripleClick => scope.platform.strike(call, &left(3)),
        Action::RightClick => scope.platform.strike(call, &click(PointerButton::Right, 1)),
        Action::Hover => scope.platform.strike(call, &[Stroke::MoveTo(aim.point)]),
        Action::TypeText(text) => {
            scope.platform.strike(call, &left(1))?;
            write(scope, call, aim, &[Stroke::Text(text.clone())])
        }
        Action::SetValue(_) | Action::Clear => {
            scope.platform.strike(call, &left(1))?;
            let text = if let Action::SetValue(text) = action { text.as_str() } else { "" };
            let chord = |keys: &str| keys.parse::<Chord>().map(Stroke::Chord);
            let mut strokes = vec![chord("ctrl+a")?];
            strokes.push(if text.is_empty() { chord("delete")? } else { Stroke::Text(text.to_owned()) });
            write(scope, call, aim, &strokes)
        }
        Action::Focus
        | Action::Select(_)
        | Action::Expand
        | Action::Collapse
        | Action::Scroll { .. }
        | Action::ScrollTo => Err(Error::new(Code::Internal, "an action that no pointer carries out")),
    }
}

/// Sends keys, only while the window has the keyboard.
fn write(scope: &Scope<'_>, call: &Call<'_>, aim: &Aim, strokes: &[Stroke]) -> Result<()> {
    let uncertain = |error: Error| error.delivery(crate::disposition::Delivery::DeliveryUncertain);
    let attention = scope.platform.attention(call).map_err(uncertain)?;
    if attention.keyboard != aim.window.native {
        return Err(uncertain(
            Error::new(Code::ActionFailed, "the window lost the keyboard before anything was typed")
                .kind("not_focused"),
        ));
    }
    scope.platform.strike(call, strokes).map_err(uncertain)
}

/// Brings the window to the front, and waits until it is.
fn bring_to_front(scope: &Scope<'_>, call: &Call<'_>, window: &Window, native: u64) -> Result<()> {
    let is_active = || scope.platform.attention(call).map(|attention| attention.active == Some(native));
    if is_active()? {
        return Ok(());
    }
    scope.platform.change_window(call, window, WindowChange::Focus)?;
    let waiting = call.at_most(RAISE);
    while !waiting.left().is_zero() {
        if is_active()? {
            return Ok(());
        }
        call.clock.pause(RAISE_LOOK, call.cancel);
        call.go_on()?;
    }
    let active = scope.platform.attention(call)?.active;
    Err(refused_for(scope, call, active, "could not be brought to the front"))
}

/// Where the element is, once it is in the same place several times in a row.
fn steady_place(scope: &Scope<'_>, call: &Call<'_>, window: &Window, object: &ObjectId) -> Result<Rect> {
    let request =
        ObserveRequest { root: Some(object.clone()), bounds: true, max_nodes: 1, ..ObserveRequest::default() };
    let mut last: Option<Rect> = None;
    for look in 0..STABLE_LOOKS {
        if look > 0 {
            call.clock.pause(STABLE_STEP, call.cancel);
            call.go_on()?;
        }
        let observation = scope.platform.observe(call, &scope.snapshot.application, window, &request)?;
        let place = observation.nodes.first().and_then(|node| node.bounds.known().copied());
        let Some(place) = place.filter(Rect::has_area) else {
            return Err(transient("the element takes no room on the screen", "offscreen"));
        };
        if last.is_some_and(|last| last != place) {
            return Err(transient("the element is moving", "unstable"));
        }
        last = Some(place);
    }
    last.ok_or_else(|| transient("the element takes no room on the screen", "offscreen"))
}

/// What is in the way at a point; nothing where the element is there, or where nobody says otherwise.
fn what_is_there(
    scope: &Scope<'_>,
    call: &Call<'_>,
    window: &Window,
    native: u64,
    point: Point,
    object: &ObjectId,
) -> Result<Option<Error>> {
    match scope.platform.window_at(call, point) {
        Ok(Some(there)) if there == native => {}
        Ok(there) => return Ok(Some(refused_for(scope, call, there, "does not reach the point aimed at"))),
        Err(error) => return Err(error),
    }
    let application = &scope.snapshot.application;
    let Ok(Some(there)) = scope.platform.element_at(call, application, window, point) else { return Ok(None) };
    if there == *object {
        return Ok(None);
    }
    match scope.platform.inspect(call, &there, &scope.captured.process) {
        // What is in the element is the element; and a container around it only says that it did not look deeper.
        Ok(Live::Element(live)) if live.ancestors.iter().any(|around| around.object == *object) => Ok(None),
        Ok(Live::Element(live)) => {
            let around = scope.platform.inspect(call, object, &scope.captured.process);
            if let Ok(Live::Element(own)) = around
                && own.ancestors.iter().any(|around| around.object == there)
            {
                return Ok(None);
            }
            let occluder =
                Occluder { role: live.node.role.to_string(), name: live.node.name.text().map(str::to_owned) };
            Ok(Some(transient("another element lies over it", "covered").detail("occluder", occluder)))
        }
        Ok(Live::Gone | Live::ProcessGone) | Err(_) => Ok(None),
    }
}

/// A refusal that names the window that is in front.
fn refused_for(scope: &Scope<'_>, call: &Call<'_>, there: Option<u64>, why: &str) -> Error {
    let windows = scope
        .platform
        .applications(call)
        .and_then(|applications| scope.platform.windows(call, &applications.items))
        .map(|windows| windows.items)
        .unwrap_or_default();
    let front = windows.iter().find(|window| window.native.is_some() && window.native == there);
    let who = front
        .map_or("no known window".to_owned(), |front| format!("{} of {}", quote(&front.title), quote(&front.app_name)));
    let front =
        front.map(|front| serde_json::json!({ "id": front.id, "title": front.title, "app_name": front.app_name }));
    Error::new(Code::PolicyDenied, format!("the window {why}; {who} is in front"))
        .kind("window_not_in_front")
        .detail("front", front)
        .detail("retryable", true)
        .suggest("bring the window to the front with `focus-window`, or move the other one away")
}

fn transient(why: &str, kind: &str) -> Error {
    Error::new(Code::ActionFailed, why).kind(kind).detail("retryable", true)
}

/// What two rectangles have in common.
fn common(one: &Rect, other: &Rect) -> Option<Rect> {
    let end = |at: i32, size: u32| i64::from(at) + i64::from(size);
    let (x, y) = (one.x.max(other.x), one.y.max(other.y));
    let width = end(one.x, one.width).min(end(other.x, other.width)) - i64::from(x);
    let height = end(one.y, one.height).min(end(other.y, other.height)) - i64::from(y);
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (width > 0 && height > 0).then_some(Rect { x, y, width, height })
}

/// The centre and the centres of the four quarters.
fn points(rect: &Rect) -> [Point; 5] {
    let at = |x: u32, y: u32| Point {
        x: rect.x.saturating_add((rect.width * x / 4) as i32),
        y: rect.y.saturating_add((rect.height * y / 4) as i32),
    };
    [at(2, 2), at(1, 1), at(3, 1), at(1, 3), at(3, 3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_an_element_is_what_it_has_in_common_with_its_window() {
        let rect = |x, y, width, height| Rect { x, y, width, height };
        assert_eq!(common(&rect(0, 0, 10, 10), &rect(5, 5, 10, 10)), Some(rect(5, 5, 5, 5)));
        assert_eq!(common(&rect(0, 0, 10, 10), &rect(10, 0, 10, 10)), None);
        assert_eq!(common(&rect(i32::MAX - 1, 0, 10, 10), &rect(0, 0, u32::MAX, 10)).map(|rect| rect.width), Some(10));
        let [centre, ..] = points(&rect(100, 100, 40, 20));
        assert_eq!(centre, Point { x: 120, y: 110 });
    }
}
