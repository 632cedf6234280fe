//! The start-up helper: the only code here that runs between fork and exec.
//!
//! Two things have no safe way. A new session can only be made in the child, by a hook that the standard
//! library marks unsafe (its own `setsid` is not stable). And the standard library executes through
//! `execvp`, which in glibc hands a file of no known format to `/bin/sh`; we promise that no shell runs, so
//! the hook executes the program itself.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_uint};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr;

/// One process to be.
pub(crate) struct Start {
    directory: PathBuf,
    image: Image,
}

/// What `execve` takes, made before the fork because nothing can be allocated after it.
struct Image {
    program: CString,
    argv: Strings,
    variables: Strings,
}

/// A list of C strings and the null-terminated list of pointers to them.
struct Strings {
    pointers: Vec<*const c_char>,
    // Never read: it keeps alive what `pointers` point to. A `CString`'s text does not move with it.
    _owned: Vec<CString>,
}

// SAFETY: the pointers go to memory that the same value owns and nobody writes to.
unsafe impl Send for Strings {}
// SAFETY: as above; there is no way to change a value through a shared reference.
unsafe impl Sync for Strings {}

impl Strings {
    fn new(owned: Vec<CString>) -> Self {
        let pointers = owned.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
        Strings { pointers, _owned: owned }
    }
}

impl Start {
    /// `None` when a text cannot be passed to a process: a NUL in it, or a `=` in a variable's name.
    pub(crate) fn new<'a>(
        program: &Path,
        argv: &[String],
        variables: impl Iterator<Item = (&'a String, &'a String)>,
        directory: &Path,
    ) -> Option<Self> {
        let argv = argv.iter().map(|word| CString::new(word.as_str()).ok()).collect::<Option<_>>()?;
        let variables = variables
            .map(|(name, value)| {
                let sound = !name.is_empty() && !name.contains('=');
                sound.then(|| CString::new(format!("{name}={value}")).ok()).flatten()
            })
            .collect::<Option<_>>()?;
        let image = Image {
            program: CString::new(program.as_os_str().as_bytes()).ok()?,
            argv: Strings::new(argv),
            variables: Strings::new(variables),
        };
        Some(Start { directory: directory.to_owned(), image })
    }

    /// Starts it. `Ok` means that the program has taken the place of our copy: the standard library waits
    /// until the exec has closed its pipe, and reports through it whatever failed before.
    pub(crate) fn start(self) -> io::Result<Child> {
        let image = self.image;
        // The name only serves the standard library's own exec, which is never reached.
        let mut command = Command::new("/");
        command.current_dir(&self.directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: after a fork in a process with threads only async-signal-safe calls are allowed. The hook
        // makes system calls and reads memory that was allocated before; it neither allocates nor locks.
        unsafe {
            command.pre_exec(move || {
                rustix::process::setsid()?;
                keep_no_descriptors();
                Err(image.execute())
            });
        }
        command.spawn()
    }
}

impl Image {
    /// Returns only when it failed.
    fn execute(&self) -> io::Error {
        // SAFETY: the program is a C string and both lists are null-terminated lists of C strings; `self`
        // owns them all.
        unsafe {
            libc::execve(self.program.as_ptr(), self.argv.pointers.as_ptr(), self.variables.pointers.as_ptr());
        }
        io::Error::last_os_error()
    }
}

/// Has every descriptor but the standard ones closed by the exec, also those that somebody else in this
/// process opened, or left to it, without that mark. Only marked, not closed: the standard library still
/// needs its pipe.
fn keep_no_descriptors() {
    const FIRST: c_uint = 3;
    // SAFETY: `close_range` only takes numbers, and with this flag closes nothing yet.
    let marked = unsafe { libc::syscall(libc::SYS_close_range, FIRST, c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if marked == 0 {
        return;
    }
    // Linux before 5.11. Descriptors are handed out from below, so this reaches all but exotic ones.
    for descriptor in 3..1024 {
        // SAFETY: `F_SETFD` only takes numbers; one that is not open is an error without effect.
        unsafe {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
