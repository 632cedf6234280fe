//! Physical input, step by step.

use std::sync::atomic::Ordering;

use surehand_core::disposition::Delivery;
use surehand_core::stroke::{PointerButton, Stroke};
use surehand_core::{Error, Result};

use super::display::Display;

/// What a list of steps has pressed and not let go yet.
#[derive(Default)]
struct Down {
    keys: Vec<u8>,
    buttons: Vec<PointerButton>,
}

/// Keys go to whoever has the focus again when this goes.
struct Whoever<'d>(&'d Display);

impl Drop for Whoever<'_> {
    fn drop(&mut self) {
        self.0.expected.store(0, Ordering::Relaxed);
    }
}

impl Display {
    /// Carries out the steps in order and stops at the first that it cannot. What the steps before it had pressed
    /// is let go then.
    ///
    /// # Errors
    /// As the trait says; the detail `sent` tells how many steps were carried out.
    pub fn strike(&self, strokes: &[Stroke]) -> Result<()> {
        let mut down = Down::default();
        let _whoever = Whoever(self);
        for (sent, stroke) in strokes.iter().enumerate() {
            if let Err(error) = self.step(stroke, &mut down) {
                let something = strokes.iter().take(sent).any(|stroke| !matches!(stroke, Stroke::Expect(_)));
                return Err(self.abort(error, sent, something, &down));
            }
        }
        Ok(())
    }

    fn step(&self, stroke: &Stroke, down: &mut Down) -> Result<()> {
        match stroke {
            Stroke::Expect(window) => {
                // A handle that is no window's is one that nothing has.
                self.expected.store(u32::try_from(*window).unwrap_or(u32::MAX), Ordering::Relaxed);
                Ok(())
            }
            Stroke::Chord(chord) if down.keys.is_empty() => self.press(chord),
            // What these steps hold themselves is meant to be added to the combination.
            Stroke::Chord(chord) => {
                let codes = self.press_and_hold(chord)?;
                self.release_keys(&codes)
            }
            Stroke::Text(text) => self.type_text(text),
            Stroke::ChordDown(chord) => {
                down.keys.extend(self.press_and_hold(chord)?);
                Ok(())
            }
            Stroke::ChordUp(chord) => {
                self.let_go(chord)?;
                // Of what is still listed an abort lets go what is down.
                Ok(())
            }
            Stroke::MoveTo(point) => self.move_pointer(*point),
            Stroke::ButtonDown(button) => {
                self.press_button(*button)?;
                down.buttons.push(*button);
                Ok(())
            }
            Stroke::ButtonUp(button) => {
                self.release_button(*button)?;
                down.buttons.retain(|other| other != button);
                Ok(())
            }
            Stroke::Wheel { right, down } => self.turn_wheel(*right, *down),
        }
    }

    /// Lets go what is down, and says how far it got.
    fn abort(&self, error: Error, sent: usize, something: bool, down: &Down) -> Error {
        let error = match error.delivered() {
            Delivery::NotDelivered | Delivery::Unknown if something => error.delivery(Delivery::DeliveryUncertain),
            _ => error,
        };
        let error = error.detail("sent", sent);
        if down.keys.is_empty() && down.buttons.is_empty() {
            return error;
        }
        self.expected.store(0, Ordering::Relaxed);
        let buttons = down.buttons.iter().rev().map(|button| self.release_button(*button));
        let released = buttons.chain([self.release_keys(&down.keys)]).all(|result| result.is_ok());
        error.detail("released", released)
    }
}
