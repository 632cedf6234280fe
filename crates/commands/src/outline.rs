//! Answers as short lines, for people and models.
//!
//! One line says one thing. Text of applications stands in it as one quoted token, so that no label can
//! look like a line of ours. The outline is for reading; programs take the JSON.

use std::fmt::{Display, Write as _};

use surehand_core::text::quote;

/// An answer that can be put into short lines.
pub trait Outline {
    /// The lines, without a line break at the end.
    fn outline(&self) -> String;

    /// The exit status of the process, where that is the answer.
    fn exit_status(&self) -> Option<u8> {
        None
    }
}

/// Lines that are being put together.
#[derive(Debug, Default)]
pub struct Lines(String);

impl Lines {
    /// No line yet.
    pub fn new() -> Self {
        Lines::default()
    }

    /// Adds a line of words.
    pub fn words<'w>(&mut self, words: impl IntoIterator<Item = Word<'w>>) -> &mut Self {
        self.indented(0, words)
    }

    /// Adds a line of words, indented by `depth` steps.
    pub fn indented<'w>(&mut self, depth: usize, words: impl IntoIterator<Item = Word<'w>>) -> &mut Self {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        for _ in 0..depth {
            self.0.push(' ');
        }
        let mut first = true;
        for word in words {
            if matches!(word, Word::Nothing) {
                continue;
            }
            if !first {
                self.0.push(' ');
            }
            first = false;
            // Writing to a string cannot fail.
            let _ = match word {
                Word::Own(text) => write!(self.0, "{text}"),
                Word::Made(text) => write!(self.0, "{text}"),
                Word::Quoted(text) => write!(self.0, "{}", quote(text)),
                Word::Labelled(label, text) => write!(self.0, "{label}={}", quote(text)),
                Word::Nothing => Ok(()),
            };
        }
        self
    }

    /// The text.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
}

/// A word of a line.
#[derive(Debug)]
pub enum Word<'w> {
    /// A word of ours.
    Own(&'w str),
    /// A word of ours that is made up from numbers or tokens.
    Made(String),
    /// Text of an application.
    Quoted(&'w str),
    /// Text of an application, with a word of ours before it.
    Labelled(&'static str, &'w str),
    /// No word.
    Nothing,
}

/// A word of ours made up from something that is printed.
pub fn made(value: impl Display) -> Word<'static> {
    Word::Made(value.to_string())
}

/// Quoted text where there is some.
pub fn quoted(text: Option<&str>) -> Word<'_> {
    text.map_or(Word::Nothing, Word::Quoted)
}

/// Quoted text with a word of ours before it, where there is some.
pub fn labelled<'w>(label: &'static str, text: Option<&'w str>) -> Word<'w> {
    text.map_or(Word::Nothing, |text| Word::Labelled(label, text))
}

/// A word of ours where something holds.
pub fn flag(holds: bool, word: &'static str) -> Word<'static> {
    if holds { Word::Own(word) } else { Word::Nothing }
}
