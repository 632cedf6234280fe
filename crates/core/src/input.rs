//! Key combinations.

use std::fmt;
use std::str::FromStr;

use crate::error::{Code, Error};

/// A modifier key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Modifier {
    /// Control.
    Ctrl,
    /// Alt.
    Alt,
    /// Shift.
    Shift,
    /// The Super, Windows or Command key.
    Meta,
}

/// The key that is pressed while the modifiers are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// The key that types this character.
    Character(char),
    /// A key with a name.
    Named(NamedKey),
}

macro_rules! named_keys {
    ($($variant:ident => $($word:literal)|+;)*) => {
        /// A key that has a name instead of a character.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum NamedKey {
            $(#[doc = concat!("The key", $(" `", $word, "`",)+ ".")] $variant,)*
        }

        impl NamedKey {
            fn from_word(word: &str) -> Option<Self> {
                match word { $($($word)|+ => Some(NamedKey::$variant),)* _ => None }
            }

            /// Its first name.
            pub const fn token(self) -> &'static str {
                match self { $(NamedKey::$variant => named_keys!(@first $($word)|+),)* }
            }
        }
    };
    (@first $first:literal $(| $rest:literal)*) => { $first };
}

named_keys! {
    Return => "return" | "enter";
    Escape => "escape" | "esc";
    Tab => "tab";
    Space => "space";
    Backspace => "delete" | "backspace";
    ForwardDelete => "forwarddelete" | "del";
    Insert => "insert";
    Up => "up";
    Down => "down";
    Left => "left";
    Right => "right";
    Home => "home";
    End => "end";
    PageUp => "pageup";
    PageDown => "pagedown";
    Menu => "menu";
    Shift => "shift";
    Ctrl => "ctrl" | "control";
    Alt => "alt" | "option";
    Meta => "meta" | "cmd" | "command" | "super" | "win";
    F1 => "f1";
    F2 => "f2";
    F3 => "f3";
    F4 => "f4";
    F5 => "f5";
    F6 => "f6";
    F7 => "f7";
    F8 => "f8";
    F9 => "f9";
    F10 => "f10";
    F11 => "f11";
    F12 => "f12";
}

/// Characters that cannot stand between `+` signs or are easier to say than to quote in a shell.
const SPELLED: &[(&str, char)] = &[
    ("comma", ','),
    ("period", '.'),
    ("slash", '/'),
    ("semicolon", ';'),
    ("quote", '\''),
    ("leftbracket", '['),
    ("rightbracket", ']'),
    ("backslash", '\\'),
    ("minus", '-'),
    ("equal", '='),
    ("grave", '`'),
    ("plus", '+'),
];

/// A key together with the modifiers held while it is pressed, for example `ctrl+shift+s`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Chord {
    /// Each at most once, in the order in which they are pressed.
    pub modifiers: Vec<Modifier>,
    /// The key.
    pub key: Key,
}

impl FromStr for Chord {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |why: String| {
            Error::new(Code::InvalidArgs, format!("{} is not a key combination: {why}", crate::text::quote(text)))
                .kind("bad_chord")
                .suggest("write modifiers and one key joined with `+`, for example `ctrl+shift+s` or `alt+f10`")
        };
        let mut words: Vec<&str> = text.split('+').map(str::trim).collect();
        let last = words.pop().unwrap_or_default();
        let mut modifiers = Vec::new();
        for word in words {
            let modifier = match word.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => Modifier::Ctrl,
                "alt" | "option" => Modifier::Alt,
                "shift" => Modifier::Shift,
                "meta" | "cmd" | "command" | "super" | "win" => Modifier::Meta,
                _ => return Err(bad(format!("{} is not a modifier", crate::text::quote(word)))),
            };
            if modifiers.contains(&modifier) {
                return Err(bad(format!("{} stands twice", crate::text::quote(word))));
            }
            modifiers.push(modifier);
        }
        modifiers.sort_unstable();
        let word = last.to_ascii_lowercase();
        let spelled = SPELLED.iter().find(|(name, _)| *name == word).map(|(_, c)| *c);
        let mut characters = last.chars();
        let key = match (characters.next(), characters.next()) {
            (Some(c), None) if !c.is_control() && !c.is_whitespace() && !crate::text::is_invisible(c) => {
                Key::Character(c)
            }
            _ => match spelled {
                Some(c) => Key::Character(c),
                None => NamedKey::from_word(&word)
                    .map(Key::Named)
                    .ok_or_else(|| bad(format!("{} is not a key", crate::text::quote(last))))?,
            },
        };
        if let Key::Named(name) = key
            && modifiers.iter().any(|modifier| Chord::of_modifier(*modifier).key == Key::Named(name))
        {
            return Err(bad(format!("{} stands twice", crate::text::quote(last))));
        }
        Ok(Chord { modifiers, key })
    }
}

impl Key {
    /// The modifier that it is, if it is one.
    pub const fn as_modifier(self) -> Option<Modifier> {
        match self {
            Key::Named(NamedKey::Ctrl) => Some(Modifier::Ctrl),
            Key::Named(NamedKey::Alt) => Some(Modifier::Alt),
            Key::Named(NamedKey::Shift) => Some(Modifier::Shift),
            Key::Named(NamedKey::Meta) => Some(Modifier::Meta),
            Key::Named(_) | Key::Character(_) => None,
        }
    }
}

