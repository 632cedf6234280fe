//! The clipboard: what can be in it, and putting something there so that it is known to be there.
//!
//! Whoever puts something into a clipboard has to hand it out to everybody who pastes it, for as long as it is there.
//! So an adapter leaves the content with an owner that outlives the command ([`Clipboard::own`]). What is in the
//! clipboard is often a secret: it stands in answers only, never in errors, records or diagnostics, and neither does its
//! length.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disposition::Delivery;
use crate::error::{Code, Error, Result};
use crate::time::Call;

/// The most bytes a clipboard is read or written with.
pub const MOST_BYTES: usize = 64 << 20;

/// The most pixels a picture in it may have.
pub const MOST_PIXELS: u64 = 64 << 20;

/// The most files that can be named in it at once.
pub const MOST_FILES: usize = 4_096;

/// What kind of thing is in a clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Text.
    Text,
    /// A picture.
    Image,
    /// References to files.
    FileUrls,
}

/// What is in a clipboard. Its debug output tells the kind and nothing else.
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture, as a PNG file holds it.
    Image(Vec<u8>),
    /// `file:` URLs, percent-encoded.
    FileUrls(Vec<String>),
}

impl Content {
    /// Of what kind it is.
    pub fn kind(&self) -> Kind {
        match self {
            Content::Text(_) => Kind::Text,
            Content::Image(_) => Kind::Image,
            Content::FileUrls(_) => Kind::FileUrls,
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Content").field(&self.kind()).finish()
    }
}

/// Who has the clipboard, in the window system's numbers. It names a window and so can be used again by another.
pub type Owner = u64;

/// The clipboard of a desktop session.
pub trait Clipboard: Send + Sync {
    /// The first of these kinds that is in the clipboard, as it is there. `None` when it holds none of them.
    ///
    /// # Errors
    /// `APP_UNRESPONSIVE` when the program that has the clipboard does not hand it out, `ACTION_FAILED` when what it
    /// hands out is too large or is not what it says it is.
    fn read(&self, call: &Call<'_>, wanted: &[Kind]) -> Result<Option<Content>>;

    /// Leaves the content with an owner that takes the clipboard and keeps it until somebody else takes it, and says who
    /// that is.
    ///
    /// # Errors
    /// `CONFLICT` when somebody else took the clipboard at the same moment, `PLATFORM_NOT_SUPPORTED` when there is no
    /// clipboard, `INTERNAL` when no owner can be started.
    fn own(&self, call: &Call<'_>, content: &Content) -> Result<Owner>;

    /// Who has the clipboard now.
    ///
    /// # Errors
    /// As [`Clipboard::read`].
    fn owner(&self, call: &Call<'_>) -> Result<Option<Owner>>;

    /// Takes the clipboard from whoever has it, and leaves it empty.
    ///
    /// # Errors
    /// As [`Clipboard::read`].
    fn clear(&self, call: &Call<'_>) -> Result<()>;
}

/// Why it is not certain that the clipboard holds what was put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// Another program took the clipboard before it was read back.
    Replaced,
    /// It could not be read back.
    NotReadBack,
}

/// What putting something into the clipboard, or emptying it, came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// How far it got.
    pub delivery: Delivery,
    /// Why it is not verified, if so.
    pub unverified: Option<Unverified>,
}

impl Outcome {
    const VERIFIED: Outcome = Outcome { delivery: Delivery::DeliveredVerified, unverified: None };

    fn unverified(why: Unverified) -> Outcome {
        Outcome { delivery: Delivery::DeliveredUnverified, unverified: Some(why) }
    }
}

/// Puts something into the clipboard and reads it back as any other program would.
///
/// # Errors
/// As [`Clipboard::own`]; `ACTION_FAILED`, uncertain, when our own owner hands out something else.
pub fn set(clipboard: &dyn Clipboard, call: &Call<'_>, content: &Content) -> Result<Outcome> {
    call.go_on()?;
    let ours = clipboard.own(call, content)?;
    let back = clipboard.read(call, &[content.kind()]);
    if back.as_ref().is_ok_and(|back| back.as_ref() == Some(content)) {
        return Ok(Outcome::VERIFIED);
    }
    match clipboard.owner(call) {
        Ok(owner) if owner != Some(ours) => Ok(Outcome::unverified(Unverified::Replaced)),
        Ok(_) if back.is_ok() => {
            Err(Error::new(Code::ActionFailed, "the clipboard holds something else than was put there")
                .kind("clipboard_differs")
                .delivery(Delivery::DeliveryUncertain))
        }
        _ => Ok(Outcome::unverified(Unverified::NotReadBack)),
    }
}

/// Empties the clipboard and looks whether it is.
///
/// # Errors
/// As [`Clipboard::clear`].
pub fn clear(clipboard: &dyn Clipboard, call: &Call<'_>) -> Result<Outcome> {
    call.go_on()?;
    clipboard.clear(call)?;
    Ok(match clipboard.owner(call) {
        Ok(None) => Outcome::VERIFIED,
        Ok(Some(_)) => Outcome::unverified(Unverified::Replaced),
        Err(_) => Outcome::unverified(Unverified::NotReadBack),
    })
}

/// The `file:` URL of an absolute path, from its bytes. Everything but letters, digits and `-._~/` is encoded.
pub fn file_url(path: &[u8]) -> String {
    let mut url = String::from("file://");
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            url.push(char::from(*byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

/// The path that a `file:` URL names on this machine, in bytes. `None` for what is no such URL, is incomplete, or holds
/// a NUL, which no path can.
pub fn path_of(url: &str) -> Option<Vec<u8>> {
    let rest = url.strip_prefix("file:")?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    if !path.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                bytes.push(digit()? << 4 | digit()?);
            }
            b'?' | b'#' => return None,
            byte => bytes.push(byte),
        }
    }
    (!bytes.contains(&0)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_does_not_tell_what_is_in_it() {
        let shown = format!("{:?}", Content::Text("correct horse".to_owned()));
        assert_eq!(shown, "Content(Text)");
    }

    #[test]
    fn a_path_survives_being_written_as_a_url() {
        for path in ["/a b/ü%41?#.txt", "/", "/x\ny", "/\u{202e}fdp.exe"] {
            let url = file_url(path.as_bytes());
            assert!(url.is_ascii() && !url.contains(['\n', ' ', '#', '?']), "{url}");
            assert_eq!(path_of(&url).as_deref(), Some(path.as_bytes()));
        }
        assert_eq!(path_of(&file_url(b"/\xff\xfe")).as_deref(), Some(&b"/\xff\xfe"[..]));
    }

    #[test]
    fn what_names_no_file_of_this_machine_is_none() {
        for url in [
            "http://x/y",
            "file://other/y",
            "file:y",
            "file:///a%00b",
            "file:///a%0",
            "file:///a%zz",
            "/a",
            "file:///a?b",
        ] {
            assert_eq!(path_of(url), None, "{url}");
        }
        for url in ["file:///a", "file:/a", "file://localhost/a"] {
            assert_eq!(path_of(url).as_deref(), Some(&b"/a"[..]), "{url}");
        }
    }
}
