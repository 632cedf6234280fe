//! One process, known in a way that survives the reuse of its pid.

use std::fs;

use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid};
use serde::{Deserialize, Serialize};

/// A pid together with the moment its process started, in clock ticks since the system came up (field 22
/// of `/proc/PID/stat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) pid: u32,
    pub(super) started: u64,
}

/// What `/proc/PID/stat` says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) stamp: Stamp,
    pub(super) parent: u32,
    /// It has ended and only waits for its parent to notice.
    pub(super) over: bool,
}

impl Stat {
    /// Reads it; `None` when there is no such process.
    pub(super) fn of(pid: u32) -> Option<Stat> {
        parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Every process there is.
    pub(super) fn all() -> std::io::Result<Vec<Stat>> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            if let Some(stat) = name.to_str().and_then(|name| name.parse().ok()).and_then(Stat::of) {
                found.push(stat);
            }
        }
        Ok(found)
    }
}

/// The program's name stands in parentheses and may itself hold blanks and parentheses, so the fields are
/// counted from the last one.
fn parse(pid: u32, text: &str) -> Option<Stat> {
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let over = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { stamp: Stamp { pid, started }, parent, over })
}

impl Stamp {
    /// Of a running process.
    pub(super) fn of(pid: u32) -> Option<Stamp> {
        Stat::of(pid).filter(|stat| !stat.over).map(|stat| stat.stamp)
    }

    /// Whether this very process still runs.
    pub(super) fn runs(self) -> bool {
        Stamp::of(self.pid) == Some(self)
    }

    /// A hold on this very process: opened first and compared afterwards, so that it can never be another
    /// one that got the same pid. `None` when it has ended.
    pub(super) fn open(self) -> Option<Hold> {
        let fd = open_pidfd(self.pid)?;
        self.runs().then_some(Hold { stamp: self, fd })
    }
}

/// A process that signals can be sent to without ever hitting another.
#[derive(Debug)]
pub(super) struct Hold {
    pub(super) stamp: Stamp,
    pub(super) fd: OwnedFd,
}

impl Hold {
    /// Sends a signal; that the process has ended meanwhile is no failure.
    pub(super) fn signal(&self, signal: Signal) -> std::io::Result<()> {
        match pidfd_send_signal(&self.fd, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Takes note of its end, if it was our child, so that it does not stay behind as a zombie.
    pub(super) fn reap(&self) {
        use rustix::fd::AsFd as _;
        // Not our child, or taken note of already: both are fine.
        let _ = waitid(WaitId::PidFd(self.fd.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

/// A pidfd for a pid; `None` when there is no such process.
pub(super) fn open_pidfd(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// The name of the program that a process runs, at most 15 bytes of it; empty when it has ended.
pub(super) fn program(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

/// Tells one run of the system from the next: pids and start times begin anew with each. Empty when the
/// system does not say.
pub(super) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_move_the_fields() {
        let tail = "S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let plain = parse(5, &format!("5 (sh) {tail}"));
        assert_eq!(plain, Some(Stat { stamp: Stamp { pid: 5, started: 4711 }, parent: 7, over: false }));
        assert_eq!(parse(5, &format!("5 (a) Z 9 (b c) {tail}")), plain);
        assert_eq!(parse(5, "5 (sh) S 7"), None);
    }

    #[test]
    fn this_process_runs_and_another_start_time_is_another_process() {
        let own = Stamp::of(std::process::id()).unwrap();
        assert!(own.runs());
        assert!(own.open().is_some());
        let other = Stamp { started: own.started + 1, ..own };
        assert!(!other.runs());
        assert!(other.open().is_none());
    }
}