impl Modifier {
    /// The modifier of that name alone, as in `--modifiers ctrl`.
    ///
    /// # Errors
    /// `INVALID_ARGS` when no modifier is named so.
    pub fn named(word: &str) -> Result<Modifier, Error> {
        let key = NamedKey::from_word(&word.trim().to_ascii_lowercase()).map(Key::Named);
        key.and_then(Key::as_modifier).ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("{} is not a modifier", crate::text::quote(word)))
                .kind("bad_modifier")
                .suggest("the modifiers are `ctrl`, `alt`, `shift` and `meta`")
        })
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for modifier in &self.modifiers {
            f.write_str(match modifier {
                Modifier::Ctrl => "ctrl+",
                Modifier::Alt => "alt+",
                Modifier::Shift => "shift+",
                Modifier::Meta => "meta+",
            })?;
        }
        match self.key {
            Key::Named(key) => f.write_str(key.token()),
            Key::Character(c) => match SPELLED.iter().find(|(_, spelled)| *spelled == c) {
                Some((word, _)) => f.write_str(word),
                None => write!(f, "{c}"),
            },
        }
    }
}

impl Chord {
    /// A modifier by itself.
    pub fn of_modifier(modifier: Modifier) -> Chord {
        let key = match modifier {
            Modifier::Ctrl => NamedKey::Ctrl,
            Modifier::Alt => NamedKey::Alt,
            Modifier::Shift => NamedKey::Shift,
            Modifier::Meta => NamedKey::Meta,
        };
        Chord { modifiers: Vec::new(), key: Key::Named(key) }
    }

    /// What keys come to that are down at the same time, whoever pressed them and in whatever order: each that is no
    /// modifier, with every modifier.
    pub fn together<'c>(chords: impl IntoIterator<Item = &'c Chord>) -> Vec<Chord> {
        let (mut modifiers, mut keys) = (Vec::new(), Vec::new());
        for chord in chords {
            modifiers.extend(chord.modifiers.iter().copied());
            match chord.key.as_modifier() {
                Some(modifier) => modifiers.push(modifier),
                None => keys.push(chord.key),
            }
        }
        modifiers.sort_unstable();
        modifiers.dedup();
        if keys.is_empty() {
            return modifiers.into_iter().map(Chord::of_modifier).collect();
        }
        keys.into_iter().map(|key| Chord { modifiers: modifiers.clone(), key }).collect()
    }

    /// Why the combination is kept from agents: it closes, locks or switches things beyond the window that
    /// it is sent to. Any superset of the modifiers counts, since window managers ignore extra ones.
    pub fn protected(&self) -> Option<&'static str> {
        let has = |modifier| self.modifiers.contains(&modifier);
        let named = |key| self.key == Key::Named(key);
        let function =
            matches!(self.key, Key::Named(key) if key.token().starts_with('f') && key.token() != "forwarddelete");
        if has(Modifier::Alt) && named(NamedKey::F4) {
            return Some("it closes the window");
        }
        if has(Modifier::Alt) && (named(NamedKey::Tab) || named(NamedKey::Escape)) {
            return Some("it switches to another window");
        }
        if has(Modifier::Ctrl) && has(Modifier::Alt) {
            if named(NamedKey::Backspace) || named(NamedKey::ForwardDelete) {
                return Some("it ends the session");
            }
            if function {
                return Some("it switches to another console");
            }
        }
        if has(Modifier::Meta) || named(NamedKey::Meta) {
            return Some("combinations with this key belong to the desktop, not to the window");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> Chord {
        text.parse().expect(text)
    }

    #[test]
    fn order_case_and_aliases_do_not_matter() {
        assert_eq!(chord("Shift+CTRL+S").to_string(), "ctrl+shift+S");
        assert_eq!(chord("control+esc"), chord("ctrl+escape"));
        assert_eq!(chord("ctrl+plus").to_string(), "ctrl+plus");
        assert_eq!(chord("comma").to_string(), "comma");
        assert_eq!(chord("é").key, Key::Character('é'));
        assert_eq!(chord("Shift"), Chord::of_modifier(Modifier::Shift));
        assert_eq!(chord("ctrl+alt").to_string(), "ctrl+alt");
    }

    #[test]
    fn keys_that_are_down_together_are_judged_together() {
        let together = |texts: &[&str]| {
            let chords: Vec<Chord> = texts.iter().map(|text| chord(text)).collect();
            Chord::together(&chords).iter().map(Chord::to_string).collect::<Vec<_>>()
        };
        assert_eq!(together(&["f4", "alt"]), ["alt+f4"], "in whatever order they were pressed");
        assert_eq!(together(&["ctrl+alt", "f1", "shift+a"]), ["ctrl+alt+shift+f1", "ctrl+alt+shift+a"]);
        assert_eq!(together(&["shift", "ctrl"]), ["ctrl", "shift"]);
        assert!(together(&[]).is_empty());
    }

    #[test]
    fn what_is_no_combination_is_refused() {
        for text in ["", "+", "ctrl+", "ctrl+ctrl+a", "ctrl+control", "hyper+a", "ctrl+foo", "a+b", "\n", "ctrl+\u{7}"]
        {
            assert_eq!(text.parse::<Chord>().expect_err(text).code(), Code::InvalidArgs, "{text:?}");
        }
    }

    #[test]
    fn combinations_beyond_the_window_are_protected_whatever_else_is_held() {
        for text in [
            "alt+f4",
            "ctrl+alt+f4",
            "shift+alt+f4",
            "alt+tab",
            "ctrl+alt+del",
            "ctrl+alt+f1",
            "super+l",
            "cmd+q",
            "super",
        ] {
            assert!(chord(text).protected().is_some(), "{text}");
        }
        for text in ["ctrl+s", "alt+f", "f4", "ctrl+shift+tab", "ctrl+alt+t"] {
            assert!(chord(text).protected().is_none(), "{text}");
        }
    }
}
