//! The visible part of a table that is too large to be read whole.
//!
//! An empty sheet of LibreOffice Calc says it has two thousand million children, and asking it for them hangs
//! it. Which of them are on the screen is found by asking what is at a few places in it.

use std::time::Duration;

use crate::app::NativeRef;
use crate::connect::Link;
use crate::error::Fault;
use crate::tree::NULL;
use crate::wire::{ATSPI, body};

/// More cells than this are not taken from one table, whatever fits on the screen.
const MAX_CELLS: usize = 2_000;

/// How far from the edges the table is asked what is there: behind a border, a header, a scroll bar.
const INSETS: [i32; 4] = [3, 28, 56, 84];

/// The paths of the cells on the screen, row by row; none where the table does not tell.
pub(crate) async fn cells(link: &Link, table: &str, span: Duration) -> Vec<String> {
    let end = tokio::time::Instant::now() + span;
    let left = || end.saturating_duration_since(tokio::time::Instant::now());
    let Some(((top, first), (bottom, last))) = corners(link, table, span).await else { return Vec::new() };
    let interface = format!("{ATSPI}Table");
    let places = (top..=bottom).flat_map(|row| (first..=last).map(move |column| (row, column)));
    let asks =
        places.take(MAX_CELLS).map(|place| link.read.call(table, &interface, "GetAccessibleAt", &place)).collect();
    let answers = link.read.batch_within(asks, left()).await;
    answers.into_iter().filter_map(|answer| own(link, body(answer))).collect()
}

/// The rows and columns between which the visible cells lie, as (row, column) of the first and the last.
async fn corners(link: &Link, table: &str, span: Duration) -> Option<((i32, i32), (i32, i32))> {
    let end = tokio::time::Instant::now() + span;
    let left = || end.saturating_duration_since(tokio::time::Instant::now());
    let peer = &link.read;
    let component = format!("{ATSPI}Component");
    let coordinates = link.toolkit.coordinates();
    let ask = vec![peer.call(table, &component, "GetExtents", &(coordinates,))];
    let answer = peer.batch_within(ask, left()).await.pop().unwrap_or(Err(Fault::NoAnswer));
    let (x, y, width, height): (i32, i32, i32, i32) = body(answer).ok()?;
    let (right, bottom) = (x.checked_add(width)?, y.checked_add(height)?);
    let near = |inset: i32| (x.saturating_add(inset), y.saturating_add(inset));
    let far = |inset: i32| (right.saturating_sub(inset), bottom.saturating_sub(inset));
    let points: Vec<(i32, i32)> = INSETS
        .into_iter()
        .flat_map(|inset| {
            let ((left, top), (right, bottom)) = (near(inset), far(inset));
            [(left, top), (right, bottom), (x.saturating_add(width / 2), bottom), (right, y.saturating_add(height / 2))]
        })
        .collect();
    let asks = points
        .iter()
        .map(|(x, y)| peer.call(table, &component, "GetAccessibleAtPoint", &(x, y, coordinates)))
        .collect();
    let mut hit: Vec<String> =
        peer.batch_within(asks, left()).await.into_iter().filter_map(|answer| own(link, body(answer))).collect();
    hit.dedup();
    let accessible = format!("{ATSPI}Accessible");
    let asks = hit.iter().map(|path| peer.call(path, &accessible, "GetIndexInParent", &())).collect();
    let indices = peer.batch_within(asks, left()).await.into_iter().filter_map(|answer| body::<i32>(answer).ok());
    let interface = format!("{ATSPI}Table");
    let asks = indices
        .filter(|index| *index >= 0)
        .flat_map(|index| {
            ["GetRowAtIndex", "GetColumnAtIndex"].map(|member| peer.call(table, &interface, member, &(index,)))
        })
        .collect();
    let numbers: Vec<i32> =
        peer.batch_within(asks, left()).await.into_iter().map(|answer| body(answer).unwrap_or(-1)).collect();
    let places: Vec<(i32, i32)> = numbers
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|(row, column)| *row >= 0 && *column >= 0)
        .collect();
    let rows = || places.iter().map(|(row, _)| *row);
    let columns = || places.iter().map(|(_, column)| *column);
    Some(((rows().min()?, columns().min()?), (rows().max()?, columns().max()?)))
}

/// The path of an object of the same application.
fn own(link: &Link, answer: Result<NativeRef, Fault>) -> Option<String> {
    let (owner, path) = answer.ok()?;
    ((owner.is_empty() || owner == link.name) && path.as_str() != NULL).then(|| path.to_string())
}
