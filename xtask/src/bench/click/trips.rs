//! What the program tells of its round trips.

use anyhow::{Context, Result};

/// What is told of one click.
pub(super) const NUMBERS: &[&str] = &[
    "trips_before",
    "trips_in_engine",
    "trips",
    "messages_before",
    "messages",
    "connections",
    "inside",
    "resolve",
    "dispatch",
    "proof",
];

/// One span of time, in microseconds.
#[derive(Debug, Clone, PartialEq)]
struct Span {
    kind: String,
    messages: u64,
    from: u64,
    to: u64,
}

impl Span {
    fn of(line: &str) -> Option<Span> {
        let field = |name: &str| {
            let value = line.split_once(&format!(" {name}="))?.1;
            Some(value.split_whitespace().next()?.trim_matches('"').to_owned())
        };
        Some(Span {
            kind: field("kind")?,
            messages: field("messages")?.parse().ok()?,
            from: field("from")?.parse().ok()?,
            to: field("to")?.parse().ok()?,
        })
    }
}

/// What one click was told to have cost.
#[derive(Debug)]
pub(super) struct Told {
    spans: Vec<Span>,
    listening: Span,
    dispatch: Span,
}

impl Told {
    /// From what `--verbose` printed.
    ///
    /// # Errors
    /// When no action was told of.
    pub(super) fn of(printed: &str) -> Result<Told> {
        let lines = printed.lines().filter(|line| line.contains("surehand::trip"));
        let spans: Vec<Span> = lines.filter_map(Span::of).collect();
        let only = |kind: &str| {
            let found = spans.iter().find(|span| span.kind == kind).cloned();
            found.with_context(|| format!("nothing is told of the {kind}: {printed}"))
        };
        Ok(Told { listening: only("listening")?, dispatch: only("dispatch")?, spans })
    }

    /// The numbers, times in milliseconds.
    pub(super) fn numbers(&self) -> Vec<(&'static str, f64)> {
        let calls = |from: u64, to: u64| -> Vec<&Span> {
            let within = |span: &&Span| span.kind == "calls" && span.from >= from && span.to <= to;
            self.spans.iter().filter(within).collect()
        };
        let messages = |spans: &[&Span]| spans.iter().map(|span| span.messages).sum::<u64>() as f64;
        let (before, all) = (calls(0, self.dispatch.from), calls(0, u64::MAX));
        let engine = calls(self.listening.from, self.dispatch.from);
        let connections = self.spans.iter().filter(|span| span.kind == "connection").count();
        let milliseconds = |from: u64, to: u64| to.saturating_sub(from) as f64 / 1000.0;
        vec![
            ("trips_before", one_after_the_other(&before) as f64),
            ("trips_in_engine", one_after_the_other(&engine) as f64),
            ("trips", one_after_the_other(&all) as f64),
            ("messages_before", messages(&before)),
            ("messages", messages(&all)),
            ("connections", connections as f64),
            ("inside", milliseconds(self.listening.from, self.listening.to)),
            ("resolve", milliseconds(self.listening.from, self.dispatch.from)),
            ("dispatch", milliseconds(self.dispatch.from, self.dispatch.to)),
            ("proof", milliseconds(self.dispatch.to, self.listening.to)),
        ]
    }
}

/// How many of the spans can be picked without an overlap.
fn one_after_the_other(spans: &[&Span]) -> usize {
    let mut spans = spans.to_vec();
    spans.sort_by_key(|span| span.to);
    let mut free = 0;
    spans
        .iter()
        .filter(|span| {
            span.from >= free && {
                free = span.to;
                true
            }
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, messages: u64, from: u64, to: u64) -> String {
        format!("DEBUG surehand::trip: round trip kind=\"{kind}\" messages={messages} from={from} to={to}\n")
    }

    #[test]
    fn what_overlaps_was_not_waited_for() {
        let printed = [
            line("connection", 0, 0, 90),
            line("calls", 6, 110, 150),
            line("calls", 7, 120, 190),
            line("calls", 3, 160, 195),
            line("calls", 1, 200, 210),
            line("dispatch", 1, 200, 210),
            "DEBUG surehand_linux::wire: batch calls=3 to=\"private\"\n".to_owned(),
            line("calls", 5, 220, 300),
            line("listening", 0, 100, 5_100),
        ];
        let told = Told::of(&printed.concat()).unwrap();
        let number = |wanted: &str| told.numbers().iter().find(|(name, _)| *name == wanted).unwrap().1;
        assert_eq!(number("trips_before"), 2.0);
        assert_eq!(number("trips"), 4.0);
        assert_eq!(number("messages_before"), 16.0);
        assert_eq!(number("messages"), 22.0);
        assert_eq!(number("connections"), 1.0);
        assert_eq!(number("inside"), 5.0);
        assert_eq!(number("resolve"), 0.1);
        assert!(told.numbers().iter().map(|(name, _)| name).eq(NUMBERS));
    }

    #[test]
    fn without_an_action_nothing_is_made_up() {
        assert!(Told::of("").is_err());
        assert!(Told::of(&line("calls", 1, 2, 3)).is_err());
    }
}
