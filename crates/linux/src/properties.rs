//! What holds whatever an application answers.
//!
//! An application that answers out of the bytes given is put at the other end of a connection: with what the
//! interface promises, with well-formed answers of other types, with errors, with messages that were damaged on the
//! way, with no message at all. It is then read and acted on as any other. Nothing panics or outlasts its time,
//! what comes back keeps to the budgets, and everything it says of an element was answered so. The tests run it
//! over fixed random bytes, libFuzzer over what it finds.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a property that does not hold panics")]

mod application;

use std::collections::HashSet;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use surehand_core::disposition::Delivery;
use surehand_core::node::{Content, Node};
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::{ObserveRequest, Operation};
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::tree::Observation;
use surehand_core::window::Window;
use tokio::net::UnixStream;
use zbus::connection::Builder;

use self::application::{Answers, NAME, answer};
use crate::connect::{Bus, Link};
use crate::socket::Batched;
use crate::toolkit::Toolkit;
use crate::wire::{Line, Peer};
use crate::{act, tree};

/// The GUID of the bus that is not there.
const GUID: &str = "0123456789abcdef0123456789abcdef";

/// The object that is the window.
const WINDOW: &str = "/0";

/// What a text may be longer by than the budget: the mark that it was cut.
const MARK: usize = 64;

/// How long one application is read. A damaged answer can be one that never comes.
const SPAN: Duration = Duration::from_millis(60);

const TOOLKITS: [Toolkit; 7] =
    [Toolkit::Gtk3, Toolkit::Gtk4, Toolkit::Qt, Toolkit::Java, Toolkit::Other, Toolkit::Chromium, Toolkit::Gecko];

/// The operations that an application is asked for.
const OPERATIONS: usize = 4;

/// Whether anything panicked in a task of its own.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Reads an application that answers out of these bytes, and acts on it.
pub fn replies(data: &[u8]) {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |why| {
            let place = why.location().map(std::panic::Location::file).unwrap_or_default();
            PANICKED.fetch_or(place.contains("zbus"), Ordering::Relaxed);
            before(why);
        }));
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(SPAN * 200, one(data)).await.unwrap_or_else(|_| panic!("it hangs"));
    });
    // What panics in the bus library's own task is caught there, and would be seen by nobody but the user.
    assert!(!PANICKED.swap(false, Ordering::Relaxed), "the bus library panicked");
}

async fn one(data: &[u8]) {
    let (&[first, second], data) = data.split_first_chunk().unwrap_or((&[0, 0], data));
    let toolkit = TOOLKITS[usize::from(first) % TOOLKITS.len()];

    let (ours, theirs) = UnixStream::pair().unwrap();
    let answers = Answers::new(data);
    let application = tokio::spawn(answer(theirs, answers.clone()));
    let socket = Batched::of(ours);
    let outbox = Some(socket.outbox());
    let connection = Builder::authenticated_socket(socket, GUID).unwrap().p2p().build().await.unwrap();
    let line = Line { connection, outbox };
    let process = Process { pid: std::process::id(), generation: "1".to_owned() };
    let bus = Bus::of_line(line.clone(), GUID);
    // Whether it is asked over the bus or over a connection of its own makes a difference to who may answer.
    let peer = if second & 1 == 0 { Peer::private(line) } else { bus.peer(NAME) };
    bus.know(Link::of_parts(NAME, process.clone(), toolkit, peer)).await;

    let object = bus.object(NAME, WINDOW);
    let request = ObserveRequest {
        max_nodes: 12,
        max_text: 200,
        max_string: 60,
        max_children: 16,
        page: 4,
        bounds: second & 2 != 0,
        root: (second & 4 != 0).then(|| bus.object(NAME, "/1")),
        ..ObserveRequest::default()
    };
    // One of them each time: what is answered to the next could be taken for an answer to the one before.
    match second >> 3 {
        0..16 => look(&bus, &object, &request, &answers, toolkit).await,
        16..24 => {
            let link = bus.link(NAME).await.unwrap();
            if let Ok((nodes, _)) = crate::inspect::inspect(&bus, &link, &object, &[], SPAN).await {
                nodes.iter().for_each(|node| claims(node, &answers, toolkit));
                nodes.iter().for_each(|node| says_none(node, &answers, toolkit));
            }
        }
        which => {
            let link = bus.link(NAME).await.unwrap();
            act_on(&bus, &link, usize::from(which), &answers).await;
        }
    }
    application.abort();
}

/// Reads the window.
async fn look(bus: &Bus, object: &ObjectId, request: &ObserveRequest, answers: &Answers, toolkit: Toolkit) {
    let process = Process { pid: std::process::id(), generation: "1".to_owned() };
    let (described, window) = (described(&process, object), shown(&process, object));
    let Ok(observation) = tree::observe(bus, &described, &window, request, SPAN).await else { return };
    budgets(&observation, request);
    observation.nodes.iter().for_each(|node| claims(node, answers, toolkit));
    if request.root.is_none() {
        observation.nodes.iter().for_each(|node| says_none(node, answers, toolkit));
    }
    let parents = observation.nodes.iter().filter(|node| node.child_count.known().is_some_and(|count| *count > 0));
    for node in parents.filter(|node| node.children.is_empty() && answers.only_bad(&node.object.object, "GetChildren"))
    {
        assert!(!observation.is_complete(), "the children of {} were not told and are not missed", node.object);
    }
}

