//! Every command there is.

use crate::command::Definition;
use crate::{
    check, clear, click, clipboard_clear, clipboard_get, clipboard_set, close_app, collapse, cursor_overlay,
    desktop_env, desktop_list, desktop_run, desktop_start, desktop_stop, dismiss_all_notifications,
    dismiss_notification, doctor, double_click, drag, expand, find, focus, focus_window, get, hover, is, key_down,
    key_up, list_apps, list_displays, list_notifications, list_surfaces, list_windows, maximize, minimize, mouse_click,
    mouse_down, mouse_move, mouse_up, mouse_wheel, move_window, notification_action, open, open_system_surface, press,
    release_all, resize_window, restore, right_click, screenshot, scroll, scroll_to, select, set_value, snapshot,
    status, toggle, triple_click, type_text, uncheck, version, wait,
};

/// The commands, alphabetically by name. Adding one is a file and a line here.
pub const COMMANDS: &[Definition] = &[
    Definition::of::<check::Check>(),
    Definition::of::<clear::Clear>(),
    Definition::of::<click::Click>(),
    Definition::of::<clipboard_clear::ClipboardClear>(),
    Definition::of::<clipboard_get::ClipboardGet>(),
    Definition::of::<clipboard_set::ClipboardSet>(),
    Definition::of::<close_app::CloseApp>(),
    Definition::of::<collapse::Collapse>(),
    Definition::of::<cursor_overlay::CursorOverlay>(),
    Definition::of::<desktop_env::DesktopEnv>(),
    Definition::of::<desktop_list::DesktopList>(),
    Definition::of::<desktop_run::DesktopRun>(),
    Definition::of::<desktop_start::DesktopStart>(),
    Definition::of::<desktop_stop::DesktopStop>(),
    Definition::of::<dismiss_all_notifications::DismissAllNotifications>(),
    Definition::of::<dismiss_notification::DismissNotification>(),
    Definition::of::<doctor::Doctor>(),
    Definition::of::<double_click::DoubleClick>(),
    Definition::of::<drag::Drag>(),
    Definition::of::<expand::Expand>(),
    Definition::of::<find::Find>(),
    Definition::of::<focus::Focus>(),
    Definition::of::<focus_window::FocusWindow>(),
    Definition::of::<get::Get>(),
    Definition::of::<hover::Hover>(),
    Definition::of::<is::Is>(),
    Definition::of::<key_down::KeyDown>(),
    Definition::of::<key_up::KeyUp>(),
    Definition::of::<list_apps::ListApps>(),
    Definition::of::<list_displays::ListDisplays>(),
    Definition::of::<list_notifications::ListNotifications>(),
    Definition::of::<list_surfaces::ListSurfaces>(),
    Definition::of::<list_windows::ListWindows>(),
    Definition::of::<maximize::Maximize>(),
    Definition::of::<minimize::Minimize>(),
    Definition::of::<mouse_click::MouseClick>(),
    Definition::of::<mouse_down::MouseDown>(),
    Definition::of::<mouse_move::MouseMove>(),
    Definition::of::<mouse_up::MouseUp>(),
    Definition::of::<mouse_wheel::MouseWheel>(),
    Definition::of::<move_window::MoveWindow>(),
    Definition::of::<notification_action::NotificationAction>(),
    Definition::of::<open::Open>(),
    Definition::of::<open_system_surface::OpenSystemSurface>(),
    Definition::of::<press::Press>(),
    Definition::of::<release_all::ReleaseAll>(),
    Definition::of::<resize_window::ResizeWindow>(),
    Definition::of::<restore::Restore>(),
    Definition::of::<right_click::RightClick>(),
    Definition::of::<screenshot::Screenshot>(),
    Definition::of::<scroll::Scroll>(),
    Definition::of::<scroll_to::ScrollTo>(),
    Definition::of::<select::Select>(),
    Definition::of::<set_value::SetValue>(),
    Definition::of::<snapshot::Snapshot>(),
    Definition::of::<status::Status>(),
    Definition::of::<toggle::Toggle>(),
    Definition::of::<triple_click::TripleClick>(),
    Definition::of::<type_text::TypeText>(),
    Definition::of::<uncheck::Uncheck>(),
    Definition::of::<version::Version>(),
    Definition::of::<wait::Wait>(),
];

/// What the first words of commands of a family have in common, for `--help`.
pub const FAMILIES: &[(&str, &str)] = &[("desktop", "Make, list and stop private desktops")];

/// The command of that name.
pub fn find(name: &str) -> Option<&'static Definition> {
    COMMANDS.iter().find(|definition| definition.spec.name == name)
}
