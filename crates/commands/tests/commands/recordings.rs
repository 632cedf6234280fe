//! Recorded windows of real toolkits, replayed: what `snapshot` makes of each, and that every ref of it means the one
//! element that it was given to.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use surehand_core::evidence::{self, Evidence, Verdict};
use surehand_core::platform::Platform;
use surehand_core::recording::{Recording, VERSION};
use surehand_core::reference::SnapshotId;
use surehand_core::resolve;
use surehand_core::role::Role;
use surehand_core::snapshot::{Snapshot, SnapshotStore};
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_testkit::replay::{Replay, toolkits};

use crate::rig::{Rig, Told};

/// One test for each recording.
macro_rules! goldens {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            look(stringify!($name));
        })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

goldens! { calc chromium firefox gtk3 gtk4 qt5 qt6 swing vte writer }

fn recording(name: &str) -> &'static str {
    toolkits().iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no recording {name}")).1
}

#[test]
fn every_recording_is_tested_and_has_the_present_form() {
    assert_eq!(toolkits().iter().map(|(name, _)| *name).collect::<Vec<_>>(), TESTED);
    for (name, text) in toolkits() {
        assert!(text.len() < 200_000, "{name} has {} bytes", text.len());
        assert!(text.starts_with(&format!("{{\"format\":\"surehand-recording\",\"version\":{VERSION},")), "{name}");
        let read = Recording::read(text).and_then(|recording| recording.write()).expect("a recording");
        assert!(read == *text, "{name} is written otherwise than it was");
    }
}

/// What a replay is asked with.
struct Replayed {
    rig: Rig,
    told: Told,
    kept: Snapshot,
}

impl Replayed {
    fn new(name: &str) -> Self {
        let rig = Rig::replaying(recording(name));
        let told = rig.run(&["snapshot", "--window-id", "w-1"]);
        let id = told.value()["data"]["snapshot_id"].as_str().and_then(|id| id.parse::<SnapshotId>().ok());
        let kept = rig.services.store.load(id.expect("an id")).expect("it is kept");
        Replayed { rig, told, kept }
    }

    fn replay(&self) -> &Replay {
        self.rig.services.replay.as_ref().expect("a replay")
    }

    fn observation(&self) -> &Observation {
        &self.replay().recording().observation
    }

    /// The elements that the evidence of a ref fits.
    fn fitting(&self, captured: &Evidence) -> Vec<usize> {
        let observation = self.observation();
        let rows = evidence::rows(observation);
        let fits = |index: &usize| {
            let node = &observation.nodes[*index];
            // The whole comparison is dear, and role and name settle most of it.
            node.role == captured.role
                && (captured.name.is_unknown() || node.name == captured.name)
                && evidence::compare_in(captured, observation, &rows, *index) == Some(Verdict::Same)
        };
        (0..observation.nodes.len()).filter(fits).collect()
    }
}

fn look(name: &str) {
    let replayed = Replayed::new(name);
    let data = replayed.told.value()["data"].take();
    let (mut twins, mut refused) = (0, String::new());
    let call = Call::lasting(&replayed.rig.services.clock, &replayed.rig.cancel, Duration::from_secs(60));
    for (number, captured) in &replayed.kept.refs {
        let own = replayed.observation().nodes.iter().position(|node| node.object == captured.object).expect("its own");
        let fitting = replayed.fitting(captured);
        assert!(fitting.contains(&own), "e{number} of {name} does not fit itself: {captured:?}");
        if fitting.len() > 1 {
            twins += 1;
            assert!(
                !captured.sole,
                "e{number} of {name} is said to be the only one, and {fitting:?} are: {captured:?}"
            );
        }
        match resolve::resolve(replayed.replay(), &call, &replayed.kept, captured) {
            Ok(resolved) => assert_eq!(resolved.live.node.object, captured.object, "e{number} of {name}"),
            // Where objects are used again for other content, an element is known by its row alone.
            Err(error) => {
                assert!(captured.recycled && !captured.sole, "e{number} of {name}: {error} {captured:?}");
                write!(refused, " e{number}").unwrap();
            }
        }
    }
    finds(name, &replayed);
    let mut golden = String::new();
    let count = |field: &str| data[field].as_array().map_or(0, Vec::len);
    writeln!(golden, "application {}", replayed.observation().application.toolkit).unwrap();
    writeln!(golden, "elements    {}", replayed.observation().nodes.len()).unwrap();
    writeln!(golden, "refs        {}, {twins} of twins", data["ref_count"]).unwrap();
    if !refused.is_empty() {
        writeln!(golden, "refused    {refused}").unwrap();
    }
    writeln!(golden, "gaps        {}", count("gaps")).unwrap();
    writeln!(golden, "complete    {}\n", data["complete"]).unwrap();
    golden += &replayed.told.text;
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("recording-{name}"), golden));
}

