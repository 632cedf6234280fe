//! `screenshot`: a picture of the screen or of one window.

use base64::Engine as _;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::geometry::Rect;
use surehand_core::platform::{CaptureTarget, Picture, Platform};
use surehand_core::time::Call;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, made};
use crate::target::{self, Wanted};

/// Take a picture of the screen or of one window
///
/// A window is shown as it is even where others cover it. Pictures hold whatever is on the screen, also secrets.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Screenshot {
    /// New file to write, inside the folder for output; without it the picture is in the answer
    #[arg(value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Application whose window to show
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window to show, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Screen to show alone, by its place in `list-displays`, from 0
    #[arg(long, value_name = "INDEX", conflicts_with_all = ["window_id", "app"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    screen: Option<usize>,
}

/// How long it may take.
const TAKE_MS: u64 = 10_000;

/// A picture.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Taken {
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The picture in base64, where no file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// Always `png`.
    format: &'static str,
    /// Pixels a row.
    width: u32,
    /// Rows.
    height: u32,
    /// Pixels of the picture for one of the screen.
    scale_factor: f64,
    /// The window it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

impl Outline for Taken {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("screenshot"),
                self.path.as_deref().map_or(Word::Nothing, Word::Quoted),
                made(format!("{}x{}", self.width, self.height)),
                self.data.as_deref().map_or(Word::Nothing, |data| made(format!("base64={}", data.len()))),
            ])
            .finish()
    }
}

impl Command for Screenshot {
    const SPEC: Spec = Spec::new("screenshot", Group::Observation, Effect::Observe);
    type Output = Taken;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::ScreenRead(if self.is_screen() { Scope::All } else { self.wanted().scope() })])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Taken> {
        let call = cx.call(TAKE_MS);
        let platform = cx.platform(&call)?;
        let (target, window_id) = if self.is_screen() {
            (CaptureTarget::Screen, None)
        } else {
            let (_, window) = target::window(platform, &call, self.wanted())?;
            let id = window.id.clone();
            (CaptureTarget::Window(window), Some(id))
        };
        let screen = self.screen.map(|index| screen(platform, &call, index)).transpose()?;
        if screen.is_some() && !self.is_screen() {
            return Err(Error::new(Code::InvalidArgs, "give either a window or `--screen`").kind("bad_target"));
        }
        let mut picture = platform.capture(&call, &target)?;
        if let Some(before) = screen {
            // A screen that was moved or taken away meanwhile would show something else.
            if self.screen.map(|index| screen_at(platform, &call, index)).transpose()?.flatten() != Some(before) {
                return Err(Error::new(Code::ActionFailed, "the screens changed while the picture was taken")
                    .kind("screens_changed"));
            }
            picture = cut(&picture, before)?;
        }
        let png = encode(&picture)?;
        let (path, data) = match &self.path {
            Some(path) => (Some(cx.services.write_output(path, &png)?.to_string_lossy().into_owned()), None),
            None => (None, Some(base64::engine::general_purpose::STANDARD.encode(&png))),
        };
        Ok(Taken {
            path,
            data,
            format: "png",
            width: picture.width,
            height: picture.height,
            scale_factor: 1.0,
            window_id,
        })
    }
}

impl Screenshot {
    fn is_screen(&self) -> bool {
        self.app.is_none() && self.window_id.is_none()
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}

fn screen(platform: &dyn Platform, call: &Call<'_>, index: usize) -> Result<Rect> {
    screen_at(platform, call, index)?.ok_or_else(|| {
        Error::new(Code::InvalidArgs, format!("there is no screen {index}"))
            .kind("no_such_screen")
            .suggest("see `list-displays`; the first one is 0")
    })
}

fn screen_at(platform: &dyn Platform, call: &Call<'_>, index: usize) -> Result<Option<Rect>> {
    Ok(platform.displays(call)?.get(index).map(|screen| screen.bounds))
}

/// The part of a picture that shows this part of the screen.
fn cut(picture: &Picture, part: Rect) -> Result<Picture> {
    let outside = || Error::new(Code::Internal, "the screen is not in the picture of the desktop");
    let part = part.meet(picture.bounds).ok_or_else(outside)?;
    let offset = |at: i32, from: i32| usize::try_from(i64::from(at) - i64::from(from)).map_err(|_| outside());
    let (left, top) = (offset(part.x, picture.bounds.x)?, offset(part.y, picture.bounds.y)?);
    let (width, row) = (part.width as usize * 3, picture.width as usize * 3);
    let rows =
        (top..top + part.height as usize).map(|y| picture.rgb.get(y * row + left * 3..y * row + left * 3 + width));
    let rgb: Vec<u8> = rows.collect::<Option<Vec<_>>>().ok_or_else(outside)?.concat();
    Ok(Picture { width: part.width, height: part.height, rgb, bounds: part })
}

fn encode(picture: &Picture) -> Result<Vec<u8>> {
    let failed = |error: png::EncodingError| {
        Error::new(Code::Internal, "the picture cannot be written as PNG").platform(error.to_string())
    };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&picture.rgb).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
