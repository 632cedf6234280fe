//! Layouts made by hand, with the key codes that PC keyboards have.

use super::*;

const CTRL: u8 = 1 << 2;
const ALT: u8 = 1 << 3;
const NUM: u8 = 1 << 4;
const SUPER: u8 = 1 << 6;
const THIRD: u8 = 1 << 7;

// Indices into `types`.
const ONE: usize = 0;
const TWO: usize = 1;
const LETTER: usize = 2;
const FOUR: usize = 3;
const FOUR_LETTER: usize = 4;

fn bare() -> Keymap {
    let four = |more: &[(u8, u8)]| {
        let mut levels = vec![(SHIFT, 1), (THIRD, 2), (SHIFT | THIRD, 3)];
        levels.extend_from_slice(more);
        levels
    };
    let types = vec![
        KeyType { mask: 0, levels: vec![] },
        KeyType { mask: SHIFT, levels: vec![(SHIFT, 1)] },
        KeyType { mask: SHIFT | LOCK, levels: vec![(SHIFT, 1), (LOCK, 1)] },
        KeyType { mask: SHIFT | THIRD, levels: four(&[]) },
        KeyType {
            mask: SHIFT | LOCK | THIRD,
            levels: four(&[(LOCK, 1), (LOCK | THIRD, 2), (SHIFT | LOCK | THIRD, 3)]),
        },
    ];
    let mut map = Keymap { types, ..Keymap::default() };
    for (code, symbol, bits) in [
        (50, key::Shift_L, SHIFT),
        (62, key::Shift_R, SHIFT),
        (66, key::Caps_Lock, LOCK),
        (37, key::Control_L, CTRL),
        (64, key::Alt_L, ALT),
        (77, key::Num_Lock, NUM),
        (133, key::Super_L, SUPER),
    ] {
        put(&mut map, code, ONE, &[symbol]);
        map.modifiers.insert(code, bits);
    }
    put(&mut map, 36, ONE, &[key::Return]);
    put(&mut map, 23, TWO, &[key::Tab, key::ISO_Left_Tab]);
    put(&mut map, 87, TWO, &[key::KP_End, key::KP_1]);
    map
}

fn put(map: &mut Keymap, code: u8, kind: usize, symbols: &[u32]) {
    map.keys.entry(code).or_default().groups.push((kind, symbols.to_vec()));
}

fn typed(text: &str) -> Vec<u32> {
    text.chars().map(|c| Keysym::from_char(c).raw()).collect()
}

fn us() -> Keymap {
    let mut map = bare();
    put(&mut map, 10, TWO, &typed("1!"));
    put(&mut map, 24, LETTER, &typed("qQ"));
    put(&mut map, 39, LETTER, &typed("sS"));
    put(&mut map, 61, TWO, &typed("/?"));
    map
}

fn german() -> Keymap {
    let mut map = bare();
    put(&mut map, 108, ONE, &[key::ISO_Level3_Shift]);
    map.modifiers.insert(108, THIRD);
    put(&mut map, 24, FOUR_LETTER, &typed("qQ@Ω"));
    put(&mut map, 26, FOUR_LETTER, &typed("eE€€"));
    put(&mut map, 39, FOUR_LETTER, &typed("sSſẞ"));
    put(&mut map, 16, FOUR, &typed("7/{⅞"));
    put(&mut map, 20, FOUR, &typed("ß?\\¿"));
    put(&mut map, 34, FOUR_LETTER, &typed("üÜ¨°"));
    map
}

fn strokes(map: &Keymap, chord: &str, state: KeyboardState) -> Result<(Vec<u8>, u8)> {
    map.strokes(&chord.parse().expect(chord), state).map(|strokes| (strokes.held, strokes.key))
}

fn plain(map: &Keymap, chord: &str) -> (Vec<u8>, u8) {
    strokes(map, chord, KeyboardState::default()).expect(chord)
}

