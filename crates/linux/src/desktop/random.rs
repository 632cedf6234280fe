//! Bytes from the random source of the operating system.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;

/// `N` of them.
pub(super) fn bytes<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut out = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut out)?;
    Ok(out)
}

/// A word of `length` bytes, two hexadecimal digits each, `length` at most 16.
pub(super) fn word(length: usize) -> std::io::Result<String> {
    let mut word = String::with_capacity(2 * length);
    for byte in bytes::<16>()?.iter().take(length) {
        // Writing to a string cannot fail.
        let _ = write!(word, "{byte:02x}");
    }
    Ok(word)
}
