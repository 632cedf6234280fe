//! Where desktops are kept, and who may take an id there.
//!
//! ```text
//! <runtime>/desktops/last            number of the newest desktop
//! <runtime>/desktops/lock            held while an id is taken or given back
//! <runtime>/desktops/d1/desktop.json the record
//! <runtime>/desktops/d1/lock         held while a process is started in it or its record is changed
//! <runtime>/desktops/d1/run          its XDG_RUNTIME_DIR
//! <runtime>/desktops/d1/log          what its components print
//! <state>/desktops/d1/home           its HOME
//! <state>/desktops/d1/runtime        which runtime directory the home belongs to
//! ```

use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use surehand_core::error::{Code, Error, Result};
use surehand_core::text::quote;
use surehand_core::time::Call;

use super::record::{Record, write_private};
use super::wait::{internal, look_until};

/// The longest path of a socket: `sun_path` of `struct sockaddr_un` has 108 bytes, the last one a zero.
const SOCKET_PATH: usize = 107;

/// Room for what is made in the runtime directory of a desktop. The longest name seen there is the private
/// socket of an application, `/at-spi2-socket-` and a pid of seven digits.
const SOCKET_NAME: usize = 24;

/// Room for `/d`, five digits and `/run`.
const BELOW_DESKTOPS: usize = 11;

/// The directories that private desktops are kept in.
#[derive(Debug, Clone)]
pub struct Places {
    /// For what lives as long as the desktops do, usually `$XDG_RUNTIME_DIR/surehand`. Only its owner may be
    /// able to write in it. Made when it is missing.
    pub runtime: PathBuf,
    /// For the home directories of desktops, usually `$XDG_STATE_HOME/surehand`. Made when it is missing.
    pub state: PathBuf,
}

/// The directories of one desktop.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) id: String,
    pub(super) root: PathBuf,
    pub(super) state: PathBuf,
}

impl Desk {
    pub(super) fn record(&self) -> PathBuf {
        self.root.join("desktop.json")
    }

    pub(super) fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    pub(super) fn log(&self, role: &str) -> PathBuf {
        self.root.join("log").join(format!("{role}.log"))
    }

    pub(super) fn authority(&self) -> PathBuf {
        self.run().join("xauthority")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.state.join("home")
    }

    /// Takes the lock of this desktop; `None` when the desktop is gone.
    pub(super) fn lock(&self, call: &Call<'_>) -> Result<Option<File>> {
        match fs::OpenOptions::new().write(true).open(self.root.join("lock")) {
            Ok(file) => wait_for_lock(call, file).map(Some),
            Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(None),
            Err(fault) => Err(internal("the lock of a desktop cannot be opened", &fault)),
        }
    }
}

impl Places {
    fn desktops(&self) -> PathBuf {
        self.runtime.join("desktops")
    }

    fn homes(&self) -> PathBuf {
        self.state.join("desktops")
    }

    /// The directories of a desktop, whether or not there is one.
    pub(super) fn desk(&self, id: &str) -> Desk {
        Desk { id: id.to_owned(), root: self.desktops().join(id), state: self.homes().join(id) }
    }

