//! The environment of the processes of a desktop.

use std::collections::BTreeMap;
use std::path::Path;

use surehand_core::desktop::Environment;

use super::places::Desk;
use super::record::Record;

/// The variable that holds a desktop's id.
pub const DESKTOP: &str = "SUREHAND_DESKTOP";
/// The variable that holds the word by which the processes of a desktop are known.
pub const DESKTOP_KEY: &str = "SUREHAND_DESKTOP_KEY";

/// What ties a process to another desktop, display server, session, bus or service manager, or changes how
/// a toolkit draws, types and offers itself. None of it is passed on.
const DROPPED: &[&str] = &[
    "ACCESSIBILITY_ENABLED",
    "AT_SPI_BUS_ADDRESS",
    "CLUTTER_BACKEND",
    "CLUTTER_IM_MODULE",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SESSION_BUS_PID",
    "DBUS_SESSION_BUS_WINDOWID",
    "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE",
    "DESKTOP_AUTOSTART_ID",
    "DESKTOP_SESSION",
    "DESKTOP_STARTUP_ID",
    "DISPLAY",
    "ECORE_EVAS_ENGINE",
    "ELECTRON_OZONE_PLATFORM_HINT",
    "ELM_DISPLAY",
    "GIO_LAUNCHED_DESKTOP_FILE",
    "GIO_LAUNCHED_DESKTOP_FILE_PID",
    "GNOME_DESKTOP_SESSION_ID",
    "GNOME_KEYRING_CONTROL",
    "GNOME_SETUP_DISPLAY",
    "GPG_AGENT_INFO",
    "HYPRLAND_INSTANCE_SIGNATURE",
    "I3SOCK",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "LISTEN_FDNAMES",
    "LISTEN_FDS",
    "LISTEN_PID",
    "MAINPID",
    "MANAGERPID",
    "MOZ_ENABLE_WAYLAND",
    "NIRI_SOCKET",
    "NOTIFY_SOCKET",
    "NO_AT_BRIDGE",
    "OZONE_PLATFORM",
    "PIPEWIRE_REMOTE",
    "PULSE_SERVER",
    "SDL_VIDEODRIVER",
    "SESSION_MANAGER",
    "SWAYSOCK",
    "SYSTEMD_EXEC_PID",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "WINDOWID",
    "XAUTHORITY",
    "XMODIFIERS",
    "XDG_ACTIVATION_TOKEN",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CURRENT_DESKTOP",
    "XDG_DATA_HOME",
    "XDG_MENU_PREFIX",
    "XDG_RUNTIME_DIR",
    "XDG_SEAT",
    "XDG_SEAT_PATH",
    "XDG_STATE_HOME",
    "XDG_VTNR",
];

/// The same by the beginning of the name. `XDG_SESSION_` covers the id, class, type and path of a session.
const DROPPED_FAMILIES: &[&str] =
    &["GDK_", "GTK", "KDE_", "PLASMA_", "QT_", "SUREHAND_DESKTOP", "WAYLAND_", "XDG_SESSION_"];

/// Exceptions: where a distribution without fixed directories keeps the plug-ins of toolkits.
const KEPT: &[&str] = &["GDK_PIXBUF_MODULE_FILE", "GTK_PATH", "QT_PLUGIN_PATH"];

/// What is the same in every desktop. Nothing here weakens the sandbox of an application.
const FIXED: &[(&str, &str)] = &[
    // Settings in a file below our HOME, no settings daemon.
    ("GSETTINGS_BACKEND", "keyfile"),
    // There is no graphics processor behind the display.
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    ("GSK_RENDERER", "cairo"),
    // What toolkits look at besides `org.a11y.Status`: Qt 6 comes up only with the first, Firefox with the third.
    ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
    ("QT_ACCESSIBILITY", "1"),
    ("GNOME_ACCESSIBILITY", "1"),
    // In a session that nobody has prepared GTK 4 can choose to publish nothing.
    ("GTK_A11Y", "atspi"),
    // The plain one is not on the accessibility bus.
    ("SAL_USE_VCLPLUGIN", "gtk3"),
    // No file system daemons, which would outlive the application that asked for them.
    ("GIO_USE_VFS", "local"),
    ("GVFS_DISABLE_FUSE", "1"),
    ("GTK_USE_PORTAL", "0"),
    ("XDG_CURRENT_DESKTOP", "surehand"),
    ("XDG_SESSION_TYPE", "x11"),
];

/// The Java library that brings Swing onto the accessibility bus, where distributions install it.
const JAVA_WRAPPER: &str = "/usr/share/java/java-atk-wrapper.jar";

