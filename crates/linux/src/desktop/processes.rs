//! Finding the processes of a desktop, and ending them.

use std::collections::{BTreeSet, HashSet};
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::process::Signal;
use surehand_core::desktop::Stopped;
use surehand_core::error::{Code, Error, Result};
use surehand_core::time::Call;

use super::environment::DESKTOP_KEY;
use super::places::{Desk, Places};
use super::record::{Phase, Record};
use super::wait::{internal, poll_readable};
use crate::process::{Hold, Stamp, Stat, carries};

/// How long applications may take to end after they were asked to, before they are made to.
const APPLICATIONS: Duration = Duration::from_secs(3);

/// The same for components.
const COMPONENTS: Duration = Duration::from_secs(2);

/// How long a process that was killed may take to be gone.
const KILLED: Duration = Duration::from_secs(2);

/// How the processes of a desktop are known.
struct Marks {
    /// An entry in their environment, `NAME=value`.
    entry: Vec<u8>,
    /// The processes that the record names.
    noted: Vec<Stamp>,
}

impl Marks {
    /// A damaged record names nothing; then the runtime directory, which is no other desktop's either,
    /// tells the processes.
    fn of(desk: &Desk, record: Option<&Record>) -> Marks {
        match record {
            Some(record) => {
                Marks { entry: format!("{DESKTOP_KEY}={}", record.key).into_bytes(), noted: record.stamps() }
            }
            None => {
                let mut entry = b"XDG_RUNTIME_DIR=".to_vec();
                entry.extend_from_slice(desk.run().as_os_str().as_encoded_bytes());
                Marks { entry, noted: Vec::new() }
            }
        }
    }

    /// The processes that run now: those named, those marked, and everything they started. Never we
    /// ourselves and whoever started us, though we may well run in the desktop that we stop.
    fn find(&self) -> Result<Vec<Stamp>> {
        let all = Stat::all().map_err(|fault| internal("the processes cannot be read", &fault))?;
        let spared = ourselves(&all);
        let mut found: BTreeSet<Stamp> = BTreeSet::new();
        let mut pids: HashSet<u32> = HashSet::new();
        for stat in &all {
            let marked = || carries(stat.stamp.pid, &self.entry);
            if !stat.is_over() && !spared.contains(&stat.stamp.pid) && (self.noted.contains(&stat.stamp) || marked()) {
                found.insert(stat.stamp);
                pids.insert(stat.stamp.pid);
            }
        }
        // A child can stand before its parent, so until nothing is added.
        loop {
            let before = pids.len();
            for stat in &all {
                if !stat.is_over() && !spared.contains(&stat.stamp.pid) && pids.contains(&stat.parent) {
                    found.insert(stat.stamp);
                    pids.insert(stat.stamp.pid);
                }
            }
            if pids.len() == before {
                return Ok(found.into_iter().collect());
            }
        }
    }
}

/// This process and its ancestors.
fn ourselves(all: &[Stat]) -> HashSet<u32> {
    let mut spared = HashSet::new();
    let mut pid = std::process::id();
    // The first process is its own parent's child no more: its parent is 0.
    while pid != 0 && spared.insert(pid) {
        pid = all.iter().find(|stat| stat.stamp.pid == pid).map_or(0, |stat| stat.parent);
    }
    spared
}

/// Ends every process of a desktop and removes its directories. Doing so twice, or at the same time as
/// somebody else, is fine.
///
/// # Errors
/// `ACTION_FAILED` when a process does not end, `TIMEOUT` when a lock is held for too long.
pub(super) fn take_down(places: &Places, desk: &Desk, call: &Call<'_>) -> Result<Stopped> {
    let record = begin_stopping(desk, call)?;
    let marks = Marks::of(desk, record.as_ref());
    let mut ended = BTreeSet::new();
    // Applications first: while display and bus are there they can end as they do otherwise.
    let applications = |stamp: &Stamp| !marks.noted.contains(stamp);
    end(&marks, call, APPLICATIONS, applications, &mut ended)?;
    end(&marks, call, COMPONENTS, |_| true, &mut ended)?;
    let left = marks.find()?;
    if !left.is_empty() {
        call.go_on()?;
        let pids: Vec<u32> = left.iter().map(|stamp| stamp.pid).collect();
        return Err(Error::new(Code::ActionFailed, format!("{} processes of {} do not end", pids.len(), desk.id))
            .kind("processes_left")
            .detail("pids", pids));
    }
    let kept_home =
        super::home::give_up(desk).map_err(|fault| internal("the home of a desktop cannot be removed", &fault))?;
    places.remove(call, desk)?;
    Ok(Stopped { id: desk.id.clone(), processes: ended.len(), kept_home })
}

/// From now on nothing is started in it any more. Returns the record, unless it is damaged or gone.
fn begin_stopping(desk: &Desk, call: &Call<'_>) -> Result<Option<Record>> {
    let Some(_lock) = desk.lock(call)? else { return Ok(None) };
    let Some(mut record) = Record::read(&desk.record()).ok().flatten() else { return Ok(None) };
    record.phase = Phase::Stopping;
    record.write(&desk.record())?;
    Ok(Some(record))
}

/// Asks the processes that `which` picks to end, and makes them when they have not done so in `grace`, again
/// and again until there are none, since a process can start another while it is being ended.
fn end(
    marks: &Marks,
    call: &Call<'_>,
    grace: Duration,
    which: impl Fn(&Stamp) -> bool,
    ended: &mut BTreeSet<Stamp>,
) -> Result<()> {
    // Whatever time there is has to be enough for killing as well.
    let grace = grace.min(call.left() / 3);
    let asking = call.at_most(grace);
    let killing = call.at_most(grace + KILLED);
    loop {
        let holds: Vec<Hold> = marks.find()?.into_iter().filter(&which).filter_map(Stamp::open).collect();
        if holds.is_empty() || killing.go_on().is_err() {
            return Ok(());
        }
        let gently = asking.go_on().is_ok();
        for hold in &holds {
            let signal = if gently { Signal::TERM } else { Signal::KILL };
            if let Err(fault) = hold.signal(signal) {
                // Another user's program that runs with more rights: counted among those that do not end.
                tracing::warn!(pid = hold.stamp.pid, %fault, "a process cannot be signalled");
            } else if gently {
                // One that is stopped would sleep through it.
                let _ = hold.signal(Signal::CONT);
            }
        }
        wait_for_end(marks, &holds, if gently { &asking } else { &killing }, ended)?;
    }
}

/// Waits until all have ended or the call is over, and notes those that have.
fn wait_for_end(marks: &Marks, holds: &[Hold], call: &Call<'_>, ended: &mut BTreeSet<Stamp>) -> Result<()> {
    let mut waiting: Vec<&Hold> = holds.iter().collect();
    loop {
        let fds: Vec<_> = waiting.iter().map(|hold| hold.fd.as_fd()).collect();
        let over = poll_readable(&fds, call.left().min(Duration::from_millis(25)))?;
        let mut still = Vec::new();
        for (hold, over) in waiting.into_iter().zip(over) {
            if over {
                // An application that this process started has somebody here who waits for it.
                if marks.noted.contains(&hold.stamp) {
                    hold.reap();
                }
                ended.insert(hold.stamp);
            } else {
                still.push(hold);
            }
        }
        waiting = still;
        if waiting.is_empty() || call.go_on().is_err() {
            return Ok(());
        }
    }
}
