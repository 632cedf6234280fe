//! The command line of surehand. It parses, dispatches and prints; what commands mean is not decided here.

mod arguments;
mod helper;
mod person;
mod print;
mod signals;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use surehand_commands::after::dispatch_and_wait;
use surehand_commands::dispatch::{Outcome, dispatch};
use surehand_core::time::Cancel;
use surehand_core::{Code, Error, Result};
use surehand_runtime::Runtime;
use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::arguments::{Arguments, Parsed};
use crate::signals::Signals;

fn main() -> ExitCode {
    if let Some(role) = std::env::args_os().nth(1).as_deref().and_then(surehand_runtime::Role::of) {
        return helper::run(role);
    }
    let arguments = match arguments::parse() {
        Parsed::Run(arguments) => *arguments,
        Parsed::Text(text) => return print::text(&text),
        Parsed::Refused { command, error, usage, format } => return print::refused(&command, &error, &usage, format),
    };
    log(arguments.verbose);
    let cancel = Cancel::default();
    let spec = arguments.invocation.spec();
    let signals = if spec.hands_over { Signals::default() } else { signals::watch(&cancel) };
    let format = print::format(arguments.format, spec.piped);
    let outcome = run(arguments, &cancel).unwrap_or_else(|error| Outcome { spec, result: Err(error) });
    print::outcome(&outcome, format, signals.received())
}

/// Puts the runtime together and runs the command. A panic is a bug of ours: it costs this call an error, and
/// its message is on standard error for the report.
fn run(arguments: Arguments, cancel: &Cancel) -> Result<Outcome> {
    let settings = arguments.settings?;
    let wait = arguments.wait?;
    let invocation = arguments.invocation;
    catch_unwind(AssertUnwindSafe(|| {
        let runtime =
            Runtime::new(settings, Some(Box::new(arguments::standard_input))).with_confirm(Box::new(person::confirm));
        match &wait {
            Some(wait) => dispatch_and_wait(invocation, &runtime, cancel, wait),
            None => dispatch(invocation, &runtime, cancel),
        }
    }))
    .map_err(|_| {
        Error::new(Code::Internal, "a bug in surehand stopped the command")
            .kind("panic")
            .suggest("please report it with what is on standard error, without private data")
    })
}

/// Diagnostics go to standard error: our own errors and warnings, and all of it when asked for. Libraries are
/// silent otherwise, since what they warn of can be words that an application put into their mouth.
fn log(verbose: bool) {
    let (ours, others) = if verbose { (Level::DEBUG, LevelFilter::WARN) } else { (Level::WARN, LevelFilter::OFF) };
    let filter = Targets::new().with_default(others).with_target("surehand", ours);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).without_time();
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
