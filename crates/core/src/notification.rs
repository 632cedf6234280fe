//! Notifications: what a desktop has shown, and doing away with one or pressing its button without ever meaning
//! another.
//!
//! The place of a notification in a list is not its identity: between two looks another one may have come. A caller
//! names the place and says what it expects to find there; what is there now is compared, and the action goes to the
//! number that the notification server gave it, which no other one has.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::disposition::Delivery;
use crate::error::{Code, Error, Result};
use crate::text::{fold, quote};
use crate::time::Call;

/// How long to pause between two looks at what the server made of a request.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The identity of a notification: the connection of its server, whose name a bus never uses again, and the number it
/// has there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NoticeId {
    /// The server's own name on the bus.
    pub server: String,
    /// The number that the server gave it.
    pub number: u32,
}

/// Something that a notification offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeAction {
    /// The word that its application knows it by.
    pub key: String,
    /// What is written on the button; often empty for what a click on the notification itself does.
    pub label: String,
}

impl NoticeAction {
    /// What it is called: the label, or the key of one without.
    pub fn name(&self) -> &str {
        if self.label.is_empty() { &self.key } else { &self.label }
    }
}

/// Why a notification is not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// Its time was over.
    Expired,
    /// A person, or we, did away with it.
    Dismissed,
    /// Its application took it back.
    Withdrawn,
    /// The server did not say why.
    Unsaid,
    /// Its server ended.
    ServerGone,
}

/// A notification that was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Which it is.
    pub id: NoticeId,
    /// Its place in the order of all that were shown or shown anew: 1 for the first.
    pub sequence: u64,
    /// The application, as it calls itself.
    pub app_name: String,
    /// Its first line.
    pub title: String,
    /// Its text, where it has any.
    pub body: String,
    /// What it offers.
    pub actions: Vec<NoticeAction>,
    /// When it was shown, in seconds since 1970.
    pub shown_at: u64,
    /// Why it is gone; `None` while it is shown.
    pub closed: Option<Closed>,
    /// The keys of the actions that were invoked on it, oldest first.
    pub invoked: Vec<String>,
}

/// What was shown since somebody watches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notices {
    /// Since when it is watched, in seconds since 1970. What was shown before is not known.
    pub since: u64,
    /// The highest [`Notice::sequence`] so far; 0 when nothing was shown.
    pub last: u64,
    /// Those that are known, oldest first: all that are shown, and the last of those that are gone.
    pub all: Vec<Notice>,
}

/// The notifications of a desktop session.
pub trait Notifications: Send + Sync {
    /// What was shown so far. Where nobody watches yet, watching begins with this.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when notifications cannot be watched here.
    fn notices(&self, call: &Call<'_>) -> Result<Notices>;

    /// Asks the server to close one. `Ok` means that it was asked.
    ///
    /// # Errors
    /// `NOTIFICATION_NOT_FOUND` when it has none of that number.
    fn close(&self, call: &Call<'_>, id: &NoticeId) -> Result<()>;

    /// Invokes an action of one, by its key. `Ok` means that it was asked for.
    ///
    /// # Errors
    /// `ACTION_NOT_SUPPORTED` when this server cannot be told to, or not to do it to just this one; nothing was sent then.
    fn invoke(&self, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()>;
}

/// What a caller expects to find at a place of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The place in the list, 1 for the newest.
    pub index: usize,
    /// Only notifications of this application are counted.
    pub app: Option<&'a str>,
    /// The application's name as it was printed.
    pub expected_app: Option<&'a str>,
    /// The title as it was printed.
    pub expected_title: Option<&'a str>,
}

impl Expected<'_> {
    /// Refuses one that could be anything.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it counts from 0 or expects nothing.
    pub fn check(&self) -> Result<()> {
        if self.index == 0 {
            return Err(Error::new(Code::InvalidArgs, "notifications are counted from 1").kind("bad_index"));
        }
        if self.expected_app.is_none() && self.expected_title.is_none() {
            return Err(Error::new(
                Code::InvalidArgs,
                "a place in a list that changes does not say which notification is meant",
            )
            .kind("no_fingerprint")
            .suggest("give `--expected-app` or `--expected-title` as `list-notifications` prints them"));
        }
        Ok(())
    }
}

/// Those that are shown now, newest first, of one application or of all.
pub fn shown<'n>(notices: &'n Notices, app: Option<&str>) -> Vec<&'n Notice> {
    let mut found: Vec<&Notice> = notices
        .all
        .iter()
        .filter(|notice| notice.closed.is_none() && app.is_none_or(|app| fold(&notice.app_name) == fold(app)))
        .collect();
    found.sort_by_key(|notice| std::cmp::Reverse(notice.sequence));
    found
}

