//! What every front end starts from: it picks the adapter for the target, keeps snapshots, holds the gate and
//! hands all of it to the commands as one [`Runtime`].
//!
//! It is told everything it needs to know by [`Settings`]; only binaries read the environment.

mod clock;
mod files;
mod gate;
mod output;
mod private;
mod runtime;
mod settings;
mod store;

pub use clock::SystemClock;
pub use runtime::{ReadInput, Runtime};
pub use settings::{Places, Settings};