    /// Refuses directories in which a desktop could not work, before anything is made in them.
    ///
    /// # Errors
    /// `INVALID_ARGS` when one is relative or not UTF-8, and when sockets in the runtime directory could not be
    /// bound or not be named in a D-Bus address.
    pub(super) fn check_paths(&self) -> Result<()> {
        for path in [&self.runtime, &self.state] {
            if !path.is_absolute() || path.to_str().is_none() {
                return Err(invalid("path", format!("{} is not an absolute path in UTF-8", shown(path))));
            }
        }
        // Others would have to be escaped in the address of a bus, and several clients, among them the library
        // we use, do not undo that in the path of a socket.
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(byte);
        if !self.runtime.as_os_str().as_encoded_bytes().iter().all(plain) {
            let text =
                format!("the runtime directory {} has more than A-Z a-z 0-9 / - _ . in it", shown(&self.runtime));
            return Err(invalid("path_characters", text).suggest("choose a runtime directory with a plain path"));
        }
        let longest = self.desktops().as_os_str().len() + BELOW_DESKTOPS + SOCKET_NAME;
        if longest > SOCKET_PATH {
            let most = SOCKET_PATH - BELOW_DESKTOPS - SOCKET_NAME - "/desktops".len();
            let text = format!("the runtime directory {} is longer than {most} bytes", shown(&self.runtime));
            return Err(invalid("path_too_long", text)
                .suggest("choose a shorter runtime directory: sockets in it cannot have longer paths")
                .detail("most_bytes", most));
        }
        Ok(())
    }

    /// Makes the directories that are missing and makes sure that they are nobody else's.
    ///
    /// # Errors
    /// `PERM_DENIED` when one is another user's, can be entered by others or is a link.
    pub(super) fn prepare(&self) -> Result<()> {
        for (above, own) in [(&self.runtime, self.desktops()), (&self.state, self.homes())] {
            make(above, true)?;
            check(above, 0o022)?;
            make(&own, false)?;
            check(&own, 0o077)?;
        }
        Ok(())
    }

    /// The ids of the desktops there are, oldest first. None when no desktop was ever started here.
    ///
    /// # Errors
    /// As [`Places::prepare`], and `INTERNAL` when the directory cannot be read.
    pub(super) fn ids(&self) -> Result<Vec<String>> {
        let desktops = self.desktops();
        match fs::symlink_metadata(&desktops) {
            Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            _ => check(&self.runtime, 0o022).and_then(|()| check(&desktops, 0o077))?,
        }
        let mut numbers: Vec<u32> = entries(&desktops)?.iter().filter_map(|name| number(name)).collect();
        numbers.sort_unstable();
        Ok(numbers.into_iter().map(|number| format!("d{number}")).collect())
    }

    /// Takes the lock under which ids are taken and given back.
    pub(super) fn lock(&self, call: &Call<'_>) -> Result<File> {
        let file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(self.desktops().join("lock"))
            .map_err(|fault| internal("the lock of the desktops cannot be opened", &fault))?;
        wait_for_lock(call, file)
    }

    /// Takes a new id, makes the directories and stores the first record. A desktop appears whole, by one
    /// rename, so whoever sees it sees its record.
    ///
    /// # Errors
    /// `CONFLICT` when the name is in use.
    pub(super) fn begin(&self, call: &Call<'_>, name: Option<&str>, size: (u16, u16)) -> Result<(Desk, Record)> {
        let _lock = self.lock(call)?;
        if let Some(name) = name {
            for id in self.ids()? {
                let taken = Record::read(&self.desk(&id).record()).ok().flatten();
                if taken.is_some_and(|record| record.name.as_deref() == Some(name)) {
                    return Err(Error::new(Code::Conflict, format!("desktop {id} already has the name {name}"))
                        .kind("name_in_use")
                        .suggest("choose another name, or stop that desktop (prune, if it is broken)")
                        .detail("id", id));
                }
            }
        }
        let making = |fault: std::io::Error| internal("the directories of a desktop cannot be made", &fault);
        let desk = self.take_id().map_err(making)?;
        let draft = Desk { root: self.desktops().join(format!(".new-{}", desk.id)), ..desk.clone() };
        for dir in [draft.root.clone(), draft.run(), draft.root.join("log")] {
            DirBuilder::new().mode(0o700).create(dir).map_err(making)?;
        }
        write_private(&draft.root.join("lock"), b"").map_err(making)?;
        let key = super::random::word(16).map_err(|fault| internal("no random bytes can be had", &fault))?;
        let record = Record::new(&desk.id, name, key, size)?;
        record.write(&draft.record())?;
        fs::rename(&draft.root, &desk.root).map_err(making)?;
        Ok((desk, record))
    }

