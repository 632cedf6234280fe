//! Bringing the parts of a trace back together.

use serde_json::{Map, Value};
use surehand_core::Result;
use surehand_core::session::{Segment, Sessions};

/// A trace that was read.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// How many files it was in.
    pub(crate) segments: usize,
    /// The events of all processes in the order in which they happened.
    pub(crate) events: Vec<Map<String, Value>>,
    /// What could not be read.
    pub(crate) warnings: Vec<String>,
}

/// Reads the trace of a session. A process that was killed leaves a torn line at the end of its file; what cannot be
/// read is counted and passed over.
///
/// # Errors
/// `INTERNAL` when the files cannot be read.
pub(crate) fn read(sessions: &dyn Sessions, id: &str) -> Result<Read> {
    let segments = sessions.segments(id)?;
    let mut read = Read { segments: segments.len(), ..Read::default() };
    for segment in &segments {
        add(segment, &mut read);
    }
    let key = |event: &Map<String, Value>| {
        let number = |name: &str| event.get(name).and_then(Value::as_u64).unwrap_or_default();
        (number("ts_ms"), number("pid"), number("n"))
    };
    read.events.sort_by_key(key);
    Ok(read)
}

fn add(segment: &Segment, read: &mut Read) {
    let (mut unreadable, mut torn) = (0, false);
    for line in segment.bytes.split_inclusive(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(Value::Object(event)) if event.get("event").is_some_and(Value::is_string) => read.events.push(event),
            _ if line.last() != Some(&b'\n') => torn = true,
            _ if line.iter().all(u8::is_ascii_whitespace) => {}
            _ => unreadable += 1,
        }
    }
    if unreadable > 0 {
        read.warnings.push(format!("{}: lines that cannot be read: {unreadable}", segment.name));
    }
    if torn {
        read.warnings.push(format!("{}: the last line is torn", segment.name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_torn_or_foreign_is_counted_and_passed_over() {
        let mut read = Read::default();
        let bytes = b"{\"event\":\"a\",\"ts_ms\":2}\n\nnonsense\n[1]\n{\"no\":1}\n\xff\xfe\n{\"event\":\"b\"}\n{\"event\":\"c\",\"x";
        add(&Segment { name: "1-2.jsonl".into(), bytes: bytes.to_vec() }, &mut read);
        let events: Vec<_> = read.events.iter().map(|event| event["event"].clone()).collect();
        assert_eq!(events, ["a", "b"]);
        assert_eq!(read.warnings, ["1-2.jsonl: lines that cannot be read: 4", "1-2.jsonl: the last line is torn"]);
    }
}
