//! Pictures: writing them as PNG, and drawing refs on them.

use surehand_core::geometry::Rect;
use surehand_core::platform::Picture;
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_core::tree::Observation;
use surehand_core::{Code, Error, Result};

/// Writes a picture as PNG.
///
/// # Errors
/// `INTERNAL` when its size and its bytes do not go together.
pub(crate) fn encode(picture: &Picture) -> Result<Vec<u8>> {
    let failed = |error: png::EncodingError| {
        Error::new(Code::Internal, "the picture cannot be written as PNG").platform(error.to_string())
    };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&picture.rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// An element that is to be marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of its ref.
    pub(crate) number: u32,
    /// Where it is on the screen.
    pub(crate) bounds: Rect,
}

impl Mark {
    /// Where it is in a picture, as far as it is in it.
    pub(crate) fn within(&self, picture: &Picture) -> Option<Rect> {
        let clipped = common(self.bounds, picture.bounds)?;
        let place = Rect { x: clipped.x - picture.bounds.x, y: clipped.y - picture.bounds.y, ..clipped };
        // A picture can be smaller than the place where it was taken: a window that reaches beyond the screen.
        common(place, Rect { x: 0, y: 0, width: picture.width, height: picture.height })
    }
}

/// What two rectangles have in common, if anything.
fn common(one: Rect, other: Rect) -> Option<Rect> {
    let end = |start: i32, length: u32| i64::from(start) + i64::from(length);
    let (x, y) = (one.x.max(other.x), one.y.max(other.y));
    let right = end(one.x, one.width).min(end(other.x, other.width));
    let bottom = end(one.y, one.height).min(end(other.y, other.height));
    let width = u32::try_from(right - i64::from(x)).ok().filter(|width| *width > 0)?;
    let height = u32::try_from(bottom - i64::from(y)).ok().filter(|height| *height > 0)?;
    Some(Rect { x, y, width, height })
}

/// The elements of an observation that can be seen and have a number, with the part of them that is not scrolled away.
pub(crate) fn marks(observation: &Observation, number_of: impl Fn(usize) -> Option<u32>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (index, node) in observation.nodes.iter().enumerate() {
        let Some(number) = number_of(index) else { continue };
        let Some(&bounds) = node.bounds.known() else { continue };
        if node.has(State::Hidden) || node.has(State::Offscreen) {
            continue;
        }
        let viewports = observation.ancestors(index).filter_map(|above| observation.nodes.get(above));
        let seen = viewports
            .filter(|above| above.role == Role::ScrollArea)
            .filter_map(|above| above.bounds.known())
            .try_fold(bounds, |seen, viewport| common(seen, *viewport));
        if let Some(bounds) = seen.filter(Rect::has_area) {
            marks.push(Mark { number, bounds });
        }
    }
    marks
}

/// A mark with its place in a picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// The number of its ref.
    pub(crate) number: u32,
    /// Where the element is.
    pub(crate) element: Rect,
    /// Where its label goes.
    pub(crate) label: Rect,
}

/// The marks that are in a picture, with places for their labels.
pub(crate) fn placed(picture: &Picture, marks: &[Mark]) -> Vec<Placed> {
    let elements: Vec<(u32, Rect)> =
        marks.iter().filter_map(|mark| Some((mark.number, mark.within(picture)?))).collect();
    let mut labels: Vec<Rect> = Vec::new();
    let mut all = Vec::new();
    for (number, element) in &elements {
        let label = best_place(picture, &format!("e{number}"), *element, &elements, &labels);
        labels.push(label);
        all.push(Placed { number: *number, element: *element, label });
    }
    all
}

/// Draws the marks and gives how many are in the picture.
pub(crate) fn draw(picture: &mut Picture, marks: &[Mark]) -> usize {
    let all = placed(picture, marks);
    for (at, mark) in all.iter().enumerate() {
        frame(picture, mark.element, colour(at));
    }
    // The labels come last, so that no frame crosses one.
    for (at, mark) in all.iter().enumerate() {
        write(picture, mark.label, &format!("e{}", mark.number), colour(at));
    }
    all.len()
}

