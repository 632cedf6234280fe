//! Every command there is.

use crate::command::Definition;
use crate::{
    click, clipboard_clear, clipboard_get, clipboard_set, close_app, desktop_env, desktop_list, desktop_run,
    desktop_start, desktop_stop, dismiss_all_notifications, dismiss_notification, doctor, find, get, is, list_apps,
    list_notifications, list_surfaces, list_windows, notification_action, open, press, screenshot, set_value, snapshot,
    status, type_text, version, wait,
};

/// The commands, alphabetically by name. Adding one is a file and a line here.
pub const COMMANDS: &[Definition] = &[
    Definition::of::<click::Click>(),
    Definition::of::<clipboard_clear::ClipboardClear>(),
    Definition::of::<clipboard_get::ClipboardGet>(),
    Definition::of::<clipboard_set::ClipboardSet>(),
    Definition::of::<close_app::CloseApp>(),
    Definition::of::<desktop_env::DesktopEnv>(),
    Definition::of::<desktop_list::DesktopList>(),
    Definition::of::<desktop_run::DesktopRun>(),
    Definition::of::<desktop_start::DesktopStart>(),
    Definition::of::<desktop_stop::DesktopStop>(),
    Definition::of::<dismiss_all_notifications::DismissAllNotifications>(),
    Definition::of::<dismiss_notification::DismissNotification>(),
    Definition::of::<doctor::Doctor>(),
    Definition::of::<find::Find>(),
    Definition::of::<get::Get>(),
    Definition::of::<is::Is>(),
    Definition::of::<list_apps::ListApps>(),
    Definition::of::<list_notifications::ListNotifications>(),
    Definition::of::<list_surfaces::ListSurfaces>(),
    Definition::of::<list_windows::ListWindows>(),
    Definition::of::<notification_action::NotificationAction>(),
    Definition::of::<open::Open>(),
    Definition::of::<press::Press>(),
    Definition::of::<screenshot::Screenshot>(),
    Definition::of::<set_value::SetValue>(),
    Definition::of::<snapshot::Snapshot>(),
    Definition::of::<status::Status>(),
    Definition::of::<type_text::TypeText>(),
    Definition::of::<version::Version>(),
    Definition::of::<wait::Wait>(),
];

/// What the first words of commands of a family have in common, for `--help`.
pub const FAMILIES: &[(&str, &str)] = &[("desktop", "Make, list and stop private desktops")];

/// The command of that name.
pub fn find(name: &str) -> Option<&'static Definition> {
    COMMANDS.iter().find(|definition| definition.spec.name == name)
}
