//! The commands of surehand, each defined once.
//!
//! A command is one struct with its arguments, an output type and a `run`, in a file of its own. Its
//! [`Definition`](command::Definition) is what the command line, the MCP tools, batches, the C library, plan
//! steps and the reference are derived from; all of them go through [`dispatch`](dispatch::dispatch), where
//! the gate stands.

pub mod after;
pub mod command;
pub mod context;
pub mod dispatch;
pub mod element;
pub mod envelope;
pub mod gate;
pub mod outline;
pub mod registry;
pub mod rows;
pub mod surface;
pub mod target;

mod batch;
mod click;
mod close_app;
mod defaults;
mod desktop_env;
mod desktop_list;
mod desktop_run;
mod desktop_start;
mod desktop_stop;
mod doctor;
mod find;
mod get;
mod is;
mod list_apps;
mod list_surfaces;
mod list_windows;
mod open;
mod picture;
mod press;
mod screenshot;
mod session_end;
mod session_gc;
mod session_list;
mod session_start;
mod set_value;
mod snapshot;
mod status;
mod trace;
mod trace_export;
mod trace_show;
mod type_text;
mod version;
mod view;
pub mod wait;
