//! Top-level windows: the accessibility tree's and the window system's, joined where it is certain that both
//! mean the same one.

use std::time::Duration;

use atspi::State as NativeState;
use surehand_core::geometry::Rect;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::{Listing, Unresponsive};
use surehand_core::reading::Reading;
use surehand_core::text::fingerprint;
use surehand_core::window::Window;

use crate::app::{NativeRef, PATIENCE, text};
use crate::connect::{Bus, ROOT};
use crate::error::Fault;
use crate::process;
use crate::roles;
use crate::skeleton::NULL;
use crate::states::NativeStates;
use crate::toolkit::Toolkit;
use crate::wire::{ATSPI, body, property};
use crate::x11::XWindow;

/// More windows than this of one application are not listed.
pub(crate) const MAX_WINDOWS: usize = 1_024;

/// A window as the accessibility tree has it.
struct TreeWindow {
    object: ObjectId,
    title: String,
    states: Reading<NativeStates>,
    /// Where it says it is on the screen; toolkits differ in whether that includes the frame.
    extents: Reading<Rect>,
}

/// The windows in the trees of these applications.
pub(crate) struct Trees<'a>(Vec<(&'a Application, Result<Vec<TreeWindow>, Fault>)>);

/// Asks these applications for their windows, each at the same time.
pub(crate) async fn trees<'a>(bus: &Bus, applications: &'a [Application], span: Duration) -> Trees<'a> {
    let asked = applications.iter().map(|application| async move {
        (application, of_application(bus, application, span.min(PATIENCE.max(span / 2))).await)
    });
    Trees(futures_util::future::join_all(asked).await)
}

/// The windows of these applications, joined with those on the screen.
pub(crate) fn windows(trees: Trees<'_>, on_screen: Option<&[XWindow]>) -> Listing<Window> {
    let mut listing = Listing { items: Vec::new(), unresponsive: Vec::new() };
    for (application, found) in trees.0 {
        match found {
            Ok(windows) => {
                let own: Vec<&XWindow> = on_screen
                    .unwrap_or_default()
                    .iter()
                    .filter(|window| window.pid == Some(application.process.pid))
                    .collect();
                listing.items.extend(join(application, windows, &own, on_screen.is_some()));
            }
            Err(_) => listing
                .unresponsive
                .push(Unresponsive { program: application.program.clone(), pid: application.process.pid }),
        }
    }
    listing
}

/// A window of a program that publishes no tree, or whose tree could not be read.
pub(crate) fn bare(window: &XWindow, active: Option<u64>) -> Option<Window> {
    let process = process::process(window.pid?)?;
    let program = process::program(process.pid);
    Some(Window {
        id: format!("w-{:x}", window.id),
        other_id: None,
        title: window.title.clone(),
        app_name: program,
        process,
        object: None,
        native: Some(u64::from(window.id)),
        bounds: Reading::Known(window.bounds),
        frame: Reading::Known(window.frame),
        maximized: Reading::Known(window.maximized),
        focused: Reading::Known(active == Some(u64::from(window.id))),
        minimized: Reading::Known(window.minimized),
        visible: Reading::Known(window.visible),
    })
}

/// The window with what the window system says of it now.
pub(crate) fn updated(window: &Window, seen: &XWindow, active: Option<u64>) -> Window {
    Window {
        title: seen.title.clone(),
        bounds: Reading::Known(seen.bounds),
        frame: Reading::Known(seen.frame),
        focused: Reading::Known(active == Some(u64::from(seen.id))),
        minimized: Reading::Known(seen.minimized),
        maximized: Reading::Known(seen.maximized),
        visible: Reading::Known(seen.visible),
        ..window.clone()
    }
}

