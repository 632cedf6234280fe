//! Commands run as a front end runs them, over a scripted platform, with everything outside them in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::sessions::{FakeSessions, MemoryTrace};
use serde_json::Value;
use surehand_apps::Index;
use surehand_commands::after::{WaitFor, dispatch_and_wait};
use surehand_commands::command::{Definition, Invocation, Spec};
use surehand_commands::context::{Allowed, Facts, Services};
use surehand_commands::dispatch::{Outcome, dispatch};
use surehand_commands::gate::{Gate, Record, Resource};
use surehand_commands::registry::COMMANDS;
use surehand_commands::wait::NoticeShown;
use surehand_commands::{envelope, registry};
use surehand_core::clipboard::Clipboard;
use surehand_core::desktop::{Component, Desktop, DesktopRequest, DesktopState, Desktops, Environment, Stopped};
use surehand_core::diagnosis::{Check, Doctor};
use surehand_core::geometry::Rect;
use surehand_core::hold::{Grip, Holder, Released};
use surehand_core::lease::{Alone, Leases};
use surehand_core::object::ObjectId;
use surehand_core::platform::Platform;
use surehand_core::reading::Reading;
use surehand_core::reference::SnapshotId;
use surehand_core::role::Role;
use surehand_core::session::Sessions;
use surehand_core::snapshot::{Snapshot, SnapshotStore};
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::trace::{Trace, Untraced};
use surehand_core::{Code, Error, Result};
use surehand_kernel::workspace::Workspace;
use surehand_testkit::clock::VirtualClock;
use surehand_testkit::fake::{Element, FakePlatform, button, check, element, field, group, label, password, spin};
use surehand_testkit::replay::Replay;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything outside a command.
pub(crate) struct FakeServices {
    pub(crate) platform: FakePlatform,
    /// Given instead of the scripted platform.
    pub(crate) replay: Option<Replay>,
    /// Given instead of either.
    pub(crate) no_platform: Option<Error>,
    pub(crate) clock: VirtualClock,
    pub(crate) store: MemoryStore,
    pub(crate) sessions: FakeSessions,
    pub(crate) trace: MemoryTrace,
    pub(crate) gate: RecordingGate,
    pub(crate) desktops: FakeDesktops,
    pub(crate) checks: FakeDoctor,
    pub(crate) index: Index,
    pub(crate) environment: Environment,
    pub(crate) facts: Facts,
    pub(crate) output: Mutex<BTreeMap<String, Vec<u8>>>,
    pub(crate) stdin: Option<String>,
    /// The files that can be read, by the name they are given; they are in a folder `/files`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Notifications with the millisecond at which each is shown; none where they cannot be watched.
    pub(crate) notices: Option<Mutex<Vec<(u64, NoticeShown)>>>,
    pub(crate) foreground: Mutex<Vec<Vec<String>>>,
    pub(crate) allowed: Allowed,
    /// Plans and roots; without, there are none here.
    pub(crate) plans: Option<Workspace>,
    pub(crate) holder: FakeHolder,
    pub(crate) person_agrees: bool,
    pub(crate) questions: Mutex<Vec<String>>,
}

/// Holds whatever it is told to, and remembers it.
#[derive(Default)]
pub(crate) struct FakeHolder(pub(crate) Mutex<Vec<(Grip, Duration)>>);

impl Holder for FakeHolder {
    fn hold(&self, _: &Call<'_>, grip: &Grip, limit: Duration) -> Result<()> {
        self.0.lock().unwrap().push((grip.clone(), limit));
        Ok(())
    }

    fn held(&self) -> Result<Vec<Grip>> {
        Ok(self.0.lock().unwrap().iter().map(|(grip, _)| grip.clone()).collect())
    }

    fn release(&self, _: &Call<'_>, grip: &Grip) -> Result<bool> {
        let mut held = self.0.lock().unwrap();
        let before = held.len();
        held.retain(|(other, _)| other != grip);
        Ok(held.len() < before)
    }

    fn release_all(&self, _: &Call<'_>) -> Result<Vec<Released>> {
        Ok(self.0.lock().unwrap().drain(..).map(|(grip, _)| Released { what: grip.to_string() }).collect())
    }
}

