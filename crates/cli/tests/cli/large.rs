//! What is too large to be told whole: long lists, deep boxes, huge tables, huge names; and how short the answers are.
//! The numbers are those of the failures that users of comparable tools reported.

use std::time::Duration;

use serde_json::Value;
use surehand_testkit::live::{Fixture, PrivateDesktop, Program};

use crate::stage::{APP, PATIENCE, Stage, Tree, ok, sandbox};

/// The default deadline, and what a machine under load adds to an unoptimised build.
const LIMIT: Duration = Duration::from_secs(5 + 20);

/// The gap of a container with too many children.
fn gap(answer: &Value) -> Value {
    let gaps = answer["gaps"].as_array().unwrap_or_else(|| panic!("no gaps: {answer}"));
    gaps.iter().find(|gap| gap["reason"] == "too_many_children").unwrap_or_else(|| panic!("{gaps:?}")).clone()
}

#[test]
fn case_05_a_list_of_600_rows_and_a_button_below_40_boxes_are_read_whole() {
    let mut stage = Stage::with(&["--rows", "600", "--deep", "40"]);
    let tree = stage.snapshot();
    assert_eq!(tree.0["complete"], true, "{}", tree.0["gaps"]);
    let named = |name: String| tree.nodes().iter().any(|node| node["name"] == name);
    for row in 0..600 {
        assert!(named(format!("row {row}")) && named(format!("item {row}")), "row {row} is missing");
    }
    let deep = tree.reference("button", "Deep");
    let mark = stage.mark();
    stage.ok(&["click", &deep]);
    assert_eq!(stage.told_since(mark), ["clicked Deep"]);
    let outline = stage.desktop.surehand(&["snapshot", "--app", APP, "--format", "outline"]);
    assert!((0..600).all(|row| outline.stdout.contains(&format!("\"row {row}\""))), "{outline}");
}

#[test]
fn case_05_rows_that_were_not_made_are_not_passed_over_in_silence() {
    let desktop = PrivateDesktop::start(&sandbox());
    let _fixture = Fixture::gtk4(&desktop, &["--rows", "600"]);
    // It takes this toolkit its time, above all while its window is new.
    let answer = ok(&desktop.surehand(&["snapshot", "--app", "fixture-gtk4", "--timeout-ms", "40000"]));
    assert_eq!(answer["complete"], false, "its lists make 200 rows of 600");
    let gaps = answer["gaps"].as_array().expect("gaps");
    assert_eq!(gaps.len(), 2, "one for the column view, one for the list view, none for the list box: {gaps:?}");
    assert!(gaps.iter().all(|gap| gap["reason"] == "not_published" && gap["ref"].is_string()), "{gaps:?}");
    // All rows of the list box are there.
    let tree = Tree(answer);
    assert!((0..600).all(|row| tree.nodes().iter().any(|node| node["name"] == format!("row {row}"))));
}

