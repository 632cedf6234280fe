//! Pressing keys.
//!
//! The server takes fake keys through XTEST and treats them as the keyboard's. They would stay pressed if we
//! went away in between, so a combination is sent as one piece, presses and releases together, and what
//! arrives of it is all of it. Only what is to be held is pressed without its release.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use surehand_core::disposition::Delivery;
use surehand_core::input::Chord;
use surehand_core::{Code, Error, Result};
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::xkb::{self, ConnectionExt as _, GetMapReply, MapPart};
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT};
use x11rb::protocol::xtest::{self, ConnectionExt as _};

use super::display::Display;
use super::keymap::{KeySymbols, KeyType, KeyboardState, Keymap, LOCK, Strokes};

/// XKB's word for the keyboard that clients see.
const CORE_KEYBOARD: u16 = 0x100;
/// Devices that could be the XTEST keyboard: the server makes it right after its own two.
const XTEST_KEYBOARD: u16 = 5;
/// How long the keys that were released may take to be up: a program that holds the keyboard frozen while it
/// looks at a key delays it.
const RELEASE: Duration = Duration::from_millis(500);

/// The keyboard as fake keys meet it.
pub(super) struct Keyboard {
    /// Its layout.
    pub(super) keymap: Keymap,
    /// Group and locks.
    pub(super) state: KeyboardState,
    /// Whether a modifier is held, latched, or locked other than by caps lock and num lock.
    pub(super) is_busy: bool,
}

impl Display {
    /// Presses and releases the combination. When it returns the server has handled the keys; what gets them
    /// is up to the focus, which is not touched.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the keyboard has no such key in the layout that is active; nothing is remapped for
    /// it. `ACTION_FAILED`, not delivered, when somebody holds a key or a lock changes the meaning.
    /// `PLATFORM_NOT_SUPPORTED` when the server takes no fake keys.
    pub(super) fn press(&self, chord: &Chord) -> Result<()> {
        let keyboard = self.free_keyboard()?;
        let strokes = keyboard.keymap.strokes(chord, keyboard.state)?;
        self.check_free(&keyboard.keymap, &[strokes.key])?;
        self.send_and_release(std::slice::from_ref(&strokes))
    }

    /// Presses the combination and holds it. Returns the keys that went down, in their order.
    ///
    /// # Errors
    /// As [`Display::press`]; a modifier that is held already, as by an earlier call, is no obstacle unless it
    /// is one of the keys to press.
    pub(super) fn press_and_hold(&self, chord: &Chord) -> Result<Vec<u8>> {
        self.check_fake_keys()?;
        let keyboard = self.keyboard()?;
        let codes = keyboard.keymap.strokes(chord, keyboard.state)?.codes();
        let down = self.keys_down()?;
        if codes.iter().any(|code| is_down(&down, *code)) {
            return Err(held());
        }
        self.fake_all(codes.iter().map(|code| (KEY_PRESS_EVENT, *code)))?;
        Ok(codes)
    }

    /// Lets go the keys of a combination, those that are down.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the keyboard has no such key.
    pub(super) fn let_go(&self, chord: &Chord) -> Result<()> {
        self.check_fake_keys()?;
        let keyboard = self.keyboard()?;
        self.release_keys(&keyboard.keymap.strokes(chord, keyboard.state)?.codes())
    }

    /// Lets go those of these keys that are down, the last one first, and sees to it that they are up.
    pub(super) fn release_keys(&self, codes: &[u8]) -> Result<()> {
        let down = self.keys_down()?;
        let ours: Vec<u8> = codes.iter().rev().copied().filter(|code| is_down(&down, *code)).collect();
        // Letting go is right whoever has the focus by now.
        self.expected.store(0, Ordering::Relaxed);
        self.fake_all(ours.iter().map(|code| (KEY_RELEASE_EVENT, *code)))?;
        self.wait_until_released(&ours)
    }

    /// A keyboard on which nobody holds a modifier.
    pub(super) fn free_keyboard(&self) -> Result<Keyboard> {
        self.check_fake_keys()?;
        let keyboard = self.keyboard()?;
        // What is held would be added to ours, and so would sticky keys.
        if keyboard.is_busy { Err(held()) } else { Ok(keyboard) }
    }

    fn check_fake_keys(&self) -> Result<()> {
        for extension in [xtest::X11_EXTENSION_NAME, xkb::X11_EXTENSION_NAME] {
            if !self.has(extension)? {
                return Err(Error::new(Code::PlatformNotSupported, "the display takes no keys from programs")
                    .kind("no_extension")
                    .platform(format!("no {extension}")));
            }
        }
        Ok(())
    }

