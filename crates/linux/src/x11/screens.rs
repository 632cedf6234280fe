//! The screens, and how much is enlarged on them.

use surehand_core::Result;
use surehand_core::display::Display as Screen;
use surehand_core::geometry::Rect;
use x11rb::protocol::randr::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};

use super::display::Display;

/// Settings and resources longer than this, in units of four bytes, are not read.
const LONGEST: u32 = 64 << 10;

impl Display {
    /// The screens, the primary one first, then from left to right and top to bottom.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub fn screens(&self) -> Result<Vec<Screen>> {
        let scale = self.scale()?;
        let mut screens = self.monitors(scale)?;
        if screens.is_empty() {
            let size = self.connection.get_geometry(self.root()).map_err(|fault| self.fault(fault))?;
            let size = size.reply().map_err(|fault| self.fault(fault))?;
            let bounds = Rect { x: 0, y: 0, width: size.width.into(), height: size.height.into() };
            screens.push(Screen { id: "screen".into(), bounds, is_primary: true, scale });
        }
        if !screens.iter().any(|screen| screen.is_primary)
            && let Some(first) = screens.iter_mut().min_by_key(|screen| (screen.bounds.x, screen.bounds.y))
        {
            first.is_primary = true;
        }
        screens.sort_by_key(|screen| (!screen.is_primary, screen.bounds.x, screen.bounds.y));
        Ok(screens)
    }

    fn monitors(&self, scale: f64) -> Result<Vec<Screen>> {
        if !self.has(randr::X11_EXTENSION_NAME)? {
            return Ok(Vec::new());
        }
        // Version 1.5 brought monitors; a server of an older one answers with an error.
        let version = self.connection.randr_query_version(1, 5).map_err(|fault| self.fault(fault))?;
        let monitors = self.connection.randr_get_monitors(self.root(), true).map_err(|fault| self.fault(fault))?;
        version.reply().map_err(|fault| self.fault(fault))?;
        let Some(monitors) = monitors.reply_unchecked().map_err(|fault| self.fault(fault))? else {
            return Ok(Vec::new());
        };
        let mut screens = Vec::new();
        for monitor in monitors.monitors {
            let name = self.connection.get_atom_name(monitor.name).map_err(|fault| self.fault(fault))?;
            let name = name.reply().map_err(|fault| self.fault(fault))?.name;
            screens.push(Screen {
                id: surehand_core::text::clip(&String::from_utf8_lossy(&name), 64).0.to_owned(),
                bounds: Rect {
                    x: monitor.x.into(),
                    y: monitor.y.into(),
                    width: monitor.width.into(),
                    height: monitor.height.into(),
                },
                is_primary: monitor.primary,
                scale,
            });
        }
        Ok(screens)
    }

    /// Physical pixels for one of the applications': what the settings of the desktop say, else what its resolution
    /// for text comes to.
    fn scale(&self) -> Result<f64> {
        if let Some(factor) = self.setting("Gdk/WindowScalingFactor")?.filter(|factor| (1..=8).contains(factor)) {
            return Ok(f64::from(factor));
        }
        let resources = self
            .connection
            .get_property(false, self.root(), AtomEnum::RESOURCE_MANAGER, AtomEnum::STRING, 0, LONGEST)
            .map_err(|fault| self.fault(fault))?;
        let resources = resources.reply().map_err(|fault| self.fault(fault))?.value;
        Ok(dpi(&String::from_utf8_lossy(&resources)).map_or(1.0, |dpi| dpi / 96.0))
    }

    /// A number that the desktop's settings daemon publishes. Source: the XSETTINGS specification 0.5.
    fn setting(&self, name: &str) -> Result<Option<i32>> {
        let selection = format!("_XSETTINGS_S{}", self.screen_number());
        let selection = self.connection.intern_atom(true, selection.as_bytes()).map_err(|fault| self.fault(fault))?;
        let property = self.connection.intern_atom(true, b"_XSETTINGS_SETTINGS").map_err(|fault| self.fault(fault))?;
        let selection = selection.reply().map_err(|fault| self.fault(fault))?.atom;
        let property = property.reply().map_err(|fault| self.fault(fault))?.atom;
        if selection == 0 || property == 0 {
            return Ok(None);
        }
        let owner = self.connection.get_selection_owner(selection).map_err(|fault| self.fault(fault))?;
        let owner = owner.reply().map_err(|fault| self.fault(fault))?.owner;
        if owner == 0 {
            return Ok(None);
        }
        let asked = self
            .connection
            .get_property(false, owner, property, AtomEnum::ANY, 0, LONGEST)
            .map_err(|fault| self.fault(fault))?;
        Ok(self.if_there(asked.reply())?.and_then(|settings| integer_in(&settings.value, name)))
    }
}

/// `Xft.dpi` of a resource database.
fn dpi(resources: &str) -> Option<f64> {
    let value = resources.lines().find_map(|line| line.strip_prefix("Xft.dpi:"))?;
    value.trim().parse().ok().filter(|dpi: &f64| (48.0..=960.0).contains(dpi))
}

/// The integer of this name among settings; none where they are not what they should be.
fn integer_in(settings: &[u8], wanted: &str) -> Option<i32> {
    let big = *settings.first()? == 1;
    let number = |at: usize, length: usize| -> Option<u32> {
        let bytes = settings.get(at..at.checked_add(length)?)?;
        let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
        Some(if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    };
    let padded = |length: u32| usize::try_from(length).ok().map(|length| length.div_ceil(4) * 4);
    let count = number(8, 4)?;
    let mut at = 12;
    for _ in 0..count {
        let kind = *settings.get(at)?;
        let length = number(at + 2, 2)?;
        let name = settings.get(at + 4..at + 4 + usize::try_from(length).ok()?)?;
        at += 4 + padded(length)? + 4;
        match kind {
            0 if name == wanted.as_bytes() => return number(at, 4).map(u32::cast_signed),
            0 => at += 4,
            1 => at += 4 + padded(number(at, 4)?)?,
            2 => at += 8,
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_and_broken_ones_are_not() {
        let mut settings = vec![0, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0];
        settings.extend([1, 0, 3, 0, b'a', b'/', b'b', 0, 1, 0, 0, 0, 5, 0, 0, 0]);
        settings.extend(*b"Adwai\0\0\0");
        settings.extend([0, 0, 3, 0, b'x', b'/', b'y', 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(integer_in(&settings, "x/y"), Some(2));
        assert_eq!(integer_in(&settings, "a/b"), None);
        for length in 0..settings.len() {
            assert_eq!(integer_in(&settings[..length], "x/y"), None);
        }
        assert_eq!(integer_in(&[0xff; 64], "x/y"), None);
    }

    #[test]
    fn the_resolution_is_believed_within_reason() {
        assert_eq!(dpi("*color: red\nXft.dpi:\t192\n"), Some(192.0));
        assert_eq!(dpi("Xft.dpi: 1"), None);
        assert_eq!(dpi("Xft.dpi: many"), None);
    }
}
