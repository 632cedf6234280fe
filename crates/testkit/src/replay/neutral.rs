//! Taking out of a recording what is only true of the run that made it.

use std::collections::HashMap;

use surehand_core::node::{Content, Node};
use surehand_core::object::{ObjectId, Process};
use surehand_core::reading::Reading;
use surehand_core::recording::Recording;

/// The same recording with plain names for everything that is another one in each run: connections, objects,
/// processes, windows. What is equal stays equal, and nothing else becomes so. `places` are paths of this machine that
/// texts may show, with what stands for each.
pub fn neutral(recording: &Recording, places: &[(&str, &str)]) -> Recording {
    let mut recording = recording.clone();
    let mut names = Names::default();
    let observation = &mut recording.observation;
    names.rename(&mut observation.application.object);
    observation.window.object.iter_mut().for_each(|object| names.rename(object));
    let nodes = observation.nodes.iter_mut().chain(&mut observation.above);
    for node in nodes {
        names.rename(&mut node.object);
        texts(node).for_each(|text| replace(text, places));
    }
    recording.request.root.iter_mut().for_each(|object| names.rename(object));
    let process = Process { pid: 4_000, generation: "recorded".to_owned() };
    observation.application.process = process.clone();
    let window = &mut observation.window;
    window.process = process;
    replace(&mut window.title, places);
    window.id = "w-1".to_owned();
    window.other_id = window.other_id.as_ref().map(|_| "w-2".to_owned());
    window.native = window.native.map(|_| 1);
    recording
}

/// Numbers in the order in which owners and objects are met.
#[derive(Default)]
struct Names {
    owners: HashMap<String, usize>,
    objects: HashMap<ObjectId, usize>,
}

impl Names {
    fn rename(&mut self, object: &mut ObjectId) {
        let count = self.objects.len();
        let number = *self.objects.entry(object.clone()).or_insert(count);
        let count = self.owners.len() + 1;
        let owner = *self.owners.entry(object.owner.clone()).or_insert(count);
        *object = ObjectId { owner: format!("bus:1.{owner}"), object: format!("/{number}") };
    }
}

/// Every text that an element shows.
fn texts(node: &mut Node) -> impl Iterator<Item = &mut String> {
    let labels = [&mut node.name, &mut node.description, &mut node.native_id, &mut node.placeholder];
    let labels = labels.into_iter().filter_map(|reading| match reading {
        Reading::Known(text) => Some(text),
        Reading::Absent | Reading::Unknown => None,
    });
    let content = match &mut node.content {
        Reading::Known(Content::Text { text, .. }) => Some(text),
        _ => None,
    };
    labels.chain(content)
}

fn replace(text: &mut String, places: &[(&str, &str)]) {
    for (place, instead) in places {
        *text = text.replace(place, instead);
    }
}
