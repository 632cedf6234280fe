//! What a command works with.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
/// Named by [`Services`], so that who brings services along needs no other crate for it.
pub use surehand_apps::Index;
use surehand_core::clipboard::Clipboard;
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::Doctor;
use surehand_core::disposition::Disposition;
use surehand_core::evidence::{self, Evidence, Verdict};
use surehand_core::hold::Holder;
use surehand_core::lease::Leases;
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::reference::Ref;
use surehand_core::resolve::Resolved;
use surehand_core::session::Sessions;
use surehand_core::snapshot::{Snapshot, SnapshotStore, number};
use surehand_core::time::{Call, Cancel, Clock, Deadline};
use surehand_core::trace::Trace;
use surehand_core::{Code, Error, Result, resolve};
use surehand_kernel::workspace::Workspace;

use crate::element::{Printed, TreeNode};
use crate::gate::{Gate, Scope, Subject};
use crate::wait::NoticeShown;

/// Facts about this surehand.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Its version.
    pub version: String,
    /// The target it was built for.
    pub target: String,
    /// The operating system.
    pub os: String,
    /// The directory it keeps its state in.
    pub state_root: PathBuf,
    /// The private desktop that was chosen, if one was.
    pub desktop: Option<String>,
}

/// What whoever started surehand allows beyond reading and acting through the accessibility interfaces. No argument of
/// a command sets any of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Physical input: the pointer, the keyboard, and the focus.
    pub headed: bool,
    /// Key combinations that reach beyond the window they are sent to.
    pub force: bool,
}

/// Everything outside a command. Front ends bring it along; tests bring their own.
pub trait Services {
    /// The desktop session, connected to at the first call.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when there is none, `TIMEOUT` when it does not answer.
    fn platform(&self, call: &Call<'_>) -> Result<&dyn Platform>;

    /// The clipboard of the desktop session. It needs no accessibility bus.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the private desktop that was chosen is not there.
    fn clipboard(&self) -> Result<&dyn Clipboard>;

    /// Private desktops.
    fn desktops(&self) -> &dyn Desktops;

    /// What `doctor` runs.
    fn doctor(&self) -> &dyn Doctor;

    /// The applications that can be opened.
    ///
    /// # Errors
    /// `INTERNAL` when the folders cannot be read.
    fn applications(&self) -> Result<&Index>;

    /// The environment of the desktop session, for what is started in it.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the private desktop that was chosen is not there.
    fn environment(&self) -> Result<&Environment>;

    /// Where snapshots are kept.
    fn snapshots(&self) -> &dyn SnapshotStore;

    /// The same, where keeping one is not traced.
    fn untraced_snapshots(&self) -> &dyn SnapshotStore {
        self.snapshots()
    }

    /// Sessions.
    fn sessions(&self) -> &dyn Sessions;

    /// The session that is worked in.
    fn session(&self) -> Option<&str> {
        self.sessions().current()
    }

    /// Where it is written down what is done; [`surehand_core::trace::Untraced`] where it is not.
    fn trace(&self) -> &dyn Trace;

    /// The notifications that were shown since somebody watches, the oldest first.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` where they cannot be watched.
    fn notifications_shown(&self, call: &Call<'_>) -> Result<Vec<NoticeShown>> {
        let notices = self.platform(call)?.notifications()?.notices(call)?;
        Ok(notices.all.into_iter().map(NoticeShown::from).collect())
    }

    /// The gate.
    fn gate(&self) -> &dyn Gate;

    /// Where leases for acting are taken.
    fn leases(&self) -> &dyn Leases;

    /// What whoever started this allows.
    fn allowed(&self) -> Allowed;

    /// Who holds keys and buttons between commands.
    fn holder(&self) -> &dyn Holder;

    /// Has a person confirm something at the terminal device.
    ///
    /// # Errors
    /// `POLICY_DENIED` when they do not, or nobody can be asked.
    fn confirm(&self, cancel: &Cancel, question: &str) -> Result<()>;

    /// Time since start.
    fn clock(&self) -> &dyn Clock;

    /// Seconds since 1970.
    fn unix_time(&self) -> u64;

    /// Writes a new file at a path below the folder for output, and returns the whole path.
    ///
    /// # Errors
    /// `POLICY_DENIED` when the path leads out of the folder, `CONFLICT` when something is there already.
    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<PathBuf>;

    /// Writes a new private file of ours, whose name begins and ends so, and returns its whole path. It is removed when
    /// it is an hour old and another one is written.
    ///
    /// # Errors
    /// `INTERNAL` when it cannot be written.
    fn write_temporary(&self, beginning: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf>;

    /// Reads a file that the caller names, at most so many bytes.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is no plain file that can be read, or it is longer.
    fn read_input(&self, path: &str, most: usize) -> Result<Vec<u8>>;

    /// The absolute path of something that is there, links in it as they were given.
    ///
    /// # Errors
    /// `INVALID_ARGS` when nothing is there.
    fn existing(&self, path: &str) -> Result<PathBuf>;

    /// The text on standard input, where the front end has one to give.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it has none or it is no text, `TIMEOUT` when it does not end.
    fn standard_input(&self, cancel: &Cancel) -> Result<String>;

    /// Runs a program in the foreground with this environment alone, and returns its exit status.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it cannot be started.
    fn run_foreground(&self, command: &[String], environment: &Environment) -> Result<u8>;

    /// Plans and roots.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` where there are none, `INTERNAL` when our state cannot be used.
    fn files(&self) -> Result<&Workspace> {
        Err(Error::new(Code::PlatformNotSupported, "plans of file actions are not supported here"))
    }

    /// Facts about this surehand.
    fn facts(&self) -> &Facts;
}

/// What one run of a command works with.
pub struct Cx<'a> {
    /// Everything outside.
    pub services: &'a dyn Services,
    /// Raised when the caller no longer wants it.
    pub cancel: &'a Cancel,
    /// What the command acted on; it fills it in as soon as it knows.
    pub subject: Subject,
    /// How far the command got; for the record of a success.
    pub disposition: Option<Disposition>,
    /// When it has to be over, where it is part of something else.
    limit: Option<Deadline>,
    /// Its number in the trace.
    number: u64,
    /// What was written into the trace last: one that looks many times says once what it sees.
    noted: RefCell<Option<(String, Value)>>,
}

/// What a single attempt may cost: the reads it needs, answered by an application that is well.
pub const ONE_ATTEMPT: Duration = Duration::from_secs(2);

impl<'a> Cx<'a> {
    /// A fresh context.
    pub fn new(services: &'a dyn Services, cancel: &'a Cancel) -> Self {
        Cx {
            services,
            cancel,
            subject: Subject::default(),
            disposition: None,
            limit: None,
            number: 0,
            noted: RefCell::default(),
        }
    }

