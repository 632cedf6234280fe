//! Every toolkit, driven for real on a private desktop. What counts is what the application shows or logs.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::panic, reason = "a helper fails its test by a panic")]

mod actions;
mod browsers;
mod cases;
mod office;
mod support;
mod terminal;
mod widgets;
