//! Where elements are on the screen.
//!
//! Toolkits tell places in frames of their own: of the screen or of the window's surface, in the screen's pixels or
//! in larger ones where the desktop is scaled. The same window's place by the window system tells which; where the
//! two do not fit together the place is unknown, and nobody points at it.

use std::time::Duration;

use surehand_core::geometry::{Point, Rect};
use surehand_core::node::Node;
use surehand_core::object::ObjectId;
use surehand_core::reading::Reading;
use surehand_core::window::Window;

use crate::app::NativeRef;
use crate::connect::Link;
use crate::error::Fault;
use crate::skeleton::NULL;
use crate::toolkit::Toolkit;
use crate::wire::{ATSPI, body};

/// No frame or shadow around a window is wider than this, in pixels of the screen.
const WIDEST_FRAME: i64 = 160;

/// No desktop is scaled by more than this.
const LARGEST_SCALE: i64 = 4;

/// No element has more levels at one point.
const DEEPEST: usize = 64;

/// How a toolkit's places of one window become places on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    scale: i64,
    x: i64,
    y: i64,
}

impl Frame {
    /// From where the window is by the toolkit and by the window system. None where the two do not fit together.
    pub(crate) fn between(toolkit: Toolkit, told: Rect, client: Rect) -> Option<Frame> {
        if !told.has_area() || !client.has_area() {
            return None;
        }
        let wide = |rect: Rect| (i64::from(rect.width), i64::from(rect.height));
        let at = |rect: Rect| (i64::from(rect.x), i64::from(rect.y));
        let ((width, height), (told_width, told_height)) = (wide(client), wide(told));
        let off = |scale: i64| (told_width * scale - width, told_height * scale - height);
        let fits = |scale: &i64| {
            let (x, y) = off(*scale);
            x.abs() <= WIDEST_FRAME && y.abs() <= WIDEST_FRAME
        };
        let distance = |scale: &i64| {
            let (x, y) = off(*scale);
            x.abs() + y.abs()
        };
        let scale = (1..=LARGEST_SCALE).filter(fits).min_by_key(distance)?;
        let ((x, y), (told_x, told_y)) = (at(client), at(told));
        if toolkit.coordinates() == 1 {
            // The surface can be larger than the window by the shadow around it, which is the same on both sides.
            let (wider, higher) = off(scale);
            let (x, y) = (x - wider / 2 - told_x * scale, y - higher / 2 - told_y * scale);
            return Some(Frame { scale, x, y });
        }
        // Of the screen: what is told may include the frame around the window, and is never inside of it.
        let near = |told: i64, client: i64| (client - WIDEST_FRAME..=client + WIDEST_FRAME).contains(&(told * scale));
        (near(told_x, x) && near(told_y, y)).then_some(Frame { scale, x: 0, y: 0 })
    }

    fn to_screen(self, rect: Rect) -> Option<Rect> {
        let place = |at: i32, origin: i64| i32::try_from(i64::from(at) * self.scale + origin).ok();
        let size = |length: u32| u32::try_from(i64::from(length) * self.scale).ok();
        Some(Rect {
            x: place(rect.x, self.x)?,
            y: place(rect.y, self.y)?,
            width: size(rect.width)?,
            height: size(rect.height)?,
        })
    }

    fn of_screen(self, point: Point) -> Option<(i32, i32)> {
        let place = |at: i32, origin: i64| i32::try_from((i64::from(at) - origin).div_euclid(self.scale)).ok();
        Some((place(point.x, self.x)?, place(point.y, self.y)?))
    }
}

/// The frame of a window.
pub(crate) async fn frame(link: &Link, window: &Window, span: Duration) -> Option<Frame> {
    let path = window.object.as_ref()?.object.as_str();
    let ask = link.read.call(path, &format!("{ATSPI}Component"), "GetExtents", &(link.toolkit.coordinates(),));
    let answer = link.read.batch_within(vec![ask], span).await.pop().unwrap_or(Err(Fault::NoAnswer));
    let told = crate::read::rect(&body(answer)).known().copied()?;
    Frame::between(link.toolkit, told, window.bounds.known().copied()?)
}

