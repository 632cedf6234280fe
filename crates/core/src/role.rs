//! The closed list of role words.
//!
//! They are ARIA names where ARIA has one, and the names that the comparable tool's callers already know for
//! the rest. Adapters map their platform's roles onto these in one table; what is not mapped is
//! [`Role::Unknown`], which is a positive statement.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($variant:ident => $token:literal;)*) => {
        /// What an element is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Role {
            $(#[doc = concat!("The role `", $token, "`.")] $variant,)*
        }

        impl Role {
            /// Every role, alphabetically, `unknown` last.
            pub const ALL: &'static [Role] = &[$(Role::$variant),*];

            /// The word for it.
            pub const fn token(self) -> &'static str {
                match self { $(Role::$variant => $token,)* }
            }
        }
    };
}

roles! {
    Alert => "alert";
    AlertDialog => "alertdialog";
    Application => "application";
    Article => "article";
    Banner => "banner";
    Browser => "browser";
    Button => "button";
    Cell => "cell";
    CheckBox => "checkbox";
    ColorWell => "colorwell";
    Column => "column";
    ComboBox => "combobox";
    Complementary => "complementary";
    ContentInfo => "contentinfo";
    DateField => "datefield";
    Definition => "definition";
    Dialog => "dialog";
    Disclosure => "disclosure";
    DockItem => "dockitem";
    Document => "document";
    Drawer => "drawer";
    Form => "form";
    Grid => "grid";
    Group => "group";
    Handle => "handle";
    Heading => "heading";
    HelpTag => "helptag";
    Image => "image";
    Incrementor => "incrementor";
    LayoutItem => "layoutitem";
    LevelIndicator => "levelindicator";
    Link => "link";
    List => "list";
    ListBox => "listbox";
    Log => "log";
    Main => "main";
    Marquee => "marquee";
    Matte => "matte";
    Math => "math";
    Menu => "menu";
    MenuBar => "menubar";
    MenuButton => "menubutton";
    MenuItem => "menuitem";
    Navigation => "navigation";
    Note => "note";
    Option => "option";
    Outline => "outline";
    Paragraph => "paragraph";
    Popover => "popover";
    ProgressBar => "progressbar";
    RadioButton => "radiobutton";
    RadioGroup => "radiogroup";
    Region => "region";
    RelevanceIndicator => "relevanceindicator";
    Row => "row";
    Ruler => "ruler";
    RulerMarker => "rulermarker";
    ScrollArea => "scrollarea";
    ScrollBar => "scrollbar";
    Search => "search";
    Separator => "separator";
    Sheet => "sheet";
    Slider => "slider";
    Splitter => "splitter";
    StaticText => "statictext";
    Status => "status";
    Switch => "switch";
    Tab => "tab";
    TabList => "tablist";
    TabPanel => "tabpanel";
    Table => "table";
    TextField => "textfield";
    Term => "term";
    TimeField => "timefield";
    Timer => "timer";
    Toolbar => "toolbar";
    Tooltip => "tooltip";
    TreeItem => "treeitem";
    WebArea => "webarea";
    Window => "window";
    Unknown => "unknown";
}

/// Words that callers use for a role and that mean one of ours.
pub const SYNONYMS: &[(&str, Role)] = &[
    ("gridcell", Role::Cell),
    ("img", Role::Image),
    ("radio", Role::RadioButton),
    ("searchbox", Role::TextField),
    ("searchfield", Role::TextField),
    ("spinbutton", Role::Incrementor),
    ("textarea", Role::TextField),
    ("textbox", Role::TextField),
    ("togglebutton", Role::Button),
    ("tree", Role::Outline),
];

impl Role {
    /// Whether an element of this role gets a ref because of what it is, whatever actions it offers.
    pub const fn is_interactive(self) -> bool {
        matches!(
            self,
            Role::Button
                | Role::Cell
                | Role::CheckBox
                | Role::ColorWell
                | Role::ComboBox
                | Role::DockItem
                | Role::Incrementor
                | Role::Link
                | Role::ListBox
                | Role::MenuButton
                | Role::MenuItem
                | Role::Option
                | Role::RadioButton
                | Role::Slider
                | Role::Switch
                | Role::Tab
                | Role::TextField
                | Role::TreeItem
        )
    }

    /// Whether the role is about a number in a range, which only the platform's value interface commits.
    pub const fn is_range(self) -> bool {
        matches!(self, Role::Incrementor | Role::Slider | Role::ScrollBar | Role::Splitter | Role::LevelIndicator)
    }

    /// Whether the text of the element is what it holds, not what it is called.
    pub const fn holds_text(self) -> bool {
        matches!(
            self,
            Role::TextField | Role::ComboBox | Role::DateField | Role::TimeField | Role::Document | Role::ListBox
        )
    }

    /// Whether a click switches it between on and off, so that the state before and after tells what happened.
    pub const fn is_toggleable(self) -> bool {
        matches!(self, Role::CheckBox | Role::Switch | Role::RadioButton)
    }
}

/// Written by hand, because a derived schema spends a line on each word that only repeats the word.
impl JsonSchema for Role {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Role".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<_> = Role::ALL.iter().map(|role| role.token()).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Role::ALL
            .iter()
            .copied()
            .find(|role| role.token() == word)
            .or_else(|| SYNONYMS.iter().find(|(synonym, _)| *synonym == word).map(|(_, role)| *role))
            .ok_or_else(|| {
                let words: Vec<_> = Role::ALL.iter().map(|role| role.token()).collect();
                format!("{} is not a role; the roles are {}", crate::text::quote(word), words.join(", "))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_serialises_as_itself() {
        for role in Role::ALL {
            assert_eq!(role.token().parse::<Role>().as_ref(), Ok(role));
            assert_eq!(serde_json::to_string(role).ok(), Some(format!("\"{role}\"")));
        }
        assert_eq!(Role::ALL.len(), 81);
    }

    #[test]
    fn synonyms_are_no_words_of_our_own() {
        for (synonym, role) in SYNONYMS {
            assert!(Role::ALL.iter().all(|role| role.token() != *synonym));
            assert_eq!(synonym.parse::<Role>().as_ref(), Ok(role));
        }
    }
}
