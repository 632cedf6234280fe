//! The system's packages: which there are, which are missing, and installing them.

use std::collections::BTreeSet;
use std::fmt;
use std::io::IsTerminal;
use std::process::Command;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::process::{asked, on_path, print, root, run, say};

/// `cargo xtask packages`
#[derive(Debug, clap::Args)]
pub(crate) struct Packages {
    /// Groups of packages.toml; all of them when none is named.
    groups: Vec<String>,
}

impl Packages {
    /// Prints the line for apt.
    ///
    /// # Errors
    /// When there is no such group, or packages.toml is damaged.
    pub(crate) fn run(self) -> Result<()> {
        let list = List::read()?;
        let groups = if self.groups.is_empty() { list.names() } else { self.groups };
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        print(format_args!("{}", install_line(&list.packages(&groups, "apt")?)));
        Ok(())
    }
}

/// Packages are missing and only root can install them.
#[derive(Debug)]
pub(crate) struct NeedsRoot {
    missing: Vec<String>,
}

impl fmt::Display for NeedsRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} system packages are missing, and there is neither root nor sudo to install them; have somebody run the line above as root",
            self.missing.len()
        )
    }
}

impl std::error::Error for NeedsRoot {}

/// packages.toml.
#[derive(Debug)]
pub(crate) struct List(Table);

impl List {
    /// Reads it from the repository's root.
    ///
    /// # Errors
    /// When it cannot be read or is not TOML.
    pub(crate) fn read() -> Result<Self> {
        let path = root().join("packages.toml");
        List::parse(&std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?)
    }

    /// Reads it from text.
    ///
    /// # Errors
    /// When it is not TOML.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Ok(List(text.parse().context("packages.toml is not valid")?))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// What the groups list under `key`, in their order and each once.
    ///
    /// # Errors
    /// When a group does not exist or has no such list.
    pub(crate) fn packages(&self, groups: &[&str], key: &str) -> Result<Vec<String>> {
        let mut seen = BTreeSet::new();
        let mut packages = Vec::new();
        for group in groups {
            let Some(table) = self.0.get(*group) else {
                bail!("there is no group `{group}` in packages.toml; there are: {}", self.names().join(", "));
            };
            let list = table.get(key).and_then(Value::as_array);
            for package in list.with_context(|| format!("group `{group}` of packages.toml has no `{key}`"))? {
                let package = package.as_str().with_context(|| format!("`{group}.{key}` is not a list of names"))?;
                if seen.insert(package.to_owned()) {
                    packages.push(package.to_owned());
                }
            }
        }
        Ok(packages)
    }

    /// Every package that any group names for apt.
    pub(crate) fn all_apt(&self) -> Result<BTreeSet<String>> {
        let names = self.names();
        let groups: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(self.packages(&groups, "apt")?.into_iter().collect())
    }
}

/// The line that installs these packages, for root.
fn install_line(packages: &[String]) -> String {
    format!("apt-get update && apt-get install -y --no-install-recommends {}", packages.join(" "))
}

/// Sees to it that the packages of these groups are installed.
///
/// # Errors
/// [`NeedsRoot`] when that takes rights we do not have; otherwise when installing fails, or when a system
/// without apt lacks a program.
pub(crate) fn ensure(groups: &[&str]) -> Result<()> {
    let list = List::read()?;
    if !(on_path("apt-get") && on_path("dpkg-query")) {
        return without_apt(&list, groups);
    }
    let wanted = list.packages(groups, "apt")?;
    let missing = missing(&wanted, &installed(&wanted));
    if missing.is_empty() {
        say(format_args!("system packages ({}): all {} are installed", groups.join(", "), wanted.len()));
        return Ok(());
    }
    say(format_args!("system packages ({}): missing {}", groups.join(", "), missing.join(" ")));
    let Some(rights) = Rights::ours() else {
        print(format_args!("{}", install_line(&missing)));
        return Err(NeedsRoot { missing }.into());
    };
    // Lists that are merely old are good enough, so a failed update is not the end; installing says what is wrong.
    if let Err(error) = run(&mut rights.apt_get(&["update"])) {
        say(format_args!("warning: {error:#}; going on with the package lists that are there"));
    }
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(missing.iter().map(String::as_str));
    run(&mut rights.apt_get(&arguments))
}

/// How we come to be root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rights {
    Root,
    /// sudo asks for nothing.
    SudoAtOnce,
    /// sudo may ask for a password, and there is a terminal to ask at.
    SudoAtTerminal,
}

impl Rights {
    fn ours() -> Option<Rights> {
        let root = asked(Command::new("id").arg("-u")).is_some_and(|uid| uid.trim() == "0");
        let sudo = !root && on_path("sudo");
        let at_once = sudo && asked(Command::new("sudo").args(["-n", "true"])).is_some();
        Rights::of(root, sudo, at_once, std::io::stdin().is_terminal())
    }

