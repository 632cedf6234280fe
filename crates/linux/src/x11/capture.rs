//! Pictures of the screen and of windows, also of covered ones.
//!
//! What a window shows on the screen is in the screen's memory only; where another window covers it there is
//! nothing of it. A covered window is given memory of its own for a moment (the Composite extension). The
//! server then asks it to paint what was covered, and only when it has done so is the picture taken.

use std::time::{Duration, Instant};

use surehand_core::geometry::Rect;
use surehand_core::platform::Picture;
use surehand_core::{Code, Error, Result};
use x11rb::connection::Connection as _;
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::composite::{self, ConnectionExt as _, Redirect};
use x11rb::protocol::damage::{self, ConnectionExt as _, ReportLevel};
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, Drawable, ImageFormat, ImageOrder, MapState, Visualid, Window, WindowClass,
};
use x11rb::protocol::{ErrorKind, Event};

use super::display::{Display, numbers, window_gone};
use super::image::Layout;
use super::region::{Area, Region};
use super::windows::ICONIC;

/// An image is read in strips of about so many bytes.
const STRIP: usize = 4 << 20;
/// How long an application may take until it begins to paint what was covered.
const FIRST_PAINT: Duration = Duration::from_millis(1_000);
/// An application that paints nothing for so long has finished.
const QUIET: Duration = Duration::from_millis(150);
/// What must be the same before and after for a picture to be that of the window.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Facts {
    bounds: Rect,
    border: u16,
    depth: u8,
    visual: Visualid,
    pid: Option<u32>,
}

/// A drawable's part to read.
struct Part {
    drawable: Drawable,
    x: i16,
    y: i16,
    width: u16,
    height: u16,
}

impl Display {
    /// A picture of the whole screen.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when the screen has a kind of pixels that is not known.
    pub fn capture_screen(&self) -> Result<Picture> {
        let root = self.root();
        // The size in the setup is that of the moment we connected.
        let size = self.connection.get_geometry(root).map_err(|fault| self.fault(fault))?;
        let size = size.reply().map_err(|fault| self.fault(fault))?;
        let layout = self.layout(size.depth, self.screen().root_visual)?;
        let part = Part { drawable: root, x: 0, y: 0, width: size.width, height: size.height };
        let rgb = self.read(&part, layout)?;
        let bounds = Rect { x: 0, y: 0, width: size.width.into(), height: size.height.into() };
        Ok(Picture { width: bounds.width, height: bounds.height, rgb, bounds })
    }

    /// A picture of a window's own area, without the window manager's frame, whatever covers it.
    ///
    /// # Errors
    /// `WINDOW_NOT_FOUND` when it is gone; `ACTION_NOT_SUPPORTED` when it is minimised or otherwise not
    /// mapped; `ACTION_FAILED` with `details.kind` `changed` when it moved meanwhile, or `not_repainted` when
    /// it is covered and its application does not paint; `PLATFORM_NOT_SUPPORTED` when it is covered and the
    /// server lacks Composite or Damage.
    pub fn capture_window(&self, window: u32) -> Result<Picture> {
        let before = self.facts(window)?;
        let layout = self.layout(before.depth, before.visual)?;
        let hidden = self.hidden(window, before.bounds)?;
        let rgb = if hidden.is_empty() || self.composited()? {
            // A compositing manager keeps every window in memory of its own already.
            let (width, height) = size(before.bounds);
            self.read(&Part { drawable: window, x: 0, y: 0, width, height }, layout)?
        } else {
            self.read_covered(window, &before, layout, hidden)?
        };
        let after = self.facts(window)?;
        if after != before {
            return Err(changed());
        }
        Ok(Picture { width: before.bounds.width, height: before.bounds.height, rgb, bounds: before.bounds })
    }

