//! Sets of pixels made of rectangles.

use surehand_core::geometry::Rect;

/// A rectangle by its edges; right and bottom are the first pixels outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl Area {
    /// A rectangle by corner and size.
    pub(super) fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        let far = |start: i32, length: u32| start.saturating_add_unsigned(length);
        Area { left: x, top: y, right: far(x, width), bottom: far(y, height) }
    }

    fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

    /// What both have.
    pub(super) fn meet(self, other: Area) -> Option<Area> {
        let both = Area {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (!both.is_empty()).then_some(both)
    }
}

impl From<Rect> for Area {
    fn from(rect: Rect) -> Self {
        Area::new(rect.x, rect.y, rect.width, rect.height)
    }
}

/// Pixels, as rectangles that do not overlap.
#[derive(Debug, Clone, Default)]
pub(super) struct Region(Vec<Area>);

impl Region {
    /// All of a rectangle.
    pub(super) fn of(area: Area) -> Self {
        if area.is_empty() { Region::default() } else { Region(vec![area]) }
    }

    /// Whether no pixel is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a rectangle out.
    pub(super) fn remove(&mut self, out: Area) {
        let mut kept = Vec::with_capacity(self.0.len());
        for area in self.0.drain(..) {
            let Some(hole) = area.meet(out) else {
                kept.push(area);
                continue;
            };
            // What is left of it: a band above, one below, and the pieces beside the hole.
            let pieces = [
                Area { bottom: hole.top, ..area },
                Area { top: hole.bottom, ..area },
                Area { top: hole.top, bottom: hole.bottom, right: hole.left, ..area },
                Area { top: hole.top, bottom: hole.bottom, left: hole.right, ..area },
            ];
            kept.extend(pieces.into_iter().filter(|piece| !piece.is_empty()));
        }
        self.0 = kept;
    }

    /// Takes out what another region has.
    pub(super) fn remove_all(&mut self, other: &Region) {
        for area in &other.0 {
            self.remove(*area);
        }
    }

    /// Keeps only what lies in a rectangle.
    pub(super) fn keep(&mut self, within: Area) {
        self.0 = self.0.iter().filter_map(|area| area.meet(within)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pixels of a small grid are in the region, and a check that no pixel is in it twice.
    fn pixels(region: &Region) -> Vec<(i32, i32)> {
        let mut all: Vec<_> = region
            .0
            .iter()
            .flat_map(|a| (a.top..a.bottom).flat_map(move |y| (a.left..a.right).map(move |x| (x, y))))
            .collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count, "rectangles overlap");
        all
    }

    #[test]
    fn removing_is_pixel_by_pixel_what_it_should_be() {
        let base = Area::new(2, 2, 6, 6);
        for x in 0..9 {
            for y in 0..9 {
                for (width, height) in [(1, 1), (3, 2), (9, 1), (1, 9), (9, 9)] {
                    let out = Area::new(x, y, width, height);
                    let mut region = Region::of(base);
                    region.remove(out);
                    region.remove(Area::new(4, 4, 1, 1));
                    let inside = |a: Area, x, y| (a.left..a.right).contains(&x) && (a.top..a.bottom).contains(&y);
                    let mut wanted: Vec<_> = (2..8).flat_map(|x| (2..8).map(move |y| (x, y))).collect();
                    wanted.retain(|&(x, y)| !inside(out, x, y) && (x, y) != (4, 4));
                    assert_eq!(pixels(&region), wanted);
                }
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let corner = Area::new(i32::MAX - 1, i32::MIN, u32::MAX, u32::MAX);
        let mut region = Region::of(corner);
        region.remove(Area::new(0, 0, 1, 1));
        assert!(!region.is_empty());
        region.remove(Area::new(i32::MIN, i32::MIN, u32::MAX, u32::MAX));
        assert!(region.is_empty());
        let mut region = Region::of(corner);
        region.keep(Area::new(0, 0, 0, 10));
        assert!(region.is_empty());
    }
}
