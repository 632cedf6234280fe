//! What an application lists of all its objects in one call.

use std::collections::HashMap;

use surehand_core::reading::Reading;

use crate::app::NativeRef;
use crate::read::{self, Raw, interfaces};
use crate::states::NativeStates;

/// One entry of `Cache.GetItems`: object, application, parent, index in parent, count of children,
/// interfaces, name, role, description, states. Read with plain types: one entry of a kind we do not know
/// must not cost us the others.
/// Texts stay where they came: a hundred megabytes of them are not copied.
type CacheItem<'m> = (NativeRef, NativeRef, NativeRef, i32, i32, Vec<String>, &'m str, u32, &'m str, Vec<u32>);

/// What `Cache.GetItems` told.
#[derive(Default)]
pub(crate) struct Cache {
    pub(crate) items: HashMap<String, Item>,
    /// The children of each parent, as far as the list tells them.
    pub(crate) children: HashMap<String, Children>,
    /// What the list left out and was asked for at once.
    pub(crate) strangers: HashMap<String, Raw>,
    /// The children of parents of which the list does not tell them all.
    pub(crate) asked: HashMap<String, Vec<NativeRef>>,
}

/// Children of one parent in the list.
pub(crate) struct Children {
    pub(crate) paths: Vec<String>,
    /// Whether their places are 0, 1, 2, …, which proves the order; anything else is asked for.
    in_order: bool,
}

impl Children {
    pub(crate) fn are_all(&self, count: u64) -> bool {
        self.in_order && self.paths.len() as u64 == count
    }
}

pub(crate) struct Item {
    child_count: i32,
    interfaces: Vec<String>,
    name: String,
    role: u32,
    description: String,
    states: Vec<u32>,
    cut: bool,
}

impl Item {
    pub(crate) fn fill(&self, raw: &mut Raw) {
        raw.role = Reading::Known(self.role);
        raw.cut = self.cut;
        raw.name = Reading::of_text(self.name.clone());
        raw.description = Reading::of_text(self.description.clone());
        raw.states = Reading::Known(NativeStates::from_words(&self.states));
        raw.interfaces = Reading::Known(interfaces(&self.interfaces));
        raw.child_count = match u64::try_from(self.child_count) {
            Ok(count) => Reading::Known(count),
            Err(_) => Reading::Unknown,
        };
    }
}

impl Cache {
    /// How many children it has; none where that is not known, and for what the list does not tell, not even that.
    pub(crate) fn count(&self, path: &str) -> Option<u64> {
        match self.items.get(path) {
            Some(item) => Some(u64::try_from(item.child_count).unwrap_or(0)),
            None => self.strangers.get(path).map(|raw| raw.child_count.known().copied().unwrap_or(0)),
        }
    }

    pub(crate) fn of(name: &str, items: Vec<CacheItem<'_>>) -> Cache {
        let mut cache = Cache::default();
        let mut placed: HashMap<String, Vec<(i32, String)>> = HashMap::new();
        for (object, _, parent, index, child_count, interfaces, text, role, description, states) in items {
            // An application can only speak for its own objects.
            if object.0 != name {
                continue;
            }
            let path = object.1.to_string();
            if parent.0 == name && !cache.items.contains_key(&path) {
                placed.entry(parent.1.to_string()).or_default().push((index, path.clone()));
            }
            cache.items.entry(path).or_insert_with(|| {
                let ((name, one), (description, other)) = (read::kept(text), read::kept(description));
                Item { child_count, interfaces, name, role, description, states, cut: one || other }
            });
        }
        for (parent, mut children) in placed {
            children.sort_by_key(|(index, _)| *index);
            let in_order = children.iter().enumerate().all(|(place, (index, _))| i32::try_from(place) == Ok(*index));
            let paths = children.into_iter().map(|(_, path)| path).collect();
            cache.children.insert(parent, Children { paths, in_order });
        }
        cache
    }
}
