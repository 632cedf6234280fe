//! Places that files of a plan never reach, because what is there starts programs, gives rights, or is ours.
//!
//! A place is known by its path and by its inode, so that another way to it (a mount of it elsewhere) leads to the
//! same refusal.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use surehand_core::text::fold;

use crate::path::OURS;
use crate::refusal::{Refusal, Rule};
use crate::sys::{System, lookup};

/// Below the home directory.
const IN_HOME: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".gnupg",
    ".inputrc",
    ".kshrc",
    ".login",
    ".logout",
    ".mkshrc",
    ".pam_environment",
    ".profile",
    ".ssh",
    ".tcshrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    ".local/bin",
    "bin",
    ".gitconfig",
    ".netrc",
    ".kde/Autostart",
    ".kde4/Autostart",
];

/// Below the directory for configuration.
const IN_CONFIG: &[&str] = &[
    "autostart",
    "autostart-scripts",
    "environment.d",
    "fish",
    "git",
    "plasma-workspace",
    "surehand",
    "systemd",
    "user-tmpfiles.d",
    "openbox",
    "i3",
    "sway",
    "hypr",
    "labwc",
    "zsh",
    "nushell",
];

/// Below the directory for data.
const IN_DATA: &[&str] = &["applications", "dbus-1", "flatpak", "kio", "nautilus/scripts", "surehand", "systemd"];

/// Folders of the system, in which there are no roots.
const OF_SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/run",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
    "/var/lib",
    "/var/spool",
];

/// The directories of the person, as the front end knows them.
#[derive(Debug, Clone, Default)]
pub struct Person {
    /// Home.
    pub home: Option<PathBuf>,
    /// For configuration; `~/.config` where the environment names none.
    pub config: Option<PathBuf>,
    /// For data; `~/.local/share` where the environment names none.
    pub data: Option<PathBuf>,
    /// Directories of ours: state, runtime, configuration.
    pub ours: Vec<PathBuf>,
}

/// The places, by path and by inode.
#[derive(Debug, Clone, Default)]
pub struct Authority {
    places: Vec<PathBuf>,
    inodes: HashSet<(u64, u64)>,
    /// Home, our directories and everything above them: no roots.
    above: HashSet<(u64, u64)>,
    never_roots: Vec<PathBuf>,
}

impl Authority {
    /// The places of a person. Those that are not there yet are known by their paths alone.
    pub fn of(sys: &dyn System, person: &Person) -> Authority {
        let mut authority = Authority::default();
        let mut add = |base: &Path, names: &[&str]| authority.places.extend(names.iter().map(|name| base.join(name)));
        if let Some(home) = &person.home {
            add(home, IN_HOME);
            // The usual places count also where the environment names others.
            add(&home.join(".config"), IN_CONFIG);
            add(&home.join(".local/share"), IN_DATA);
        }
        if let Some(config) = &person.config {
            add(config, IN_CONFIG);
        }
        if let Some(data) = &person.data {
            add(data, IN_DATA);
        }
        authority.places.extend(person.ours.iter().cloned());
        // A path that leads over a link is known under its real name too.
        for place in authority.places.clone() {
            if let (Some(parent), Some(name)) = (place.parent(), place.file_name()) {
                let Ok(dir) = sys.open_root(parent) else { continue };
                if let Ok(Some(stat)) = lookup(sys, &dir, name.as_encoded_bytes()) {
                    authority.inodes.insert((stat.dev, stat.ino));
                }
                if let Ok(real) = sys.real_path(&dir) {
                    authority.places.push(path_of(&real).join(name));
                }
            }
            if let Ok(stat) = sys.open_root(&place).and_then(|dir| sys.stat_open(&dir)) {
                authority.inodes.insert((stat.dev, stat.ino));
            }
        }
        let own = person.ours.iter().chain(&person.home).chain(&person.config).chain(&person.data);
        for path in own {
            for ancestor in path.ancestors() {
                authority.never_roots.push(ancestor.to_path_buf());
                if let Ok(stat) = sys.open_root(ancestor).and_then(|dir| sys.stat_open(&dir)) {
                    authority.above.insert((stat.dev, stat.ino));
                }
            }
        }
        authority
    }

    /// Judges the real path and the inode of what is to be a root.
    ///
    /// # Errors
    /// [`Rule::BadRoot`].
    pub fn check_root(&self, real: &Path, inode: (u64, u64)) -> Result<(), Refusal> {
        let bad = |why: &str| Err(Refusal::new(Rule::BadRoot, why).at(real.as_os_str().as_encoded_bytes()));
        if real.parent().is_none() {
            return bad("the whole file system is no root");
        }
        if self.above.contains(&inode) || self.never_roots.iter().any(|path| path == real) {
            return bad("a home directory, our own directories and what is above them are no roots");
        }
        if real.components().any(|part| is_ours(part.as_os_str().as_encoded_bytes())) {
            return bad("the folder is ours");
        }
        if OF_SYSTEM.iter().any(|system| real.starts_with(system)) {
            return bad("it is a folder of the system");
        }
        if self.inodes.contains(&inode) || self.places.iter().any(|place| within(real, place)) {
            return bad("what is there starts programs or gives rights");
        }
        Ok(())
    }

    /// Judges an absolute path that an action names, without looking at files.
    ///
    /// # Errors
    /// [`Rule::AuthorityPath`].
    pub fn check_path(&self, path: &Path) -> Result<(), Refusal> {
        // Also what is above such a place: moving a folder moves what is in it.
        match self.places.iter().find(|place| within(path, place) || within(place, path)) {
            Some(_) => {
                Err(Refusal::new(Rule::AuthorityPath, "what is there starts programs, gives rights, or is ours"))
            }
            None => Ok(()),
        }
    }

    /// Whether an inode is such a place.
    pub fn holds(&self, inode: (u64, u64)) -> bool {
        self.inodes.contains(&inode)
    }
}

/// Whether a name is one of ours, also on a volume that does not tell cases apart.
pub fn is_ours(name: &[u8]) -> bool {
    fold(&String::from_utf8_lossy(name)).starts_with(OURS)
}

/// Whether one path is another or beneath it, as a volume sees it that does not tell cases apart.
fn within(path: &Path, place: &Path) -> bool {
    let folded = |path: &Path| -> Vec<String> {
        path.components()
            .filter(|part| !matches!(part, Component::RootDir))
            .map(|part| fold(&part.as_os_str().to_string_lossy()))
            .collect()
    };
    path.starts_with(place) || folded(path).starts_with(&folded(place))
}

/// Bytes as a path.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}