    fn facts(&self, window: Window) -> Result<Facts> {
        let c = &self.connection;
        let attributes = c.get_window_attributes(window).map_err(|fault| self.fault(fault))?;
        let geometry = c.get_geometry(window).map_err(|fault| self.fault(fault))?;
        let origin = c.translate_coordinates(window, self.root(), 0, 0).map_err(|fault| self.fault(fault))?;
        let state = c
            .get_property(false, window, self.atoms.WM_STATE, AtomEnum::ANY, 0, 1)
            .map_err(|fault| self.fault(fault))?;
        let attributes = self.if_there(attributes.reply())?;
        let geometry = self.if_there(geometry.reply())?;
        let origin = self.if_there(origin.reply())?;
        let state = self.if_there(state.reply())?;
        let (Some(attributes), Some(geometry), Some(origin)) = (attributes, geometry, origin) else {
            return Err(window_gone());
        };
        if attributes.class == WindowClass::INPUT_ONLY {
            return Err(Error::new(Code::ActionNotSupported, "the window shows nothing").kind("no_content"));
        }
        if attributes.map_state != MapState::VIEWABLE {
            let minimized = numbers(state.as_ref()).first() == Some(&ICONIC);
            let (why, kind) = if minimized {
                ("the window is minimised or on another desktop, so there is nothing to take a picture of", "minimized")
            } else {
                ("the window is not on the screen", "unmapped")
            };
            return Err(Error::new(Code::ActionNotSupported, why).kind(kind).suggest("restore the window first"));
        }
        let pid = self.pids(&[window])?.get(&self.owner(window)).copied();
        Ok(Facts {
            bounds: Rect {
                x: origin.dst_x.into(),
                y: origin.dst_y.into(),
                width: geometry.width.into(),
                height: geometry.height.into(),
            },
            border: geometry.border_width,
            depth: geometry.depth,
            visual: attributes.visual,
            pid,
        })
    }

    fn read_covered(&self, window: Window, facts: &Facts, layout: Layout, hidden: Region) -> Result<Vec<u8>> {
        for extension in [composite::X11_EXTENSION_NAME, damage::X11_EXTENSION_NAME] {
            if !self.has(extension)? {
                return Err(Error::new(Code::PlatformNotSupported, "the display cannot show covered windows")
                    .kind("no_extension")
                    .platform(format!("no {extension}")));
            }
        }
        let id = || self.connection.generate_id().map_err(|fault| self.fault(fault));
        let (damage, pixmap) = (id()?, id()?);
        let outcome = self.redirect(window, damage, pixmap).and_then(|begun| {
            self.wait_until_painted((damage, begun), facts.bounds, hidden)?;
            let (width, height) = size(facts.bounds);
            // The memory begins with the window's border.
            let inside = i16::try_from(facts.border).unwrap_or(i16::MAX);
            self.read(&Part { drawable: pixmap, x: inside, y: inside, width, height }, layout)
        });
        let back = self.restore(window, damage, pixmap).map_err(|fault| self.fault(fault));
        let rgb = outcome?;
        back?;
        Ok(rgb)
    }

