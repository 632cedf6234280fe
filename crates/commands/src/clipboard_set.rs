//! `clipboard-set`: puts something into the clipboard.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::clipboard::{self, Content, Kind, MOST_BYTES, MOST_FILES, Outcome, Unverified, file_url, path_of};
use surehand_core::disposition::Disposition;
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::image_file;
use crate::outline::{Lines, Outline, Word, made};

/// Put text, a picture or files into the clipboard
///
/// A process of surehand keeps it there after the command has ended, until another program or command takes the
/// clipboard or the desktop ends. It is read back by another connection, and called verified only when that got exactly
/// what was set. What was there before is gone. Nothing is pasted, and the focus stays where it is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClipboardSet {
    /// Text to put there; with `--stdin`, `--image` or `--file-url` it is left out
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Picture to put there: a PNG file
    #[arg(long, value_name = "PNG")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    image: Option<String>,
    /// File to put there, by its path or `file:` URL; can be given several times
    #[arg(long, value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    file_url: Vec<String>,
    /// Take the text from standard input, less one line break at the end, so that it does not stand among the arguments
    #[arg(long)]
    #[serde(skip)]
    stdin: bool,
}

/// How long it may take until it is there and read back.
const SET_MS: u64 = 20_000;

/// What was put there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Put {
    /// Always `true`.
    ok: bool,
    /// `text`, `image` or `file_urls`.
    #[serde(rename = "type")]
    kind: Kind,
    /// How far it got.
    disposition: Disposition,
    /// Why it is not verified, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified: Option<Unverified>,
}

impl Outline for Put {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("clipboard-set"),
                word(self.kind),
                word(self.disposition.delivery),
                because(self.unverified),
            ])
            .finish()
    }
}

/// A word of one of our closed lists.
pub(crate) fn word(value: impl Serialize) -> Word<'static> {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(made)).unwrap_or(Word::Nothing)
}

/// Why something is not verified.
pub(crate) fn because(why: Option<Unverified>) -> Word<'static> {
    match why.map(word) {
        Some(Word::Made(why)) => made(format!("because={why}")),
        _ => Word::Nothing,
    }
}

impl Command for ClipboardSet {
    const SPEC: Spec = Spec::new("clipboard-set", Group::Clipboard, Effect::Act);
    type Output = Put;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        let read = self.image.iter().chain(&self.file_url).map(|path| Resource::FileRead(path.clone()));
        Ok([Resource::ClipboardSet].into_iter().chain(read).collect())
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Put> {
        let content = self.content(cx)?;
        let call = cx.call(SET_MS);
        let Outcome { delivery, unverified } = clipboard::set(cx.services.clipboard()?, &call, &content)?;
        cx.disposition = Some(delivery.into());
        Ok(Put { ok: true, kind: content.kind(), disposition: delivery.into(), unverified })
    }
}

impl ClipboardSet {
    fn content(self, cx: &Cx<'_>) -> Result<Content> {
        let given = [self.text.is_some(), self.stdin, self.image.is_some(), !self.file_url.is_empty()];
        let invalid = |kind: &str, text: String| Error::new(Code::InvalidArgs, text).kind(kind);
        match given.iter().filter(|given| **given).count() {
            1 => {}
            0 => {
                return Err(invalid("nothing_given", "nothing was given to put into the clipboard".to_owned())
                    .suggest("give a text, `--stdin`, `--image` or `--file-url`; `clipboard-clear` empties it"));
            }
            _ => {
                return Err(invalid(
                    "several_given",
                    "give one of a text, `--stdin`, `--image` and `--file-url`".to_owned(),
                ));
            }
        }
        if let Some(path) = self.image {
            let png = cx.services.read_input(&path, MOST_BYTES)?;
            image_file::check(&png)?;
            return Ok(Content::Image(png));
        }
        if !self.file_url.is_empty() {
            if self.file_url.len() > MOST_FILES {
                return Err(invalid("too_many_files", format!("at most {MOST_FILES} files can be named at once")));
            }
            return Ok(Content::FileUrls(self.file_url.iter().map(|path| url(cx, path)).collect::<Result<_>>()?));
        }
        let text = match self.text {
            Some(text) => text,
            None => cx.services.standard_input(cx.cancel)?,
        };
        if text.len() > MOST_BYTES {
            return Err(invalid("too_large", format!("the text is longer than {MOST_BYTES} bytes")));
        }
        if text.contains('\0') {
            return Err(invalid(
                "nul",
                "the text holds a NUL character, at which many programs would cut it".to_owned(),
            ));
        }
        Ok(Content::Text(text))
    }
}

/// The URL of a file that is there, named by its path or its URL.
fn url(cx: &Cx<'_>, given: &str) -> Result<String> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = if given.starts_with("file:") {
        let bytes = path_of(given).ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("{} names no file of this machine", quote(given)))
                .kind("bad_file_url")
        })?;
        String::from_utf8(bytes).map_err(|_| {
            Error::new(Code::InvalidArgs, format!("{} is no text in UTF-8", quote(given))).kind("bad_file_url")
        })?
    } else {
        given.to_owned()
    };
    Ok(file_url(cx.services.existing(&path)?.as_os_str().as_bytes()))
}
