//! Processes of ours that outlive the command that starts them.
//!
//! A helper is this program once more, started with one argument that no help lists. What it is to do it reads from its
//! standard input: one line of JSON, and after it whatever bytes it is to keep. When it has begun it answers with one
//! line on its standard output, and from then on it is on its own: a session of its own, no terminal, no file or
//! directory held, and the environment of its desktop, by which it is known as one of the desktop's processes.

use std::io::{Read, Write};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use surehand_core::desktop::Environment;
use surehand_core::disposition::Delivery;
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};

use crate::desktop::wait::poll_readable;

/// How long waiting for a helper may go without looking whether the caller still wants it.
const LOOK: Duration = Duration::from_millis(25);

/// An answer is one short line.
const LONGEST_ANSWER: usize = 16 << 10;

/// What a helper is to be. The words are those of [`Role::argument`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Keeps what is in the clipboard.
    ClipboardOwner,
    /// Keeps a key or a button pressed.
    InputKeeper,
    /// Watches what notifications are shown.
    NotificationMonitor,
}

impl Role {
    const ALL: [Role; 3] = [Role::ClipboardOwner, Role::InputKeeper, Role::NotificationMonitor];

    /// The first argument that makes the program this helper.
    pub const fn argument(self) -> &'static str {
        match self {
            Role::ClipboardOwner => "__own-clipboard",
            Role::InputKeeper => "__keep-held",
            Role::NotificationMonitor => "__watch-notifications",
        }
    }

    /// The helper that an argument asks for.
    pub fn of(argument: &std::ffi::OsStr) -> Option<Role> {
        Role::ALL.into_iter().find(|role| argument == role.argument())
    }

    /// What it means that one which was started has not answered.
    fn silent(self, why: &str) -> Error {
        match self {
            Role::InputKeeper => crate::keeper::silent(why),
            // It may have taken the clipboard before it fell silent, and what was there before is gone then.
            Role::ClipboardOwner => not_started(why).delivery(Delivery::DeliveryUncertain),
            Role::NotificationMonitor => not_started(why),
        }
    }
}

/// The program that becomes a helper: the one that this library is part of, as whoever started it knows its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(PathBuf);

