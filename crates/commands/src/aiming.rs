//! From a ref to the point of the screen that a pointer goes to.

use surehand_core::aim;
use surehand_core::geometry::Point;
use surehand_core::lease::Claim;
use surehand_core::reference::Ref;
use surehand_core::state::State;
use surehand_core::time::Call;
use surehand_core::window::Window;
use surehand_core::{Code, Error, Result};

use crate::context::Cx;

/// Where the pointer goes.
pub(crate) struct Endpoint {
    /// The point of the screen.
    pub(crate) point: Point,
    /// The window that has to be in front there; none where any may be.
    pub(crate) window: Option<Window>,
}

impl Endpoint {
    /// The middle of an element; its window is brought to the front first where `in_front` says so.
    ///
    /// # Errors
    /// What resolving refuses, and what [`aim::at_element`] does.
    pub(crate) fn of_ref(cx: &mut Cx<'_>, call: &Call<'_>, ref_id: Ref, in_front: bool) -> Result<Endpoint> {
        let platform = cx.platform(call)?;
        let (snapshot, evidence) = cx.evidence(platform, ref_id)?;
        cx.acting_on(&snapshot, &evidence);
        let resolved = cx.resolve(platform, call, &snapshot, &evidence)?;
        let node = &resolved.live.node;
        if node.has(State::Hidden) || node.has(State::Offscreen) {
            return Err(Error::new(Code::ActionFailed, "the element is not on the screen")
                .kind("out_of_sight")
                .suggest("scroll it into view first"));
        }
        let mut window = window_of(cx, call, &snapshot.application, &evidence.window)?;
        if in_front {
            let _alone = cx.services.leases().take(call, &Claim::Desktop)?;
            window = surehand_core::rearrange::focus(platform, call, &window)?;
        }
        let point = aim::at_element(platform, call, &snapshot.application, &window, &node.object)?;
        Ok(Endpoint { point, window: Some(window) })
    }
}

/// The window of an element.
///
/// # Errors
/// `WINDOW_NOT_FOUND` when it has closed.
pub(crate) fn window_of(
    cx: &Cx<'_>,
    call: &Call<'_>,
    application: &surehand_core::object::Application,
    object: &surehand_core::object::ObjectId,
) -> Result<Window> {
    let windows = cx.platform(call)?.windows(call, std::slice::from_ref(application))?;
    windows.items.into_iter().find(|window| window.object.as_ref() == Some(object)).ok_or_else(|| {
        Error::new(Code::WindowNotFound, "the window of the element has closed").suggest("take a new `snapshot`")
    })
}
