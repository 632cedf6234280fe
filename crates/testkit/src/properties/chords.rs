//! Key combinations.

use surehand_core::Code;
use surehand_core::input::{Chord, Key, Modifier};

use super::Source;

/// Words that combinations are made of, right and wrong.
const WORDS: &[&str] = &[
    "ctrl", "Control", "ALT", "option", "shift", "meta", "cmd", "super", "win", "f4", "f12", "f13", "escape", "del",
    "delete", "plus", "comma", "tab", "s", "S", "é", "", " ", "hyper", "space",
];

/// No text panics; what is read prints as what reads back the same; each modifier stands once; holding more keys
/// never lifts the protection of a combination.
pub fn chords(data: &[u8]) {
    let mut source = Source::new(data);
    let words: Vec<String> = (0..1 + source.below(5))
        .map(|_| if source.byte() < 220 { source.pick(WORDS).to_owned() } else { source.text(2) })
        .collect();
    one(&words.join("+"));
    one(&source.text(6));
    one(&String::from_utf8_lossy(source.rest()));
}

fn one(text: &str) {
    let chord: Chord = match text.parse() {
        Ok(chord) => chord,
        Err(error) => {
            let error: surehand_core::Error = error;
            assert_eq!(error.code(), Code::InvalidArgs, "{text:?}");
            return;
        }
    };
    let printed = chord.to_string();
    assert_eq!(printed.parse::<Chord>().ok().as_ref(), Some(&chord), "{text:?} prints as {printed:?}");
    assert!(chord.modifiers.windows(2).all(|two| two[0] < two[1]), "{chord:?}");
    if let Key::Character(c) = chord.key {
        assert!(!c.is_control() && !c.is_whitespace() && !surehand_core::text::is_invisible(c), "{chord:?}");
    }
    for more in [Modifier::Ctrl, Modifier::Alt, Modifier::Shift, Modifier::Meta] {
        let mut held = chord.clone();
        if !held.modifiers.contains(&more) {
            held.modifiers.push(more);
            assert!(chord.protected().is_none() || held.protected().is_some(), "{held} is let through");
        }
    }
}