impl Services for FakeServices {
    fn platform(&self, _: &Call<'_>) -> Result<&dyn Platform> {
        match (&self.no_platform, &self.replay) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(replay)) => Ok(replay),
            (None, None) => Ok(&self.platform),
        }
    }

    fn clipboard(&self) -> Result<&dyn Clipboard> {
        Ok(&self.platform)
    }

    fn desktops(&self) -> &dyn Desktops {
        &self.desktops
    }

    fn doctor(&self) -> &dyn Doctor {
        &self.checks
    }

    fn applications(&self) -> Result<&Index> {
        Ok(&self.index)
    }

    fn environment(&self) -> Result<&Environment> {
        Ok(&self.environment)
    }

    fn snapshots(&self) -> &dyn SnapshotStore {
        &self.store
    }

    fn sessions(&self) -> &dyn Sessions {
        &self.sessions
    }

    fn trace(&self) -> &dyn Trace {
        if self.sessions.current.is_some() { &self.trace } else { &Untraced }
    }

    fn notifications_shown(&self, _: &Call<'_>) -> Result<Vec<NoticeShown>> {
        let Some(notices) = &self.notices else {
            return Err(Error::new(Code::PlatformNotSupported, "notifications cannot be watched on this desktop"));
        };
        let now = self.clock.passed();
        let shown =
            lock(notices).iter().filter(|(at, _)| Duration::from_millis(*at) <= now).cloned().collect::<Vec<_>>();
        Ok(shown.into_iter().map(|(_, notice)| notice).collect())
    }

    fn gate(&self) -> &dyn Gate {
        &self.gate
    }

    fn leases(&self) -> &dyn Leases {
        &Alone
    }

    fn allowed(&self) -> Allowed {
        self.allowed
    }

    fn holder(&self) -> &dyn Holder {
        &self.holder
    }

    fn confirm(&self, _: &Cancel, question: &str) -> Result<()> {
        self.questions.lock().unwrap().push(question.to_owned());
        if self.person_agrees { Ok(()) } else { Err(Error::new(Code::PolicyDenied, "no").kind("not_confirmed")) }
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn unix_time(&self) -> u64 {
        1_700_000_000
    }

    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<PathBuf> {
        if path.contains("..") {
            return Err(Error::new(Code::PolicyDenied, "the path leads out of the folder for output").kind("outside"));
        }
        let mut files = lock(&self.output);
        if files.contains_key(path) {
            return Err(Error::new(Code::Conflict, "there is a file of that name already").kind("exists"));
        }
        files.insert(path.to_owned(), bytes.to_vec());
        Ok(Path::new("/output").join(path))
    }

    fn write_temporary(&self, beginning: &str, ending: &str, _: &[u8]) -> Result<PathBuf> {
        Ok(PathBuf::from(format!("/state/tmp/{beginning}.{ending}")))
    }

    fn read_input(&self, path: &str, most: usize) -> Result<Vec<u8>> {
        let missing = || Error::new(Code::InvalidArgs, "it cannot be read").kind("no_such_file");
        self.files.get(path).filter(|bytes| bytes.len() <= most).cloned().ok_or_else(missing)
    }

    fn existing(&self, path: &str) -> Result<PathBuf> {
        let name = path.strip_prefix("/files/").unwrap_or(path);
        let missing = || Error::new(Code::InvalidArgs, "there is no such file").kind("no_such_file");
        self.files.contains_key(name).then(|| Path::new("/files").join(name)).ok_or_else(missing)
    }

    fn standard_input(&self, _: &Cancel) -> Result<String> {
        self.stdin.clone().ok_or_else(|| Error::new(Code::InvalidArgs, "there is no standard input").kind("no_stdin"))
    }

    fn run_foreground(&self, command: &[String], _: &Environment) -> Result<u8> {
        lock(&self.foreground).push(command.to_vec());
        Ok(7)
    }

    fn files(&self) -> Result<&Workspace> {
        self.plans
            .as_ref()
            .ok_or_else(|| Error::new(Code::PlatformNotSupported, "there are no plans here").kind("no_files"))
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Snapshots in memory.
#[derive(Default)]
pub(crate) struct MemoryStore {
    kept: Mutex<BTreeMap<SnapshotId, Snapshot>>,
    last: Mutex<u64>,
}

impl SnapshotStore for MemoryStore {
    fn allocate(&self) -> Result<SnapshotId> {
        let mut last = lock(&self.last);
        *last += 1;
        Ok(SnapshotId(*last))
    }

    fn save(&self, id: SnapshotId, snapshot: &Snapshot) -> Result<()> {
        lock(&self.kept).insert(id, snapshot.clone());
        Ok(())
    }

    fn load(&self, id: SnapshotId) -> Result<Snapshot> {
        lock(&self.kept).get(&id).cloned().ok_or_else(|| {
            Error::new(Code::SnapshotNotFound, format!("there is no snapshot {id}")).kind("unknown_snapshot")
        })
    }
}

impl MemoryStore {
    /// With ids that begin after this one.
    pub(crate) fn counting_from(last: u64) -> Self {
        MemoryStore { last: Mutex::new(last), ..MemoryStore::default() }
    }

    /// Changes what is kept of a snapshot.
    pub(crate) fn edit(&self, id: u64, change: impl FnOnce(&mut Snapshot)) {
        change(lock(&self.kept).get_mut(&SnapshotId(id)).expect("it is kept"));
    }
}

/// A gate that remembers what it was asked and told, and refuses when it is told to.
#[derive(Default)]
pub(crate) struct RecordingGate {
    pub(crate) refuse: Option<Error>,
    pub(crate) asked: Mutex<Vec<(Spec, Vec<Resource>)>>,
    records: Mutex<Vec<Value>>,
}

impl Gate for RecordingGate {
    fn admit(&self, spec: &Spec, resources: &[Resource]) -> Result<()> {
        lock(&self.asked).push((*spec, resources.to_vec()));
        self.refuse.clone().map_or(Ok(()), Err)
    }

    fn record(&self, record: &Record<'_>) {
        lock(&self.records).push(serde_json::to_value(record).expect("a record is JSON"));
    }
}

/// Desktops that only exist by name.
#[derive(Default)]
pub(crate) struct FakeDesktops {
    pub(crate) there: Mutex<Vec<Desktop>>,
}

/// A desktop that runs.
pub(crate) fn desktop(id: &str, name: Option<&str>, state: DesktopState) -> Desktop {
    let component = |role: &str, pid| Component {
        role: role.to_owned(),
        program: format!("fake-{role}"),
        pid,
        running: state == DesktopState::Up,
    };
    Desktop {
        id: id.to_owned(),
        name: name.map(str::to_owned),
        state,
        display: Some(":7".to_owned()),
        size: "1280x800".to_owned(),
        components: vec![component("display", 5_001), component("session-bus", 5_002)],
    }
}

impl FakeDesktops {
    fn named(&self, id: &str) -> Result<Desktop> {
        let there = lock(&self.there);
        let found = there.iter().find(|desktop| desktop.id == id || desktop.name.as_deref() == Some(id));
        found.cloned().ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("there is no desktop {}", surehand_core::text::quote(id)))
                .kind("unknown_desktop")
        })
    }
}

