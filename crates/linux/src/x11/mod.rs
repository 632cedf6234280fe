//! X11: windows, keys and pictures.
//!
//! One [`Display`] is one connection. It is synchronous, and none of its calls outlasts the limit that it was
//! given when it was made or by [`Display::limit`], also when the server is stopped: the stream below the
//! connection waits no longer than that ([`stream`]). A display whose server did not answer in time is
//! spent, since a request may have been sent by half; a new one costs about a millisecond.
//!
//! This is the only code that connects to a server. It reads no environment: the name of the display and the
//! file with its cookie are given.
//!
//! What clients put into properties is text of strangers: it is read to a limit, checked and never trusted
//! where the server itself knows better.

mod arrange;
mod attention;
mod auth;
mod capture;
mod clipboard;
mod clipboard_owner;
mod close;
mod cover;
mod display;
mod examine;
mod image;
mod keymap;
mod keys;
mod manager;
mod pointer;
mod reach;
mod region;
mod screens;
mod selection;
mod spare;
mod stream;
mod strike;
mod text;
mod windows;

pub(crate) use auth::file_for_any;
pub(crate) use clipboard_owner::ClipboardOwner;
pub use display::Display;
pub use windows::XWindow;
