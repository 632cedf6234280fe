//! Private desktops: a display, a session bus, an accessibility bus and a window manager of one's own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::time::Call;

/// What to start.
#[derive(Debug, Clone)]
pub struct DesktopRequest {
    /// The name it can be called by, besides its id.
    pub name: Option<String>,
    /// Width of the screen in pixels.
    pub width: u16,
    /// Height of the screen in pixels.
    pub height: u16,
}

/// How a private desktop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DesktopState {
    /// Its starter is still at work.
    Starting,
    /// Every component runs.
    Up,
    /// A component, or the starter before it was done, has ended.
    Broken,
}

/// A process that a desktop consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Component {
    /// What it is, for example `display`.
    pub role: String,
    /// The program.
    pub program: String,
    /// Its pid.
    pub pid: u32,
    /// Whether it is running.
    pub running: bool,
}

/// A private desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Desktop {
    /// The id that `--desktop` takes.
    pub id: String,
    /// Its name, which `--desktop` takes as well.
    pub name: Option<String>,
    /// How it stands.
    pub state: DesktopState,
    /// The X display, for example `:1`.
    pub display: Option<String>,
    /// The screen's size, for example `1280x800`.
    pub size: String,
    /// What it consists of.
    pub components: Vec<Component>,
}

/// What stopping a desktop did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stopped {
    /// The desktop.
    pub id: String,
    /// How many processes ended.
    pub processes: usize,
    /// The desktop's home directory, kept because there are files in it that are not settings.
    pub kept_home: Option<PathBuf>,
}

/// The environment that makes a process part of a desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment(pub BTreeMap<String, String>);

/// Starts, finds and stops private desktops.
pub trait Desktops: Send + Sync {
    /// Starts one and returns when it can be used.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` when a component is not installed, naming the packages; `CONFLICT` when the
    /// name is in use; `TIMEOUT` when a component does not come up. What was begun is taken down again.
    fn start(&self, call: &Call<'_>, request: &DesktopRequest) -> Result<Desktop>;

    /// The desktops there are, oldest first.
    ///
    /// # Errors
    /// `INTERNAL` when the runtime directory cannot be read.
    fn list(&self) -> Result<Vec<Desktop>>;

    /// Ends every process of a desktop.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is none of that id or name, `ACTION_FAILED` when a process would not end.
    fn stop(&self, call: &Call<'_>, id: &str) -> Result<Stopped>;

    /// Clears away what is left of broken desktops.
    ///
    /// # Errors
    /// As [`Desktops::stop`].
    fn prune(&self, call: &Call<'_>) -> Result<Vec<Stopped>>;

    /// The environment of a running desktop.
    ///
    /// # Errors
    /// `INVALID_ARGS` when there is none of that id or name or it is broken.
    fn environment(&self, id: &str) -> Result<Environment>;
}
