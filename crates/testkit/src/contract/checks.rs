//! The checks, in the order in which they are carried out.

use std::collections::HashSet;
use std::time::Duration;

use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::node::{Content, Node};
use surehand_core::object::ObjectId;
use surehand_core::platform::{Attention, Inspection, Live, ObserveRequest, Operation};
use surehand_core::reading::Reading;
use surehand_core::state::State;
use surehand_core::tree::Observation;

use super::{Bench, Check};

type Done = Result<(), String>;

/// How long a hanging application is waited for, and how much longer an answer may take than it was given.
const SHORT: Duration = Duration::from_millis(500);
const SLACK: Duration = Duration::from_millis(1_500);

/// All checks.
pub const CHECKS: &[Check] = &[
    ("the session keeps its identity", session),
    ("the application is the same one each time", application),
    ("windows keep their ids", windows),
    ("the tree is complete, in document order, with parents that fit", tree),
    ("an object is the same one each time", identity),
    ("one object by itself is what it is in the tree", inspection),
    ("what is new has another identity", insertion),
    ("a renamed object keeps its identity", renaming),
    ("a click is one press", click),
    ("text is replaced and read back", text),
    ("text is inserted", insert_text),
    ("a number is set and read back", number),
    ("a check box shows that it was toggled", toggle),
    ("what takes the focus says that it has it", focus),
    ("the option that was chosen is the one that is chosen", choose),
    ("what was folded open and shut says so", fold),
    ("what was out of sight is brought into view", scroll_to),
    ("an action that is not offered presses nothing", unknown_action),
    ("what was removed is gone", removal),
    ("nothing can be done to what is gone", action_on_the_removed),
    ("an application that hangs costs the time given and no more", deadline),
    ("an application that goes on answers again", recovery),
    ("a process that ended is gone", end),
];

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Done {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn session(bench: &mut Bench<'_>) -> Done {
    let platform = bench.subject.platform();
    let first = platform.session().to_owned();
    ensure(!first.is_empty() && first == platform.session(), || format!("{first:?}, then {:?}", platform.session()))
}

fn application(bench: &mut Bench<'_>) -> Done {
    let (one, two) = (bench.application()?, bench.application()?);
    ensure(one.object == two.object && one.process == two.process, || format!("{one:?}, then {two:?}"))?;
    ensure(bench.subject.platform().is_running(&one.process), || "its process is said not to run".to_owned())
}

fn windows(bench: &mut Bench<'_>) -> Done {
    let application = bench.application()?;
    let (one, two) = (bench.window(&application)?, bench.window(&application)?);
    ensure(one.id == two.id && one.object == two.object, || format!("{one:?}, then {two:?}"))
}

fn tree(bench: &mut Bench<'_>) -> Done {
    let Observation { nodes, gaps, .. } = bench.observe()?;
    ensure(gaps.is_empty(), || format!("gaps: {gaps:?}"))?;
    let objects: HashSet<_> = nodes.iter().map(|node| &node.object).collect();
    ensure(objects.len() == nodes.len(), || "an object stands in the tree twice".to_owned())?;
    for (index, node) in nodes.iter().enumerate() {
        for child in &node.children {
            let parent = nodes.get(*child).and_then(|child| child.parent);
            ensure(parent == Some(index), || format!("{child} is a child of {index}, and says {parent:?}"))?;
        }
    }
    let mut order = Vec::new();
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        order.push(index);
        open.extend(nodes.get(index).into_iter().flat_map(|node| node.children.iter().rev().copied()));
    }
    ensure(order == (0..nodes.len()).collect::<Vec<_>>(), || format!("the order is {order:?}"))?;
    let place = |name: &str| nodes.iter().position(|node| node.name.text() == Some(name) && node.is_interactive());
    let letters = [place("Alpha"), place("Beta"), place("Gamma")];
    ensure(letters.iter().all(Option::is_some) && letters.is_sorted(), || format!("the letters stand at {letters:?}"))
}

fn identity(bench: &mut Bench<'_>) -> Done {
    // What is made on demand may be made anew for every look; the platform has to say of which that is so.
    let lasting = |observation: &Observation| -> Vec<_> {
        let is_lasting = |index: &usize| {
            !observation
                .ancestors(*index)
                .filter_map(|around| observation.nodes.get(around))
                .any(|around| around.recycles)
        };
        let nodes = (0..observation.nodes.len()).filter(is_lasting).filter_map(|index| observation.nodes.get(index));
        nodes.map(|node| (node.object.clone(), node.role, node.name.clone())).collect()
    };
    let (one, two) = (lasting(&bench.observe()?), lasting(&bench.observe()?));
    ensure(one.len() == two.len(), || format!("{} elements, then {}", one.len(), two.len()))?;
    let differ: Vec<_> = one.iter().zip(&two).filter(|(one, two)| one.0 != two.0).collect();
    ensure(differ.is_empty(), || format!("{differ:?}"))
}

