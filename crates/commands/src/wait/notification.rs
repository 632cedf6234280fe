//! Waiting for a notification.

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::Result;
use surehand_core::notification::Notice;
use surehand_core::text::{fold, quote};
use surehand_core::time::Call;
use surehand_core::wait::{Look, until};

use super::{Before, Wait, Waited};
use crate::context::Cx;

/// A notification that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoticeShown {
    /// Its place among all that were shown, from 1.
    pub sequence: u64,
    /// The application, as it calls itself.
    pub app_name: String,
    /// Its first line.
    pub title: String,
    /// Its text, where it has any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// What it offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
}

impl From<Notice> for NoticeShown {
    fn from(notice: Notice) -> Self {
        NoticeShown {
            sequence: notice.sequence,
            app_name: notice.app_name,
            title: notice.title,
            body: notice.body,
            actions: notice.actions.into_iter().map(|action| action.label).collect(),
        }
    }
}

/// The place of the last one that was shown.
pub(super) fn newest(cx: &Cx<'_>, call: &Call<'_>) -> Result<u64> {
    let shown = cx.services.notifications_shown(call)?;
    Ok(shown.iter().map(|notice| notice.sequence).max().unwrap_or(0))
}

impl Wait {
    pub(super) fn notice(&self, cx: &Cx<'_>, call: &Call<'_>) -> Result<Waited> {
        let before = match self.before {
            Some(Before::Notification(newest)) => newest,
            _ => newest(cx, call)?,
        };
        let fits = |notice: &NoticeShown| {
            let app = self.app.as_deref().is_none_or(|app| fold(app) == fold(&notice.app_name));
            let says = |text: &str| [&notice.title, &notice.body].iter().any(|part| fold(part).contains(&fold(text)));
            notice.sequence > before && app && self.text.as_deref().is_none_or(says)
        };
        let notice = until(call, "a notification", || {
            let shown = cx.services.notifications_shown(call)?;
            Ok(match shown.iter().find(|notice| fits(notice)) {
                Some(notice) => Look::Holds(notice.clone()),
                None => Look::NotYet(match shown.iter().rev().find(|notice| notice.sequence > before) {
                    None => "none was shown".to_owned(),
                    Some(other) => format!("the last one was {} of {}", quote(&other.title), quote(&other.app_name)),
                }),
            })
        })?;
        Ok(Waited {
            condition: Some("notification"),
            matched: Some(true),
            notification: Some(notice),
            ..Waited::default()
        })
    }
}
