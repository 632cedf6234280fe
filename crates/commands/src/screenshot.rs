//! `screenshot`: a picture of the screen or of one window.

use base64::Engine as _;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::platform::{CaptureTarget, Picture};
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
        let picture = platform.capture(&call, &target)?;
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
