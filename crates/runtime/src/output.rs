//! Running a program in the foreground, for `desktop run`.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use surehand_core::desktop::Environment;
use surehand_core::text::quote;
use surehand_core::{Code, Error, Result};

/// Runs it with our standard streams and this environment alone.
///
/// # Errors
/// `INVALID_ARGS` when it cannot be started.
pub(crate) fn run_foreground(command: &[String], environment: &Environment) -> Result<u8> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| Error::new(Code::InvalidArgs, "no program was given"))?;
    // The standard library looks programs up in our own PATH, and the desktop's is the caller's as well.
    let status = Command::new(program).args(arguments).env_clear().envs(&environment.0).status().map_err(|error| {
        Error::new(Code::InvalidArgs, format!("{} cannot be started", quote(program))).platform(error.to_string())
    })?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}
