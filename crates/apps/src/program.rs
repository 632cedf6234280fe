//! Finding the file that a word of a desktop entry names as its program.

use std::fmt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};
use surehand_core::desktop::Environment;

/// Where programs are looked for when the environment does not say.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Why there is no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It has a slash and does not start with one: what it names depends on where one stands.
    Relative,
    /// There is no executable regular file there.
    NotFound,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Relative => "it is given by a relative path",
            Missing::NotFound => "there is no such program",
        })
    }
}

/// The absolute path of a program, found on the `PATH` of the environment that it will be started with.
pub(crate) fn locate(word: &str, environment: &Environment) -> Result<PathBuf, Missing> {
    if word.starts_with('/') {
        let path = PathBuf::from(word);
        return if is_executable(&path) { Ok(path) } else { Err(Missing::NotFound) };
    }
    if word.contains('/') {
        return Err(Missing::Relative);
    }
    if word.is_empty() {
        return Err(Missing::NotFound);
    }
    environment
        .0
        .get("PATH")
        .map_or(DEFAULT_PATH, String::as_str)
        .split(':')
        // Relative and empty elements mean the current directory, which is nobody's promise.
        .filter(|directory| directory.starts_with('/'))
        .map(|directory| Path::new(directory).join(word))
        .find(|path| is_executable(path))
        .ok_or(Missing::NotFound)
}

/// Whether it is a regular file, through links, that this user may execute.
fn is_executable(path: &Path) -> bool {
    path.is_file() && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_executable_regular_files_on_absolute_elements() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for (name, mode) in [("plain", 0o644), ("tool", 0o755), ("late/tool", 0o755)] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("tool"), at("link")).unwrap();
        let root = dir.path().display();
        let path = format!("::.:crates/apps:{root}:{root}/late");
        let environment = Environment([("PATH".to_owned(), path)].into());

        assert_eq!(locate("tool", &environment), Ok(at("tool")));
        assert_eq!(locate("link", &environment), Ok(at("link")));
        assert_eq!(locate(at("tool").to_str().unwrap(), &environment), Ok(at("tool")));
        for word in ["plain", "folder", "absent", "", "Cargo.toml", at("plain").to_str().unwrap()] {
            assert_eq!(locate(word, &environment), Err(Missing::NotFound), "{word}");
        }
        assert_eq!(locate("late/tool", &environment), Err(Missing::Relative));
        assert_eq!(locate("../tool", &environment), Err(Missing::Relative));
    }
}
