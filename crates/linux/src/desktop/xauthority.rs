//! X authority files: who holds the cookie in one may connect to the display, nobody else.
//!
//! An entry is a family and four counted fields (address, display number, protocol, data), all lengths
//! 16 bits, most significant byte first. Source: the manual page `Xauthority` of libXau, `AuFileName(3)`.

use std::path::Path;

const PROTOCOL: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// The family that stands for every address.
const WILD: u16 = 0xffff;

/// A protocol name and its data, as a connection to the display has to present them.
pub(crate) type Cookie = (Vec<u8>, Vec<u8>);

/// A file with one new cookie for whatever display reads it. The entry names neither host nor number: a
/// machine may be renamed while the display runs, and the number is not known before the server, which
/// reads this file, has chosen it.
pub(super) fn write_new(file: &Path) -> std::io::Result<()> {
    let data = super::random::bytes::<16>()?;
    super::record::write_private(file, &entry(WILD, b"", b"", PROTOCOL, &data))
}

fn entry(family: u16, address: &[u8], number: &[u8], protocol: &[u8], data: &[u8]) -> Vec<u8> {
    let mut out = family.to_be_bytes().to_vec();
    for field in [address, number, protocol, data] {
        // The fields are ours, and short.
        out.extend_from_slice(&u16::try_from(field.len()).unwrap_or(0).to_be_bytes());
        out.extend_from_slice(field);
    }
    out
}

/// The cookie in a file for a display of this machine; `None` when it holds none or cannot be read, since
/// a display may as well do without.
///
/// Addresses are compared only by number: the file is the caller's own, and a wrong cookie is refused by the
/// server, which then is what we report.
pub(crate) fn read(file: &Path, number: u16) -> Option<Cookie> {
    find(&std::fs::read(file).ok()?, number)
}

fn find(mut bytes: &[u8], number: u16) -> Option<Cookie> {
    let number = number.to_string();
    while let Some((_family, rest)) = bytes.split_first_chunk::<2>() {
        bytes = rest;
        let mut fields = [&b""[..]; 4];
        for field in &mut fields {
            let (length, rest) = bytes.split_first_chunk::<2>()?;
            let (content, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
            *field = content;
            bytes = rest;
        }
        let [_address, of, protocol, data] = fields;
        if protocol == PROTOCOL && (of.is_empty() || of == number.as_bytes()) {
            return Some((protocol.to_vec(), data.to_vec()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_for_the_number_is_found() {
        let mut file = entry(256, b"here", b"1", PROTOCOL, b"first");
        file.extend(entry(256, b"here", b"2", b"OTHER", b"second"));
        file.extend(entry(256, b"here", b"2", PROTOCOL, b"third"));
        assert_eq!(find(&file, 1).map(|cookie| cookie.1), Some(b"first".to_vec()));
        assert_eq!(find(&file, 2).map(|cookie| cookie.1), Some(b"third".to_vec()));
        assert_eq!(find(&file, 3), None);
        file.extend(entry(WILD, b"", b"", PROTOCOL, b"any"));
        assert_eq!(find(&file, 3).map(|cookie| cookie.1), Some(b"any".to_vec()));
        file.truncate(file.len() - 1);
        assert_eq!(find(&file, 3), None, "a cut entry is no entry");
    }
}