    fn of(root: bool, sudo: bool, at_once: bool, terminal: bool) -> Option<Rights> {
        match () {
            () if root => Some(Rights::Root),
            () if at_once => Some(Rights::SudoAtOnce),
            () if sudo && terminal => Some(Rights::SudoAtTerminal),
            () => None,
        }
    }

    fn apt_get(self, arguments: &[&str]) -> Command {
        // Through `env`, because sudo drops variables. Another apt may be at work: wait for it.
        let program = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"];
        let sudo: &[&str] = match self {
            Rights::Root => &[],
            Rights::SudoAtOnce => &["sudo", "-n"],
            Rights::SudoAtTerminal => &["sudo"],
        };
        let mut words = sudo.iter().chain(&program).chain(arguments);
        let mut command = Command::new(words.next().unwrap_or(&"env"));
        command.args(words);
        command
    }
}

/// What dpkg says about these packages. It fails when one is unknown and still lists the others.
fn installed(packages: &[String]) -> String {
    let mut command = Command::new("dpkg-query");
    command.args(["-W", "-f", "${Package} ${db:Status-Status}\n"]).args(packages);
    command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

fn missing(wanted: &[String], listed: &str) -> Vec<String> {
    let there: BTreeSet<&str> = listed.lines().filter_map(|line| line.strip_suffix(" installed")).collect();
    wanted.iter().filter(|package| !there.contains(package.as_str())).cloned().collect()
}

/// Other systems: nothing is installed; what is there is enough, or is named.
fn without_apt(list: &List, groups: &[&str]) -> Result<()> {
    let programs = list.packages(groups, "programs")?;
    let absent: Vec<&str> = programs.iter().map(String::as_str).filter(|program| !on_path(program)).collect();
    for manager in ["dnf", "pacman"].into_iter().filter(|manager| on_path(manager)) {
        let install = if manager == "dnf" { "dnf install" } else { "pacman -S --needed" };
        let packages = list.packages(groups, manager)?.join(" ");
        say(format_args!("there is no apt here, so nothing is installed for you; needed are: {install} {packages}"));
    }
    if !absent.is_empty() {
        bail!("these programs are not on PATH: {} (packages.toml names the packages)", absent.join(", "));
    }
    say(format_args!("the programs {} are there: going on", programs.join(", ")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "[one]\napt = [\"a\", \"b\"]\n[two]\napt = [\"b\", \"c\"]\n";

    #[test]
    fn groups_are_joined_without_repeating_a_package() {
        let list = List::parse(SAMPLE).unwrap();
        let packages = list.packages(&["one", "two"], "apt").unwrap();
        assert_eq!(packages, ["a", "b", "c"]);
        assert_eq!(install_line(&packages), "apt-get update && apt-get install -y --no-install-recommends a b c");
    }

    #[test]
    fn an_unknown_group_or_list_is_named() {
        let list = List::parse(SAMPLE).unwrap();
        assert!(list.packages(&["three"], "apt").unwrap_err().to_string().contains("one, two"));
        assert!(list.packages(&["one"], "dnf").unwrap_err().to_string().contains("`dnf`"));
        assert!(List::parse("[one").is_err());
    }

    #[test]
    fn only_what_is_really_installed_counts() {
        let wanted = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(missing(&wanted, "a installed\nb config-files\n"), ["b", "c"]);
        assert!(missing(&wanted, "a installed\nb installed\nc installed\n").is_empty());
    }

    #[test]
    fn sudo_is_used_only_where_it_can_answer() {
        assert_eq!(Rights::of(true, false, false, false), Some(Rights::Root));
        assert_eq!(Rights::of(false, true, true, false), Some(Rights::SudoAtOnce));
        assert_eq!(Rights::of(false, true, false, true), Some(Rights::SudoAtTerminal));
        assert_eq!(Rights::of(false, true, false, false), None);
        assert_eq!(Rights::of(false, false, false, true), None);
        let command = crate::process::shown(&Rights::SudoAtOnce.apt_get(&["update"]));
        assert!(command.starts_with("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"), "{command}");
        assert!(crate::process::shown(&Rights::Root.apt_get(&["update"])).starts_with("env "));
    }

    #[test]
    fn the_list_of_this_repository_is_complete() {
        let list = List::read().unwrap();
        for key in ["apt", "dnf", "pacman", "programs"] {
            assert!(!list.packages(&["desktop", "demo", "test"], key).unwrap().is_empty(), "{key}");
        }
        assert!(list.all_apt().unwrap().contains("xvfb"));
    }
}
