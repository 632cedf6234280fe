//! A table that is too large to be read whole.
//!
//! An empty sheet of LibreOffice Calc says it has two thousand million children, and asking it for them hangs
//! it. What of a table is on the screen is found by asking what is at a few places in it; the rest is read a page of
//! cells at a time. Cells are counted row by row, from the first cell of the first row: children are counted
//! differently by each toolkit, with or without the headers, and no sheet of Calc counts all of its own.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crate::app::NativeRef;
use crate::connect::Link;
use crate::error::Fault;
use crate::skeleton::NULL;
use crate::wire::{ATSPI, Ask, body, property};

/// More cells than this are not taken from one table, whatever fits on the screen.
const MAX_CELLS: u64 = 2_000;

/// How many cells are asked for at first, to see how long one takes. The farther down a sheet of
/// Calc a cell is, the longer it takes: forty milliseconds in the last row.
const PROBES: [usize; 2] = [2, 4];

/// How long reading the cells of one table may take.
const FOR_CELLS: Duration = Duration::from_millis(1_200);

/// How many calls for a cell take as long as finding it: that, and reading its states.
const ASKS_OF_A_CELL: u128 = 3;

/// How far apart the points are that have to meet any cell, in pixels.
const COARSE: i32 = 40;

/// How far apart those are that have to meet every row and every column.
const FINE: i32 = 8;

/// How many of the former there are to a side, at most.
const MOST_COARSE: i32 = 12;

/// How many of the latter there are to a side, at most.
const MOST_STEPS: i32 = 200;

/// A table that tells its rows and columns.
pub(crate) struct Grid<'a> {
    link: &'a Link,
    table: &'a str,
    rows: u64,
    columns: u64,
}

/// Some cells of a table.
pub(crate) struct Part {
    /// The headers of their columns, then the cells, row by row.
    pub(crate) paths: Vec<String>,
    /// How many of them are cells.
    pub(crate) cells: u64,
    /// Which cell of the table the first one is.
    pub(crate) from: u64,
    /// The cell to go on with.
    pub(crate) next: Option<u64>,
}

/// A range of columns in a range of rows, each from the first to the last.
struct Corners {
    rows: (u64, u64),
    columns: (u64, u64),
}

