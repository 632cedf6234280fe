//! A file gets new content: the new file and the old one exchange their names, and the old one is kept.

use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use super::{Effect, Expect, Record, Standing, Step, clear, content, discard, expected, hash_at, stale};
use crate::canonical::sha256;
use crate::path::RelPath;
use crate::root::{Root, failed};
use crate::sys::Kind;

/// What is at `at` and what is at `aside` exchange their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// The file.
    pub at: RelPath,
    /// Where the new content is made, and the old file is afterwards.
    pub aside: RelPath,
    /// SHA-256 of the new content, where it is the plan's; without, both files are there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

impl Effect for Swap {
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record> {
        // Whose content the hash is of decides; a change of times alone is nobody's work that is lost.
        let (_, stat) = expected(root, &self.at, expect.main.as_ref(), expect.may_differ)?;
        if stat.kind != Kind::File {
            return Err(stale(&self.at, "is not a regular file"));
        }
        if let Some(hash) = &expect.hash
            && hash_at(root, &self.at)? != *hash
        {
            return Err(stale(&self.at, "has another content"));
        }
        let other = if self.hash.is_some() {
            None
        } else {
            Some((&expected(root, &self.aside, expect.other.as_ref(), true)?.1).into())
        };
        Ok(Record { main: other, other: Some((&stat).into()) })
    }

    fn prepare(&self, root: &Root<'_>, found: Record, _: &Expect, bytes: Option<&[u8]>) -> Result<Record> {
        let Some(hash) = &self.hash else { return Ok(found) };
        let Some(bytes) = bytes.filter(|bytes| sha256(bytes) == *hash) else {
            return Err(Error::new(Code::Internal, "the content of a write is not the plan's").kind("bad_content"));
        };
        let old = root.place(&self.at)?;
        let place = clear(root, &self.aside)?;
        let made = root
            .sys
            .open_file(&old.dir.handle, &old.name)
            .and_then(|like| content::write(root, &place.dir.handle, &place.name, bytes, Some(&like)));
        match made {
            Ok(stat) => Ok(Record { main: Some((&stat).into()), other: found.other }),
            Err(errno) => {
                let _ = clear(root, &self.aside);
                Err(failed(errno, &format!("{} cannot be written", self.at)))
            }
        }
    }

    fn discard(&self, root: &Root<'_>, record: &Record) {
        if self.hash.is_some() {
            discard(root, &self.aside, record.main.as_ref());
        }
    }

    fn apply(&self, root: &Root<'_>, _: &Record) -> Result<()> {
        let (file, aside) = (root.place(&self.at)?, root.place(&self.aside)?);
        root.sys
            .exchange(&aside.dir.handle, &aside.name, &file.dir.handle, &file.name)
            .map_err(|errno| failed(errno, &format!("{} cannot be exchanged", self.at)))
    }

    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing> {
        let holds = |path: &RelPath, ident: Option<&super::Ident>| -> Result<bool> {
            Ok(root.look(path)?.is_some_and(|stat| ident.is_some_and(|ident| ident.is(&stat))))
        };
        let (main, other) = (record.main.as_ref(), record.other.as_ref());
        Ok(if holds(&self.at, main)? && holds(&self.aside, other)? {
            Standing::After
        } else if holds(&self.at, other)? && holds(&self.aside, main)? {
            Standing::Before
        } else {
            Standing::Unknown
        })
    }

    /// The same exchange, if the file still has the content it was given.
    fn undo(&self, _: &Root<'_>, record: &Record, hash: Option<&str>, _: &str) -> Result<(Step, Expect)> {
        let step = Step::Swap(Swap { at: self.at.clone(), aside: self.aside.clone(), hash: None });
        let hash = self.hash.as_deref().or(hash).map(str::to_owned);
        Ok((step, Expect { main: record.main, other: record.other, hash, may_differ: true }))
    }

    fn paths(&self) -> Vec<&RelPath> {
        vec![&self.at, &self.aside]
    }

    fn prepares(&self) -> bool {
        self.hash.is_some()
    }
}
