//! What the kernel tells of a process, and a hold on one that survives the reuse of its pid.
//!
//! The only reader of `/proc`. What is read there is bytes: the name of a program is whatever its maker chose.

use std::fs;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid};
use serde::{Deserialize, Serialize};
use surehand_core::object::Process;

/// So much of the id of a boot goes into a [`generation`].
const BOOT_DIGITS: usize = 8;

/// A pid together with the moment its process started, in clock ticks since the system came up (field 22
/// of `/proc/PID/stat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) pid: u32,
    pub(crate) started: u64,
}

/// What `/proc/PID/stat` says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) stamp: Stamp,
    pub(crate) parent: u32,
    /// The letter of field 3.
    state: u8,
}

impl Stat {
    /// Reads it; `None` when there is no such process.
    pub(crate) fn of(pid: u32) -> Option<Stat> {
        parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Every process there is.
    pub(crate) fn all() -> std::io::Result<Vec<Stat>> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            if let Some(stat) = name.to_str().and_then(|name| name.parse().ok()).and_then(Stat::of) {
                found.push(stat);
            }
        }
        Ok(found)
    }

    /// It has ended and only waits for its parent to notice.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.state, b'Z' | b'X')
    }
}

/// The fields are numbered as in proc(5). The second one, the program's name in parentheses, can hold any
/// bytes, blanks and parentheses too, so fields are counted from the last closing one.
fn parse(pid: u32, stat: &[u8]) -> Option<Stat> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Stat { stamp: Stamp { pid, started }, parent, state })
}

impl Stamp {
    /// Of a running process.
    pub(crate) fn of(pid: u32) -> Option<Stamp> {
        Stat::of(pid).filter(|stat| !stat.is_over()).map(|stat| stat.stamp)
    }

    /// Whether this very process still runs.
    pub(crate) fn runs(self) -> bool {
        Stamp::of(self.pid) == Some(self)
    }

    /// A hold on this very process: opened first and compared afterwards, so that it can never be another
    /// one that got the same pid. `None` when it has ended.
    pub(crate) fn open(self) -> Option<Hold> {
        let fd = open_pidfd(self.pid)?;
        self.runs().then_some(Hold { stamp: self, fd })
    }
}

/// A process that signals can be sent to without ever hitting another.
#[derive(Debug)]
pub(crate) struct Hold {
    pub(crate) stamp: Stamp,
    pub(crate) fd: OwnedFd,
}

