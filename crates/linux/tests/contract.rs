//! The contract of platforms, kept by this adapter with each toolkit's fixture application.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper that finds the machine unfit fails its test"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use surehand_core::desktop::{DesktopRequest, Desktops, Environment};
use surehand_core::platform::Platform;
use surehand_core::time::{Call, Cancel, Clock};
use surehand_linux::LinuxPlatform;
use surehand_linux::desktop::{Places, PrivateDesktops};
use surehand_testkit::contract::{self, Subject};
use surehand_testkit::live::Fixture;

struct Real;

impl Clock for Real {
    fn now(&self) -> Instant {
        Instant::now()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the clock that others pause on")]
    fn pause(&self, span: Duration, _: &Cancel) {
        std::thread::sleep(span);
    }
}

/// An application on a private desktop, which is stopped when this goes.
struct Linux {
    platform: LinuxPlatform,
    // Before the desktop: an application whose display goes away ends noisily.
    fixture: Fixture,
    application: &'static str,
    exempt: &'static [(&'static str, &'static str)],
    desktops: PrivateDesktops,
    desktop: String,
    _folder: tempfile::TempDir,
}

impl Linux {
    fn new(
        application: &'static str,
        script: &str,
        arguments: &[&str],
        exempt: &'static [(&'static str, &'static str)],
    ) -> Self {
        let folder = tempfile::Builder::new().prefix("sh").tempdir().unwrap();
        let places = Places { runtime: folder.path().join("r"), state: folder.path().join("s") };
        let caller = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/nonexistent")];
        let caller = caller.map(|(variable, value)| (variable.to_owned(), value.to_owned()));
        let desktops = PrivateDesktops::new(places, Environment(BTreeMap::from(caller)));
        let cancel = Cancel::default();
        let call = Call::lasting(&Real, &cancel, Duration::from_secs(20));
        let request = DesktopRequest { name: None, width: 1280, height: 800 };
        let desktop = desktops.start(&call, &request).unwrap().id;
        let environment = desktops.environment(&desktop).unwrap();
        let fixture = Fixture::python(&environment.0, script, arguments);
        let platform = LinuxPlatform::connect(&call, &environment).unwrap();
        Linux { platform, fixture, application, exempt, desktops, desktop, _folder: folder }
    }
}

impl Drop for Linux {
    fn drop(&mut self) {
        let cancel = Cancel::default();
        let _ = self.desktops.stop(&Call::lasting(&Real, &cancel, Duration::from_secs(20)), &self.desktop);
    }
}

impl Subject for Linux {
    fn platform(&self) -> &dyn Platform {
        &self.platform
    }

    fn clock(&self) -> &dyn Clock {
        &Real
    }

    fn application(&self) -> String {
        self.application.to_owned()
    }

    fn presses(&self, button: &str) -> usize {
        self.fixture.events("clicked").iter().filter(|event| event["widget"] == button).count()
    }

    fn remove(&mut self, letter: &str) {
        self.fixture.command(&format!("remove {letter}"));
    }

    fn insert_first(&mut self, letter: &str) {
        self.fixture.command(&format!("insert-first {letter}"));
    }

    fn rename(&mut self, letter: &str, name: &str) {
        self.fixture.command(&format!("rename {letter} {name}"));
    }

    fn freeze(&mut self) {
        self.fixture.freeze();
    }

    fn thaw(&mut self) {
        self.fixture.thaw();
    }

    fn kill(&mut self) {
        self.fixture.kill();
    }

    fn exempt(&self) -> &[(&'static str, &'static str)] {
        self.exempt
    }
}

/// What core does with scroll bars instead.
const NO_SCROLL: (&str, &str) =
    ("what was out of sight is brought into view", "it has no call that scrolls to something");

/// Qt has no expander, and its trees no action.
const NO_FOLD: (&str, &str) =
    ("what was folded open and shut says so", "items of its trees offer no action that folds");

#[test]
fn live_the_contract_is_kept_with_gtk3() {
    contract::run(&mut Linux::new("fixture-gtk3", "gtk3_app.py", &[], &[NO_SCROLL]));
}

#[test]
fn live_the_contract_is_kept_with_gtk4() {
    let exempt = &[
        ("a check box shows that it was toggled", "check buttons of GTK 4 offer no action before 4.10"),
        ("what takes the focus says that it has it", "GTK 4 has no call that gives the focus"),
        ("what was folded open and shut says so", "expanders of GTK 4 offer no action"),
        NO_SCROLL,
    ];
    contract::run(&mut Linux::new("fixture-gtk4", "gtk4_app.py", &[], exempt));
}

#[test]
fn live_the_contract_is_kept_with_qt5() {
    contract::run(&mut Linux::new("fixture-qt5", "qt_app.py", &["5"], &[NO_SCROLL, NO_FOLD]));
}

#[test]
fn live_the_contract_is_kept_with_qt6() {
    contract::run(&mut Linux::new("fixture-qt6", "qt_app.py", &["6"], &[NO_SCROLL, NO_FOLD]));
}