    /// Gives the window memory of its own and starts to watch what is painted. Both happen before anybody
    /// else gets a turn, so that no painting is missed; nothing of it waits for an answer. Returns the number
    /// of the request that began the watching, as events carry it.
    fn redirect(&self, window: Window, damage: u32, pixmap: u32) -> Result<u16> {
        let c = &self.connection;
        let composite = c.composite_query_version(0, 4).map_err(|fault| self.fault(fault))?;
        let damages = c.damage_query_version(1, 1).map_err(|fault| self.fault(fault))?;
        composite.reply().map_err(|fault| self.fault(fault))?;
        damages.reply().map_err(|fault| self.fault(fault))?;
        let send = || -> Result<_, ConnectionError> {
            Ok([
                c.grab_server()?,
                c.composite_redirect_window(window, Redirect::AUTOMATIC)?,
                c.damage_create(damage, window, ReportLevel::RAW_RECTANGLES)?,
                c.composite_name_window_pixmap(window, pixmap)?,
                c.ungrab_server()?,
            ])
        };
        let sent = send().map_err(|fault| self.fault(fault))?;
        // Events carry the low half only.
        let begun = (sent[2].sequence_number() & 0xffff) as u16;
        let mut first = None;
        for request in sent {
            if let Err(fault) = request.check() {
                first.get_or_insert(fault);
            }
        }
        match first {
            None => Ok(begun),
            // It was unmapped or resized since it was looked at.
            Some(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Match => Err(changed()),
            Some(fault) => Err(self.fault(fault)),
        }
    }

    /// Takes everything back. The window may be gone, and with it what is to be taken back.
    fn restore(&self, window: Window, damage: u32, pixmap: u32) -> Result<(), ConnectionError> {
        let c = &self.connection;
        let sent = [
            c.damage_destroy(damage)?,
            c.free_pixmap(pixmap)?,
            c.composite_unredirect_window(window, Redirect::AUTOMATIC)?,
        ];
        for request in sent {
            match request.check() {
                Ok(()) | Err(ReplyError::X11Error(_)) => {}
                Err(ReplyError::ConnectionError(fault)) => return Err(fault),
            }
        }
        Ok(())
    }

    /// Waits until the application has painted all that was hidden, or has painted some of it and then
    /// stopped: where it has nothing to paint the server itself has filled in the background.
    fn wait_until_painted(&self, (damage, begun): (u32, u16), bounds: Rect, hidden: Region) -> Result<()> {
        let mut hidden = hidden;
        let mut painted = false;
        let mut quiet_from = Instant::now() + FIRST_PAINT;
        loop {
            while let Some(event) = self.connection.poll_for_event().map_err(|fault| self.fault(fault))? {
                let Event::DamageNotify(notice) = event else {
                    continue;
                };
                // The request itself reports the whole window once; nobody has painted that.
                if notice.damage != damage || notice.sequence == begun {
                    continue;
                }
                let area = notice.area;
                let (x, y) = (bounds.x + i32::from(area.x), bounds.y + i32::from(area.y));
                hidden.remove(Area::new(x, y, area.width.into(), area.height.into()));
                painted = true;
                quiet_from = Instant::now() + QUIET;
            }
            if hidden.is_empty() {
                return Ok(());
            }
            let left = quiet_from.saturating_duration_since(Instant::now());
            if left.is_zero() && painted {
                return Ok(());
            }
            if left.is_zero() || Instant::now() >= self.connection.stream().until() {
                return Err(Error::new(
                    Code::ActionFailed,
                    "the window is covered, and its application did not paint the covered part",
                )
                .kind("not_repainted")
                .suggest("bring the window to the front, or try again when the application answers"));
            }
            self.connection
                .stream()
                .readable_within(left)
                .map_err(|fault| self.fault(ConnectionError::IoError(fault)))?;
        }
    }

    /// How the pixels of this depth and visual are sent.
    fn layout(&self, depth: u8, visual: Visualid) -> Result<Layout> {
        let setup = self.connection.setup();
        let unknown = || {
            Error::new(Code::PlatformNotSupported, "the display has a kind of pixels that is not known")
                .kind("pixel_format")
                .platform(format!("depth {depth}"))
        };
        let format = setup.pixmap_formats.iter().find(|format| format.depth == depth).ok_or_else(unknown)?;
        let depths = &self.screen().allowed_depths;
        let kinds = depths.iter().flat_map(|allowed| &allowed.visuals);
        let kind = kinds.into_iter().find(|kind| kind.visual_id == visual).ok_or_else(unknown)?;
        let layout = Layout {
            bits_per_pixel: format.bits_per_pixel,
            scanline_pad: format.scanline_pad,
            big_endian: setup.image_byte_order == ImageOrder::MSB_FIRST,
            masks: [kind.red_mask, kind.green_mask, kind.blue_mask],
        };
        layout.stride(1).map(|_| layout).ok_or_else(unknown)
    }

    /// Reads pixels: every strip is asked for before the first is read, so that they are of one moment as
    /// nearly as the server can make it.
    fn read(&self, part: &Part, layout: Layout) -> Result<Vec<u8>> {
        let stride = layout.stride(part.width.into()).unwrap_or(usize::MAX).max(1);
        let rows = u16::try_from(STRIP / stride).unwrap_or(u16::MAX).max(1);
        let mut asked = Vec::new();
        let mut from = 0;
        while from < part.height {
            let height = rows.min(part.height - from);
            let y = part.y.saturating_add_unsigned(from);
            let strip = self
                .connection
                .get_image(ImageFormat::Z_PIXMAP, part.drawable, part.x, y, part.width, height, u32::MAX)
                .map_err(|fault| self.fault(fault))?;
            asked.push((strip, height));
            from += height;
        }
        let mut rgb = Vec::new();
        for (strip, height) in asked {
            let strip = match strip.reply() {
                // The part lies outside by now.
                Err(ReplyError::X11Error(error)) if error.error_kind == ErrorKind::Match => {
                    return Err(changed());
                }
                strip => strip.map_err(|fault| self.fault(fault))?,
            };
            if !layout.append(&strip.data, part.width.into(), height.into(), &mut rgb) {
                return Err(
                    Error::new(Code::Internal, "the display sent an image that is too short").kind("display_protocol")
                );
            }
        }
        Ok(rgb)
    }
}

/// The size as the protocol has it, where it came from.
fn size(bounds: Rect) -> (u16, u16) {
    let short = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    (short(bounds.width), short(bounds.height))
}

fn changed() -> Error {
    Error::new(Code::ActionFailed, "the window changed while its picture was taken")
        .kind("changed")
        .suggest("try again")
}
