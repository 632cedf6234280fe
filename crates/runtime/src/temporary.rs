//! Private files that an answer names and that nobody keeps: they are removed when they are an hour old and another one
//! is written.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use surehand_core::{Code, Error, Result};

use crate::private::{PrivateDir, create_beneath};

/// The directory for them in the state directory.
const FOLDER: &str = "tmp";

/// How long one is kept.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// So many names are tried.
const TRIES: u32 = 1_000;

/// Writes one whose name begins and ends so.
///
/// # Errors
/// `INTERNAL` when it cannot be written.
pub(crate) fn write(state: &Path, beginning: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf> {
    use std::io::Write as _;
    let folder = state.join(FOLDER);
    let directory = PrivateDir::make(&folder)?;
    sweep(&folder, &directory)?;
    let failed = |why: String| {
        Error::new(Code::Internal, format!("nothing can be written into {}", directory.quoted()))
            .kind("state_not_writable")
            .platform(why)
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    for number in 0..TRIES {
        match create_beneath(&folder, &format!("{beginning}-{now}-{number}.{ending}")) {
            Ok((mut file, path)) => {
                return file.write_all(bytes).map(|()| path.clone()).map_err(|error| {
                    let _ = std::fs::remove_file(&path);
                    failed(error.kind().to_string())
                });
            }
            Err(error) if error.code() == Code::Conflict => {}
            Err(error) => return Err(failed(error.platform_detail().unwrap_or_default().to_owned())),
        }
    }
    Err(failed("no name is free".to_owned()))
}

fn sweep(folder: &Path, directory: &PrivateDir) -> Result<()> {
    for name in directory.names()? {
        let age = std::fs::symlink_metadata(folder.join(&name)).and_then(|about| about.modified()).ok();
        if age.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > KEPT) {
            directory.remove(&name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ones_go_when_a_new_one_comes() {
        let base = tempfile::tempdir().expect("a directory");
        let state = base.path().join("state");
        let one = write(&state, "x", "png", b"1").expect("written");
        let two = write(&state, "x", "png", b"2").expect("written");
        assert_ne!(one, two);
        let old = SystemTime::now() - KEPT - Duration::from_secs(5);
        std::fs::File::options().write(true).open(&one).and_then(|file| file.set_modified(old)).expect("aged");
        let three = write(&state, "x", "png", b"3").expect("written");
        // Within the same millisecond the new one gets the name that is free again.
        assert_ne!(std::fs::read(one).ok(), Some(b"1".to_vec()));
        assert_eq!(std::fs::read(two).expect("kept"), b"2");
        assert_eq!(std::fs::read(three).expect("there"), b"3");
    }
}
