//! The keyboard's layout: which key types what, with which modifiers held.
//!
//! It is the layout in XKB's own terms, since only there the levels of every group can be told apart: a key
//! has groups (layouts), a group has levels, and the group's type says which modifiers lead to which level.

use std::collections::BTreeMap;

use surehand_core::input::{Chord, Key, Modifier, NamedKey};
use surehand_core::{Code, Error, Result};
use xkeysym::{Keysym, key};

/// Bits of the modifiers that every keyboard has in the same place.
pub(super) const SHIFT: u8 = 1 << 0;
/// Caps lock.
pub(super) const LOCK: u8 = 1 << 1;

/// How the levels of a group are chosen.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyType {
    /// The modifiers that matter; others are ignored.
    pub(super) mask: u8,
    /// Which exact set of those leads to which level; any other set leads to level 0.
    pub(super) levels: Vec<(u8, u8)>,
}

impl KeyType {
    fn level(&self, held: u8) -> usize {
        let held = held & self.mask;
        self.levels.iter().find(|(mods, _)| *mods == held).map_or(0, |(_, level)| usize::from(*level))
    }
}

/// One key.
#[derive(Debug, Clone, Default)]
pub(super) struct KeySymbols {
    /// For each group its type and what its levels mean.
    pub(super) groups: Vec<(usize, Vec<u32>)>,
    /// What happens in groups that the key does not have: XKB's `groupInfo`.
    pub(super) group_info: u8,
}

impl KeySymbols {
    fn group(&self, group: usize) -> Option<&(usize, Vec<u32>)> {
        let last = self.groups.len().checked_sub(1)?;
        let index = match self.group_info & 0xc0 {
            _ if group <= last => group,
            0x40 => last,
            0x80 => Some(usize::from(self.group_info >> 4 & 3)).filter(|to| *to <= last).unwrap_or(0),
            _ => group % (last + 1),
        };
        self.groups.get(index)
    }
}

/// A whole keyboard.
#[derive(Debug, Clone, Default)]
pub(super) struct Keymap {
    /// The types that keys refer to.
    pub(super) types: Vec<KeyType>,
    /// The keys by their codes.
    pub(super) keys: BTreeMap<u8, KeySymbols>,
    /// The modifier bits that each key sets.
    pub(super) modifiers: BTreeMap<u8, u8>,
}

/// The state that keys are pressed in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyboardState {
    /// The group in effect, from 0.
    pub(super) group: usize,
    /// The modifiers that are locked, caps lock and num lock among them.
    pub(super) locked: u8,
}

/// What to press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Strokes {
    /// Keys to hold, in this order.
    pub(super) held: Vec<u8>,
    /// The key to press while they are held.
    pub(super) key: u8,
}

impl Strokes {
    /// The keys in the order in which they go down.
    pub(super) fn codes(&self) -> Vec<u8> {
        self.held.iter().copied().chain([self.key]).collect()
    }
}

impl Keymap {
    /// The keys that make up the combination in this state.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the keyboard has no such key or cannot type the character, `ACTION_FAILED` when a
    /// lock such as caps lock would make something else of it.
    pub(super) fn strokes(&self, chord: &Chord, state: KeyboardState) -> Result<Strokes> {
        let mut held = Vec::new();
        let mut bits = 0;
        for modifier in &chord.modifiers {
            let (code, bit) = self.modifier(*modifier)?;
            if !held.contains(&code) {
                held.push(code);
            }
            bits |= bit;
        }
        let code = match chord.key {
            Key::Named(name) => match modifier_of(name) {
                Some(modifier) => self.modifier(modifier)?.0,
                None => self.named(name, state)?,
            },
            Key::Character(c) => {
                let commands = chord.modifiers.iter().any(|modifier| *modifier != Modifier::Shift);
                // `ctrl+S` names the key, as menus print it; it does not ask for shift.
                let c = if commands { lower(c) } else { c };
                let (code, extra) = self.character(c, state)?;
                for (code, bit) in extra {
                    if !held.contains(&code) {
                        held.push(code);
                    }
                    bits |= bit;
                }
                self.check_locks(code, bits, c, state)?;
                code
            }
        };
        Ok(Strokes { held, key: code })
    }