/// Colours in which white can be read, next to each other never the same.
const COLOURS: [[u8; 3]; 6] = [
    [0x1d, 0x4e, 0xd8],
    [0xb9, 0x1c, 0x1c],
    [0x15, 0x80, 0x3d],
    [0x7e, 0x22, 0xce],
    [0xb4, 0x53, 0x09],
    [0x0f, 0x76, 0x6e],
];

const WHITE: [u8; 3] = [0xff; 3];

fn colour(at: usize) -> [u8; 3] {
    COLOURS[at % COLOURS.len()]
}

/// Pixels of a letter.
const LETTER: (u32, u32) = (6, 9);

/// Pixels around the letters, the light edge included.
const PADDING: u32 = 3;

/// The letters that labels are made of.
fn letter(c: char) -> [&'static str; 9] {
    match c {
        '0' => [".####.", "##..##", "##..##", "##..##", "##..##", "##..##", "##..##", "##..##", ".####."],
        '1' => ["..##..", ".###..", "####..", "..##..", "..##..", "..##..", "..##..", "..##..", "######"],
        '2' => [".####.", "##..##", "....##", "....##", "...##.", "..##..", ".##...", "##....", "######"],
        '3' => [".####.", "##..##", "....##", "....##", "..###.", "....##", "....##", "##..##", ".####."],
        '4' => ["....##", "...###", "..####", ".##.##", "##..##", "######", "....##", "....##", "....##"],
        '5' => ["######", "##....", "##....", "#####.", "....##", "....##", "....##", "##..##", ".####."],
        '6' => ["..###.", ".##...", "##....", "##....", "#####.", "##..##", "##..##", "##..##", ".####."],
        '7' => ["######", "....##", "....##", "...##.", "...##.", "..##..", "..##..", ".##...", ".##..."],
        '8' => [".####.", "##..##", "##..##", "##..##", ".####.", "##..##", "##..##", "##..##", ".####."],
        '9' => [".####.", "##..##", "##..##", "##..##", ".#####", "....##", "....##", "...##.", ".###.."],
        _ => ["......", "......", "......", ".####.", "##..##", "######", "##....", "##..##", ".####."],
    }
}

fn label_size(text: &str) -> (u32, u32) {
    let count = u32::try_from(text.len()).unwrap_or(1);
    (count * LETTER.0 + count.saturating_sub(1) + 2 * PADDING, LETTER.1 + 2 * PADDING)
}

/// Where the label of an element hides least: no other label if it can be, then no other element, then not its own.
fn best_place(picture: &Picture, text: &str, own: Rect, elements: &[(u32, Rect)], labels: &[Rect]) -> Rect {
    let (width, height) = label_size(text);
    let (w, h) = (own.width.cast_signed(), own.height.cast_signed());
    let (lw, lh) = (width.cast_signed(), height.cast_signed());
    let corners = [
        (0, -lh),
        (w - lw, -lh),
        // Texts begin at the left or stand in the middle, so inside of it the right end hides least.
        (w - lw, (h - lh) / 2),
        (-lw, (h - lh) / 2),
        (w, (h - lh) / 2),
        (0, h),
        (w - lw, h),
        (w - lw, 0),
        (0, 0),
        (w - lw, h - lh),
        (0, h - lh),
    ];
    let inside = |at: i32, length: u32, all: u32| at.clamp(0, (all.saturating_sub(length)).cast_signed());
    let places = corners.map(|(dx, dy)| Rect {
        x: inside(own.x + dx, width, picture.width),
        y: inside(own.y + dy, height, picture.height),
        width,
        height,
    });
    let area = |rect: Rect| u64::from(rect.width) * u64::from(rect.height);
    let covered = |place: Rect, by: Rect| common(place, by).map_or(0, area);
    let cost = |place: &Rect| {
        let of_labels: u64 = labels.iter().map(|label| covered(*place, *label)).sum();
        // What the element stands in is covered wherever the label goes.
        let others = elements.iter().filter(|(_, other)| common(*other, own) != Some(own));
        let of_others: u64 = others.map(|(_, other)| covered(*place, *other)).sum();
        of_labels * 100 + of_others * 6 + covered(*place, own) * 2
    };
    places.into_iter().min_by_key(cost).unwrap_or(places[0])
}

