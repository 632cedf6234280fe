//! LibreOffice Writer and Calc.

use std::fs;
use std::time::{Duration, Instant};

use surehand_testkit::live::{Program, wait_until};

use crate::support::{Desk, PATIENCE};

pub(crate) const TEXT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text">
<office:body><office:text><text:p>The first paragraph</text:p><text:p>The second one</text:p></office:text></office:body>
</office:document>
"#;

pub(crate) const SHEET: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Costs">
<table:table-row><table:table-cell office:value-type="string"><text:p>apple</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="12.5"><text:p>12.5</text:p></table:table-cell></table:table-row>
</table:table></office:spreadsheet></office:body>
</office:document>
"#;

pub(crate) fn office(desk: &Desk, name: &str, content: &str) -> Program {
    let folder = Program::folder();
    fs::write(folder.path().join(name), content).expect("a document");
    let document = format!("{{folder}}/{name}");
    let arguments = [
        "--norestore",
        "--nologo",
        "--nofirststartwizard",
        "-env:UserInstallation=file://{folder}/profile",
        document.as_str(),
    ];
    let program = Program::start_in(&desk.desktop, "soffice", &arguments, folder);
    desk.window(name);
    program
}

fn record(desk: &Desk, office: &Program, name: &str) {
    desk.record(name, "soffice", &[(&office.path("").to_string_lossy(), "/home/user/")]);
}

#[test]
fn writer() {
    let desk = Desk::start();
    let office = office(&desk, "letter.fodt", TEXT);
    let first =
        wait_until(PATIENCE, || Some(desk.outline("soffice")).filter(|outline| outline.contains("The second one")))
            .expect("the document is read");
    record(&desk, &office, "writer");
    desk.has_picture("soffice");
    let line = first.lines().find(|line| line.contains("The first paragraph")).expect("the first paragraph");
    let reference = line.split_whitespace().find(|word| word.starts_with('@')).expect("it has a ref");
    assert_eq!(desk.is(reference, "visible"), true);
    desk.ok(&["set-value", reference, "Zażółć from outside"]);
    assert!(desk.outline("soffice").contains("Zażółć from outside"));
    // The file is what the application itself says of its document.
    // It has its menus twice, once where nobody sees them.
    let saves = desk.ok(&[
        "find",
        "--app",
        "soffice",
        "--role",
        "menuitem",
        "--name",
        "Save",
        "--exact",
        "--state",
        "hidden=false",
    ]);
    assert_eq!(saves["count"], 1, "{saves}");
    desk.ok(&["click", saves["matches"][0]["ref_id"].as_str().expect("it has a ref")]);
    let saved = wait_until(PATIENCE, || office.file("letter.fodt").contains("Zażółć from outside").then_some(()));
    assert!(saved.is_some(), "{}", office.file("letter.fodt"));
    assert!(office.file("letter.fodt").contains("The second one"));
    desk.note("click menuitem", "works");
    desk.note("set-value paragraph", "works");
    desk.report("LibreOffice Writer", "soffice");
}

#[test]
fn calc() {
    let desk = Desk::start();
    let office = office(&desk, "costs.fods", SHEET);
    let begun = Instant::now();
    let snapshot = desk.ok(&["snapshot", "--app", "soffice"]);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let gap = snapshot["gaps"]
        .as_array()
        .and_then(|gaps| gaps.iter().find(|gap| gap["reason"] == "too_many_children"))
        .unwrap_or_else(|| panic!("a sheet is too large to be read whole: {}", snapshot["gaps"]));
    assert!(gap["missing"].as_u64().is_some_and(|missing| missing > 2_000_000_000), "{gap}");
    let outline = desk.outline("soffice");
    for cell in ["\"A1\" value=\"apple\"", "\"B1\" value=\"12.5\"", "\"C7\""] {
        assert!(outline.contains(cell), "{cell} is on the screen\n{outline}");
    }
    record(&desk, &office, "calc");
    desk.has_picture("soffice");
    // It goes on answering.
    let cell = desk.find("soffice", "cell", "B1");
    assert_eq!(desk.get(&cell, "value"), "12.5");
    assert_eq!(desk.is(&cell, "enabled"), true);
    let why = desk.refused(&["set-value", &cell, "3"]);
    assert!(!why.is_empty());
    desk.note("set-value cell", "refused");
    desk.report("LibreOffice Calc", "soffice");
}
