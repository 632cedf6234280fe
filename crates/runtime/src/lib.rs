//! What every front end starts from: it picks the adapter for the target, keeps snapshots, holds the gate and
//! hands all of it to the commands as one [`Runtime`].
//!
//! It is told everything it needs to know by [`Settings`]; only binaries read the environment.

mod clock;
mod files;
mod gate;
mod hold;
mod input;
mod lease;
mod output;
mod private;
mod runtime;
mod sessions;
mod settings;
mod store;
mod temporary;
mod trace;

pub use clock::SystemClock;
pub use runtime::{Confirm, ReadInput, Runtime};
pub use settings::{Helpers, Places, Settings};
pub use surehand_linux::helper::{Role, Stage, run as run_helper};
pub use surehand_linux::process_of;
