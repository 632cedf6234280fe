//! The JSON line that every command answers with.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use surehand_core::disposition::{Disposition, Retry};
use surehand_core::text::is_invisible;
use surehand_core::{Code, Error, Result};

use crate::command::Answer;

/// The version of the envelope.
pub const VERSION: &str = "1.0";

#[derive(Serialize)]
struct Success<'a> {
    version: &'static str,
    ok: bool,
    command: &'a str,
    data: Box<RawValue>,
}

#[derive(Serialize)]
struct Failure<'a> {
    version: &'static str,
    ok: bool,
    command: &'a str,
    error: Body<'a>,
}

/// The `error` of an envelope.
#[derive(Serialize)]
struct Body<'a> {
    code: Code,
    message: &'a str,
    disposition: Disposition,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    platform_detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    details: &'a Map<String, Value>,
}

/// What a program may do about an error by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Recovery {
    strategy: &'static str,
    retryable: bool,
    requires_fresh_snapshot: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

/// The way out of an error, where repeating is safe and there is one.
fn recovery(error: &Error) -> Option<Recovery> {
    if error.delivered().retry() != Retry::Safe {
        return None;
    }
    let recovery = |strategy, requires_fresh_snapshot, retry_after_ms| Recovery {
        strategy,
        retryable: true,
        requires_fresh_snapshot,
        retry_after_ms,
    };
    match error.code() {
        Code::StaleRef | Code::SnapshotNotFound => Some(recovery("refresh_snapshot_then_retry_original", true, None)),
        // Where no policy could allow it, asking for one is no way out.
        Code::PolicyDenied if error.kind_of() == Some("needs_policy") => {
            Some(recovery("request_explicit_policy_then_retry_original", false, None))
        }
        Code::AppUnresponsive => Some(recovery("inspect_state_then_retry_original", false, Some(250))),
        Code::Timeout if error.kind_of() != Some("cancelled") => Some(recovery("retry_original", false, Some(250))),
        _ => None,
    }
}

/// The line for what a command answered.
///
/// # Errors
/// `INTERNAL` when the answer has no JSON form.
pub fn success(command: &str, answer: &dyn Answer) -> Result<String> {
    line(&Success { version: VERSION, ok: true, command, data: answer.json()? })
}

/// The line for an error.
pub fn failure(command: &str, error: &Error) -> String {
    let body = Body {
        code: error.code(),
        message: error.message(),
        disposition: error.delivered().into(),
        suggestion: error.suggestion(),
        recovery: recovery(error),
        platform_detail: error.platform_detail(),
        details: error.details(),
    };
    line(&Failure { version: VERSION, ok: false, command, error: body }).unwrap_or_else(|_| {
        // An error is made of plain strings and JSON, so this is never seen; if it is, it is still a line.
        format!(
            r#"{{"version":"{VERSION}","ok":false,"command":"","error":{{"code":"INTERNAL","message":"an error has no JSON form","disposition":{{"delivery":"{}","retry":"unknown"}}}}}}"#,
            "unknown"
        )
    })
}

/// Serialises as one line in which every invisible character is escaped, those of the answer's raw JSON
/// included.
fn line(envelope: &impl Serialize) -> Result<String> {
    let failed = |error: String| Error::new(Code::Internal, "an envelope has no JSON form").platform(error);
    let mut bytes = Vec::new();
    envelope
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Visible))
        .map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

/// Compact JSON in which characters that a reader cannot see are `\u` escapes. The value is the same; only
/// its spelling shows what is there.
struct Visible;

impl Visible {
    fn text<W: ?Sized + Write>(writer: &mut W, text: &str) -> io::Result<()> {
        let mut plain = 0;
        for (at, c) in text.char_indices().filter(|(_, c)| is_invisible(*c) || c.is_control()) {
            writer.write_all(&text.as_bytes()[plain..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = at + c.len_utf8();
        }
        writer.write_all(&text.as_bytes()[plain..])
    }
}

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        Visible::text(writer, fragment)
    }

    /// Raw JSON is made by [`serde_json::value::to_raw_value`]: in it an invisible character can only stand
    /// inside a string, where the escape means the same.
    fn write_raw_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        Visible::text(writer, fragment)
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        serde_json::ser::CompactFormatter.write_char_escape(writer, escape)
    }
}

#[cfg(test)]
mod tests {
    use surehand_core::disposition::Delivery;

    use super::*;

    #[test]
    fn invisible_characters_are_escaped_and_mean_the_same() {
        let text = "a\u{202e}b\u{200b}\u{7f}\u{e0041}\n\"é";
        let json = line(&text).expect("a string");
        assert_eq!(json, r#""a\u202eb\u200b\u007f\udb40\udc41\n\"é""#);
        assert_eq!(serde_json::from_str::<String>(&json).ok().as_deref(), Some(text));
    }

    #[test]
    fn recovery_is_offered_only_where_repeating_is_safe() {
        let safe = Error::new(Code::StaleRef, "gone");
        assert!(failure("click", &safe).contains(r#""strategy":"refresh_snapshot_then_retry_original""#));
        let sent = Error::new(Code::AppUnresponsive, "no answer").delivery(Delivery::DeliveryUncertain);
        assert!(!failure("click", &sent).contains("recovery"));
    }
}
