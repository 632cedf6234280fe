//! Having Chromium publish the content of a window.
//!
//! Chromium, and everything built on it, puts its frames on the bus and nothing below them until a client asks
//! a frame for its attributes; then the whole tree comes, the browser's own elements first and the page later.
//! The switch is for the process as a whole and stays on while it runs.

use std::collections::HashMap;
use std::time::Duration;

use atspi::Role;
use tokio::time::Instant;

use crate::app::NativeRef;
use crate::connect::{Link, ROOT};
use crate::error::Fault;
use crate::skeleton::NULL;
use crate::wire::{ATSPI, body, property};

/// How often a frame that is coming is looked at. Nothing on the bus says that all of it is there.
const LOOK_AGAIN: Duration = Duration::from_millis(40);

/// How long a page is waited for once the frame has its other elements. Some windows have no page at all.
const PAGE: Duration = Duration::from_millis(2_500);

/// Has the window's content published if it is not, and waits until it is there or the time is up.
pub(crate) async fn wake(link: &Link, window: &str, span: Duration) -> Result<(), Fault> {
    let end = Instant::now() + span;
    if has_children(link, window, span).await? {
        return Ok(());
    }
    ask_for_all(link, span).await?;
    let mut page_until = None;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        if has_children(link, window, left).await? {
            let until = *page_until.get_or_insert_with(|| (Instant::now() + PAGE).min(end));
            if has_page(link, window, left).await || Instant::now() >= until {
                return Ok(());
            }
        }
        tokio::time::sleep(LOOK_AGAIN.min(left)).await;
    }
}

/// The call that switches the tree on, to every frame.
async fn ask_for_all(link: &Link, span: Duration) -> Result<(), Fault> {
    let peer = &link.read;
    let accessible = format!("{ATSPI}Accessible");
    let frames = vec![peer.call(ROOT, &accessible, "GetChildren", &())];
    let frames: Vec<NativeRef> = body(peer.batch_within(frames, span).await.pop().unwrap_or(Err(Fault::Malformed)))?;
    let own =
        frames.iter().filter(|(owner, _)| owner.is_empty() || *owner == link.name).take(crate::window::MAX_WINDOWS);
    let asks = own.map(|(_, path)| peer.call(path, &accessible, "GetAttributes", &())).collect();
    // What they answer does not matter; that they were asked does.
    let _ = peer.batch_within(asks, span).await;
    Ok(())
}

/// Whether there is anything below it. Before the tree is switched on a frame has one child, the null object.
async fn has_children(link: &Link, window: &str, span: Duration) -> Result<bool, Fault> {
    let ask = vec![link.read.call(window, &format!("{ATSPI}Accessible"), "GetChildren", &())];
    let children: Vec<NativeRef> = body(link.read.batch_within(ask, span).await.pop().unwrap_or(Err(Fault::NoAnswer)))?;
    Ok(children.iter().any(|(_, path)| path.as_str() != NULL))
}

/// Whether one of the window's documents has content.
async fn has_page(link: &Link, window: &str, span: Duration) -> bool {
    /// `ALL`, for the criteria that are not given: everything has all of nothing.
    const ALL: i32 = 1;
    /// `ANY` of the roles.
    const ANY: i32 = 2;
    let mut roles = [0i32; 5];
    let document = Role::DocumentWeb as usize;
    roles[document / 32] |= 1i32.rotate_left(u32::try_from(document % 32).unwrap_or(0));
    let nothing: HashMap<String, String> = HashMap::new();
    let rule = (vec![0i32, 0], ALL, nothing, ALL, roles.to_vec(), ANY, Vec::<String>::new(), ALL, false);
    let peer = &link.read;
    let ask = vec![peer.call(window, &format!("{ATSPI}Collection"), "GetMatches", &(rule, 1u32, 16i32, true))];
    let answer = peer.batch_within(ask, span).await.pop().unwrap_or(Err(Fault::NoAnswer));
    let Ok(documents) = body::<Vec<NativeRef>>(answer) else { return false };
    let accessible = format!("{ATSPI}Accessible");
    let asks = documents.iter().map(|(_, path)| peer.get(path, &accessible, "ChildCount")).collect();
    peer.batch_within(asks, span).await.into_iter().any(|answer| property::<i32>(answer).is_ok_and(|count| count > 0))
}
