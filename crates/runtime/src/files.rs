//! Where plans and roots are kept, and the person at the terminal.

use std::path::PathBuf;

use surehand_kernel::authority::Person;
use surehand_kernel::sys::linux::Linux;
use surehand_kernel::workspace::Workspace;

use crate::settings::Settings;

/// The workspace for these settings. `SUREHAND_HOME` moves our state, and never the policy.
pub(crate) fn workspace(settings: &Settings) -> Workspace {
    let named = |name: &str| settings.environment.0.get(name).filter(|value| value.starts_with('/')).map(PathBuf::from);
    let home = named("HOME");
    let below = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let config = named("XDG_CONFIG_HOME").or_else(|| below(".config"));
    let data = named("XDG_DATA_HOME").or_else(|| below(".local/share"));
    let places = &settings.places;
    // Without a home there is no policy file, and so nothing is allowed.
    let policy = config.clone().unwrap_or_else(|| places.state.join("no-home")).join("surehand");
    let ours = vec![places.state.clone(), places.runtime.clone(), policy.clone()];
    let person = Person { home, config, data, ours };
    Workspace::new(Box::new(Linux), places.state.clone(), policy, person, settings.version.clone())
}
