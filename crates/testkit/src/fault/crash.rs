//! The power fails after every change; what could be left is recovered from, in every state.

use std::path::Path;

use super::Count;
use super::model::{Change, Fault, Model, Volume, left};
use super::oracle::{Map, before, examine};
use super::work::{Phase, ROOT, STATE, Work, perform, session, works};

/// How many changes may be pending for every legal state to be tried. Beyond, there are all prefixes, all states that
/// lack one change, and some at random.
const ALL: usize = 9;

/// A generator of numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// The states that may be left of pending changes.
fn states(durable: &Volume, pending: &[Change], dice: &mut Dice, few: bool) -> Vec<Volume> {
    let count = pending.len();
    let mut found: Vec<Volume> = Vec::new();
    let mut add = |keep: &[bool], cut: Option<usize>| {
        let volume = left(durable, pending, keep, cut);
        if !found.contains(&volume) {
            found.push(volume);
        }
    };
    if few {
        add(&vec![true; count], None);
        add(&vec![false; count], None);
        let keep: Vec<bool> = (0..count).map(|_| dice.roll().is_multiple_of(2)).collect();
        add(&keep, Some(3));
        return found;
    }
    for length in 0..=count {
        let keep: Vec<bool> = (0..count).map(|index| index < length).collect();
        add(&keep, None);
        add(&keep, Some(usize::try_from(dice.roll() % 8).unwrap_or(0)));
    }
    if count <= ALL {
        for set in 0..1_u32 << count {
            let keep: Vec<bool> = (0..count).map(|index| set >> index & 1 == 1).collect();
            add(&keep, None);
        }
    } else {
        for without in 0..count {
            let keep: Vec<bool> = (0..count).map(|index| index != without).collect();
            add(&keep, None);
        }
        for _ in 0..24 {
            let keep: Vec<bool> = (0..count).map(|_| dice.roll().is_multiple_of(2)).collect();
            add(&keep, (dice.roll().is_multiple_of(3)).then_some(4));
        }
    }
    found
}

/// The folder at the start of a phase.
fn start(work: &Work, phase: Phase) -> Volume {
    let model = Model::from(work.start.clone());
    let earlier: &[Phase] = match phase {
        Phase::Apply => &[],
        Phase::Undo => &[Phase::Apply],
        Phase::Redo => &[Phase::Apply, Phase::Undo],
    };
    for phase in earlier {
        let done = perform(&model, Path::new(ROOT), Path::new(STATE), &work.plan, *phase);
        assert!(done.as_ref().is_ok_and(super::work::Performed::is_whole), "{}: {done:?}", work.name);
    }
    model.settle();
    model.live()
}

/// Lets the power fail at points of every plan and phase, `limit` of them at most, evenly spread; all for none.
pub fn run(limit: Option<u64>, progress: &dyn Fn(&str)) -> Count {
    let mut count = Count::default();
    let works = works();
    let phases = [Phase::Apply, Phase::Undo, Phase::Redo];
    let share = limit.map(|limit| (limit / (works.len() * phases.len()) as u64).max(1));
    for work in &works {
        let original = before(work);
        for phase in phases {
            count.add(one(work, phase, &original, share));
            progress(&format!("power, {} {phase:?}: {} points, {} states", work.name, count.points, count.states));
        }
    }
    count
}

fn one(work: &Work, phase: Phase, original: &Map, share: Option<u64>) -> Count {
    let (root, state) = (Path::new(ROOT), Path::new(STATE));
    let start = start(work, phase);
    let mut count = Count::default();
    let dry = Model::from(start.clone());
    dry.set(None);
    let done = perform(&dry, root, state, &work.plan, phase);
    assert!(done.as_ref().is_ok_and(super::work::Performed::is_whole), "{} {phase:?}: {done:?}", work.name);
    let total = dry.counted().1;
    let stride = share.map_or(1, |share| (total / share).max(1));
    let mut dice = Dice(0x5eed ^ total);
    let mut at = 0;
    while at <= total {
        let model = Model::from(start.clone());
        model.set(Some(Fault::PowerAt(at)));
        let done = perform(&model, root, state, &work.plan, phase);
        let whole = phase != Phase::Undo && done.is_ok_and(|done| done.is_whole());
        let (durable, pending) = model.durable();
        count.points += 1;
        for (index, volume) in states(&durable, &pending, &mut dice, false).into_iter().enumerate() {
            let what = format!("{} {phase:?} at change {at} of {total}, state {index}", work.name);
            let model = Model::from(volume.clone());
            count.add(examine(&model, root, state, original, &work.plan, whole, &what));
            // And the power fails again, in the recovery from it.
            if index % 5 == 0 {
                count.add(again(work, &volume, original, &mut dice, &what));
            }
        }
        at += stride;
    }
    count
}

fn again(work: &Work, volume: &Volume, original: &Map, dice: &mut Dice, what: &str) -> Count {
    let (root, state) = (Path::new(ROOT), Path::new(STATE));
    let mut count = Count::default();
    let dry = Model::from(volume.clone());
    dry.set(None);
    drop(session(&dry, root, state));
    let total = dry.counted().1;
    if total == 0 {
        return count;
    }
    let at = dice.roll() % total;
    let model = Model::from(volume.clone());
    model.set(Some(Fault::PowerAt(at)));
    drop(session(&model, root, state));
    let (durable, pending) = model.durable();
    count.points += 1;
    for volume in states(&durable, &pending, dice, true) {
        let model = Model::from(volume);
        let what = format!("{what}, and again at change {at} of recovery");
        count.add(examine(&model, root, state, original, &work.plan, false, &what));
    }
    count
}
