//! A platform that answers what was recorded.
//!
//! A [`Recording`] is what an adapter gave for one window. [`Replay`] gives it again, so that everything above the
//! adapter can be run on it, without the application and the toolkit it came from:
//!
//! ```
//! use surehand_core::platform::Platform;
//! use surehand_testkit::replay::{Replay, toolkits};
//!
//! let replay = Replay::read(toolkits()[0].1).unwrap();
//! assert!(replay.is_running(&replay.recording().observation.application.process));
//! ```
//!
//! There is one application with one window, nothing of it changes, and nothing can be done to it.

mod neutral;

use surehand_core::error::{Code, Error, Result};
use surehand_core::node::Node;
use surehand_core::object::{Application, ObjectId, Process};
use surehand_core::platform::{
    Attention, CaptureTarget, Inspection, Listing, Live, ObserveRequest, Operation, Picture, Platform,
};
use surehand_core::reading::Reading;
use surehand_core::recording::Recording;
use surehand_core::stroke::Stroke;
use surehand_core::time::Call;
use surehand_core::tree::{Gap, Observation};
use surehand_core::window::Window;

pub use neutral::neutral;

/// Lists the files of the `recordings` directory.
macro_rules! recordings {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../recordings/", $name, ".json")))),*]
    };
}

/// A recording of each toolkit that surehand is tested with, by its name. `cargo xtask toolkits --record` makes them.
pub fn toolkits() -> &'static [(&'static str, &'static str)] {
    recordings! {
        "calc" "chromium" "firefox" "gtk3" "gtk4" "qt5" "qt6" "swing" "vte" "writer"
    }
}

/// One recorded window as a platform.
#[derive(Debug, Clone)]
pub struct Replay {
    recording: Recording,
}

impl Replay {
    /// A platform that answers with this recording.
    pub fn new(recording: Recording) -> Self {
        Replay { recording }
    }

    /// A platform that answers with a recording as `snapshot --record` writes it.
    ///
    /// # Errors
    /// As [`Recording::read`].
    pub fn read(text: &str) -> Result<Self> {
        Recording::read(text).map(Replay::new)
    }

    /// What was recorded.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    fn observed(&self) -> &Observation {
        &self.recording.observation
    }

    fn index_of(&self, object: &ObjectId) -> Option<usize> {
        self.observed().nodes.iter().position(|node| node.object == *object)
    }

    /// The containers around a recorded element, nearest first.
    fn around(&self, index: usize) -> Vec<Node> {
        let observed = self.observed();
        let within = observed.ancestors(index).filter_map(|ancestor| observed.nodes.get(ancestor));
        within.chain(&observed.above).map(alone).collect()
    }

    /// What was recorded of an element and of what is below it. In document order that is one run of nodes.
    fn below(&self, root: usize) -> Observation {
        let observed = self.observed();
        let is_below = |index: &usize| *index == root || observed.ancestors(*index).any(|around| around == root);
        let end = (root..observed.nodes.len()).find(|index| !is_below(index)).unwrap_or(observed.nodes.len());
        let moved = |node: &Node| Node {
            parent: node.parent.and_then(|parent| parent.checked_sub(root)),
            children: node.children.iter().filter_map(|child| child.checked_sub(root)).collect(),
            ..node.clone()
        };
        let gap = |gap: &Gap| match gap.node {
            Some(node) => (root..end).contains(&node).then(|| Gap { node: Some(node - root), ..gap.clone() }),
            // It may be anywhere, also here.
            None => Some(gap.clone()),
        };
        Observation {
            application: observed.application.clone(),
            window: observed.window.clone(),
            nodes: observed.nodes.iter().take(end).skip(root).map(moved).collect(),
            above: self.around(root),
            gaps: observed.gaps.iter().filter_map(gap).collect(),
        }
    }
}

/// A node as it is when it is read by itself.
fn alone(node: &Node) -> Node {
    Node { parent: None, children: Vec::new(), ..node.clone() }
}

fn not_recorded(what: &str) -> Error {
    Error::new(Code::ActionNotSupported, format!("this is a recording, {what}")).kind("recording")
}

impl Platform for Replay {
    fn session(&self) -> &str {
        "recording"
    }

    fn applications(&self, call: &Call<'_>) -> Result<Listing<Application>> {
        call.go_on()?;
        Ok(Listing { items: vec![self.observed().application.clone()], unresponsive: Vec::new() })
    }

    fn windows(&self, call: &Call<'_>, applications: &[Application]) -> Result<Listing<Window>> {
        call.go_on()?;
        let is_asked = applications.contains(&self.observed().application);
        Ok(Listing {
            items: is_asked.then(|| self.observed().window.clone()).into_iter().collect(),
            unresponsive: Vec::new(),
        })
    }

    /// What was recorded, whatever the budgets are now; of a part of a window it stands for the whole.
    fn observe(
        &self,
        call: &Call<'_>,
        _: &Application,
        window: &Window,
        request: &ObserveRequest,
    ) -> Result<Observation> {
        call.go_on()?;
        if window.object != self.observed().window.object {
            return Err(Error::new(Code::WindowNotFound, format!("window {} was not recorded", window.id)));
        }
        if request.offset.is_some_and(|offset| offset > 0) {
            return Err(not_recorded("and no further children of a container are in it"));
        }
        let mut observation = match &request.root {
            None => self.observed().clone(),
            Some(root) => self.below(self.index_of(root).ok_or_else(|| not_recorded("and this element is not in it"))?),
        };
        if !request.bounds {
            observation.nodes.iter_mut().for_each(|node| node.bounds = Reading::Unknown);
        }
        Ok(observation)
    }

    fn inspect(&self, call: &Call<'_>, object: &ObjectId, process: &Process) -> Result<Live> {
        call.go_on()?;
        if !self.is_running(process) {
            return Ok(Live::ProcessGone);
        }
        let process = process.clone();
        let mut above = self.observed().above.iter();
        let inspection = if let Some(index) = self.index_of(object) {
            let node = self.observed().nodes.get(index).map(alone);
            node.map(|node| Inspection { node, ancestors: self.around(index), related: Vec::new(), process })
        } else {
            let node = above.find(|node| node.object == *object).map(alone);
            node.map(|node| Inspection { node, ancestors: above.map(alone).collect(), related: Vec::new(), process })
        };
        Ok(inspection.map_or(Live::Gone, |inspection| Live::Element(Box::new(inspection))))
    }

    fn perform(&self, _: &Call<'_>, _: &ObjectId, _: &Operation) -> Result<()> {
        Err(not_recorded("and nothing can be done to it"))
    }

    fn attention(&self, call: &Call<'_>) -> Result<Attention> {
        call.go_on()?;
        let window = &self.observed().window;
        let active = window.native.filter(|_| window.focused == Reading::Known(true));
        Ok(Attention { pointer: None, active, keyboard: active })
    }

    fn strike(&self, _: &Call<'_>, _: &[Stroke]) -> Result<()> {
        Err(not_recorded("and no key or pointer reaches it"))
    }

    fn capture(&self, _: &Call<'_>, _: &CaptureTarget) -> Result<Picture> {
        Err(not_recorded("and there is no picture of it"))
    }

    fn close(&self, _: &Call<'_>, _: &Window) -> Result<()> {
        Err(not_recorded("and its window cannot be closed"))
    }

    fn is_running(&self, process: &Process) -> bool {
        *process == self.observed().application.process
    }
}
