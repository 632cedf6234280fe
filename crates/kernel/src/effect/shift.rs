//! An inode gets another name, and nothing is replaced.

use serde::{Deserialize, Serialize};
use surehand_core::Result;

use super::{Effect, Expect, Record, Standing, Step, expected, free, hash_at, rename, renamed, stale};
use crate::path::RelPath;
use crate::root::Root;

/// The inode at `from` goes to `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// Where it is.
    pub from: RelPath,
    /// Where it goes.
    pub to: RelPath,
}

impl Effect for Shift {
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record> {
        let (_, stat) = expected(root, &self.from, expect.main.as_ref(), expect.may_differ)?;
        if let Some(hash) = &expect.hash
            && hash_at(root, &self.from)? != *hash
        {
            return Err(stale(&self.from, "has another content than it was given"));
        }
        free(root, &self.to)?;
        Ok(Record { main: Some((&stat).into()), other: None })
    }

    fn apply(&self, root: &Root<'_>, _: &Record) -> Result<()> {
        rename(root, &self.from, &self.to)
    }

    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing> {
        renamed(root, record.main.as_ref(), &self.from, &self.to)
    }

    /// A file that was moved goes back with what was written into it since; one that was made (it has a digest) only as
    /// it was made.
    fn undo(&self, _: &Root<'_>, record: &Record, hash: Option<&str>, _: &str) -> Result<(Step, Expect)> {
        let step = Step::Shift(Shift { from: self.to.clone(), to: self.from.clone() });
        let hash = hash.map(str::to_owned);
        Ok((step, Expect { main: record.main, hash, may_differ: true, other: None }))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.from, &self.to]
    }
}
