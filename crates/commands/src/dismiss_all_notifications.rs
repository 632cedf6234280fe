//! `dismiss-all-notifications`: does away with all notifications, or with those of one application.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::{Delivery, Disposition};
use surehand_core::notification::{self, Notice};

use crate::clipboard_set::word;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::dismiss_notification::{CONFIRM_MS, subject};
use crate::gate::{Resource, Scope};
use crate::list_notifications::LOOK_MS;
use crate::outline::{Lines, Outline, Word, labelled, made};

/// Dismiss all notifications that are shown, or those of one application
///
/// Those that are shown when it begins, and none that comes meanwhile. It needs no `--headed`: the focus stays where it
/// is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DismissAllNotifications {
    /// Only those of this application, by the name it gives itself
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
}

/// What was dismissed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Swept {
    /// How many are gone.
    dismissed_count: usize,
    /// Those that are not known to be gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<Failure>,
    /// How many those are.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_count: Option<usize>,
    /// How far it got with all of them together.
    disposition: Disposition,
}

/// One that is not known to be gone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Failure {
    /// The application, as it calls itself.
    app_name: String,
    /// Its first line.
    title: String,
    /// Why; without it the server has only not said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Outline for Swept {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("dismiss-all-notifications"),
            made(self.dismissed_count),
            self.failed_count.map_or(Word::Nothing, |count| made(format!("failed={count}"))),
            word(self.disposition.delivery),
        ]);
        for failure in &self.failures {
            lines.words([Word::Own("failed"), Word::Quoted(&failure.title), labelled("app", Some(&failure.app_name))]);
        }
        lines.finish()
    }
}

impl Command for DismissAllNotifications {
    const SPEC: Spec = Spec::new("dismiss-all-notifications", Group::Notifications, Effect::Act);
    type Output = Swept;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::NotifyAct(self.app.clone().map_or(Scope::All, Scope::Named))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Swept> {
        let call = cx.call(LOOK_MS);
        let notifications = cx.platform(&call)?.notifications()?;
        let notices = notifications.notices(&call)?;
        let shown = notification::shown(&notices, self.app.as_deref());
        if let Some(Notice { app_name, .. }) = shown.first()
            && shown.iter().all(|other| other.app_name == *app_name)
        {
            cx.subject = subject(app_name);
        }
        let swept = notification::dismiss_all(notifications, &cx.call(CONFIRM_MS), &shown)?;
        let delivery = match (shown.is_empty(), swept.failed.is_empty()) {
            (true, _) => Delivery::NotDelivered,
            (_, true) => Delivery::DeliveredVerified,
            (_, false) => Delivery::DeliveredUnverified,
        };
        cx.disposition = Some(delivery.into());
        let failures: Vec<Failure> = swept
            .failed
            .iter()
            .map(|(notice, error)| Failure {
                app_name: notice.app_name.clone(),
                title: notice.title.clone(),
                message: error.as_ref().map(|error| error.message().to_owned()),
            })
            .collect();
        let failed_count = (!failures.is_empty()).then_some(failures.len());
        Ok(Swept { dismissed_count: swept.dismissed.len(), failures, failed_count, disposition: delivery.into() })
    }
}
