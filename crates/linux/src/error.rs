//! D-Bus failures, told apart by what they prove.

use surehand_core::{Code, Error};

/// Why a call to an application gave no usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The application answers, and has no such object or interface on it.
    NoSuchObject,
    /// Nobody has that bus name any more, or the connection was closed by the other side.
    Disconnected,
    /// No answer in time.
    NoAnswer,
    /// The answer is not what the interface promises.
    Malformed,
    /// The answer came, and with the others of its batch it was more than is kept.
    TooLarge,
    /// The application refused; the D-Bus error name.
    Refused(String),
}

impl Fault {
    /// From the name of a D-Bus error reply.
    pub(crate) fn of_error_name(name: &str) -> Fault {
        match name.strip_prefix("org.freedesktop.DBus.Error.").unwrap_or(name) {
            "UnknownObject" | "UnknownMethod" | "UnknownInterface" => Fault::NoSuchObject,
            "ServiceUnknown" | "NameHasNoOwner" | "Disconnected" => Fault::Disconnected,
            "NoReply" | "Timeout" | "TimedOut" => Fault::NoAnswer,
            _ => Fault::Refused(name.to_owned()),
        }
    }

    /// From an error of the bus library.
    pub(crate) fn of(error: &zbus::Error) -> Fault {
        match error {
            zbus::Error::MethodError(name, _, _) => Fault::of_error_name(name.as_str()),
            zbus::Error::InputOutput(_) => Fault::Disconnected,
            _ => Fault::Malformed,
        }
    }

    /// For `platform_detail`.
    pub(crate) fn word(&self) -> &str {
        match self {
            Fault::NoSuchObject => "no such object",
            Fault::Disconnected => "disconnected",
            Fault::NoAnswer => "no answer",
            Fault::Malformed => "malformed answer",
            Fault::TooLarge => "too large an answer",
            Fault::Refused(name) => name,
        }
    }
}

/// The accessibility bus cannot be used.
pub(crate) fn no_bus(why: &str) -> Error {
    Error::new(Code::PlatformNotSupported, format!("there is no accessibility bus to use: {why}"))
        .kind("no_accessibility_bus")
        .suggest("run `surehand doctor`; on a machine without a desktop, `surehand desktop start` makes one")
}

/// An application does not answer.
pub(crate) fn unresponsive(program: &str, pid: u32, fault: &Fault) -> Error {
    Error::new(
        Code::AppUnresponsive,
        format!("{} (process {pid}) does not answer", surehand_core::text::quote(program)),
    )
    .detail("program", program)
    .detail("pid", pid)
    .platform(fault.word())
    .suggest("wait until it is no longer busy, or end it")
}
