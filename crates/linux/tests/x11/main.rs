//! The X11 side against real servers: every test starts its own Xvfb, most of them with openbox, and is
//! itself the client whose windows are listed, typed into, covered and closed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step of a helper fails the test")]

mod attention;
mod capture;
mod client;
mod clipboard;
mod connection;
mod desk;
mod keys;
mod pointer;
mod text;
mod windows;
