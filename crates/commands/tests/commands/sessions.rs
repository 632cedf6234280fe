//! Sessions and traces.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};
use surehand_core::session::{
    Artifacts, Namespace, Segment, Session, SessionRequest, Sessions, Unwanted, check_id, unknown,
};
use surehand_core::trace::{Fields, Trace};
use surehand_core::{Code, Error, Result};
use surehand_testkit::fake::{button, field, password};

use crate::golden::Golden;
use crate::rig::{MemoryStore, Rig, lock};

/// Sessions in memory, with a trace that is the same for all of them.
#[derive(Default)]
pub(crate) struct FakeSessions {
    pub(crate) current: Option<String>,
    pub(crate) there: Mutex<Vec<Session>>,
    pub(crate) segments: Mutex<Vec<Segment>>,
    pub(crate) pictures: Mutex<BTreeMap<String, Vec<u8>>>,
    pub(crate) kept: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Sessions for FakeSessions {
    fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    fn start(&self, request: &SessionRequest) -> Result<Session> {
        let mut there = lock(&self.there);
        let session = Session {
            session_id: format!("session-{}", there.len() + 1),
            name: request.name.clone(),
            created_at: "2026-01-02T03:04:05Z".to_owned(),
            ended_at: None,
            trace: request.trace,
            artifacts: request.artifacts,
        };
        there.push(session.clone());
        Ok(session)
    }

    fn end(&self, id: &str) -> Result<Session> {
        let mut there = lock(&self.there);
        let session = there.iter_mut().find(|session| session.session_id == id).ok_or_else(|| unknown(id))?;
        session.ended_at = Some("2026-01-02T04:05:06Z".to_owned());
        Ok(session.clone())
    }

    fn list(&self) -> Result<Vec<Session>> {
        Ok(lock(&self.there).clone())
    }

    fn find(&self, id: &str) -> Result<Option<Session>> {
        check_id(id)?;
        Ok(lock(&self.there).iter().find(|session| session.session_id == id).cloned())
    }

    fn remove(&self, _: Unwanted) -> Result<Vec<String>> {
        let (ended, live): (Vec<_>, Vec<_>) =
            lock(&self.there).drain(..).partition(|session| session.ended_at.is_some());
        *lock(&self.there) = live;
        Ok(ended.into_iter().map(|session| session.session_id).collect())
    }

    fn namespace(&self, id: &str) -> Result<Namespace> {
        check_id(id)?;
        Ok(Namespace {
            snapshots: Box::new(MemoryStore::counting_from(1_000)),
            trace: Box::new(surehand_core::trace::Untraced),
        })
    }

    fn segments(&self, _: &str) -> Result<Vec<Segment>> {
        Ok(lock(&self.segments).clone())
    }

    fn picture(&self, _: &str, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(lock(&self.pictures).get(name).cloned())
    }

    fn keep(&self, id: &str, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        lock(&self.kept).insert(name.to_owned(), bytes.to_vec());
        Ok(Path::new("/state/sessions").join(id).join(name))
    }
}

/// A trace in memory.
#[derive(Default)]
pub(crate) struct MemoryTrace {
    pub(crate) events: Mutex<Vec<(String, Fields)>>,
    pub(crate) pictures: Mutex<Vec<Vec<u8>>>,
    pub(crate) keeps_pictures: bool,
    pub(crate) strict: bool,
    pub(crate) broken: bool,
}

impl Trace for MemoryTrace {
    fn is_on(&self) -> bool {
        true
    }

    fn is_strict(&self) -> bool {
        self.strict
    }

    fn keeps_pictures(&self) -> bool {
        self.keeps_pictures
    }

    fn write(&self, event: &str, fields: Fields) -> Result<()> {
        if self.broken {
            return Err(Error::new(Code::Internal, "the trace cannot be written").kind("trace_not_writable"));
        }
        lock(&self.events).push((event.to_owned(), fields));
        Ok(())
    }

