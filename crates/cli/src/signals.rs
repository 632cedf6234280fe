//! Interrupts: the first one asks the command to stop at the next place where it can, a second one ends the
//! process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use surehand_core::time::Cancel;

/// Which signals came; none where they are not watched.
#[derive(Default)]
pub(crate) struct Signals {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

/// Raises `cancel` when a signal comes.
pub(crate) fn watch(cancel: &Cancel) -> Signals {
    let signals = Signals::default();
    for (signal, own) in [(SIGINT, &signals.interrupt), (SIGTERM, &signals.terminate)] {
        // Order matters: the shutdown looks at the flag that an earlier signal has set. Where a handler cannot
        // be installed the signal ends the process, which is what it does anyway.
        let status = 128 + signal;
        let _ = flag::register_conditional_shutdown(signal, status, Arc::clone(own));
        let _ = flag::register(signal, Arc::clone(own));
        let _ = flag::register(signal, cancel.flag());
    }
    signals
}

impl Signals {
    /// The exit status that the signal asks for.
    pub(crate) fn received(&self) -> Option<u8> {
        if self.interrupt.load(Ordering::Acquire) {
            Some(130)
        } else if self.terminate.load(Ordering::Acquire) {
            Some(143)
        } else {
            None
        }
    }
}
