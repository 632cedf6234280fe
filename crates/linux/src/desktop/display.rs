//! The display: a virtual frame buffer that only holders of its cookie can connect to.

use std::fs::{self, DirBuilder, Permissions};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::io::{Errno, read};
use surehand_core::desktop::Environment;
use surehand_core::error::{Code, Error, Result};

use super::component::{Plan, Started, change, start};
use super::places::Desk;
use super::programs::Programs;
use super::wait::{Attempt, internal};
use super::{random, record};
use crate::x11::{Display, file_for_any};

/// Where X servers have their sockets; clients look nowhere else.
const SOCKETS: &str = "/tmp/.X11-unix";

/// Starts the display and returns its name, for example `:1`, when it has answered.
pub(super) fn bring_up(
    attempt: &Attempt<'_>,
    desk: &Desk,
    programs: &Programs,
    environment: &Environment,
    size: (u16, u16),
) -> Result<String> {
    let authority = desk.authority();
    random::bytes()
        .and_then(|cookie| record::write_private(&authority, &file_for_any(cookie)))
        .map_err(|fault| internal("the cookie of the display cannot be kept", &fault))?;
    make_socket_directory();
    let started = start(
        attempt,
        desk,
        environment,
        &Plan {
            role: "display",
            program: &programs.display,
            arguments: [
                "-screen",
                "0",
                &format!("{}x{}x24", size.0, size.1),
                "-dpi",
                "96",
                "-nolisten",
                "tcp",
                // Otherwise it would start over, and forget what was set, whenever its last client leaves.
                "-noreset",
                "-auth",
                &authority.to_string_lossy(),
            ]
            .map(str::to_owned)
            .to_vec(),
            // The server chooses a free number itself, without a race, and tells it once it takes connections.
            tell: Some("-displayfd"),
        },
    )?;
    let number = told_number(attempt, &started).map_err(|error| started.explain(error))?;
    let name = format!(":{number}");
    answers(attempt, &name, &authority, size).map_err(|error| started.explain(error))?;
    change(attempt, desk, |record| {
        record.display = Some(name.clone());
        Ok(())
    })?;
    Ok(name)
}

fn told_number(attempt: &Attempt<'_>, started: &Started) -> Result<u32> {
    let line = told_line(attempt, started)?;
    line.trim().parse().map_err(|_| Error::new(Code::ActionFailed, "the display did not tell its number"))
}

/// The line in which a component tells that it is ready.
pub(super) fn told_line(attempt: &Attempt<'_>, started: &Started) -> Result<String> {
    let Some(pipe) = &started.told else { return Err(internal("nothing to read from", &started.role)) };
    let mut said = Vec::new();
    while !said.contains(&b'\n') {
        let ready = attempt.readable(&[pipe.as_fd(), started.pidfd.as_fd()])?;
        // What it has said counts even when it has ended since, so the pipe comes first.
        if !ready[0] {
            return Err(started.ended());
        }
        let mut buffer = [0; 256];
        match read(pipe, &mut buffer) {
            // It has closed the pipe without a word. Mostly that is its end, which shows a moment later.
            Ok(0) => {
                attempt.readable(&[started.pidfd.as_fd()])?;
                return Err(started.ended());
            }
            Ok(count) => said.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(fault) => return Err(internal("a pipe cannot be read", &fault)),
        }
    }
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// Proves that the display is there and as large as was asked for.
fn answers(attempt: &Attempt<'_>, name: &str, authority: &Path, size: (u16, u16)) -> Result<()> {
    let display = Display::connect(attempt.call(), name, Some(authority))?;
    let (width, height) = display.size();
    if (width, height) == size {
        return Ok(());
    }
    Err(Error::new(Code::ActionFailed, format!("the display came up with {width}x{height}")))
}

/// A server that does not run as root leaves this directory unmade, and could then only be reached through
/// an abstract socket, which some clients do not try. It is shared and sticky, as the server makes it.
fn make_socket_directory() {
    if DirBuilder::new().mode(0o700).create(SOCKETS).is_ok() {
        // Should this fail, the server says so in its log.
        let _ = fs::set_permissions(SOCKETS, Permissions::from_mode(0o1777));
    }
}
