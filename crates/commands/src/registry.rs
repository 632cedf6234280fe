//! Every command there is.

use crate::command::Definition;
use crate::{
    batch, click, close_app, desktop_env, desktop_list, desktop_run, desktop_start, desktop_stop, doctor, find, get,
    is, list_apps, list_surfaces, list_windows, open, press, screenshot, session_end, session_gc, session_list,
    session_start, set_value, snapshot, status, trace_export, trace_show, type_text, version, wait,
};

/// The commands, alphabetically by name. Adding one is a file and a line here.
pub const COMMANDS: &[Definition] = &[
    Definition::of::<batch::Batch>(),
    Definition::of::<click::Click>(),
    Definition::of::<close_app::CloseApp>(),
    Definition::of::<desktop_env::DesktopEnv>(),
    Definition::of::<desktop_list::DesktopList>(),
    Definition::of::<desktop_run::DesktopRun>(),
    Definition::of::<desktop_start::DesktopStart>(),
    Definition::of::<desktop_stop::DesktopStop>(),
    Definition::of::<doctor::Doctor>(),
    Definition::of::<find::Find>(),
    Definition::of::<get::Get>(),
    Definition::of::<is::Is>(),
    Definition::of::<list_apps::ListApps>(),
    Definition::of::<list_surfaces::ListSurfaces>(),
    Definition::of::<list_windows::ListWindows>(),
    Definition::of::<open::Open>(),
    Definition::of::<press::Press>(),
    Definition::of::<screenshot::Screenshot>(),
    Definition::of::<session_end::SessionEnd>(),
    Definition::of::<session_gc::SessionGc>(),
    Definition::of::<session_list::SessionList>(),
    Definition::of::<session_start::SessionStart>(),
    Definition::of::<set_value::SetValue>(),
    Definition::of::<snapshot::Snapshot>(),
    Definition::of::<status::Status>(),
    Definition::of::<trace_export::TraceExport>(),
    Definition::of::<trace_show::TraceShow>(),
    Definition::of::<type_text::TypeText>(),
    Definition::of::<version::Version>(),
    Definition::of::<wait::Wait>(),
];

/// What the first words of commands of a family have in common, for `--help`.
pub const FAMILIES: &[(&str, &str)] = &[
    ("desktop", "Make, list and stop private desktops"),
    ("session", "Start, end, list and remove sessions"),
    ("trace", "Read what was done in a session"),
];

/// The command of that name.
pub fn find(name: &str) -> Option<&'static Definition> {
    COMMANDS.iter().find(|definition| definition.spec.name == name)
}
