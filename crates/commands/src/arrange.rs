//! What the commands that change a window have in common.

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::Result;
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::lease::Claim;
use surehand_core::platform::WindowChange;
use surehand_core::reading::Reading;
use surehand_core::rearrange;
use surehand_core::time::Call;
use surehand_core::window::Window;

use crate::context::Cx;
use crate::outline::{Lines, Outline, Word, flag, made};
use crate::physical::{PHYSICAL_MS, acting_on, needs_headed};
use crate::target::{self, Wanted, WindowView};

/// What became of a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WindowReport {
    /// The command.
    action: &'static str,
    /// The window as it came to rest.
    window: WindowView,
    /// Whether it fills the screen, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    maximized: Option<bool>,
    /// Why the change was not confirmed: the window came to rest otherwise than it was asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    unverified: Option<&'static str>,
    /// How far it got; `not_delivered` where it was so already.
    disposition: Disposition,
}

impl Outline for WindowReport {
    fn outline(&self) -> String {
        let delivery = serde_json::to_value(self.disposition.delivery).unwrap_or_default();
        let place = self.window.bounds.map(|b| format!("({},{} {}x{})", b.x, b.y, b.width, b.height));
        Lines::new()
            .words([
                Word::Own(self.action),
                made(&self.window.id),
                Word::Quoted(&self.window.title),
                delivery.as_str().map_or(Word::Nothing, made),
                self.unverified.map_or(Word::Nothing, |why| made(format!("because={why}"))),
                place.map_or(Word::Nothing, made),
                flag(self.window.is_focused, "focused"),
                flag(self.window.minimized == Some(true), "minimized"),
                flag(self.maximized == Some(true), "maximized"),
            ])
            .finish()
    }
}

/// Changes the window that is meant.
pub(crate) fn arrange(
    cx: &mut Cx<'_>,
    command: &'static str,
    wanted: Wanted<'_>,
    change: WindowChange,
) -> Result<WindowReport> {
    let call = cx.call(PHYSICAL_MS);
    let platform = cx.platform(&call)?;
    let (_, window) = target::window(platform, &call, wanted)?;
    // Window managers give a window that comes back the keyboard.
    if change == WindowChange::Restore && window.minimized == Reading::Known(true) {
        needs_headed(cx, command)?;
    }
    arrange_window(cx, &call, command, &window, change)
}

/// Changes a window.
pub(crate) fn arrange_window(
    cx: &mut Cx<'_>,
    call: &Call<'_>,
    command: &'static str,
    window: &Window,
    change: WindowChange,
) -> Result<WindowReport> {
    let platform = cx.platform(call)?;
    acting_on(cx, Some(window));
    let _alone = cx.services.leases().take(call, &Claim::Desktop)?;
    let done = rearrange::change(platform, call, window, change)?;
    cx.disposition = Some(done.delivery.into());
    Ok(WindowReport {
        action: command,
        window: WindowView::from(&done.window),
        maximized: done.window.maximized.known().copied(),
        unverified: (done.delivery == Delivery::DeliveredUnverified).then_some("came_to_rest_otherwise"),
        disposition: done.delivery.into(),
    })
}

/// A command whose only argument is the window.
macro_rules! command_on_a_window {
    ($(#[$about:meta])* $name:ident, $word:literal, $change:expr) => {
        $(#[$about])*
        #[derive(Debug, Clone, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema, ::clap::Args)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Application whose window is meant
            #[arg(long, value_name = "NAME")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            app: Option<String>,
            /// Window, as `list-windows` prints it
            #[arg(long, value_name = "ID")]
            #[serde(default, skip_serializing_if = "Option::is_none")]
            window_id: Option<String>,
        }

        impl $name {
            fn wanted(&self) -> $crate::target::Wanted<'_> {
                $crate::target::Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
            }
        }

        impl $crate::command::Command for $name {
            const SPEC: $crate::command::Spec = $crate::command::Spec::new(
                $word,
                $crate::command::Group::Applications,
                $crate::command::Effect::Act,
            );
            type Output = $crate::arrange::WindowReport;

            fn resources(&self, _: &$crate::context::Cx<'_>) -> ::surehand_core::Result<Vec<$crate::gate::Resource>> {
                Ok(vec![$crate::gate::Resource::Window(self.wanted().scope())])
            }

            fn run(self, cx: &mut $crate::context::Cx<'_>) -> ::surehand_core::Result<Self::Output> {
                $crate::arrange::arrange(cx, Self::SPEC.name, self.wanted(), $change)
            }
        }
    };
}

pub(crate) use command_on_a_window;
