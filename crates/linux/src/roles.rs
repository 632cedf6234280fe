//! AT-SPI roles onto ours.
//!
//! One exhaustive `match`: a role that a newer `atspi` adds does not compile until somebody has decided
//! what it means. Numbers that `atspi` does not know are `unknown`.

use atspi::Role as Native;
use surehand_core::role::Role;

/// Our role for a native one, and the native word for it.
pub(crate) fn role(number: u32) -> (Role, String) {
    match Native::try_from(number) {
        Ok(native) => (map(native), native.name().to_owned()),
        Err(_) => (Role::Unknown, format!("role {number}")),
    }
}

/// Whether the native role is that of a top-level window.
pub(crate) fn is_window(number: u32) -> bool {
    matches!(
        Native::try_from(number),
        Ok(Native::Frame
            | Native::Window
            | Native::Dialog
            | Native::Alert
            | Native::FileChooser
            | Native::ColorChooser
            | Native::FontChooser
            | Native::InternalFrame)
    )
}

/// Whether the native role is that of an application's root.
pub(crate) fn is_application(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::Application))
}

/// Whether the native role is that of a page in a browser.
pub(crate) fn is_page(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::DocumentWeb))
}

/// Whether the native role is that of a piece of text in a page, which is no element of it.
pub(crate) fn is_text_leaf(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::Static | Native::Label | Native::Text))
}

/// Whether elements of this native role hold a secret, whatever their states.
pub(crate) fn is_secret(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::PasswordText))
}

/// Whether the native role is that of a document whose table is a sheet.
pub(crate) fn is_spreadsheet(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::DocumentSpreadsheet))
}

/// Whether containers of this native role keep the object of a child for that child, also where they say that
/// they make them on demand: a paragraph of a text document is never another one.
pub(crate) fn keeps_children(number: u32) -> bool {
    matches!(
        Native::try_from(number),
        Ok(Native::DocumentFrame | Native::DocumentText | Native::DocumentPresentation | Native::DocumentEmail)
    )
}

/// Whether the native role is that of a box that is there for the layout.
pub(crate) fn is_filler(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::Filler))
}

/// Whether the native role is that of a list box.
pub(crate) fn is_list_box(number: u32) -> bool {
    matches!(Native::try_from(number), Ok(Native::ListBox))
}

/// Whether containers of this native role may make children on demand and use their objects again.
pub(crate) fn may_recycle(number: u32) -> bool {
    matches!(
        Native::try_from(number),
        Ok(Native::Table
            | Native::Tree
            | Native::TreeTable
            | Native::List
            | Native::ListBox
            | Native::DocumentSpreadsheet)
    )
}

