//! Pictures that come from elsewhere: what a PNG says of itself before it is used.

use std::io::Cursor;

use surehand_core::clipboard::{MOST_BYTES, MOST_PIXELS};
use surehand_core::{Code, Error, Result};

/// Width and height of a PNG, from its head alone.
///
/// # Errors
/// `INVALID_ARGS` when it is none, or has more pixels than are allowed.
pub(crate) fn size(bytes: &[u8]) -> Result<(u32, u32)> {
    let reader = decoder(bytes).read_info().map_err(|error| bad(&error))?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(
            Error::new(Code::InvalidArgs, format!("the picture has more than {MOST_PIXELS} pixels")).kind("too_large")
        );
    }
    Ok((width, height))
}

/// The same, once every row of it could be read.
///
/// # Errors
/// As [`size`], and `INVALID_ARGS` when it is damaged or longer than is allowed.
pub(crate) fn check(bytes: &[u8]) -> Result<(u32, u32)> {
    if bytes.len() > MOST_BYTES {
        return Err(
            Error::new(Code::InvalidArgs, format!("the picture is longer than {MOST_BYTES} bytes")).kind("too_large")
        );
    }
    let size = size(bytes)?;
    let mut reader = decoder(bytes).read_info().map_err(|error| bad(&error))?;
    // Row by row, so that a small file that unpacks to a huge picture costs no memory.
    while reader.next_row().map_err(|error| bad(&error))?.is_some() {}
    Ok(size)
}

fn decoder(bytes: &[u8]) -> png::Decoder<Cursor<&[u8]>> {
    png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MOST_BYTES })
}

fn bad(error: &png::DecodingError) -> Error {
    Error::new(Code::InvalidArgs, "it is not a PNG picture that can be read")
        .kind("not_png")
        .platform(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = png::Encoder::new(&mut bytes, width, height).write_header().unwrap();
        writer.write_image_data(&vec![7; (width * height) as usize]).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn a_picture_is_known_by_its_head_and_proved_by_its_rows() {
        let whole = picture(30, 20);
        assert_eq!(check(&whole).unwrap(), (30, 20));
        let half = &whole[..whole.len() / 2];
        assert_eq!(check(half).unwrap_err().kind_of(), Some("not_png"));
        for bytes in [&b""[..], b"GIF89a", b"\x89PNG\r\n\x1a\n"] {
            assert_eq!(size(bytes).unwrap_err().kind_of(), Some("not_png"));
        }
        // A head that claims more pixels than anybody has memory for, with the checksum that goes with it.
        let mut huge = Vec::new();
        drop(png::Encoder::new(&mut huge, 100_000, 100_000).write_header().unwrap());
        // What the writer puts behind the head when it is let go is no picture.
        huge.truncate(33);
        huge.extend_from_slice(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
        assert_eq!(size(&huge).unwrap_err().kind_of(), Some("too_large"));
    }
}