impl Desktops for FakeDesktops {
    fn start(&self, _: &Call<'_>, request: &DesktopRequest) -> Result<Desktop> {
        if request.name.as_deref().is_some_and(|name| self.named(name).is_ok()) {
            return Err(Error::new(Code::Conflict, "a desktop of that name is there already").kind("name_in_use"));
        }
        let mut desktop = desktop("d1", request.name.as_deref(), DesktopState::Up);
        desktop.size = format!("{}x{}", request.width, request.height);
        lock(&self.there).push(desktop.clone());
        Ok(desktop)
    }

    fn list(&self) -> Result<Vec<Desktop>> {
        Ok(lock(&self.there).clone())
    }

    fn stop(&self, _: &Call<'_>, id: &str) -> Result<Stopped> {
        let desktop = self.named(id)?;
        lock(&self.there).retain(|other| other.id != desktop.id);
        let kept_home = desktop.name.is_some().then(|| PathBuf::from("/state/desktops/d1/it's kept"));
        Ok(Stopped { id: desktop.id, processes: desktop.components.len(), kept_home })
    }

    fn prune(&self, _: &Call<'_>) -> Result<Vec<Stopped>> {
        let (broken, left): (Vec<_>, Vec<_>) =
            lock(&self.there).drain(..).partition(|desktop| desktop.state == DesktopState::Broken);
        *lock(&self.there) = left;
        Ok(broken.into_iter().map(|desktop| Stopped { id: desktop.id, processes: 1, kept_home: None }).collect())
    }