fn map(native: Native) -> Role {
    match native {
        Native::Alert | Native::InfoBar | Native::Notification => Role::Alert,
        Native::Animation | Native::Icon | Native::Image | Native::ImageMap | Native::DesktopIcon => Role::Image,
        Native::Application => Role::Application,
        Native::Article => Role::Article,
        Native::Arrow | Native::Button | Native::ToggleButton => Role::Button,
        Native::PushButtonMenu => Role::MenuButton,
        Native::Autocomplete | Native::ComboBox => Role::ComboBox,
        Native::BlockQuote
        | Native::Canvas
        | Native::CHART
        | Native::DesktopFrame
        | Native::DirectoryPane
        | Native::DrawingArea
        | Native::Embedded
        | Native::Filler
        | Native::Footer
        | Native::GlassPane
        | Native::Grouping
        | Native::Header
        | Native::HTMLContainer
        | Native::LayeredPane
        | Native::OptionPane
        | Native::Panel
        | Native::RootPane
        | Native::Section
        | Native::SplitPane
        | Native::Suggestion
        | Native::ContentDeletion
        | Native::ContentInsertion
        | Native::Audio
        | Native::Video => Role::Group,
        Native::Calendar => Role::Grid,
        Native::Caption
        | Native::AcceleratorLabel
        | Native::Label
        | Native::Static
        | Native::Subscript
        | Native::Superscript
        | Native::Mark
        | Native::TitleBar => Role::StaticText,
        Native::CheckBox => Role::CheckBox,
        Native::CheckMenuItem | Native::MenuItem | Native::RadioMenuItem | Native::TearoffMenuItem => Role::MenuItem,
        Native::ColorChooser | Native::Dialog | Native::FileChooser | Native::FontChooser => Role::Dialog,
        Native::ColumnHeader
        | Native::RowHeader
        | Native::TableColumnHeader
        | Native::TableRowHeader
        | Native::TableCell => Role::Cell,
        Native::Comment | Native::Footnote => Role::Note,
        Native::DateEditor => Role::DateField,
        Native::Definition | Native::DescriptionValue => Role::Definition,
        Native::DescriptionList => Role::List,
        Native::DescriptionTerm => Role::Term,
        Native::Dial | Native::Slider | Native::Rating => Role::Slider,
        Native::DocumentFrame
        | Native::DocumentEmail
        | Native::DocumentPresentation
        | Native::DocumentSpreadsheet
        | Native::DocumentText
        | Native::Page => Role::Document,
        Native::DocumentWeb => Role::WebArea,
        Native::Editbar | Native::Entry | Native::PasswordText | Native::Text | Native::Terminal => Role::TextField,
        Native::Form => Role::Form,
        Native::Frame | Native::InternalFrame | Native::Window | Native::InputMethodWindow => Role::Window,
        Native::Heading => Role::Heading,
        Native::Landmark => Role::Region,
        Native::LevelBar => Role::LevelIndicator,
        Native::Link => Role::Link,
        Native::List => Role::List,
        Native::ListBox => Role::ListBox,
        Native::ListItem => Role::Option,
        Native::Log => Role::Log,
        Native::Marquee => Role::Marquee,
        Native::Math | Native::MathFraction | Native::MathRoot => Role::Math,
        Native::Menu | Native::PopupMenu => Role::Menu,
        Native::MenuBar => Role::MenuBar,
        Native::PageTab => Role::Tab,
        Native::PageTabList => Role::TabList,
        Native::Paragraph => Role::Paragraph,
        Native::ProgressBar => Role::ProgressBar,
        Native::RadioButton => Role::RadioButton,
        Native::Ruler => Role::Ruler,
        Native::ScrollBar => Role::ScrollBar,
        Native::ScrollPane | Native::Viewport => Role::ScrollArea,
        Native::Separator => Role::Separator,
        Native::SpinButton => Role::Incrementor,
        Native::StatusBar => Role::Status,
        Native::Table | Native::TreeTable => Role::Table,
        Native::TableRow => Role::Row,
        Native::Timer => Role::Timer,
        Native::ToolBar => Role::Toolbar,
        Native::ToolTip => Role::Tooltip,
        Native::Tree => Role::Outline,
        Native::TreeItem => Role::TreeItem,
        Native::Invalid | Native::FocusTraversable | Native::Unknown | Native::Extended | Native::RedundantObject => {
            Role::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of roles `atspi` 0.30 knows. `map` is exhaustive by the compiler; this pins that every
    /// number up to there has a name, so that a renumbering is noticed.
    const KNOWN: u32 = 130;

    #[test]
    fn every_native_role_is_mapped_and_named() {
        for number in 0..KNOWN {
            assert!(Native::try_from(number).is_ok(), "{number}");
            assert!(!role(number).1.is_empty(), "{number}");
        }
        assert_eq!(role(KNOWN), (Role::Unknown, format!("role {KNOWN}")));
    }

    #[test]
    fn unknown_is_a_decision_and_not_a_gap() {
        let unknown: Vec<u32> = (0..KNOWN).filter(|number| role(*number).0 == Role::Unknown).collect();
        let decided =
            [Native::Invalid, Native::FocusTraversable, Native::Unknown, Native::Extended, Native::RedundantObject];
        assert_eq!(unknown, decided.map(|native| native as u32));
    }
}
