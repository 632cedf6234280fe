//! `list-notifications`: the notifications that are shown.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::Result;
use surehand_core::notification::{Notice, NoticeAction, shown};
use surehand_core::text::fold;

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::gate::{Resource, Scope};
use crate::outline::{Lines, Outline, Word, labelled, made, quoted};

/// List the notifications that are shown now, the newest first
///
/// The first use on a desktop starts a process of surehand that watches them from then on; on a private desktop it is
/// there from the start. What was shown before is not known. It needs no `--headed`: nothing is opened for it, and the
/// focus stays where it is. Texts are as their applications wrote them, and may be private.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListNotifications {
    /// Only those of this application, by the name it gives itself
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Only those with this in their title or text; their indexes stay
    #[arg(long, value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
}

/// How long the list may take, the start of the process that watches included.
pub(crate) const LOOK_MS: u64 = 10_000;

/// The notifications that are shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Listed {
    /// How many there are of those asked for, also beyond the limit.
    count: usize,
    /// Those that are shown, the newest first.
    notifications: Vec<NoticeView>,
    /// Since when they are watched, in seconds since 1970. One that was shown before is not here.
    watching_since: u64,
}

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NoticeView {
    /// Its place, 1 for the newest; with `--app` among those of that application.
    index: usize,
    /// The application, as it calls itself.
    pub(crate) app_name: String,
    /// Its first line.
    pub(crate) title: String,
    /// Its text, with whatever markup it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// The names of what it offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actions: Vec<String>,
    /// When it was shown, in seconds since 1970.
    shown_at: u64,
}

impl NoticeView {
    /// The notification at this place.
    pub(crate) fn of(index: usize, notice: &Notice) -> NoticeView {
        NoticeView {
            index,
            app_name: notice.app_name.clone(),
            title: notice.title.clone(),
            body: Some(notice.body.clone()).filter(|body| !body.is_empty()),
            actions: notice.actions.iter().map(NoticeAction::name).map(str::to_owned).collect(),
            shown_at: notice.shown_at,
        }
    }
}

impl Outline for Listed {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([Word::Own("notifications"), made(self.count)]);
        for notice in &self.notifications {
            let words = [
                made(notice.index),
                Word::Quoted(&notice.title),
                quoted(notice.body.as_deref()),
                labelled("app", Some(&notice.app_name)),
            ];
            lines.words(words.into_iter().chain(notice.actions.iter().map(|action| Word::Labelled("action", action))));
        }
        lines.finish()
    }
}

impl Command for ListNotifications {
    const SPEC: Spec = Spec::new("list-notifications", Group::Notifications, Effect::Observe);
    type Output = Listed;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::NotifyRead(self.app.clone().map_or(Scope::All, Scope::Named))])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Listed> {
        let call = cx.call(LOOK_MS);
        let notices = cx.platform(&call)?.notifications()?.notices(&call)?;
        let wanted = self.text.as_deref().map(fold);
        let holds = |text: &str| wanted.as_ref().is_none_or(|wanted| fold(text).contains(wanted));
        let found: Vec<NoticeView> = shown(&notices, self.app.as_deref())
            .into_iter()
            .enumerate()
            .filter(|(_, notice)| holds(&notice.title) || holds(&notice.body))
            .map(|(at, notice)| NoticeView::of(at + 1, notice))
            .collect();
        let count = found.len();
        let notifications = found.into_iter().take(self.limit.unwrap_or(usize::MAX)).collect();
        Ok(Listed { count, notifications, watching_since: notices.since })
    }
}