    /// The keys that type the character in this state; none where no key does.
    ///
    /// # Errors
    /// `ACTION_FAILED` when a lock would make something else of it.
    pub(super) fn typing(&self, c: char, state: KeyboardState) -> Result<Option<Strokes>> {
        let key = match c {
            '\n' => Some(NamedKey::Return),
            '\t' => Some(NamedKey::Tab),
            _ => None,
        };
        if let Some(name) = key {
            return Ok(Some(Strokes { held: Vec::new(), key: self.named(name, state)? }));
        }
        let Ok((key, extra)) = self.character(c, state) else {
            return if state.locked & LOCK != 0 && lower(c) != upper(c) { Err(lock_on(state)) } else { Ok(None) };
        };
        let bits = extra.iter().fold(0, |bits, (_, bit)| bits | bit);
        self.check_locks(key, bits, c, state)?;
        Ok(Some(Strokes { held: extra.into_iter().map(|(code, _)| code).collect(), key }))
    }

    /// The keys that mean nothing, from the highest code down: physical keyboards have keys at low codes.
    pub(super) fn spare(&self) -> Vec<u8> {
        let means_nothing =
            |symbols: &KeySymbols| symbols.groups.iter().all(|(_, levels)| levels.iter().all(|symbol| *symbol == 0));
        let is_modifier = |code: &u8| self.modifiers.get(code).is_some_and(|bits| *bits != 0);
        let keys = self.keys.iter().rev().filter(|(_, symbols)| means_nothing(symbols));
        keys.map(|(code, _)| *code).filter(|code| !is_modifier(code)).collect()
    }

    /// Whether the key means exactly this in the group, with shift and without.
    pub(super) fn means(&self, code: u8, symbol: u32, group: usize) -> bool {
        self.symbol(code, group, 0) == Some(symbol) && self.symbol(code, group, SHIFT) == Some(symbol)
    }

    /// Every modifier key, for seeing whether one is held.
    pub(super) fn modifier_keys(&self) -> impl Iterator<Item = u8> {
        self.modifiers.iter().filter(|(_, bits)| **bits != 0).map(|(code, _)| *code)
    }

    /// The modifier bit that num lock sets, if any.
    pub(super) fn num_lock(&self) -> u8 {
        self.key_setting(&[key::Num_Lock], |_| true).map_or(0, |(_, bit)| bit)
    }

    fn modifier(&self, modifier: Modifier) -> Result<(u8, u8)> {
        let other = |bit: u8| bit & (SHIFT | LOCK | 1 << 2) == 0;
        let found = match modifier {
            Modifier::Shift => self.key_setting(&[key::Shift_L, key::Shift_R], |bit| bit == SHIFT),
            Modifier::Ctrl => self.key_setting(&[key::Control_L, key::Control_R], |bit| bit == 1 << 2),
            Modifier::Alt => self.key_setting(&[key::Alt_L, key::Alt_R, key::Meta_L, key::Meta_R], other),
            Modifier::Meta => self.key_setting(&[key::Super_L, key::Super_R], other),
        };
        found.ok_or_else(|| no_key(&format!("the keyboard has no key for the modifier {modifier:?}").to_lowercase()))
    }

    /// The first key that means one of the symbols, in their order, and sets a modifier bit that will do.
    fn key_setting(&self, symbols: &[u32], will_do: impl Fn(u8) -> bool) -> Option<(u8, u8)> {
        symbols.iter().find_map(|symbol| {
            self.modifiers.iter().find_map(|(code, bits)| {
                let bit = *bits;
                let means = self.keys.get(code)?.groups.first()?.1.first() == Some(symbol);
                (means && bit.count_ones() == 1 && will_do(bit)).then_some((*code, bit))
            })
        })
    }

    fn named(&self, name: NamedKey, state: KeyboardState) -> Result<u8> {
        let wanted = symbol_of(name);
        self.keys
            .iter()
            .find(|(_, symbols)| symbols.group(state.group).is_some_and(|(_, levels)| levels.first() == Some(&wanted)))
            .map(|(code, _)| *code)
            .ok_or_else(|| no_key(&format!("the keyboard has no key {}", name.token())))
    }

    /// The key that types the character and the modifier keys it needs: as few as possible.
    fn character(&self, c: char, state: KeyboardState) -> Result<(u8, Vec<(u8, u8)>)> {
        let shift = self.key_setting(&[key::Shift_L, key::Shift_R], |bit| bit == SHIFT);
        let third = self.key_setting(&[key::ISO_Level3_Shift], |bit| bit & (SHIFT | LOCK) == 0);
        let ways =
            [Some(vec![]), shift.map(|s| vec![s]), third.map(|t| vec![t]), shift.zip(third).map(|(s, t)| vec![s, t])];
        for extra in ways.into_iter().flatten() {
            let bits = extra.iter().fold(0, |bits, (_, bit)| bits | bit);
            for code in self.keys.keys() {
                if self.symbol(*code, state.group, bits).is_some_and(|symbol| types(symbol, c)) {
                    return Ok((*code, extra));
                }
            }
        }
        Err(no_key(&format!(
            "the keyboard cannot type {} in the layout that is active now",
            surehand_core::text::quote(&c.to_string())
        ))
        .suggest("set the text of the field instead of typing it"))
    }

