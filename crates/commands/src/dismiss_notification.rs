//! `dismiss-notification`: does away with one notification.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::disposition::Disposition;
use surehand_core::notification::{self, Asked, Expected, Notice};

use crate::clipboard_set::word;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope, Subject};
use crate::list_notifications::{LOOK_MS, NoticeView};
use crate::outline::{Lines, Outline, Word, flag, labelled};

/// Dismiss the notification at a place of the list, if it is still the one that is meant
///
/// The list is read anew, and what is at that place is compared with `--expected-app` and `--expected-title`, of which
/// one is required; they are compared as they are printed. If anything differs, nothing is done. It is verified when the
/// notification server says that it is gone. It needs no `--headed`: the focus stays where it is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DismissNotification {
    /// Its place, as `list-notifications` prints it
    #[arg(value_name = "INDEX")]
    index: usize,
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

/// What was done to a notification.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// The command.
    action: &'static str,
    /// The notification, as it was found.
    notification: NoticeView,
    /// What was chosen of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// Whether it is known to be gone now.
    gone: bool,
    /// How far it got.
    disposition: Disposition,
}

impl Done {
    /// What came of asking for something.
    pub(crate) fn of(
        action: &'static str,
        index: usize,
        notice: &Notice,
        chosen: Option<String>,
        asked: &Asked,
    ) -> Done {
        let disposition = asked.delivery.into();
        Done { action, notification: NoticeView::of(index, notice), chosen, gone: asked.gone, disposition }
    }
}

impl Outline for Done {
    fn outline(&self) -> String {
        Lines::new()
            .words([
                Word::Own(self.action),
                Word::Quoted(&self.notification.title),
                labelled("app", Some(&self.notification.app_name)),
                labelled("chosen", self.chosen.as_deref()),
                word(self.disposition.delivery),
                flag(self.gone, "gone"),
            ])
            .finish()
    }
}

/// What is acted on, for the record: whose it is and never what it says.
pub(crate) fn subject(app: &str) -> Subject {
    Subject { app: Some(app.to_owned()), role: Some("notification".to_owned()), name: None }
}

impl Command for DismissNotification {
    const SPEC: Spec = Spec::new("dismiss-notification", Group::Notifications, Effect::Act);
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
        let asked = notification::dismiss(notifications, &cx.call(CONFIRM_MS), notice)?;
        cx.disposition = Some(asked.delivery.into());
        Ok(Done::of(Self::SPEC.name, self.index, notice, None, &asked))
    }
}

/// How long a server may take to say that it did as it was told.
pub(crate) const CONFIRM_MS: u64 = 3_000;
