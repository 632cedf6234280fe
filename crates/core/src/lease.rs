//! Who may act right now.
//!
//! There is one pointer and one keyboard on a desktop, so physical input has one holder at a time. Actions through
//! the accessibility interfaces exclude each other within one application only. A lease is taken for handing an action
//! over and for nothing else: nobody waits for anything but another lease while holding one, and reading needs none.

use crate::error::Result;
use crate::object::Process;
use crate::time::Call;

/// What is to be held alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Pointer and keyboard of the desktop, together with everything that is acted on there.
    Desktop,
    /// Acting on one application.
    Application(Process),
}

/// Something that is held; letting it go is dropping it.
pub trait Held: Send {}

/// Where leases are taken, across all processes of the user.
pub trait Leases: Send + Sync {
    /// Waits until the claim is free, and holds it.
    ///
    /// # Errors
    /// `TIMEOUT` with kind `lease_busy` when it is not free within the time of the call.
    fn take(&self, call: &Call<'_>, claim: &Claim) -> Result<Box<dyn Held>>;
}

/// Leases of somebody who is alone on the desktop, as a test is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

struct Free;

impl Held for Free {}

impl Leases for Alone {
    fn take(&self, call: &Call<'_>, _: &Claim) -> Result<Box<dyn Held>> {
        call.go_on()?;
        Ok(Box::new(Free))
    }
}
