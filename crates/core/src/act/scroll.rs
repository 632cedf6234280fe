//! Scrolling through the scroll bars that an application publishes.

use super::Direction;
use super::engine::Scope;
use super::expectation::Expected;
use super::plan::{Move, Plan};
use crate::error::{Code, Error, Result};
use crate::geometry::Rect;
use crate::node::{Content, Node, Orientation};
use crate::object::ObjectId;
use crate::platform::{ObserveRequest, Operation};
use crate::reading::Reading;
use crate::role::Role;
use crate::state::State;
use crate::time::Call;
use crate::tree::Observation;

/// Scroll bars hang below what they scroll, or below a frame in it; deeper ones belong to something else.
const DEPTH: usize = 2;

/// The part of what is shown that one step moves, where the scroll bar does not say how much that is.
const STEPS_A_PAGE: f64 = 10.0;

/// A scroll bar that can move.
struct Bar {
    object: ObjectId,
    orientation: Orientation,
    current: f64,
    minimum: f64,
    maximum: f64,
    step: Option<f64>,
}

/// How to scroll what the element is, or is in.
pub(super) fn plan(
    scope: &Scope<'_>,
    call: &Call<'_>,
    target: &Node,
    direction: Direction,
    amount: u32,
) -> Result<Plan> {
    let (observation, index) = look(scope, call, &target.object)?;
    let orientation = match direction {
        Direction::Up | Direction::Down => Orientation::Vertical,
        Direction::Left | Direction::Right => Orientation::Horizontal,
    };
    let around = std::iter::once(index).chain(observation.ancestors(index));
    let found = around.filter_map(|area| Some((area, bar_of(&observation, area, orientation)?))).next();
    let Some((area, bar)) = found else {
        return Err(Error::new(
            Code::ActionNotSupported,
            format!("nothing around this {} publishes a scroll bar that can go {direction}", target.role),
        )
        .kind("scroll_unsupported")
        .detail("retryable", false)
        .suggest(
            "scroll with the wheel, which takes `--headed`, or bring the element you want into view with `scroll-to`",
        ));
    };
    let page = observation.nodes.get(area).and_then(|node| node.bounds.known()).map(|bounds| match orientation {
        Orientation::Vertical => f64::from(bounds.height),
        Orientation::Horizontal => f64::from(bounds.width),
    });
    let range = bar.maximum - bar.minimum;
    let step =
        bar.step.unwrap_or_else(|| page.filter(|page| *page > 0.0 && *page < range).unwrap_or(range) / STEPS_A_PAGE);
    let way = f64::from(amount) * step;
    let wanted = match direction {
        Direction::Up | Direction::Left => bar.current - way,
        Direction::Down | Direction::Right => bar.current + way,
    };
    let wanted = wanted.clamp(bar.minimum, bar.maximum);
    if (wanted - bar.current).abs() < f64::EPSILON {
        return Ok(Plan::Already);
    }
    let moves = vec![Move { object: bar.object.clone(), operation: Operation::SetNumber(wanted) }];
    Ok(Plan::Semantic { moves, expected: Expected::Moved(bar.current), watched: Some(bar.object) })
}

/// How to scroll the element into view.
pub(super) fn plan_into_view(scope: &Scope<'_>, call: &Call<'_>, target: &Node) -> Result<Plan> {
    let (observation, index) = look(scope, call, &target.object)?;
    if shows(&observation, index) == Some(true) {
        return Ok(Plan::Already);
    }
    let expected = Expected::Shown;
    if target.affordances.scroll_to {
        let moves = vec![Move { object: target.object.clone(), operation: Operation::ScrollTo }];
        return Ok(Plan::Semantic { moves, expected, watched: None });
    }
    let unsupported = |why: &str| {
        Error::new(Code::ActionNotSupported, format!("this {} cannot be scrolled into view: {why}", target.role))
            .kind("scroll_into_view_unsupported")
            .detail("retryable", false)
            .suggest("`scroll` what it is in, and look again")
    };
    let told = observation.nodes.get(index).and_then(|node| node.bounds.known().copied());
    let Some(mut place) = told.or_else(|| guessed_place(&observation, index)) else {
        return Err(unsupported("where it is, is not known"));
    };
    if !place.has_area() {
        return Err(unsupported("it takes no room on the screen at the moment"));
    }
    let mut moves = Vec::new();
    for area in observation.ancestors(index) {
        let Some(view) = observation.nodes.get(area).and_then(|node| node.bounds.known().copied()) else { continue };
        for orientation in [Orientation::Vertical, Orientation::Horizontal] {
            let Some(bar) = bar_of(&observation, area, orientation) else { continue };
            // A frame around what is scrolled has the same bars.
            if moves.iter().any(|known: &Move| known.object == bar.object) {
                continue;
            }
            let (at, size, from, room) = match orientation {
                Orientation::Vertical => (place.y, place.height, view.y, view.height),
                Orientation::Horizontal => (place.x, place.width, view.x, view.width),
            };
            let (at, size, from, room) = (i64::from(at), i64::from(size), i64::from(from), i64::from(room));
            // What is only guessed gets as much room for the mistake as there is.
            let way = if told.is_some() { way_into(at, size, from, room) } else { at + size / 2 - from - room / 2 };
            let wanted = (bar.current + way as f64).clamp(bar.minimum, bar.maximum);
            if way == 0 || (wanted - bar.current).abs() < f64::EPSILON {
                continue;
            }
            let gone = (wanted - bar.current) as i32;
            match orientation {
                Orientation::Vertical => place.y = place.y.saturating_sub(gone),
                Orientation::Horizontal => place.x = place.x.saturating_sub(gone),
            }
            moves.push(Move { object: bar.object, operation: Operation::SetNumber(wanted) });
        }
    }
    if moves.is_empty() {
        return Err(unsupported("nothing around it publishes a scroll bar that would help"));
    }
    Ok(Plan::Semantic { moves, expected, watched: None })
}