    /// The next number nobody has had. Putting the directory in the state directory decides, since several
    /// runtime directories can share one; it appears there whole, with its owner named in it.
    fn take_id(&self) -> std::io::Result<Desk> {
        let draft = self.draft_home()?;
        // Whatever has this name was left by a starter that was killed: we hold the lock.
        remove_tree(&draft)?;
        DirBuilder::new().mode(0o700).create(&draft)?;
        fs::write(draft.join("runtime"), self.runtime.as_os_str().as_encoded_bytes())?;
        DirBuilder::new().mode(0o700).create(draft.join("home"))?;
        let last = self.desktops().join("last");
        let before = fs::read_to_string(&last).ok().and_then(|text| text.trim().parse::<u32>().ok()).unwrap_or(0);
        let mut next = before;
        loop {
            next = next.checked_add(1).ok_or_else(|| std::io::Error::other("no numbers are left"))?;
            let desk = self.desk(&format!("d{next}"));
            if desk.root.try_exists()? {
                continue;
            }
            // Noted first, so that an id is rather skipped than given twice.
            write_private(&last, next.to_string().as_bytes())?;
            // Renaming replaces an empty directory, which is nobody's, and no other.
            match fs::rename(&draft, &desk.state) {
                Ok(()) => return Ok(desk),
                Err(fault) if matches!(fault.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) => {}
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Where a home is made before it gets its id: a name that no other runtime directory uses.
    fn draft_home(&self) -> std::io::Result<PathBuf> {
        let own = fs::metadata(self.desktops())?;
        Ok(self.homes().join(format!(".new-{}-{}", own.dev(), own.ino())))
    }

    /// Takes the directory of a desktop whose processes have all ended out of sight and removes it. That
    /// somebody else has done so is fine.
    pub(super) fn remove(&self, call: &Call<'_>, desk: &Desk) -> Result<()> {
        let gone = self.desktops().join(format!(".gone-{}", desk.id));
        {
            let _lock = self.lock(call)?;
            match fs::rename(&desk.root, &gone) {
                Ok(()) => {}
                Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(()),
                Err(fault) => return Err(internal("the directory of a desktop cannot be removed", &fault)),
            }
        }
        remove_tree(&gone).map_err(|fault| internal("the directory of a desktop cannot be removed", &fault))
    }

    /// Removes what starters and stoppers that were killed have left, and homes without a desktop in which
    /// there is nothing but settings.
    pub(super) fn sweep(&self, call: &Call<'_>) -> Result<()> {
        let _lock = self.lock(call)?;
        let desktops = self.desktops();
        let sweeping = |fault: std::io::Error| internal("what is left of a desktop cannot be removed", &fault);
        for name in entries(&desktops)? {
            if name.starts_with(".new-") || name.starts_with(".gone-") {
                remove_tree(&desktops.join(name)).map_err(sweeping)?;
            } else if name.starts_with("last.") {
                // A draft of `last`, which is written under the lock as well.
                fs::remove_file(desktops.join(name)).map_err(sweeping)?;
            }
        }
        if !self.homes().try_exists().map_err(sweeping)? {
            return Ok(());
        }
        remove_tree(&self.draft_home().map_err(sweeping)?).map_err(sweeping)?;
        for name in entries(&self.homes())? {
            let desk = self.desk(&name);
            if number(&name).is_none() || desk.root.try_exists().map_err(sweeping)? {
                continue;
            }
            // Only an empty one goes this way: its owner was killed while removing it.
            let _ = fs::remove_dir(&desk.state);
            let ours = fs::read(desk.state.join("runtime"))
                .is_ok_and(|owner| owner == self.runtime.as_os_str().as_encoded_bytes());
            if ours {
                super::home::give_up(&desk).map_err(sweeping)?;
            }
        }
        Ok(())
    }
}

/// The number in an id: `d`, then digits, the first of them not zero.
pub(super) fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix('d')?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// Refuses a name that could not be told from something else.
///
/// # Errors
/// `INVALID_ARGS`.
pub(super) fn check_name(name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !(1..=32).contains(&name.len()) || !name.bytes().all(allowed) {
        let text = format!("{} is no name for a desktop: 1 to 32 of A-Z a-z 0-9 _ -", quote(name));
        return Err(invalid("name", text));
    }
    // A leading dash would be read as an option wherever the name is given on a command line.
    if name.starts_with('-') {
        return Err(invalid("name", format!("{} begins with a dash", quote(name))));
    }
    let digits = name.strip_prefix(['d', 'D']).unwrap_or("");
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid("name", format!("{} looks like the id of a desktop", quote(name))));
    }
    Ok(())
}

pub(super) fn invalid(kind: &str, text: impl Into<String>) -> Error {
    Error::new(Code::InvalidArgs, text).kind(kind)
}

/// Removes a directory and what is in it, without following links; that it is not there is fine.
pub(super) fn remove_tree(dir: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(fault) if fault.kind() != ErrorKind::NotFound => Err(fault),
        _ => Ok(()),
    }
}