/// `find` finds what is there, and `get` tells of it what was recorded.
fn finds(name: &str, replayed: &Replayed) {
    let mut by_role: BTreeMap<Role, Vec<usize>> = BTreeMap::new();
    for (index, node) in replayed.observation().nodes.iter().enumerate() {
        by_role.entry(node.role).or_default().push(index);
    }
    for (role, indices) in by_role {
        let found = replayed.rig.run(&["find", "--window-id", "w-1", "--role", role.token(), "--limit", "1"]).value();
        assert_eq!(found["data"]["count"], indices.len(), "{role} in {name}");
        let first = &replayed.observation().nodes[indices[0]];
        let reference = found["data"]["matches"][0]["ref_id"].as_str().expect("a ref");
        let told = replayed.rig.run(&["get", reference, "--property", "title"]);
        match told.error() {
            None => assert_eq!(told.value()["data"]["value"].as_str(), first.name.text(), "{role} in {name}"),
            Some((code, kind)) => assert!(
                replayed.observation().ancestors(indices[0]).any(|index| replayed.observation().nodes[index].recycles),
                "{role} in {name}: {code} {kind}"
            ),
        }
    }
}

#[test]
fn a_part_of_a_recorded_window_is_what_it_is_in_the_whole() {
    let replayed = Replayed::new("gtk3");
    let container =
        replayed.rig.run(&["find", "--window-id", "w-1", "--name", "Letters", "--exact", "--first"]).value();
    let reference = container["data"]["match"]["ref_id"].as_str().expect("a ref").to_owned();
    let part = replayed.rig.run(&["snapshot", "--root", &reference]);
    let lines: Vec<&str> = part.text.lines().skip(1).collect();
    assert!(lines.len() > 2, "{}", part.text);
    let plain =
        |line: &str| line.split_whitespace().filter(|word| !word.starts_with('@')).collect::<Vec<_>>().join(" ");
    let whole: Vec<String> = replayed.told.text.lines().map(plain).collect();
    let part: Vec<String> = lines.into_iter().map(plain).collect();
    assert!(whole.windows(part.len()).any(|window| window == part), "{part:#?} in {whole:#?}");
}

#[test]
fn nothing_can_be_done_to_a_recording() {
    let replayed = Replayed::new("gtk3");
    let found = replayed.rig.run(&["find", "--role", "button", "--name", "Press me", "--first"]).value();
    let reference = found["data"]["match"]["ref_id"].as_str().expect("a ref").to_owned();
    let told = replayed.rig.run(&["click", &reference]);
    assert_eq!(told.error(), Some(("ACTION_NOT_SUPPORTED".to_owned(), "recording".to_owned())));
    assert_eq!(told.value()["error"]["disposition"]["delivery"], "not_delivered");
    let other = surehand_core::object::Process { pid: 4_000, generation: "later".to_owned() };
    assert!(!replayed.replay().is_running(&other));
}
