//! `focus-window`: brings a window to the front and gives it the keyboard.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::platform::WindowChange;
use surehand_core::text::fold;
use surehand_core::{Code, Error, Result};

use crate::arrange::{WindowReport, arrange_window};
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::physical::{PHYSICAL_MS, needs_headed};
use crate::target::{self, Wanted};

/// Bring a window to the front and give it the keyboard
///
/// Needs `--headed`: it takes the focus from whatever a person is using. Success is only what the window system confirms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct FocusWindow {
    /// Window, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Application whose window is meant
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Part of the title of the window that is meant
    #[arg(long, value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl Command for FocusWindow {
    const SPEC: Spec = Spec::new("focus-window", Group::Applications, Effect::Input);
    type Output = WindowReport;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        let wanted = self.wanted();
        Ok(vec![Resource::Window(if wanted.is_nothing() { Scope::All } else { wanted.scope() })])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<WindowReport> {
        needs_headed(cx, Self::SPEC.name)?;
        let call = cx.call(PHYSICAL_MS);
        let platform = cx.platform(&call)?;
        let window = match &self.title {
            None if self.wanted().is_nothing() => {
                return Err(Error::new(Code::InvalidArgs, "no window is named")
                    .kind("no_window_named")
                    .suggest("name it with `--window-id`, `--app` or `--title`"));
            }
            None => target::window(platform, &call, self.wanted())?.1,
            Some(title) => {
                let title = fold(title);
                let listing = platform.applications(&call)?;
                let applications = match &self.app {
                    Some(app) => target::applications_named(&listing, app)?,
                    None => listing.items,
                };
                let mut found = platform.windows(&call, &applications)?.items;
                found.retain(|window| {
                    let of_app =
                        |application: &surehand_core::object::Application| application.process == window.process;
                    fold(&window.title).contains(&title)
                        && self.window_id.as_deref().is_none_or(|id| window.is_called(id))
                        && (self.app.is_none() || applications.iter().any(of_app))
                });
                target::the_only(found, || {
                    Error::new(Code::WindowNotFound, "no window has that in its title").suggest("see `list-windows`")
                })?
            }
        };
        arrange_window(cx, &call, Self::SPEC.name, &window, WindowChange::Focus)
    }
}

impl FocusWindow {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }
}
