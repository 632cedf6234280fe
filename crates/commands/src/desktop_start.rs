//! `desktop start`: makes a private desktop.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::desktop::{Desktop, DesktopRequest};
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made, quoted};

/// Start a private desktop: a display, buses and a window manager of its own
///
/// Nothing on it is seen on any other desktop. Use it with `--desktop ID` or the variable SUREHAND_DESKTOP.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DesktopStart {
    /// Size of the screen in pixels
    #[arg(long, value_name = "WxH", default_value = SIZE)]
    #[serde(default = "size")]
    size: String,
    /// Name to call it by, besides its id
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

const SIZE: &str = "1280x800";

fn size() -> String {
    SIZE.to_owned()
}

/// How long it may take on a machine under load.
const START_MS: u64 = 30_000;

/// The desktop that was started.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The desktop.
    #[serde(flatten)]
    desktop: Desktop,
}

impl Outline for Started {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        line(&self.desktop, &mut lines);
        lines.finish()
    }
}

/// Adds the line for a desktop.
pub(crate) fn line(desktop: &Desktop, lines: &mut Lines) {
    let state = serde_json::to_value(desktop.state).ok().and_then(|state| state.as_str().map(str::to_owned));
    lines.words([
        Word::Own("desktop"),
        made(&desktop.id),
        quoted(desktop.name.as_deref()),
        state.map_or(Word::Nothing, made),
        desktop.display.as_ref().map_or(Word::Nothing, |display| made(format!("display={display}"))),
        made(&desktop.size),
    ]);
}

impl Command for DesktopStart {
    const SPEC: Spec = Spec::new("desktop start", Group::System, Effect::Manage);
    type Output = Started;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Desktop("new".into())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Started> {
        let (width, height) = parse(&self.size)?;
        let call = cx.call(START_MS);
        let desktop = cx.services.desktops().start(&call, &DesktopRequest { name: self.name, width, height })?;
        cx.disposition = Some(Delivery::DeliveredVerified.into());
        Ok(Started { desktop })
    }
}

/// A screen smaller than this holds no window, and one larger than this is more than a display server takes.
const SIZES: std::ops::RangeInclusive<u16> = 64..=16_384;

fn parse(size: &str) -> Result<(u16, u16)> {
    size.split_once('x')
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
        .filter(|(width, height)| SIZES.contains(width) && SIZES.contains(height))
        .ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("{} is not the size of a screen", surehand_core::text::quote(size)))
                .kind("bad_size")
                .suggest(format!(
                    "write width and height from {} to {}, for example {SIZE}",
                    SIZES.start(),
                    SIZES.end()
                ))
        })
}
