//! Which applications there are, which of them a request means, whether it may start, and starting it.
//!
//! The index is the only authority for what can be launched: a caller gives the id or the name of an entry,
//! never a program, a path or an argument. The four questions are kept apart, each in a module that can be
//! read alone:
//!
//! | Question | Module | Answer |
//! |---|---|---|
//! | What is installed? | [`mod@scan`] | an [`Index`] of [`Entry`]s and of what was [`Skipped`], with reasons |
//! | Which one is meant? | [`matcher`] | one entry, or a refusal with candidates; never a guess |
//! | May it start, and how exactly? | [`authority`] | a [`Permit`]: program, argument list, directory |
//! | Start it. | [`mod@launch`] | [`Launched`], once the program really runs |
//!
//! A [`Permit`] can only be made from an entry, and only a permit can be started, so the order cannot be
//! skipped.
//!
//! What is read is Linux desktop entries. Reading them follows GLib, because GLib is what desktops start
//! applications with; `tests/glib.rs` compares the two. Differences are deliberate, and each makes us
//! refuse where GLib would run something:
//!
//! * A script without an interpreter line is refused; GLib hands it to `/bin/sh`.
//! * A program given by a relative path, or found through a relative or empty element of `PATH`, is refused.
//! * A program whose word holds a `%` is refused; GLib looks it up before and starts it after expansion.
//! * A file that is not UTF-8 throughout, holds a NUL or is larger than 1 MiB is not indexed.
//! * A file shadows those of the same id in later directories even when it cannot be used.
//!
//! Not yet checked, and not yet there:
//!
//! * Whether the entry, the program or a directory above it can be written by the user, whether an entry
//!   appeared since a person last looked, and pinned hashes of programs. Until then whoever can write into
//!   the user's applications directory decides what an id starts.
//! * The program is checked by its path and executed by its path: a swap in between is not noticed.
//! * `Terminal=true` is refused; `DBusActivatable=true` entries are started by their `Exec`, which the
//!   specification keeps for that, and refused when they have none.
//! * `OnlyShowIn` and `NotShowIn`, application actions, files as arguments, a cache, and the sources of
//!   other systems.

pub mod authority;
pub mod entry;
pub mod exec;
mod keyfile;
pub mod launch;
mod locale;
pub mod matcher;
pub mod process;
mod program;
pub mod scan;
mod start;

pub use authority::{Permit, authorise};
pub use entry::{Entry, Source};
pub use launch::{Launched, launch};
pub use process::process_generation;
pub use scan::{Index, Skipped, scan};