/// Whether the element lies within what is shown of all that is around it; none where that is not known.
pub(super) fn is_shown(scope: &Scope<'_>, call: &Call<'_>, target: &ObjectId) -> Option<bool> {
    let (observation, index) = look(scope, call, target).ok()?;
    shows(&observation, index)
}

/// Where an element is that is out of sight and whose place is not told, as GTK 3 does: between those beside it whose
/// places are, in what they are in. Whether it is shown then is looked at, as always.
fn guessed_place(observation: &Observation, index: usize) -> Option<Rect> {
    let told = |index: usize| observation.nodes.get(index)?.bounds.known().copied().filter(Rect::has_area);
    let parent = observation.ancestors(index).next()?;
    let around = told(parent).or_else(|| guessed_place(observation, parent))?;
    let beside = &observation.nodes.get(parent)?.children;
    let own = beside.iter().position(|child| *child == index)?;
    let (before, after) = (beside.get(..own)?, beside.get(own + 1..)?);
    let untold =
        |side: &mut dyn Iterator<Item = &usize>| side.take_while(|child| told(**child).is_none()).count() as i64;
    let (above, below) = (untold(&mut before.iter().rev()), untold(&mut after.iter()));
    let end = |place: Rect| i64::from(place.y) + i64::from(place.height);
    let top = before.iter().rev().find_map(|child| told(*child)).map_or(i64::from(around.y), end);
    let bottom = after.iter().find_map(|child| told(*child)).map_or(end(around), |place| i64::from(place.y));
    let share = (bottom - top).max(0) / (above + 1 + below);
    let (y, height) = (i32::try_from(top + share * above).ok()?, u32::try_from(share).ok()?);
    Some(Rect { y, height: height.max(1), ..around })
}

/// By how much a view has to go on for something to lie in it; the beginning where it does not fit.
fn way_into(at: i64, size: i64, from: i64, room: i64) -> i64 {
    if at < from || size > room { at - from } else { (at + size - from - room).max(0) }
}

fn look(scope: &Scope<'_>, call: &Call<'_>, target: &ObjectId) -> Result<(Observation, usize)> {
    let window = scope.window(call)?;
    let request = ObserveRequest { bounds: true, ..ObserveRequest::default() };
    let observation = scope.platform.observe(call, &scope.snapshot.application, &window, &request)?;
    let index = observation.nodes.iter().position(|node| node.object == *target).ok_or_else(|| {
        Error::new(Code::ActionFailed, "the element is not in what could be read of its window")
            .kind("live_read_incomplete")
            .detail("retryable", true)
    })?;
    Ok((observation, index))
}

fn shows(observation: &Observation, index: usize) -> Option<bool> {
    let node = observation.nodes.get(index)?;
    if node.has(State::Offscreen) || node.has(State::Hidden) {
        return Some(false);
    }
    let place = node.bounds.known()?;
    if !place.has_area() {
        return Some(false);
    }
    // Of what does not fit into a view its beginning has to be there.
    let views = observation.ancestors(index).filter_map(|around| observation.nodes.get(around)?.bounds.known());
    Some(views.filter(|view| view.has_area()).all(|view| is_in_view(place, view)))
}

fn is_in_view(place: &Rect, view: &Rect) -> bool {
    let within = |at: i32, size: u32, from: i32, room: u32| {
        let (at, from) = (i64::from(at), i64::from(from));
        let end = at + i64::from(size.min(room));
        at >= from - 1 && end <= from + i64::from(room) + 1
    };
    within(place.y, place.height, view.y, view.height) && within(place.x, place.width, view.x, view.width)
}

/// The scroll bar of a container, or the element itself where it is one.
fn bar_of(observation: &Observation, area: usize, wanted: Orientation) -> Option<Bar> {
    let mut edge = vec![(area, 0)];
    while let Some((index, depth)) = edge.pop() {
        let node = observation.nodes.get(index)?;
        if let Some(bar) = bar(node).filter(|bar| bar.orientation == wanted) {
            return Some(bar);
        }
        if depth < DEPTH {
            edge.extend(node.children.iter().rev().map(|child| (*child, depth + 1)));
        }
    }
    None
}

fn bar(node: &Node) -> Option<Bar> {
    let Reading::Known(Content::Number { current, minimum, maximum }) = node.content else { return None };
    let usable = node.role == Role::ScrollBar && node.affordances.number && minimum < maximum && maximum.is_finite();
    let shown = !node.has(State::Hidden) && node.bounds.known().is_none_or(Rect::has_area);
    let by_shape =
        |bounds: &Rect| if bounds.width > bounds.height { Orientation::Horizontal } else { Orientation::Vertical };
    let orientation = node.affordances.orientation.or_else(|| node.bounds.known().map(by_shape))?;
    let step = node.affordances.step.filter(|step| *step > 0.0);
    (usable && shown).then(|| Bar { object: node.object.clone(), orientation, current, minimum, maximum, step })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_goes_on_only_as_far_as_it_has_to() {
        assert_eq!(way_into(10, 20, 0, 100), 0);
        assert_eq!(way_into(90, 20, 0, 100), 10);
        assert_eq!(way_into(-5, 20, 0, 100), -5);
        assert_eq!(way_into(50, 200, 0, 100), 50);
        assert_eq!(way_into(105, 20, 100, 100), 0);
    }
}
