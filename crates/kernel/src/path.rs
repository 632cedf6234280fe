//! Names beneath a root.
//!
//! A path of a file is bytes, and most of them are text. In JSON a path is a string where it is UTF-8, and otherwise
//! `{"bytes": "<base64>"}`, so that no name is changed by being written down.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use surehand_core::text::quote;

/// The folder of ours in every root. Every name that begins so, in any case, is ours.
pub const OURS: &str = ".surehand";

/// The longest name of a file, in bytes, and the longest path.
const LONGEST: (usize, usize) = (255, 4096);

/// Why some bytes are no path beneath a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// It begins with a slash.
    Absolute,
    /// A component is `..`.
    Upward,
    /// It is empty, or has an empty component, a `.`, a NUL, or is too long.
    Malformed,
}

/// A path beneath a root: relative, without `.`, `..` and empty components.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(Vec<u8>);

impl RelPath {
    /// Takes bytes as a path.
    ///
    /// # Errors
    /// What is odd about them.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<RelPath, Odd> {
        let bytes = bytes.into();
        if bytes.starts_with(b"/") {
            return Err(Odd::Absolute);
        }
        let components = || bytes.split(|byte| *byte == b'/');
        if components().any(|name| name == b"..") {
            return Err(Odd::Upward);
        }
        let fits = |name: &[u8]| !name.is_empty() && name != b"." && name.len() <= LONGEST.0;
        if bytes.len() > LONGEST.1 || bytes.contains(&0) || !components().all(fits) {
            return Err(Odd::Malformed);
        }
        Ok(RelPath(bytes))
    }

    /// A path in our own folder. The name is one of ours and holds no slash.
    pub(crate) fn ours(folder: &str, name: &str) -> RelPath {
        RelPath(format!("{OURS}/{folder}/{name}").into_bytes())
    }

    /// The path of a name in the directory that this path is of.
    #[must_use]
    pub fn join(&self, name: &[u8]) -> RelPath {
        let mut bytes = self.0.clone();
        bytes.push(b'/');
        bytes.extend_from_slice(name);
        RelPath(bytes)
    }

    /// The path of the directory it is in; none for what is in the root itself.
    pub fn parent(&self) -> Option<RelPath> {
        self.0.iter().rposition(|byte| *byte == b'/').map(|slash| RelPath(self.0[..slash].to_vec()))
    }

    /// The last component.
    pub fn name(&self) -> &[u8] {
        let start = self.0.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        &self.0[start..]
    }

    /// Another name in the same directory.
    pub(crate) fn beside(&self, name: &str) -> RelPath {
        match self.parent() {
            Some(parent) => parent.join(name.as_bytes()),
            None => RelPath(name.as_bytes().to_vec()),
        }
    }

    /// The components, outermost first.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    /// Whether it is `other` or beneath it.
    pub fn is_within(&self, other: &RelPath) -> bool {
        self.0.strip_prefix(&other.0[..]).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    }

    /// The same path with the part `from` replaced by `to`, where it is within `from`.
    pub fn rebased(&self, from: &RelPath, to: &RelPath) -> Option<RelPath> {
        if !self.is_within(from) {
            return None;
        }
        let mut bytes = to.0.clone();
        bytes.extend_from_slice(&self.0[from.0.len()..]);
        Some(RelPath(bytes))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// One quoted token for people.
    pub fn quoted(&self) -> String {
        shown(&self.0)
    }
}

/// Bytes of a name as one quoted token. What is not UTF-8 is shown as `\x..`.
pub fn shown(bytes: &[u8]) -> String {
    let mut token = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        let quoted = quote(chunk.valid());
        token.push_str(&quoted[1..quoted.len() - 1]);
        for byte in chunk.invalid() {
            token.push_str(&format!("\\x{byte:02x}"));
        }
    }
    token.push('"');
    token
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.quoted())
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.quoted())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Written {
    Text(String),
    Bytes { bytes: String },
}

/// Writes bytes of a path as JSON, as the module tells.
///
/// # Errors
/// When the serialiser fails.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => Written::Bytes { bytes: STANDARD.encode(bytes) }.serialize(serializer),
    }
}

/// Reads bytes of a path from JSON; nothing is judged yet.
///
/// # Errors
/// When it is neither of the two forms.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match Written::deserialize(deserializer)? {
        Written::Text(text) => Ok(text.into_bytes()),
        Written::Bytes { bytes } => STANDARD.decode(bytes).map_err(D::Error::custom),
    }
}

impl Serialize for RelPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for RelPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RelPath, D::Error> {
        let bytes = deserialize(deserializer)?;
        RelPath::new(bytes).map_err(|odd| D::Error::custom(format!("no path beneath a root: {odd:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_no_paths() {
        for (bytes, odd) in [
            ("/etc/passwd", Odd::Absolute),
            ("a/../b", Odd::Upward),
            ("..", Odd::Upward),
            ("", Odd::Malformed),
            ("a//b", Odd::Malformed),
            ("a/", Odd::Malformed),
            ("./a", Odd::Malformed),
            ("a\0b", Odd::Malformed),
        ] {
            assert_eq!(RelPath::new(bytes), Err(odd), "{bytes:?}");
        }
        assert!(RelPath::new("..a/b..").is_ok());
    }

    #[test]
    fn names_survive_json_as_bytes() {
        for bytes in [&b"a/\xff\xfe"[..], "é/ü".as_bytes(), b"plain", b"{\"bytes\":\"\"}"] {
            let path = RelPath::new(bytes).expect("a path");
            let json = serde_json::to_string(&path).expect("JSON");
            assert_eq!(serde_json::from_str::<RelPath>(&json).expect("a path"), path, "{json}");
        }
        assert_eq!(RelPath::new(&b"a\xff\"\n"[..]).expect("a path").quoted(), r#""a\xff\"\n""#);
    }

    #[test]
    fn a_prefix_of_a_name_is_not_a_parent() {
        let path = |text: &str| RelPath::new(text).expect("a path");
        assert!(path("a/b").is_within(&path("a")));
        assert!(!path("ab").is_within(&path("a")));
        assert_eq!(path("a/b/c").rebased(&path("a"), &path("x/y")), Some(path("x/y/b/c")));
        assert_eq!(path("a").parent(), None);
        assert_eq!(path("a/b").beside("c"), path("a/c"));
    }
}
