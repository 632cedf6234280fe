//! The authority: what may be started, how exactly, and why not.
//!
//! An entry of the index is checked against its file once more, so that what is started is what was looked
//! at, and turned into a [`Permit`]. Nothing that the caller of surehand says enters a permit.

use std::path::{Path, PathBuf};

use surehand_core::desktop::Environment;
use surehand_core::text::{clip, quote};
use surehand_core::{Code, Error, Result};

use crate::entry::{self, Entry, Unreadable, Verdict};
use crate::exec::{self, Codes};
use crate::program::{self, Missing};
use crate::{locale, scan};

/// The leave to start one program in one way. Only [`authorise`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    id: String,
    program: PathBuf,
    argv: Vec<String>,
    directory: PathBuf,
}

impl Permit {
    /// The id of the entry.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The program, an absolute path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The argument list. Its first element is the program as the entry writes it.
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The directory to start it in: the entry's own, else the home directory, else `/`.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

/// Decides whether an entry may be started with this environment.
///
/// # Errors
/// * `NO_LONGER_INSTALLED`: the file, the program or the `TryExec` program is gone, or the file no longer
///   says what the index has of it (`details.kind` tells which).
/// * `ACTION_NOT_SUPPORTED`: the entry needs something that is not there yet (a terminal, D-Bus), or its
///   command line is one that we do not start.
/// * `ACTION_FAILED`: the directory it wants to be started in does not exist.
pub fn authorise(entry: &Entry, environment: &Environment) -> Result<Permit> {
    let shown = quote(&entry.id);
    let gone = |message: String, kind: &str| {
        Error::new(Code::NoLongerInstalled, message).kind(kind).suggest("look again at which applications there are")
    };
    let unsupported = |message: String, kind: &str| Error::new(Code::ActionNotSupported, message).kind(kind);

    let text = entry::read(&entry.path).map_err(|fault| match fault {
        Unreadable::Gone => gone(format!("the desktop entry {shown} is gone"), "entry_gone"),
        Unreadable::Refused(reason) => {
            gone(format!("the desktop entry {shown} cannot be read any more: {reason}"), "entry_changed")
        }
    })?;
    let file = match entry::judge(&entry.id, entry.source, &entry.path, &text, environment) {
        Verdict::Application(now, file) if *now == *entry => file,
        Verdict::Application(..) => {
            return Err(gone(format!("the desktop entry {shown} has changed since it was read"), "entry_changed"));
        }
        Verdict::Hidden => {
            return Err(gone(format!("the desktop entry {shown} is hidden now"), "entry_changed"));
        }
        Verdict::Unusable(reason) => {
            return Err(gone(format!("the desktop entry {shown} cannot be used any more: {reason}"), "entry_changed"));
        }
    };

    if entry.terminal {
        return Err(unsupported(
            format!("{shown} needs a terminal around it, and applications are not started in terminals yet"),
            "needs_terminal",
        ));
    }
    let Some(line) = &entry.exec else {
        return Err(unsupported(
            format!("{shown} can only be started over D-Bus, which is not done yet"),
            "needs_dbus_activation",
        ));
    };

    let malformed =
        |fault: exec::Fault| unsupported(format!("the Exec of {shown} cannot be used: {fault}"), "exec_invalid");
    let word = exec::program(line).map_err(malformed)?;
    let program_shown = quote(clip(&word, 200).0);
    // GLib looks up the word with the code in it and starts the one without: refused, since they differ.
    if word.contains('%') {
        return Err(unsupported(
            format!("the program of {shown}, {program_shown}, is not named outright: it holds a field code"),
            "program_field_code",
        ));
    }
    let program = program::locate(&word, environment).map_err(|missing| match missing {
        Missing::NotFound => {
            gone(format!("the program of {shown}, {program_shown}, is not installed"), "program_missing")
        }
        Missing::Relative => unsupported(
            format!("the program of {shown}, {program_shown}, is given by a relative path"),
            "program_relative",
        ),
    })?;

    let languages = locale::languages(environment);
    let codes = Codes {
        icon: file.localised("Icon", &languages),
        name: file.localised("Name", &languages).unwrap_or_default(),
        // Ids are UTF-8 and so is an environment, so nothing is lost here.
        path: entry.path.to_string_lossy().into_owned(),
    };
    let argv = exec::argv(line, &codes).map_err(malformed)?;

    let directory = match &entry.directory {
        Some(own) if own.starts_with('/') && Path::new(own).is_dir() => PathBuf::from(own),
        Some(own) => {
            let own = quote(clip(own, 200).0);
            return Err(Error::new(
                Code::ActionFailed,
                format!("{shown} is to be started in {own}, which is no directory"),
            )
            .kind("directory_missing"));
        }
        None => scan::home(environment).filter(|home| home.is_dir()).unwrap_or(Path::new("/")).to_owned(),
    };
    Ok(Permit { id: entry.id.clone(), program, argv, directory })
}
