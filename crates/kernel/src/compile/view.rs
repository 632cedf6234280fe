//! Names as they will be after the steps so far.

use std::collections::BTreeMap;

use surehand_core::Result;

use crate::effect::Ident;
use crate::path::RelPath;
use crate::root::Root;
use crate::sys::{Kind, Stat};

/// What a step has done to a name.
#[derive(Debug, Clone)]
pub(super) enum Seen {
    /// Nothing is there any more.
    Gone,
    /// Something new is there.
    Made(Kind),
    /// What is there is on the disk elsewhere.
    Is(RelPath),
}

/// What is at a path.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) kind: Kind,
    /// Where it is on the disk; none for what is yet to be made.
    pub(super) real: Option<RelPath>,
    pub(super) stat: Option<Stat>,
}

impl Found {
    pub(super) fn ident(&self) -> Option<Ident> {
        self.stat.as_ref().map(Into::into)
    }

    pub(super) fn inode(&self) -> Option<(u64, u64)> {
        self.stat.as_ref().map(|stat| (stat.dev, stat.ino))
    }
}

pub(super) struct View<'r, 's> {
    root: &'r Root<'s>,
    over: BTreeMap<RelPath, Seen>,
}

impl<'r, 's> View<'r, 's> {
    pub(super) fn new(root: &'r Root<'s>) -> View<'r, 's> {
        View { root, over: BTreeMap::new() }
    }

    /// What is at a path by now.
    pub(super) fn find(&self, path: &RelPath) -> Result<Option<Found>> {
        let mut ancestor = Some(path.clone());
        while let Some(here) = ancestor {
            match self.over.get(&here) {
                Some(Seen::Made(kind)) if here == *path => {
                    return Ok(Some(Found { kind: *kind, real: None, stat: None }));
                }
                Some(Seen::Gone | Seen::Made(_)) => return Ok(None),
                Some(Seen::Is(real)) => {
                    let Some(real) = path.rebased(&here, real) else { return Ok(None) };
                    return self.on_disk(real);
                }
                None => ancestor = here.parent(),
            }
        }
        self.on_disk(path.clone())
    }

    fn on_disk(&self, real: RelPath) -> Result<Option<Found>> {
        Ok(self.root.look(&real)?.map(|stat| Found { kind: stat.kind, real: Some(real), stat: Some(stat) }))
    }

    pub(super) fn put(&mut self, path: &RelPath, seen: Seen) {
        self.over.insert(path.clone(), seen);
    }

    /// What is at `from`, and everything beneath, is at `to` from now on.
    pub(super) fn shift(&mut self, from: &RelPath, to: &RelPath) -> Result<()> {
        let seen = match self.find(from)? {
            Some(Found { real: Some(real), .. }) => Seen::Is(real),
            Some(Found { kind, .. }) => Seen::Made(kind),
            None => Seen::Gone,
        };
        // Names below sort behind `from/`, with nothing else in between.
        let below: Vec<RelPath> = self
            .over
            .range(from.join(b"")..)
            .map(|(path, _)| path)
            .take_while(|path| path.is_within(from))
            .cloned()
            .collect();
        for path in below {
            if let (Some(seen), Some(moved)) = (self.over.remove(&path), path.rebased(from, to)) {
                self.over.insert(moved, seen);
            }
        }
        self.over.insert(from.clone(), Seen::Gone);
        self.over.insert(to.clone(), seen);
        Ok(())
    }
}
