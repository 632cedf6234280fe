//! The Linux adapter: AT-SPI2 over D-Bus for seeing and acting, X11 for windows, keys and pictures, and
//! private desktops for machines without a display.
//!
//! It maps and calls. Waiting for conditions, repeating, ranking and wording are done in `surehand-core`.

mod act;
mod adapter;
mod app;
mod cache;
pub mod clipboard;
mod connect;
pub mod desktop;
pub mod doctor;
mod error;
mod events;
mod frame;
mod grid;
pub mod helper;
mod inspect;
pub mod keeper;
pub mod notify;
mod place;
mod process;
#[cfg(any(test, fuzzing))]
pub mod properties;
mod read;
mod roles;
mod skeleton;
mod socket;
mod states;
mod toolkit;
mod tree;
mod trip;
mod wake;
mod window;
mod wire;
pub mod x11;

pub use adapter::LinuxPlatform;
pub use doctor::LinuxDoctor;
pub use process::process as process_of;
