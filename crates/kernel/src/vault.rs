//! What was put away: how much there is, and its end, which is a person's to decide.

use rustix::io::Errno;
use serde::Serialize;
use surehand_core::Result;

use crate::engine::Session;
use crate::journal::{Line, Status, Way};
use crate::path::OURS;
use crate::root::{Root, VAULT, failed};
use crate::sys::{Handle, Kind, Sys, System};

/// Something in the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Its name in the vault, which begins with the task.
    pub name: String,
    /// Bytes in it.
    pub bytes: u64,
    /// How many files, itself included.
    pub files: u64,
}

/// What is in the vault of a root. Writes nothing; a root without one has nothing in it.
///
/// # Errors
/// What the system says.
pub fn list(root: &Root<'_>) -> Result<Vec<Kept>> {
    let sys = root.sys;
    let found = || -> Sys<Vec<Kept>> {
        let vault = match open(root) {
            Ok(vault) => vault,
            Err(Errno::NOENT) => return Ok(Vec::new()),
            Err(errno) => return Err(errno),
        };
        let mut kept = Vec::new();
        for name in sys.list(&vault)? {
            let (bytes, files) = measure(sys, &vault, &name)?;
            kept.push(Kept { name: String::from_utf8_lossy(&name).into_owned(), bytes, files });
        }
        kept.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(kept)
    };
    found().map_err(|errno| failed(errno, "the vault cannot be read"))
}

fn open(root: &Root<'_>) -> Sys<Handle> {
    let ours = root.sys.open_dir(&root.dir.handle, OURS.as_bytes())?;
    root.sys.open_dir(&ours, VAULT.as_bytes())
}

/// Bytes and files of a name, with all that is below.
fn measure(sys: &dyn System, dir: &Handle, name: &[u8]) -> Sys<(u64, u64)> {
    let stat = sys.stat(dir, name)?;
    if stat.kind != Kind::Dir {
        return Ok((stat.size, 1));
    }
    let inner = sys.open_dir(dir, name)?;
    let mut sum = (0, 1);
    for name in sys.list(&inner)? {
        let (bytes, files) = measure(sys, &inner, &name)?;
        sum = (sum.0 + bytes, sum.1 + files);
    }
    Ok(sum)
}

impl Session<'_> {
    /// Deletes what is in the vault, for good: what it was needed for cannot be taken back any more. A person's decision.
    ///
    /// # Errors
    /// What the system says; what was not deleted yet then stays.
    pub fn empty_vault(&mut self) -> Result<Vec<Kept>> {
        let kept = list(&self.root)?;
        let bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
        let summary = format!("delete {} things with {bytes} bytes from the vault", kept.len());
        self.tell_vault(Status::Started, &summary)?;
        let sys = self.root.sys;
        let emptied = open(&self.root).and_then(|vault| {
            for name in sys.list(&vault)? {
                delete(sys, &vault, &name)?;
            }
            sys.sync(&vault)
        });
        emptied.map_err(|errno| failed(errno, "the vault cannot be emptied"))?;
        self.tell_vault(Status::Ok, &summary)?;
        Ok(kept)
    }

    fn tell_vault(&mut self, status: Status, summary: &str) -> Result<()> {
        let mut line = Line::of_task(&self.id.clone(), "surehand", status, Way::Do);
        line.kind = "vault".to_owned();
        line.summary = summary.to_owned();
        self.tell(line)
    }
}

fn delete(sys: &dyn System, dir: &Handle, name: &[u8]) -> Sys<()> {
    if sys.stat(dir, name)?.kind != Kind::Dir {
        return sys.unlink(dir, name);
    }
    let inner = sys.open_dir(dir, name)?;
    for name in sys.list(&inner)? {
        delete(sys, &inner, &name)?;
    }
    drop(inner);
    sys.rmdir(dir, name)
}
