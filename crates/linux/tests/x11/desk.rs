//! A display of the test's own, with and without a window manager.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use surehand_core::time::{Call, Cancel, Clock};
use surehand_linux::x11::Display;

use crate::client::Client;

/// Longer than anything here takes; what takes longer is a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What [`Client::keys_down`] returns when no key is.
pub(crate) const NONE_DOWN: [u8; 0] = [];

pub(crate) struct RealTime;

impl Clock for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn pause(&self, _: Duration, _: &Cancel) {
        unreachable!("an adapter does not pause")
    }
}

/// A process that ends with the test, by its pid.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing can be done about a process that has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A display of one's own. Fields are dropped in order: the window manager first.
pub(crate) struct Desk {
    _manager: Option<Running>,
    /// Kept, so that nobody else gets the ids of its windows while they may still be spoken of.
    _prober: Option<Client>,
    pub(crate) server: Running,
    pub(crate) display: String,
    pub(crate) cancel: Cancel,
}

impl Desk {
    pub(crate) fn bare(arguments: &[&str]) -> Desk {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.0.stdout.take().expect("a pipe");
        // The server writes the number when it is ready, and closes the pipe when it fails.
        BufReader::new(output).read_line(&mut number).expect("the server's display number");
        let display = format!(":{}", number.trim().parse::<u16>().expect("the server came up"));
        Desk { _manager: None, _prober: None, server, display, cancel: Cancel::default() }
    }

    /// With openbox, once it manages windows.
    pub(crate) fn managed() -> Desk {
        let mut desk = Desk::bare(&["-screen", "0", "800x600x24"]);
        let manager = Command::new("openbox")
            .args(["--sm-disable"])
            .env("DISPLAY", &desk.display)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .expect("openbox starts");
        desk._manager = Some(manager);
        let prober = Client::new(&desk);
        prober.wait_until_managed();
        desk._prober = Some(prober);
        desk
    }

    pub(crate) fn call(&self, span: Duration) -> Call<'_> {
        Call::lasting(&RealTime, &self.cancel, span)
    }

    pub(crate) fn connect(&self) -> Display {
        Display::connect(&self.call(PATIENCE), &self.display, None).expect("connected")
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.server.0.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(pid.expect("a pid"), signal).expect("signalled");
    }
}

/// Does something else meanwhile: the calls are synchronous, and the client has to answer in between.
pub(crate) fn meanwhile<T: Send>(call: impl FnOnce() -> T + Send, other: impl FnOnce()) -> T {
    std::thread::scope(|scope| {
        let running = scope.spawn(call);
        other();
        running.join().expect("the call returned")
    })
}
