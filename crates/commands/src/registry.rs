//! Every command there is.

use crate::command::Definition;
use crate::{
    adopt, apply, click, close_app, desktop_env, desktop_list, desktop_run, desktop_start, desktop_stop, doctor, find,
    get, history, is, journal_verify, list_apps, list_surfaces, list_windows, open, press, preview, redo, roots_add,
    roots_list, roots_remove, screenshot, set_value, show, snapshot, status, trash_empty, trash_list, type_text, undo,
    version, wait,
};

/// The commands, alphabetically by name. Adding one is a file and a line here.
pub const COMMANDS: &[Definition] = &[
    Definition::of::<adopt::Adopt>(),
    Definition::of::<apply::Apply>(),
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
    Definition::of::<history::History>(),
    Definition::of::<is::Is>(),
    Definition::of::<journal_verify::JournalVerify>(),
    Definition::of::<list_apps::ListApps>(),
    Definition::of::<list_surfaces::ListSurfaces>(),
    Definition::of::<list_windows::ListWindows>(),
    Definition::of::<open::Open>(),
    Definition::of::<press::Press>(),
    Definition::of::<preview::Preview>(),
    Definition::of::<redo::Redo>(),
    Definition::of::<roots_add::RootsAdd>(),
    Definition::of::<roots_list::RootsList>(),
    Definition::of::<roots_remove::RootsRemove>(),
    Definition::of::<screenshot::Screenshot>(),
    Definition::of::<set_value::SetValue>(),
    Definition::of::<show::Show>(),
    Definition::of::<snapshot::Snapshot>(),
    Definition::of::<status::Status>(),
    Definition::of::<trash_empty::TrashEmpty>(),
    Definition::of::<trash_list::TrashList>(),
    Definition::of::<type_text::TypeText>(),
    Definition::of::<undo::Undo>(),
    Definition::of::<version::Version>(),
    Definition::of::<wait::Wait>(),
];

/// What the first words of commands of a family have in common, for `--help`.
pub const FAMILIES: &[(&str, &str)] = &[
    ("desktop", "Make, list and stop private desktops"),
    ("journal", "Verify journals"),
    ("roots", "Allow and list the folders in which plans may be applied"),
    ("trash", "List and delete what was put away"),
];

/// The command of that name.
pub fn find(name: &str) -> Option<&'static Definition> {
    COMMANDS.iter().find(|definition| definition.spec.name == name)
}
