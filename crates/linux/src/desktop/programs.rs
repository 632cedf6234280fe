//! The programs a private desktop is made of, and where they are.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use surehand_core::desktop::Environment;
use surehand_core::error::{Code, Error, Result};

use crate::doctor::packages::{self, Package};

/// Where programs are looked for when the caller's environment does not say.
pub(super) const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Directories outside `PATH` in which distributions put the launcher of the accessibility bus.
const LIBEXEC: &[&str] =
    &["/usr/libexec", "/usr/lib/at-spi2-core", "/usr/lib", "/usr/libexec/at-spi2-core", "/usr/local/libexec"];

/// The programs, all found.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) display: PathBuf,
    pub(super) bus: PathBuf,
    pub(super) launcher: PathBuf,
    pub(super) manager: PathBuf,
}

impl Programs {
    /// Finds all of them.
    ///
    /// # Errors
    /// `PLATFORM_NOT_SUPPORTED` that names every missing one and its packages.
    pub(super) fn find(caller: &Environment) -> Result<Programs> {
        let mut missing = Vec::new();
        let mut need = |package: &'static Package| {
            find(caller, package.program).unwrap_or_else(|| {
                missing.push(package);
                PathBuf::new()
            })
        };
        let programs = Programs {
            display: need(&packages::XVFB),
            bus: need(&packages::DBUS_DAEMON),
            launcher: need(&packages::AT_SPI_BUS_LAUNCHER),
            manager: need(&packages::OPENBOX),
        };
        if missing.is_empty() {
            return Ok(programs);
        }
        let names: Vec<&str> = missing.iter().map(|package| package.program).collect();
        let mends: Vec<String> = packages::mends(&missing).into_iter().map(|mend| mend.command).collect();
        Err(Error::new(Code::PlatformNotSupported, format!("not installed: {}", names.join(", ")))
            .kind("not_installed")
            .suggest(format!("install them: {}", mends.join(", or ")))
            .detail("missing", names)
            .detail("commands", mends))
    }
}

/// Where a program is, by the caller's `PATH` and then the directories for helpers.
pub(crate) fn find(caller: &Environment, program: &str) -> Option<PathBuf> {
    let path = caller.0.get("PATH").map_or(USUAL_PATH, String::as_str);
    let helpers = if program == packages::AT_SPI_BUS_LAUNCHER.program { LIBEXEC } else { &[] };
    path.split(':')
        .chain(helpers.iter().copied())
        // An empty or relative entry would mean wherever we happen to be.
        .filter(|dir| dir.starts_with('/'))
        .map(|dir| Path::new(dir).join(program))
        .find(|file| file.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0))
}
