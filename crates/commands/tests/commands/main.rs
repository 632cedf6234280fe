//! The commands as front ends see them: what each answers, word for word, what it publishes about itself, and
//! what is asked and recorded around it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper fails its test by a panic that says why"
)]

mod golden;
mod interacting;
mod rig;
mod schemas;
mod sessions;

mod acting;
mod applications;
mod batches;
mod clipboard;
mod dispatching;
mod files;
mod notifications;
mod observing;
mod outline_rows;
mod physical;
mod recordings;
mod registry;
mod system;
mod targets;
mod waiting;
