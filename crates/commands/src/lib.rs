//! The commands of surehand, each defined once.
//!
//! A command is one struct with its arguments, an output type and a `run`, in a file of its own. Its
//! [`Definition`](command::Definition) is what the command line, the MCP tools, batches, the C library, plan
//! steps and the reference are derived from; all of them go through [`dispatch`](dispatch::dispatch), where
//! the gate stands.

pub mod command;
pub mod context;
pub mod dispatch;
pub mod element;
pub mod envelope;
pub mod gate;
pub mod outline;
pub mod registry;
pub mod surface;
pub mod target;

mod aiming;
mod arrange;
mod click;
mod close_app;
mod cursor_overlay;
mod defaults;
mod desktop_env;
mod desktop_list;
mod desktop_run;
mod desktop_start;
mod desktop_stop;
mod doctor;
mod drag;
mod find;
mod focus_window;
mod get;
mod hover;
mod is;
mod key_down;
mod key_up;
mod list_apps;
mod list_displays;
mod list_surfaces;
mod list_windows;
mod maximize;
mod minimize;
mod mouse_click;
mod mouse_down;
mod mouse_move;
mod mouse_up;
mod mouse_wheel;
mod move_window;
mod open;
mod open_system_surface;
mod physical;
mod press;
mod release_all;
mod resize_window;
mod restore;
mod screenshot;
mod set_value;
mod snapshot;
mod status;
mod type_text;
mod version;
mod wait;
