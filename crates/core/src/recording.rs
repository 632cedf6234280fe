//! Recordings: what an adapter gave for one observation, in a form that can be kept and replayed.
//!
//! A recording is what everything above the adapter works on, so names, evidence, rows, hints and outlines can be
//! made from it again without the application, the toolkit or the system it came from. It holds what the window
//! showed, and nothing that an answer would not read out: of a secret neither what it is nor how long.
//!
//! The form is JSON, one line for each element; what many elements have in common is in one of the `kinds`. A property that is not there was not known; one that is `null` was
//! absent; anything else is what was known.

mod form;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};
use crate::node::Node;
use crate::platform::ObserveRequest;
use crate::reading::Reading;
use crate::state::State;
use crate::tree::Observation;

/// What the field `format` of every recording says.
pub const FORMAT: &str = "surehand-recording";

/// The version of the form that is written. Every version up to this one can be read; one that adds a field gives it
/// a default, one that changes a field gets a form of its own beside the old one.
pub const VERSION: u32 = 1;

/// One observation, and what was asked for.
#[derive(Debug, Clone)]
pub struct Recording {
    /// What was asked for.
    pub request: ObserveRequest,
    /// What the adapter gave.
    pub observation: Observation,
}

/// What is read first, to see whether the rest can be.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

impl Recording {
    /// A recording of an observation, without what an answer would withhold.
    pub fn new(request: &ObserveRequest, observation: &Observation) -> Self {
        let mut observation = observation.clone();
        observation.nodes.iter_mut().chain(&mut observation.above).for_each(withhold);
        Recording { request: request.clone(), observation }
    }

    /// The file.
    ///
    /// # Errors
    /// `INTERNAL` when it is no JSON, which a fault of ours would be.
    pub fn write(&self) -> Result<String> {
        form::write(self).map_err(|fault| {
            Error::new(Code::Internal, "the observation cannot be written as a recording").platform(fault.to_string())
        })
    }

    /// Reads a file of this version or an earlier one.
    ///
    /// # Errors
    /// `INVALID_ARGS` with the kind `not_a_recording`, `unknown_recording_version` or `damaged_recording`.
    pub fn read(text: &str) -> Result<Recording> {
        let header: Header = serde_json::from_str(text).map_err(|fault| not_one(&fault.to_string()))?;
        if header.format != FORMAT {
            return Err(not_one("its format is another one"));
        }
        match header.version {
            1 => {
                let recording = form::read(text).map_err(|fault| damaged(&fault))?;
                // A file can come from anywhere, and what it should not hold is not passed on either.
                Ok(Recording::new(&recording.request, &recording.observation))
            }
            version => Err(Error::new(
                Code::InvalidArgs,
                format!("the recording has version {version}, and only versions 1 to {VERSION} can be read"),
            )
            .kind("unknown_recording_version")
            .detail("version", version)
            .detail("newest", VERSION)
            .suggest("read it with the surehand that wrote it, or a later one")),
        }
    }
}

/// Takes out what [`Node::value`] withholds.
fn withhold(node: &mut Node) {
    if node.has(State::Secure) || node.states.is_unknown() {
        node.content = Reading::Unknown;
    }
}

fn not_one(why: &str) -> Error {
    Error::new(Code::InvalidArgs, "this is no recording")
        .kind("not_a_recording")
        .platform(why)
        .suggest("give a file that `snapshot --record` wrote")
}

