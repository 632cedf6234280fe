//! Printing what became of a command: data on standard output, everything else on standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use surehand_commands::command::Piped;
use surehand_commands::dispatch::Outcome;
use surehand_commands::envelope;
use surehand_core::Error;

use crate::arguments::Format;

/// The format to answer in: the one asked for, else short lines on a terminal and for commands whose text is
/// what they are for, else the envelope.
pub(crate) fn format(asked: Option<Format>, piped: Piped) -> Format {
    asked.unwrap_or_else(|| {
        if piped == Piped::Text || io::stdout().is_terminal() { Format::Outline } else { Format::Json }
    })
}

/// Prints an answer or an error and gives the exit status.
pub(crate) fn outcome(outcome: &Outcome, format: Format, signal: Option<u8>) -> ExitCode {
    let status = signal.unwrap_or_else(|| outcome.exit_status());
    let (data, command) = (&outcome.result, outcome.spec.name);
    let written = match (data, format) {
        (Ok(answer), Format::Json) => match envelope::success(command, answer.as_ref()) {
            Ok(line) => stdout(&line),
            Err(error) => return failed(command, &error, format),
        },
        (Ok(answer), Format::Outline) => match answer.outline() {
            text if text.is_empty() => Ok(()),
            text => stdout(&text),
        },
        (Err(error), Format::Json) => stdout(&envelope::failure(command, error)),
        (Err(error), Format::Outline) => stderr(error),
    };
    finish(written, status)
}

fn failed(command: &str, error: &Error, format: Format) -> ExitCode {
    let written = match format {
        Format::Json => stdout(&envelope::failure(command, error)),
        Format::Outline => stderr(error),
    };
    finish(written, error.code().exit_status())
}

/// Prints what is wrong with the arguments.
pub(crate) fn refused(command: &str, error: &Error, usage: &str, format: Option<Format>) -> ExitCode {
    let status = error.code().exit_status();
    let _ = io::stderr().write_all(visible(usage).as_bytes());
    if format == Some(Format::Outline) || format.is_none() && io::stdout().is_terminal() {
        return ExitCode::from(status);
    }
    finish(stdout(&envelope::failure(command, error)), status)
}

/// The text with everything escaped that steers a terminal or cannot be seen: it repeats arguments.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && c != '\t' && (c.is_control() || surehand_core::text::is_invisible(c)) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Prints help and the like.
pub(crate) fn text(text: &str) -> ExitCode {
    finish(io::stdout().write_all(text.as_bytes()), 0)
}

fn stdout(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// An error in words. Its message quotes whatever an application controls.
fn stderr(error: &Error) -> io::Result<()> {
    let mut out = io::stderr().lock();
    writeln!(out, "error: {error}")?;
    if let Some(detail) = error.platform_detail() {
        writeln!(out, "  the system says: {}", surehand_core::text::quote(detail))?;
    }
    if let Some(suggestion) = error.suggestion() {
        writeln!(out, "hint: {suggestion}")?;
    }
    Ok(())
}

/// A reader that has gone, as in `surehand snapshot | head`, is no failure of ours; what the command met still is.
fn finish(written: io::Result<()>, status: u8) -> ExitCode {
    match written {
        Ok(()) => ExitCode::from(status),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(status),
        Err(_) => ExitCode::FAILURE,
    }
}