    fn environment(&self, id: &str) -> Result<Environment> {
        self.named(id)?;
        let values = [("DISPLAY", ":7"), ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/it's here")];
        Ok(Environment(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()))
    }
}

/// Finds what it was told to find.
#[derive(Default)]
pub(crate) struct FakeDoctor(pub(crate) Vec<Check>);

impl Doctor for FakeDoctor {
    fn examine(&self, _: &Call<'_>) -> Vec<Check> {
        self.0.clone()
    }
}

/// What a command answered.
pub(crate) struct Told {
    pub(crate) spec: Spec,
    /// The envelope's line.
    pub(crate) json: String,
    /// What a person sees: the outline, or the error's message.
    pub(crate) text: String,
    pub(crate) exit: u8,
    /// What the gate was told of it.
    pub(crate) records: Vec<Value>,
}

impl Told {
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.json).expect("an envelope is JSON")
    }

    /// The code and kind of an error; nothing for a success.
    pub(crate) fn error(&self) -> Option<(String, String)> {
        let value = self.value();
        let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        (value["ok"] == false).then(|| (text("/error/code"), text("/error/details/kind")))
    }
}

/// A desktop with the services around it.
pub(crate) struct Rig {
    pub(crate) services: FakeServices,
    pub(crate) cancel: Cancel,
    pub(crate) windows: Vec<ObjectId>,
}

impl Rig {
    /// An empty desktop.
    pub(crate) fn empty() -> Self {
        let platform = FakePlatform::new();
        let variables = [("PATH", "/usr/bin:/bin"), ("HOME", "/")];
        let services = FakeServices {
            clock: platform.clock(),
            platform,
            replay: None,
            no_platform: None,
            store: MemoryStore::default(),
            sessions: FakeSessions::default(),
            trace: MemoryTrace::default(),
            gate: RecordingGate::default(),
            desktops: FakeDesktops::default(),
            checks: FakeDoctor::default(),
            index: Index::default(),
            environment: Environment(
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ),
            facts: Facts {
                version: "9.8.7".to_owned(),
                target: "fake-unknown-none".to_owned(),
                os: "fake".to_owned(),
                state_root: PathBuf::from("/state"),
                desktop: None,
            },
            output: Mutex::default(),
            stdin: None,
            files: BTreeMap::new(),
            notices: None,
            foreground: Mutex::default(),
            allowed: Allowed::default(),
            holder: FakeHolder::default(),
            person_agrees: false,
            questions: Mutex::default(),
            plans: None,
        };
        Rig { services, cancel: Cancel::default(), windows: Vec::new() }
    }

    /// A recorded window.
    pub(crate) fn replaying(recording: &str) -> Self {
        let mut rig = Rig::empty();
        rig.services.replay = Some(Replay::read(recording).expect("a recording"));
        rig
    }

    /// A desktop with one window of these elements.
    pub(crate) fn with(elements: impl IntoIterator<Item = Element>) -> Self {
        let mut rig = Rig::empty();
        rig.windows.push(rig.services.platform.window("Notes", elements));
        rig
    }

    /// A desktop with a small text editor: a bit of everything.
    pub(crate) fn editor() -> Self {
        let at = |x, y| {
            move |node: &mut surehand_core::node::Node| {
                node.bounds = Reading::Known(Rect { x, y, width: 60, height: 20 });
            }
        };
        Rig::with([
            group(
                "Tools",
                [
                    button("Open").key("open").edit(at(0, 0)),
                    group("", [button("Save").key("save").native_id("save-button").described("Writes the file")]),
                ],
            ),
            field("Title").key("title").holding("Draft").edit(at(0, 20)).edit(|node| {
                node.placeholder = Reading::Known("Untitled".to_owned());
            }),
            password("Passphrase").key("passphrase"),
            check("Wrap").key("wrap"),
            spin("Size", 12.0, 6.0..=72.0).key("size"),
            element(Role::Unknown, "").edit(|node| node.native_role = "terminal".to_owned()),
            label("Line 1").key("line"),
        ])
    }

    pub(crate) fn fake(&self) -> &FakePlatform {
        &self.services.platform
    }

    pub(crate) fn window(&self) -> &ObjectId {
        self.windows.first().expect("the rig has a window")
    }

    /// The id of the first window, as commands take it.
    pub(crate) fn window_id(&self) -> String {
        let told = self.run(&["list-windows"]).value();
        told["data"]["windows"][0]["id"].as_str().expect("there is a window").to_owned()
    }

