//! The grammar of desktop entry files.
//!
//! Lines are told apart by `freedesktop_desktop_entry::parse_line`, which is right about blanks, comments
//! and the place of the first `=`. The rest of that crate (0.8.4) is not used, because it differs from GLib
//! where it matters here:
//!
//! * one escape it does not know, such as `\;` in `Keywords` or `\"` in `Exec`, loses the whole file;
//! * so does a translation without an untranslated value, or one before it at the end of a group;
//! * a translation is kept only next to its key, and a key repeated later drops the translations;
//! * only one blank after `=` is dropped, and leading blanks of a line make it invalid;
//! * `[Group] text` is taken for a group, and the first group may be any;
//! * ids are cut at the last `/applications/` of a path, also inside the applications directory;
//! * `Exec` is split by rules of its own, and looks into the process's environment for the locale.
//!
//! So values are kept as written and decoded where they are used, as GLib does.

use std::collections::BTreeMap;

use freedesktop_desktop_entry::{Line, parse_line};

/// The group that describes the entry itself.
const MAIN: &str = "Desktop Entry";

/// The keys of the main group, values as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct KeyFile {
    values: BTreeMap<String, String>,
}

impl KeyFile {
    /// Reads a file's text. The error says what is wrong, for people.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("it holds a NUL character".into());
        }
        let mut file = KeyFile::default();
        let mut in_main = None;
        for (index, line) in text.lines().enumerate() {
            let wrong = |what: &str| Err(format!("line {}: {what}", index + 1));
            // GLib allows blanks before anything; `parse_line` does not.
            let line = line.trim_start_matches(is_blank);
            match parse_line(line) {
                Ok(Line::Comment(_)) => {}
                Ok(Line::Group(name)) => {
                    if line.trim_end_matches([' ', '\t']).len() != name.len() + 2 || !is_group_name(name) {
                        return wrong("not a group heading");
                    }
                    if in_main.is_none() && name != MAIN {
                        return wrong("the first group is not [Desktop Entry]");
                    }
                    in_main = Some(name == MAIN);
                }
                Ok(Line::Entry(key, value)) => {
                    let key = key.trim_end_matches(is_blank);
                    if !is_key_name(key) {
                        return wrong("not a valid key");
                    }
                    match in_main {
                        None => return wrong("a key before the first group"),
                        // The last one counts, also when the group is opened twice.
                        Some(true) => {
                            let value = value.trim_start_matches(is_blank);
                            file.values.insert(key.to_owned(), value.to_owned());
                        }
                        Some(false) => {}
                    }
                }
                Err(_) => return wrong("neither a group, a key with a value, nor a comment"),
            }
        }
        if in_main.is_none() { Err("it has no [Desktop Entry] group".into()) } else { Ok(file) }
    }

    /// A string, its escapes undone. `None` when there is none, or it ends within an escape.
    pub(crate) fn string(&self, key: &str) -> Option<String> {
        unescape(self.values.get(key)?)
    }

    /// A truth value; what is neither is false, as in GLib.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|raw| matches!(raw.trim_end_matches(is_blank), "true" | "1"))
    }

    /// A list of strings separated by `;`, empty ones left out.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let Some(raw) = self.values.get(key) else {
            return Vec::new();
        };
        let mut items = vec![String::new()];
        let mut chars = raw.chars();
        while let Some(c) = chars.next() {
            match c {
                ';' => items.push(String::new()),
                c => {
                    let Some(item) = items.last_mut() else {
                        continue;
                    };
                    match (c, if c == '\\' { chars.next() } else { None }) {
                        ('\\', Some(';')) => item.push(';'),
                        ('\\', Some(next)) => push_escape(item, next),
                        (c, _) => item.push(c),
                    }
                }
            }
        }
        items.retain(|item| !item.is_empty());
        items
    }

    /// Every translation of a string, by locale.
    pub(crate) fn translations(&self, key: &str) -> BTreeMap<String, String> {
        let open = format!("{key}[");
        self.values
            .range(open.clone()..)
            .take_while(|(name, _)| name.starts_with(&open))
            .filter_map(|(name, raw)| {
                let locale = name.strip_prefix(&open)?.strip_suffix(']')?;
                Some((locale.to_owned(), unescape(raw)?))
            })
            .collect()
    }

    /// A string in the first of these languages that it has, else untranslated.
    pub(crate) fn localised(&self, key: &str, languages: &[String]) -> Option<String> {
        languages.iter().find_map(|language| self.string(&format!("{key}[{language}]"))).or_else(|| self.string(key))
    }
}

/// The white space of C's `isspace`, which GLib uses here; vertical tabs included.
fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

fn is_group_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['[', ']']) && !name.contains(|c: char| c.is_ascii_control())
}

