//! This program as one of its own helpers: started by a command, told what to do on standard input, and on its own after
//! it has answered.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use surehand_core::desktop::Environment;
use surehand_runtime::{Role, Stage, SystemClock, run_helper};

/// Is the helper until it is over.
pub(crate) fn run(role: Role) -> ExitCode {
    let Ok((end, told)) = UnixStream::pair() else { return ExitCode::FAILURE };
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        // Where it cannot be handled the signal ends the process, which is what it is for.
        let _ = told.try_clone().and_then(|told| signal_hook::low_level::pipe::register(signal, told));
    }
    #[expect(clippy::disallowed_methods, reason = "this binary is where the environment is read")]
    let variables: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    run_helper(
        role,
        Stage {
            environment: &Environment(variables),
            input: &mut std::io::stdin().lock(),
            output: &mut std::io::stdout().lock(),
            end: end.as_fd(),
            clock: &SystemClock,
        },
    );
    ExitCode::SUCCESS
}