fn inspection(bench: &mut Bench<'_>) -> Done {
    let observation = bench.observe()?;
    let (beta, process) = bench.find("Beta")?;
    let live = element(bench.inspect(&beta.object, &process).map_err(|error| error.to_string())?)?;
    ensure(live.process == process, || format!("{:?} answers for {process:?}", live.process))?;
    let looks = |node: &Node| (node.role, node.name.clone(), node.states, node.affordances.clone());
    ensure(looks(&live.node) == looks(&beta), || format!("{:?}\nin the tree {:?}", looks(&live.node), looks(&beta)))?;
    let window = live.ancestors.last().map(|window| &window.object);
    ensure(window == observation.window.object.as_ref(), || format!("its outermost container is {window:?}"))?;
    // A guess decides what is asked together, and nothing of what is answered.
    let around = |live: &Inspection| live.ancestors.iter().map(|node| node.object.clone()).collect::<Vec<_>>();
    let right = around(&live);
    let turned = right.iter().rev().cloned().collect();
    let others = observation.nodes.iter().rev().take(20).map(|node| node.object.clone()).collect();
    let nowhere = vec![ObjectId { object: "/no/such/thing".to_owned(), ..beta.object.clone() }, beta.object.clone()];
    for guess in [right.clone(), turned, others, nowhere] {
        let platform = bench.subject.platform();
        let guessed = platform.inspect_guessing(&bench.call(), &beta.object, &process, &guess);
        let guessed = element(guessed.map_err(|error| error.to_string())?)?;
        ensure(looks(&guessed.node) == looks(&live.node), || format!("with {guess:?} it is {:?}", guessed.node))?;
        ensure(around(&guessed) == right, || format!("with {guess:?} it is in {:?}", around(&guessed)))?;
    }
    Ok(())
}

fn insertion(bench: &mut Bench<'_>) -> Done {
    let (beta, _) = bench.find("Beta")?;
    let known: HashSet<_> = bench.observe()?.nodes.into_iter().map(|node| node.object).collect();
    bench.subject.insert_first("Newcomer");
    let (new, _) = bench.find("Newcomer")?;
    ensure(!known.contains(&new.object), || "it has the identity of something else".to_owned())?;
    let (again, _) = bench.find("Beta")?;
    ensure(again.object == beta.object, || "another one lost its identity by that".to_owned())
}

fn renaming(bench: &mut Bench<'_>) -> Done {
    let (gamma, _) = bench.find("Gamma")?;
    bench.subject.rename("Gamma", "Delta");
    let (delta, _) = bench.find("Delta")?;
    bench.subject.rename("Delta", "Gamma");
    bench.find("Gamma")?;
    ensure(delta.object == gamma.object, || format!("{} became {}", gamma.object, delta.object))
}

fn click(bench: &mut Bench<'_>) -> Done {
    let (beta, process) = bench.find("Beta")?;
    let before = (bench.subject.presses("Alpha"), bench.subject.presses("Beta"));
    undisturbed(bench, |bench| {
        bench.perform(&beta.object, &press(&beta)?).map_err(|error| error.to_string())?;
        bench.until("it was pressed", || ensure(bench.subject.presses("Beta") > before.1, || "it was not".to_owned()))
    })?;
    // Whatever else it may have set off is done when it has answered twice more.
    for _ in 0..2 {
        bench.inspect(&beta.object, &process).map_err(|error| error.to_string())?;
    }
    let after = (bench.subject.presses("Alpha"), bench.subject.presses("Beta"));
    ensure(after == (before.0, before.1 + 1), || format!("presses of Alpha and Beta: {before:?}, then {after:?}"))
}

fn text(bench: &mut Bench<'_>) -> Done {
    let text = "Zażółć 中 🙂";
    undisturbed(bench, |bench| {
        change(bench, "Name field", &Operation::SetText(text.to_owned()), |node| holds(node) == Some(text))
    })
}

fn insert_text(bench: &mut Bench<'_>) -> Done {
    change(bench, "Name field", &Operation::SetText("ab".to_owned()), |node| holds(node) == Some("ab"))?;
    change(bench, "Name field", &Operation::InsertText("é🙂".to_owned()), |node| {
        ["é🙂ab", "aé🙂b", "abé🙂"].map(Some).contains(&holds(node))
    })
}

