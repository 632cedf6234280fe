//! Directories come and go.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use super::{Effect, Expect, Record, Standing, Step, clear, discard, expected, free, rename, renamed, stale};
use crate::path::RelPath;
use crate::root::{Root, failed};
use crate::sys::Kind;

/// A new directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Make {
    /// The directory.
    pub to: RelPath,
    /// Where it is made.
    pub stage: RelPath,
    /// Its mode.
    pub mode: u32,
}

impl Effect for Make {
    fn check(&self, root: &Root<'_>, _: &Expect) -> Result<Record> {
        free(root, &self.to)?;
        Ok(Record::default())
    }

    fn prepare(&self, root: &Root<'_>, _: Record, _: &Expect, _: Option<&[u8]>) -> Result<Record> {
        let place = clear(root, &self.stage)?;
        let dir = &place.dir.handle;
        let made = root.sys.mkdir(dir, &place.name).and_then(|()| {
            let handle = root.sys.open_dir(dir, &place.name)?;
            root.sys.set_mode(&handle, self.mode)?;
            root.sys.sync(&handle)?;
            root.sys.stat_open(&handle)
        });
        match made {
            Ok(stat) => Ok(Record { main: Some((&stat).into()), other: None }),
            Err(errno) => {
                let _ = clear(root, &self.stage);
                Err(failed(errno, &format!("the directory {} cannot be made", self.to)))
            }
        }
    }

    fn discard(&self, root: &Root<'_>, record: &Record) {
        discard(root, &self.stage, record.main.as_ref());
    }

    fn apply(&self, root: &Root<'_>, _: &Record) -> Result<()> {
        rename(root, &self.stage, &self.to)
    }

    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing> {
        renamed(root, record.main.as_ref(), &self.stage, &self.to)
    }

    fn undo(&self, root: &Root<'_>, record: &Record, _: Option<&str>, unique: &str) -> Result<(Step, Expect)> {
        let mode = root.look(&self.to)?.map_or(self.mode, |stat| stat.mode);
        let stage = self.stage.beside(&format!("new-{unique}"));
        let step = Step::Unmake(Unmake { at: self.to.clone(), stage, mode });
        Ok((step, Expect { main: record.main, may_differ: true, ..Expect::default() }))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.to, &self.stage]
    }

    fn prepares(&self) -> bool {
        true
    }
}

/// An empty directory goes. The system refuses when it is not empty, so nobody's file goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmake {
    /// The directory.
    pub at: RelPath,
    /// Where it would be made again.
    pub stage: RelPath,
    /// The mode it would be made with.
    pub mode: u32,
}

impl Effect for Unmake {
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record> {
        let (_, stat) = expected(root, &self.at, expect.main.as_ref(), true)?;
        if stat.kind != Kind::Dir {
            return Err(stale(&self.at, "is not a directory any more"));
        }
        let dir = root.directory(Some(&self.at))?;
        let names =
            root.sys.list(&dir.handle).map_err(|errno| failed(errno, &format!("{} cannot be read", self.at)))?;
        if !names.is_empty() {
            return Err(Error::new(Code::Conflict, format!("{} is not empty, and stays", self.at))
                .kind("not_empty")
                .detail("path", self.at.quoted()));
        }
        Ok(Record { main: Some((&stat).into()), other: None })
    }

    fn apply(&self, root: &Root<'_>, _: &Record) -> Result<()> {
        let place = root.place(&self.at)?;
        root.sys
            .rmdir(&place.dir.handle, &place.name)
            .map_err(|errno| failed(errno, &format!("the directory {} cannot be removed", self.at)))
    }

    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing> {
        Ok(match root.look(&self.at)? {
            None => Standing::After,
            Some(stat) if record.main.is_some_and(|main| main.is(&stat)) => Standing::Before,
            Some(_) => Standing::Unknown,
        })
    }

    fn undo(&self, _: &Root<'_>, _: &Record, _: Option<&str>, unique: &str) -> Result<(Step, Expect)> {
        let stage = self.stage.beside(&format!("new-{unique}"));
        Ok((Step::Make(Make { to: self.at.clone(), stage, mode: self.mode }), Expect::default()))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.at]
    }
}
