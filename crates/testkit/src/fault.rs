//! A file system that fails and forgets, and a count of what got lost on it.
//!
//! [`model`] is a file system in memory, under the kernel's one door to files. It knows for every change whether it is
//! durable, and which changes a power loss may keep without which others. [`crash`] lets the power fail after every
//! change and looks at what recovery makes of every state that could be left; [`errors`] lets every call fail; [`kill`]
//! kills a real process at every change of real files.

use std::process::ExitCode;

pub mod crash;
pub mod errors;
pub mod kill;
pub mod model;
pub mod oracle;
pub mod work;

/// What a run found.
#[derive(Debug, Default, Clone)]
pub struct Count {
    /// Points at which something was made to fail.
    pub points: u64,
    /// States that were recovered from.
    pub states: u64,
    /// Files that are nowhere.
    pub lost: u64,
    /// Files that are somewhere they should not be.
    pub duplicated: u64,
    /// Lines of the journal that are not true.
    pub misreported: u64,
    /// What else went wrong: recovery or undo that failed.
    pub stuck: u64,
    /// The first stories of what went wrong.
    pub stories: Vec<String>,
}

impl Count {
    /// Adds another count.
    pub fn add(&mut self, other: Count) {
        self.points += other.points;
        self.states += other.states;
        self.lost += other.lost;
        self.duplicated += other.duplicated;
        self.misreported += other.misreported;
        self.stuck += other.stuck;
        let room = 20_usize.saturating_sub(self.stories.len());
        self.stories.extend(other.stories.into_iter().take(room));
    }

    /// Whether nothing went wrong, and something was tried.
    pub fn is_clean(&self) -> bool {
        self.states > 0 && self.lost + self.duplicated + self.misreported + self.stuck == 0
    }

    /// Tells of something that went wrong.
    pub fn story(&mut self, story: String) {
        if self.stories.len() < 20 {
            self.stories.push(story);
        }
    }

    /// As the exit status of a program.
    pub fn exit(&self) -> ExitCode {
        if self.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