async fn of_application(bus: &Bus, application: &Application, span: Duration) -> Result<Vec<TreeWindow>, Fault> {
    let name = bus.name_of(&application.object).ok_or(Fault::Malformed)?;
    if process::is_stopped(application.process.pid) {
        return Err(Fault::NoAnswer);
    }
    let accessible = format!("{ATSPI}Accessible");
    // Over the bus and not over a private connection: this is asked of every application, and making one
    // costs more than the few calls here.
    let peer = bus.peer(name);
    let told = bus.met(name).and_then(|met| met.windows);
    let count = match told {
        // One that had none may have opened its first by now.
        Some(count) if count > 0 => count,
        _ => {
            let ask = vec![peer.get(ROOT, &accessible, "ChildCount")];
            property(peer.batch_within(ask, span).await.pop().unwrap_or(Err(Fault::Malformed)))?
        }
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    let asks = if usize::try_from(count).is_ok_and(|count| count <= MAX_WINDOWS) {
        vec![peer.call(ROOT, &accessible, "GetChildren", &())]
    } else {
        return Err(Fault::Malformed);
    };
    let children: Vec<NativeRef> = body(peer.batch_within(asks, span).await.pop().unwrap_or(Err(Fault::Malformed)))?;
    let own: Vec<NativeRef> = children
        .into_iter()
        .filter(|(owner, path)| (owner.is_empty() || owner == name) && path.as_str() != NULL)
        // It may list more than it counted.
        .take(MAX_WINDOWS)
        .collect();
    let asks = own
        .iter()
        .flat_map(|(_, path)| {
            [
                peer.call(path, &accessible, "GetRole", &()),
                peer.get(path, &accessible, "Name"),
                peer.call(path, &accessible, "GetState", &()),
                peer.call(path, &format!("{ATSPI}Component"), "GetExtents", &(0u32,)),
            ]
        })
        .collect();
    let mut answers = peer.batch_within(asks, span).await.into_iter();
    let mut next = || answers.next().unwrap_or(Err(Fault::Malformed));
    let mut windows = Vec::new();
    for (_, path) in own {
        let (role, title, states, extents) = (body::<u32>(next()), text(next()), body::<Vec<u32>>(next()), next());
        if role == Err(Fault::NoAnswer) {
            return Err(Fault::NoAnswer);
        }
        if !role.is_ok_and(roles::is_window) {
            continue;
        }
        windows.push(TreeWindow {
            object: bus.object(name, &path),
            title: title.unwrap_or_default(),
            states: states.map_or(Reading::Unknown, |words| Reading::Known(NativeStates::from_words(&words))),
            extents: crate::read::rect(&body(extents)),
        });
    }
    Ok(windows)
}

/// A way to tell that two windows are the same.
type Rule<'r> = dyn Fn(&TreeWindow, &XWindow) -> bool + 'r;

/// Which window of the screen each window of the tree is, where that is certain.
///
/// A title that only one has on each side joins the two. What is left after that is joined by the place on
/// the screen, if only one is there: a message box often has a title on one side only, and while a title
/// changes the two sides disagree. Windows that look the same on all counts stay apart: which is which
/// would be a guess.
fn partners<'x>(windows: &[TreeWindow], own: &[&'x XWindow]) -> Vec<Option<&'x XWindow>> {
    let mut partners: Vec<Option<&XWindow>> = vec![None; windows.len()];
    let by_title = |window: &TreeWindow, other: &XWindow| window.title.trim() == other.title.trim();
    let by_place = |window: &TreeWindow, other: &XWindow| match &window.extents {
        Reading::Known(extents) => extents.has_area() && (*extents == other.frame || *extents == other.bounds),
        Reading::Absent | Reading::Unknown => false,
    };
    let alone = |_: &TreeWindow, _: &XWindow| windows.len() == 1 && own.len() == 1;
    let rules: [&Rule<'_>; 3] = [&by_title, &by_place, &alone];
    for rule in rules {
        let left: Vec<usize> = (0..windows.len()).filter(|index| partners[*index].is_none()).collect();
        let free: Vec<&XWindow> =
            own.iter().copied().filter(|other| !partners.iter().flatten().any(|taken| taken.id == other.id)).collect();
        for index in &left {
            let fitting: Vec<&&XWindow> = free.iter().filter(|other| rule(&windows[*index], other)).collect();
            if let [only] = fitting.as_slice()
                && left.iter().filter(|rival| rule(&windows[**rival], only)).count() == 1
            {
                partners[*index] = Some(only);
            }
        }
    }
    partners
}

/// Joins an application's windows of both kinds.
fn join(application: &Application, windows: Vec<TreeWindow>, own: &[&XWindow], has_screen: bool) -> Vec<Window> {
    let partners = partners(&windows, own);
    let mut joined = Vec::new();
    let has_blind_frames = Toolkit::of(&application.toolkit).has_blind_frames() && partners.iter().any(Option::is_some);
    for (window, partner) in windows.into_iter().zip(partners) {
        let state = |native: NativeState| window.states.map(|states| states.has(native));
        let visible = state(NativeState::Visible);
        // What an application keeps around without ever having shown it is no window to anybody.
        if partner.is_none() && has_screen && visible == Reading::Known(false) {
            continue;
        }
        if partner.is_none() && has_blind_frames && window.title.is_empty() {
            continue;
        }
        joined.push(Window {
            id: partner.map_or_else(|| own_id(&window.object), |partner| format!("w-{:x}", partner.id)),
            other_id: partner.map(|_| own_id(&window.object)),
            title: partner.map_or(window.title.clone(), |partner| partner.title.clone()),
            app_name: application.name.clone(),
            process: application.process.clone(),
            object: Some(window.object.clone()),
            native: partner.map(|partner| u64::from(partner.id)),
            bounds: partner.map_or(Reading::Unknown, |partner| Reading::Known(partner.bounds)),
            frame: partner.map_or(Reading::Unknown, |partner| Reading::Known(partner.frame)),
            maximized: partner.map_or(Reading::Unknown, |partner| Reading::Known(partner.maximized)),
            focused: state(NativeState::Active),
            minimized: partner
                .map_or_else(|| state(NativeState::Iconified), |partner| Reading::Known(partner.minimized)),
            visible: partner.map_or(visible, |partner| Reading::Known(partner.visible)),
        });
    }
    joined
}