/// The environment of a desktop for a caller: the caller's, less what ties it elsewhere, plus the desktop's.
pub(super) fn build(caller: &Environment, desk: &Desk, record: &Record) -> Environment {
    let mut vars = inherited(caller);
    let mut set = |name: &str, value: &str| vars.insert(name.to_owned(), value.to_owned());
    for (name, value) in FIXED {
        set(name, value);
    }
    // Paths were checked to be UTF-8 before the desktop was begun.
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let home = desk.home();
    set("HOME", &path(&home));
    for (name, below) in [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
    ] {
        set(name, &path(&home.join(below)));
    }
    set("XDG_RUNTIME_DIR", &path(&desk.run()));
    set("DBUS_SESSION_BUS_ADDRESS", &super::bus::address(desk));
    set(DESKTOP, &record.id);
    set(DESKTOP_KEY, &record.key);
    if let Some(display) = &record.display {
        set("DISPLAY", display);
        set("XAUTHORITY", &path(&desk.authority()));
    }
    // Tools that live in the caller's home go on being found there.
    if let Some(real) = caller.0.get("HOME") {
        for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            vars.entry(name.to_owned()).or_insert_with(|| path(&Path::new(real).join(below)));
        }
    }
    for (name, usual) in [
        ("LANG", "C.UTF-8"),
        ("PATH", super::programs::USUAL_PATH),
        ("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
        ("XDG_CONFIG_DIRS", "/etc/xdg"),
    ] {
        vars.entry(name.to_owned()).or_insert_with(|| usual.to_owned());
    }
    if Path::new(JAVA_WRAPPER).is_file() {
        let wrapper = format!(
            "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper -Xbootclasspath/a:{JAVA_WRAPPER}"
        );
        let options = vars.entry("JAVA_TOOL_OPTIONS".to_owned()).or_default();
        if !options.contains(JAVA_WRAPPER) {
            *options = format!("{options} {wrapper}").trim().to_owned();
        }
    }
    Environment(vars)
}

/// What a desktop takes over from its caller.
fn inherited(caller: &Environment) -> BTreeMap<String, String> {
    let elsewhere = caller.0.get("XDG_RUNTIME_DIR").filter(|dir| dir.len() > 1);
    // A socket of the caller's session by whatever name: key agents, sound servers, terminals.
    let points_elsewhere = |value: &str| elsewhere.is_some_and(|dir| value.contains(dir.as_str()));
    // `XDG_DOWNLOAD_DIR` and its like, which are below the caller's home.
    let folder = |name: &str| name.starts_with("XDG_") && name.ends_with("_DIR");
    caller
        .0
        .iter()
        .filter(|(name, value)| {
            let tie = DROPPED.contains(&name.as_str())
                || DROPPED_FAMILIES.iter().any(|family| name.starts_with(family))
                || folder(name);
            (!tie || KEPT.contains(&name.as_str())) && !points_elsewhere(value)
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_to_another_desktop_are_cut_and_the_rest_is_kept() {
        let caller = Environment(
            [
                ("PATH", "/opt/bin:/usr/bin"),
                ("LANG", "pl_PL.UTF-8"),
                ("TERM", "xterm"),
                ("HOME", "/home/ada"),
                ("CARGO_HOME", "/srv/cargo"),
                ("DISPLAY", ":0"),
                ("WAYLAND_DISPLAY", "wayland-0"),
                ("NO_AT_BRIDGE", "1"),
                ("GTK_MODULES", "x"),
                ("QT_QPA_PLATFORM", "wayland"),
                ("XDG_RUNTIME_DIR", "/run/user/1000"),
                ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
                ("XDG_DOWNLOAD_DIR", "/home/ada/Downloads"),
                ("SUREHAND_DESKTOP_KEY", "other"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        );
        let desk = Desk { id: "d3".into(), root: "/r/desktops/d3".into(), state: "/s/desktops/d3".into() };
        let mut record = Record::new("d3", None, "key".into(), (800, 600)).unwrap();
        record.display = Some(":7".into());
        let Environment(vars) = build(&caller, &desk, &record);
        let get = |name: &str| vars.get(name).map(String::as_str);
        assert_eq!(get("PATH"), Some("/opt/bin:/usr/bin"));
        assert_eq!(get("LANG"), Some("pl_PL.UTF-8"));
        assert_eq!(get("TERM"), Some("xterm"));
        assert_eq!(get("CARGO_HOME"), Some("/srv/cargo"));
        assert_eq!(get("RUSTUP_HOME"), Some("/home/ada/.rustup"));
        assert_eq!(get("DISPLAY"), Some(":7"));
        assert_eq!(get("XAUTHORITY"), Some("/r/desktops/d3/run/xauthority"));
        assert_eq!(get("HOME"), Some("/s/desktops/d3/home"));
        assert_eq!(get("XDG_RUNTIME_DIR"), Some("/r/desktops/d3/run"));
        assert_eq!(get("DBUS_SESSION_BUS_ADDRESS"), Some("unix:path=/r/desktops/d3/run/bus"));
        assert_eq!((get(DESKTOP), get(DESKTOP_KEY)), (Some("d3"), Some("key")));
        for gone in
            ["WAYLAND_DISPLAY", "NO_AT_BRIDGE", "GTK_MODULES", "QT_QPA_PLATFORM", "SSH_AUTH_SOCK", "XDG_DOWNLOAD_DIR"]
        {
            assert_eq!(get(gone), None, "{gone}");
        }
    }
}
