//! Private desktops: a display, a session bus, an accessibility bus and a window manager of one's own.
//!
//! A desktop is a directory with a record in it and the processes that the record names. There is no process
//! of ours that keeps it: any process of the same user can list, enter and stop it. Its processes are known by
//! a word in their environment, so that nothing is left behind by a starter that was killed.

pub(crate) mod accessibility;
pub(crate) mod bus;
mod component;
mod display;
mod environment;
mod home;
mod places;
mod processes;
pub(crate) mod programs;
mod random;
mod record;
mod start;
pub(crate) mod wait;
mod window_manager;

use surehand_core::desktop::{Desktop, DesktopRequest, DesktopState, Desktops, Environment, Stopped};
use surehand_core::error::{Code, Error, Result};
use surehand_core::text::quote;
use surehand_core::time::Call;

pub use environment::{DESKTOP, DESKTOP_KEY};
pub use places::Places;

use places::{Desk, invalid};
use record::Record;

use crate::notify::Watcher;

/// The private desktops that are kept in two directories.
#[derive(Debug, Clone)]
pub struct PrivateDesktops {
    places: Places,
    caller: Environment,
    watcher: Option<Watcher>,
}

impl PrivateDesktops {
    /// Desktops in `places`, whose processes take over from `caller` what does not tie them elsewhere. Nothing
    /// is read or made before a desktop is started.
    pub fn new(places: Places, caller: Environment) -> Self {
        PrivateDesktops { places, caller, watcher: None }
    }

    /// With what watching the notifications on each of them takes, from its start on.
    #[must_use]
    pub fn with_notifications(self, watcher: Option<Watcher>) -> Self {
        PrivateDesktops { watcher, ..self }
    }

    /// Every desktop with its record; `None` where that is damaged.
    fn all(&self) -> Result<Vec<(Desk, Option<Record>)>> {
        let mut all = Vec::new();
        for id in self.places.ids()? {
            let desk = self.places.desk(&id);
            match Record::read(&desk.record()) {
                Ok(Some(record)) => all.push((desk, Some(record))),
                // Stopped since the directory was read.
                Ok(None) if !desk.root.exists() => {}
                Ok(None) => all.push((desk, None)),
                Err(error) => {
                    tracing::warn!(desktop = id, %error, "the record of a desktop cannot be used");
                    all.push((desk, None));
                }
            }
        }
        Ok(all)
    }

    /// The one with that id or name.
    fn named(&self, id: &str) -> Result<(Desk, Option<Record>)> {
        let name_of = |record: &Option<Record>| record.as_ref().and_then(|record| record.name.clone());
        self.all()?
            .into_iter()
            .find(|(desk, record)| desk.id == id || name_of(record).as_deref() == Some(id))
            .ok_or_else(|| {
                invalid("no_such_desktop", format!("there is no desktop {}", quote(id)))
                    .suggest("`surehand desktop list` shows those there are")
            })
    }
}

impl Desktops for PrivateDesktops {
    fn start(&self, call: &Call<'_>, request: &DesktopRequest) -> Result<Desktop> {
        start::start(&self.places, &self.caller, self.watcher.as_ref(), call, request)
    }

    fn list(&self) -> Result<Vec<Desktop>> {
        Ok(self.all()?.into_iter().map(|(desk, record)| shown(&desk, record.as_ref())).collect())
    }

    fn stop(&self, call: &Call<'_>, id: &str) -> Result<Stopped> {
        let (desk, _) = self.named(id)?;
        processes::take_down(&self.places, &desk, call)
    }

    fn prune(&self, call: &Call<'_>) -> Result<Vec<Stopped>> {
        let mut stopped = Vec::new();
        for (desk, record) in self.all()? {
            if shown(&desk, record.as_ref()).state == DesktopState::Broken {
                stopped.push(processes::take_down(&self.places, &desk, call)?);
            }
        }
        if self.places.runtime.join("desktops").exists() {
            self.places.sweep(call)?;
        }
        Ok(stopped)
    }

    fn environment(&self, id: &str) -> Result<Environment> {
        let (desk, record) = self.named(id)?;
        match (shown(&desk, record.as_ref()).state, record) {
            (DesktopState::Up, Some(record)) => Ok(environment::build(&self.caller, &desk, &record)),
            (DesktopState::Starting, _) => Err(invalid("starting", format!("desktop {} is still starting", desk.id))),
            _ => Err(Error::new(Code::InvalidArgs, format!("desktop {} is broken", desk.id))
                .kind("broken")
                .suggest("`surehand desktop prune` clears it away")),
        }
    }
}

/// How a desktop stands; one with a damaged record is broken, and no more is known of it.
fn shown(desk: &Desk, record: Option<&Record>) -> Desktop {
    record.map_or_else(
        || Desktop {
            id: desk.id.clone(),
            name: None,
            state: DesktopState::Broken,
            display: None,
            size: String::new(),
            components: Vec::new(),
        },
        Record::desktop,
    )
}
