//! Which packages bring what a desktop needs.

use rustix::process::geteuid;
use surehand_core::diagnosis::Mend;

/// A program and the packages that bring it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// The id of the check in `doctor`.
    pub component: &'static str,
    /// The program.
    pub program: &'static str,
    /// Its package in Debian and Ubuntu.
    pub apt: &'static str,
    /// Its package in Fedora.
    pub dnf: &'static str,
    /// Its package in Arch Linux.
    pub pacman: &'static str,
}

/// The display of a private desktop.
pub const XVFB: Package = Package {
    component: "xvfb",
    program: "Xvfb",
    apt: "xvfb",
    dnf: "xorg-x11-server-Xvfb",
    pacman: "xorg-server-xvfb",
};

/// The session bus of a private desktop. In Debian `dbus` brings the daemon in every release; the package
/// `dbus-daemon` is there only since the twelfth.
pub const DBUS_DAEMON: Package =
    Package { component: "dbus-daemon", program: "dbus-daemon", apt: "dbus", dnf: "dbus-daemon", pacman: "dbus" };

/// The accessibility bus and its registry.
pub const AT_SPI_BUS_LAUNCHER: Package = Package {
    component: "at-spi-bus-launcher",
    program: "at-spi-bus-launcher",
    apt: "at-spi2-core",
    dnf: "at-spi2-core",
    pacman: "at-spi2-core",
};

/// The window manager of a private desktop.
pub const OPENBOX: Package =
    Package { component: "openbox", program: "openbox", apt: "openbox", dnf: "openbox", pacman: "openbox" };

/// All of them.
pub const PACKAGES: &[Package] = &[XVFB, DBUS_DAEMON, AT_SPI_BUS_LAUNCHER, OPENBOX];

/// The commands that install some of them, one for each package manager; none when there is nothing to
/// install. They are for the user we are: only another than root needs `sudo`.
pub fn mends(missing: &[&Package]) -> Vec<Mend> {
    if missing.is_empty() {
        return Vec::new();
    }
    let sudo = if geteuid().is_root() { "" } else { "sudo " };
    let join =
        |name: fn(&Package) -> &'static str| missing.iter().map(|package| name(package)).collect::<Vec<_>>().join(" ");
    vec![
        Mend { with: "apt", command: format!("{sudo}apt-get install -y {}", join(|package| package.apt)) },
        Mend { with: "dnf", command: format!("{sudo}dnf install -y {}", join(|package| package.dnf)) },
        Mend { with: "pacman", command: format!("{sudo}pacman -S --needed {}", join(|package| package.pacman)) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_installs_all_that_is_missing() {
        assert!(mends(&[]).is_empty());
        let commands = mends(&[&XVFB, &DBUS_DAEMON]);
        let all: Vec<&str> = commands.iter().map(|mend| mend.with).collect();
        assert_eq!(all, ["apt", "dnf", "pacman"]);
        assert!(commands[0].command.ends_with("apt-get install -y xvfb dbus"), "{}", commands[0].command);
        assert!(commands[1].command.ends_with("xorg-x11-server-Xvfb dbus-daemon"), "{}", commands[1].command);
    }
}
