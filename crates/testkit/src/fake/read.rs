//! Reading a scene as an adapter would.

use surehand_core::node::{Content, Node};
use surehand_core::object::{Application, ObjectId};
use surehand_core::platform::{Inspection, ObserveRequest};
use surehand_core::reading::Reading;
use surehand_core::text::clip;
use surehand_core::tree::{Gap, GapReason, Observation};
use surehand_core::window::Window;

use super::scene::{Object, Property, Scene};

/// Where an observation stands.
struct Reader<'s> {
    scene: &'s Scene,
    request: &'s ObserveRequest,
    nodes: Vec<Node>,
    gaps: Vec<Gap>,
    text_left: usize,
}

impl Scene {
    /// One object with the containers around it; nothing where it is dead.
    pub(crate) fn inspection(&self, object: &ObjectId) -> Option<Inspection> {
        let app = self.app_of(object).and_then(|app| self.apps.get(app.0))?;
        let live = self.objects.get(object)?;
        let mut ancestors = Vec::new();
        let mut next = live.parent.as_ref();
        while let Some(parent) = next.and_then(|parent| self.objects.get(parent)) {
            ancestors.push(read(parent));
            next = parent.parent.as_ref();
        }
        let related = self.relations.get(object).cloned().unwrap_or_default();
        Some(Inspection { node: read(live), ancestors, process: app.application.process.clone(), related })
    }

    /// The tree of a window within the budgets.
    pub(crate) fn observation(
        &self,
        application: &Application,
        window: &Window,
        object: &ObjectId,
        request: &ObserveRequest,
    ) -> Observation {
        let mut reader =
            Reader { scene: self, request, nodes: Vec::new(), gaps: Vec::new(), text_left: request.max_text };
        let root = request.root.as_ref().unwrap_or(object);
        reader.visit(root, None);
        let above = match self.inspection(root) {
            Some(inspection) if root != object => inspection.ancestors,
            _ => Vec::new(),
        };
        if let Some(reason) = self.observation_cut {
            reader.gap(reason, None, None);
        }
        Observation {
            application: application.clone(),
            window: window.clone(),
            nodes: reader.nodes,
            above,
            gaps: reader.gaps,
        }
    }
}

impl Reader<'_> {
    fn gap(&mut self, reason: GapReason, node: Option<usize>, missing: Option<u64>) {
        self.gaps.push(Gap { node, missing, ..Gap::somewhere(reason) });
    }

    /// Reads an element and what is below it; says whether there was still room for it.
    fn visit(&mut self, id: &ObjectId, parent: Option<usize>) -> bool {
        let Some(object) = self.scene.objects.get(id) else {
            return true;
        };
        if self.nodes.len() >= self.request.max_nodes {
            return false;
        }
        let index = self.nodes.len();
        let mut node = read(object);
        node.parent = parent;
        if !self.request.bounds {
            node.bounds = Reading::Unknown;
        }
        self.keep_to_budget(&mut node, index);
        self.nodes.push(node);
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(index);
        }
        let count = object.claimed_children.unwrap_or(object.children.len() as u64);
        if object.failing {
            self.gap(GapReason::Unresponsive, Some(index), None);
        } else if let Some(reason) = object.cut {
            self.gap(reason, Some(index), Some(count));
        } else {
            let skip = self.request.offset.filter(|_| index == 0).unwrap_or(0);
            let paged = count > self.request.max_children || skip > 0;
            let most = if paged { self.request.page } else { u64::MAX };
            let bounds = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let page = object.children.iter().skip(bounds(skip)).take(bounds(most));
            if paged {
                let read = page.len() as u64;
                let next = (skip + read < count && read > 0).then_some(skip + read);
                let gap = Gap { from: Some(skip), next, ..Gap::at(GapReason::TooManyChildren, index) };
                self.gaps.push(gap.missing(count.saturating_sub(read)));
            }
            for (read, child) in page.enumerate() {
                if !self.visit(child, Some(index)) {
                    let missing = (object.children.len() - read) as u64;
                    self.gap(GapReason::NodeBudget, Some(index), Some(missing));
                    break;
                }
            }
        }
        true
    }

    fn keep_to_budget(&mut self, node: &mut Node, index: usize) {
        let limit = self.request.max_string.min(self.text_left);
        let mut cut = false;
        let mut used = 0;
        let mut shorten = |text: &mut String| {
            let (kept, shortened) = clip(text, limit);
            let kept = kept.to_owned();
            used += kept.len();
            cut |= shortened;
            *text = kept;
            shortened
        };
        // A part of a name is another name, so it is not known then.
        for reading in [&mut node.name, &mut node.description, &mut node.native_id, &mut node.placeholder] {
            if let Reading::Known(text) = reading
                && shorten(text)
            {
                *reading = Reading::Unknown;
            }
        }
        if let Reading::Known(Content::Text { text, clipped }) = &mut node.content {
            *clipped |= shorten(text);
        }
        self.text_left = self.text_left.saturating_sub(used);
        if cut {
            self.gap(GapReason::TextBudget, Some(index), None);
        }
    }
}

/// One object as it can be read now.
fn read(object: &Object) -> Node {
    let mut node = object.node.clone();
    node.parent = None;
    node.children = Vec::new();
    node.child_count = Reading::Known(object.claimed_children.unwrap_or(object.children.len() as u64));
    let unreadable = |property| object.failing || object.unreadable.contains(&property);
    for (property, reading) in [
        (Property::Name, &mut node.name),
        (Property::Description, &mut node.description),
        (Property::NativeId, &mut node.native_id),
    ] {
        if unreadable(property) {
            *reading = Reading::Unknown;
        }
    }
    if unreadable(Property::Content) {
        node.content = Reading::Unknown;
    }
    if unreadable(Property::States) {
        node.states = Reading::Unknown;
    }
    if unreadable(Property::ChildCount) {
        node.child_count = Reading::Unknown;
    }
    node
}