/// The one that is meant.
///
/// # Errors
/// `INVALID_ARGS` when nothing is expected of it, `NOTIFICATION_NOT_FOUND` when another one or none is there.
pub fn find<'n>(notices: &'n Notices, expected: &Expected<'_>) -> Result<&'n Notice> {
    expected.check()?;
    let shown = shown(notices, expected.app);
    let gone = |message: String| {
        Error::new(Code::NotificationNotFound, message)
            .detail("shown", shown.len())
            .suggest("use `list-notifications` again: nothing was done to any notification")
    };
    let Some(found) = shown.get(expected.index - 1) else {
        return Err(
            gone(format!("there is no notification {}; {} are shown", expected.index, shown.len())).kind("no_such_row")
        );
    };
    let differs = |expected: Option<&str>, is: &str| expected.is_some_and(|expected| expected != is);
    if differs(expected.expected_app, &found.app_name) || differs(expected.expected_title, &found.title) {
        return Err(gone(format!(
            "notification {} is not the one that was expected; it is {} of {}",
            expected.index,
            quote(&found.title),
            quote(&found.app_name)
        ))
        .kind("row_changed"));
    }
    Ok(found)
}

/// The action of that name: what is written on its button, or its key.
///
/// # Errors
/// `ACTION_NOT_SUPPORTED` when it offers none of that name, `AMBIGUOUS_TARGET` when several are called so.
pub fn action<'n>(notice: &'n Notice, name: &str) -> Result<&'n NoticeAction> {
    let found: Vec<&NoticeAction> =
        notice.actions.iter().filter(|action| action.label == name || action.key == name).collect();
    let names: Vec<&str> = notice.actions.iter().map(NoticeAction::name).collect();
    match found.as_slice() {
        [action] => Ok(action),
        [] => Err(Error::new(Code::ActionNotSupported, format!("the notification offers no action {}", quote(name)))
            .kind("no_such_action")
            .detail("actions", names)),
        _ => Err(Error::new(Code::AmbiguousTarget, format!("several actions of it are called {}", quote(name)))
            .kind("ambiguous_action")
            .detail("actions", names)),
    }
}

/// What became of what was asked of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// How far it got.
    pub delivery: Delivery,
    /// Whether the notification is gone now.
    pub gone: bool,
}

/// Does away with one, and waits until its server says that it is gone.
///
/// # Errors
/// As [`Notifications::close`].
pub fn dismiss(notifications: &dyn Notifications, call: &Call<'_>, notice: &Notice) -> Result<Asked> {
    notifications.close(call, &notice.id)?;
    let gone = wait_until(notifications, call, |now| is_gone(now, &notice.id).then_some(true))?.unwrap_or(false);
    let delivery = if gone { Delivery::DeliveredVerified } else { Delivery::DeliveredUnverified };
    Ok(Asked { delivery, gone })
}

/// What doing away with several came to.
#[derive(Debug, Clone)]
pub struct Swept<'n> {
    /// Those that are gone.
    pub dismissed: Vec<&'n Notice>,
    /// Those that are not, with what was said of them, if anything was.
    pub failed: Vec<(&'n Notice, Option<Error>)>,
}

/// Does away with each of these, and waits until their servers say that they are gone.
///
/// # Errors
/// As [`Notifications::notices`].
pub fn dismiss_all<'n>(
    notifications: &dyn Notifications,
    call: &Call<'_>,
    notices: &[&'n Notice],
) -> Result<Swept<'n>> {
    let mut refused: Vec<(&Notice, Error)> = Vec::new();
    for notice in notices {
        match notifications.close(call, &notice.id) {
            // It went by itself meanwhile.
            Ok(()) => {}
            Err(error) if error.code() == Code::NotificationNotFound => {}
            Err(error) => refused.push((notice, error)),
        }
    }
    let asked: BTreeSet<&NoticeId> = notices
        .iter()
        .map(|notice| &notice.id)
        .filter(|id| refused.iter().all(|(other, _)| other.id != **id))
        .collect();
    wait_until(notifications, call, |now| asked.iter().all(|id| is_gone(now, id)).then_some(()))?;
    let now = notifications.notices(call);
    let mut swept = Swept { dismissed: Vec::new(), failed: Vec::new() };
    for notice in notices {
        let error = refused.iter().find(|(other, _)| other.id == notice.id).map(|(_, error)| error.clone());
        if error.is_none() && now.as_ref().is_ok_and(|now| is_gone(now, &notice.id)) {
            swept.dismissed.push(notice);
        } else {
            swept.failed.push((notice, error));
        }
    }
    Ok(swept)
}

