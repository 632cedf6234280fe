//! What every [`Platform`] has to keep to, as checks that any of them can be put to.
//!
//! The checks need one application with one window. In it, in a group called `Letters`, are the buttons
//! `Alpha`, `Beta` and `Gamma`; further a text field `Name field` that holds `hello`, a spin button `Copies`
//! from 1 to 99, a check box `Check me`, a list `Rows` with a `row 1`, and `Details`, which folds and is out of sight.
//!
//! [`run`] carries out all of them in order; the last ones end the application.

mod checks;

use std::time::Duration;

use surehand_core::error::Result;
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::{Live, ObserveRequest, Operation, Platform};
use surehand_core::time::{Call, Cancel, Clock};
use surehand_core::tree::Observation;
use surehand_core::window::Window;

pub use checks::CHECKS;

/// How long one call may take that is no check of time itself.
const AMPLE: Duration = Duration::from_secs(10);

/// How long is waited for an application to do what it was told.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// A platform with an application on it, and ways to do to the application what users and bugs do.
pub trait Subject {
    /// The platform that is checked.
    fn platform(&self) -> &dyn Platform;

    /// The clock that its calls run on.
    fn clock(&self) -> &dyn Clock;

    /// What the application is called.
    fn application(&self) -> String;

    /// How often a button was pressed, by what the application itself saw.
    fn presses(&self, button: &str) -> usize;

    /// Takes a letter away.
    fn remove(&mut self, letter: &str);

    /// Puts a new letter before the others.
    fn insert_first(&mut self, letter: &str);

    /// Calls a letter otherwise.
    fn rename(&mut self, letter: &str, name: &str);

    /// Lets the application hang.
    fn freeze(&mut self);

    /// Lets it go on.
    fn thaw(&mut self);

    /// Ends it at once.
    fn kill(&mut self);

    /// The checks that the toolkit makes impossible, with the reason, so that nothing is left out silently.
    fn exempt(&self) -> &[(&'static str, &'static str)] {
        &[]
    }
}

/// A check: its name, and what it does. The error says what was seen instead.
pub type Check = (&'static str, fn(&mut Bench<'_>) -> std::result::Result<(), String>);

/// Carries out every check. Panics, naming each that failed and why, when there are any.
pub fn run(subject: &mut dyn Subject) {
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        let exempt = subject.exempt().iter().any(|(exempt, _)| exempt == name);
        let outcome = check(&mut Bench::new(subject));
        match (outcome, exempt) {
            (Err(why), false) => failed.push(format!("{name}: {why}")),
            // An exemption that is needed no longer has to go.
            (Ok(()), true) => failed.push(format!("{name}: it is exempt, and passes")),
            (Ok(()), false) | (Err(_), true) => {}
        }
    }
    assert!(failed.is_empty(), "{} of {} checks failed:\n{}", failed.len(), CHECKS.len(), failed.join("\n"));
}

/// A subject in the hands of one check.
pub struct Bench<'s> {
    /// The subject.
    pub subject: &'s mut dyn Subject,
    cancel: Cancel,
}

impl<'s> Bench<'s> {
    fn new(subject: &'s mut dyn Subject) -> Self {
        Bench { subject, cancel: Cancel::default() }
    }

    /// A call of the usual length.
    fn call(&self) -> Call<'_> {
        self.lasting(AMPLE)
    }

    fn lasting(&self, span: Duration) -> Call<'_> {
        Call::lasting(self.subject.clock(), &self.cancel, span)
    }

    fn application(&self) -> std::result::Result<Application, String> {
        let name = self.subject.application();
        self.until("the application is listed", || {
            let listing = self.subject.platform().applications(&self.call()).map_err(|error| error.to_string())?;
            listing.items.into_iter().find(|one| one.name == name || one.program == name).ok_or("it is not".to_owned())
        })
    }

    fn window(&self, application: &Application) -> std::result::Result<Window, String> {
        let applications = std::slice::from_ref(application);
        self.until("its window is listed", || {
            let listing =
                self.subject.platform().windows(&self.call(), applications).map_err(|error| error.to_string())?;
            let mut own = listing.items.into_iter().filter(|window| window.process == application.process);
            own.find(|window| window.object.is_some()).ok_or("it is not".to_owned())
        })
    }

    fn observe(&self) -> std::result::Result<Observation, String> {
        let application = self.application()?;
        let window = self.window(&application)?;
        let request = ObserveRequest::default();
        let observed = self.subject.platform().observe(&self.call(), &application, &window, &request);
        observed.map_err(|error| format!("observing: {error}"))
    }

    /// The element of this name that something can be done with.
    fn find(&self, name: &str) -> std::result::Result<(Node, Process), String> {
        self.until(&format!("{name:?} is there"), || {
            let observation = self.observe()?;
            let process = observation.application.process.clone();
            let mut named = observation.nodes.into_iter().filter(|node| node.name.text() == Some(name));
            let node = named.find(Node::is_interactive).ok_or("it is not in the window".to_owned())?;
            Ok((node, process))
        })
    }

    fn inspect(&self, object: &ObjectId, process: &Process) -> Result<Live> {
        self.subject.platform().inspect(&self.call(), object, process)
    }

    fn perform(&self, object: &ObjectId, operation: &Operation) -> Result<()> {
        self.subject.platform().perform(&self.call(), object, operation)
    }

    /// Looks until there is an answer; the last reason why there is none when the time is up.
    fn until<T>(
        &self,
        what: &str,
        mut look: impl FnMut() -> std::result::Result<T, String>,
    ) -> std::result::Result<T, String> {
        let waiting = self.lasting(PATIENCE);
        loop {
            match look() {
                Ok(found) => return Ok(found),
                Err(why) if waiting.left().is_zero() => return Err(format!("waited until {what}: {why}")),
                Err(_) => self.subject.clock().pause(INTERVAL, &self.cancel),
            }
        }
    }
}
