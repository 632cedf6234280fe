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

mod adopt;
mod apply;
mod click;
mod close_app;
mod defaults;
mod desktop_env;
mod desktop_list;
mod desktop_run;
mod desktop_start;
mod desktop_stop;
mod doctor;
mod files;
mod find;
mod get;
mod history;
mod is;
mod journal_verify;
mod list_apps;
mod list_surfaces;
mod list_windows;
mod open;
mod press;
mod preview;
mod redo;
mod roots_add;
mod roots_list;
mod roots_remove;
mod screenshot;
mod set_value;
mod show;
mod snapshot;
mod status;
mod trash_empty;
mod trash_list;
mod type_text;
mod undo;
mod version;
mod wait;