#[test]
fn an_american_keyboard() {
    let map = us();
    assert_eq!(plain(&map, "s"), (vec![], 39));
    assert_eq!(plain(&map, "S"), (vec![50], 39));
    assert_eq!(plain(&map, "?"), (vec![50], 61));
    assert_eq!(plain(&map, "ctrl+s"), (vec![37], 39));
    assert_eq!(plain(&map, "ctrl+S"), (vec![37], 39));
    assert_eq!(plain(&map, "shift+s"), (vec![50], 39));
    assert_eq!(plain(&map, "shift+S"), (vec![50], 39));
    assert_eq!(plain(&map, "ctrl+shift+s"), (vec![37, 50], 39));
    assert_eq!(plain(&map, "ctrl+?"), (vec![37, 50], 61));
    assert_eq!(plain(&map, "shift+tab"), (vec![50], 23));
    assert_eq!(plain(&map, "alt+return"), (vec![64], 36));
    assert_eq!(plain(&map, "super+q"), (vec![133], 24));
    // Not the number pad's, which is another key to programs.
    assert_eq!(plain(&map, "1"), (vec![], 10));
}

#[test]
fn a_german_keyboard() {
    let map = german();
    assert_eq!(plain(&map, "@"), (vec![108], 24));
    assert_eq!(plain(&map, "?"), (vec![50], 20));
    assert_eq!(plain(&map, "/"), (vec![50], 16));
    assert_eq!(plain(&map, "backslash"), (vec![108], 20));
    assert_eq!(plain(&map, "¿"), (vec![50, 108], 20));
    assert_eq!(plain(&map, "€"), (vec![108], 26));
    assert_eq!(plain(&map, "Ü"), (vec![50], 34));
    assert_eq!(plain(&map, "ctrl+Ü"), (vec![37], 34));
    assert_eq!(plain(&map, "ctrl+alt+@"), (vec![37, 64, 108], 24));
}

#[test]
fn what_cannot_be_typed_is_said() {
    for (map, chord) in [(us(), "é"), (us(), "@"), (us(), "ctrl+ß"), (german(), "é"), (us(), "f13x"), (us(), "f1")] {
        let Ok(chord) = chord.parse::<Chord>() else {
            continue;
        };
        let error = map.strokes(&chord, KeyboardState::default()).expect_err("not on this keyboard");
        assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("no_such_key")), "{chord}");
    }
    let mut map = us();
    map.modifiers.remove(&133);
    assert_eq!(strokes(&map, "super+q", KeyboardState::default()).expect_err("no super").code(), Code::InvalidArgs);
}

#[test]
fn locks_refuse_only_what_they_change() {
    let caps = KeyboardState { group: 0, locked: LOCK };
    for (map, chord) in [(us(), "s"), (us(), "S"), (us(), "ctrl+s"), (us(), "ctrl+shift+s"), (german(), "ü")] {
        assert_eq!(strokes(&map, chord, caps).expect_err(chord).kind_of(), Some("lock_active"), "{chord}");
    }
    for (map, chord) in [(us(), "?"), (us(), "1"), (us(), "return"), (german(), "@"), (german(), "/")] {
        assert!(strokes(&map, chord, caps).is_ok(), "{chord}");
    }
    // A letter on a key that does not heed the lock is made a capital by the program.
    let mut map = us();
    put(&mut map, 11, TWO, &typed("äÄ"));
    assert_eq!(strokes(&map, "ä", caps).expect_err("ä").kind_of(), Some("lock_active"));
    let num = KeyboardState { group: 0, locked: NUM };
    for chord in ["s", "S", "ctrl+s", "1"] {
        assert!(strokes(&us(), chord, num).is_ok(), "{chord}");
    }
    assert_eq!(us().num_lock(), NUM);
}

#[test]
fn the_active_group_decides() {
    let mut map = us();
    let russian = |symbols: &mut KeySymbols, text: &str| symbols.groups.push((LETTER, typed(text)));
    russian(map.keys.get_mut(&24).expect("q"), "йЙ");
    russian(map.keys.get_mut(&39).expect("s"), "ыЫ");
    let second = KeyboardState { group: 1, locked: 0 };
    assert_eq!(strokes(&map, "Ы", second).expect("Ы"), (vec![50], 39));
    assert!(strokes(&map, "s", second).is_err());
    assert!(strokes(&map, "ы", KeyboardState::default()).is_err());
    // Keys with one group keep it in every group, and a third group wraps around to the first.
    assert_eq!(strokes(&map, "?", second).expect("?"), (vec![50], 61));
    assert_eq!(strokes(&map, "s", KeyboardState { group: 2, locked: 0 }).expect("s"), (vec![], 39));
}
