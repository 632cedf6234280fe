//! The pointer: where it is put, its buttons and its wheel.

use std::time::{Duration, Instant};

use surehand_core::disposition::Delivery;
use surehand_core::geometry::Point;
use surehand_core::stroke::PointerButton;
use surehand_core::{Code, Error, Result};
use x11rb::errors::ConnectionError;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConnectionExt as _, KeyButMask, MOTION_NOTIFY_EVENT, QueryPointerReply,
};
use x11rb::protocol::xtest::{self, ConnectionExt as _};

use super::display::Display;

/// More notches than this in one turn are a mistake.
const MOST_NOTCHES: u32 = 1_000;

/// How long the pointer may be frozen by somebody who looks at a click before the others do.
const FROZEN: Duration = Duration::from_millis(1_000);

/// What the core protocol calls a turn of the wheel.
const WHEEL: [u8; 4] = [4, 5, 6, 7];

impl Display {
    /// Puts the pointer at a point of the screen, and makes sure that it is there.
    ///
    /// # Errors
    /// `INVALID_ARGS` outside of the screen. `ACTION_FAILED` when it does not stay there.
    pub(super) fn move_pointer(&self, point: Point) -> Result<()> {
        self.check_fake_pointer()?;
        let size = self.connection.get_geometry(self.root()).map_err(|fault| self.fault(fault))?;
        let size = size.reply().map_err(|fault| self.fault(fault))?;
        let within = |at: i32, length: u16| at >= 0 && at < i32::from(length);
        let (Ok(x), Ok(y)) = (i16::try_from(point.x), i16::try_from(point.y)) else { return Err(outside(point)) };
        if !within(point.x, size.width) || !within(point.y, size.height) {
            return Err(outside(point));
        }
        self.fake_pointer(MOTION_NOTIFY_EVENT, 0, (x, y))?;
        let until = (Instant::now() + FROZEN).min(self.connection.stream().until());
        let now = loop {
            let now = self.pointer()?;
            if (now.root_x, now.root_y) == (x, y) {
                return Ok(());
            }
            if Instant::now() >= until {
                break now;
            }
            self.wait_a_moment()?;
        };
        Err(Error::new(Code::ActionFailed, "the pointer is not where it was put: something moves or confines it")
            .kind("pointer_moved")
            .detail("pointer", Point { x: now.root_x.into(), y: now.root_y.into() })
            .delivery(Delivery::DeliveryUncertain))
    }

    /// Presses a button and holds it.
    ///
    /// # Errors
    /// `ACTION_FAILED` when it is down already.
    pub(super) fn press_button(&self, button: PointerButton) -> Result<()> {
        self.check_fake_pointer()?;
        if self.is_button_down(button)? {
            return Err(Error::new(Code::ActionFailed, "the button of the pointer is held down already")
                .kind("button_held")
                .suggest("try again when the pointer is not being used; `release-all` lets go what surehand holds"));
        }
        let physical = self.physical(logical(button))?;
        self.fake_pointer(BUTTON_PRESS_EVENT, physical, (0, 0))?;
        if self.wait_for_button(button, true)? {
            return Ok(());
        }
        // What comes of the press later is a click, and not a button that stays down.
        self.fake_pointer(BUTTON_RELEASE_EVENT, physical, (0, 0))?;
        Err(Error::new(
            Code::ActionFailed,
            "the button of the pointer did not go down: something holds the pointer frozen",
        )
        .kind("pointer_frozen")
        .delivery(Delivery::DeliveryUncertain))
    }

    /// Lets a button go, if it is down.
    pub(super) fn release_button(&self, button: PointerButton) -> Result<()> {
        if !self.is_button_down(button)? {
            return Ok(());
        }
        self.fake_pointer(BUTTON_RELEASE_EVENT, self.physical(logical(button))?, (0, 0))?;
        if self.wait_for_button(button, false)? {
            return Ok(());
        }
        Err(Error::new(Code::ActionFailed, "the button of the pointer is still down after it was let go")
            .kind("button_stuck")
            .delivery(Delivery::DeliveryUncertain))
    }

