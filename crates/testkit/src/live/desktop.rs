//! A private desktop for one test.

use std::collections::BTreeMap;
use std::thread;

use super::sandbox::{Run, Runner, Sandbox};

/// A desktop that `surehand desktop start` made; it is stopped when this goes.
#[derive(Debug)]
pub struct PrivateDesktop {
    sandbox: Sandbox,
    id: String,
    gone: bool,
}

impl PrivateDesktop {
    /// Starts a desktop. Panics, showing the run, when none comes up.
    pub fn start(sandbox: &Sandbox) -> Self {
        PrivateDesktop::start_with(sandbox, &[])
    }

    /// Starts a desktop with further arguments of `desktop start`.
    pub fn start_with(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let run = sandbox.surehand(&[&["desktop", "start", "--format", "json"], arguments].concat());
        let data = run.expect_ok();
        let Some(id) = data["id"].as_str() else { panic!("`desktop start` told no id\n{run}") };
        PrivateDesktop { sandbox: sandbox.clone(), id: id.to_owned(), gone: false }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The sandbox it was started in.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Runs the binary on this desktop.
    pub fn surehand(&self, arguments: &[&str]) -> Run {
        self.runner(arguments).run()
    }

    /// A run on this desktop that is described further before it begins.
    pub fn runner(&self, arguments: &[&str]) -> Runner {
        self.sandbox.runner(&[arguments, &["--desktop", &self.id]].concat())
    }

    /// Says that the test itself has taken it down, so that there is nothing left to stop.
    pub fn is_gone(mut self) {
        self.gone = true;
    }

    /// The environment that makes a process part of it. Panics, showing the run, when it is not told.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let run = self.sandbox.surehand(&["desktop", "env", &self.id, "--format", "json"]);
        let data = run.expect_ok();
        let Some(variables) = data["environment"].as_object() else { panic!("`desktop env` told none\n{run}") };
        variables
            .iter()
            .map(|(variable, value)| match value.as_str() {
                Some(value) => (variable.clone(), value.to_owned()),
                None => panic!("`{variable}` is not text in the environment\n{run}"),
            })
            .collect()
    }
}

impl Drop for PrivateDesktop {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        let run = || self.sandbox.surehand(&["desktop", "stop", &self.id, "--format", "json"]);
        if thread::panicking() {
            // The test has failed already; a second panic would hide why.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        } else {
            run().expect_ok();
        }
    }
}
