//! What has to be where, told from the journal alone, by another way than the kernel's.

use std::collections::BTreeMap;
use std::path::Path;

use surehand_kernel::canonical::sha256;
use surehand_kernel::effect::{Shift, Step};
use surehand_kernel::journal::Task;
use surehand_kernel::path::RelPath;
use surehand_kernel::plan::Plan;
use surehand_kernel::sys::{Handle, Kind, Moment, Sys, System};

use super::Count;
use super::work::{Phase, Work, perform, session};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thing {
    /// What it is.
    pub kind: Kind,
    /// The content of a file.
    pub content: Vec<u8>,
    /// Mode bits.
    pub mode: u32,
    /// Last change.
    pub mtime: Moment,
    /// Extended attributes.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A folder by its paths; the folder itself is the empty one.
pub type Map = BTreeMap<Vec<u8>, Thing>;

/// Reads a folder through the kernel's own door, our folder in it included.
///
/// # Errors
/// What the system says.
pub fn map(sys: &dyn System, root: &Path) -> Sys<Map> {
    let mut map = Map::new();
    let top = sys.open_root(root)?;
    read(sys, &top, &[], &mut map)?;
    Ok(map)
}

fn read(sys: &dyn System, dir: &Handle, path: &[u8], map: &mut Map) -> Sys<()> {
    let stat = sys.stat_open(dir)?;
    let thing = Thing {
        kind: stat.kind,
        content: Vec::new(),
        mode: stat.mode,
        mtime: stat.mtime,
        attributes: sys.attributes(dir)?,
    };
    map.insert(path.to_vec(), thing);
    for name in sys.list(dir)? {
        let inner = if path.is_empty() { name.clone() } else { [path, b"/", &name].concat() };
        let stat = sys.stat(dir, &name)?;
        if stat.kind == Kind::Dir {
            read(sys, &sys.open_dir(dir, &name)?, &inner, map)?;
            continue;
        }
        let file = sys.open_file(dir, &name)?;
        let content = sys.read(&file, 0, usize::try_from(stat.size).unwrap_or(0))?;
        let attributes = sys.attributes(&file)?;
        map.insert(inner, Thing { kind: stat.kind, content, mode: stat.mode, mtime: stat.mtime, attributes });
    }
    Ok(())
}

/// Whether a name on the path is ours.
fn ours(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|name| name.starts_with(b".surehand"))
}

/// What is a person's.
pub fn theirs(map: &Map) -> Map {
    map.iter().filter(|(path, _)| !ours(path)).map(|(path, thing)| (path.clone(), thing.clone())).collect()
}

/// Kinds and contents by path, as the steps that the journal calls done make them of what was there before.
fn predicted(before: &Map, task: Option<&Task>, plan: &Plan) -> BTreeMap<Vec<u8>, (Kind, Vec<u8>)> {
    let mut map: BTreeMap<Vec<u8>, (Kind, Vec<u8>)> =
        before.iter().map(|(path, thing)| (path.clone(), (thing.kind, thing.content.clone()))).collect();
    let contents: BTreeMap<String, Vec<u8>> = (0..plan.actions.len())
        .filter_map(|index| plan.content(index).ok().flatten())
        .chain(before.values().map(|thing| thing.content.clone()))
        .map(|bytes| (sha256(&bytes), bytes))
        .collect();
    let shift = |map: &mut BTreeMap<Vec<u8>, (Kind, Vec<u8>)>, from: &RelPath, to: &RelPath| {
        let moved: Vec<Vec<u8>> = map
            .keys()
            .filter(|path| RelPath::new(path.as_slice()).is_ok_and(|path| path.is_within(from)))
            .cloned()
            .collect();
        for path in moved {
            let rest = path[from.as_bytes().len()..].to_vec();
            if let Some(thing) = map.remove(&path) {
                map.insert([to.as_bytes(), &rest].concat(), thing);
            }
        }
    };
    for step in task.iter().flat_map(|task| task.steps.values()).filter(|step| step.state.is_there()) {
        let Some(intent) = &step.done else { continue };
        match &intent.step {
            // A file that the plan made, done again: it comes back from the vault.
            Step::Shift(Shift { from, to }) if !map.contains_key(from.as_bytes()) => {
                let content = step.hash.as_ref().and_then(|hash| contents.get(hash)).cloned();
                map.insert(to.as_bytes().to_vec(), (Kind::File, content.unwrap_or_default()));
            }
            Step::Shift(step) => shift(&mut map, &step.from, &step.to),
            Step::Carry(step) => shift(&mut map, &step.from, &step.to),
            Step::Make(step) => {
                map.insert(step.to.as_bytes().to_vec(), (Kind::Dir, Vec::new()));
            }
            Step::Unmake(step) => {
                map.remove(step.at.as_bytes());
            }
            Step::Fill(step) => {
                let content = match &step.from {
                    Some(from) => map.get(from.as_bytes()).map(|(_, content)| content.clone()),
                    None => contents.get(&step.hash).cloned(),
                };
                map.insert(step.to.as_bytes().to_vec(), (Kind::File, content.unwrap_or_default()));
            }
            Step::Swap(swap) => {
                if let Some(old) = map.remove(swap.at.as_bytes()) {
                    map.insert(swap.aside.as_bytes().to_vec(), old);
                }
                let hash = swap.hash.as_ref().or(step.hash.as_ref());
                let new = hash.and_then(|hash| contents.get(hash)).cloned().unwrap_or_default();
                map.insert(swap.at.as_bytes().to_vec(), (Kind::File, new));
            }
        }
    }
    map
}

