//! The commands of surehand, each defined once.
//!
//! A command is one struct with its arguments, an output type and a `run`, in a file of its own. Its
//! [`Definition`](command::Definition) is what the command line, the MCP tools, batches, the C library, plan
//! steps and the reference are derived from; all of them go through [`dispatch`](dispatch::dispatch), where
//! the gate stands.

mod acting;
mod aiming;
mod arrange;
mod check;
mod clear;
mod click;
mod close_app;
mod collapse;
pub mod command;
pub mod context;
mod cursor_overlay;
mod defaults;
mod desktop_env;
mod desktop_list;
mod desktop_run;
mod desktop_start;
mod desktop_stop;
pub mod dispatch;
mod doctor;
mod double_click;
mod drag;
pub mod element;
pub mod envelope;
mod expand;
mod find;
mod focus;
mod focus_window;
pub mod gate;
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
pub mod outline;
mod physical;
mod press;
pub mod registry;
mod release_all;
mod resize_window;
mod restore;
mod right_click;
pub mod rows;
mod screenshot;
mod scroll;
mod scroll_to;
mod select;
mod set_value;
mod snapshot;
mod status;
pub mod surface;
pub mod target;
mod toggle;
mod triple_click;
mod type_text;
mod uncheck;
mod version;
mod wait;
