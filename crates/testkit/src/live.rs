//! Tests of the real binary against real applications.
//!
//! Everything here is a guard: what it starts it stops again, by process id, when the test ends, also when
//! it fails. Nothing of the machine's own desktop, home or settings takes part.
//!
//! ```no_run
//! use std::path::Path;
//! use surehand_testkit::live::{Fixture, PrivateDesktop, Sandbox};
//!
//! let sandbox = Sandbox::new(Path::new("target/debug/surehand"));
//! let desktop = PrivateDesktop::start(&sandbox);
//! let mut fixture = Fixture::gtk3(&desktop, &["--rows", "5"]);
//! let snapshot = desktop.surehand(&["snapshot", "--app", "fixture-gtk3"]).expect_ok();
//! fixture.command("insert-first Zeta");
//! ```

mod desktop;
mod fixture;
mod program;
mod sandbox;
mod wait;

pub use desktop::PrivateDesktop;
pub use fixture::Fixture;
pub use program::Program;
pub use sandbox::{Run, Runner, Sandbox};
pub use wait::wait_until;