/// Makes places on the screen of what the toolkit told.
pub(crate) fn to_screen(nodes: &mut [Node], frame: Option<Frame>) {
    for node in nodes {
        node.bounds = match (std::mem::take(&mut node.bounds), frame) {
            (Reading::Known(rect), Some(frame)) => frame.to_screen(rect).map_or(Reading::Unknown, Reading::Known),
            (Reading::Known(_), None) => Reading::Unknown,
            (other, _) => other,
        };
    }
}

/// The innermost element at a point of the screen. Some toolkits answer with the container that is asked's own
/// child, so it goes on from there.
pub(crate) async fn element_at(
    link: &Link,
    window: &Window,
    point: Point,
    span: Duration,
    id: impl Fn(&str) -> ObjectId,
) -> Result<Option<ObjectId>, Fault> {
    let end = tokio::time::Instant::now() + span;
    let left = || end.saturating_duration_since(tokio::time::Instant::now());
    let Some(object) = &window.object else { return Ok(None) };
    let Some((x, y)) = frame(link, window, left()).await.and_then(|frame| frame.of_screen(point)) else {
        return Ok(None);
    };
    let coordinates = link.toolkit.coordinates();
    let mut innermost = object.object.clone();
    for _ in 0..DEEPEST {
        let ask =
            link.read.call(&innermost, &format!("{ATSPI}Component"), "GetAccessibleAtPoint", &(x, y, coordinates));
        let answer = link.read.batch_within(vec![ask], left()).await.pop().unwrap_or(Err(Fault::NoAnswer));
        let below: NativeRef = match body(answer) {
            Ok(below) => below,
            Err(fault @ (Fault::NoAnswer | Fault::Disconnected)) => return Err(fault),
            // What has no places has nothing in it at this one.
            Err(_) => break,
        };
        let (owner, path) = below;
        let own = owner.is_empty() || owner == link.name;
        if !own || path.as_str() == NULL || path.as_str() == innermost {
            break;
        }
        innermost = path.as_str().to_owned();
    }
    Ok(Some(id(&innermost)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: i32, y: i32, width: u32, height: u32) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn a_frame_of_the_screen_is_what_it_is_at_any_scale() {
        let client = rect(101, 121, 500, 400);
        let frame = Frame::between(Toolkit::Gtk3, rect(100, 100, 502, 422), client).expect("it fits");
        assert_eq!(frame.to_screen(rect(110, 130, 20, 10)), Some(rect(110, 130, 20, 10)));
        let scaled = Frame::between(Toolkit::Gtk3, rect(50, 50, 251, 211), client).expect("it fits");
        assert_eq!(scaled.to_screen(rect(60, 70, 20, 10)), Some(rect(120, 140, 40, 20)));
        assert_eq!(scaled.of_screen(Point { x: 121, y: 141 }), Some((60, 70)));
    }

    #[test]
    fn a_frame_of_the_window_begins_at_its_corner_and_leaves_out_the_shadow() {
        let client = rect(400, 300, 500, 400);
        let frame = Frame::between(Toolkit::Gtk4, rect(0, 0, 510, 410), client).expect("it fits");
        assert_eq!(frame.to_screen(rect(5, 5, 20, 10)), Some(rect(400, 300, 20, 10)));
        let scaled = Frame::between(Toolkit::Gtk4, rect(0, 0, 250, 200), client).expect("it fits");
        assert_eq!(scaled.to_screen(rect(10, 10, 20, 10)), Some(rect(420, 320, 40, 20)));
    }

    #[test]
    fn what_does_not_fit_together_is_not_known() {
        let client = rect(400, 300, 500, 400);
        // The corner of the window taken for that of the screen.
        assert_eq!(Frame::between(Toolkit::Qt, rect(0, 0, 500, 400), client), None);
        assert_eq!(Frame::between(Toolkit::Gtk3, rect(400, 300, 300, 100), client), None);
        assert_eq!(Frame::between(Toolkit::Gtk3, rect(400, 300, 0, 0), client), None);
    }
}