/// A key, possibly with a locale: more than the specification allows, exactly what GLib accepts.
fn is_key_name(key: &str) -> bool {
    let (name, locale) = match key.split_once('[') {
        Some((name, rest)) => match rest.strip_suffix(']') {
            Some(locale) => (name, locale),
            None => return false,
        },
        None => (key, ""),
    };
    !name.is_empty()
        && !name.starts_with(' ')
        && !name.ends_with(' ')
        && !name.contains(']')
        && locale.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@'))
}

/// Undoes the escapes of a string. One that is not known stays as it is, backslash and all: `Exec="a\"b"`
/// is wrong by the letter (the quotation mark needs two), common, and means what GLib makes of it.
fn unescape(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => push_escape(&mut out, chars.next()?),
            c => out.push(c),
        }
    }
    Some(out)
}

fn push_escape(out: &mut String, after_backslash: char) {
    match after_backslash {
        's' => out.push(' '),
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        '\\' => out.push('\\'),
        c => out.extend(['\\', c]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<KeyFile, String> {
        KeyFile::parse(&format!("[Desktop Entry]\n{body}"))
    }

    // Each of these was asked of GLib 2.74.4 (`g_key_file_load_from_data`, `get_string`, `get_boolean`).
    #[test]
    fn lines_are_read_as_glib_reads_them() {
        let file = read("a=true \n b = 1 \nc=0\nd=TRUE\nf =  x  \r\n  # no\n\ng=x\ry\na b=1\né=2\n").unwrap();
        assert!(file.is_true("a") && file.is_true("b") && !file.is_true("c") && !file.is_true("d"));
        assert_eq!(file.string("f").as_deref(), Some("x  "));
        assert_eq!(file.string("g").as_deref(), Some("x\ry"));
        assert_eq!(file.string("a b").as_deref(), Some("1"));
        assert_eq!(file.string("é").as_deref(), Some("2"));
        let file = read("a=1\n[E]\nb=1\n[Desktop Entry] \na=2\nc=3\n").unwrap();
        assert_eq!((file.string("a"), file.string("b"), file.string("c")), (Some("2".into()), None, Some("3".into())));
    }

    #[test]
    fn what_glib_refuses_is_refused() {
        for body in
            ["[D] x\n", "foo\n", "a[=2\n", "[]\n", "[D\u{1}]\n", "n[de DE]=1\n", "n [de]=1\n", "n[de]x=1\n", "=1\n"]
        {
            assert!(read(body).is_err(), "{body:?}");
        }
        for text in
            ["", "# only\n", "a=1\n[Desktop Entry]\n", "[Other]\n[Desktop Entry]\n", "\u{feff}[Desktop Entry]\n"]
        {
            assert!(KeyFile::parse(text).is_err(), "{text:?}");
        }
        assert!(read("a=\0\n").is_err());
    }

    #[test]
    fn translations_need_no_order_and_no_untranslated_value() {
        let file =
            read("Name[fr]=f\nComment[de]=only\nName=n\nX=1\nName[de_DE]=d\nNameX[de]=no\n[Other]\nName=o\n").unwrap();
        assert_eq!(file.string("Name").as_deref(), Some("n"));
        let names = file.translations("Name");
        assert_eq!(names.keys().collect::<Vec<_>>(), ["de_DE", "fr"]);
        assert_eq!(file.localised("Name", &["de_DE".into(), "de".into()]).as_deref(), Some("d"));
        assert_eq!(file.localised("Name", &["ja".into()]).as_deref(), Some("n"));
        assert_eq!(file.localised("Comment", &["de".into()]).as_deref(), Some("only"));
        assert_eq!(file.localised("Comment", &[]), None);
    }

    #[test]
    fn escapes() {
        let file = read("a=x\\sy\\nz\\\\\\\"\\q\nb=end\\\nl=a\\;b;;c\\sd;\\x;\n").unwrap();
        assert_eq!(file.string("a").as_deref(), Some("x y\nz\\\\\"\\q"));
        assert_eq!(file.string("b"), None);
        assert_eq!(file.list("l"), ["a;b", "c d", "\\x"]);
    }

    /// The library's own reader agrees wherever a file is well formed.
    #[test]
    fn agrees_with_the_library_on_well_formed_files() {
        let text = "[Desktop Entry]\nType=Application\nName=Editor\nName[de]=Bearbeiter\nName[zh_CN]=编辑器\nExec=e\\s%U\n\
                    Keywords=a;b;\n\n[Desktop Action new]\nName=New\nExec=e --new\n";
        let theirs =
            freedesktop_desktop_entry::DesktopEntry::from_str("/x/applications/e.desktop", text, None::<&[&str]>)
                .unwrap();
        let ours = KeyFile::parse(text).unwrap();
        for locale in ["de", "zh_CN", "fr"] {
            assert_eq!(theirs.name(&[locale]).map(String::from), ours.localised("Name", &[locale.into()]));
        }
        assert_eq!(theirs.exec().map(String::from), ours.string("Exec"));
    }
}