    fn symbol(&self, code: u8, group: usize, held: u8) -> Option<u32> {
        let (index, levels) = self.keys.get(&code)?.group(group)?;
        let level = self.types.get(*index)?.level(held);
        levels.get(level).copied().filter(|symbol| *symbol != 0)
    }

    /// Refuses where a lock changes what the key means.
    fn check_locks(&self, code: u8, held: u8, c: char, state: KeyboardState) -> Result<()> {
        let free = self.symbol(code, state.group, held);
        let locked = self.symbol(code, state.group, held | state.locked);
        let heeds_lock = self
            .keys
            .get(&code)
            .and_then(|symbols| symbols.group(state.group))
            .and_then(|(index, _)| self.types.get(*index))
            .is_some_and(|kind| kind.mask & LOCK != 0);
        // Where the key itself does not heed caps lock, the program that gets it makes a capital of it.
        let capital = state.locked & LOCK != 0 && !heeds_lock && lower(c) != upper(c);
        if free == locked && !capital {
            return Ok(());
        }
        Err(lock_on(state))
    }
}

fn lock_on(state: KeyboardState) -> Error {
    let which = if state.locked & LOCK != 0 { "caps lock is on" } else { "a lock of the keyboard is on" };
    Error::new(Code::ActionFailed, format!("{which}, so the keys would mean something else"))
        .kind("lock_active")
        .suggest("turn the lock off, or set the text of the field instead of typing it")
}

/// The modifier that a named key is.
const fn modifier_of(name: NamedKey) -> Option<Modifier> {
    match name {
        NamedKey::Shift => Some(Modifier::Shift),
        NamedKey::Ctrl => Some(Modifier::Ctrl),
        NamedKey::Alt => Some(Modifier::Alt),
        NamedKey::Meta => Some(Modifier::Meta),
        _ => None,
    }
}

fn no_key(message: &str) -> Error {
    Error::new(Code::InvalidArgs, message).kind("no_such_key")
}

/// Whether a key that means the symbol types the character. Keys of the number pad do not count: what they
/// mean depends on num lock and programs tell them from the others.
fn types(symbol: u32, c: char) -> bool {
    let symbol = Keysym::new(symbol);
    !symbol.is_keypad_key() && (symbol == Keysym::from_char(c) || symbol.key_char() == Some(c))
}

/// The small letter, where there is exactly one.
fn lower(c: char) -> char {
    single(c.to_lowercase()).unwrap_or(c)
}

fn upper(c: char) -> char {
    single(c.to_uppercase()).unwrap_or(c)
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.next().filter(|_| chars.next().is_none())
}

const fn symbol_of(name: NamedKey) -> u32 {
    match name {
        NamedKey::Return => key::Return,
        NamedKey::Escape => key::Escape,
        NamedKey::Tab => key::Tab,
        NamedKey::Space => key::space,
        NamedKey::Backspace => key::BackSpace,
        NamedKey::ForwardDelete => key::Delete,
        NamedKey::Insert => key::Insert,
        NamedKey::Up => key::Up,
        NamedKey::Down => key::Down,
        NamedKey::Left => key::Left,
        NamedKey::Right => key::Right,
        NamedKey::Home => key::Home,
        NamedKey::End => key::End,
        NamedKey::PageUp => key::Page_Up,
        NamedKey::PageDown => key::Page_Down,
        NamedKey::Menu => key::Menu,
        NamedKey::Shift => key::Shift_L,
        NamedKey::Ctrl => key::Control_L,
        NamedKey::Alt => key::Alt_L,
        NamedKey::Meta => key::Super_L,
        NamedKey::F1 => key::F1,
        NamedKey::F2 => key::F2,
        NamedKey::F3 => key::F3,
        NamedKey::F4 => key::F4,
        NamedKey::F5 => key::F5,
        NamedKey::F6 => key::F6,
        NamedKey::F7 => key::F7,
        NamedKey::F8 => key::F8,
        NamedKey::F9 => key::F9,
        NamedKey::F10 => key::F10,
        NamedKey::F11 => key::F11,
        NamedKey::F12 => key::F12,
    }
}

#[cfg(test)]
#[path = "keymap_tests.rs"]
mod tests;
