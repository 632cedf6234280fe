//! Surfaces: the parts of an application that are read by themselves.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::{ObserveRequest, Platform};
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_core::time::Call;
use surehand_core::tree::Observation;
use surehand_core::window::Window;
use surehand_core::{Error, Result};

use crate::target::{self, Wanted};

/// A part of an application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// Its window
    #[default]
    Window,
    /// The window that has the keyboard
    Focused,
    /// The menu that is open
    Menu,
    /// The menu bar
    Menubar,
    /// A dialog that keeps other windows from being used
    Sheet,
    /// A small surface over the window
    Popover,
    /// A message
    Alert,
}

impl Surface {
    /// The words for the surfaces there are.
    pub const WORDS: [&'static str; 7] = ["window", "focused", "menu", "menubar", "sheet", "popover", "alert"];

    /// What a window or an element is a surface as, if it is one.
    pub fn of(node: &Node, is_root: bool) -> Option<Surface> {
        let shown = !node.has(State::Hidden) && !node.has(State::Offscreen);
        match node.role {
            Role::Alert | Role::AlertDialog if shown => Some(Surface::Alert),
            Role::Dialog if is_root && node.has(State::Modal) => Some(Surface::Sheet),
            Role::MenuBar if shown => Some(Surface::Menubar),
            // A closed menu is in the tree as well; the open one has items on the screen.
            Role::Menu if shown && !is_root => Some(Surface::Menu),
            Role::Popover if shown => Some(Surface::Popover),
            _ if is_root => Some(Surface::Window),
            _ => None,
        }
    }
}

/// The surfaces in an observation, by the index of their first element.
pub(crate) fn surfaces(observation: &Observation) -> Vec<(Surface, usize)> {
    let mut surfaces = Vec::new();
    for (index, node) in observation.nodes.iter().enumerate() {
        let Some(surface) = Surface::of(node, index == 0) else { continue };
        let opened = |index: &usize| {
            observation.nodes.get(*index).is_some_and(|item| !item.has(State::Offscreen) && !item.has(State::Hidden))
        };
        if surface == Surface::Menu && !node.children.iter().any(opened) {
            continue;
        }
        surfaces.push((surface, index));
    }
    surfaces
}

/// What to read for a surface: the application, the window it is in, and the element to begin at.
///
/// # Errors
/// As [`target::readable_window`]; `ELEMENT_NOT_FOUND` when there is no such surface now, `AMBIGUOUS_TARGET` when
/// there are several.
pub(crate) fn target(
    platform: &dyn Platform,
    call: &Call<'_>,
    wanted: Wanted<'_>,
    surface: Surface,
) -> Result<(Application, Window, Option<ObjectId>)> {
    match surface {
        Surface::Window => {
            let (application, window) = target::readable_window(platform, call, wanted)?;
            return Ok((application, window, None));
        }
        Surface::Focused => {
            let (application, window) = target::readable_window(platform, call, Wanted::default())?;
            return Ok((application, window, None));
        }
        _ => {}
    }
    let mut found = Vec::new();
    for (application, window) in target::readable_windows(platform, call, wanted)? {
        let observation = platform.observe(call, &application, &window, &ObserveRequest::default())?;
        for (kind, index) in surfaces(&observation) {
            if kind == surface
                && let Some(node) = observation.nodes.get(index)
            {
                found.push((application.clone(), window.clone(), (index > 0).then(|| node.object.clone())));
            }
        }
    }
    match found.len() {
        0 => Err(Error::new(Code::ElementNotFound, format!("there is no {} now", word(surface)))
            .kind("no_such_surface")
            .suggest("see `list-surfaces`")),
        1 => Ok(found.remove(0)),
        count => Err(Error::new(Code::AmbiguousTarget, format!("there are {count} of the surface {}", word(surface)))
            .kind("ambiguous_surface")
            .suggest("say which window with `--window-id`; see `list-surfaces`")),
    }
}

/// The word for a surface.
pub(crate) fn word(surface: Surface) -> String {
    serde_json::to_value(surface).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
