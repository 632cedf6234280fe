//! What one desktop entry says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use surehand_core::desktop::Environment;
use surehand_core::text;

use crate::keyfile::KeyFile;
use crate::{exec, program};

/// Larger files are not read; real ones, with a hundred translations, stay under 64 KiB.
const MAX_BYTES: u64 = 1 << 20;

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The user's own applications directory, or another one in the home directory.
    User,
    /// A directory of the system.
    System,
    /// What Flatpak exports, for the user or the system.
    Flatpak,
    /// What Snap exports.
    Snap,
}

impl Source {
    /// The word for it, as `origin` in answers.
    pub const fn token(self) -> &'static str {
        match self {
            Source::User => "user",
            Source::System => "system",
            Source::Flatpak => "flatpak",
            Source::Snap => "snap",
        }
    }
}

/// An application as its desktop entry describes it.
///
/// Every text is the entry's own: it may hold line breaks and control characters, so messages quote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The path below the applications directory with `-` for `/`, without `.desktop`.
    pub id: String,
    /// The untranslated name.
    pub name: String,
    /// The translated names, by locale such as `zh_CN`.
    pub names: BTreeMap<String, String>,
    /// What kind of application it is, untranslated, for example `Text Editor`.
    pub generic_name: Option<String>,
    /// One sentence on it, untranslated.
    pub comment: Option<String>,
    /// Further words for it, untranslated.
    pub keywords: Vec<String>,
    /// Its categories.
    pub categories: Vec<String>,
    /// The command line: string escapes undone, quoting and field codes as written.
    pub exec: Option<String>,
    /// A program without which the entry does not count.
    pub try_exec: Option<String>,
    /// The directory to start it in.
    pub directory: Option<String>,
    /// The icon's name or path, untranslated.
    pub icon: Option<String>,
    /// Whether it needs a terminal around it.
    pub terminal: bool,
    /// Whether it is kept out of menus: then only its id finds it.
    pub no_display: bool,
    /// Whether it can be started over D-Bus.
    pub dbus_activatable: bool,
    /// Where it comes from.
    pub source: Source,
    /// The file.
    pub path: PathBuf,
}

/// What a file turned out to be.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// An application, and all keys of its file.
    Application(Box<Entry>, KeyFile),
    /// `Hidden=true`: the id counts as deleted.
    Hidden,
    /// None, for this reason.
    Unusable(String),
}

/// Why a file could not be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// There is none, or a link to none.
    Gone,
    /// It cannot be used, for this reason.
    Refused(String),
}

/// Reads a file that should be a desktop entry.
pub(crate) fn read(path: &Path) -> Result<String, Unreadable> {
    let refused = |reason: &str| Unreadable::Refused(reason.to_owned());
    // Not blocking, so that a pipe put there cannot hold us; on regular files it has no effect.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
        rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR => Unreadable::Gone,
        errno => Unreadable::Refused(format!("it cannot be opened: {errno}")),
    })?;
    let file = File::from(file);
    let metadata = file.metadata().map_err(|fault| Unreadable::Refused(format!("it cannot be read: {fault}")))?;
    if !metadata.is_file() {
        return Err(refused("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed shows a file that grows while it is read.
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|fault| Unreadable::Refused(format!("it cannot be read: {fault}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(refused("it is larger than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))
}

/// Judges the text of a desktop entry.
pub(crate) fn judge(id: &str, source: Source, path: &Path, text: &str, environment: &Environment) -> Verdict {
    let file = match KeyFile::parse(text) {
        Ok(file) => file,
        Err(reason) => return Verdict::Unusable(reason),
    };
    // Before anything else: an override that only hides needs neither a type nor a name.
    if file.is_true("Hidden") {
        return Verdict::Hidden;
    }
    match entry(id, source, path, &file, environment) {
        Ok(entry) => Verdict::Application(Box::new(entry), file),
        Err(reason) => Verdict::Unusable(reason),
    }
}

fn entry(id: &str, source: Source, path: &Path, file: &KeyFile, environment: &Environment) -> Result<Entry, String> {
    let filled = |key: &str| file.string(key).filter(|value| !value.is_empty());
    match file.string("Type") {
        Some(kind) if kind == "Application" => {}
        Some(kind) => {
            return Err(format!("its type is {}, not Application", text::quote(text::clip(&kind, 40).0)));
        }
        None => return Err("it has no type".into()),
    }
    let name = filled("Name").ok_or("it has no name")?;
    if text::fold(&name).is_empty() {
        return Err("its name has no visible character".into());
    }
    let exec = filled("Exec");
    let dbus_activatable = file.is_true("DBusActivatable");
    match &exec {
        Some(line) => {
            exec::program(line).map_err(|fault| format!("its Exec cannot be used: {fault}"))?;
        }
        None if dbus_activatable => {}
        None => return Err("it has no Exec".into()),
    }
    let try_exec = filled("TryExec");
    if let Some(word) = &try_exec {
        program::locate(word, environment)
            .map_err(|missing| format!("its TryExec {}: {missing}", text::quote(text::clip(word, 200).0)))?;
    }
    Ok(Entry {
        id: id.to_owned(),
        names: file.translations("Name"),
        generic_name: filled("GenericName"),
        comment: filled("Comment"),
        keywords: file.list("Keywords"),
        categories: file.list("Categories"),
        exec,
        try_exec,
        directory: filled("Path"),
        icon: filled("Icon"),
        terminal: file.is_true("Terminal"),
        no_display: file.is_true("NoDisplay"),
        dbus_activatable,
        source,
        path: path.to_owned(),
        name,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn verdict(text: &str) -> Verdict {
        judge("x", Source::User, Path::new("/x.desktop"), text, &Environment([].into()))
    }

    fn reason(body: &str) -> String {
        match verdict(&format!("[Desktop Entry]\n{body}")) {
            Verdict::Unusable(reason) => reason,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_application_says_why() {
        assert_eq!(reason("Name=a\nExec=a"), "it has no type");
        assert_eq!(reason("Type=Link\nName=a"), "its type is \"Link\", not Application");
        assert_eq!(reason("Type=Application\nExec=a"), "it has no name");
        assert_eq!(reason("Type=Application\nExec=a\nName=\u{202e}\u{200b}"), "its name has no visible character");
        assert_eq!(reason("Type=Application\nName=a"), "it has no Exec");
        assert_eq!(
            reason("Type=Application\nName=a\nExec=a \"b"),
            "its Exec cannot be used: a quotation mark is not closed"
        );
        assert_eq!(
            reason("Type=Application\nName=a\nExec=a\nTryExec=/nowhere/at all"),
            "its TryExec \"/nowhere/at all\": there is no such program"
        );
        assert!(matches!(verdict("[Desktop Entry]\nHidden=true\n"), Verdict::Hidden));
        assert!(matches!(
            verdict("[Desktop Entry]\nType=Application\nName=a\nDBusActivatable=true\n"),
            Verdict::Application(entry, _) if entry.exec.is_none() && entry.dbus_activatable
        ));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = verdict(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn no_keys_make_it_panic(
            lines in prop::collection::vec("(Name|Exec|Type|Keywords|Hidden|Path|TryExec|\\[Desktop Entry\\])?(\\[[a-z_]{0,3}\\]?)? ?=?\\PC{0,12}", 0..12)
        ) {
            let _ = verdict(&format!("[Desktop Entry]\nType=Application\nName=x\n{}", lines.join("\n")));
        }
    }
}