    pub(crate) fn after(
        &self,
        milliseconds: u64,
        change: impl FnOnce(&mut surehand_testkit::fake::Scene) + Send + 'static,
    ) {
        self.fake().at(Duration::from_millis(milliseconds), change);
    }

    /// Runs a command line, the name of the program left out.
    pub(crate) fn run(&self, line: &[&str]) -> Told {
        let (definition, rest) = split(line);
        self.dispatch(from_cli(definition, rest))
    }

    /// Runs a command from JSON arguments.
    pub(crate) fn call(&self, command: &str, arguments: Value) -> Told {
        let definition = registry::find(command).expect(command);
        match definition.from_json(arguments) {
            Ok(invocation) => self.dispatch(invocation),
            Err(error) => self.told(&Outcome { spec: definition.spec, result: Err(error) }),
        }
    }

    /// What a command line answers that does not parse, with the error of ours inside of the parser's.
    pub(crate) fn refused(&self, line: &[&str]) -> Told {
        let (definition, rest) = split(line);
        let parsed = definition.cli().no_binary_name(true).try_get_matches_from(rest);
        let error = parsed.expect_err("the line is not valid");
        let own = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<Error>());
        let error = own.unwrap_or_else(|| panic!("{line:?}: {error}")).clone();
        self.told(&Outcome { spec: definition.spec, result: Err(error) })
    }

    /// Runs a command line and waits afterwards.
    pub(crate) fn run_and_wait(&self, line: &[&str], selector: &str, gone: bool, timeout_ms: u64) -> Told {
        let (definition, rest) = split(line);
        let result = selector.parse().map(|selector| {
            lock(&self.services.gate.records).clear();
            let wait = WaitFor { selector, gone, timeout_ms };
            dispatch_and_wait(from_cli(definition, rest), &self.services, &self.cancel, &wait)
        });
        self.shown(&result.unwrap_or_else(|error| Outcome { spec: definition.spec, result: Err(error) }))
    }

    fn dispatch(&self, invocation: Box<dyn Invocation>) -> Told {
        lock(&self.services.gate.records).clear();
        let outcome = dispatch(invocation, &self.services, &self.cancel);
        self.told(&outcome)
    }

    fn told(&self, outcome: &Outcome) -> Told {
        let told = self.shown(outcome);
        crate::schemas::assert_fits(&told);
        told
    }

    fn shown(&self, outcome: &Outcome) -> Told {
        let name = outcome.spec.name;
        let (json, text) = match &outcome.result {
            Ok(answer) => (envelope::success(name, &**answer).expect("an answer is JSON"), answer.outline()),
            Err(error) => {
                let hint = error.suggestion().map(|hint| format!("\n{hint}")).unwrap_or_default();
                (envelope::failure(name, error), format!("{error}{hint}"))
            }
        };
        Told {
            spec: outcome.spec,
            json,
            text,
            exit: outcome.exit_status(),
            records: lock(&self.services.gate.records).clone(),
        }
    }

    /// The ref of the only element of that name, from a `find` of its own.
    #[track_caller]
    pub(crate) fn reference(&self, name: &str) -> String {
        let told = self.run(&["find", "--name", name, "--exact"]).value();
        assert_eq!(told["data"]["count"], 1, "{name}: {told}");
        told["data"]["matches"][0]["ref_id"].as_str().expect("a match has a ref").to_owned()
    }
}

/// The command that a line names, and the rest of the line.
pub(crate) fn split<'l>(line: &'l [&'l str]) -> (&'static Definition, &'l [&'l str]) {
    let words = |count: usize| line.get(..count).map(|words| words.join(" ")).unwrap_or_default();
    [2, 1]
        .into_iter()
        .find_map(|count| Some((registry::find(&words(count))?, &line[count..])))
        .unwrap_or_else(|| panic!("no command is called {line:?}; there are {}", COMMANDS.len()))
}

/// Parses the arguments of a command as the command line does.
pub(crate) fn from_cli(definition: &Definition, arguments: &[&str]) -> Box<dyn Invocation> {
    let matches = definition
        .cli()
        .no_binary_name(true)
        .try_get_matches_from(arguments)
        .unwrap_or_else(|error| panic!("{} {arguments:?}: {error}", definition.spec.name));
    definition.from_cli(&matches).unwrap_or_else(|error| panic!("{} {arguments:?}: {error}", definition.spec.name))
}
