//! Virtual time.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use surehand_core::time::{Cancel, Clock};

use crate::fake::Scene;

/// After so many pauses a test waits for something that cannot happen; failing says more than hanging.
const ENDLESS: u64 = 1_000_000;

/// What virtual time it is: read without a lock, so that a deadline can be asked about while a scene is held.
#[derive(Debug, Clone)]
pub(crate) struct Dial {
    start: Instant,
    passed: Arc<AtomicU64>,
    pauses: Arc<AtomicU64>,
}

impl Dial {
    pub(crate) fn new() -> Self {
        Dial { start: Instant::now(), passed: Arc::default(), pauses: Arc::default() }
    }

    /// The time that has passed since the beginning.
    pub(crate) fn passed(&self) -> Duration {
        Duration::from_nanos(self.passed.load(Ordering::Acquire))
    }

    /// Turns the dial; it never goes back.
    pub(crate) fn turn_to(&self, passed: Duration) {
        let nanos = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        self.passed.fetch_max(nanos, Ordering::AcqRel);
    }
}

/// The clock of a [`crate::fake::FakePlatform`]. A pause lets its time pass at once, and what the test
/// scheduled for that time happens meanwhile, in order.
#[derive(Clone)]
pub struct VirtualClock {
    scene: Arc<Mutex<Scene>>,
    dial: Dial,
}

impl VirtualClock {
    pub(crate) fn new(scene: Arc<Mutex<Scene>>, dial: Dial) -> Self {
        VirtualClock { scene, dial }
    }

    /// The virtual time that has passed since the platform was made.
    pub fn passed(&self) -> Duration {
        self.dial.passed()
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualClock").field("passed", &self.passed()).finish_non_exhaustive()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Instant {
        self.dial.start + self.dial.passed()
    }

    fn pause(&self, span: Duration, cancel: &Cancel) {
        let pauses = self.dial.pauses.fetch_add(1, Ordering::Relaxed);
        assert!(pauses < ENDLESS, "{pauses} pauses on the virtual clock: the code under test never stops waiting");
        crate::fake::lock(&self.scene).advance(span, Some(cancel));
    }
}
