//! Held input, by a process for each key or button ([`surehand_linux::keeper`]).

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use surehand_core::desktop::Environment;
use surehand_core::disposition::Delivery;
use surehand_core::hold::{Grip, Holder, Released};
use surehand_core::text::fingerprint;
use surehand_core::time::Call;
use surehand_core::{Code, Error, Result};
use surehand_linux::helper::Program;
use surehand_linux::keeper::{self, Held, Order, RELEASE, RELEASED, line_within, strike_anew};

use crate::clock::SystemClock;
use crate::private::PrivateDir;
use crate::settings::Helpers;

/// The directory of all sockets, below the runtime directory.
const FOLDER: &str = "held";

/// So many things are held on one desktop at most.
const MOST: usize = 16;

/// How long a keeper may take to let go.
const ANSWER: Duration = Duration::from_secs(5);

/// Holds things on one desktop.
pub(crate) struct KeeperHolder {
    folder: PathBuf,
    display: Option<String>,
    xauthority: Option<PathBuf>,
    helpers: Option<Helpers>,
}

impl KeeperHolder {
    pub(crate) fn new(runtime: &Path, desktop: &str, environment: &Environment, helpers: Option<Helpers>) -> Self {
        KeeperHolder {
            folder: runtime.join(FOLDER).join(format!("{:016x}", fingerprint([desktop]))),
            display: environment.0.get("DISPLAY").filter(|name| !name.is_empty()).cloned(),
            xauthority: environment.0.get("XAUTHORITY").map(PathBuf::from),
            helpers,
        }
    }

    fn display(&self) -> Result<&str> {
        self.display.as_deref().ok_or_else(|| {
            Error::new(Code::PlatformNotSupported, "no X display is named in the environment").kind("no_display")
        })
    }

    fn socket(&self, grip: &Grip) -> PathBuf {
        self.folder.join(file_name(grip))
    }

    /// Asks the keeper at this socket to let go. `None` where there is none.
    fn ask(&self, call: &Call<'_>, socket: &Path, grip: &Grip) -> Result<Option<()>> {
        match UnixStream::connect(socket) {
            Ok(mut stream) => {
                stream.write_all(RELEASE).map_err(|error| still_down(grip).platform(error.to_string()))?;
                match line_within(stream, ANSWER.min(call.left())) {
                    Some(line) if line == RELEASED => Ok(Some(())),
                    _ => Err(still_down(grip)),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            // The keeper was killed. What it held is still down.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                strike_anew(&SystemClock, self.display()?, self.xauthority.as_deref(), &[grip.release()])?;
                let _ = std::fs::remove_file(socket);
                Ok(Some(()))
            }
            Err(error) => Err(still_down(grip).platform(error.to_string())),
        }
    }
}

impl Holder for KeeperHolder {
    fn hold(&self, call: &Call<'_>, grip: &Grip, limit: Duration) -> Result<()> {
        let Some(Helpers { program, client: Some(client) }) = &self.helpers else {
            return Err(Error::new(Code::PlatformNotSupported, "nothing can be held from here").kind("no_keeper"));
        };
        let display = self.display()?.to_owned();
        if self.held()?.len() >= MOST {
            return Err(Error::new(Code::Conflict, format!("{MOST} keys and buttons are held already"))
                .kind("too_many_held")
                .suggest("`release-all` lets them go"));
        }
        let socket = self.socket(grip);
        // What a killed keeper has left pressed would make the press one that nobody sees.
        if socket.exists() && UnixStream::connect(&socket).is_err() {
            self.ask(call, &socket, grip)?;
        }
        let order = Order {
            display,
            xauthority: self.xauthority.clone(),
            grip: Held::of(grip),
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            client: client.clone(),
            socket,
        };
        keeper::start(&Program::new(program), call, &order)
    }

    fn held(&self) -> Result<Vec<Grip>> {
        let names = PrivateDir::make(&self.folder)?.names()?;
        Ok(names.iter().filter_map(|name| grip_of(name)).collect())
    }

    fn release(&self, call: &Call<'_>, grip: &Grip) -> Result<bool> {
        Ok(self.ask(call, &self.socket(grip), grip)?.is_some())
    }

    fn release_all(&self, call: &Call<'_>) -> Result<Vec<Released>> {
        let mut released = Vec::new();
        let mut failed = None;
        for grip in self.held()? {
            match self.release(call, &grip) {
                Ok(true) => released.push(Released { what: grip.to_string() }),
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(released), Err)
    }
}

fn still_down(grip: &Grip) -> Error {
    Error::new(Code::ActionFailed, format!("{grip} could not be let go"))
        .kind("still_held")
        .delivery(Delivery::DeliveryUncertain)
}

fn file_name(grip: &Grip) -> String {
    grip.to_string().replacen(' ', "-", 1)
}

fn grip_of(name: &str) -> Option<Grip> {
    let held = match name.split_once('-')? {
        ("keys", chord) => Held::Keys(chord.to_owned()),
        ("button", button) => Held::Button(serde_json::from_value(button.into()).ok()?),
        _ => return None,
    };
    held.grip().ok()
}

#[cfg(test)]
mod tests {
    use surehand_core::stroke::PointerButton;

    use super::*;

    #[test]
    fn what_is_held_is_known_again_by_the_name_of_its_socket() {
        for chord in ["shift", "ctrl+alt+f5", "slash", "ctrl+period", "é", "a"] {
            let grip = Grip::Keys(chord.parse().expect("a chord"));
            assert!(!file_name(&grip).contains('/'), "{chord}");
            assert_eq!(grip_of(&file_name(&grip)), Some(grip));
        }
        for button in [PointerButton::Left, PointerButton::Middle, PointerButton::Right] {
            assert_eq!(grip_of(&file_name(&Grip::Button(button))), Some(Grip::Button(button)));
        }
        assert_eq!(grip_of("keys-"), None);
        assert_eq!(grip_of("x"), None);
    }
}
