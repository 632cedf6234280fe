//! Evidence: what it takes to be the same element.

use surehand_core::evidence::{Evidence, Labels, Piece, Verdict, capture, compare, compare_in, context, rows};
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::tree::{Gap, GapReason, Observation};
use surehand_core::window::Window;

use super::Source;
use super::labels::{WORDS, moving};

/// Roles that meet in a window.
const ROLES: &[Role] = &[Role::Button, Role::Group, Role::List, Role::TextField, Role::Slider, Role::Document];

/// An element agrees with its own evidence; of two with full evidence neither or both agree with the other; nothing
/// unknown ever proves anything; what is not to be mistaken for another is not.
pub fn evidence(data: &[u8]) {
    let mut source = Source::new(data);
    let observation = window(&mut source);
    let all: Vec<Evidence> = capture(&observation, |_| true).into_iter().map(|(_, evidence)| evidence).collect();
    assert_eq!(all.len(), observation.nodes.len());
    let rows = rows(&observation);
    let verdict = |then: usize, now: usize| {
        compare_in(&all[then], &observation, &rows, now).unwrap_or_else(|| panic!("no node {now}"))
    };
    for (then, evidence) in all.iter().enumerate() {
        let json = serde_json::to_string(evidence).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(serde_json::from_str::<Evidence>(&json).ok().as_ref(), Some(evidence));
        let mut same = 0;
        for (now, other) in all.iter().enumerate() {
            let found = verdict(then, now);
            same += usize::from(found == Verdict::Same);
            if now == then {
                assert_eq!(found, Verdict::Same, "{evidence:?}");
            } else if evidence.sole {
                assert!(matches!(found, Verdict::Different(_)), "{evidence:?} is not the only one: {found:?} at {now}");
            }
            if is_full(evidence) && is_full(other) {
                assert_eq!(found == Verdict::Same, verdict(now, then) == Verdict::Same, "{evidence:?}\n{other:?}");
            }
        }
        assert!(same <= 1 || !evidence.sole, "{same} are the only one: {evidence:?}");
        changes(&mut source, evidence, &observation, then);
    }
}

/// Whether every piece is known to be there or not.
fn is_full(evidence: &Evidence) -> bool {
    let texts = [&evidence.name, &evidence.native_id, &evidence.description, &evidence.row];
    !evidence.context.is_unknown() && !texts.into_iter().any(Reading::is_unknown)
}

/// What becomes of the verdict when the element changes in one piece.
fn changes(source: &mut Source<'_>, evidence: &Evidence, observation: &Observation, index: usize) {
    let node = &observation.nodes[index];
    let ancestors: Vec<&Node> = observation.ancestors(index).map(|at| &observation.nodes[at]).collect();
    let around = context(ancestors.into_iter());
    for labels in [Labels::Exact, Labels::Stable] {
        assert_eq!(compare(evidence, node, &around, labels), Verdict::Same, "{evidence:?}");

        // A piece that was known and cannot be read any more.
        type Reader = (Piece, fn(&mut Node) -> &mut Reading<String>);
        const READERS: [Reader; 3] = [
            (Piece::Name, |node| &mut node.name),
            (Piece::NativeId, |node| &mut node.native_id),
            (Piece::Description, |node| &mut node.description),
        ];
        for (piece, reading) in READERS {
            let mut live = node.clone();
            let then = std::mem::replace(reading(&mut live), Reading::Unknown);
            let ignored = then.is_unknown() || piece == Piece::Description && node.role.is_range();
            let expected = if ignored { Verdict::Same } else { Verdict::Unreadable(vec![piece]) };
            assert_eq!(compare(evidence, &live, &around, labels), expected, "{piece:?} of {evidence:?}");

            let mut live = node.clone();
            *reading(&mut live) = Reading::Known(format!("{} changed", source.pick(WORDS)));
            let expected = if ignored { Verdict::Same } else { Verdict::Different(vec![piece]) };
            assert_eq!(compare(evidence, &live, &around, labels), expected, "{piece:?} of {evidence:?}");
        }
        let mut live = node.clone();
        live.role = if node.role == Role::Tab { Role::Button } else { Role::Tab };
        assert!(
            matches!(compare(evidence, &live, &around, labels), Verdict::Different(pieces) if pieces.contains(&Piece::Role))
        );
        if !evidence.context.is_unknown() {
            assert_eq!(compare(evidence, node, &Reading::Unknown, labels), Verdict::Unreadable(vec![Piece::Context]));
        }
    }
    // A counter that moved on, for an object that was kept and for one that was not.
    let label = source.pick(WORDS);
    let mut parts = source.clone();
    let then = Evidence { name: Reading::Known(moving(&mut parts.clone(), label, 3)), ..evidence.clone() };
    let live = Node { name: Reading::Known(moving(&mut parts, label, 42)), ..node.clone() };
    assert_eq!(compare(&then, &live, &around, Labels::Stable), Verdict::Same, "{:?} and {:?}", then.name, live.name);
    let expected = if then.name == live.name { Verdict::Same } else { Verdict::Different(vec![Piece::Name]) };
    assert_eq!(compare(&then, &live, &around, Labels::Exact), expected);
}

fn id(object: &str) -> ObjectId {
    ObjectId { owner: "bus:1.1".to_owned(), object: object.to_owned() }
}

/// A window of a few elements, many of them alike.
fn window(source: &mut Source<'_>) -> Observation {
    let process = Process { pid: 7, generation: "1".to_owned() };
    let application = Application {
        name: "app".to_owned(),
        program: "app".to_owned(),
        process: process.clone(),
        object: id("/root"),
        toolkit: "gtk 3".to_owned(),
    };
    let window = Window {
        id: "w-1".to_owned(),
        other_id: None,
        title: String::new(),
        app_name: String::new(),
        process,
        object: Some(id("/0")),
        native: None,
        bounds: Reading::Unknown,
        frame: Reading::Unknown,
        maximized: Reading::Unknown,
        focused: Reading::Unknown,
        minimized: Reading::Unknown,
        visible: Reading::Unknown,
    };
    let mut nodes: Vec<Node> = Vec::new();
    // Depth first: each next element hangs below the last one or one of its ancestors.
    for index in 0..1 + source.below(9) {
        let mut parent = index.checked_sub(1);
        for _ in 0..source.below(3) {
            parent = parent.and_then(|at| nodes[at].parent).or(parent);
        }
        let mut node = Node::new(id(&format!("/{index}")), source.pick(ROLES));
        node.name = reading(source);
        node.native_id = reading(source);
        node.description = reading(source);
        node.recycles = node.role == Role::List && source.flag();
        node.parent = parent;
        nodes.push(node);
        if let Some(parent) = parent {
            nodes[parent].children.push(index);
        }
    }
    let gaps = if source.below(8) == 7 { vec![Gap::somewhere(GapReason::Deadline)] } else { Vec::new() };
    Observation { application, window, nodes, above: Vec::new(), gaps }
}

fn reading(source: &mut Source<'_>) -> Reading<String> {
    match source.below(8) {
        0..=2 => Reading::Absent,
        7 => Reading::Unknown,
        _ => Reading::Known(source.pick(&WORDS[..3]).to_owned()),
    }
}
