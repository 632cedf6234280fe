//! Steps: each moves recorded inodes between known places, and can be checked, prepared, applied, probed and taken
//! back. Taking back is a step again, so there is one engine for both ways.

use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use surehand_core::{Code, Error, Result};

use crate::path::RelPath;
use crate::root::{Place, Root, failed};
use crate::sys::{Kind, Moment, Stat};

mod carry;
mod content;
mod fill;
mod make;
mod shift;
mod swap;

pub use carry::Carry;
pub use content::{copy, hash_at};
pub use fill::Fill;
pub use make::{Make, Unmake};
pub use shift::Shift;
pub use swap::Swap;

/// What is kept of an inode to know it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ident {
    /// The inode.
    pub ino: u64,
    /// When it came to be, where the file system tells: an inode's number is given out again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<Moment>,
    /// What it is.
    pub kind: Kind,
    /// Length in bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime: Moment,
    /// Last change of anything.
    pub ctime: Moment,
}

impl From<&Stat> for Ident {
    fn from(stat: &Stat) -> Ident {
        Ident { ino: stat.ino, born: stat.born, kind: stat.kind, size: stat.size, mtime: stat.mtime, ctime: stat.ctime }
    }
}

impl Ident {
    /// Whether this is the same inode.
    pub fn is(&self, stat: &Stat) -> bool {
        self.ino == stat.ino
            && self.kind == stat.kind
            && (self.born.is_none() || stat.born.is_none() || self.born == stat.born)
    }

    /// Whether it is the same inode with the same content, as far as can be told without reading. What is in a directory
    /// is not its content.
    pub fn is_unchanged(&self, stat: &Stat) -> bool {
        self.is(stat) && (self.kind == Kind::Dir || (self.size == stat.size && self.mtime == stat.mtime))
    }
}

/// The inodes of one intent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Record {
    /// What moves, or is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<Ident>,
    /// What it is exchanged with, or the copy that was made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Ident>,
}

/// What a step is to find.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Expect {
    /// The inode that is acted on, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<Ident>,
    /// The inode on the other side of an exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Ident>,
    /// SHA-256 of the content that is acted on, where content decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Whether a changed content is all right: a file that was moved and then edited goes back with its edits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_differ: bool,
}

/// What a probe found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The effect is not there.
    Before,
    /// It is half there: a copy is in place and the source is too. [`Effect::retract`] leads back.
    Between,
    /// It is there.
    After,
    /// The recorded inodes are at none of their places.
    Unknown,
}

