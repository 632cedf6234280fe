//! What is known about each toolkit's accessibility, by experiment.
//!
//! Only facts that interfaces do not tell stand here: what is offered and does not work, what must never be
//! asked, and what is counted differently.

use surehand_core::role::Role;

/// The names under which toolkits publish "activate this", best first, compared without case. Nothing else
/// is ever invoked by a click: the first action of a text view may be the one that deletes a line.
const PRESS: &[&str] = &["click", "press", "activate", "toggle", "jump", "push"];

/// What browsers call the one thing that a click on an element does, by what it would do.
const BROWSER_PRESS: &[&str] =
    &["check", "uncheck", "select", "open", "close", "switch", "expand", "collapse", "cycle", "sort"];

/// What "do what you are there for" is called. Chromium offers it on everything, texts and boxes too.
const DEFAULT: &[&str] = &["dodefault", "do default"];

/// A toolkit, as its applications name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Toolkit {
    /// GTK 3, through the ATK bridge. LibreOffice with its GTK 3 plugin calls itself the same.
    Gtk3,
    /// GTK 4, which speaks AT-SPI itself.
    Gtk4,
    /// Qt 5 and 6.
    Qt,
    /// Chromium and everything built on it.
    Chromium,
    /// Firefox.
    Gecko,
    /// Java, through the ATK wrapper.
    Java,
    /// Any other.
    Other,
}