impl<'a> Grid<'a> {
    /// Asks the table how large it is.
    pub(crate) async fn of(link: &'a Link, table: &'a str, span: Duration) -> Option<Grid<'a>> {
        let interface = format!("{ATSPI}Table");
        let asks = ["NRows", "NColumns"].map(|name| link.read.get(table, &interface, name)).into();
        let numbers = link.read.batch_within(asks, span).await.into_iter();
        let mut numbers = numbers.map(|answer| u64::try_from(property::<i32>(answer).ok()?).ok());
        let (rows, columns) = (numbers.next()??, numbers.next()??);
        (rows > 0 && columns > 0).then_some(Grid { link, table, rows, columns })
    }

    /// How many columns it has.
    pub(crate) fn columns(&self) -> u64 {
        self.columns
    }

    /// How many cells it has.
    pub(crate) fn cells(&self) -> u64 {
        self.rows.saturating_mul(self.columns)
    }

    /// The cells on the screen; none where the table does not tell.
    pub(crate) async fn visible(&self, span: Duration) -> Option<Part> {
        let end = tokio::time::Instant::now() + span;
        let left = || end.saturating_duration_since(tokio::time::Instant::now());
        let Corners { rows: (top, bottom), columns: (first, last) } = self.corners(left() / 2).await?;
        let wide = last - first + 1;
        let all = (bottom - top + 1).saturating_mul(wide);
        let taken = all.min(MAX_CELLS);
        let at = |number: u64| (top + number / wide) * self.columns + first + number % wide;
        let next = if taken < all { at(taken) } else { (bottom + 1) * self.columns };
        let part = self.read((0..taken).map(at).collect(), (first, last), next, left()).await;
        (part.cells > 0).then_some(part)
    }

    /// A page of cells from this one on.
    pub(crate) async fn page(&self, from: u64, most: u64, span: Duration) -> Part {
        let end = self.cells().min(from.saturating_add(most));
        let places: Vec<u64> = (from..end).collect();
        let columns = match (places.first(), places.last()) {
            (Some(one), Some(other)) if one / self.columns == other / self.columns => {
                (one % self.columns, other % self.columns)
            }
            // A page is not longer than this, so neither are its columns.
            _ => (0, self.columns.min(most).saturating_sub(1)),
        };
        self.read(places, columns, end, span).await
    }

    /// The cells of these places as far as there is time for them, and the headers of these columns.
    async fn read(&self, places: Vec<u64>, (first, last): (u64, u64), next: u64, span: Duration) -> Part {
        let end = tokio::time::Instant::now() + span;
        let left = || end.saturating_duration_since(tokio::time::Instant::now());
        let interface = format!("{ATSPI}Table");
        let number = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
        let headers = (first..=last)
            .take_while(|_| !places.is_empty())
            .map(|column| self.link.read.call(self.table, &interface, "GetColumnHeader", &(number(column),)));
        let mut paths = self.objects(headers.collect(), left()).await;
        let heads = paths.len();
        let mut taken = 0;
        let mut fits = places.len();
        for probe in 0..=PROBES.len() {
            // A few first, and where they are slow a few more, since it may have been the machine and not the table.
            let begun = tokio::time::Instant::now();
            let chunk =
                PROBES.get(probe).map_or(fits.saturating_sub(taken), |few| places.len().min(taken + few) - taken);
            let asks = places[taken..taken + chunk].iter().map(|place| {
                let place = (number(place / self.columns), number(place % self.columns));
                self.link.read.call(self.table, &interface, "GetAccessibleAt", &place)
            });
            paths.extend(self.objects(asks.collect(), left()).await);
            taken += chunk;
            if probe < PROBES.len() && chunk > 0 {
                let each = begun.elapsed() / chunk as u32;
                let room = FOR_CELLS.min(left() / 2).as_micros() / (each.as_micros() * ASKS_OF_A_CELL).max(1);
                let room = usize::try_from(room).unwrap_or(usize::MAX);
                fits = if probe == 0 { room } else { fits.max(room) }.min(places.len());
            }
        }
        let next = places.get(taken).copied().unwrap_or(next);
        Part {
            cells: (paths.len() - heads) as u64,
            paths,
            from: places.first().copied().unwrap_or(next),
            next: (next < self.cells()).then_some(next),
        }
    }

    /// The objects of the same application among the answers.
    async fn objects(&self, asks: Vec<Ask>, span: Duration) -> Vec<String> {
        let answers = self.link.read.batch_within(asks, span).await;
        answers.into_iter().filter_map(|answer| own(self.link, body(answer))).collect()
    }

    /// Between which rows and columns the visible cells lie: a few points find a cell, and the two lines through it
    /// every row and column.
    async fn corners(&self, span: Duration) -> Option<Corners> {
        let end = tokio::time::Instant::now() + span;
        let left = || end.saturating_duration_since(tokio::time::Instant::now());
        let coordinates = self.link.toolkit.coordinates();
        let ask = self.link.read.call(self.table, &format!("{ATSPI}Component"), "GetExtents", &(coordinates,));
        let answer = self.link.read.batch_within(vec![ask], left()).await.pop()?;
        let (x, y, width, height): (i32, i32, i32, i32) = body(answer).ok()?;
        // Where they end has to be a number as well.
        x.checked_add(width)?;
        y.checked_add(height)?;
        let near = steps(x, width, COARSE.max(width / MOST_COARSE));
        let lattice = steps(y, height, COARSE.max(height / MOST_COARSE))
            .into_iter()
            .flat_map(|y| near.iter().map(move |x| (*x, y)))
            .collect();
        let hits = self.cells_at(lattice, left()).await;
        let ((x_hit, y_hit), _) = *hits.get(hits.len() / 2)?;
        let down = steps(y, height, FINE).into_iter().map(|y| (x_hit, y));
        let across = steps(x, width, FINE).into_iter().map(|x| (x, y_hit));
        let mut found = self.cells_at(down.chain(across).collect(), left()).await;
        found.extend(hits);
        let rows = || found.iter().map(|(_, (row, _))| *row);
        let columns = || found.iter().map(|(_, (_, column))| *column);
        Some(Corners { rows: (rows().min()?, rows().max()?), columns: (columns().min()?, columns().max()?) })
    }

    /// What cells are at these points of the screen, as row and column. Where something else is, nothing is told.
    async fn cells_at(&self, points: Vec<Point>, span: Duration) -> Vec<(Point, (u64, u64))> {
        let end = tokio::time::Instant::now() + span;
        let left = || end.saturating_duration_since(tokio::time::Instant::now());
        let peer = &self.link.read;
        let component = format!("{ATSPI}Component");
        let coordinates = self.link.toolkit.coordinates();
        let ask = |(x, y): &Point| peer.call(self.table, &component, "GetAccessibleAtPoint", &(x, y, coordinates));
        let answers = peer.batch_within(points.iter().map(ask).collect(), left()).await;
        let hits: Vec<Option<String>> = answers.into_iter().map(|answer| own(self.link, body(answer))).collect();
        let distinct: Vec<&String> = hits.iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
        let accessible = format!("{ATSPI}Accessible");
        let asks = distinct.iter().map(|path| peer.call(path, &accessible, "GetIndexInParent", &())).collect();
        let indices = peer.batch_within(asks, left()).await.into_iter().map(|answer| body::<i32>(answer).unwrap_or(-1));
        let known: Vec<(&String, i32)> = distinct.into_iter().zip(indices).filter(|(_, index)| *index >= 0).collect();
        let interface = format!("{ATSPI}Table");
        let asks = known.iter().flat_map(|(_, index)| {
            ["GetRowAtIndex", "GetColumnAtIndex"].map(|member| peer.call(self.table, &interface, member, &(*index,)))
        });
        let numbers: Vec<Option<u64>> = peer
            .batch_within(asks.collect(), left())
            .await
            .into_iter()
            .map(|answer| u64::try_from(body::<i32>(answer).ok()?).ok())
            .collect();
        let places: HashMap<&String, (u64, u64)> = known
            .iter()
            .zip(numbers.chunks_exact(2))
            .filter_map(|((path, _), pair)| Some((*path, (pair[0]?, pair[1]?))))
            // What lies outside of what it says it has is no place in it.
            .filter(|(_, (row, column))| *row < self.rows && *column < self.columns)
            .collect();
        let place = |(point, hit): (&Point, &Option<String>)| Some((*point, *places.get(hit.as_ref()?)?));
        points.iter().zip(&hits).filter_map(place).collect()
    }
}

/// A place on the screen, to the right and down.
type Point = (i32, i32);

/// Places this far apart, the first half as far behind the start; farther apart where there would be too many.
fn steps(start: i32, length: i32, step: i32) -> Vec<i32> {
    let step = step.max(length / MOST_STEPS);
    (0..length / step).map(|number| start + step / 2 + number * step).collect()
}

/// The path of an object of the same application.
fn own(link: &Link, answer: Result<NativeRef, Fault>) -> Option<String> {
    let (owner, path) = answer.ok()?;
    ((owner.is_empty() || owner == link.name) && path.as_str() != NULL).then(|| path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_gone_along_in_steps_that_are_few_enough() {
        assert_eq!(steps(100, 40, 8), [104, 112, 120, 128, 136]);
        assert_eq!(steps(0, 2_000_000, 8).len(), 200);
        assert!(steps(0, 7, 8).is_empty() && steps(5, -3, 8).is_empty() && steps(0, 0, 8).is_empty());
    }
}