    /// The layout and the state that fake keys meet.
    pub(super) fn keyboard(&self) -> Result<Keyboard> {
        let c = &self.connection;
        let version = c.xkb_use_extension(1, 0).map_err(|fault| self.fault(fault))?;
        let device = c
            .xkb_get_device_info(XTEST_KEYBOARD, 0u16.into(), false, 0, 0, xkb::LedClass::DFLT_XI_CLASS, CORE_IDS)
            .map_err(|fault| self.fault(fault))?;
        let state = c.xkb_get_state(CORE_KEYBOARD).map_err(|fault| self.fault(fault))?;
        version.reply().map_err(|fault| self.fault(fault))?;
        // Fake keys are read by the layout of the device that sends them. The core keyboard shows the one of
        // whatever was used last, which need not be the same.
        let device = match device.reply() {
            Ok(info) if info.name.ends_with(b"XTEST keyboard") => XTEST_KEYBOARD,
            Ok(_) | Err(ReplyError::X11Error(_)) => CORE_KEYBOARD,
            Err(fault) => return Err(self.fault(fault)),
        };
        let full = MapPart::KEY_TYPES | MapPart::KEY_SYMS | MapPart::MODIFIER_MAP;
        let map = c
            .xkb_get_map(device, full, 0u16.into(), 0, 0, 0, 0, 0, 0, 0, 0, 0u16.into(), 0, 0, 0, 0, 0, 0)
            .map_err(|fault| self.fault(fault))?;
        let state = state.reply().map_err(|fault| self.fault(fault))?;
        let keymap = keymap(map.reply().map_err(|fault| self.fault(fault))?);
        let locked = u8::try_from(u16::from(state.locked_mods)).unwrap_or(0);
        let pending = u16::from(state.base_mods) | u16::from(state.latched_mods);
        let is_busy = pending != 0 || locked & !(LOCK | keymap.num_lock()) != 0;
        let group = usize::from(u8::from(state.group));
        Ok(Keyboard { keymap, state: KeyboardState { group, locked }, is_busy })
    }

    /// Refuses while a person holds a modifier, or one of the keys that are to be pressed.
    pub(super) fn check_free(&self, keymap: &Keymap, keys: &[u8]) -> Result<()> {
        let down = self.keys_down()?;
        let mut matter = keymap.modifier_keys().chain(keys.iter().copied());
        if matter.any(|code| is_down(&down, code)) { Err(held()) } else { Ok(()) }
    }

    fn keys_down(&self) -> Result<[u8; 32]> {
        let reply = self.connection.query_keymap().map_err(|fault| self.fault(fault))?;
        Ok(reply.reply().map_err(|fault| self.fault(fault))?.keys)
    }

    /// Presses and releases one combination after the other, and sees to it that all keys are up.
    pub(super) fn send_and_release(&self, strokes: &[Strokes]) -> Result<()> {
        let events = strokes.iter().flat_map(|strokes| {
            let codes = strokes.codes();
            let presses = codes.clone().into_iter().map(|code| (KEY_PRESS_EVENT, code));
            presses.chain(codes.into_iter().rev().map(|code| (KEY_RELEASE_EVENT, code)))
        });
        let outcome = self.fake_all(events);
        if matches!(&outcome, Err(error) if error.delivered() == Delivery::NotDelivered) {
            return outcome;
        }
        let mut codes: Vec<u8> = strokes.iter().flat_map(Strokes::codes).collect();
        codes.sort_unstable();
        codes.dedup();
        let released = self.wait_until_released(&codes);
        outcome?;
        released
    }

    /// Sends these at once. No other client gets in between: the server is ours from the look at the focus to the last
    /// key, and not longer.
    fn fake_all(&self, events: impl IntoIterator<Item = (u8, u8)>) -> Result<()> {
        let uncertain = |error: Error| error.delivery(Delivery::DeliveryUncertain);
        let ours = self.connection.grab_server().map_err(|fault| self.fault(fault))?;
        let reached = self.check_expected();
        let sent = match &reached {
            Ok(()) => self.queue(events).map_err(|fault| uncertain(self.fault(fault))),
            Err(_) => Ok(Vec::new()),
        };
        let free = self.connection.ungrab_server().map_err(|fault| uncertain(self.fault(fault)))?;
        let mut first = None;
        for request in [ours].into_iter().chain(sent?).chain([free]) {
            if let Err(fault) = request.check() {
                first.get_or_insert(fault);
            }
        }
        reached?;
        match first {
            None => Ok(()),
            Some(ReplyError::X11Error(error)) => {
                Err(uncertain(Error::new(Code::ActionFailed, "the display did not take every key"))
                    .kind("keys_refused")
                    .platform(super::display::name_of(&error)))
            }
            Some(fault) => Err(uncertain(self.fault(fault))),
        }
    }