    fn keep_picture(&self, png: &[u8]) -> Result<Option<String>> {
        let mut pictures = lock(&self.pictures);
        pictures.push(png.to_vec());
        Ok(Some(format!("{}.png", pictures.len())))
    }
}

impl Rig {
    /// Works in a session.
    fn in_session(mut self) -> Self {
        self.services.sessions.current = Some("session-1".to_owned());
        self.run(&["session", "start", "--name", "Invoices"]);
        lock(&self.services.trace.events).clear();
        self
    }

    fn traced(&self) -> Vec<(String, Fields)> {
        std::mem::take(&mut lock(&self.services.trace.events))
    }

    fn kinds(&self) -> Vec<String> {
        self.traced().into_iter().map(|(kind, _)| kind).collect()
    }
}

#[test]
fn starting_ending_listing_and_removing() {
    let mut golden = Golden::of("session");
    let rig = Rig::empty();
    golden.case("none", &rig, &["session", "list"]);
    golden.case("one", &rig, &["session", "start", "--name", "Invoices of May", "--screenshots"]);
    golden.case("another", &rig, &["session", "start", "--no-trace"]);
    golden.case("a name that cannot be seen", &rig, &["session", "start", "--name", "a\u{202e}b"]);
    let told = rig.call("session start", json!({ "no_trace": true, "screenshots": true }));
    golden.add("pictures without a trace", "session start", &told);
    golden.case("ending none", &rig, &["session", "end"]);
    golden.case("ending one that is not there", &rig, &["session", "end", "session-9"]);
    golden.case("ending one", &rig, &["session", "end", "session-1"]);
    golden.case("the list", &rig, &["session", "list"]);
    golden.case("removing", &rig, &["session", "gc"]);
    golden.case("removing again", &rig, &["session", "gc", "--older-than", "60", "--ended"]);
    golden.case("a trace of none", &rig, &["trace", "show"]);
    golden.check();
}

#[test]
fn reading_a_trace() {
    let mut golden = Golden::of("trace");
    let rig = Rig::editor().in_session();
    let bytes = br#"{"event":"trace.meta","ts_ms":1000,"pid":7,"n":0}
{"event":"command.start","ts_ms":1001,"pid":7,"n":1,"call":1,"command":"click","effect":"act","arguments":{"ref_id":"@s01:e1"}}
broken
{"event":"odd \u202e kind","ts_ms":1002,"pid":7,"n":2,"label":"<script>alert(1)</script>"}
{"event":"command.end","ts_ms":1400,"pid":7,"n":3,"call":1,"ok":true,"delivery":"delivered_verified","duration_ms":399}
{"event":"command.st"#;
    let segment = Segment { name: "7-1000.jsonl".to_owned(), bytes: bytes.to_vec() };
    lock(&rig.services.sessions.segments).push(segment);
    golden.case("all of it", &rig, &["trace", "show"]);
    golden.case("the last", &rig, &["trace", "show", "--limit", "1"]);
    golden.case("of a kind", &rig, &["trace", "show", "--event", "command."]);
    golden.case("a page", &rig, &["trace", "export"]);
    golden.case("a page elsewhere", &rig, &["trace", "export", "--out", "trace.html", "--limit", "2"]);
    golden.case("there already", &rig, &["trace", "export", "--out", "trace.html"]);
    golden.check();
    let page = lock(&rig.services.sessions.kept)["trace-session-1.html"].clone();
    let page = String::from_utf8(page).expect("text");
    assert!(!page.contains("<script"), "what applications say stays text");
}

#[test]
fn what_is_done_is_traced_and_no_text_of_it() {
    const SECRET: &str = "hunter2-zebra";
    let rig =
        Rig::with([button("Save zebra").key("save"), field("Title").key("title"), password("Passphrase")]).in_session();
    let save = rig.reference("Save zebra");
    let title = rig.reference("Title");
    let kinds = rig.kinds();
    assert_eq!(kinds[..3], ["command.start", "snapshot.saved", "command.end"]);
    assert_eq!(rig.run(&["click", &save]).exit, 0);
    assert_eq!(
        rig.kinds(),
        ["command.start", "ref.resolve.entry", "action.dispatch.start", "action.dispatch.ok", "command.end"]
    );
    rig.run(&["set-value", &title, SECRET]);
    rig.run(&["type", &title, SECRET]);
    rig.run(&["find", "--name", SECRET, "--text", SECRET]);
    rig.run(&["wait", "--window", SECRET, "--timeout", "1"]);
    rig.run(&["wait", "--element", &title, "--predicate", "value", "--value", SECRET]);
    rig.run(&["screenshot", SECRET]);
    rig.run(&["press", "z"]);
    rig.run(&["get", &title]);
    let traced = rig.traced();
    let all = serde_json::to_string(&traced).expect("JSON");
    assert!(!all.contains("zebra") && !all.contains("hunter2"), "{all}");
    assert!(!all.contains("\"z\""), "{all}");
    let looks = traced.iter().filter(|(kind, _)| kind.starts_with("ref.resolve")).count();
    assert!(looks < 20, "a wait that looks four hundred times says it once, not {looks} times");
    let end = traced.iter().find(|(kind, _)| kind == "command.end").expect("an end");
    assert_eq!((&end.1["command"], &end.1["ok"]), (&json!("set-value"), &json!(true)));
    assert!(traced.iter().any(|(_, fields)| fields.get("arguments").is_some_and(|it| it["ref_id"] == title.as_str())));
}

#[test]
fn a_refusal_and_an_unknown_ref_are_traced_with_their_codes() {
    let mut rig = Rig::editor().in_session();
    rig.run(&["get", "@s0z:e1"]);
    let traced = rig.traced();
    let end = &traced.last().expect("an end").1;
    assert_eq!((&end["code"], &end["delivery"]), (&json!("SNAPSHOT_NOT_FOUND"), &json!("not_delivered")));
    rig.services.gate.refuse = Some(Error::new(Code::PolicyDenied, "not today").kind("needs_policy"));
    rig.run(&["press", "ctrl+s"]);
    let traced = rig.traced();
    assert_eq!(traced.len(), 2, "nothing was dispatched");
    assert_eq!(traced[0].1["arguments"]["combo"], "ctrl+s");
    assert_eq!(traced[1].1["code"], "POLICY_DENIED");
}

#[test]
fn strict_means_that_nothing_is_done_that_cannot_be_written() {
    let mut rig = Rig::editor().in_session();
    let save = rig.reference("Save");
    rig.services.trace.broken = true;
    assert_eq!(rig.run(&["click", &save]).exit, 0, "without it the trace is a convenience");
    rig.services.trace.strict = true;
    let before = rig.fake().operations().len();
    let told = rig.run(&["click", &save]);
    assert_eq!(told.error(), Some(("INTERNAL".into(), "trace_not_writable".into())));
    assert_eq!(rig.fake().operations().len(), before);
}

#[test]
fn pictures_show_what_was_acted_on_before_and_after() {
    let mut rig = Rig::editor().in_session();
    rig.services.trace.keeps_pictures = true;
    let title = rig.run(&["find", "--role", "textfield", "--first"]).value();
    let title = title["data"]["match"]["ref_id"].as_str().expect("a ref").to_owned();
    rig.traced();
    assert_eq!(rig.run(&["set-value", &title, "x"]).exit, 0);
    let shots: Vec<Fields> =
        rig.traced().into_iter().filter(|(kind, _)| kind == "action.artifacts").map(|(_, fields)| fields).collect();
    let told: Vec<_> = shots.iter().map(|shot| (shot["when"].clone(), shot["picture"].clone())).collect();
    assert_eq!(told, [(json!("before"), json!("1.png")), (json!("after"), json!("2.png"))]);
    let boxes = shots[0]["boxes"].as_array().expect("boxes");
    assert!(boxes.iter().any(|element| element["meant"] == true && element["ref"] == "e1"), "{boxes:?}");
    rig.run(&["get", &title]);
    assert_eq!(lock(&rig.services.trace.pictures).len(), 2, "reading needs no picture");
}

#[test]
fn status_names_the_session() {
    let mut golden = Golden::of("status-session");
    let rig = Rig::editor().in_session();
    golden.case("in a session", &rig, &["status"]);
    golden.check();
    let _: Value = rig.run(&["status"]).value();
    assert_eq!(Artifacts::default(), Artifacts::Events);
}
