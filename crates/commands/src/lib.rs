//! The commands of surehand, each defined once.
//!
//! A command is one struct with its arguments, an output type and a `run`, in a file of its own. Its
//! [`Definition`](command::Definition) is what the command line, the MCP tools, batches, the C library, plan
//! steps and the reference are derived from; all of them go through [`dispatch`](dispatch::dispatch), where
//! the gate stands.

mod acting;
mod check;
mod clear;
mod click;
mod close_app;
mod collapse;
pub mod command;
pub mod context;
mod defaults;
mod desktop_env;
mod desktop_list;
mod desktop_run;
mod desktop_start;
mod desktop_stop;
pub mod dispatch;
mod doctor;
mod double_click;
pub mod element;
pub mod envelope;
mod expand;
mod find;
mod focus;
pub mod gate;
mod get;
mod is;
mod list_apps;
mod list_surfaces;
mod list_windows;
mod open;
pub mod outline;
mod press;
pub mod registry;
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