impl Program {
    /// The program at this path.
    pub fn new(path: impl Into<PathBuf>) -> Program {
        Program(path.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// What a helper answers once it has begun, or cannot.
#[derive(Debug, Serialize, Deserialize)]
struct Answer<T> {
    done: Option<T>,
    failed: Option<Failed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Failed {
    code: Code,
    message: String,
    kind: String,
    platform: Option<String>,
    delivery: Delivery,
}

/// Starts a helper, hands it its order and what it is to keep, and returns what it answers.
///
/// # Errors
/// What the helper says; `INTERNAL` when it cannot be started or ends without a word, `TIMEOUT` when it does not answer
/// in time. It does not run any more then.
pub(crate) fn start<T: DeserializeOwned>(
    program: &Program,
    role: Role,
    environment: &Environment,
    call: &Call<'_>,
    order: &impl Serialize,
    keep: &[u8],
) -> Result<T> {
    call.go_on()?;
    let mut line = serde_json::to_vec(order).map_err(|error| not_started(&error.to_string()))?;
    line.push(b'\n');
    let child = Command::new(program.path())
        .arg(role.argument())
        .env_clear()
        .envs(&environment.0)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| not_started(&error.kind().to_string()))?;
    let mut begun = Begun { role, child: Some(child) };
    let answer = begun.talk(call, &line, keep)?;
    let answer: Answer<T> = serde_json::from_slice(&answer).map_err(|_| role.silent("it ended without an answer"))?;
    match answer {
        Answer { done: Some(done), .. } => {
            begun.leave();
            Ok(done)
        }
        Answer { failed: Some(failed), .. } => {
            let error = Error::new(failed.code, failed.message).kind(&failed.kind).delivery(failed.delivery);
            Err(match failed.platform {
                Some(detail) => error.platform(detail),
                None => error,
            })
        }
        Answer { done: None, failed: None } => Err(role.silent("it answered nothing")),
    }
}

/// A helper that has not answered yet; it is ended unless it is left to itself.
struct Begun {
    role: Role,
    child: Option<Child>,
}

impl Begun {
    /// Writes everything, and reads the answer meanwhile: it may come before the end.
    fn talk(&mut self, call: &Call<'_>, line: &[u8], keep: &[u8]) -> Result<Vec<u8>> {
        let child = self.child.as_mut().ok_or_else(|| not_started("it is gone"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else { return Err(not_started("it has no pipes")) };
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // A helper that cannot use it says so or ends; its answer tells more than a broken pipe.
                let _ = stdin.write_all(line).and_then(|()| stdin.write_all(keep));
            });
            let answer = read_line(call, &mut stdout);
            if answer.is_err() {
                // Else the writer would wait for a reader that does not read.
                end(self.role, child);
            }
            answer
        })
    }

    /// Lets it live on. Whoever stays longer than a command notices its end.
    fn leave(&mut self) {
        if let Some(mut child) = self.child.take() {
            let reaper = std::thread::Builder::new().name("surehand-helper".into());
            // Without a thread its entry stays in the table of processes until we end, which is all.
            drop(reaper.spawn(move || child.wait()));
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            end(self.role, child);
            // It ends when it has let go, and nobody has to wait for that.
            self.leave();
        }
    }
}

/// Ends a helper that did not answer.
fn end(role: Role, child: &mut Child) {
    match role {
        // Told to end it lets go whatever it has pressed by now.
        Role::InputKeeper => {
            if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::TERM);
            }
        }
        Role::ClipboardOwner | Role::NotificationMonitor => {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn read_line(call: &Call<'_>, stdout: &mut std::process::ChildStdout) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut part = [0; 1_024];
    loop {
        call.go_on()?;
        let fd: BorrowedFd<'_> = stdout.as_fd();
        if !poll_readable(&[fd], LOOK.min(call.left()))?.contains(&true) {
            continue;
        }
        let count = stdout.read(&mut part).map_err(|error| not_started(&error.kind().to_string()))?;
        line.extend_from_slice(&part[..count]);
        if count == 0 || line.ends_with(b"\n") || line.len() > LONGEST_ANSWER {
            return Ok(line);
        }
    }
}

fn not_started(why: &str) -> Error {
    Error::new(Code::Internal, "a helper process of surehand cannot be started")
        .kind("helper_not_started")
        .platform(why)
        .delivery(Delivery::NotDelivered)
}

/// The helper's side: the order it was started with. What is left of the input is what it is to keep.
///
/// # Errors
/// `INVALID_ARGS` when there is none, as when a person starts it by hand.
pub(crate) fn take_order<T: DeserializeOwned>(input: &mut dyn Read) -> Result<T> {
    let bad = |why: String| {
        Error::new(Code::InvalidArgs, "this helper was not told what to do").kind("no_order").platform(why)
    };
    let mut line = Vec::new();
    let mut byte = [0];
    // Byte by byte: what comes after the line is not ours to buffer.
    while line.len() <= LONGEST_ANSWER {
        match input.read(&mut byte) {
            Ok(1) if byte[0] != b'\n' => line.push(byte[0]),
            Ok(_) => break,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(bad(error.kind().to_string())),
        }
    }
    serde_json::from_slice(&line).map_err(|_| bad("no order".to_owned()))
}

/// The helper's side: answers that it has begun, or why not.
///
/// # Errors
/// That nobody listens any more.
pub(crate) fn answer<T: Serialize>(output: &mut dyn Write, answer: Result<T, &Error>) -> std::io::Result<()> {
    let answer = match answer {
        Ok(done) => Answer { done: Some(done), failed: None },
        Err(error) => Answer {
            done: None,
            failed: Some(Failed {
                code: error.code(),
                message: error.message().to_owned(),
                kind: error.kind_of().unwrap_or_default().to_owned(),
                platform: error.platform_detail().map(str::to_owned),
                delivery: error.delivered(),
            }),
        },
    };
    let mut line = serde_json::to_vec(&answer)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

/// What a helper has to do with the world it was started in.
pub struct Stage<'s> {
    /// The variables it was started with: those of its desktop.
    pub environment: &'s Environment,
    /// Where its order, and what it is to keep, come from.
    pub input: &'s mut dyn Read,
    /// Where it answers.
    pub output: &'s mut dyn Write,
    /// Becomes readable when it is told to end.
    pub end: BorrowedFd<'s>,
    /// Its clock.
    pub clock: &'s dyn surehand_core::time::Clock,
}

/// Is a helper until it is over.
pub fn run(role: Role, stage: Stage<'_>) {
    // It must not end with the terminal of the command that started it.
    let _ = rustix::process::setsid();
    let over = match role {
        Role::ClipboardOwner => crate::clipboard::keep(stage),
        Role::InputKeeper => crate::keeper::keep(stage),
        Role::NotificationMonitor => crate::notify::monitor::watch(stage),
    };
    if let Err(error) = over {
        tracing::debug!(%error, ?role, "a helper is over");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_asked_for_by_one_argument() {
        for role in Role::ALL {
            assert_eq!(Role::of(role.argument().as_ref()), Some(role));
        }
        assert_eq!(Role::of("own-clipboard".as_ref()), None);
    }

    #[test]
    fn an_order_ends_with_its_line_and_leaves_the_rest() {
        let mut input: &[u8] = b"\"text\"\nkept\nbytes";
        assert_eq!(take_order::<String>(&mut input).ok().as_deref(), Some("text"));
        assert_eq!(input, b"kept\nbytes");
        let mut nothing: &[u8] = b"";
        assert_eq!(take_order::<String>(&mut nothing).map_err(|e| e.code()), Err(Code::InvalidArgs));
    }
}
