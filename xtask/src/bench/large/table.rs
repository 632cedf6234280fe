//! The numbers as a table.

use std::fmt::Write as _;

use serde_json::Value;

/// The table in Markdown, which reads well on a terminal too.
pub(super) fn table(report: &Value) -> String {
    let mut text = String::from(
        "| window | ms (p95) | worst within 2 s | peak MB | calls | nodes | JSON bytes | outline bytes | complete | missing | reads on at | page ms (p95) | longest pause ms: idle, snapshots, pages |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|\n",
    );
    for app in report["apps"].as_array().into_iter().flatten() {
        let number = |pointer: &str| app.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let whole = |pointer: &str| app.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
        let told = |pointer: &str, otherwise: &str| {
            app.pointer(pointer).and_then(Value::as_u64).map_or(otherwise.to_owned(), |number| number.to_string())
        };
        let yes = |pointer: &str| if app.pointer(pointer) == Some(&Value::Bool(true)) { "yes" } else { "no" };
        // Below this the clock of a fixture says nothing.
        let pause = |pointer: &str| {
            let longest = number(pointer);
            if longest > 0.0 { format!("{longest:.0}") } else { "under 10".to_owned() }
        };
        let pages = if whole("/gap/next_offset") > 0 {
            format!("{:.0} ({:.0})", number("/page_time/median"), number("/page_time/p95"))
        } else {
            "-".to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {:.0} ({:.0}) | {} | {:.1} | {} | {} | {} | {} | {} | {} | {} | {pages} | {}, {}, {} |",
            app["app"].as_str().unwrap_or_default(),
            number("/time/median"),
            number("/time/p95"),
            yes("/within_time"),
            number("/peak_kb") / 1024.0,
            whole("/calls"),
            whole("/nodes"),
            whole("/size/json"),
            whole("/size/outline"),
            yes("/complete"),
            told("/gap/missing", "not told"),
            told("/gap/next_offset", "-"),
            pause("/pause_ms/idle"),
            pause("/pause_ms/snapshots"),
            pause("/pause_ms/pages"),
        );
    }
    text
}

/// The page in the documentation.
pub(super) fn document(report: &Value) -> String {
    format!(
        "# Very large windows\n\n\
         Written by `cargo xtask bench large --docs`: {} runs of each on {} with {} cores. Tables of {} rows and two\n\
         columns in GTK 3 (`GtkTreeView`), GTK 4 (`GtkColumnView`), Qt 5 and Qt 6 (`QTableView`), and an empty sheet of\n\
         LibreOffice Calc. The goal is an answer within 2 s and 200 MB; milliseconds are of this machine.\n\n\
         {}\n\
         - Each run is a cold process `surehand snapshot --window-id ID`, from its start to its end. Peak memory is what the\n  \
           kernel counted for any of them, pages included.\n\
         - **missing** counts the cells that are not in the answer. **reads on at** is the gap's `next_offset`; with its ref,\n  \
           `snapshot --root REF --offset N` gives the next page. Pages at the start, in the middle and at the end were\n  \
           compared cell by cell with what the table holds, and so were those that follow them.\n\
         - GTK 4 publishes the rows that it has made and says nowhere how many there are, so its gap has a reason\n  \
           (`not_published`), and neither a count nor a place to go on from.\n\
         - **longest pause** is the longest time that the application did not get round to its user: by a clock in\n  \
           the fixtures, and in Calc by how long it took to answer somebody else. Other work on the machine is in it, so\n  \
           compare with idle.\n",
        report["runs"],
        report["machine"]["cpu"].as_str().unwrap_or("an unknown processor"),
        report["machine"]["cores"],
        report["rows"],
        table(report),
    )
}
