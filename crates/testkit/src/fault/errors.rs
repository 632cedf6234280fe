//! Every call fails: once, too late, or from then on.

use std::path::Path;

use rustix::io::Errno;

use super::Count;
use super::model::{Fault, Model};
use super::oracle::{Map, before, examine};
use super::work::{Phase, ROOT, STATE, Work, perform, works};

/// Lets calls of every plan and phase fail, `limit` of them at most, evenly spread; all for none.
pub fn run(limit: Option<u64>, progress: &dyn Fn(&str)) -> Count {
    let mut count = Count::default();
    let works = works();
    let phases = [Phase::Apply, Phase::Undo];
    let share = limit.map(|limit| (limit / (works.len() * phases.len() * 5) as u64).max(1));
    for work in &works {
        let original = before(work);
        for phase in phases {
            count.add(one(work, phase, &original, share));
            progress(&format!("errors, {} {phase:?}: {} points", work.name, count.points));
        }
    }
    count
}

fn one(work: &Work, phase: Phase, original: &Map, share: Option<u64>) -> Count {
    let (root, state) = (Path::new(ROOT), Path::new(STATE));
    let mut count = Count::default();
    let fresh = || {
        let model = Model::from(work.start.clone());
        if phase == Phase::Undo {
            let done = perform(&model, root, state, &work.plan, Phase::Apply);
            assert!(done.as_ref().is_ok_and(super::work::Performed::is_whole), "{}: {done:?}", work.name);
        }
        model
    };
    let dry = fresh();
    dry.set(None);
    perform(&dry, root, state, &work.plan, phase).unwrap_or_else(|error| panic!("{}: {error}", work.name));
    let total = dry.counted().0;
    let stride = share.map_or(1, |share| (total / share).max(1));
    let mut at = 0;
    while at < total {
        for fault in [
            Fault::CallAt(at, Errno::IO),
            Fault::CallAt(at, Errno::NOSPC),
            Fault::LateAt(at, Errno::IO),
            Fault::FrozenFrom(at),
            Fault::FullFrom(at),
        ] {
            let model = fresh();
            model.set(Some(fault));
            let done = perform(&model, root, state, &work.plan, phase);
            model.set(None);
            count.points += 1;
            let whole = phase == Phase::Apply && done.as_ref().is_ok_and(super::work::Performed::is_whole);
            let what = format!("{} {phase:?}, {fault:?} of {total}", work.name);
            count.add(examine(&model, root, state, original, &work.plan, whole, &what));
        }
        at += stride;
    }
    count
}
