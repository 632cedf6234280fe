//! Typing text, whatever the layout of the keyboard.
//!
//! A character that no key types is bound to a spare key for a while. Programs read a key by the layout they
//! fetched last, and they fetch it when they handle the notice that it changed; who types before that, or takes
//! the binding away before the key was read, loses the character. Both are excluded here by order: everything a
//! piece of text needs is bound before its first key, under keys that stay bound, so that the notice stands
//! before all keys in every program's queue; and the binding is taken away only when the window has answered a
//! ping, which stands behind all keys in that queue.

use std::collections::BTreeMap;
use std::time::Duration;

use surehand_core::disposition::Delivery;
use surehand_core::{Code, Error, Result};
use xkeysym::Keysym;

use super::display::Display;
use super::keymap::Strokes;

/// So many characters are sent in one piece: nobody else's request gets in between, and nobody waits long for it.
const PIECE: usize = 64;

/// How long a window may take to answer that it has read the keys.
const ANSWER: Duration = Duration::from_secs(3);

/// How long a binding stays for a window that takes no pings.
const GRACE: Duration = Duration::from_millis(300);

impl Display {
    /// Types the text into whatever has the focus. When it returns, every key was sent, and a window that takes pings
    /// has read them.
    ///
    /// # Errors
    /// `INVALID_ARGS` for a character that cannot be typed. `ACTION_FAILED` when somebody holds a key or a lock
    /// changes the meaning; where `typed` says that characters were sent before, they may be there.
    pub(super) fn type_text(&self, text: &str) -> Result<()> {
        if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
            return Err(Error::new(Code::InvalidArgs, format!("the character U+{:04X} cannot be typed", c as u32))
                .kind("no_such_key"));
        }
        let mut typed = 0;
        let mut rest = text;
        while !rest.is_empty() {
            match self.type_piece(rest) {
                Ok(taken) => {
                    typed += rest[..taken].chars().count();
                    rest = &rest[taken..];
                }
                Err(error) if typed > 0 => {
                    return Err(error.delivery(Delivery::DeliveryUncertain).detail("typed", typed));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Types the beginning of the text, and returns its length in bytes.
    fn type_piece(&self, text: &str) -> Result<usize> {
        self.take_back_bindings()?;
        let keyboard = self.free_keyboard()?;
        let mut spare = keyboard.keymap.spare().into_iter();
        let mut bound: BTreeMap<char, u8> = BTreeMap::new();
        let mut strokes: Vec<Strokes> = Vec::new();
        let mut taken = 0;
        for c in text.chars().take(PIECE) {
            let stroke = match (keyboard.keymap.typing(c, keyboard.state)?, bound.get(&c)) {
                (Some(stroke), _) => stroke,
                (None, Some(code)) => Strokes { held: Vec::new(), key: *code },
                (None, None) => match spare.next() {
                    Some(code) => {
                        bound.insert(c, code);
                        Strokes { held: Vec::new(), key: code }
                    }
                    // The rest is for the next piece, when the keys are free again.
                    None if taken > 0 => break,
                    None => return Err(no_spare_key(c)),
                },
            };
            strokes.push(stroke);
            taken += c.len_utf8();
        }
        let keys: Vec<u8> = strokes.iter().map(|stroke| stroke.key).collect();
        self.check_free(&keyboard.keymap, &keys)?;
        if bound.is_empty() {
            self.send_and_release(&strokes)?;
            // Who goes on before the window has read the keys cannot tell what it holds.
            return self.wait_until_read().map(|_| taken);
        }
        let symbols: BTreeMap<u8, u32> = bound.iter().map(|(c, code)| (*code, Keysym::from_char(*c).raw())).collect();
        self.bind(&symbols)?;
        if !self.is_bound(&symbols)? {
            self.take_back_bindings()?;
            return Err(Error::new(Code::ActionFailed, "the keyboard does not take keys for characters it lacks")
                .kind("keymap_refused"));
        }
        if let Err(error) = self.send_and_release(&strokes) {
            if error.delivered() == Delivery::NotDelivered {
                self.take_back_bindings()?;
            }
            // Otherwise the window may still have keys to read, and the next call takes the bindings back.
            return Err(error);
        }
        if !self.wait_until_read()? {
            self.pause(GRACE)?;
        }
        self.take_back_bindings().map_err(|error| error.delivery(Delivery::DeliveryUncertain))?;
        Ok(taken)
    }

    /// Waits until the window has read the keys; `false` where it does not tell.
    fn wait_until_read(&self) -> Result<bool> {
        let answered = self.ping_focus(ANSWER).map_err(|error| error.delivery(Delivery::DeliveryUncertain))?;
        if answered == Some(false) {
            let why = "the window did not read the keys in time; part of the text may be there";
            return Err(Error::new(Code::AppUnresponsive, why)
                .kind("keys_not_read")
                .delivery(Delivery::DeliveryUncertain));
        }
        Ok(answered.is_some())
    }

    fn is_bound(&self, symbols: &BTreeMap<u8, u32>) -> Result<bool> {
        let keyboard = self.keyboard()?;
        Ok(symbols.iter().all(|(code, symbol)| keyboard.keymap.means(*code, *symbol, keyboard.state.group)))
    }
}

fn no_spare_key(c: char) -> Error {
    let c = surehand_core::text::quote(&c.to_string());
    Error::new(Code::InvalidArgs, format!("the keyboard cannot type {c}, and has no spare key for it"))
        .kind("no_such_key")
        .suggest("set the text of the field instead of typing it")
}
