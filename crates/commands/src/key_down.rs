//! `key-down`: presses keys and keeps them down.

use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::hold::{Grip, HOLD, LONGEST_HOLD};
use surehand_core::input::Chord;
use surehand_core::lease::Claim;
use surehand_core::typing;
use surehand_core::{Code, Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::physical::{PHYSICAL_MS, acting_on, allow_combination, needs_headed};
use crate::target::{self, Wanted, WindowView};

/// Press keys and keep them down
///
/// Needs `--headed`. The keys go to the window that has the keyboard, which is the one named. They are let go by
/// `key-up` or `release-all`, when the process that ran this ends, and after the time limit.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyDown {
    /// Keys joined with `+`, for example `shift` or `ctrl+a`
    #[arg(value_name = "COMBO")]
    combo: String,
    /// Milliseconds after which it is let go in any case, at most 300000
    #[arg(long, value_name = "MS", default_value_t = HOLD_MS)]
    #[serde(default = "hold_ms")]
    limit_ms: u64,
    /// Application that has to have the keyboard
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to have the keyboard
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

/// How long something is kept down when nobody says otherwise.
pub(crate) const HOLD_MS: u64 = HOLD.as_secs() * 1_000;

/// The same for what is given as JSON.
pub(crate) fn hold_ms() -> u64 {
    HOLD_MS
}

/// The limit, if it is one.
///
/// # Errors
/// `INVALID_ARGS` where it is nothing or too long.
pub(crate) fn limit(milliseconds: u64) -> Result<Duration> {
    let limit = Duration::from_millis(milliseconds);
    if (Duration::from_millis(1)..=LONGEST_HOLD).contains(&limit) {
        return Ok(limit);
    }
    Err(Error::new(Code::InvalidArgs, format!("`--limit-ms` is from 1 to {}", LONGEST_HOLD.as_millis()))
        .kind("bad_limit"))
}

/// What became of keys that are held.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct KeyReport {
    /// The command.
    pub(crate) action: &'static str,
    /// The keys.
    pub(crate) combo: String,
    /// After how many milliseconds they are let go in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit_ms: Option<u64>,
    /// The window that has the keyboard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) window: Option<WindowView>,
    /// How far it got.
    pub(crate) disposition: Disposition,
}

impl Outline for KeyReport {
    fn outline(&self) -> String {
        let delivery = serde_json::to_value(self.disposition.delivery).unwrap_or_default();
        Lines::new()
            .words([
                Word::Own(self.action),
                made(&self.combo),
                delivery.as_str().map_or(Word::Nothing, made),
                self.limit_ms.map_or(Word::Nothing, |limit| made(format!("limit-ms={limit}"))),
                self.window.as_ref().map_or(Word::Nothing, |window| made(format!("window={}", window.id))),
                self.window.as_ref().map_or(Word::Nothing, |window| Word::Quoted(&window.title)),
            ])
            .finish()
    }
}

impl Command for KeyDown {
    const SPEC: Spec = Spec::new("key-down", Group::Keyboard, Effect::Input);
    type Output = KeyReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<KeyReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let chord: Chord = self.combo.parse()?;
        let limit = limit(self.limit_ms)?;
        allow_combination(cx, &chord)?;
        let call = cx.call(PHYSICAL_MS);
        let platform = cx.platform(&call)?;
        let (_, window) = target::window(platform, &call, self.wanted())?;
        acting_on(cx, Some(&window));
        let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
        typing::keys_reach(platform, &call, &window)?;
        let combo = chord.to_string();
        cx.services.holder().hold(&call, &Grip::Keys(chord), limit)?;
        let disposition = Delivery::DeliveredUnverified.into();
        cx.disposition = Some(disposition);
        let window = Some(WindowView::from(&window));
        Ok(KeyReport { action: Self::SPEC.name, combo, limit_ms: Some(self.limit_ms), window, disposition })
    }
}

impl KeyDown {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