/// Presses a button of one, and waits until its server says that it told the application.
///
/// # Errors
/// As [`Notifications::invoke`]; `UNKNOWN_OUTCOME` when another action was told instead.
pub fn invoke(
    notifications: &dyn Notifications,
    call: &Call<'_>,
    notice: &Notice,
    action: &NoticeAction,
) -> Result<Asked> {
    let before = notifications.notices(call)?;
    notifications.invoke(call, notice, action)?;
    let told = wait_until(notifications, call, |now| {
        // Others may be used by a person at the same time; what is new of this one is what was asked for.
        let now = row(now, &notice.id)?;
        let known = row(&before, &notice.id).map_or(0, |before| before.invoked.len());
        let new = now.invoked.get(known..)?;
        (!new.is_empty()).then(|| new.contains(&action.key))
    })?;
    let gone = notifications.notices(call).is_ok_and(|now| is_gone(&now, &notice.id));
    match told {
        Some(true) => Ok(Asked { delivery: Delivery::DeliveredVerified, gone }),
        None => Ok(Asked { delivery: Delivery::DeliveredUnverified, gone }),
        Some(false) => Err(Error::new(
            Code::UnknownOutcome,
            "the server told the application of another action than was asked for",
        )
        .kind("other_action")
        .delivery(Delivery::DeliveryUncertain)),
    }
}

fn row<'n>(notices: &'n Notices, id: &NoticeId) -> Option<&'n Notice> {
    notices.all.iter().find(|notice| notice.id == *id)
}

/// Whether it is known to be gone. One that is not among those that are known may be shown all the same: whoever watches
/// may have begun anew.
fn is_gone(notices: &Notices, id: &NoticeId) -> bool {
    row(notices, id).is_some_and(|notice| notice.closed.is_some())
}

/// Looks until something is so, or the time of the call is over: `None` then, since what was asked has been sent.
fn wait_until<T>(
    notifications: &dyn Notifications,
    call: &Call<'_>,
    mut look: impl FnMut(&Notices) -> Option<T>,
) -> Result<Option<T>> {
    loop {
        match notifications.notices(call) {
            Ok(now) => {
                if let Some(found) = look(&now) {
                    return Ok(Some(found));
                }
            }
            Err(error) if error.code() == Code::Timeout => return Ok(None),
            Err(error) => return Err(error.delivery(Delivery::DeliveredUnverified)),
        }
        if call.go_on().is_err() {
            return Ok(None);
        }
        call.clock.pause(LOOK_AGAIN.min(call.left()), call.cancel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(number: u32, app: &str, title: &str) -> Notice {
        Notice {
            id: NoticeId { server: ":1.7".into(), number },
            sequence: u64::from(number),
            app_name: app.into(),
            title: title.into(),
            body: String::new(),
            actions: Vec::new(),
            shown_at: 0,
            closed: None,
            invoked: Vec::new(),
        }
    }

    fn expected<'a>(index: usize, app: Option<&'a str>, title: Option<&'a str>) -> Expected<'a> {
        Expected { index, app: None, expected_app: app, expected_title: title }
    }

    #[test]
    fn a_place_is_not_an_identity() {
        let mut notices =
            Notices { since: 0, last: 2, all: vec![notice(1, "Mail", "Two letters"), notice(2, "Chat", "Hello")] };
        let code = |notices: &Notices, what| find(notices, &what).map(|found| found.id.number).map_err(|e| e.code());
        assert_eq!(code(&notices, expected(1, Some("Chat"), None)), Ok(2));
        assert_eq!(code(&notices, expected(2, None, Some("Two letters"))), Ok(1));
        assert_eq!(code(&notices, expected(1, None, None)), Err(Code::InvalidArgs));
        assert_eq!(code(&notices, expected(0, Some("Chat"), None)), Err(Code::InvalidArgs));
        assert_eq!(code(&notices, expected(3, Some("Chat"), None)), Err(Code::NotificationNotFound));
        assert_eq!(code(&notices, expected(1, Some("chat"), None)), Err(Code::NotificationNotFound));
        // Another one came, and what was first is second.
        notices.all.push(notice(3, "Chat", "Are you there?"));
        assert_eq!(code(&notices, expected(1, Some("Chat"), Some("Hello"))), Err(Code::NotificationNotFound));
        notices.all.retain(|notice| notice.id.number != 3);
        notices.all[1].closed = Some(Closed::Expired);
        assert_eq!(code(&notices, expected(1, Some("Chat"), None)), Err(Code::NotificationNotFound));
    }

    #[test]
    fn an_action_is_named_by_its_button_or_its_key() {
        let mut mail = notice(1, "Mail", "Two letters");
        let offer = |key: &str, label: &str| NoticeAction { key: key.into(), label: label.into() };
        mail.actions = vec![offer("default", ""), offer("1", "Reply"), offer("2", "Reply"), offer("Reply all", "Open")];
        assert_eq!(action(&mail, "default").map(NoticeAction::name).ok(), Some("default"));
        assert_eq!(action(&mail, "2").map(NoticeAction::name).ok(), Some("Reply"));
        assert_eq!(action(&mail, "Reply").map_err(|e| e.code()), Err(Code::AmbiguousTarget));
        assert_eq!(action(&mail, "reply all").map_err(|e| e.code()), Err(Code::ActionNotSupported));
    }
}
