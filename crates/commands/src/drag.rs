//! `drag`: presses at one place and lets go at another.

use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::drag::{Way, drag};
use surehand_core::geometry::Point;
use surehand_core::lease::Claim;
use surehand_core::reference::Ref;
use surehand_core::{Code, Error, Result};

use crate::aiming::Endpoint;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::physical::{Meant, Xy, acting_on, named, needs_headed};
use crate::target::{Wanted, WindowView};

/// Drag from one element or point to another
///
/// Needs `--headed`. The window that the drag begins in is brought to the front where it is given by an element; where it
/// is given by a point, the window or application has to be named and in front there. If anything goes wrong on the way,
/// the button is let go where it was pressed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drag {
    /// Element to begin at
    #[arg(long, value_name = "REF", required_unless_present = "from_xy", conflicts_with = "from_xy")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Ref>,
    /// Point of the screen to begin at, in physical pixels
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_xy: Option<Xy>,
    /// Element to end at
    #[arg(long, value_name = "REF", required_unless_present = "to_xy", conflicts_with = "to_xy")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Ref>,
    /// Point of the screen to end at, in physical pixels
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to_xy: Option<Xy>,
    /// Milliseconds that the way takes, at most 60000
    #[arg(long, value_name = "MS", default_value_t = DURATION_MS)]
    #[serde(default = "duration")]
    duration: u64,
    /// Milliseconds that the pointer rests at the end before the button is let go, at most 10000
    #[arg(long, value_name = "MS", default_value_t = DROP_MS)]
    #[serde(default = "drop_delay")]
    drop_delay: u64,
    /// Application that has to be in front at the point where the drag begins
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to be in front at the point where the drag begins
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Milliseconds to wait until the elements are there
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

const DURATION_MS: u64 = 300;
const DROP_MS: u64 = 500;

fn duration() -> u64 {
    DURATION_MS
}

fn drop_delay() -> u64 {
    DROP_MS
}

/// What was dragged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Dragged {
    /// The command.
    action: &'static str,
    /// Where the button went down.
    from: Point,
    /// Where it was let go.
    to: Point,
    /// What the numbers count from: always `screen`, physical pixels of the whole desktop.
    frame: &'static str,
    /// How long the pointer rested at the end.
    drop_delay_ms: u64,
    /// The window that the drag began in.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<WindowView>,
    /// How far it got: what the application made of it is not known.
    disposition: Disposition,
}

impl Outline for Dragged {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("drag"),
                made(format!("{},{}", self.from.x, self.from.y)),
                made(format!("{},{}", self.to.x, self.to.y)),
                Word::Own("screen"),
                Word::Own("delivered_unverified"),
                self.window.as_ref().map_or(Word::Nothing, |window| made(format!("window={}", window.id))),
            ])
            .finish()
    }
}

impl Command for Drag {
    const SPEC: Spec = Spec::new("drag", Group::Mouse, Effect::Input);
    type Output = Dragged;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        let from = self.from.map_or_else(|| Ok(self.wanted().scope()), |ref_id| cx.scope_of(ref_id))?;
        let mut resources = vec![Resource::UiInput(from)];
        if let Some(to) = self.to {
            resources.push(Resource::UiInput(cx.scope_of(to)?));
        }
        Ok(resources)
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Dragged> {
        needs_headed(cx, Self::SPEC.name)?;
        if self.duration > 60_000 || self.drop_delay > 10_000 {
            return Err(Error::new(Code::InvalidArgs, "the drag would take too long")
                .kind("bad_duration")
                .suggest("`--duration` is at most 60000, `--drop-delay` at most 10000"));
        }
        let call = cx.call_for_action(self.timeout_ms + self.duration + self.drop_delay);
        // The end first: looking for it must not come between the beginning and the way.
        let to = match (self.to, self.to_xy) {
            (Some(ref_id), None) => Err(ref_id),
            (None, Some(Xy(point))) => Ok(point),
            _ => return Err(Error::new(Code::InvalidArgs, "give either `--to` or `--to-xy`").kind("bad_target")),
        };
        let (from, begins_in) = match (self.from, self.from_xy) {
            (Some(ref_id), None) => {
                let end = Endpoint::of_ref(cx, &call, ref_id, true)?;
                (end.point, end.window.map(Meant::Window))
            }
            (None, Some(Xy(point))) => {
                let meant = named(Meant::find(cx.platform(&call)?, &call, self.wanted())?)?;
                acting_on(cx, Some(meant.window()));
                (point, Some(meant))
            }
            _ => return Err(Error::new(Code::InvalidArgs, "give either `--from` or `--from-xy`").kind("bad_target")),
        };
        let (to, ends_in) = match to {
            Ok(point) => (point, None),
            Err(ref_id) => {
                let end = Endpoint::of_ref(cx, &call, ref_id, false)?;
                (end.point, end.window.map(Meant::Window))
            }
        };
        let platform = cx.platform(&call)?;
        let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
        if let Some(meant) = &begins_in {
            meant.check(platform, &call, from)?;
        }
        let way = Way {
            from,
            to,
            duration: Duration::from_millis(self.duration),
            rest: Duration::from_millis(self.drop_delay),
        };
        // What is dragged may be drawn in a window of its own under the pointer, so only beforehand it can be told
        // what will be there.
        if let Some(meant) = &ends_in {
            meant.check(platform, &call, to)?;
        }
        drag(platform, &call, way)?;
        let disposition = Delivery::DeliveredUnverified.into();
        cx.disposition = Some(disposition);
        Ok(Dragged {
            action: Self::SPEC.name,
            from,
            to,
            frame: "screen",
            drop_delay_ms: self.drop_delay,
            window: begins_in.as_ref().map(|meant| WindowView::from(meant.window())),
            disposition,
        })
    }
}

impl Drag {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
