//! `press`: a key combination.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::input::Chord;
use surehand_core::lease::Claim;
use surehand_core::stroke::Stroke;
use surehand_core::{Result, typing};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Subject};
use crate::outline::{Lines, Outline, Word, made};
use crate::physical::allow_combination;
use crate::target::{self, Wanted, WindowView};

/// Press a key combination in the window that has the keyboard
///
/// The combination goes to the window named by `--app` or `--window-id`, and only if it has the keyboard already:
/// nothing is focused for it. What the keys did is not known; look at the application afterwards.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Press {
    /// Keys joined with `+`, for example `ctrl+s`, `escape` or `shift+tab`
    #[arg(value_name = "COMBO")]
    combo: String,
    /// Application that has to have the keyboard
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window that has to have the keyboard
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
}

/// How long looking for the window may take.
const LOOK_MS: u64 = 5_000;

/// How long the keys may take until the application has dealt with them.
const LINGER: std::time::Duration = std::time::Duration::from_millis(250);

/// What was pressed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Pressed {
    /// The command.
    action: &'static str,
    /// The combination, with its modifiers in their usual order.
    combo: String,
    /// The window that had the keyboard.
    window: WindowView,
    /// How far it got: keys are handed over, and what they did is not known.
    disposition: Disposition,
}

impl Outline for Pressed {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own("press"),
                made(&self.combo),
                Word::Own("delivered_unverified"),
                made(format!("window={}", self.window.id)),
                Word::Quoted(&self.window.title),
            ])
            .finish()
    }
}

impl Command for Press {
    const SPEC: Spec = Spec::new("press", Group::Keyboard, Effect::Input);
    type Output = Pressed;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiInput(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Pressed> {
        let chord: Chord = self.combo.parse()?;
        allow_combination(cx, &chord)?;
        let call = cx.call(LOOK_MS);
        let platform = cx.platform(&call)?;
        let (_, window) = target::window(platform, &call, self.wanted())?;
        cx.subject = Subject { app: Some(window.app_name.clone()), role: Some("window".into()), name: None };
        let _alone = cx.services.leases().take(&call, &Claim::Desktop)?;
        typing::strike(platform, &call, &window, Stroke::Chord(chord.clone())).map_err(|error| {
            match error.kind_of() {
                Some("not_focused") => error.suggest("use `click`, `type` or `set-value`, which need no focus"),
                _ => error,
            }
        })?;
        // An application tells the accessibility registry of every key, and Chromium ends when somebody who listened to it
        // leaves meanwhile.
        let linger = call.at_most(LINGER);
        linger.clock.pause(linger.left(), linger.cancel);
        let disposition = Delivery::DeliveredUnverified.into();
        cx.disposition = Some(disposition);
        Ok(Pressed {
            action: Self::SPEC.name,
            combo: chord.to_string(),
            window: WindowView::from(&window),
            disposition,
        })
    }
}

impl Press {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
