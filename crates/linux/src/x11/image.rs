//! Pixels as X servers send them, turned into red, green and blue.

/// How the pixels of an image are laid out: of the server's formats and the drawable's visual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bits that a pixel takes: 16, 24 or 32.
    pub(super) bits_per_pixel: u8,
    /// Rows are filled up to a multiple of so many bits.
    pub(super) scanline_pad: u8,
    /// Whether the first byte of a pixel is its highest.
    pub(super) big_endian: bool,
    /// The bits of a pixel that are red, green and blue.
    pub(super) masks: [u32; 3],
}

impl Layout {
    /// Bytes that a row takes; none when the server's numbers make no sense or the kind is not known to us.
    pub(super) fn stride(&self, width: u32) -> Option<usize> {
        if !matches!(self.bits_per_pixel, 16 | 24 | 32) || !matches!(self.scanline_pad, 8 | 16 | 32) {
            return None;
        }
        if self.masks.contains(&0) {
            return None;
        }
        let pad = u64::from(self.scanline_pad);
        let bits = u64::from(width) * u64::from(self.bits_per_pixel);
        usize::try_from(bits.div_ceil(pad) * pad / 8).ok()
    }

    /// Appends `rows` rows of `data` to `rgb`. `false`, with nothing appended, when the data is too short or
    /// the layout is not one of [`Layout::stride`].
    #[must_use]
    pub(super) fn append(&self, data: &[u8], width: u32, rows: u32, rgb: &mut Vec<u8>) -> bool {
        let (Some(stride), Ok(width), Ok(rows)) = (self.stride(width), usize::try_from(width), usize::try_from(rows))
        else {
            return false;
        };
        if stride == 0 || rows == 0 {
            return true;
        }
        if stride.checked_mul(rows).is_none_or(|needed| data.len() < needed) {
            return false;
        }
        let size = usize::from(self.bits_per_pixel / 8);
        let channels = self.masks.map(Channel::of);
        rgb.reserve(width * rows * 3);
        for row in data.chunks_exact(stride).take(rows) {
            for pixel in row.chunks_exact(size).take(width) {
                let value = self.value(pixel);
                rgb.extend(channels.map(|channel| channel.read(value)));
            }
        }
        true
    }

    fn value(&self, pixel: &[u8]) -> u32 {
        let join = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        if self.big_endian { pixel.iter().fold(0, join) } else { pixel.iter().rev().fold(0, join) }
    }
}

/// Where one colour sits in a pixel.
#[derive(Clone, Copy)]
struct Channel {
    mask: u32,
    shift: u32,
    bits: u32,
}

impl Channel {
    fn of(mask: u32) -> Self {
        let shift = mask.trailing_zeros().min(31);
        Channel { mask, shift, bits: 32 - (mask >> shift).leading_zeros() }
    }

    /// The colour in 8 bits: full stays full and none stays none, whatever the width is.
    fn read(self, pixel: u32) -> u8 {
        let value = (pixel & self.mask) >> self.shift;
        if self.bits == 8 {
            return value as u8;
        }
        let full = u64::from(self.mask >> self.shift).max(1);
        u8::try_from((u64::from(value) * 255 + full / 2) / full).unwrap_or(u8::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE_COLOR: [u32; 3] = [0xff_0000, 0xff00, 0xff];

    fn read(layout: Layout, data: &[u8], width: u32, rows: u32) -> Option<Vec<u8>> {
        let mut rgb = Vec::new();
        layout.append(data, width, rows, &mut rgb).then_some(rgb)
    }

    #[test]
    fn both_byte_orders_and_any_masks_give_the_same_picture() {
        let little = Layout { bits_per_pixel: 32, scanline_pad: 32, big_endian: false, masks: TRUE_COLOR };
        let big = Layout { big_endian: true, ..little };
        let swapped = Layout { masks: [0xff, 0xff00, 0xff_0000], ..little };
        let wanted = Some(vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(read(little, &[3, 2, 1, 0, 6, 5, 4, 255], 2, 1), wanted);
        assert_eq!(read(big, &[0, 1, 2, 3, 255, 4, 5, 6], 2, 1), wanted);
        assert_eq!(read(swapped, &[1, 2, 3, 0, 4, 5, 6, 9], 2, 1), wanted);
    }

    #[test]
    fn padding_at_the_end_of_rows_is_left_out() {
        let packed = Layout { bits_per_pixel: 24, scanline_pad: 32, big_endian: false, masks: TRUE_COLOR };
        assert_eq!(packed.stride(1), Some(4));
        assert_eq!(read(packed, &[3, 2, 1, 99, 6, 5, 4, 99], 1, 2), Some(vec![1, 2, 3, 4, 5, 6]));
        let packed = Layout { big_endian: true, ..packed };
        assert_eq!(read(packed, &[1, 2, 3, 99, 4, 5, 6, 99], 1, 2), Some(vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn narrow_and_wide_colours_are_scaled() {
        let narrow =
            Layout { bits_per_pixel: 16, scanline_pad: 32, big_endian: false, masks: [0xf800, 0x07e0, 0x001f] };
        assert_eq!(read(narrow, &[0xff, 0xff, 0x00, 0xf8], 2, 1), Some(vec![255, 255, 255, 255, 0, 0]));
        let wide = Layout {
            bits_per_pixel: 32,
            scanline_pad: 32,
            big_endian: false,
            masks: [0x3ff0_0000, 0x000f_fc00, 0x3ff],
        };
        assert_eq!(read(wide, &0x3ff0_0200u32.to_le_bytes(), 1, 1), Some(vec![255, 0, 128]));
    }

    #[test]
    fn short_data_and_unknown_kinds_are_refused() {
        let layout = Layout { bits_per_pixel: 32, scanline_pad: 32, big_endian: false, masks: TRUE_COLOR };
        assert_eq!(read(layout, &[0; 7], 2, 1), None);
        assert_eq!(read(layout, &[0; 8], u32::MAX, u32::MAX), None);
        assert_eq!(read(Layout { bits_per_pixel: 8, ..layout }, &[0; 8], 1, 1), None);
        assert_eq!(read(Layout { masks: [0; 3], ..layout }, &[0; 8], 1, 1), None);
    }
}
