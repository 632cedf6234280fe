//! What a command works with.

use std::path::PathBuf;
use std::time::Duration;

use surehand_apps::Index;
use surehand_core::desktop::{Desktops, Environment};
use surehand_core::diagnosis::Doctor;
use surehand_core::disposition::Disposition;
use surehand_core::evidence::{self, Evidence, Verdict};
use surehand_core::lease::Leases;
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::reference::Ref;
use surehand_core::resolve::Resolved;
use surehand_core::snapshot::{Snapshot, SnapshotStore, number};
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::{Code, Error, Result, resolve};
use surehand_kernel::workspace::Workspace;

use crate::element::{Printed, TreeNode};
use crate::gate::{Gate, Scope, Subject};

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

    /// The gate.
    fn gate(&self) -> &dyn Gate;

    /// Where leases for acting are taken.
    fn leases(&self) -> &dyn Leases;

    /// What whoever started this allows.
    fn allowed(&self) -> Allowed;

    /// Time since start.
    fn clock(&self) -> &dyn Clock;

    /// Seconds since 1970.
    fn unix_time(&self) -> u64;

    /// Writes a new file at a path below the folder for output, and returns the whole path.
    ///
    /// # Errors
    /// `POLICY_DENIED` when the path leads out of the folder, `CONFLICT` when something is there already.
    fn write_output(&self, path: &str, bytes: &[u8]) -> Result<PathBuf>;

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

    /// Asks the person at the terminal device, who answers by typing. Nothing else is an answer.
    ///
    /// # Errors
    /// `APPROVAL_REQUIRED` when there is no terminal, or the answer is another one.
    fn confirm(&self, what: &str) -> Result<()> {
        let _ = what;
        Err(Error::new(Code::ApprovalRequired, "a person has to confirm it at a terminal, and there is none"))
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
}

/// What a single attempt may cost: the reads it needs, answered by an application that is well.
pub const ONE_ATTEMPT: Duration = Duration::from_secs(2);

impl<'a> Cx<'a> {
    /// A fresh context.
    pub fn new(services: &'a dyn Services, cancel: &'a Cancel) -> Self {
        Cx { services, cancel, subject: Subject::default(), disposition: None }
    }

    /// Bounds for something that may take `milliseconds`.
    pub fn call(&self, milliseconds: u64) -> Call<'a> {
        Call::lasting(self.services.clock(), self.cancel, Duration::from_millis(milliseconds))
    }

    /// Bounds for an action that waits `milliseconds` for its element: there is always time for one attempt
    /// and for reading back what it did.
    pub fn call_for_action(&self, milliseconds: u64) -> Call<'a> {
        Call::lasting(self.services.clock(), self.cancel, Duration::from_millis(milliseconds) + ONE_ATTEMPT)
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
        let snapshot = self.services.snapshots().load(reference.snapshot)?;
        let evidence = resolve::evidence_of(platform, &snapshot, reference)?.clone();
        Ok((snapshot, evidence))
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
        resolve::resolve(platform, call, snapshot, evidence)
            .map_err(|error| self.with_fresh_refs(error, platform, call, snapshot, evidence))
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
