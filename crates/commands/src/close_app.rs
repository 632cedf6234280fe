//! `close-app`: asks an application to end.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::error::Code;
use surehand_core::text::quote;
use surehand_core::wait::{Look, until};
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::{Resource, Scope, Subject};
use crate::outline::{Lines, Outline, Word, flag, made};
use crate::target::{self, WindowView};

/// Ask an application to close its windows, as their close buttons would
///
/// An application that asks back, for example whether to save, stays: the answer says `closed: false` and lists its
/// windows.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct CloseApp {
    /// Application, by its name or its program's name
    #[arg(value_name = "APP")]
    app: String,
    /// Milliseconds to wait until it has ended
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// What closing an application did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Closed {
    /// The command.
    action: &'static str,
    /// The application.
    app: String,
    /// Its process.
    pid: u32,
    /// How many windows were asked to close.
    requested: usize,
    /// Whether its process has ended.
    closed: bool,
    /// The windows it still has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    windows: Vec<WindowView>,
    /// How far it got.
    disposition: Disposition,
}

impl Outline for Closed {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("close-app"),
            Word::Quoted(&self.app),
            made(format!("pid={}", self.pid)),
            flag(self.closed, "closed"),
            flag(!self.closed, "still-running"),
        ]);
        for window in &self.windows {
            lines.words([Word::Own("window"), made(&window.id), Word::Quoted(&window.title)]);
        }
        lines.finish()
    }
}

impl Command for CloseApp {
    const SPEC: Spec = Spec::new("close-app", Group::Applications, Effect::Act);
    type Output = Closed;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::Window(Scope::Named(self.app.clone()))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Closed> {
        let call = cx.call_for_action(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let listing = platform.applications(&call)?;
        let mut named = target::applications_named(&listing, &self.app)?;
        if named.len() > 1 {
            let candidates: Vec<_> = named.iter().map(|app| (app.name.clone(), app.process.pid)).collect();
            return Err(Error::new(
                Code::AmbiguousTarget,
                format!("{} running applications are named {}", named.len(), quote(&self.app)),
            )
            .kind("ambiguous_app")
            .detail("candidates", candidates)
            .suggest("close the windows you mean through their own close buttons"));
        }
        let Some(application) = named.pop() else {
            return Err(Error::new(Code::Internal, "a list of applications lost one"));
        };
        cx.subject = Subject { app: Some(application.name.clone()), ..Subject::default() };
        let own = std::slice::from_ref(&application);
        let windows = |call: &_| -> Result<Vec<_>> {
            let all = platform.windows(call, own)?;
            if let Some(silent) = all.unresponsive.iter().find(|silent| silent.pid == application.process.pid) {
                return Err(Error::new(
                    Code::AppUnresponsive,
                    format!("{} (process {}) does not answer", quote(&silent.program), silent.pid),
                )
                .detail("pid", silent.pid));
            }
            Ok(all.items.into_iter().filter(|window| window.process == application.process).collect())
        };
        let mut requested = 0;
        let mut refused = None;
        for window in windows(&call)? {
            match platform.close(&call, &window) {
                Ok(()) => requested += 1,
                // A dialog goes with the window that it belongs to.
                Err(error) => refused = Some(error),
            }
        }
        if requested == 0 {
            return Err(refused.unwrap_or_else(|| {
                Error::new(Code::WindowNotFound, format!("{} has no window to close", quote(&application.name)))
            }));
        }
        let waiting = call.at_most(std::time::Duration::from_millis(self.timeout_ms));
        let ended = until(&waiting, "the application ending", || {
            Ok(if platform.is_running(&application.process) {
                Look::NotYet("it is still running".into())
            } else {
                Look::Holds(())
            })
        });
        let closed = match ended {
            Ok(()) => true,
            Err(error) if error.kind_of() == Some("wait_timeout") => false,
            Err(error) => return Err(error.delivery(Delivery::DeliveredUnverified)),
        };
        let left = if closed { Vec::new() } else { windows(&call).unwrap_or_default() };
        let delivery = if closed { Delivery::DeliveredVerified } else { Delivery::DeliveredUnverified };
        cx.disposition = Some(delivery.into());
        Ok(Closed {
            action: Self::SPEC.name,
            app: application.name.clone(),
            pid: application.process.pid,
            requested,
            closed,
            windows: left.iter().map(WindowView::from).collect(),
            disposition: delivery.into(),
        })
    }
}
