//! What a display offers, each thing really asked for.

use surehand_core::Result;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};
use x11rb::protocol::xtest::{self, ConnectionExt as _};

use super::display::Display;

impl Display {
    /// Width and height of the screen in pixels, as it was when we connected.
    pub(crate) fn size(&self) -> (u16, u16) {
        (self.screen().width_in_pixels, self.screen().height_in_pixels)
    }

    /// The version of the extension that keys are sent with, major and minor; `None` when there is none.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn input_version(&self) -> Result<Option<(u8, u16)>> {
        if !self.has(xtest::X11_EXTENSION_NAME)? {
            return Ok(None);
        }
        let asked = self.connection.xtest_get_version(2, 2).map_err(|fault| self.fault(fault))?;
        let version = asked.reply().map_err(|fault| self.fault(fault))?;
        Ok(Some((version.major_version, version.minor_version)))
    }

    /// Reads one pixel of the screen, which is enough to be refused: the bits of it, `None` when nothing is
    /// sent.
    ///
    /// # Errors
    /// As [`Display::windows`].
    pub(crate) fn readable_depth(&self) -> Result<Option<u8>> {
        let asked = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.root(), 0, 0, 1, 1, u32::MAX)
            .map_err(|fault| self.fault(fault))?;
        let image = asked.reply().map_err(|fault| self.fault(fault))?;
        Ok((!image.data.is_empty()).then_some(image.depth))
    }
}
