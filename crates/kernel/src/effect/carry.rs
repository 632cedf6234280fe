//! A file moves to another device: a verified, durable copy enters there before the source goes.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use super::{Effect, Expect, Record, Standing, Step, clear, copy, discard, expected, free, rename, stale};
use crate::path::{OURS, RelPath};
use crate::root::{Root, failed};
use crate::sys::Kind;

/// The regular file at `from` goes to `to`, which is on another device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carry {
    /// Where it is.
    pub from: RelPath,
    /// Where it goes.
    pub to: RelPath,
    /// Where the copy is made, on the device of the target.
    pub stage: RelPath,
}

impl Carry {
    /// Whether source and copy are where they were recorded, in this order. A copy that was written into since is not one.
    fn holds(&self, root: &Root<'_>, record: &Record) -> Result<(bool, bool)> {
        let source = root.look(&self.from)?.is_some_and(|stat| record.main.is_some_and(|main| main.is(&stat)));
        let copy = root.look(&self.to)?.is_some_and(|stat| record.other.is_some_and(|other| other.is(&stat)));
        Ok((source, copy))
    }
}

impl Effect for Carry {
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record> {
        let (_, stat) = expected(root, &self.from, expect.main.as_ref(), expect.may_differ)?;
        if stat.kind != Kind::File {
            return Err(stale(&self.from, "is not a regular file"));
        }
        free(root, &self.to)?;
        Ok(Record { main: Some((&stat).into()), other: None })
    }

    fn prepare(&self, root: &Root<'_>, _: Record, _: &Expect, _: Option<&[u8]>) -> Result<Record> {
        let place = clear(root, &self.stage)?;
        match copy(root, &self.from, &place.dir.handle, &place.name) {
            // The source as it was when the copy was complete: what is removed later has to be just that.
            Ok((stat, source, _)) => Ok(Record { main: Some((&source).into()), other: Some((&stat).into()) }),
            Err(error) => {
                let _ = clear(root, &self.stage);
                Err(error)
            }
        }
    }

    fn discard(&self, root: &Root<'_>, record: &Record) {
        discard(root, &self.stage, record.other.as_ref());
    }

    fn apply(&self, root: &Root<'_>, record: &Record) -> Result<()> {
        rename(root, &self.stage, &self.to)?;
        let target = root.place(&self.to)?;
        let unsynced = |errno| failed(errno, &format!("{} cannot be made durable", self.to));
        root.sys.sync(&target.dir.handle).map_err(unsynced)?;
        let (source, stat) = expected(root, &self.from, record.main.as_ref(), false)?;
        if record.main.is_none_or(|main| main.ctime != stat.ctime) {
            return Err(stale(&self.from, "was changed while it was moved"));
        }
        root.sys
            .unlink(&source.dir.handle, &source.name)
            .map_err(|errno| failed(errno, &format!("{} was copied and cannot be removed", self.from)))
    }

    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing> {
        Ok(match self.holds(root, record)? {
            (true, false) => Standing::Before,
            (true, true) => Standing::Between,
            (false, true) => Standing::After,
            (false, false) => Standing::Unknown,
        })
    }

    fn retract(&self, root: &Root<'_>, record: &Record) -> Result<()> {
        if self.holds(root, record)? != (true, true) {
            return Err(Error::new(Code::Internal, "a move that is not half done cannot be taken half back"));
        }
        // A copy that somebody has written into meanwhile is theirs.
        let (place, _) = expected(root, &self.to, record.other.as_ref(), false)?;
        root.sys
            .unlink(&place.dir.handle, &place.name)
            .and_then(|()| root.sys.sync(&place.dir.handle))
            .map_err(|errno| failed(errno, &format!("the copy at {} cannot be removed", self.to)))
    }

    fn undo(&self, root: &Root<'_>, record: &Record, _: Option<&str>, unique: &str) -> Result<(Step, Expect)> {
        let stage = stage_for(root, &self.from, unique)?;
        let step = Step::Carry(Carry { from: self.to.clone(), to: self.from.clone(), stage });
        Ok((step, Expect { main: record.other, may_differ: true, ..Expect::default() }))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.from, &self.to, &self.stage]
    }

    fn prepares(&self) -> bool {
        true
    }
}

/// Where something new for that path is made: in our folder, or beside it where that is another device.
pub(crate) fn stage_for(root: &Root<'_>, path: &RelPath, unique: &str) -> Result<RelPath> {
    let same = root.directory(path.parent().as_ref())?.dev == root.dir.dev;
    let ours = path.components().next() == Some(OURS.as_bytes());
    Ok(if same || ours {
        RelPath::ours(crate::root::STAGE, &format!("new-{unique}"))
    } else {
        path.beside(&format!("{OURS}-new-{unique}"))
    })
}