#[test]
fn case_07_a_table_of_10000_rows_is_counted_and_read_page_by_page() {
    let desktop = PrivateDesktop::start(&sandbox());
    let mut fixture = Fixture::python(&desktop.environment(), "large_app.py", &["gtk3", "--rows", "10000"]);
    let run = desktop.surehand(&["snapshot", "--app", "fixture-large-gtk3"]);
    let answer = ok(&run);
    assert!(run.took < LIMIT, "{run}");
    assert!(run.stdout.len() < 20_000, "{} bytes", run.stdout.len());
    let gap = gap(&answer);
    assert_eq!((&gap["columns"], &gap["offset"]), (&Value::from(2), &Value::from(0)), "{gap}");
    let shown = gap["next_offset"].as_u64().expect("where it goes on");
    assert_eq!(gap["missing"].as_u64(), Some(20_000 - shown), "{gap}");
    let reference = gap["ref"].as_str().expect("a ref");
    let cells = |offset: u64| -> Vec<String> {
        let page = ok(&desktop.surehand(&["snapshot", "--root", reference, "--offset", &offset.to_string()]));
        let children = page["tree"]["children"].as_array().expect("cells");
        children.iter().skip(2).map(|cell| cell["name"].as_str().expect("a name").to_owned()).collect()
    };
    for row in [0, 4_999, 9_999] {
        assert_eq!(cells(row * 2)[..2], [format!("item {row}"), (row * 100).to_string()]);
    }
    assert_eq!(cells(shown)[0], format!("item {}", shown / 2));
    let error = crate::stage::refused(
        &desktop.surehand(&["snapshot", "--root", reference, "--offset", "20000"]),
        surehand_core::Code::InvalidArgs,
    );
    assert_eq!(error["details"]["kind"], "offset_beyond_end");
    // Where the person is, is what is shown, and the start can be read all the same.
    fixture.command("scroll 5000");
    let scrolled = surehand_testkit::live::wait_until(PATIENCE, || {
        let answer = ok(&desktop.surehand(&["snapshot", "--app", "fixture-large-gtk3"]));
        let names = answer.to_string();
        names.contains("\"item 5000\"").then(|| self::gap(&answer))
    });
    let offset = scrolled.expect("the row that was scrolled to")["offset"].as_u64().expect("an offset");
    assert!((9_960..=10_000).contains(&offset), "{offset}");
    assert_eq!(cells(0)[0], "item 0");
    // It kept getting round to its user.
    let longest = fixture.events("pause").iter().filter_map(|pause| pause["milliseconds"].as_f64()).fold(0.0, f64::max);
    assert!(longest < 5_000.0, "its user waited {longest} ms");
}

#[test]
fn case_10_two_thousand_names_of_a_megabyte_are_cut_and_said_to_be() {
    let desktop = PrivateDesktop::start(&sandbox());
    let _liar = Fixture::hostile_bus(&desktop, "huge-names", &["--count", "2000", "--toolkit", "GTK"]);
    // The fixture itself needs some seconds to say two thousand megabytes where others are at work.
    let run = desktop.surehand(&["snapshot", "--app", "fixture-hostile", "--timeout-ms", "60000"]);
    let answer = ok(&run);
    // Eight megabytes of labels, what is left of the others, and what stands around them.
    assert!(run.stdout.len() < 12 << 20, "{} bytes", run.stdout.len());
    assert_eq!((&answer["complete"], &answer["truncated"]), (&Value::Bool(false), &Value::Bool(true)));
    let gaps = answer["gaps"].as_array().expect("gaps");
    assert!(gaps.iter().any(|gap| gap["reason"] == "text_budget"), "{gaps:?}");
    let tree = Tree(answer.clone());
    let named: Vec<&str> =
        tree.nodes().iter().filter(|node| node["role"] == "button").filter_map(|node| node["name"].as_str()).collect();
    let cut: Vec<&&str> = named.iter().filter(|name| name.contains("nnnn")).collect();
    assert!(cut.len() > 10 && cut.iter().all(|name| name.ends_with(']') && name.contains(" bytes, ")), "{}", cut.len());
    // The names go on to tell the elements apart.
    let distinct: std::collections::BTreeSet<&&&str> = cut.iter().collect();
    assert_eq!(distinct.len(), cut.len());
}

