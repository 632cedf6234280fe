//! The numbers as a table.

use std::fmt::Write as _;

use serde_json::Value;

/// The table in Markdown, which reads well on a terminal too.
pub(super) fn table(report: &Value) -> String {
    let mut text = String::from(
        "| application | nodes | walk / ours | walk process / ours | ours / floor | ours ms (p95) | floor ms | walk ms | calls: ours, floor, walk | JSON bytes | outline bytes | outline / JSON |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for app in report["apps"].as_array().into_iter().flatten() {
        let number = |pointer: &str| app.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let whole = |pointer: &str| app.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.1} | {:.2} | {:.1} ({:.1}) | {:.1} | {:.0} | {}, {}, {} | {} | {} | {:.2} |",
            app["app"].as_str().unwrap_or_default(),
            whole("/ours/nodes"),
            number("/ratios/walk_to_ours/median"),
            number("/ratios/walk_process_to_ours/median"),
            number("/ratios/ours_to_floor/median"),
            number("/ours/time/median"),
            number("/ours/time/p95"),
            number("/floor/time/median"),
            number("/walk/time/median"),
            whole("/ours/calls"),
            whole("/floor/calls"),
            whole("/walk/calls"),
            whole("/size/json"),
            whole("/size/outline"),
            number("/size/outline") / number("/size/json"),
        );
    }
    text
}

/// The page in the documentation.
pub(super) fn document(report: &Value) -> String {
    format!(
        "# How long a snapshot takes\n\n\
         Written by `cargo xtask bench snapshot --docs`: {} runs of each, in turn, on {} with {} cores. Medians of the\n\
         paired ratios; milliseconds are of this machine and mean nothing on another.\n\n\
         {}\n\
         - **ours**: a cold process `surehand snapshot --window-id ID --format json`, from its start to its end.\n\
         - **walk**: nine calls for each element, one after the other, with the system's Python bindings; without the\n  \
           start of the interpreter and without finding the window. **walk process** is with both the start and the\n  \
           connection.\n\
         - **floor**: a bare process that is told the window's object, connects, and makes the fewest pipelined reads\n  \
           for the same fields (`crates/linux/examples/floor.rs`). It looks for no window, checks nothing, keeps\n  \
           nothing and prints one line.\n",
        report["runs"],
        report["machine"]["cpu"].as_str().unwrap_or("an unknown processor"),
        report["machine"]["cores"],
        table(report),
    )
}
