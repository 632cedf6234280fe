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

/// Refused, with which code and kind; with `headed:` also where pointer and keyboard are allowed.
const NO_ROOM: &str = "headed: ACTION_FAILED offscreen";
const NO_PLACE: &str = "headed: ACTION_NOT_SUPPORTED unknown_origin";
const NONE: &str = "ACTION_NOT_SUPPORTED not_supported_by_element";
const CLOSED: &str = "ACTION_NOT_SUPPORTED no_options";
const NO_WAY: &str = "ACTION_NOT_SUPPORTED options_not_choosable";
const NO_BAR: &str = "ACTION_NOT_SUPPORTED scroll_unsupported";
const NO_VIEW: &str = "ACTION_NOT_SUPPORTED scroll_into_view_unsupported";

/// The commands, with what each is tried on where that makes a difference.
#[rustfmt::skip]
const PREDICTED: &[(&str, [&str; 10])] = &[
    ("click button", [LESS, LESS, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("click checkbox", [LESS, HEAD, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("click textfield", [NOT, NOT, NOT, NOT, NOT, NOT, NOT, NOT, NOT, HEAD]),
    ("double-click", [HEAD, HEAD, HEAD, HEAD, NO_ROOM, HEAD, HEAD, NOT, NOT, HEAD]),
    ("triple-click", [HEAD, HEAD, HEAD, HEAD, NO_ROOM, HEAD, HEAD, NOT, NOT, HEAD]),
    ("right-click", [HEAD, HEAD, HEAD, HEAD, NO_ROOM, HEAD, HEAD, NOT, NOT, HEAD]),
    ("hover", [HEAD, HEAD, HEAD, HEAD, NO_PLACE, HEAD, HEAD, NOT, NOT, HEAD]),
    ("drag", [HEAD, HEAD, HEAD, HEAD, NO_PLACE, HEAD, HEAD, NOT, NOT, HEAD]),
    ("type", [LESS, LESS, LESS, LESS, LESS, HEAD, HEAD, LESS, NONE, HEAD]),
    ("set-value textfield", [LESS, LESS, LESS, LESS, LESS, HEAD, HEAD, LESS, NONE, NONE]),
    ("set-value slider", [LESS, LESS, LESS, LESS, NONE, LESS, LESS, NOT, NOT, NOT]),
    ("set-value spinbutton", [LESS, LESS, LESS, LESS, NOT, NOT, NOT, NOT, NOT, NOT]),
    ("clear", [LESS, LESS, LESS, LESS, LESS, HEAD, HEAD, LESS, NONE, NONE]),
    ("press", [LESS, LESS, LESS, LESS, LESS, LESS, LESS, LESS, NOT, LESS]),
    ("focus", [LESS, NONE, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("select combobox", [LESS, CLOSED, NO_WAY, NO_WAY, CLOSED, LESS, NO_WAY, NOT, NOT, NOT]),
    ("select list", [LESS, LESS, LESS, LESS, NOT, NOT, NOT, NONE, NONE, NOT]),
    ("toggle", [LESS, HEAD, LESS, LESS, LESS, LESS, LESS, NONE, NONE, NOT]),
    ("check", [LESS, HEAD, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("check radiobutton", [LESS, HEAD, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("uncheck", [LESS, HEAD, LESS, LESS, LESS, LESS, LESS, NOT, NOT, NOT]),
    ("expand", [LESS, NONE, NONE, NONE, NOT, LESS, LESS, NONE, NONE, NOT]),
    ("collapse", [LESS, NONE, NONE, NONE, NOT, LESS, LESS, NOT, NOT, NOT]),
    ("scroll", [LESS, LESS, LESS, LESS, NO_BAR, NO_BAR, NO_BAR, NOT, NOT, NO_BAR]),
    ("scroll-to", [LESS, LESS, LESS, LESS, NO_VIEW, LESS, LESS, NOT, NOT, NOT]),
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