/// An id for a window that the window system's handle is not known of: as short, and the same every time.
fn own_id(object: &ObjectId) -> String {
    let hash = fingerprint([object.owner.as_str(), object.object.as_str()]);
    format!("w-a{:08x}", hash >> 32)
}

#[cfg(test)]
mod tests {
    use surehand_core::object::Process;

    use super::*;

    fn application() -> Application {
        Application {
            name: "app".into(),
            program: "app".into(),
            process: Process { pid: 7, generation: "g".into() },
            object: ObjectId { owner: "bus:1.1".into(), object: ROOT.into() },
            toolkit: String::new(),
        }
    }

    fn tree_window(path: &str, title: &str) -> TreeWindow {
        TreeWindow {
            object: ObjectId { owner: "bus:1.1".into(), object: path.into() },
            title: title.into(),
            states: Reading::Known(NativeStates(NativeState::Visible as u64)),
            extents: Reading::Unknown,
        }
    }

    fn x_window(id: u32, title: &str) -> XWindow {
        let bounds = Rect { x: 0, y: 0, width: 10, height: 10 };
        XWindow {
            id,
            title: title.into(),
            pid: Some(7),
            bounds,
            frame: bounds,
            minimized: false,
            maximized: false,
            visible: true,
            class: String::new(),
        }
    }

    #[test]
    fn titles_that_are_unique_on_both_sides_join_and_equal_ones_do_not() {
        let (one, two, three) = (x_window(1, "A"), x_window(2, "B"), x_window(3, "B"));
        let windows = vec![tree_window("/a", "A"), tree_window("/b", "B"), tree_window("/c", "B")];
        let joined = join(&application(), windows, &[&one, &two, &three], true);
        assert_eq!(joined.iter().map(|window| window.native).collect::<Vec<_>>(), [Some(1), None, None]);
        assert_eq!(joined[0].id, "w-1");
        assert_ne!(joined[1].id, joined[2].id);
    }

    #[test]
    fn what_titles_do_not_tell_the_place_does() {
        let place = |x| Rect { x, y: 20, width: 30, height: 40 };
        let mut one = x_window(1, "");
        let mut two = x_window(2, "old");
        (one.frame, two.frame) = (place(5), place(100));
        let mut windows = vec![tree_window("/a", "Question"), tree_window("/b", "new")];
        (windows[0].extents, windows[1].extents) = (Reading::Known(place(5)), Reading::Known(place(100)));
        let joined = join(&application(), windows, &[&one, &two], true);
        assert_eq!(joined.iter().map(|window| window.native).collect::<Vec<_>>(), [Some(1), Some(2)]);
    }

    #[test]
    fn frames_that_nobody_sees_are_no_windows() {
        let chromium = Application { toolkit: "Chromium 1.0".into(), ..application() };
        let one = x_window(1, "Page");
        let windows = || vec![tree_window("/a", "Page"), tree_window("/b", ""), tree_window("/c", "")];
        assert_eq!(join(&chromium, windows(), &[&one], true).len(), 1);
        assert_eq!(join(&application(), windows(), &[&one], true).len(), 3);
    }

    #[test]
    fn windows_in_one_place_stay_apart() {
        let (one, two) = (x_window(1, "A"), x_window(2, "A"));
        let mut windows = vec![tree_window("/a", "A"), tree_window("/b", "A")];
        windows.iter_mut().for_each(|window| window.extents = Reading::Known(one.bounds));
        let joined = join(&application(), windows, &[&one, &two], true);
        assert_eq!(joined.iter().filter_map(|window| window.native).count(), 0);
    }

    #[test]
    fn one_of_each_belong_together_while_the_title_changes() {
        let one = x_window(1, "*new");
        let joined = join(&application(), vec![tree_window("/a", "old")], &[&one], true);
        assert_eq!(joined[0].native, Some(1));
    }
}