fn number(bench: &mut Bench<'_>) -> Done {
    undisturbed(bench, |bench| {
        change(
            bench,
            "Copies",
            &Operation::SetNumber(7.0),
            |node| matches!(node.content, Reading::Known(Content::Number { current, .. }) if (current - 7.0).abs() < 1e-9),
        )
    })
}

fn toggle(bench: &mut Bench<'_>) -> Done {
    let (check, _) = bench.find("Check me")?;
    let before = check.has(State::Checked);
    let press = press(&check)?;
    change(bench, "Check me", &press, |node| node.has(State::Checked) != before)
}

fn focus(bench: &mut Bench<'_>) -> Done {
    let (field, _) = bench.find("Name field")?;
    ensure(field.affordances.focus, || "it is not said to take the focus".to_owned())?;
    change(bench, "Name field", &Operation::Focus, |node| node.has(State::Focused))
}

fn choose(bench: &mut Bench<'_>) -> Done {
    let observation = bench.observe()?;
    let rows = observation.nodes.iter().filter(|node| node.name.text() == Some("Rows"));
    let mut found = rows.filter_map(|list| {
        let index = list.children.iter().find(|child| contains(&observation, **child, "row 1"))?;
        let option = observation.nodes.get(*index)?;
        // Where the list itself lets nothing be chosen, its options do.
        if list.affordances.choose {
            Some((list, Operation::Choose { child: option.object.clone() }, option))
        } else {
            let action = option.affordances.press.known().cloned()?;
            Some((option, Operation::Press { action }, option))
        }
    });
    let (target, operation, option) = found.next_back().ok_or("nothing called Rows lets its row 1 be chosen")?;
    bench.perform(&target.object, &operation).map_err(|error| error.to_string())?;
    bench.until("it is chosen", || {
        let live = bench.inspect(&option.object, &observation.application.process);
        let live = element(live.map_err(|error| error.to_string())?)?;
        ensure(live.node.has(State::Selected), || format!("{:?}", live.node.states))
    })
}

/// Whether a node, or something in it, is called so.
fn contains(observation: &Observation, index: usize, name: &str) -> bool {
    observation.nodes.get(index).is_some_and(|node| {
        node.name.text() == Some(name) || node.children.iter().any(|child| contains(observation, *child, name))
    })
}

fn fold(bench: &mut Bench<'_>) -> Done {
    for open in [true, false] {
        let (node, _) = bench.find("Details")?;
        let offers = &node.affordances;
        let operation = if open {
            offers.expand.clone().map(|action| Operation::Expand { action })
        } else {
            offers.collapse.clone().map(|action| Operation::Collapse { action })
        };
        let operation = operation.ok_or("it is not said to fold")?;
        change(bench, "Details", &operation, |node| node.has(State::Expanded) == open)?;
    }
    Ok(())
}

fn scroll_to(bench: &mut Bench<'_>) -> Done {
    let (node, _) = bench.find("Details")?;
    ensure(node.affordances.scroll_to, || "it is not said to scroll into view".to_owned())?;
    change(bench, "Details", &Operation::ScrollTo, |node| !node.has(State::Offscreen))
}

fn unknown_action(bench: &mut Bench<'_>) -> Done {
    let (beta, _) = bench.find("Beta")?;
    let before = bench.subject.presses("Beta");
    let unknown = Operation::Press { action: "no such action".to_owned() };
    match bench.perform(&beta.object, &unknown) {
        Ok(()) => return Err("it was accepted".to_owned()),
        Err(error) => ensure(error.delivered() == Delivery::NotDelivered, || format!("{:?}", error.delivered()))?,
    }
    bench.observe()?;
    ensure(bench.subject.presses("Beta") == before, || "it was pressed".to_owned())
}

fn removal(bench: &mut Bench<'_>) -> Done {
    let (alpha, process) = bench.find("Alpha")?;
    let window = bench.observe()?.window.object;
    bench.subject.remove("Alpha");
    bench.until("it is gone", || match bench.inspect(&alpha.object, &process) {
        Ok(Live::Gone) => Ok(()),
        // Taken out of its window a widget may live on for a while; nobody can see it there.
        Ok(Live::Element(live)) if live.ancestors.last().map(|last| &last.object) != window.as_ref() => Ok(()),
        other => Err(format!("{other:?}")),
    })?;
    let still = bench.observe()?.nodes.into_iter().any(|node| node.object == alpha.object);
    ensure(!still, || "it is in the tree".to_owned())
}

