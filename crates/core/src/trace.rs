//! What is written down of a run, for reading it afterwards.

use serde_json::{Map, Value};

use crate::error::Result;

/// The fields of an event.
pub type Fields = Map<String, Value>;

/// Where events go. Whoever writes takes texts of people and applications out before.
pub trait Trace: Send + Sync {
    /// Whether an event would be kept now.
    fn is_on(&self) -> bool;

    /// Whether nothing is to be done that cannot be written down before.
    fn is_strict(&self) -> bool;

    /// Whether pictures are kept as well.
    fn keeps_pictures(&self) -> bool;

    /// Writes an event, with the time and the process.
    ///
    /// # Errors
    /// `INTERNAL` with kind `trace_not_writable` when it cannot be written.
    fn write(&self, event: &str, fields: Fields) -> Result<()>;

    /// Keeps a picture and gives the name under which it is; none where there are enough already.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written.
    fn keep_picture(&self, png: &[u8]) -> Result<Option<String>>;
}

/// Nothing is traced.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untraced;

impl Trace for Untraced {
    fn is_on(&self) -> bool {
        false
    }

    fn is_strict(&self) -> bool {
        false
    }

    fn keeps_pictures(&self) -> bool {
        false
    }

    fn write(&self, _: &str, _: Fields) -> Result<()> {
        Ok(())
    }

    fn keep_picture(&self, _: &[u8]) -> Result<Option<String>> {
        Ok(None)
    }
}
