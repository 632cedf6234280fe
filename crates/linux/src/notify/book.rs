//! What the monitor makes of what it overhears: pure, so that every order of messages can be tried.
//!
//! Who shows a notification is said by the bus, not by the message: only answers and signals of whoever has the name of
//! the notification server reach this at all.

use std::collections::VecDeque;

use surehand_core::notification::{Closed, Notice, NoticeAction, NoticeId, Notices};
use surehand_core::text::clip;

/// So many notifications are known at once.
const MOST: usize = 200;

/// So many calls may wait for their answer.
const MOST_PENDING: usize = 256;

/// The most bytes that are kept of a name or title, and of a text.
const LONGEST_LINE: usize = 1 << 10;
const LONGEST_BODY: usize = 8 << 10;

/// So many actions are kept of one.
const MOST_ACTIONS: usize = 16;

/// A call that has not been answered: who made it, its serial, and what it shows.
#[derive(Debug)]
struct Pending {
    caller: String,
    serial: u32,
    shown: Shown,
}

/// What a call to show a notification says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) app_name: String,
    pub(super) title: String,
    pub(super) body: String,
    /// Key, label, key, label.
    pub(super) actions: Vec<String>,
}

/// Everything that is known.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) notices: Notices,
    pending: VecDeque<Pending>,
}

impl Book {
    pub(super) fn new(since: u64) -> Book {
        Book { notices: Notices { since, last: 0, all: Vec::new() }, pending: VecDeque::new() }
    }

    /// Somebody asks for a notification to be shown.
    pub(super) fn asked(&mut self, caller: &str, serial: u32, shown: Shown) {
        self.pending.retain(|pending| (pending.caller.as_str(), pending.serial) != (caller, serial));
        if self.pending.len() >= MOST_PENDING {
            self.pending.pop_front();
        }
        self.pending.push_back(Pending { caller: caller.to_owned(), serial, shown });
    }

    /// The server refused a call.
    pub(super) fn refused(&mut self, caller: &str, serial: u32) {
        self.pending.retain(|pending| (pending.caller.as_str(), pending.serial) != (caller, serial));
    }

    /// The server answered a call with the number under which it shows the notification; one that has that number
    /// already was replaced. Whether the call was one that is waited for.
    pub(super) fn answered(&mut self, server: &str, caller: &str, serial: u32, number: u32, now: u64) -> bool {
        let asked = |pending: &Pending| (pending.caller.as_str(), pending.serial) == (caller, serial);
        let Some(at) = self.pending.iter().position(asked) else { return false };
        let Some(Pending { shown, .. }) = self.pending.remove(at) else { return false };
        let id = NoticeId { server: server.to_owned(), number };
        self.notices.all.retain(|notice| notice.id != id);
        if self.notices.all.len() >= MOST {
            let oldest = self.notices.all.iter().position(|notice| notice.closed.is_some()).unwrap_or(0);
            self.notices.all.remove(oldest);
        }
        self.notices.last += 1;
        let line = |text: &str, most| clip(text, most).0.to_owned();
        let actions = shown.actions.chunks_exact(2).take(MOST_ACTIONS);
        self.notices.all.push(Notice {
            id,
            sequence: self.notices.last,
            app_name: line(&shown.app_name, LONGEST_LINE),
            title: line(&shown.title, LONGEST_LINE),
            body: line(&shown.body, LONGEST_BODY),
            // A key that is cut would be another one.
            actions: actions
                .filter(|pair| pair[0].len() <= LONGEST_LINE)
                .map(|pair| NoticeAction { key: pair[0].clone(), label: line(&pair[1], LONGEST_LINE) })
                .collect(),
            shown_at: now,
            closed: None,
            invoked: Vec::new(),
        });
        true
    }

    /// The server says that one is gone.
    pub(super) fn closed(&mut self, server: &str, number: u32, reason: u32) -> bool {
        let reason = match reason {
            1 => Closed::Expired,
            2 => Closed::Dismissed,
            3 => Closed::Withdrawn,
            _ => Closed::Unsaid,
        };
        self.change(server, number, |notice| {
            notice.closed.get_or_insert(reason);
        })
    }

