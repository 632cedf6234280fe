//! What a plan asks for.
//!
//! The list comes from an agent or a skill, so nothing in it is believed: paths are bytes until [`crate::policy`] has
//! judged them, and the summary that a person reads is written here, never by whoever asks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::capability::Verb;
use crate::path::shown;

/// A path as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Given(pub Vec<u8>);

impl Serialize for Given {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::path::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Given, D::Error> {
        crate::path::deserialize(deserializer).map(Given)
    }
}

impl<T: AsRef<[u8]>> From<T> for Given {
    fn from(bytes: T) -> Given {
        Given(bytes.as_ref().to_vec())
    }
}

/// One action. The paths are relative to the root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields)]
pub enum Action {
    /// Makes a directory, whose parent has to be there or made by an action before.
    #[serde(rename = "fs.mkdir")]
    Mkdir {
        /// The new directory.
        path: Given,
    },
    /// Moves or renames a file, a link (itself), or a directory with all that is in it.
    #[serde(rename = "fs.move")]
    Move {
        /// Where it is.
        from: Given,
        /// Where it goes; nothing may be there.
        to: Given,
    },
    /// Copies a regular file with its mode, times and attributes.
    #[serde(rename = "fs.copy")]
    Copy {
        /// What is copied.
        from: Given,
        /// The new file; nothing may be there.
        to: Given,
    },
    /// Writes a file: a new one, or new content for one, whose old content is kept.
    #[serde(rename = "fs.write")]
    Write {
        /// The file.
        path: Given,
        /// The content as text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The content as base64, where it is no text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
    },
    /// Puts a file, a link or a directory into the vault.
    #[serde(rename = "fs.trash")]
    Trash {
        /// What goes.
        path: Given,
    },
    /// Deletes for good: known, so that it can be refused by its name.
    #[serde(rename = "fs.delete")]
    Delete {
        /// What would go.
        path: Given,
    },
}

/// The largest content of one write, in bytes.
pub const MAX_CONTENT: usize = 16 << 20;

impl Action {
    /// The word for it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Action::Mkdir { .. } => "fs.mkdir",
            Action::Move { .. } => "fs.move",
            Action::Copy { .. } => "fs.copy",
            Action::Write { .. } => "fs.write",
            Action::Trash { .. } => "fs.trash",
            Action::Delete { .. } => "fs.delete",
        }
    }

    /// What has to be allowed for it; none for what nothing allows.
    ///
    /// A move takes a file away from its place as the vault does, and puts one where a write would, but keeps it within
    /// the same root: that is what `fs.move` allows.
    pub const fn verbs(&self) -> &'static [Verb] {
        match self {
            Action::Mkdir { .. } => &[Verb::FsMkdir],
            Action::Move { .. } => &[Verb::FsMove],
            // A copy reads: without that, a copy into a readable place would be a way around it.
            Action::Copy { .. } => &[Verb::FsRead, Verb::FsCopy],
            Action::Write { .. } => &[Verb::FsWrite],
            Action::Trash { .. } => &[Verb::FsTrash],
            Action::Delete { .. } => &[],
        }
    }

    /// The paths it names, as given.
    pub fn paths(&self) -> Vec<&[u8]> {
        match self {
            Action::Mkdir { path } | Action::Write { path, .. } | Action::Trash { path } | Action::Delete { path } => {
                vec![&path.0]
            }
            Action::Move { from, to } | Action::Copy { from, to } => vec![&from.0, &to.0],
        }
    }

    /// What it does, in our words: every path is one quoted token.
    pub fn summary(&self) -> String {
        match self {
            Action::Mkdir { path } => format!("make directory {}", shown(&path.0)),
            Action::Move { from, to } => format!("move {} to {}", shown(&from.0), shown(&to.0)),
            Action::Copy { from, to } => format!("copy {} to {}", shown(&from.0), shown(&to.0)),
            Action::Write { path, text, base64 } => {
                let bytes = match (text, base64) {
                    (Some(text), _) => text.len(),
                    (None, Some(code)) => code.len() / 4 * 3 - code.bytes().rev().take_while(|c| *c == b'=').count(),
                    (None, None) => 0,
                };
                format!("write {bytes} bytes to {}", shown(&path.0))
            }
            Action::Trash { path } => format!("put {} into the vault", shown(&path.0)),
            Action::Delete { path } => format!("delete {}", shown(&path.0)),
        }
    }

    /// The content of a write.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it is given twice or not at all, is no base64, or is longer than [`MAX_CONTENT`].
    pub fn content(text: Option<&str>, base64: Option<&str>) -> Result<Vec<u8>> {
        let bad =
            |why: &str| Error::new(Code::InvalidArgs, format!("the content of a write {why}")).kind("bad_content");
        let bytes = match (text, base64) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(code)) => STANDARD.decode(code).map_err(|_| bad("is not base64"))?,
            _ => return Err(bad("is either `text` or `base64`")),
        };
        if bytes.len() > MAX_CONTENT {
            return Err(bad(&format!("is longer than {MAX_CONTENT} bytes")));
        }
        Ok(bytes)
    }
}

/// An action with its name and the note of whoever asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its id within the plan; made from its kind and place where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why, in the words of whoever asks; shown quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

impl From<Action> for Request {
    fn from(action: Action) -> Request {
        Request { id: None, note: None, action }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_actions_is_read_and_summarised() {
        let json = r#"[{"kind":"fs.move","from":"a","to":{"bytes":"YP8="},"note":"why"},
            {"id":"w","kind":"fs.write","path":"n","base64":"aGk="}]"#;
        let list: Vec<Request> = serde_json::from_str(json).expect("a list");
        assert_eq!(list[0].action.summary(), r#"move "a" to "`\xff""#);
        assert_eq!(list[1].action.summary(), r#"write 2 bytes to "n""#);
        assert!(serde_json::from_str::<Request>(r#"{"kind":"fs.chmod","path":"a"}"#).is_err());
    }
}
