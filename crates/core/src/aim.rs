//! Pointing at something, and making sure that it is what gets the click.
//!
//! A pointer acts on whatever is under it. So before anything is sent the window system is asked which window a
//! pointer at that point reaches, and it has to be the one that is meant, or a menu or another window without a title
//! bar of the same process. Where it is not known at which pixel of the screen an element is, nobody points at it.

use serde_json::json;

use crate::error::{Code, Error, Result};
use crate::geometry::{Point, Rect};
use crate::object::{Application, ObjectId};
use crate::platform::{Live, ObserveRequest, Platform};
use crate::reading::Reading;
use crate::text::quote;
use crate::time::Call;
use crate::window::Window;

/// Who has to be under the pointer.
#[derive(Debug, Clone, Copy)]
pub enum Expected<'w> {
    /// This window.
    Window(&'w Window),
    /// Any window of the process of this one.
    ApplicationOf(&'w Window),
}

impl<'w> Expected<'w> {
    const fn window(self) -> &'w Window {
        match self {
            Expected::Window(window) | Expected::ApplicationOf(window) => window,
        }
    }
}

/// Goes on only where a pointer at this point reaches what is expected.
///
/// # Errors
/// `POLICY_DENIED` with kind `another_window_in_front`, naming what is there instead.
pub fn check(platform: &dyn Platform, call: &Call<'_>, expected: Expected<'_>, point: Point) -> Result<()> {
    let window = expected.window();
    let found = platform.window_at(call, point)?;
    if found.is_some() && found == window.native {
        return Ok(());
    }
    let applications = platform.applications(call)?;
    let windows = platform.windows(call, &applications.items)?;
    let listed = windows.items.iter().find(|other| found.is_some() && other.native == found);
    let owner = match (found, listed) {
        (_, Some(listed)) => Some(listed.process.clone()),
        (Some(native), None) => platform.window_owner(call, native)?,
        (None, None) => None,
    };
    let is_own = owner.as_ref() == Some(&window.process);
    match expected {
        // A window that is in no list is a menu, a tooltip or the like.
        Expected::Window(_) if is_own && listed.is_none() => return Ok(()),
        Expected::ApplicationOf(_) if is_own => return Ok(()),
        Expected::Window(_) | Expected::ApplicationOf(_) => {}
    }
    let who = match (listed, &owner) {
        (Some(other), _) => format!("window {} {} of {}", other.id, quote(&other.title), quote(&other.app_name)),
        (None, Some(process)) => {
            let name = applications.items.iter().find(|application| application.process == *process);
            let name = name.map_or_else(|| "another program".to_owned(), |application| quote(&application.name));
            format!("a window without a title of {name} (process {})", process.pid)
        }
        (None, None) if found.is_none() => "the background of the desktop".to_owned(),
        (None, None) => "a window of an unknown program".to_owned(),
    };
    let meant = format!("window {} {}", window.id, quote(&window.title));
    Err(Error::new(Code::PolicyDenied, format!("at {},{} of the screen is {who}, not {meant}", point.x, point.y))
        .kind("another_window_in_front")
        .detail(
            "in_front",
            listed.map(|other| json!({ "id": other.id, "title": other.title, "app_name": other.app_name })),
        )
        .detail("in_front_pid", owner.map(|process| process.pid))
        .suggest("bring the window to the front with `focus-window`, or act on a ref, which needs no pointer"))
}

/// Where an element is on the screen now.
///
/// # Errors
/// `ACTION_NOT_SUPPORTED` with kind `unknown_origin` when it is not known, `WINDOW_NOT_FOUND` or `STALE_REF` when it
/// is gone.
pub fn place(
    platform: &dyn Platform,
    call: &Call<'_>,
    application: &Application,
    window: &Window,
    object: &ObjectId,
) -> Result<Rect> {
    let root = (window.object.as_ref() != Some(object)).then(|| object.clone());
    let request = ObserveRequest { root, max_nodes: 1, bounds: true, ..ObserveRequest::default() };
    let seen = platform.observe(call, application, window, &request)?;
    match seen.nodes.first().map(|node| node.bounds) {
        Some(Reading::Known(bounds)) if bounds.has_area() => Ok(bounds),
        Some(Reading::Known(_) | Reading::Absent) => {
            Err(Error::new(Code::ActionFailed, "the element takes no room on the screen")
                .kind("no_place")
                .suggest("make it visible first"))
        }
        Some(Reading::Unknown) | None => Err(Error::new(
            Code::ActionNotSupported,
            "it is not known at which pixel of the screen the element is, so nothing points at it",
        )
        .kind("unknown_origin")
        .suggest("act on the ref without `--headed`, or give a point of the screen that a screenshot shows")),
    }
}

/// The point in the middle of the part of an element that is in its window, where the application itself finds the
/// element there, or nothing that speaks against it.
///
/// # Errors
/// As [`place`]; `ACTION_FAILED` with kind `out_of_sight` or `covered_by_element`.
pub fn at_element(
    platform: &dyn Platform,
    call: &Call<'_>,
    application: &Application,
    window: &Window,
    object: &ObjectId,
) -> Result<Point> {
    let bounds = place(platform, call, application, window, object)?;
    let Some(seen) = window.bounds.known().and_then(|window| bounds.meet(*window)) else {
        return Err(Error::new(Code::ActionFailed, "the element is outside of its window")
            .kind("out_of_sight")
            .detail("bounds", bounds)
            .suggest("scroll it into view first"));
    };
    let point = seen.centre();
    let Some(there) = platform.element_at(call, application, window, point)? else { return Ok(point) };
    if there == *object {
        return Ok(point);
    }
    let around = |of: &ObjectId| match platform.inspect(call, of, &application.process) {
        Ok(Live::Element(live)) => Ok(Some(live.ancestors.into_iter().map(|node| node.object).collect::<Vec<_>>())),
        Ok(Live::Gone | Live::ProcessGone) => Ok(None),
        Err(error) => Err(error),
    };
    // What is in the element gets its clicks for it, and a container that is answered says nothing.
    if around(&there)?.is_none_or(|around| around.contains(object)) {
        return Ok(point);
    }
    if around(object)?.is_none_or(|around| around.contains(&there)) {
        return Ok(point);
    }
    let what = match platform.inspect(call, &there, &application.process)? {
        Live::Element(live) => {
            format!("a {} {}", live.node.role, quote(live.node.name.text().unwrap_or_default()))
        }
        Live::Gone | Live::ProcessGone => return Ok(point),
    };
    Err(Error::new(Code::ActionFailed, format!("at the place of the element the application has {what}"))
        .kind("covered_by_element")
        .detail("point", point))
}
