//! How each command comes out with each application: without pointer and keyboard (`headless`), with them (`headed`),
//! or with which code and kind it is refused. A change here is a change that users see, also in
//! `docs/reference/actions.md`.

/// The applications, in the order of the columns.
const APPLICATIONS: [&str; 10] = [
    "Fixture GTK3",
    "Fixture GTK4",
    "Fixture Qt5",
    "Fixture Qt6",
    "Fixture Swing",
    "Chromium",
    "Firefox",
    "LibreOffice Writer",
    "LibreOffice Calc",
    "VTE",
];

/// What is not tried there.
const NOT: &str = "";
/// Through the accessibility interfaces.
const LESS: &str = "headless";
/// With pointer and keyboard, which a person has to allow.
const HEAD: &str = "headed";

const UNSUPPORTED: &str = "ACTION_NOT_SUPPORTED";

/// The commands, with what each is tried on where that makes a difference.
#[rustfmt::skip]
const PREDICTED: &[(&str, [&str; 10])] = &[
    ("click button",        [LESS, LESS, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
];

fn column(title: &str) -> usize {
    let place = APPLICATIONS.iter().position(|application| *application == title);
    place.unwrap_or_else(|| panic!("{title} has no column"))
}

/// How a command comes out with an application; nothing where it is not tried.
pub(super) fn of(title: &str, label: &str) -> &'static str {
    let row = PREDICTED.iter().find(|(known, _)| *known == label);
    row.map_or(NOT, |(_, row)| row[column(title)])
}

/// What is tried with an application.
pub(super) fn labels(title: &str) -> Vec<&'static str> {
    let column = column(title);
    PREDICTED.iter().filter(|(_, row)| row[column] != NOT).map(|(label, _)| *label).collect()
}
