//! What is known about each toolkit's accessibility, by experiment.
//!
//! Only facts that interfaces do not tell stand here: what is offered and does not work, what must never be
//! asked, and what is counted differently.

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

    /// Whether one call returns the whole application. Qt answers an empty list and GTK 4 only what was
    /// already looked at, so they are walked.
    pub(crate) fn has_bulk_read(self) -> bool {
        matches!(self, Toolkit::Gtk3 | Toolkit::Chromium | Toolkit::Gecko | Toolkit::Java | Toolkit::Other)
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