fn set(picture: &mut Picture, x: i32, y: i32, colour: [u8; 3]) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
    if x < picture.width && y < picture.height {
        let at = (y as usize * picture.width as usize + x as usize) * 3;
        if let Some(pixel) = picture.rgb.get_mut(at..at + 3) {
            pixel.copy_from_slice(&colour);
        }
    }
}

/// The outline of a rectangle, one pixel wide.
fn outline(picture: &mut Picture, place: Rect, colour: [u8; 3]) {
    let (right, bottom) = (place.x + place.width.cast_signed() - 1, place.y + place.height.cast_signed() - 1);
    for x in place.x..=right {
        set(picture, x, place.y, colour);
        set(picture, x, bottom, colour);
    }
    for y in place.y..=bottom {
        set(picture, place.x, y, colour);
        set(picture, right, y, colour);
    }
}

/// A frame that is seen on light and on dark: a line of colour between two light ones.
fn frame(picture: &mut Picture, place: Rect, colour: [u8; 3]) {
    let inner = |by: u32| {
        (place.width > 2 * by && place.height > 2 * by).then(|| Rect {
            x: place.x + by.cast_signed(),
            y: place.y + by.cast_signed(),
            width: place.width - 2 * by,
            height: place.height - 2 * by,
        })
    };
    if let Some(light) = inner(1) {
        outline(picture, light, WHITE);
    }
    outline(picture, place, colour);
    let outer = Rect { x: place.x - 1, y: place.y - 1, width: place.width + 2, height: place.height + 2 };
    outline(picture, outer, WHITE);
}

fn write(picture: &mut Picture, place: Rect, text: &str, colour: [u8; 3]) {
    for y in 0..place.height.cast_signed() {
        for x in 0..place.width.cast_signed() {
            set(picture, place.x + x, place.y + y, colour);
        }
    }
    outline(picture, place, WHITE);
    let step = (LETTER.0 + 1).cast_signed();
    let padding = PADDING.cast_signed();
    for (at, c) in (0..).zip(text.chars()) {
        for (row, line) in (0..).zip(letter(c)) {
            for (column, _) in (0..).zip(line.chars()).filter(|(_, dot)| *dot == '#') {
                set(picture, place.x + padding + at * step + column, place.y + padding + row, WHITE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank(width: u32, height: u32) -> Picture {
        let bytes = width as usize * height as usize * 3;
        Picture { width, height, rgb: vec![0; bytes], bounds: Rect { x: 100, y: 50, width, height } }
    }

    fn mark(number: u32, x: i32, y: i32, width: u32, height: u32) -> Mark {
        Mark { number, bounds: Rect { x, y, width, height } }
    }

    #[test]
    fn letters_are_of_one_size() {
        for c in "0123456789e".chars() {
            assert!(letter(c).iter().all(|line| line.len() == LETTER.0 as usize), "{c}");
        }
        let all: std::collections::BTreeSet<_> = "0123456789e".chars().map(letter).collect();
        assert_eq!(all.len(), 11);
    }

    #[test]
    fn what_is_outside_is_not_marked_and_nothing_is_drawn_beyond_the_edge() {
        let mut picture = blank(100, 60);
        let marks = [
            mark(1, 100, 50, 100, 60),
            mark(2, 190, 100, 500, 500),
            mark(3, 10, 10, 20, 20),
            mark(4, i32::MAX, i32::MAX, u32::MAX, u32::MAX),
            mark(5, i32::MIN, i32::MIN, u32::MAX, u32::MAX),
            mark(6, 120, 60, 0, 4),
        ];
        assert_eq!(draw(&mut picture, &marks), 3);
        assert_eq!(marks[1].within(&picture), Some(Rect { x: 90, y: 50, width: 10, height: 10 }));
    }

    #[test]
    fn labels_avoid_each_other_while_there_is_room() {
        let mut picture = blank(400, 200);
        let grid = (0..3).flat_map(|row| (0..4).map(move |column| (row, column)));
        let marks: Vec<Mark> = (1..)
            .zip(grid)
            .map(|(number, (row, column))| mark(number, 110 + column * 90, 70 + row * 50, 70, 24))
            .collect();
        let all = placed(&picture, &marks);
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| common(other.label, one.label).is_none()), "{one:?}");
            assert!(all.iter().all(|other| common(other.element, one.label).is_none()), "{one:?}");
        }
        assert_eq!(draw(&mut picture, &marks), 12);
    }
}
