//! Leases, as locks on files in the runtime directory. The system takes them back when their holder ends.
//!
//! For each desktop there is one file that whoever acts on an application holds together with others, and whoever
//! uses pointer and keyboard holds alone; and one file for each application. Who waits for the desktop stands in a
//! third one meanwhile, so that those who act on applications one after another do not keep it from its turn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock, fstat};
use rustix::io::Errno;
use surehand_core::lease::{Claim, Held, Leases};
use surehand_core::text::fingerprint;
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};

use crate::private::PrivateDir;

/// How often a lock that is held is tried again: at first, and at most.
const TRY: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// The directory of all leases, below the runtime directory.
const FOLDER: &str = "leases";

/// Leases of one desktop.
#[derive(Debug)]
pub(crate) struct FileLeases {
    folder: PathBuf,
}

/// The locks of one claim, in the order in which they were taken.
struct Locks(#[expect(dead_code, reason = "closing them is what lets them go")] Vec<std::fs::File>);

impl Held for Locks {}

impl FileLeases {
    /// For the desktop of this name.
    pub(crate) fn new(runtime: &Path, desktop: &str) -> FileLeases {
        FileLeases { folder: runtime.join(FOLDER).join(format!("{:016x}", fingerprint([desktop]))) }
    }
}

impl Leases for FileLeases {
    fn take(&self, call: &Call<'_>, claim: &Claim) -> Result<Box<dyn Held>> {
        call.go_on()?;
        let directory = PrivateDir::make(&self.folder)?;
        let open = |name: &str| directory.append(name);
        let (turn, desktop) = (open("turn")?, open("desktop")?);
        let locks = match claim {
            Claim::Desktop => {
                wait_for(call, &turn, FlockOperation::NonBlockingLockExclusive, "the desktop")?;
                wait_for(call, &desktop, FlockOperation::NonBlockingLockExclusive, "the desktop")?;
                vec![desktop]
            }
            Claim::Application(process) => {
                let name = format!("app-{}-{:016x}", process.pid, fingerprint([process.generation.as_str()]));
                // The application first: who waits for it must not keep others from theirs.
                let application = open(&name)?;
                wait_for(call, &application, FlockOperation::NonBlockingLockExclusive, "the application")?;
                wait_for(call, &turn, FlockOperation::NonBlockingLockShared, "the desktop")?;
                wait_for(call, &desktop, FlockOperation::NonBlockingLockShared, "the desktop")?;
                vec![desktop, application]
            }
        };
        Ok(Box::new(Locks(locks)))
    }
}

fn wait_for(call: &Call<'_>, file: &std::fs::File, how: FlockOperation, what: &str) -> Result<()> {
    let mut pause = TRY.0;
    loop {
        match flock(file, how) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(errno) => {
                return Err(Error::new(Code::Internal, "a lock of ours cannot be taken")
                    .kind("lease_not_usable")
                    .platform(errno.to_string())
                    .delivery(surehand_core::disposition::Delivery::NotDelivered));
            }
        }
        if let Err(over) = call.go_on() {
            if over.kind_of() == Some("cancelled") {
                return Err(over);
            }
            return Err(busy(file, what));
        }
        call.clock.pause(pause.min(call.left()), call.cancel);
        pause = (pause * 2).min(TRY.1);
    }
}

fn busy(file: &std::fs::File, what: &str) -> Error {
    let holders = holders(file);
    let who = match holders.as_slice() {
        [] => "another process".to_owned(),
        [one] => format!("process {one}"),
        several => {
            format!("processes {}", several.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    Error::new(Code::Timeout, format!("{who} is acting on {what}, and did not come to an end in time"))
        .kind("lease_busy")
        .detail("holder_pid", holders.first())
        .suggest("nothing was sent; try again")
}

/// The processes that hold a lock on the file, as the system lists them.
fn holders(file: &std::fs::File) -> Vec<u32> {
    let Ok(stat) = fstat(file) else { return Vec::new() };
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    let mut pids: Vec<u32> = locks
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            // `1: FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF`; one that waits has `->` as its second word.
            let [_, "FLOCK", _, _, pid, place, ..] = words.as_slice() else { return None };
            let inode: u64 = place.rsplit(':').next()?.parse().ok()?;
            (inode == stat.st_ino).then(|| pid.parse().ok()).flatten()
        })
        .collect();
    pids.sort_unstable();
    pids.dedup();
    pids
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use surehand_core::object::Process;
    use surehand_core::time::Cancel;

    use super::*;
    use crate::clock::SystemClock;

    fn application(pid: u32) -> Claim {
        Claim::Application(Process { pid, generation: "g".into() })
    }

    fn take(leases: &FileLeases, claim: &Claim, milliseconds: u64) -> Result<Box<dyn Held>> {
        let cancel = Cancel::default();
        leases.take(&Call::lasting(&SystemClock, &cancel, Duration::from_millis(milliseconds)), claim)
    }

    #[test]
    fn the_desktop_excludes_everything_and_an_application_only_itself() {
        let base = tempfile::tempdir().expect("a directory");
        std::fs::set_permissions(base.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("closed");
        let leases = FileLeases::new(base.path(), ":1");
        let elsewhere = FileLeases::new(base.path(), ":2");
        let one = take(&leases, &application(1), 100).expect("free");
        let two = take(&leases, &application(2), 100).expect("another application");
        let error = take(&leases, &application(1), 30).err().expect("held");
        assert_eq!((error.code(), error.kind_of()), (Code::Timeout, Some("lease_busy")));
        assert_eq!(error.details()["holder_pid"], std::process::id());
        assert_eq!(take(&leases, &Claim::Desktop, 30).err().expect("held").kind_of(), Some("lease_busy"));
        drop((one, two));
        let all = take(&leases, &Claim::Desktop, 100).expect("free");
        for claim in [application(1), application(3), Claim::Desktop] {
            assert_eq!(take(&leases, &claim, 30).err().expect("held").kind_of(), Some("lease_busy"), "{claim:?}");
        }
        take(&elsewhere, &Claim::Desktop, 30).expect("another desktop");
        drop(all);
        take(&leases, &application(1), 100).expect("free again");
    }

    #[test]
    fn who_waits_for_the_desktop_gets_its_turn() {
        let base = tempfile::tempdir().expect("a directory");
        std::fs::set_permissions(base.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("closed");
        let leases = FileLeases::new(base.path(), ":1");
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for pid in [1, 2] {
                let (leases, done) = (&leases, &done);
                scope.spawn(move || {
                    let end = Instant::now() + Duration::from_secs(20);
                    while !done.load(std::sync::atomic::Ordering::Acquire) && Instant::now() < end {
                        // Overlapping with the other, so that there is never nobody.
                        let held = take(leases, &application(pid), 20_000).expect("a turn");
                        std::thread::yield_now();
                        drop(held);
                    }
                });
            }
            for _ in 0..20 {
                drop(take(&leases, &Claim::Desktop, 10_000).expect("a turn"));
            }
            done.store(true, std::sync::atomic::Ordering::Release);
        });
    }
}