fn wait_for_lock(call: &Call<'_>, file: File) -> Result<File> {
    look_until(call, || match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(())),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
        Err(fault) => Err(internal("a lock cannot be taken", &fault)),
    })?;
    Ok(file)
}

fn entries(dir: &Path) -> Result<Vec<String>> {
    let reading = |fault: std::io::Error| internal("the directory of the desktops cannot be read", &fault);
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(reading)? {
        // A name that is not UTF-8 is none of ours.
        if let Ok(name) = entry.map_err(reading)?.file_name().into_string() {
            names.push(name);
        }
    }
    Ok(names)
}

fn make(dir: &Path, with_parents: bool) -> Result<()> {
    match DirBuilder::new().mode(0o700).recursive(with_parents).create(dir) {
        Ok(()) => Ok(()),
        // Whether it is a directory, and whose, is checked next.
        Err(fault) if fault.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(fault) if fault.kind() == ErrorKind::PermissionDenied => {
            Err(Error::new(Code::PermDenied, format!("{} cannot be made", shown(dir))).platform(fault.to_string()))
        }
        Err(fault) => Err(internal(&format!("{} cannot be made", shown(dir)), &fault)),
    }
}

/// Refuses a directory of somebody else, one that others can do in what `others` names, and a link.
fn check(dir: &Path, others: u32) -> Result<()> {
    let denied = |what: &str| {
        Error::new(Code::PermDenied, format!("{} {what}", shown(dir)))
            .kind("unsafe_directory")
            .suggest("remove it, or give it to yourself alone (chmod 700)")
    };
    let found = fs::symlink_metadata(dir).map_err(|fault| denied("cannot be examined").platform(fault.to_string()))?;
    if found.file_type().is_symlink() {
        return Err(denied("is a link"));
    }
    if !found.is_dir() {
        return Err(denied("is not a directory"));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(denied("belongs to another user"));
    }
    if found.mode() & others != 0 {
        return Err(denied("is open to other users"));
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    quote(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_cannot_be_mixed_up() {
        for name in ["work", "d", "d1x", "D", "a_b-C9", &"x".repeat(32)] {
            assert!(check_name(name).is_ok(), "{name}");
            assert_eq!(number(name), None, "{name}");
        }
        for name in ["", "d1", "D7", "d01", "a b", "-x", "é", "a/b", "..", &"x".repeat(33)] {
            assert_eq!(check_name(name).map_err(|error| error.code()), Err(Code::InvalidArgs), "{name}");
        }
        assert_eq!(number("d12"), Some(12));
        assert_eq!((number("d01"), number("d"), number("d+1"), number("x1")), (None, None, None, None));
    }
}
