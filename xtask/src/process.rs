//! Running other programs, and saying what happens.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Prints a line of progress on standard error.
#[expect(clippy::print_stderr, reason = "the one place that does")]
pub(crate) fn say(line: fmt::Arguments<'_>) {
    eprintln!("{line}");
}

/// Prints a line of data on standard output.
#[expect(clippy::print_stdout, reason = "the one place that does")]
pub(crate) fn print(line: fmt::Arguments<'_>) {
    println!("{line}");
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// An environment variable that is set to something.
#[expect(clippy::disallowed_methods, reason = "xtask is a binary")]
pub(crate) fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The directory for temporary files.
#[expect(clippy::disallowed_methods, reason = "xtask is a binary")]
pub(crate) fn temporary() -> PathBuf {
    std::env::temp_dir()
}

/// The directory it was started in.
///
/// # Errors
/// When that directory is gone.
#[expect(clippy::disallowed_methods, reason = "xtask is a binary")]
pub(crate) fn started_in() -> Result<PathBuf> {
    std::env::current_dir().context("the current directory cannot be read")
}

/// The cargo that runs us, in the repository's root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(variable("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// What cargo built for the tests that are running: `name` below the folder that they are in.
#[cfg(test)]
pub(crate) fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let file = own.ancestors().nth(2).unwrap().join(name);
    assert!(file.is_file(), "{} is not built; `cargo xtask test` builds it", file.display());
    file
}

/// Whether a program of this name is on `PATH`.
pub(crate) fn on_path(program: &str) -> bool {
    variable("PATH").is_some_and(|path| std::env::split_paths(&path).any(|directory| directory.join(program).is_file()))
}

/// A command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .map(|word| if word.contains([' ', '\'', '"', '\n']) { format!("{word:?}") } else { word.into_owned() })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Announces a command and runs it with all of its output on standard error.
///
/// # Errors
/// When it cannot be started, or ends with a status other than 0.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    say(format_args!("+ {}", shown(command)));
    let status =
        command.stdout(std::io::stderr()).status().with_context(|| format!("cannot run `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command quietly and returns what it prints; `None` when it cannot be started or fails.
pub(crate) fn asked(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command and returns what it prints; what it complains of is shown.
///
/// # Errors
/// When it cannot be started, ends with a status other than 0, or prints no text.
pub(crate) fn printed(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot run `{}`", shown(command)))?;
    if !output.status.success() {
        bail!("`{}` failed ({})", shown(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no text", shown(command)))
}

/// Asks again and again until there is an answer or the time is used up. Only for what sends no event: a file
/// on the disk, or a list that another process has to be asked for.
///
/// # Errors
/// The first error of `probe`.
pub(crate) fn wait_until<T>(limit: Duration, mut probe: impl FnMut() -> Result<Option<T>>) -> Result<Option<T>> {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = probe()? {
            return Ok(Some(found));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        pause(Duration::from_millis(50));
    }
}

#[expect(clippy::disallowed_methods, reason = "the pause of `wait_until`")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_one_would_type_them() {
        let mut command = Command::new("/usr/bin/apt-get");
        command.args(["install", "a b"]);
        assert_eq!(shown(&command), "apt-get install \"a b\"");
    }

    #[test]
    fn waiting_ends_with_the_answer_or_with_the_time() {
        let mut left = 2;
        let found = wait_until(Duration::from_secs(5), || {
            left -= 1;
            Ok((left == 0).then_some("there"))
        });
        assert_eq!(found.unwrap(), Some("there"));
        assert_eq!(wait_until(Duration::ZERO, || Ok(None::<()>)).unwrap(), None);
        assert!(wait_until(Duration::ZERO, || -> Result<Option<()>> { bail!("no") }).is_err());
    }

    #[test]
    fn what_a_command_prints_is_text() {
        assert_eq!(printed(Command::new("echo").arg("a")).unwrap(), "a\n");
        assert!(printed(&mut Command::new("false")).is_err());
        assert_eq!(asked(&mut Command::new("surehand-no-such-program")), None);
    }

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(&mut Command::new("false")).unwrap_err();
        assert!(error.to_string().contains("`false` failed"), "{error}");
        assert!(on_path("sh"));
        assert!(!on_path("surehand-no-such-program"));
    }
}