fn action_on_the_removed(bench: &mut Bench<'_>) -> Done {
    let (gamma, process) = bench.find("Gamma")?;
    let press = press(&gamma)?;
    let before = bench.subject.presses("Gamma");
    let window = bench.observe()?.window.object;
    bench.subject.remove("Gamma");
    let lives_on = bench.until("it is gone", || match bench.inspect(&gamma.object, &process) {
        Ok(Live::Gone) => Ok(false),
        Ok(Live::Element(live)) if live.ancestors.last().map(|last| &last.object) != window.as_ref() => Ok(true),
        other => Err(format!("{other:?}")),
    })?;
    if lives_on {
        // The application still has it, and what it does with it is its own affair.
        return Ok(());
    }
    match bench.perform(&gamma.object, &press) {
        Ok(()) => Err("it was accepted".to_owned()),
        Err(error) => ensure(error.delivered() == Delivery::NotDelivered, || format!("{:?}", error.delivered())),
    }?;
    ensure(bench.subject.presses("Gamma") == before, || "it was pressed".to_owned())
}

fn deadline(bench: &mut Bench<'_>) -> Done {
    let application = bench.application()?;
    let window = bench.window(&application)?;
    let (beta, process) = bench.find("Beta")?;
    bench.subject.freeze();
    let clock = bench.subject.clock();
    let begun = clock.now();
    let platform = bench.subject.platform();
    let observed = platform.observe(&bench.lasting(SHORT), &application, &window, &ObserveRequest::default());
    let observing = clock.now().saturating_duration_since(begun);
    let begun = clock.now();
    let inspected = platform.inspect(&bench.lasting(SHORT), &beta.object, &process);
    let inspecting = clock.now().saturating_duration_since(begun);
    bench.subject.thaw();
    for took in [observing, inspecting] {
        ensure(took <= SHORT + SLACK, || format!("{SHORT:?} were given, and it took {took:?}"))?;
    }
    let silent = |code: Code| matches!(code, Code::AppUnresponsive | Code::Timeout);
    match observed {
        Ok(observation) => ensure(!observation.is_complete(), || "it is said to be complete".to_owned())?,
        Err(error) => ensure(silent(error.code()), || error.to_string())?,
    }
    match inspected {
        Err(error) => ensure(silent(error.code()), || error.to_string()),
        Ok(live) => Err(format!("a hanging application answered: {live:?}")),
    }
}

fn recovery(bench: &mut Bench<'_>) -> Done {
    let (beta, process) = bench.find("Beta")?;
    element(bench.inspect(&beta.object, &process).map_err(|error| error.to_string())?).map(drop)
}

fn end(bench: &mut Bench<'_>) -> Done {
    let (beta, process) = bench.find("Beta")?;
    let press = press(&beta)?;
    bench.subject.kill();
    bench.until("it is gone", || match bench.inspect(&beta.object, &process) {
        Ok(Live::ProcessGone) => Ok(()),
        other => Err(format!("{other:?}")),
    })?;
    ensure(!bench.subject.platform().is_running(&process), || "its process is said to run".to_owned())?;
    match bench.perform(&beta.object, &press) {
        Ok(()) => Err("an action on it was accepted".to_owned()),
        Err(error) => ensure(error.delivered() == Delivery::NotDelivered, || format!("{:?}", error.delivered())),
    }
}

fn press(node: &Node) -> Result<Operation, String> {
    let action = node.affordances.press.known().cloned().ok_or_else(|| format!("{:?} cannot be pressed", node.name))?;
    Ok(Operation::Press { action })
}

fn holds(node: &Node) -> Option<&str> {
    match &node.content {
        Reading::Known(Content::Text { text, clipped: false }) => Some(text),
        _ => None,
    }
}

fn element(live: Live) -> Result<Box<surehand_core::platform::Inspection>, String> {
    match live {
        Live::Element(live) => Ok(live),
        other => Err(format!("{other:?}")),
    }
}

/// Performs an operation and waits until the element shows it.
fn change(bench: &Bench<'_>, name: &str, operation: &Operation, shows: impl Fn(&Node) -> bool) -> Done {
    let (node, process) = bench.find(name)?;
    bench.perform(&node.object, operation).map_err(|error| error.to_string())?;
    bench.until("the element shows it", || {
        let live = element(bench.inspect(&node.object, &process).map_err(|error| error.to_string())?)?;
        ensure(shows(&live.node), || format!("{:?} {:?}", live.node.content, live.node.states))
    })
}

/// Carries something out that must leave pointer, active window and keyboard where they are.
fn undisturbed(bench: &Bench<'_>, work: impl FnOnce(&Bench<'_>) -> Done) -> Done {
    let look = || -> Result<Attention, String> {
        bench.subject.platform().attention(&bench.call()).map_err(|error| error.to_string())
    };
    let before = look()?;
    work(bench)?;
    let after = look()?;
    ensure(before == after, || format!("{before:?}, afterwards {after:?}"))
}
