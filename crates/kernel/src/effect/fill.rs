//! A new file: with content of the plan, or as a copy.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use super::{
    Effect, Expect, Record, Shift, Standing, Step, clear, content, copy, discard, expected, free, rename, renamed,
    stale,
};
use crate::canonical::sha256;
use crate::path::RelPath;
use crate::root::{Root, VAULT, failed};
use crate::sys::Kind;

/// A new file at `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// The file.
    pub to: RelPath,
    /// Where it is made.
    pub stage: RelPath,
    /// What it is a copy of; without, the content is the plan's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<RelPath>,
    /// SHA-256 of the content.
    pub hash: String,
}

impl Effect for Fill {
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record> {
        if let Some(from) = &self.from {
            let (_, stat) = expected(root, from, expect.main.as_ref(), false)?;
            if stat.kind != Kind::File {
                return Err(stale(from, "is not a regular file"));
            }
        }
        free(root, &self.to)?;
        Ok(Record::default())
    }

    fn prepare(&self, root: &Root<'_>, _: Record, _: &Expect, bytes: Option<&[u8]>) -> Result<Record> {
        let place = clear(root, &self.stage)?;
        let made = match (&self.from, bytes) {
            (Some(from), _) => copy(root, from, &place.dir.handle, &place.name).and_then(|(stat, _, digest)| {
                if digest == self.hash { Ok(stat) } else { Err(stale(from, "was changed")) }
            }),
            (None, Some(bytes)) if sha256(bytes) == self.hash => {
                content::write(root, &place.dir.handle, &place.name, bytes, None)
                    .map_err(|errno| failed(errno, &format!("{} cannot be written", self.to)))
            }
            (None, _) => {
                Err(Error::new(Code::Internal, "the content of a write is not the plan's").kind("bad_content"))
            }
        };
        match made {
            Ok(stat) => Ok(Record { main: Some((&stat).into()), other: None }),
            Err(error) => {
                let _ = clear(root, &self.stage);
                Err(error)
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

    /// The new file goes to the vault, unless somebody has written into it: then it stays.
    fn undo(&self, _: &Root<'_>, record: &Record, _: Option<&str>, unique: &str) -> Result<(Step, Expect)> {
        // Beside its stage where that is on another device, else into the vault: a rename does not leave a device.
        let vault = if self.stage.components().next() == Some(crate::path::OURS.as_bytes()) {
            RelPath::ours(VAULT, unique)
        } else {
            self.stage.beside(&format!("{}-{unique}", crate::path::OURS))
        };
        let step = Step::Shift(Shift { from: self.to.clone(), to: vault });
        Ok((step, Expect { main: record.main, hash: Some(self.hash.clone()), may_differ: true, other: None }))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.to, &self.stage]
    }

    fn prepares(&self) -> bool {
        true
    }
}
