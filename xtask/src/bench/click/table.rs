//! The numbers as a table.

use std::fmt::Write as _;

use serde_json::Value;

/// The table in Markdown, which reads well on a terminal too.
pub(super) fn table(report: &Value) -> String {
    let mut text = String::from(
        "| application | element | program | cold ms (p95) | inside ms (p95) | until sent ms (p95) | dispatch ms (p95) | proof ms (p95) | raw ms (p95) | round trips: engine until sent, process until sent, all | messages: until sent, all | connections | delivery |\n\
         |---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for click in report["clicks"].as_array().into_iter().flatten() {
        for who in ["ours", "other"].into_iter().filter(|who| click[who].is_object()) {
            let median = |what: &str| click[who][what]["median"].as_f64().unwrap_or(f64::NAN);
            let spread = |series: &Value| {
                let number = |name: &str| series[name].as_f64().unwrap_or(f64::NAN);
                format!("{:.2} ({:.2})", number("median"), number("p95"))
            };
            let told = |what: &str| spread(&click[who][what]);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {} | {} | {who} | {} | {} | {} | {} | {} | {} | {}, {}, {} | {}, {} | {} | {} |",
                click["app"].as_str().unwrap_or_default(),
                click["element"].as_str().unwrap_or_default(),
                told("cold"),
                told("inside"),
                told("resolve"),
                told("dispatch"),
                told("proof"),
                spread(&click["raw"]),
                median("trips_in_engine"),
                median("trips_before"),
                median("trips"),
                median("messages_before"),
                median("messages"),
                median("connections"),
                deliveries(&click[who]["delivery"]),
            );
        }
    }
    text
}

fn deliveries(counts: &Value) -> String {
    let counts = counts.as_object().into_iter().flatten();
    counts.map(|(delivery, count)| format!("{delivery} {count}")).collect::<Vec<_>>().join(", ")
}

/// The page in the documentation.
pub(super) fn document(report: &Value) -> String {
    format!(
        "# How long a click takes\n\n\
         Written by `cargo xtask bench click --docs`: {} runs of each, in turn, on {} with {} cores; {}.\n\
         Medians; milliseconds are of this machine and mean nothing on another.\n\n\
         {}\n\
         - **cold**: a process `surehand click REF --format json`, from its start to its end, without a host.\n\
         - **inside**: of such a process, the time from beginning to listen until the answer is known: **until sent** the\n  \
           element is recognised and examined, **dispatch** is the one call that acts, and **proof** is waiting for what it\n  \
           did.\n\
         - **other**: another state of the program that was given with `--other`, in turn with ours.\n\
         - **raw**: the same call by a bare client that has connected and found the element before\n  \
           (`crates/linux/examples/press.rs`). It checks nothing and does not look at what became of it.\n\
         - **round trips**: those that were made one after the other; the call that acts is not one of those until sent.\n  \
           Opening a connection takes some of its own, which are not in them.\n\n\
         `Toggle me` and `Express` say themselves that they were clicked; `Beta` and `Ship 1` do not, so that their proof is\n\
         waited for until the toolkit can be taken to have nothing more to tell.\n",
        report["runs"],
        report["machine"]["cpu"].as_str().unwrap_or("an unknown processor"),
        report["machine"]["cores"],
        match report["build"].as_str() {
            Some("release") => "release builds",
            _ => "with programs that were given by `--program`, which may be unoptimised builds",
        },
        table(report),
    )
}
