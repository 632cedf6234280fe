//! Cookies of `.Xauthority` files.
//!
//! The file is a run of entries, each a family (16 bits) followed by four strings with a 16-bit length:
//! address, display number, name and data of the method. Numbers are big endian. Source: the manual page
//! `Xauthority` of libXau, `AuFileName(3)`.

/// The only method that modern servers use.
const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";
/// The address is a host name and the connection a local one.
const FAMILY_LOCAL: u16 = 256;
/// Any address.
const FAMILY_WILD: u16 = 65_535;
/// A file larger than this is no cookie file.
pub(super) const LARGEST_FILE: u64 = 1 << 20;

/// Name of the method and its data, as the connection setup wants them.
pub(super) type Cookie = (Vec<u8>, Vec<u8>);

/// The cookie of a local connection to display `number` of `host`: of the first entry that fits, as other
/// programs take it. Entries behind a damaged one cannot be found any more and count as absent.
pub(super) fn cookie(file: &[u8], host: &[u8], number: u16) -> Option<Cookie> {
    let number = number.to_string();
    let mut rest = file;
    while let Some((entry, behind)) = entry(rest) {
        let address = match entry.family {
            FAMILY_WILD => true,
            FAMILY_LOCAL => entry.address == host,
            _ => false,
        };
        if address && (entry.number.is_empty() || entry.number == number.as_bytes()) && entry.name == METHOD {
            return Some((entry.name.to_vec(), entry.data.to_vec()));
        }
        rest = behind;
    }
    None
}

/// A file with a cookie for whatever display reads it. The entry names neither host nor number: a machine may
/// be renamed while the display runs, and the number is not known before the server, which reads this file,
/// has chosen it.
pub(crate) fn file_for_any(data: [u8; 16]) -> Vec<u8> {
    let mut file = FAMILY_WILD.to_be_bytes().to_vec();
    for part in [b"", b"", METHOD, &data] {
        // All of them are short.
        file.extend_from_slice(&u16::try_from(part.len()).unwrap_or_default().to_be_bytes());
        file.extend_from_slice(part);
    }
    file
}

struct Entry<'a> {
    family: u16,
    address: &'a [u8],
    number: &'a [u8],
    name: &'a [u8],
    data: &'a [u8],
}

fn entry(file: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let (family, file) = short(file)?;
    let (address, file) = string(file)?;
    let (number, file) = string(file)?;
    let (name, file) = string(file)?;
    let (data, file) = string(file)?;
    Some((Entry { family, address, number, name, data }, file))
}

fn short(file: &[u8]) -> Option<(u16, &[u8])> {
    let (bytes, rest) = file.split_first_chunk()?;
    Some((u16::from_be_bytes(*bytes), rest))
}

fn string(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = short(file)?;
    rest.split_at_checked(usize::from(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(family: u16, parts: [&[u8]; 4]) -> Vec<u8> {
        let mut file = family.to_be_bytes().to_vec();
        for part in parts {
            file.extend_from_slice(&u16::try_from(part.len()).expect("short").to_be_bytes());
            file.extend_from_slice(part);
        }
        file
    }

    fn data(file: &[u8], host: &str, number: u16) -> Option<Vec<u8>> {
        cookie(file, host.as_bytes(), number).map(|(name, data)| {
            assert_eq!(name, METHOD);
            data
        })
    }

    #[test]
    fn the_entry_of_this_host_and_display_is_taken() {
        let mut file = write(FAMILY_LOCAL, [b"other", b"1", METHOD, b"a"]);
        file.extend(write(FAMILY_LOCAL, [b"here", b"2", METHOD, b"b"]));
        file.extend(write(0, [&[127, 0, 0, 1], b"1", METHOD, b"c"]));
        file.extend(write(FAMILY_LOCAL, [b"here", b"1", b"XDM-AUTHORIZATION-1", b"d"]));
        file.extend(write(FAMILY_LOCAL, [b"here", b"1", METHOD, b"e"]));
        file.extend(write(FAMILY_WILD, [b"", b"", METHOD, b"f"]));
        assert_eq!(data(&file, "here", 1), Some(b"e".to_vec()));
        assert_eq!(data(&file, "here", 2), Some(b"b".to_vec()));
        assert_eq!(data(&file, "elsewhere", 9), Some(b"f".to_vec()));
        assert_eq!(data(&file[..file.len() - 1], "elsewhere", 9), None);
    }

    #[test]
    fn a_cookie_that_we_write_is_for_every_host_and_number() {
        let file = file_for_any(*b"0123456789abcdef");
        assert_eq!(file, write(FAMILY_WILD, [b"", b"", METHOD, b"0123456789abcdef"]));
        for (host, number) in [("here", 0), ("", 1), ("elsewhere", 65_535)] {
            assert_eq!(data(&file, host, number), Some(b"0123456789abcdef".to_vec()));
        }
    }

    #[test]
    fn a_file_cut_anywhere_gives_a_whole_cookie_or_none() {
        let mut file = write(FAMILY_LOCAL, [b"here", b"1", METHOD, b"0123456789abcdef"]);
        let first = file.len();
        file.extend(write(FAMILY_LOCAL, [b"here", b"2", METHOD, b"second"]));
        for end in 0..=file.len() {
            let wanted = (end >= first).then(|| b"0123456789abcdef".to_vec());
            assert_eq!(data(&file[..end], "here", 1), wanted, "cut at {end}");
            assert_eq!(data(&file[..end], "here", 2).is_some(), end == file.len(), "cut at {end}");
        }
    }

    #[test]
    fn any_bytes_are_no_danger() {
        for seed in 0..=255u8 {
            let noise: Vec<u8> = (0..200u8).map(|i| i.wrapping_mul(seed).wrapping_add(seed)).collect();
            assert_eq!(data(&noise, "here", 1), None);
        }
    }
}
