//! What a front end tells the runtime.

use std::path::{Path, PathBuf};

use surehand_commands::context::Allowed;
use surehand_core::desktop::Environment;
use surehand_core::object::Process;
use surehand_core::{Code, Error, Result};

/// The directories surehand uses, as the XDG base directory specification lays them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Snapshots and the record of actions. Kept.
    pub state: PathBuf,
    /// Sockets and running desktops. Gone with the login.
    pub runtime: PathBuf,
}

impl Places {
    /// From the variables of the environment. `SUREHAND_HOME` moves all of it, for tests.
    ///
    /// # Errors
    /// `INVALID_ARGS` when a variable holds a relative path, or none tells where the home directory is.
    pub fn of(environment: &Environment, uid: u32) -> Result<Places> {
        if let Some(home) = absolute(environment, "SUREHAND_HOME")? {
            return Ok(Places { state: home.join("state"), runtime: home.join("run") });
        }
        let state = match absolute(environment, "XDG_STATE_HOME")? {
            Some(state) => state,
            None => absolute(environment, "HOME")?
                .map(|home| home.join(".local/state"))
                .ok_or_else(|| Error::new(Code::InvalidArgs, "neither `HOME` nor `XDG_STATE_HOME` is set"))?,
        };
        let runtime = match absolute(environment, "XDG_RUNTIME_DIR")? {
            Some(runtime) => runtime.join("surehand"),
            // Where there is no login session; the owner and mode of what is there are checked before use.
            None => Path::new("/tmp").join(format!("surehand-{uid}")),
        };
        Ok(Places { state: state.join("surehand"), runtime })
    }
}

impl Places {
    /// The folder of all sessions.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The folder of one, whose id has been checked.
    pub(crate) fn session(&self, id: &str) -> PathBuf {
        self.sessions().join(id)
    }
}

fn absolute(environment: &Environment, name: &str) -> Result<Option<PathBuf>> {
    match environment.0.get(name).filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(value) if Path::new(value).is_absolute() => Ok(Some(PathBuf::from(value))),
        Some(_) => {
            Err(Error::new(Code::InvalidArgs, format!("`{name}` does not hold an absolute path")).kind("bad_directory"))
        }
    }
}

/// What the processes are started with that outlive a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helpers {
    /// The path of this program, which becomes each of them.
    pub program: PathBuf,
    /// Whom keys and buttons are held for; they are let go when it ends, and nothing is held without.
    pub client: Option<Process>,
}

/// Everything a front end decides before the first command.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The variables of the environment.
    pub environment: Environment,
    /// The directories.
    pub places: Places,
    /// The private desktop to work on, by id or name; the session of the environment without it.
    pub desktop: Option<String>,
    /// The folder that commands may write output files into; a folder in the state directory without it.
    pub output: Option<PathBuf>,
    /// The session to work in; none without it.
    pub session: Option<String>,
    /// The file below the folder for output that a trace is added to, instead of that of the session.
    pub trace: Option<PathBuf>,
    /// Whether nothing is done that cannot be traced before.
    pub trace_strict: bool,
    /// What whoever starts this allows.
    pub allowed: Allowed,
    /// What the processes are started with that outlive a command; without it nothing is held, nothing is kept in the
    /// clipboard, and no notifications are watched.
    pub helpers: Option<Helpers>,
    /// Version of the program.
    pub version: String,
    /// Target it was built for.
    pub target: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(variables: &[(&str, &str)]) -> Result<Places> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Places::of(&Environment(variables), 1000)
    }

    #[test]
    fn directories_follow_the_specification() {
        let home = places(&[("HOME", "/h/a")]).expect("places");
        assert_eq!(home.state, Path::new("/h/a/.local/state/surehand"));
        assert_eq!(home.runtime, Path::new("/tmp/surehand-1000"));
        let session = places(&[("XDG_STATE_HOME", "/s"), ("XDG_RUNTIME_DIR", "/run/user/1000")]).expect("places");
        assert_eq!(session.state, Path::new("/s/surehand"));
        assert_eq!(session.runtime, Path::new("/run/user/1000/surehand"));
        let moved = places(&[("SUREHAND_HOME", "/x"), ("HOME", "/h/a")]).expect("places");
        assert_eq!(moved, Places { state: "/x/state".into(), runtime: "/x/run".into() });
    }

    #[test]
    fn a_relative_directory_is_an_error_and_not_a_surprise() {
        assert_eq!(places(&[("SUREHAND_HOME", "x")]).expect_err("relative").code(), Code::InvalidArgs);
        assert_eq!(places(&[]).expect_err("nothing").code(), Code::InvalidArgs);
    }
}