impl Toolkit {
    /// From what the application's root answers for `ToolkitName`.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "gtk" => Toolkit::Gtk3,
            "GTK" => Toolkit::Gtk4,
            "Qt" => Toolkit::Qt,
            "Chromium" => Toolkit::Chromium,
            "Gecko" => Toolkit::Gecko,
            "J2SE-access-bridge" => Toolkit::Java,
            _ => Toolkit::Other,
        }
    }

    /// From an application's `toolkit`, which is the name and the version.
    pub(crate) fn of(toolkit: &str) -> Self {
        Toolkit::named(toolkit.split(' ').next().unwrap_or_default())
    }

    /// Whether one call returns the whole application. Qt answers an empty list and GTK 4 only what was
    /// already looked at, so they are walked.
    pub(crate) fn has_bulk_read(self) -> bool {
        matches!(self, Toolkit::Gtk3 | Toolkit::Chromium | Toolkit::Gecko | Toolkit::Java | Toolkit::Other)
    }

    /// Whether list boxes keep the object of each row for that row, although they say that they make them on
    /// demand. The rows of a `GtkListBox` are widgets of their own, and go with their object.
    pub(crate) fn keeps_list_box_rows(self) -> bool {
        self == Toolkit::Gtk3
    }

    /// Whether `showing` is said of widgets. GTK 4 says it of windows only.
    pub(crate) fn tells_showing(self) -> bool {
        self != Toolkit::Gtk4
    }

    /// Whether `GetActions` returns names. Chromium and Firefox return empty strings and junk there, and the
    /// name of each action has to be asked for.
    pub(crate) fn lists_actions(self) -> bool {
        !matches!(self, Toolkit::Chromium | Toolkit::Gecko)
    }

    /// Whether the developers' id is the attribute `id` instead of the property `AccessibleId`.
    pub(crate) fn id_is_attribute(self) -> bool {
        matches!(self, Toolkit::Chromium | Toolkit::Gecko)
    }

    /// Whether objects of Qt are asked: it has no property `AccessibleId`.
    pub(crate) fn has_accessible_id(self) -> bool {
        self != Toolkit::Qt
    }

    /// The coordinate system whose extents are right: 0 is the screen, 1 the window.
    pub(crate) fn coordinates(self) -> u32 {
        match self {
            // In screen coordinates GTK 4 answers window-relative numbers and prints a warning for each.
            Toolkit::Gtk4 => 1,
            // In window coordinates Qt answers garbage.
            _ => 0,
        }
    }

    /// What `length` of `EditableText.InsertText` counts for this text. Qt resizes its UTF-16 string to it;
    /// the GTK family takes bytes.
    pub(crate) fn insert_length(self, text: &str) -> usize {
        match self {
            Toolkit::Qt => text.encode_utf16().count(),
            _ => text.len(),
        }
    }

    /// The action that activates an element of this role, if one of these is named so.
    pub(crate) fn press(self, actions: &[String], role: Role) -> Option<String> {
        let browser = matches!(self, Toolkit::Chromium | Toolkit::Gecko);
        let usable = role.is_interactive();
        let wanted = PRESS
            .iter()
            .chain(if browser && usable { BROWSER_PRESS } else { &[] })
            .chain(if !browser || usable { DEFAULT } else { &[] });
        let named = |wanted: &&str| actions.iter().find(|action| action.trim().eq_ignore_ascii_case(wanted)).cloned();
        wanted.into_iter().find_map(named)
    }

    /// The action that opens the context menu of an element, if one is named so. What Qt calls `ShowMenu` opens the
    /// menu that a button or a combo box is there for.
    pub(crate) fn menu(self, actions: &[String]) -> Option<String> {
        const MENU: &[&str] = &["showcontextmenu", "show context menu", "menu.popup"];
        actions.iter().find(|action| MENU.iter().any(|menu| action.eq_ignore_ascii_case(menu))).cloned()
    }

    /// Whether a press on an element that can be folded folds it. In a tree of Qt it chooses the item.
    pub(crate) fn folds_by_press(self, role: Role) -> bool {
        self != Toolkit::Qt || !matches!(role, Role::Cell | Role::TreeItem | Role::Option)
    }

    /// Whether what is chosen through a container of this role is chosen. Menus only highlight it, and the drop-down
    /// list of GTK 4 says that it is and shows something else.
    pub(crate) fn chooses(self, role: Role) -> bool {
        match self {
            Toolkit::Gtk3 | Toolkit::Java => {
                matches!(role, Role::ComboBox | Role::List | Role::ListBox | Role::TabList)
            }
            Toolkit::Gtk4 => matches!(role, Role::List | Role::ListBox),
            Toolkit::Qt | Toolkit::Chromium | Toolkit::Gecko | Toolkit::Other => false,
        }
    }

    /// Whether an element can be given the focus. GTK 4 has no such call.
    pub(crate) fn takes_focus(self) -> bool {
        self != Toolkit::Gtk4
    }

    /// Whether an element can be asked to come into view.
    pub(crate) fn scrolls_to(self) -> bool {
        matches!(self, Toolkit::Chromium | Toolkit::Gecko)
    }

    /// How long it may take from accepting an action to the first announcement of what it did. GTK 4 and Qt show a
    /// button as pressed for a moment before they act on it: GTK 4 for 250 ms, Qt for 100, with what was measured from
    /// the answer to `DoAction`. So that they answer to a later question says nothing of what is still to come. GTK 3
    /// acts before it answers; what an application puts off itself, such as opening a window, comes later there too.
    pub(crate) fn lag(self) -> std::time::Duration {
        std::time::Duration::from_millis(match self {
            Toolkit::Gtk3 | Toolkit::Java | Toolkit::Chromium | Toolkit::Gecko => 120,
            Toolkit::Qt => 250,
            Toolkit::Gtk4 | Toolkit::Other => 400,
        })
    }

    /// Whether a disabled element has no actions that it will have once it is enabled.
    pub(crate) fn withholds_actions(self) -> bool {
        self == Toolkit::Qt
    }

    /// Whether a number that is set is set. Java accepts it and leaves the slider where it is.
    pub(crate) fn sets_numbers(self) -> bool {
        self != Toolkit::Java
    }

    /// Whether a window has frames besides that nobody sees: Chromium has one for every popup that may come.
    pub(crate) fn has_blind_frames(self) -> bool {
        self == Toolkit::Chromium
    }

    /// Whether a page is on the bus before what is in it is known to be shown and has its names.
    pub(crate) fn shows_late(self) -> bool {
        self == Toolkit::Gecko
    }

    /// Whether a name in the list of the whole application can be believed where it is empty. Firefox leaves
    /// out those that it has to compute, at first contact all of them.
    pub(crate) fn lists_empty_names(self) -> bool {
        self != Toolkit::Gecko
    }

    /// Whether it says of every field that holds a secret that it does. GTK 4 says it of its password entry
    /// and not of an entry that only hides what is written.
    pub(crate) fn tells_secrets(self) -> bool {
        !matches!(self, Toolkit::Gtk4 | Toolkit::Other)
    }

    /// Whether what an element of this role calls itself is what it holds. A combo box of Qt is named by
    /// what is chosen in it, whatever name its developers gave it.
    pub(crate) fn names_by_value(self, role: Role) -> bool {
        self == Toolkit::Qt && role == Role::ComboBox
    }

    /// Whether a name is one that the toolkit made up: GTK 4 calls an element that has none by its class.
    pub(crate) fn is_made_up(self, name: &str, role: Role) -> bool {
        let class = |rest: &str| {
            rest.starts_with(|first: char| first.is_ascii_uppercase())
                && rest.chars().all(|c| c.is_ascii_alphanumeric())
        };
        self == Toolkit::Gtk4
            && role != Role::StaticText
            && ["Gtk", "Adw"].iter().any(|prefix| name.strip_prefix(prefix).is_some_and(class))
    }

    /// Why this text cannot be written through the interface for editing.
    pub(crate) fn cannot_write(self, text: &str) -> Option<&'static str> {
        (self == Toolkit::Java && text.chars().any(|letter| letter > '\u{ffff}')).then_some(
            "Java garbles characters beyond U+FFFF that are written through its accessibility interface, such as emoji",
        )
    }

    /// Why a window of it has no tree although there is a window, and what mends that.
    pub(crate) fn mend(self) -> &'static str {
        match self {
            Toolkit::Gtk3 => "start it without `NO_AT_BRIDGE`; LibreOffice needs its GTK plugin",
            Toolkit::Gtk4 => "start it without `GTK_A11Y=none`",
            Toolkit::Qt => "start it with `QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1`; a private desktop does that by itself",
            Toolkit::Chromium => {
                "its page was asked for and did not come in time: try again, or start it with \
                 `--force-renderer-accessibility`"
            }
            Toolkit::Gecko => "start it with `GNOME_ACCESSIBILITY=1`; a private desktop does that by itself",
            Toolkit::Java => {
                "start it with the ATK wrapper: `-Djavax.accessibility.assistive_technologies=\
                 org.GNOME.Accessibility.AtkWrapper`; a private desktop does that by itself where it is installed"
            }
            Toolkit::Other => "it may have no accessibility support",
        }
    }

    /// The toolkit of a program that says nothing, from the libraries that it has loaded.
    pub(crate) fn of_libraries(maps: &str) -> Option<Toolkit> {
        // What brings its own toolkit loads GTK besides, for its dialogs, so it comes first.
        const LIBRARIES: &[(&str, Toolkit)] = &[
            ("/libxul.so", Toolkit::Gecko),
            ("/libjvm.so", Toolkit::Java),
            ("/libvcllo.so", Toolkit::Gtk3),
            ("/libmergedlo.so", Toolkit::Gtk3),
            ("/libQt6Gui.so", Toolkit::Qt),
            ("/libQt5Gui.so", Toolkit::Qt),
            ("/libgtk-4.so", Toolkit::Gtk4),
            ("/libgtk-3.so", Toolkit::Gtk3),
        ];
        LIBRARIES.iter().find(|(library, _)| maps.contains(library)).map(|(_, toolkit)| *toolkit)
    }

    /// Why the interface for editing text must not be used although it is there.
    pub(crate) fn broken_editing(self) -> Option<&'static str> {
        match self {
            Toolkit::Gecko => Some(
                "this application answers that it set the text and does not set it, so only the keyboard can write here",
            ),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn only_named_activation_counts_as_a_press() {
        let press = |actions: &[&str]| Toolkit::Gtk3.press(&names(actions), Role::Button);
        assert_eq!(press(&["menu.popup", "Click"]), Some("Click".into()));
        assert_eq!(press(&["text.delete-line", "clipboard.cut"]), None);
        assert_eq!(press(&["SetFocus", "ShowMenu", "Press"]), Some("Press".into()));
        assert_eq!(press(&["doDefault"]), Some("doDefault".into()));
        assert_eq!(press(&["select", "check"]), None, "elsewhere that is not what a click does");
        assert_eq!(press(&[]), None);
    }

    #[test]
    fn a_browser_offers_a_default_on_everything_and_means_it_on_little() {
        let press = |actions: &[&str], role| Toolkit::Chromium.press(&names(actions), role);
        assert_eq!(press(&["doDefault", "showContextMenu"], Role::StaticText), None);
        assert_eq!(press(&["doDefault", "showContextMenu"], Role::Button), Some("doDefault".into()));
        assert_eq!(press(&["uncheck", "showContextMenu"], Role::CheckBox), Some("uncheck".into()));
        assert_eq!(press(&["click", "showContextMenu"], Role::Group), Some("click".into()));
    }

    #[test]
    fn a_class_is_no_name_and_a_label_that_looks_like_one_is() {
        let made_up = |name| Toolkit::Gtk4.is_made_up(name, Role::Group);
        assert!(made_up("GtkBuiltinIcon") && made_up("AdwBin"));
        assert!(!made_up("Gtk") && !made_up("Gtk 4 demo") && !made_up("Gtkwave") && !made_up("Address"));
        assert!(!Toolkit::Gtk4.is_made_up("GtkFrame", Role::StaticText));
        assert!(!Toolkit::Gtk3.is_made_up("GtkFrame", Role::Group));
    }

    #[test]
    fn a_silent_program_is_told_by_its_own_toolkit_and_not_by_the_one_it_borrows_dialogs_from() {
        let maps =
            "7f00-7f01 r-xp 0 08:01 1 /usr/lib/libgtk-3.so.0\n7f01-7f02 r-xp 0 08:01 1 /usr/lib/firefox/libxul.so\n";
        assert_eq!(Toolkit::of_libraries(maps), Some(Toolkit::Gecko));
        assert_eq!(Toolkit::of_libraries("/usr/lib/libQt6Gui.so.6"), Some(Toolkit::Qt));
        assert_eq!(Toolkit::of_libraries("/usr/lib/libc.so.6"), None);
    }

    #[test]
    fn java_takes_no_emoji() {
        assert!(Toolkit::Java.cannot_write("a\u{1f600}").is_some());
        assert!(Toolkit::Java.cannot_write("Zażółć €").is_none() && Toolkit::Qt.cannot_write("\u{1f600}").is_none());
    }
}
