//! The heads of messages, looked at before the bus library does.
//!
//! The library checks most of a head when it reads it, takes a name in it on trust, and panics when it comes back
//! to one that is none. A bus does not pass such a message on; an application can send one over a connection of its
//! own. Here the head of each message is checked on its way in, and the connection is given up at one that is wrong.

use std::io;

use zbus::names::{BusName, ErrorName, InterfaceName, MemberName, UniqueName};
use zbus::zvariant::ObjectPath;

/// The fixed part of a head: order of bytes, type, flags, version, length of the body, serial, length of the fields.
const FIXED: usize = 16;

/// More than this no head has that an application means.
const MOST: usize = 64 << 10;

/// Where in the stream of bytes the next one stands.
#[derive(Debug)]
pub(crate) enum Frame {
    /// In a line of the handshake; whether at its beginning. Messages follow without an announcement, and no line
    /// begins as one does.
    Handshake(bool),
    /// In a head, of which this much is there.
    Head(Vec<u8>),
    /// In a body that goes on for so many bytes.
    Body(usize),
}

impl Frame {
    /// At the beginning of a connection.
    pub(crate) const fn new() -> Self {
        Frame::Handshake(true)
    }

    /// Looks at the next bytes.
    ///
    /// # Errors
    /// `InvalidData` where the head of a message is none; whoever reads must not see these bytes then.
    pub(crate) fn pass(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(first) = bytes.first() {
            match self {
                Frame::Handshake(true) if matches!(first, b'l' | b'B') => *self = Frame::Head(Vec::new()),
                Frame::Handshake(begins) => {
                    *begins = *first == b'\n';
                    bytes = &bytes[1..];
                }
                Frame::Body(0) => *self = Frame::Head(Vec::new()),
                Frame::Body(left) => {
                    let taken = bytes.len().min(*left);
                    *left -= taken;
                    bytes = &bytes[taken..];
                }
                Frame::Head(head) => {
                    let wanted = length(head)?;
                    let taken = bytes.len().min(wanted - head.len());
                    head.extend_from_slice(&bytes[..taken]);
                    bytes = &bytes[taken..];
                    if head.len() >= FIXED && head.len() == length(head)? {
                        check(head)?;
                        *self = Frame::Body(number(head, 4, is_little(head))?);
                    }
                }
            }
        }
        Ok(())
    }
}

fn wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the head of a message is none")
}

fn is_little(head: &[u8]) -> bool {
    head.first() == Some(&b'l')
}

fn number(bytes: &[u8], at: usize, little: bool) -> io::Result<usize> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or_else(wrong)?;
    let number = if little { u32::from_le_bytes(*four) } else { u32::from_be_bytes(*four) };
    usize::try_from(number).map_err(|_| wrong())
}

/// How long the head is, padding included; its fixed part as long as that is not there.
fn length(head: &[u8]) -> io::Result<usize> {
    if head.len() < FIXED {
        return Ok(FIXED);
    }
    let fields = number(head, 12, is_little(head))?;
    if fields > MOST { Err(wrong()) } else { Ok((FIXED + fields).next_multiple_of(8)) }
}

/// Reads the fields of a head and the names in them.
fn check(head: &[u8]) -> io::Result<()> {
    let little = is_little(head);
    let end = FIXED + number(head, 12, little)?;
    let mut at = FIXED;
    while at < end {
        at = at.next_multiple_of(8);
        let &[code, 1, kind, 0] = head.get(at..).and_then(|rest| rest.first_chunk::<4>()).ok_or_else(wrong)? else {
            return Err(wrong());
        };
        at += 4;
        match kind {
            b'u' => at += 4,
            b'g' => at += 2 + usize::from(*head.get(at).ok_or_else(wrong)?),
            b's' | b'o' => {
                let length = number(head, at, little)?;
                let text = head.get(at + 4..).and_then(|rest| rest.get(..length)).ok_or_else(wrong)?;
                let text = std::str::from_utf8(text).map_err(|_| wrong())?;
                let holds = match code {
                    1 => ObjectPath::try_from(text).is_ok(),
                    2 => InterfaceName::try_from(text).is_ok(),
                    3 => MemberName::try_from(text).is_ok(),
                    4 => ErrorName::try_from(text).is_ok(),
                    6 => BusName::try_from(text).is_ok(),
                    7 => UniqueName::try_from(text).is_ok(),
                    _ => true,
                };
                if !holds {
                    return Err(wrong());
                }
                at += 4 + length + 1;
            }
            _ => return Err(wrong()),
        }
    }
    if at == end { Ok(()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use zbus::Message;

    use super::*;

    fn message(body: &str) -> Vec<u8> {
        let message = Message::method_call("/path", "Member").expect("a call").sender(":1.7").expect("a name");
        message.interface("a.b").expect("a name").build(&(body,)).expect("a message").data().bytes().to_vec()
    }

    /// Whatever pieces they come in.
    fn in_pieces(bytes: &[u8], size: usize) -> io::Result<()> {
        let mut frame = Frame::new();
        bytes.chunks(size).try_for_each(|chunk| frame.pass(chunk))
    }

    #[test]
    fn messages_pass_after_a_handshake_and_one_after_the_other() {
        let bytes = [b"OK 0123\r\nAGREE_UNIX_FD\r\n", &message("")[..], &message("l\nB"), &message("end")].concat();
        for size in [1, 3, 16, 64, bytes.len()] {
            in_pieces(&bytes, size).expect("they are right");
        }
    }

    #[test]
    fn a_name_that_is_none_does_not_pass() {
        let mut bytes = message("text");
        let at = bytes.windows(4).position(|four| four == b":1.7").expect("the sender");
        bytes[at] = b'!';
        let twice = [message("before"), bytes].concat();
        for size in [1, 5, twice.len()] {
            assert_eq!(in_pieces(&twice, size).expect_err("wrong").kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn fields_without_an_end_are_not_waited_for() {
        let mut bytes = message("text");
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(in_pieces(&bytes, 16).is_err());
    }
}
