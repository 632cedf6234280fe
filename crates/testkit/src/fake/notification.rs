//! The fake's notification server, and what its monitor knows.

use std::collections::HashSet;

use surehand_core::error::{Code, Error, Result};
use surehand_core::notification::{Closed, Notice, NoticeAction, NoticeId, Notices, Notifications};
use surehand_core::time::Call;

use super::scene::Scene;
use super::{FakePlatform, lock};

/// Seconds since 1970 at which the fake's time begins.
const BEGINNING: u64 = 1_700_000_000;

/// What is shown, and how the server behaves.
#[derive(Debug)]
pub(crate) struct Tray {
    notices: Notices,
    deaf: HashSet<u32>,
    refuses: bool,
    mistakes: bool,
}

impl Default for Tray {
    fn default() -> Self {
        let notices = Notices { since: BEGINNING, last: 0, all: Vec::new() };
        Tray { notices, deaf: HashSet::new(), refuses: false, mistakes: false }
    }
}

impl Scene {
    /// Shows a notification with actions, each a key and a label.
    pub fn notify(&mut self, app: &str, title: &str, body: &str, actions: &[(&str, &str)]) -> NoticeId {
        let shown_at = BEGINNING + self.now().as_secs();
        let notices = &mut self.tray.notices;
        notices.last += 1;
        let number = u32::try_from(notices.last).unwrap_or(u32::MAX);
        let id = NoticeId { server: ":1.50".to_owned(), number };
        let offer = |(key, label): &(&str, &str)| NoticeAction { key: (*key).to_owned(), label: (*label).to_owned() };
        notices.all.push(Notice {
            id: id.clone(),
            sequence: notices.last,
            app_name: app.to_owned(),
            title: title.to_owned(),
            body: body.to_owned(),
            actions: actions.iter().map(offer).collect(),
            shown_at,
            closed: None,
            invoked: Vec::new(),
        });
        id
    }

    /// Its time is over.
    pub fn expire(&mut self, id: &NoticeId) {
        self.close_notice(id, Closed::Expired);
    }

    /// Lets the server not say that this one is gone, whatever it is told.
    pub fn never_closes(&mut self, id: &NoticeId) {
        self.tray.deaf.insert(id.number);
    }

    /// Lets the server have no way to choose actions.
    pub fn refuses_actions(&mut self) {
        self.tray.refuses = true;
    }

    /// Lets the server tell the application of the last action, whichever is chosen.
    pub fn mistakes_actions(&mut self) {
        self.tray.mistakes = true;
    }

    /// Those that were shown, with what became of them.
    pub fn notices(&self) -> &[Notice] {
        &self.tray.notices.all
    }

    fn close_notice(&mut self, id: &NoticeId, why: Closed) {
        let found = self.tray.notices.all.iter_mut().find(|notice| notice.id == *id);
        found.unwrap_or_else(|| panic!("no notification has the number {}", id.number)).closed = Some(why);
    }
}

impl Notifications for FakePlatform {
    fn notices(&self, call: &Call<'_>) -> Result<Notices> {
        call.go_on()?;
        Ok(lock(&self.scene).tray.notices.clone())
    }

    fn close(&self, call: &Call<'_>, id: &NoticeId) -> Result<()> {
        call.go_on()?;
        let mut scene = lock(&self.scene);
        if !scene.tray.deaf.contains(&id.number) {
            scene.close_notice(id, Closed::Withdrawn);
        }
        Ok(())
    }

    fn invoke(&self, call: &Call<'_>, notice: &Notice, action: &NoticeAction) -> Result<()> {
        call.go_on()?;
        let tray = &mut lock(&self.scene).tray;
        if tray.refuses {
            return Err(Error::new(Code::ActionNotSupported, "nobody but a person can choose an action")
                .kind("server_cannot_act"));
        }
        let mistakes = tray.mistakes;
        let found = tray.notices.all.iter_mut().find(|other| other.id == notice.id);
        let found = found.unwrap_or_else(|| panic!("no notification has the number {}", notice.id.number));
        let last = found.actions.last().map_or_else(String::new, |action| action.key.clone());
        found.invoked.push(if mistakes { last } else { action.key.clone() });
        found.closed = Some(Closed::Dismissed);
        Ok(())
    }
}