#[test]
fn case_11_a_name_of_5000_joined_emoji_is_cut_between_two_of_them() {
    const FAMILY: &str = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}";
    let desktop = PrivateDesktop::start(&sandbox());
    let _liar = Fixture::hostile_bus(&desktop, "emoji-names", &[]);
    let tree = Tree(ok(&desktop.surehand(&["snapshot", "--app", "fixture-hostile"])));
    let nodes = tree.nodes();
    let names: Vec<&str> =
        nodes.iter().filter_map(|node| node["name"].as_str()).filter(|name| name.contains(FAMILY)).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    // So many letters before them put the limit into another part of one each time.
    for (letters, name) in names.into_iter().enumerate() {
        assert!(name.len() < 70_000, "{} bytes", name.len());
        let (kept, mark) = name.split_once('\u{2026}').expect("it says that it was cut");
        assert!(mark.contains(&format!("[{} bytes, ", letters + FAMILY.len() * 5_000)), "{mark}");
        let kept = kept.strip_prefix(&"a".repeat(letters)).expect("its beginning");
        assert_eq!(kept, FAMILY.repeat(kept.len() / FAMILY.len()), "the last one is not whole");
    }
    assert_eq!(tree.0["complete"], false, "and so does the answer");
}

/// The number of tokens, roughly.
fn tokens(text: &str) -> usize {
    text.trim_end().len() / 4
}

#[test]
fn case_14_answers_are_short_and_no_field_loses_its_label() {
    let desktop = PrivateDesktop::start(&sandbox());
    for program in ["mousepad", "gtk3-widget-factory"] {
        let _program = Program::start::<&str>(&desktop, program, &[]);
        let read = |arguments: &[&str]| desktop.surehand(&[&["snapshot", "--app", program], arguments].concat());
        let at_rest = surehand_testkit::live::wait_until(PATIENCE, || {
            let counted = || Some(read(&[]).json()["data"]["ref_count"].as_u64()).flatten().filter(|count| *count > 50);
            let first = counted()?;
            (counted()? == first).then_some(())
        });
        assert!(at_rest.is_some(), "{program} shows no window");
        let whole = read(&[]);
        let tree = Tree(ok(&whole));
        let outline = read(&["--format", "outline"]).stdout;
        let interactive = read(&["-i", "--format", "outline"]).stdout;
        let fewer = read(&["-i"]);
        let [all, short, least] = [&whole.stdout, &outline, &interactive].map(|text| tokens(text));
        assert!(short * 100 <= all * 37, "{program}: an outline of {short} tokens for {all}");
        assert!(least * 3 <= all, "{program}: {least} tokens for what can be used, of {all}");
        if program == "mousepad" {
            // Nearly everything in it is a menu that is closed.
            assert!(tokens(&fewer.stdout) * 3 <= all && least * 3 <= short, "{} {least}", tokens(&fewer.stdout));
        }
        let id = tree.0["snapshot_id"].as_str().expect("an id");
        let unchanged = read(&["--since", id, "--format", "outline"]).stdout;
        assert!(tokens(&unchanged) < 30, "{unchanged}");
        let rows: Vec<&str> = outline.lines().collect();
        for node in tree.nodes() {
            // Every label stands in the outline, as one quoted token.
            if let Some(name) = node["name"].as_str() {
                let quoted = surehand_core::text::quote(name);
                assert!(rows.iter().any(|row| row.contains(&quoted)), "{program}: {quoted} is missing\n{outline}");
            }
        }
        // Each field that can be used now has in the shortest answer what it is known by in the longest.
        for field in tree.nodes().into_iter().filter(|node| {
            ["textfield", "combobox", "slider", "incrementor", "checkbox"].iter().any(|role| node["role"] == *role)
                && node["ref_id"].is_string()
                && !crate::stage::has(node, "hidden")
        }) {
            let number = field["ref_id"].as_str().and_then(|one| one.split_once(':')).expect("a ref").1;
            let row = interactive.lines().find(|row| row.split(' ').any(|word| word.ends_with(&format!(":{number}"))));
            let row = row.unwrap_or_else(|| panic!("{program}: {field} is missing\n{interactive}"));
            let hint = field["hint"].as_str().filter(|hint| !hint.starts_with("unlabelled"));
            for label in [field["name"].as_str(), field["placeholder"].as_str(), hint].into_iter().flatten() {
                assert!(row.contains(&surehand_core::text::quote(label)), "{program}: {row} lost {label:?}");
            }
        }
    }
}
