//! The gate as it stands now: it lets everything pass, and records what changes something.
//!
//! Policy, grants and approvals will be asked here. A command that is to be recorded does not start unless the
//! record can be opened. The line is written once the outcome is known, so a process that is killed in between
//! leaves none.

use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use surehand_commands::command::Spec;
use surehand_commands::gate::{Gate, Record, Resource};
use surehand_core::{Code, Error, Result};

use crate::private::PrivateDir;
use crate::settings::Places;

/// The record of direct actions, in the state directory: one JSON object a line.
const JOURNAL: &str = "journal.jsonl";

/// The version of a line's form.
const FORM: u32 = 1;

/// One line.
#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    kind: &'static str,
    ts: String,
    #[serde(flatten)]
    record: &'a Record<'a>,
}

/// Lets pass and records.
pub(crate) struct RecordingGate {
    places: Places,
    journal: Mutex<Option<File>>,
}

impl RecordingGate {
    pub(crate) fn new(places: &Places) -> Self {
        RecordingGate { places: places.clone(), journal: Mutex::new(None) }
    }
}

impl Gate for RecordingGate {
    fn admit(&self, spec: &Spec, _: &[Resource]) -> Result<()> {
        if !spec.effect.is_journaled() {
            return Ok(());
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        if journal.is_none() {
            *journal = Some(PrivateDir::make(&self.places.state)?.append(JOURNAL).map_err(|error| {
                Error::new(Code::Internal, format!("nothing is done that cannot be recorded: {}", error.message()))
                    .kind("journal_not_writable")
                    .delivery(surehand_core::disposition::Delivery::NotDelivered)
            })?);
        }
        Ok(())
    }

    fn record(&self, record: &Record<'_>) {
        let line = Line { v: FORM, kind: "act", ts: jiff::Timestamp::now().to_string(), record };
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for one line: lines of several processes do not mix.
        let written = serde_json::to_vec(&line).map_err(std::io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            journal.as_ref().map_or(Ok(()), |mut file| file.write_all(&bytes))
        });
        if let Err(error) = written {
            tracing::error!(%error, command = record.command, "the action was done and could not be recorded");
        }
    }
}
