//! `clipboard-get`: what is in the clipboard.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::clipboard::{Content, Kind};
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::image_file;
use crate::outline::{Lines, Outline, Word, labelled, made};

/// Read the clipboard: text, a picture, or the files that were copied
///
/// Nothing is changed, and neither the pointer nor the focus takes part. What is there may be a secret; it stands in the
/// answer, or in the file that was asked for, and is kept nowhere else. A picture without `--out` goes into a private
/// file that is removed after an hour.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClipboardGet {
    /// What to look for; `auto` takes files, else a picture, else text. `--format` takes these words as well
    #[arg(long, value_enum, default_value_t = Wanted::Text)]
    #[serde(default, alias = "format")]
    kind: Wanted,
    /// New file to write text or a picture to, inside the folder for output
    #[arg(long, value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// Text.
    #[default]
    Text,
    /// Files, else a picture, else text.
    Auto,
    /// A picture.
    Image,
    /// Files.
    FileUrls,
}

impl Wanted {
    fn kinds(self) -> &'static [Kind] {
        match self {
            Wanted::Text => &[Kind::Text],
            Wanted::Auto => &[Kind::FileUrls, Kind::Image, Kind::Text],
            Wanted::Image => &[Kind::Image],
            Wanted::FileUrls => &[Kind::FileUrls],
        }
    }

    fn word(self) -> &'static str {
        match self {
            Wanted::Text => "text",
            Wanted::Auto => "auto",
            Wanted::Image => "image",
            Wanted::FileUrls => "file_urls",
        }
    }
}

/// How long the program that has the clipboard may take to hand it out.
const READ_MS: u64 = 10_000;

/// What is in the clipboard.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Held {
    /// `text`, `image` or `file_urls`; what was looked for, where there is nothing of that kind.
    #[serde(rename = "type")]
    kind: &'static str,
    /// `false` where there is nothing of that kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<bool>,
    /// The text, as it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// `file:` URLs of the files, percent-encoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_urls: Option<Vec<String>>,
    /// The file that it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Pixels of a row of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// Its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

impl Held {
    fn of(kind: &'static str) -> Held {
        Held { kind, found: None, text: None, file_urls: None, path: None, width: None, height: None }
    }
}

impl Outline for Held {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        let size = self.width.zip(self.height).map(|(width, height)| format!("{width}x{height}"));
        lines.words([
            Word::Own("clipboard"),
            made(self.kind),
            if self.found == Some(false) { Word::Own("none") } else { Word::Nothing },
            self.text.as_deref().map_or(Word::Nothing, Word::Quoted),
            size.map_or(Word::Nothing, made),
            labelled("path", self.path.as_deref()),
        ]);
        for url in self.file_urls.iter().flatten() {
            lines.indented(1, [Word::Own("file"), Word::Quoted(url)]);
        }
        lines.finish()
    }
}

impl Command for ClipboardGet {
    const SPEC: Spec = Spec::new("clipboard-get", Group::Clipboard, Effect::Observe);
    type Output = Held;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::ClipboardRead])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Held> {
        if self.out.is_some() && self.kind == Wanted::FileUrls {
            return Err(Error::new(
                Code::InvalidArgs,
                "`--out` is for text and pictures; names of files are in the answer",
            )
            .kind("nothing_to_write"));
        }
        let call = cx.call(READ_MS);
        let found = cx.services.clipboard()?.read(&call, self.kind.kinds())?;
        let Some(content) = found else { return Ok(Held { found: Some(false), ..Held::of(self.kind.word()) }) };
        let write = |bytes: &[u8]| -> Result<Option<String>> {
            let written = self.out.as_ref().map(|path| cx.services.write_output(path, bytes)).transpose()?;
            Ok(written.map(|path| path.to_string_lossy().into_owned()))
        };
        Ok(match content {
            Content::Text(text) => match write(text.as_bytes())? {
                Some(path) => Held { path: Some(path), ..Held::of("text") },
                None => Held { text: Some(text), ..Held::of("text") },
            },
            Content::FileUrls(urls) => Held { file_urls: Some(urls), ..Held::of("file_urls") },
            Content::Image(png) => {
                // What a stranger handed out is no argument of the caller's.
                let (width, height) = image_file::size(&png).map_err(|error| {
                    let from = Error::new(Code::ActionFailed, "the picture in the clipboard cannot be used");
                    from.kind(error.kind_of().unwrap_or("not_png")).platform(error.message())
                })?;
                let path = match write(&png)? {
                    Some(path) => path,
                    None => cx.services.write_temporary("clipboard", "png", &png)?.to_string_lossy().into_owned(),
                };
                Held { path: Some(path), width: Some(width), height: Some(height), ..Held::of("image") }
            }
        })
    }
}