/// Recovers, and looks whether anything is lost or the journal is not true; then takes everything back, and looks
/// whether it is as it was.
pub fn examine(
    sys: &dyn System,
    root: &Path,
    state: &Path,
    before: &Map,
    plan: &Plan,
    whole: bool,
    what: &str,
) -> Count {
    let mut count = Count { states: 1, ..Count::default() };
    let opened = session(sys, root, state);
    let session = match opened {
        Ok(session) => session,
        Err(error) => {
            count.stuck = 1;
            count.story(format!("{what}: recovery: {error} {:?}", error.platform_detail()));
            return count;
        }
    };
    let task = session.task(&plan.task).ok();
    drop(session);
    let now = match map(sys, root) {
        Ok(now) => now,
        Err(errno) => {
            count.stuck = 1;
            count.story(format!("{what}: {errno}"));
            return count;
        }
    };
    for thing in before.values().filter(|thing| thing.kind == Kind::File && thing.content.starts_with(b"original")) {
        if !now.values().any(|other| other.content == thing.content) {
            count.lost += 1;
            count.story(format!("{what}: {:?} is nowhere", String::from_utf8_lossy(&thing.content)));
        }
    }
    let expected = predicted(before, task.as_ref(), plan);
    let mut wrong = Vec::new();
    for (path, (kind, content)) in &expected {
        let kept = ours(path) && !path.starts_with(b".surehand/vault/") && !path.starts_with(b".surehand/stage/held");
        if kept && !path.split(|byte| *byte == b'/').any(|name| name.starts_with(b".surehand-")) {
            continue;
        }
        if !now.get(path).is_some_and(|thing| thing.kind == *kind && thing.content == *content) {
            wrong.push(format!("{} should be there", String::from_utf8_lossy(path)));
        }
    }
    if !wrong.is_empty() {
        count.misreported += 1;
    }
    let extra = now.keys().filter(|path| !ours(path) && !expected.contains_key(*path));
    let extra: Vec<String> =
        extra.map(|path| format!("{} should not be there", String::from_utf8_lossy(path))).collect();
    count.duplicated += u64::from(!extra.is_empty());
    wrong.extend(extra);
    let there = |task: &Task| task.steps.values().filter(|step| step.state.is_there()).count();
    if whole && task.as_ref().map_or(0, there) != plan.steps.len() {
        count.misreported += 1;
        wrong.push("what was reported as done is not done".to_owned());
    }
    let open = task
        .iter()
        .flat_map(|task| task.steps.iter())
        .find(|(_, step)| step.state.is_open() || step.state == surehand_kernel::journal::State::Unknown);
    if let Some((number, step)) = open {
        count.misreported += 1;
        wrong.push(format!("step {number} is {:?}", step.state));
    }
    if task.as_ref().map_or(0, there) > 0 {
        match perform(sys, root, state, plan, Phase::Undo) {
            Ok(done) if done.is_whole() => {}
            other => {
                count.stuck += 1;
                wrong.push(format!("undo: {other:?}"));
            }
        }
    }
    match map(sys, root) {
        Ok(after) => {
            let (before, after) = (theirs(before), theirs(&after));
            if before != after {
                count.misreported += 1;
                for (path, thing) in &before {
                    if after.get(path) != Some(thing) {
                        wrong.push(format!(
                            "{}: {thing:?} became {:?}",
                            String::from_utf8_lossy(path),
                            after.get(path)
                        ));
                    }
                }
                let new = after.keys().filter(|path| !before.contains_key(*path));
                wrong.extend(new.map(|path| format!("{} stays", String::from_utf8_lossy(path))));
            }
        }
        Err(errno) => wrong.push(errno.to_string()),
    }
    if !wrong.is_empty() {
        let states: Vec<String> = task
            .iter()
            .flat_map(|task| &task.steps)
            .map(|(number, step)| format!("{number}:{:?}", step.state))
            .collect();
        count.story(format!("{what}: {} [{}]", wrong.join("; "), states.join(" ")));
    }
    count
}

/// The folder of a work before anything is done.
pub fn before(work: &Work) -> Map {
    let model = super::model::Model::from(work.start.clone());
    map(&model, Path::new(super::work::ROOT)).unwrap_or_default()
}