impl Hold {
    /// Sends a signal; that the process has ended meanwhile is no failure.
    pub(crate) fn signal(&self, signal: Signal) -> std::io::Result<()> {
        match pidfd_send_signal(&self.fd, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Takes note of its end, if it was our child, so that it does not stay behind as a zombie.
    pub(crate) fn reap(&self) {
        // Not our child, or taken note of already: both are fine.
        let _ = waitid(WaitId::PidFd(self.fd.as_fd()), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}

/// A pidfd for a pid; `None` when there is no such process.
pub(crate) fn open_pidfd(pid: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Tells one run of the system from the next: pids and start times begin anew with each. Empty when the
/// system does not say.
pub(crate) fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// The start of a process, unique across boots: two processes of the same pid never share it. The first
/// eight characters of the boot's id, a dash, and the ticks of its [`Stamp`].
///
/// The same token is made where applications are launched, so that a launched process and the one found on
/// the accessibility bus can be compared.
pub(crate) fn generation(pid: u32) -> Option<String> {
    token(&boot(), Stat::of(pid)?.stamp.started)
}

fn token(boot: &str, started: u64) -> Option<String> {
    Some(format!("{}-{started}", boot.get(..BOOT_DIGITS)?))
}

/// The process of that pid as it is now.
pub fn process(pid: u32) -> Option<Process> {
    Some(Process { pid, generation: generation(pid)? })
}

/// Whether the very process is running: neither gone, nor a zombie, nor another one of the same pid.
pub(crate) fn is_running(process: &Process) -> bool {
    Stamp::of(process.pid).and_then(|stamp| token(&boot(), stamp.started)).as_ref() == Some(&process.generation)
}

/// Whether the process has been stopped by a signal or a debugger, so that asking it anything is in vain.
pub(crate) fn is_stopped(pid: u32) -> bool {
    Stat::of(pid).is_some_and(|stat| matches!(stat.state, b'T' | b't'))
}

/// The file name of the program, from the kernel and not from what the process calls itself. Empty when it
/// has ended.
pub(crate) fn program(pid: u32) -> String {
    let exe = fs::read_link(format!("/proc/{pid}/exe")).ok();
    let name = exe.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    name.map(|name| name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned())
        .or_else(|| {
            let comm = fs::read(format!("/proc/{pid}/comm")).ok()?;
            Some(String::from_utf8_lossy(comm.trim_ascii_end()).into_owned())
        })
        .unwrap_or_default()
}

/// Whether a process was started with this entry, `NAME=value`, in its environment. One that cannot be read
/// was not, as far as we can tell.
pub(crate) fn carries(pid: u32, entry: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == entry))
}

/// What the process has mapped into its memory, as text; nothing where that may not be read.
pub(crate) fn maps(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_move_the_fields() {
        let tail = b"S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let plain = Stat { stamp: Stamp { pid: 5, started: 4711 }, parent: 7, state: b'S' };
        for name in [&b"sh"[..], b"a) Z 9 (b c", b"a\n) R (", b"", b")", b"\xff\xfe) \xe9", b"caf\xe9"] {
            let stat = [b"5 (", name, b") ", tail].concat();
            assert_eq!(parse(5, &stat), Some(plain), "{}", String::from_utf8_lossy(&stat));
        }
        for cut in [&b""[..], b"5 (sh", b"5 (sh)", b"5 (sh) S 7", b"5 (sh) S x 1 1"] {
            assert_eq!(parse(5, cut), None);
        }
    }

    /// The crate that launches applications makes these tokens too and has this very test; they are compared
    /// with each other.
    #[test]
    fn a_generation_is_eight_digits_of_the_boot_a_dash_and_the_start() {
        let pid = std::process::id();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let stat = fs::read(format!("/proc/{pid}/stat")).unwrap();
        let stat = String::from_utf8_lossy(&stat);
        let ticks = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(19).unwrap();
        assert_eq!(generation(pid), Some(format!("{}-{ticks}", &boot[..8])));
        assert_eq!(generation(u32::MAX), None);
        assert_eq!(token("", 4711), None, "without a boot there is none");
    }

    #[test]
    fn a_process_named_with_any_bytes_is_read() {
        let pid = std::process::id();
        let before = (fs::read("/proc/self/comm").unwrap(), Stat::of(pid).unwrap());
        fs::write("/proc/self/comm", b"\xff) Z \xe9").unwrap();
        let named = (fs::read("/proc/self/comm").unwrap(), Stat::of(pid));
        fs::write("/proc/self/comm", before.0.trim_ascii_end()).unwrap();
        assert_eq!(named.0, b"\xff) Z \xe9\n", "the process bore the name");
        let named = named.1.unwrap();
        assert_eq!((named.stamp, named.parent), (before.1.stamp, before.1.parent));
        assert!(!named.is_over());
    }

    #[test]
    fn this_process_runs_and_another_start_time_is_another_process() {
        let own = Stamp::of(std::process::id()).unwrap();
        assert!(own.runs());
        assert!(own.open().is_some());
        let other = Stamp { started: own.started + 1, ..own };
        assert!(!other.runs());
        assert!(other.open().is_none());
        let own = process(own.pid).unwrap();
        assert!(is_running(&own) && !is_stopped(own.pid));
        assert!(!is_running(&Process { generation: "00000000-1".into(), ..own }));
    }
}