    /// Turns the wheel, to the right and down where positive.
    pub(super) fn turn_wheel(&self, right: i32, down: i32) -> Result<()> {
        self.check_fake_pointer()?;
        if right.unsigned_abs().max(down.unsigned_abs()) > MOST_NOTCHES {
            return Err(Error::new(Code::InvalidArgs, format!("a wheel is turned by at most {MOST_NOTCHES} notches")));
        }
        let [up_button, down_button, left_button, right_button] = WHEEL;
        let turns = [
            (if down < 0 { up_button } else { down_button }, down),
            (if right < 0 { left_button } else { right_button }, right),
        ];
        for (button, notches) in turns {
            if notches == 0 {
                continue;
            }
            let button = self.physical(button)?;
            for _ in 0..notches.unsigned_abs() {
                self.fake_pointer(BUTTON_PRESS_EVENT, button, (0, 0))?;
                self.fake_pointer(BUTTON_RELEASE_EVENT, button, (0, 0))?;
            }
        }
        Ok(())
    }

    fn check_fake_pointer(&self) -> Result<()> {
        if self.has(xtest::X11_EXTENSION_NAME)? {
            return Ok(());
        }
        Err(Error::new(Code::PlatformNotSupported, "the display takes no pointer from programs")
            .kind("no_extension")
            .platform(format!("no {}", xtest::X11_EXTENSION_NAME)))
    }

    fn pointer(&self) -> Result<QueryPointerReply> {
        let asked = self.connection.query_pointer(self.root()).map_err(|fault| self.fault(fault))?;
        asked.reply().map_err(|fault| self.fault(fault))
    }

    fn is_button_down(&self, button: PointerButton) -> Result<bool> {
        let mask = match button {
            PointerButton::Left => KeyButMask::BUTTON1,
            PointerButton::Middle => KeyButMask::BUTTON2,
            PointerButton::Right => KeyButMask::BUTTON3,
        };
        Ok(self.pointer()?.mask.contains(mask))
    }

    /// Waits until the button is down or up. A window manager that looks at a click first, to give the window the
    /// focus, keeps the pointer frozen until it has.
    fn wait_for_button(&self, button: PointerButton, down: bool) -> Result<bool> {
        let uncertain = |error: Error| error.delivery(Delivery::DeliveryUncertain);
        let until = (Instant::now() + FROZEN).min(self.connection.stream().until());
        while self.is_button_down(button).map_err(uncertain)? != down {
            if Instant::now() >= until {
                return Ok(false);
            }
            self.wait_a_moment()?;
        }
        Ok(true)
    }

    /// No event tells a client that asked for none what became of a button or the pointer.
    fn wait_a_moment(&self) -> Result<()> {
        let waited = self.connection.stream().readable_within(Duration::from_millis(2));
        waited
            .map(drop)
            .map_err(|fault| self.fault(ConnectionError::IoError(fault)).delivery(Delivery::DeliveryUncertain))
    }

    /// The button of the device that means this one: left-handed people have them exchanged.
    fn physical(&self, logical: u8) -> Result<u8> {
        let map = self.connection.get_pointer_mapping().map_err(|fault| self.fault(fault))?;
        let map = map.reply().map_err(|fault| self.fault(fault))?.map;
        let place = map.iter().position(|means| *means == logical).and_then(|index| u8::try_from(index + 1).ok());
        place.ok_or_else(|| {
            Error::new(Code::ActionNotSupported, format!("the pointer has no button that means {logical}"))
                .kind("no_such_button")
        })
    }

    fn fake_pointer(&self, kind: u8, detail: u8, (x, y): (i16, i16)) -> Result<()> {
        let uncertain = |error: Error| error.delivery(Delivery::DeliveryUncertain);
        let sent = self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root(), x, y, 0);
        let sent = sent.map_err(|fault| uncertain(self.fault(fault)))?;
        sent.check().map_err(|fault| uncertain(self.fault(fault)))
    }
}

const fn logical(button: PointerButton) -> u8 {
    match button {
        PointerButton::Left => 1,
        PointerButton::Middle => 2,
        PointerButton::Right => 3,
    }
}

fn outside(point: Point) -> Error {
    Error::new(Code::InvalidArgs, format!("the point {},{} is not on the screen", point.x, point.y))
        .kind("outside_screen")
        .suggest("`list-displays` tells where the screens are, in pixels of the whole desktop")
}