fn damaged(why: &str) -> Error {
    Error::new(Code::InvalidArgs, "the recording is damaged")
        .kind("damaged_recording")
        .platform(why)
        .suggest("make it anew with `snapshot --record`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::node::{Affordances, Content, TextAccess};
    use crate::object::{Application, ObjectId, Process};
    use crate::role::Role;
    use crate::state::States;
    use crate::tree::{Gap, GapReason};
    use crate::window::Window;

    fn object(owner: &str, object: &str) -> ObjectId {
        ObjectId { owner: owner.into(), object: object.into() }
    }

    /// An observation in which every property has each of its three answers somewhere.
    fn observation() -> Observation {
        let process = Process { pid: 7, generation: "g".into() };
        let mut root = Node::new(object("bus:1.1", "/0"), Role::Window);
        root.name = Reading::Known("Win\u{202e}dow \"1\"\n".into());
        root.states = Reading::Known(States::NONE);
        root.children = vec![1, 3];
        root.child_count = Reading::Known(2_147_483_648);
        let mut group = Node::new(object("bus:1.1", "/1"), Role::Group);
        (group.name, group.description, group.native_id) = (Reading::Absent, Reading::Absent, Reading::Absent);
        (group.placeholder, group.content, group.bounds) = (Reading::Absent, Reading::Absent, Reading::Absent);
        (group.states, group.child_count) = (Reading::Absent, Reading::Absent);
        (group.parent, group.children, group.recycles) = (Some(0), vec![2], true);
        let mut field = Node::new(object("bus:1.2", "/2"), Role::TextField);
        field.native_role = "entry".into();
        field.description = Reading::Known("d".into());
        field.native_id = Reading::Known("id".into());
        field.placeholder = Reading::Known("p".into());
        field.content = Reading::Known(Content::Text { text: "half".into(), clipped: true });
        field.states = Reading::Known([State::Focused, State::Required].into_iter().collect());
        field.bounds = Reading::Known(Rect { x: -1, y: 2, width: 3, height: 4 });
        field.affordances = Affordances {
            press: Reading::Known("activate".into()),
            withheld: true,
            text: TextAccess::Broken("it does nothing".into()),
            number: true,
            step: Some(0.5),
            orientation: Some(crate::node::Orientation::Vertical),
            menu: Some("menu".into()),
            expand: Some("expand".into()),
            collapse: Some("collapse".into()),
            choose: true,
            focus: true,
            scroll_to: true,
        };
        field.parent = Some(1);
        let mut number = Node::new(object("bus:1.1", "/3"), Role::Slider);
        number.states = Reading::Known(States::NONE);
        // Neither the limits nor the last digit can be written as a number of JSON.
        let (current, minimum) = (0.1 + 0.2, f64::NEG_INFINITY);
        number.content = Reading::Known(Content::Number { current, minimum, maximum: f64::INFINITY });
        number.affordances.text = TextAccess::Read;
        number.parent = Some(0);
        Observation {
            application: Application {
                name: "app".into(),
                program: "program".into(),
                process: process.clone(),
                object: object("bus:1.1", "/root"),
                toolkit: "kit 1.2".into(),
            },
            window: Window {
                id: "w-1".into(),
                other_id: Some("w-a1".into()),
                title: "title".into(),
                app_name: "app".into(),
                process,
                object: Some(object("bus:1.1", "/0")),
                native: Some(1),
                bounds: Reading::Known(Rect { x: 1, y: 2, width: 3, height: 4 }),
                frame: Reading::Known(Rect { x: 0, y: 1, width: 5, height: 6 }),
                focused: Reading::Known(true),
                maximized: Reading::Known(false),
                minimized: Reading::Absent,
                visible: Reading::Unknown,
            },
            nodes: vec![root, group, field, number],
            above: vec![Node::new(object("bus:1.1", "/above"), Role::Document)],
            gaps: vec![
                Gap { next: Some(200), ..Gap::at(GapReason::TooManyChildren, 0).missing(2_147_483_446) },
                Gap::somewhere(GapReason::Deadline),
            ],
        }
    }

    fn shown(recording: &Recording) -> String {
        format!("{recording:?}")
    }

    #[test]
    fn what_was_written_reads_back_as_it_was() {
        let request =
            ObserveRequest { root: Some(object("bus:1.1", "/0")), offset: Some(3), bounds: true, ..Default::default() };
        let recording = Recording::new(&request, &observation());
        let text = recording.write().expect("a recording");
        let again = Recording::read(&text).expect("its own form");
        assert_eq!(shown(&again), shown(&recording));
        assert_eq!(again.write().expect("a recording"), text);
        assert_eq!(shown(&recording), shown(&Recording { request, observation: observation() }), "nothing is withheld");
        assert!(text.ends_with("\n]}\n") && text.lines().count() == 10 + 5 + 4, "{text}");
    }

    #[test]
    fn a_secret_is_neither_written_nor_read() {
        let mut observed = observation();
        observed.nodes[2].states = Reading::Known([State::Secure].into_iter().collect());
        // Nobody said that this one is no secret.
        observed.nodes[3].states = Reading::Unknown;
        let open = Recording { request: ObserveRequest::default(), observation: observed.clone() };
        let leaking = open.write().expect("a recording");
        assert!(leaking.contains("half") && leaking.contains("0.30000000000000004"), "{leaking}");
        let text = Recording::new(&open.request, &observed).write().expect("a recording");
        assert!(!text.contains("half") && !text.contains("0.30000000000000004"), "{text}");
        assert_eq!(Recording::read(&leaking).and_then(|read| read.write()).ok(), Some(text));
    }

    /// The least that a file of version 1 holds. It is never changed: it stands for the files there are.
    const FIRST: &str = r#"{"format":"surehand-recording","version":1,
        "request":{"max_nodes":5,"max_text":6,"max_string":7,"max_children":8,"page":9},
        "application":{"name":"a","program":"b","process":{"pid":1,"generation":"g"},
            "object":{"owner":"o","object":"/r"},"toolkit":"t"},
        "window":{"id":"w-1","title":"","app_name":"a","process":{"pid":1,"generation":"g"}},
        "kinds":[{"role":"button","name":"not its own"}],
        "nodes":[{"object":"/0","role":"window"},{"object":"/1","kind":0,"name":"OK","parent":0}]}"#;

    #[test]
    fn a_file_of_the_first_version_stays_readable() {
        let read = Recording::read(FIRST).expect("version 1");
        let nodes = &read.observation.nodes;
        assert_eq!((nodes[0].children.as_slice(), nodes[1].parent), (&[1][..], Some(0)));
        assert_eq!((&nodes[1].name, &nodes[1].description), (&Reading::Known("OK".into()), &Reading::Unknown));
        assert_eq!(nodes[1].object, object("o", "/1"));
        assert_eq!((read.request.max_nodes, read.request.page), (5, 9));
        assert!(read.observation.is_complete() && read.observation.window.object.is_none());
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let kind = |text: &str| {
            let error = Recording::read(text).expect_err("refused");
            assert_eq!(error.code(), Code::InvalidArgs, "{error}");
            error.kind_of().map(str::to_owned).unwrap_or_default()
        };
        for text in ["", "{}", "[]", "\u{1}", &FIRST.replace("surehand-recording", "other")] {
            assert_eq!(kind(text), "not_a_recording", "{text}");
        }
        for version in ["0", "2", "4294967295"] {
            let text = FIRST.replace("\"version\":1", &format!("\"version\":{version}"));
            assert_eq!(kind(&text), "unknown_recording_version");
        }
        let newer = Recording::read(&FIRST.replace("\"version\":1", "\"version\":2")).expect_err("a later version");
        assert!(newer.message().contains("version 2") && newer.message().contains("1 to 1"), "{newer}");
        for (from, to) in [
            ("\"parent\":0", "\"parent\":1"),
            ("\"parent\":0", "\"parent\":-1"),
            ("\"button\"", "\"no role\""),
            ("\"kind\":0", "\"kind\":1"),
            ("\"kind\":0", "\"kind\":{}"),
            ("\"max_nodes\":5,", ""),
            (",\"parent\":0", ""),
            ("]}", "],\"gaps\":[{\"reason\":\"depth\",\"node\":2}]}"),
            ("]}", "],\"more\":1}"),
        ] {
            assert_eq!(kind(&FIRST.replacen(from, to, 1)), "damaged_recording", "{to}");
        }
    }
}
