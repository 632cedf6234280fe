//! Test support for surehand. Nothing of it is part of the product.
//!
//! - [`fake`]: a scripted [`surehand_core::platform::Platform`], for tests of what stands above the adapters.
//! - [`clock`]: virtual time, in which a wait of ten seconds takes no time at all.
//! - [`churn`]: windows that change between reading and clicking, and a count of what was really clicked.
//! - [`contract`]: what every platform has to keep to, as checks that any of them can be put to.
//! - [`properties`]: what holds for all input, for the tests and for libFuzzer alike.
//! - [`replay`]: a platform that answers what was recorded of a real window, one recording for each toolkit.
//! - [`files`]: what a folder holds, to the last attribute, for comparing it with what it held before.
//! - [`fault`]: a file system that forgets what was not synced, and a count of what got lost.
//! - [`live`]: the real binary in a hermetic environment, private desktops, and fixture applications that
//!   tell what really happened to their widgets.
//!
//! A helper that is used wrongly, or finds the machine unfit, panics and says why: the panic is what fails
//! the test that called it.
#![allow(clippy::panic, reason = "a test is failed by a panic that says what was expected")]

#[cfg(target_os = "linux")]
pub mod agents;
#[cfg(target_os = "linux")]
pub mod churn;
pub mod clock;
pub mod contract;
pub mod fake;
#[cfg(target_os = "linux")]
pub mod fault;
#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
pub mod live;
pub mod properties;
pub mod replay;