    /// Goes on only where the window that is expected to have the keyboard, if any, has it. Asked while the server
    /// is ours: until the keys are sent nobody moves the focus.
    fn check_expected(&self) -> Result<()> {
        let expected = self.expected.load(Ordering::Relaxed);
        if expected == 0 || self.attention()?.keyboard == Some(u64::from(expected)) {
            return Ok(());
        }
        Err(Error::new(Code::PolicyDenied, "another window has the keyboard").kind("not_focused"))
    }

    fn queue(&self, events: impl IntoIterator<Item = (u8, u8)>) -> Result<Vec<Sent<'_>>, ConnectionError> {
        events.into_iter().map(|(kind, code)| self.fake(kind, code)).collect()
    }

    fn fake(&self, kind: u8, code: u8) -> Result<Sent<'_>, ConnectionError> {
        self.connection.xtest_fake_input(kind, code, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)
    }

    /// Sees to it that none of our keys stays down: waits for the releases that were sent, and sends them
    /// again when they had no effect.
    fn wait_until_released(&self, codes: &[u8]) -> Result<()> {
        let uncertain = |error: Error| error.delivery(Delivery::DeliveryUncertain);
        let until = (Instant::now() + RELEASE).min(self.connection.stream().until());
        loop {
            let down = self.keys_down().map_err(uncertain)?;
            let stuck: Vec<u8> = codes.iter().copied().filter(|code| is_down(&down, *code)).collect();
            if stuck.is_empty() {
                return Ok(());
            }
            if Instant::now() >= until {
                for code in stuck {
                    let again = self.fake(KEY_RELEASE_EVENT, code).map_err(|fault| uncertain(self.fault(fault)))?;
                    again.check().map_err(|fault| uncertain(self.fault(fault)))?;
                }
                return Err(uncertain(
                    Error::new(Code::ActionFailed, "keys were still down after they had been released")
                        .kind("keys_stuck"),
                ));
            }
            // No event tells a client that is not focused that a key went up.
            self.connection
                .stream()
                .readable_within(Duration::from_millis(2))
                .map_err(|fault| uncertain(self.fault(ConnectionError::IoError(fault))))?;
        }
    }
}

pub(super) type Sent<'c> =
    x11rb::cookie::VoidCookie<'c, x11rb::rust_connection::RustConnection<super::stream::Bounded>>;

/// XKB's word for a device's default feedback.
const CORE_IDS: u16 = 0x400;

pub(super) fn held() -> Error {
    Error::new(Code::ActionFailed, "a key is held on the keyboard, and would be added to what is pressed")
        .kind("keys_held")
        .suggest("try again when the keyboard is not being used")
}

fn is_down(keys: &[u8; 32], code: u8) -> bool {
    keys[usize::from(code / 8)] & 1 << (code % 8) != 0
}

/// The server's answer in our terms.
fn keymap(reply: GetMapReply) -> Keymap {
    let types = reply.map.types_rtrn.unwrap_or_default().into_iter().map(|kind| KeyType {
        mask: bits(kind.mods_mask),
        levels: kind.map.iter().filter(|entry| entry.active).map(|e| (bits(e.mods_mask), e.level)).collect(),
    });
    let codes = reply.first_key_sym..=u8::MAX;
    let keys = codes.zip(reply.map.syms_rtrn.unwrap_or_default()).map(|(code, symbols)| {
        let count = usize::from(symbols.group_info & 0x0f).min(symbols.kt_index.len());
        let width = usize::from(symbols.width).max(1);
        let groups = symbols.syms.chunks(width).zip(symbols.kt_index).take(count);
        let groups = groups.map(|(levels, kind)| (usize::from(kind), levels.to_vec())).collect();
        (code, KeySymbols { groups, group_info: symbols.group_info })
    });
    let modifiers =
        reply.map.modmap_rtrn.unwrap_or_default().into_iter().map(|entry| (entry.keycode, bits(entry.mods)));
    Keymap { types: types.collect(), keys: keys.collect(), modifiers: modifiers.collect() }
}

/// The eight modifier bits.
fn bits(mask: x11rb::protocol::xproto::ModMask) -> u8 {
    u8::try_from(u16::from(mask) & 0xff).unwrap_or(0)
}
