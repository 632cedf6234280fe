//! `notification-action`: chooses something that a notification offers.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::notification::{self, Expected};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::dismiss_notification::{CONFIRM_MS, Done, subject};
use crate::gate::{Resource, Scope};
use crate::list_notifications::LOOK_MS;

/// Choose an action of the notification at a place of the list, if it is still the one that is meant
///
/// What is at that place is compared as with `dismiss-notification`. Whether it can be done depends on the notification
/// server: dunst is told to choose the default or only action of the only notification it shows; the buttons that
/// xfce4-notifyd shows are pressed through the accessibility interface; others refuse. It is verified when the server
/// tells the application. It needs no `--headed`: the focus stays where it is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotificationAction {
    /// Its place, as `list-notifications` prints it
    #[arg(value_name = "INDEX")]
    index: usize,
    /// Name of the action, as `list-notifications` prints it, or the key that its application knows it by
    #[arg(value_name = "ACTION")]
    action: String,
    /// Count only those of this application, as with `list-notifications --app`
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Application that has to be at that place
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_app: Option<String>,
    /// Title that has to be at that place
    #[arg(long, value_name = "TITLE")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected_title: Option<String>,
}

impl Command for NotificationAction {
    const SPEC: Spec = Spec::new("notification-action", Group::Notifications, Effect::Act);
    type Output = Done;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        let app = self.expected_app.clone().or_else(|| self.app.clone());
        Ok(vec![Resource::NotifyAct(app.map_or(Scope::All, Scope::Named))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Done> {
        let expected = Expected {
            index: self.index,
            app: self.app.as_deref(),
            expected_app: self.expected_app.as_deref(),
            expected_title: self.expected_title.as_deref(),
        };
        expected.check()?;
        let call = cx.call(LOOK_MS);
        let notifications = cx.platform(&call)?.notifications()?;
        let notices = notifications.notices(&call)?;
        let notice = notification::find(&notices, &expected)?;
        cx.subject = subject(&notice.app_name);
        let action = notification::action(notice, &self.action)?;
        let asked = notification::invoke(notifications, &cx.call(CONFIRM_MS), notice, action)?;
        cx.disposition = Some(asked.delivery.into());
        Ok(Done::of(Self::SPEC.name, self.index, notice, Some(action.name().to_owned()), &asked))
    }
}
