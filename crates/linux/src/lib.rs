//! The Linux adapter: AT-SPI2 over D-Bus for seeing and acting, X11 for windows, keys and pictures, and
//! private desktops for machines without a display.
//!
//! It maps and calls. Waiting for conditions, repeating, ranking and wording are done in `surehand-core`.

pub mod desktop;
pub mod doctor;