/// What one kind of step does.
pub trait Effect {
    /// Whether the step could be carried out now, and on which inodes. Changes nothing.
    ///
    /// # Errors
    /// `PLAN_STALE` or `CONFLICT` naming the path that differs, or a refusal.
    fn check(&self, root: &Root<'_>, expect: &Expect) -> Result<Record>;

    /// Makes what is new under a name of ours, complete and durable but for that name. Says nothing where a step makes
    /// nothing new.
    ///
    /// # Errors
    /// What the system says; what was begun is removed.
    fn prepare(&self, root: &Root<'_>, found: Record, expect: &Expect, content: Option<&[u8]>) -> Result<Record> {
        let _ = (root, expect, content);
        Ok(found)
    }

    /// Removes what [`Effect::prepare`] made, if it is still under our name.
    fn discard(&self, root: &Root<'_>, record: &Record) {
        let _ = (root, record);
    }

    /// Does it. The intent is durable.
    ///
    /// # Errors
    /// What the system says. Whether the effect is there, [`Effect::probe`] tells.
    fn apply(&self, root: &Root<'_>, record: &Record) -> Result<()>;

    /// Looks where the recorded inodes are.
    ///
    /// # Errors
    /// What the system says.
    fn probe(&self, root: &Root<'_>, record: &Record) -> Result<Standing>;

    /// Leads from [`Standing::Between`] back to [`Standing::Before`].
    ///
    /// # Errors
    /// What the system says, or that it is not half there.
    fn retract(&self, root: &Root<'_>, record: &Record) -> Result<()> {
        let _ = (root, record);
        Err(Error::new(Code::Internal, "a step that is one call cannot be half there"))
    }

    /// The step that takes it back, and what that step is to find. `unique` is a part of names that no other step has.
    ///
    /// # Errors
    /// What the system says where a place has to be looked at.
    fn undo(&self, root: &Root<'_>, record: &Record, hash: Option<&str>, unique: &str) -> Result<(Step, Expect)>;

    /// The paths it changes, ours included.
    fn paths(&self) -> Vec<&RelPath>;

    /// Whether something is prepared under a name of ours.
    fn prepares(&self) -> bool {
        false
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Step {
    /// An inode gets another name.
    Shift(Shift),
    /// A new directory.
    Make(Make),
    /// An empty directory goes.
    Unmake(Unmake),
    /// A new file.
    Fill(Fill),
    /// Two files exchange their names.
    Swap(Swap),
    /// A file moves to another device.
    Carry(Carry),
}

impl Step {
    /// How it is taken back, in the words of actions.
    pub fn way_back(&self) -> serde_json::Value {
        use serde_json::json;
        match self {
            Step::Shift(Shift { from, to }) | Step::Carry(Carry { from, to, .. }) => {
                json!({"kind": "fs.move", "from": to, "to": from})
            }
            Step::Make(Make { to, .. }) => json!({"kind": "fs.rmdir", "path": to}),
            Step::Unmake(Unmake { at, .. }) => json!({"kind": "fs.mkdir", "path": at}),
            Step::Fill(Fill { to, .. }) => json!({"kind": "fs.trash", "path": to}),
            Step::Swap(Swap { at, aside, .. }) => json!({"kind": "fs.exchange", "path": at, "with": aside}),
        }
    }

    /// What it does.
    pub fn effect(&self) -> &dyn Effect {
        match self {
            Step::Shift(effect) => effect,
            Step::Make(effect) => effect,
            Step::Unmake(effect) => effect,
            Step::Fill(effect) => effect,
            Step::Swap(effect) => effect,
            Step::Carry(effect) => effect,
        }
    }
}

/// Says that a path is not as it was.
pub(crate) fn stale(path: &RelPath, why: &str) -> Error {
    Error::new(Code::PlanStale, format!("{path} {why}"))
        .kind("changed")
        .detail("path", path.quoted())
        .suggest("make the plan again with `surehand preview`")
}

/// What has to be at a path: the expected inode, unchanged where that is asked for.
pub(crate) fn expected(
    root: &Root<'_>,
    path: &RelPath,
    ident: Option<&Ident>,
    may_differ: bool,
) -> Result<(Place, Stat)> {
    let place = root.place(path)?;
    let stat = root.stat(&place, path)?.ok_or_else(|| stale(path, "is not there any more"))?;
    if let Some(ident) = ident {
        if !ident.is(&stat) {
            return Err(stale(path, "is another file than before"));
        }
        if !may_differ && !ident.is_unchanged(&stat) {
            return Err(stale(path, "was changed"));
        }
    }
    Ok((place, stat))
}

/// A place that has to be free.
pub(crate) fn free(root: &Root<'_>, path: &RelPath) -> Result<Place> {
    let place = root.place(path)?;
    match root.stat(&place, path)? {
        None => Ok(place),
        Some(_) => Err(stale(path, "is there already").kind("occupied")),
    }
}

/// The rename that everything is made of.
pub(crate) fn rename(root: &Root<'_>, from: &RelPath, to: &RelPath) -> Result<()> {
    let (source, target) = (root.place(from)?, root.place(to)?);
    root.sys
        .rename(&source.dir.handle, &source.name, &target.dir.handle, &target.name)
        .map_err(|errno| failed(errno, &format!("{from} cannot be moved to {to}")))
}

/// Whether a recorded inode is at a path. On a volume that does not tell cases apart two spellings find one name, so
/// where both places are in one directory the name is compared as it is listed.
pub(crate) fn is_at(root: &Root<'_>, path: &RelPath, ident: Option<&Ident>, other: &RelPath) -> Result<bool> {
    let Some(ident) = ident else { return Ok(false) };
    let at = |path: &RelPath| -> Result<bool> { Ok(root.look(path)?.is_some_and(|stat| ident.is(&stat))) };
    if !at(path)? {
        return Ok(false);
    }
    if path.parent() != other.parent() || path == other || !at(other)? {
        return Ok(true);
    }
    is_listed(root, path)
}

/// How far a rename of a recorded inode got.
pub(crate) fn renamed(root: &Root<'_>, ident: Option<&Ident>, from: &RelPath, to: &RelPath) -> Result<Standing> {
    Ok(match (is_at(root, from, ident, to)?, is_at(root, to, ident, from)?) {
        (true, false) => Standing::Before,
        (false, true) => Standing::After,
        _ => Standing::Unknown,
    })
}

/// Whether a directory lists exactly this name.
pub(crate) fn is_listed(root: &Root<'_>, path: &RelPath) -> Result<bool> {
    let place = root.place(path)?;
    let names = root
        .sys
        .list(&place.dir.handle)
        .map_err(|errno| failed(errno, &format!("the directory of {path} cannot be read")))?;
    Ok(names.contains(&place.name))
}

/// Removes a leftover of an earlier preparation. Only for names of ours that nothing but a copy can be under.
pub(crate) fn clear(root: &Root<'_>, path: &RelPath) -> Result<Place> {
    let place = root.place(path)?;
    let gone = match root.stat(&place, path)? {
        None => return Ok(place),
        Some(stat) if stat.kind == Kind::Dir => root.sys.rmdir(&place.dir.handle, &place.name),
        Some(_) => root.sys.unlink(&place.dir.handle, &place.name),
    };
    match gone {
        Ok(()) | Err(Errno::NOENT) => Ok(place),
        Err(errno) => Err(failed(errno, &format!("{path} cannot be cleared"))),
    }
}

/// Removes what was prepared, if it is what was recorded.
pub(crate) fn discard(root: &Root<'_>, stage: &RelPath, ident: Option<&Ident>) {
    let Some(ident) = ident else { return };
    if let Ok(Some(stat)) = root.look(stage)
        && ident.is(&stat)
    {
        let ours = stage.components().next() == Some(crate::path::OURS.as_bytes());
        let gone = clear(root, stage).and_then(|place| {
            // In a person's folder: its time, which is told next, has to be one that lasts.
            let synced = if ours { Ok(()) } else { root.sys.sync(&place.dir.handle) };
            synced.map_err(|errno| failed(errno, "a directory cannot be made durable"))
        });
        if let Err(error) = gone {
            tracing::debug!(%error, "a prepared file stays");
        }
    }
}