    /// The same, to be over at a certain moment.
    #[must_use]
    pub fn within(self, limit: Option<Deadline>) -> Self {
        Cx { limit, ..self }
    }

    /// The same, with a number in the trace.
    #[must_use]
    pub(crate) fn numbered(self, number: u64) -> Self {
        Cx { number, ..self }
    }

    /// Writes an event into the trace, where there is one. Texts of people and applications are taken out.
    pub(crate) fn note(&self, event: &str, fields: Value) {
        let trace = self.services.trace();
        if trace.is_on() {
            let said = Some((event.to_owned(), fields.clone()));
            if event.starts_with("ref.resolve") && *self.noted.borrow() == said {
                return;
            }
            self.noted.replace(said);
            // Before it began, its start was written, and who is strict about that was heard there.
            let _ = crate::trace::write(trace, self.number, event, fields);
        }
    }

    /// Bounds for something that may take `milliseconds`.
    pub fn call(&self, milliseconds: u64) -> Call<'a> {
        let call = Call::lasting(self.services.clock(), self.cancel, Duration::from_millis(milliseconds));
        match self.limit {
            Some(limit) => Call { deadline: call.deadline.min(limit), ..call },
            None => call,
        }
    }

    /// Bounds for an action that waits `milliseconds` for its element: there is always time for one attempt
    /// and for reading back what it did.
    pub fn call_for_action(&self, milliseconds: u64) -> Call<'a> {
        let attempt = u64::try_from(ONE_ATTEMPT.as_millis()).unwrap_or(0);
        self.call(milliseconds.saturating_add(attempt))
    }

    /// The desktop session.
    ///
    /// # Errors
    /// See [`Services::platform`].
    pub fn platform(&self, call: &Call<'_>) -> Result<&'a dyn Platform> {
        self.services.platform(call)
    }

    /// The snapshot and the evidence behind a ref.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_FOUND`, `ELEMENT_NOT_FOUND`, or `INTERNAL` when the stored snapshot is damaged.
    pub fn evidence(&self, platform: &dyn Platform, reference: Ref) -> Result<(Snapshot, Evidence)> {
        let found = self.services.snapshots().load(reference.snapshot).and_then(|snapshot| {
            let evidence = resolve::evidence_of(platform, &snapshot, reference)?.clone();
            Ok((snapshot, evidence))
        });
        match &found {
            Ok((_, evidence)) => {
                self.note("ref.resolve.entry", json!({ "ref": reference, "role": evidence.role.token() }));
            }
            Err(error) => self.not_resolved(error, Some(reference)),
        }
        found
    }

    /// The live element for captured evidence. Where several could be it, the error carries fresh refs of them,
    /// so that the caller can choose without another look.
    ///
    /// # Errors
    /// As [`resolve::resolve`].
    pub fn resolve(
        &self,
        platform: &dyn Platform,
        call: &Call<'_>,
        snapshot: &Snapshot,
        evidence: &Evidence,
    ) -> Result<Resolved> {
        let resolved = resolve::resolve(platform, call, snapshot, evidence);
        match &resolved {
            Ok(_) => self.note("ref.resolve.ok", json!({ "role": evidence.role.token() })),
            Err(error) => self.not_resolved(error, None),
        }
        resolved.map_err(|error| self.with_fresh_refs(error, platform, call, snapshot, evidence))
    }

    fn not_resolved(&self, error: &Error, reference: Option<Ref>) {
        let fields = json!({ "ref": reference, "code": error.code().token(), "kind": error.kind_of() });
        self.note("ref.resolve.error", fields);
    }

    /// Adds fresh refs of the candidates to an error that says that there are several.
    pub fn with_fresh_refs(
        &self,
        error: Error,
        platform: &dyn Platform,
        call: &Call<'_>,
        snapshot: &Snapshot,
        evidence: &Evidence,
    ) -> Error {
        if error.kind_of() != Some("ambiguous_ref") {
            return error;
        }
        match self.candidates(platform, call, snapshot, evidence) {
            Ok(candidates) if !candidates.is_empty() => error.detail("candidates", candidates),
            // The refusal stands without them.
            Ok(_) | Err(_) => error,
        }
    }

    fn candidates(
        &self,
        platform: &dyn Platform,
        call: &Call<'_>,
        snapshot: &Snapshot,
        captured: &Evidence,
    ) -> Result<Vec<TreeNode>> {
        let windows = platform.windows(call, std::slice::from_ref(&snapshot.application))?;
        let Some(window) = windows.items.into_iter().find(|window| window.object.as_ref() == Some(&captured.window))
        else {
            return Ok(Vec::new());
        };
        let observation = platform.observe(call, &snapshot.application, &window, &ObserveRequest::default())?;
        let rows = evidence::rows(&observation);
        let fits = |index: usize| evidence::compare_in(captured, &observation, &rows, index) == Some(Verdict::Same);
        let store = self.services.snapshots();
        let id = store.allocate()?;
        let kept = number(&observation, id, platform.session(), self.services.unix_time(), fits);
        store.save(id, &kept.snapshot)?;
        let printed = Printed::new(&observation, &kept, id);
        Ok(kept.numbers.keys().take(10).filter_map(|index| printed.node(*index)).collect())
    }

    /// The application that a ref belongs to, for the gate.
    ///
    /// # Errors
    /// As [`Cx::evidence`], the desktop aside.
    pub fn scope_of(&self, reference: Ref) -> Result<Scope> {
        let snapshot = self.services.snapshots().load(reference.snapshot)?;
        let process = snapshot.application.process;
        Ok(Scope::Process { pid: process.pid, generation: process.generation })
    }

    /// Says what is being acted on.
    pub fn acting_on(&mut self, snapshot: &Snapshot, evidence: &Evidence) {
        self.subject = Subject {
            app: Some(snapshot.application.name.clone()),
            role: Some(evidence.role.to_string()),
            name: evidence.name.text().map(str::to_owned),
        };
        self.note("action.dispatch.start", json!({ "app": self.subject.app, "role": self.subject.role }));
    }

    /// The text given as an argument or on standard input.
    ///
    /// # Errors
    /// `INVALID_ARGS` when it was given in both ways or in none, or is longer than can be typed.
    pub fn text(&self, argument: Option<String>, from_stdin: bool) -> Result<String> {
        let text = match (argument, from_stdin) {
            (Some(text), false) => text,
            (None, true) => self.services.standard_input(self.cancel)?,
            (Some(_), true) => {
                return Err(Error::new(Code::InvalidArgs, "give the text as an argument or with `--stdin`, not both"));
            }
            (None, false) => {
                return Err(Error::new(Code::InvalidArgs, "no text was given")
                    .suggest("give it as an argument, or on standard input with `--stdin`"));
            }
        };
        if text.contains('\0') {
            return Err(Error::new(Code::InvalidArgs, "the text holds a NUL character, which no application can take"));
        }
        if text.len() > MAX_TEXT {
            return Err(Error::new(Code::InvalidArgs, format!("the text is longer than {MAX_TEXT} bytes")));
        }
        Ok(text)
    }
}

/// The longest text one call takes, in bytes.
const MAX_TEXT: usize = 1 << 20;