/// Acts once: that it was done is said only where the application said so, and that nothing was sent only where
/// nothing was.
async fn act_on(bus: &Bus, link: &Link, which: usize, answers: &Answers) {
    let (operation, member) = match which % OPERATIONS {
        0 => (Operation::Press { action: "click".to_owned() }, "DoAction"),
        1 => (Operation::SetText("text".to_owned()), "SetTextContents"),
        2 => (Operation::InsertText("text".to_owned()), "InsertText"),
        _ => (Operation::SetNumber(4.5), "Set"),
    };
    let sent = AtomicBool::new(false);
    let object = bus.object(NAME, "/1");
    match act::perform(bus, link, &object, &operation, SPAN, &sent).await {
        Ok(()) => assert!(answers.were_good("/1", member), "{member} was not confirmed"),
        Err(error) if error.delivered() == Delivery::NotDelivered => {
            let refused = answers.were_bad("/1", member) || !answers.were_asked("/1", member);
            assert!(refused, "{member} was sent and is said not to have been: {error}");
        }
        Err(_) => {}
    }
}

fn described(process: &Process, object: &ObjectId) -> Application {
    Application {
        name: "application".to_owned(),
        program: "application".to_owned(),
        process: process.clone(),
        object: ObjectId { object: crate::connect::ROOT.to_owned(), ..object.clone() },
        toolkit: String::new(),
    }
}

fn shown(process: &Process, object: &ObjectId) -> Window {
    Window {
        id: "w-1".to_owned(),
        other_id: None,
        title: String::new(),
        app_name: String::new(),
        process: process.clone(),
        object: Some(object.clone()),
        native: None,
        bounds: Reading::Unknown,
        frame: Reading::Unknown,
        maximized: Reading::Unknown,
        focused: Reading::Unknown,
        minimized: Reading::Unknown,
        visible: Reading::Unknown,
    }
}

/// The tree is one, and within the budgets.
fn budgets(observation: &Observation, request: &ObserveRequest) {
    let nodes = &observation.nodes;
    assert!(!nodes.is_empty() && nodes.len() <= request.max_nodes, "{} nodes", nodes.len());
    let objects: HashSet<&ObjectId> = nodes.iter().map(|node| &node.object).collect();
    assert_eq!(objects.len(), nodes.len(), "an object has two places");
    for (index, node) in nodes.iter().enumerate() {
        assert_eq!(node.parent.is_none(), index == 0);
        assert!(node.parent.is_none_or(|parent| parent < index && nodes[parent].children.contains(&index)));
        let texts = [&node.name, &node.description, &node.native_id, &node.placeholder];
        for text in texts.into_iter().filter_map(|text| text.text()) {
            assert!(text.len() <= request.max_string + MARK, "{} bytes", text.len());
        }
    }
    assert!(
        observation.gaps.iter().all(|gap| gap.node.is_none_or(|node| node < nodes.len())),
        "{:?}",
        observation.gaps
    );
}

/// Everything that is said of an element was answered by the application, and of the promised type.
fn claims(node: &Node, answers: &Answers, toolkit: Toolkit) {
    // The list of the whole application says anything of anything.
    if toolkit.has_bulk_read() && answers.were_good("/org/a11y/atspi/cache", "GetItems") {
        return;
    }
    let path = &node.object.object;
    let claim = |holds: bool, keys: &[&str]| {
        let heard = keys.iter().any(|key| answers.were_good(path, key));
        assert!(!holds || heard, "{keys:?} of {path} were not answered, and yet it is {node:?}");
    };
    claim(node.role != Role::Unknown || !node.native_role.is_empty(), &["GetRole"]);
    claim(!node.states.is_unknown(), &["GetState"]);
    claim(node.description.known().is_some(), &["Description"]);
    claim(!node.child_count.is_unknown(), &["ChildCount"]);
    claim(node.affordances.press.known().is_some(), &["GetActions", "GetName"]);
    claim(node.affordances.press == Reading::Absent, &["GetInterfaces"]);
    claim(node.affordances.number, &["GetInterfaces"]);
    claim(node.bounds.known().is_some(), &["GetExtents"]);
    match &node.content {
        Reading::Known(Content::Number { .. }) => claim(true, &["CurrentValue"]),
        Reading::Known(Content::Text { .. }) => claim(true, &["GetText", "Name"]),
        Reading::Absent | Reading::Unknown => {}
    }
}

/// That an element has no actions is said where none is offered, or all that are were told. Only where it was asked
/// once: the way up from the element that the reading begins at is asked again, and may be answered otherwise.
fn says_none(node: &Node, answers: &Answers, toolkit: Toolkit) {
    let path = &node.object.object;
    let told = toolkit.has_bulk_read() && answers.were_good("/org/a11y/atspi/cache", "GetItems");
    if !told && node.affordances.press == Reading::Absent && !node.role.holds_text() {
        let untold = answers.only_bad(path, "GetActions") || answers.only_bad(path, "NActions");
        assert!(!untold, "the actions of {path} could not be read, and it is said to have none: {node:?}");
    }
}

#[cfg(test)]
mod tests {
    use surehand_testkit::properties::check;

    #[test]
    fn whatever_an_application_answers_nothing_is_made_up() {
        check(600, 300, super::replies);
    }

    #[test]
    fn what_was_found_once_stays_mended() {
        // An answer of another type than the promised empty one was taken for "the number is set".
        super::replies(&[0, 216, 160, 1]);
        // A sender that is no name made the bus library panic.
        super::replies(&[
            122, 0, 160, 0, 0, 0, 0, 160, 70, 0, 0, 0, 160, 0, 0, 23, 0, 0, 228, 0, 61, 46, 0, 216, 2, 0, 77, 0, 35, 5,
            89, 11, 0, 0, 8, 160, 86, 0, 0, 58, 0, 0, 0, 0, 160, 0, 228, 0, 198, 29, 49, 0, 240, 1, 0,
        ]);
    }
}