    /// The server tells an application that one of its actions was chosen.
    pub(super) fn invoked(&mut self, server: &str, number: u32, key: &str) -> bool {
        self.change(server, number, |notice| {
            if notice.invoked.len() < MOST_ACTIONS {
                notice.invoked.push(clip(key, LONGEST_LINE).0.to_owned());
            }
        })
    }

    /// A server has left the bus, and what it showed with it.
    pub(super) fn server_gone(&mut self, server: &str) -> bool {
        let mut any = false;
        for notice in &mut self.notices.all {
            if notice.id.server == server && notice.closed.is_none() {
                notice.closed = Some(Closed::ServerGone);
                any = true;
            }
        }
        any
    }

    fn change(&mut self, server: &str, number: u32, change: impl FnOnce(&mut Notice)) -> bool {
        let found = self.notices.all.iter_mut().find(|notice| notice.id.number == number && notice.id.server == server);
        found.map(change).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(title: &str) -> Shown {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Shown {
            app_name: "mail".into(),
            title: title.into(),
            body: String::new(),
            actions: words(&["default", "", "odd"]),
        }
    }

    fn open(book: &Book) -> Vec<(u32, &str)> {
        let open = book.notices.all.iter().filter(|notice| notice.closed.is_none());
        open.map(|notice| (notice.id.number, notice.title.as_str())).collect()
    }

    #[test]
    fn only_what_the_server_answers_was_shown() {
        let mut book = Book::new(5);
        book.asked(":1.2", 7, shown("a"));
        book.asked(":1.3", 7, shown("b"));
        assert!(open(&book).is_empty());
        assert!(!book.answered(":1.9", ":1.4", 7, 1, 6), "of somebody who asked nothing");
        assert!(book.answered(":1.9", ":1.3", 7, 1, 6));
        book.refused(":1.2", 7);
        assert!(!book.answered(":1.9", ":1.2", 7, 2, 6));
        assert_eq!(open(&book), [(1, "b")]);
        assert_eq!(book.notices.all[0].actions.len(), 1, "a key without a label is none");
    }

    #[test]
    fn what_is_shown_anew_keeps_its_number_and_comes_last() {
        let mut book = Book::new(0);
        for (serial, number, title) in [(1, 4, "a"), (2, 5, "b"), (3, 4, "a again")] {
            book.asked(":1.2", serial, shown(title));
            assert!(book.answered(":1.9", ":1.2", serial, number, 0));
        }
        assert_eq!(open(&book), [(5, "b"), (4, "a again")]);
        assert_eq!(book.notices.last, 3);
        assert!(book.closed(":1.9", 4, 2) && !book.closed(":1.8", 5, 2), "another server's number is another's");
        assert_eq!(open(&book), [(5, "b")]);
        assert!(book.invoked(":1.9", 5, "default"));
        assert!(book.server_gone(":1.9"));
        assert!(open(&book).is_empty());
        assert_eq!(book.notices.all[1].closed, Some(Closed::Dismissed));
    }

    #[test]
    fn a_flood_is_kept_to_its_last_and_what_is_shown_outlives_what_is_gone() {
        let mut book = Book::new(0);
        for number in 1..=(MOST as u32 + 50) {
            book.asked(":1.2", number, shown(&"x".repeat(5_000)));
            book.answered(":1.9", ":1.2", number, number, 0);
            if number > 10 {
                book.closed(":1.9", number, 1);
            }
        }
        assert_eq!(book.notices.all.len(), MOST);
        assert_eq!(open(&book).len(), 10);
        assert!(book.notices.all[0].title.len() <= LONGEST_LINE);
        for serial in 0..10_000 {
            book.asked(":1.2", serial, shown("never answered"));
        }
        assert_eq!(book.pending.len(), MOST_PENDING);
    }
}
