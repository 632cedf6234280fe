//! The person at the terminal, and the process that a command is run for.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use surehand_core::object::Process;
use surehand_core::time::Cancel;
use surehand_core::{Code, Error, Result};

/// The terminal of this process, whatever its standard input is.
const TERMINAL: &str = "/dev/tty";

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often it is looked whether the call was cancelled meanwhile.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// What has to be typed.
const WORD: &str = "yes";

/// The longest line that is read.
const LONGEST: usize = 256;

/// Has the person at the terminal device type a confirmation. Arguments, the environment and standard input are an
/// agent's to fill and are not looked at.
pub(crate) fn confirm(cancel: &Cancel, question: &str) -> Result<()> {
    let nobody = |error: std::io::Error| {
        Error::new(Code::PolicyDenied, "a person has to confirm it at a terminal, and there is none")
            .kind("no_person")
            .platform(error.kind().to_string())
            .suggest("run the command in a terminal")
    };
    let mut terminal = OpenOptions::new().read(true).write(true).open(TERMINAL).map_err(nobody)?;
    // What was typed before the question was asked is no answer to it.
    rustix::termios::tcflush(&terminal, rustix::termios::QueueSelector::IFlush)
        .map_err(|errno| nobody(errno.into()))?;
    write!(terminal, "{question}\nType `{WORD}` to allow it: ").map_err(nobody)?;
    let end = Instant::now() + PATIENCE;
    let mut line = Vec::new();
    let mut part = [0; LONGEST];
    while !line.contains(&b'\n') && line.len() < LONGEST {
        if cancel.is_raised() || Instant::now() >= end {
            return Err(Error::new(Code::PolicyDenied, "nobody confirmed it in time").kind("not_confirmed"));
        }
        match rustix::event::poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(errno) => return Err(nobody(errno.into())),
        }
        match terminal.read(&mut part).map_err(nobody)? {
            0 => break,
            count => line.extend_from_slice(&part[..count]),
        }
    }
    if String::from_utf8_lossy(&line).trim() == WORD {
        return Ok(());
    }
    Err(Error::new(Code::PolicyDenied, "the person at the terminal did not allow it").kind("not_confirmed"))
}

/// Shells that are started for one command and end with it.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "busybox"];

/// The process that this one is run for: what started it, and where that is a shell for this one command, what started
/// that.
pub(crate) fn client() -> Option<Process> {
    let mut pid = rustix::process::getppid().map(rustix::process::Pid::as_raw_nonzero)?.get();
    for _ in 0..4 {
        match parent_of_shell(pid) {
            Some(parent) => pid = parent,
            None => break,
        }
    }
    surehand_runtime::process_of(u32::try_from(pid).ok()?)
}

/// The parent of a shell that was given its command as an argument; none for anything else.
fn parent_of_shell(pid: i32) -> Option<i32> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let mut arguments = arguments.split(|byte| *byte == 0).skip(1);
    let for_one_command = |word: &[u8]| word.starts_with(b"-") && !word.starts_with(b"--") && word.ends_with(b"c");
    if !SHELLS.contains(&name.trim_end()) || !arguments.next().is_some_and(for_one_command) {
        return None;
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets can hold anything; what follows the last bracket cannot.
    let parent: i32 = status.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
    (parent > 1).then_some(parent)
}
