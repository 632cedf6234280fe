//! A trace put together into what was done, and how it came out in plain words.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use surehand_core::Code;

/// One run of a command.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// Milliseconds since 1970.
    pub(crate) began: u64,
    /// Milliseconds that it took; none where its end was not written.
    pub(crate) took: Option<u64>,
    /// The process.
    pub(crate) pid: u64,
    /// The command.
    pub(crate) command: String,
    /// Its arguments, as far as they were written.
    pub(crate) arguments: Map<String, Value>,
    /// Every event of it.
    pub(crate) events: Vec<Map<String, Value>>,
    /// The event of its end.
    end: Option<Map<String, Value>>,
    acts: bool,
}

/// How something came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// As it was meant.
    Good,
    /// Done, and not known what came of it.
    Unsure,
    /// Not done.
    Bad,
    /// No end was written.
    Open,
}

impl Mood {
    /// The word for it, which the style sheet goes by as well.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Mood::Good => "good",
            Mood::Unsure => "unsure",
            Mood::Bad => "bad",
            Mood::Open => "open",
        }
    }

    /// What stands on its badge.
    pub(crate) const fn badge(self) -> &'static str {
        match self {
            Mood::Good => "done",
            Mood::Unsure => "done, effect unknown",
            Mood::Bad => "not done",
            Mood::Open => "no end",
        }
    }
}

fn text<'e>(event: &'e Map<String, Value>, name: &str) -> &'e str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(event: &Map<String, Value>, name: &str) -> Option<u64> {
    event.get(name).and_then(Value::as_u64)
}

/// The runs in a trace, in the order in which they began.
pub(crate) fn runs(events: &[Map<String, Value>]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut known: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for event in events {
        let (Some(call), pid) = (number(event, "call"), number(event, "pid").unwrap_or_default()) else { continue };
        let at = *known.entry((pid, call)).or_insert_with(|| {
            runs.push(Run { began: number(event, "ts_ms").unwrap_or_default(), pid, ..Run::default() });
            runs.len() - 1
        });
        let Some(run) = runs.get_mut(at) else { continue };
        match text(event, "event") {
            "command.start" => {
                text(event, "command").clone_into(&mut run.command);
                run.acts = !matches!(text(event, "effect"), "observe" | "");
                run.arguments = event.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
            }
            "command.end" => {
                if run.command.is_empty() {
                    text(event, "command").clone_into(&mut run.command);
                }
                run.took = number(event, "duration_ms");
                run.end = Some(event.clone());
            }
            _ => {}
        }
        run.events.push(event.clone());
    }
    runs
}

impl Run {
    /// How it came out.
    pub(crate) fn mood(&self) -> Mood {
        let Some(end) = &self.end else { return Mood::Open };
        match (end.get("ok") == Some(&Value::Bool(true)), text(end, "delivery")) {
            (true, "delivered_unverified" | "delivery_uncertain") => Mood::Unsure,
            (true, _) => Mood::Good,
            (false, "delivery_uncertain" | "delivered_unverified") => Mood::Unsure,
            (false, _) => Mood::Bad,
        }
    }

    /// The code of its error.
    pub(crate) fn code(&self) -> Option<&str> {
        self.end.as_ref().map(|end| text(end, "code")).filter(|code| !code.is_empty())
    }

    /// The kind of its error.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.end.as_ref().map(|end| text(end, "kind")).filter(|kind| !kind.is_empty())
    }

    /// What it acted on, as far as that was written.
    pub(crate) fn target(&self) -> Option<String> {
        let event = self.events.iter().rev().find(|event| text(event, "event").starts_with("action.dispatch"))?;
        match (text(event, "role"), text(event, "app")) {
            ("", "") => None,
            (role, "") => Some(format!("on a {role}")),
            ("", app) => Some(format!("in {app}")),
            (role, app) => Some(format!("on a {role} of {app}")),
        }
    }

    /// What came of it, in sentences for people.
    pub(crate) fn outcome(&self) -> String {
        let Some(end) = &self.end else {
            return "No end was written: the process was stopped, or it is still at work.".to_owned();
        };
        let delivery = text(end, "delivery");
        if end.get("ok") == Some(&Value::Bool(true)) {
            return match delivery {
                "delivered_verified" => "Done, and the effect was seen.".to_owned(),
                "delivered_unverified" => "Handed over. Whether it had the effect was not seen.".to_owned(),
                "delivery_uncertain" => "It may have been handed over; that is not certain.".to_owned(),
                "not_delivered" => "Nothing had to be done: it was so already.".to_owned(),
                _ if self.acts => "Done.".to_owned(),
                _ => self.seen().unwrap_or_else(|| "Answered.".to_owned()),
            };
        }
        let code = Code::deserialize(Value::String(text(end, "code").to_owned())).ok();
        let meaning = code.map_or("It failed.", Code::meaning);
        let sent = match delivery {
            "not_delivered" if self.acts => " Nothing was sent to the application.",
            "delivery_uncertain" => " It may have reached the application all the same.",
            "delivered_unverified" | "delivered_verified" => " It had reached the application.",
            _ => "",
        };
        format!("{meaning}{sent}")
    }

    fn seen(&self) -> Option<String> {
        let saved = self.events.iter().find(|event| text(event, "event") == "snapshot.saved")?;
        let (elements, refs) = (number(saved, "elements")?, number(saved, "refs")?);
        let app = text(saved, "app");
        Some(format!(
            "Read {elements} elements of {app}; {refs} got a ref, in snapshot {}.",
            text(saved, "snapshot_id")
        ))
    }
}
