//! What the clipboard's content is called between X clients, and what its bytes mean.

use surehand_core::clipboard::{Content, MOST_FILES, file_url, path_of};
use surehand_core::{Code, Error, Result};
use x11rb::protocol::xproto::Atom;

x11rb::atom_manager! {
    /// The names that owners and readers of the clipboard exchange.
    pub(super) Names: NamesCookie {
        ATOM_PAIR,
        CLIPBOARD,
        CLIPBOARD_MANAGER,
        GNOME_FILES: b"x-special/gnome-copied-files",
        INCR,
        MULTIPLE,
        NULL,
        PNG: b"image/png",
        SAVE_TARGETS,
        STAMP: b"_SUREHAND_STAMP",
        STRING,
        TARGETS,
        TEXT,
        TEXT_PLAIN: b"text/plain",
        TEXT_UTF8: b"text/plain;charset=utf-8",
        TIMESTAMP,
        TRANSFER: b"_SUREHAND_TRANSFER",
        URI_LIST: b"text/uri-list",
        UTF8_STRING,
    }
}

/// How the bytes of a target are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Utf8,
    Latin1,
    Png,
    UriList,
    GnomeFiles,
}

impl Names {
    /// The targets that text can be asked for by, best first.
    pub(super) fn text(&self) -> [(Atom, Form); 4] {
        [
            (self.UTF8_STRING, Form::Utf8),
            (self.TEXT_UTF8, Form::Utf8),
            (self.STRING, Form::Latin1),
            (self.TEXT_PLAIN, Form::Utf8),
        ]
    }

    /// The same for a picture.
    pub(super) fn image(&self) -> [(Atom, Form); 1] {
        [(self.PNG, Form::Png)]
    }

    /// The same for references to files.
    pub(super) fn files(&self) -> [(Atom, Form); 2] {
        [(self.URI_LIST, Form::UriList), (self.GNOME_FILES, Form::GnomeFiles)]
    }
}

/// What an owner hands out for one target.
#[derive(Clone)]
pub(super) struct Offer {
    pub(super) target: Atom,
    /// The type of the property, which for text need not be the target.
    pub(super) kind: Atom,
    pub(super) bytes: std::rc::Rc<[u8]>,
}

/// Everything that an owner of this content hands out.
pub(super) fn offers(names: &Names, content: &Content) -> Vec<Offer> {
    match content {
        Content::Text(text) => text_offers(names, text),
        Content::Image(png) => vec![Offer { target: names.PNG, kind: names.PNG, bytes: png.as_slice().into() }],
        Content::FileUrls(urls) => {
            let list: String = urls.iter().flat_map(|url| [url, "\r\n"]).collect();
            let copied = format!("copy\n{}", urls.join("\n"));
            let mut offers = vec![
                Offer { target: names.URI_LIST, kind: names.URI_LIST, bytes: list.into_bytes().into() },
                Offer { target: names.GNOME_FILES, kind: names.GNOME_FILES, bytes: copied.into_bytes().into() },
            ];
            // Pasted into text, files are their paths, as file managers have it.
            let paths: Option<Vec<String>> =
                urls.iter().map(|url| path_of(url).and_then(|path| String::from_utf8(path).ok())).collect();
            offers.extend(paths.map(|paths| text_offers(names, &paths.join("\n"))).unwrap_or_default());
            offers
        }
    }
}

fn text_offers(names: &Names, text: &str) -> Vec<Offer> {
    let utf8: std::rc::Rc<[u8]> = text.as_bytes().into();
    let as_utf8 = |target, kind| Offer { target, kind, bytes: utf8.clone() };
    let mut offers = vec![
        as_utf8(names.UTF8_STRING, names.UTF8_STRING),
        as_utf8(names.TEXT_UTF8, names.TEXT_UTF8),
        as_utf8(names.TEXT_PLAIN, names.TEXT_PLAIN),
        as_utf8(names.TEXT, names.UTF8_STRING),
    ];
    // Only what this older form can hold is offered in it: half a text is worse than none.
    let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    offers.extend(latin.map(|bytes| Offer { target: names.STRING, kind: names.STRING, bytes: bytes.into() }));
    offers
}

/// What was handed out, once it is known to be what it says it is. `None` when there is nothing in it of that kind.
///
/// # Errors
/// `ACTION_FAILED` when it is not.
pub(super) fn decode(form: Form, bytes: Vec<u8>) -> Result<Option<Content>> {
    let broken = |kind: &str, what: &str| {
        Error::new(Code::ActionFailed, format!("the program that has the clipboard hands out {what}")).kind(kind)
    };
    match form {
        Form::Utf8 => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Content::Text(text))),
            Err(_) => Err(broken("not_text", "text that is not UTF-8, though it says so")),
        },
        Form::Latin1 => Ok(Some(Content::Text(bytes.into_iter().map(char::from).collect()))),
        Form::Png => {
            if !bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
                return Err(broken("not_png", "a picture that is no PNG, though it says so"));
            }
            Ok(Some(Content::Image(bytes)))
        }
        Form::UriList | Form::GnomeFiles => {
            let text = String::from_utf8(bytes).map_err(|_| broken("not_text", "names of files that are no text"))?;
            // The first line of the one tells whether they were cut or copied; `#` begins a remark in the other.
            let lines = text.lines().map(str::trim_end).skip(usize::from(form == Form::GnomeFiles));
            let files: Vec<&str> = lines.filter(|line| line.starts_with("file:")).collect();
            if files.len() > MOST_FILES {
                return Err(broken("too_many_files", "more files than are read at once"));
            }
            // Written anew, so that what is answered is never more than a name of a file.
            let urls: Option<Vec<String>> = files.iter().map(|url| path_of(url).map(|path| file_url(&path))).collect();
            match urls {
                None => Err(broken("bad_file_url", "a reference to a file that no file of this machine can have")),
                Some(urls) if urls.is_empty() => Ok(None),
                Some(urls) => Ok(Some(Content::FileUrls(urls))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        // Any numbers do, as long as they differ.
        Names {
            ATOM_PAIR: 1,
            CLIPBOARD: 2,
            CLIPBOARD_MANAGER: 3,
            GNOME_FILES: 4,
            INCR: 5,
            MULTIPLE: 6,
            NULL: 7,
            PNG: 8,
            SAVE_TARGETS: 9,
            STAMP: 10,
            STRING: 11,
            TARGETS: 12,
            TEXT: 13,
            TEXT_PLAIN: 14,
            TEXT_UTF8: 15,
            TIMESTAMP: 16,
            TRANSFER: 17,
            URI_LIST: 18,
            UTF8_STRING: 19,
        }
    }

    #[test]
    fn every_form_gives_back_what_was_put_in() {
        let names = names();
        let files = Content::FileUrls(vec!["file:///a%20b".into(), "file:///%C3%BC".into()]);
        for content in
            [Content::Text("naïve\nline\u{0}".into()), Content::Image(b"\x89PNG\r\n\x1a\nrest".to_vec()), files]
        {
            for (target, form) in names.text().into_iter().chain(names.image()).chain(names.files()) {
                let Some(offer) = offers(&names, &content).into_iter().find(|offer| offer.target == target) else {
                    continue;
                };
                let back = decode(form, offer.bytes.to_vec()).unwrap().unwrap();
                if back.kind() == content.kind() {
                    assert!(back == content, "{form:?}");
                }
            }
        }
        // What the old form cannot hold is not offered in it.
        assert!(offers(&names, &Content::Text("€".into())).iter().all(|offer| offer.target != names.STRING));
    }

    #[test]
    fn what_is_not_what_it_says_is_refused() {
        let kind = |form, bytes: &[u8]| {
            decode(form, bytes.to_vec()).map(|found| found.is_some()).map_err(|e| e.kind_of().unwrap_or("").to_owned())
        };
        assert_eq!(kind(Form::Utf8, b"\xff"), Err("not_text".into()));
        assert_eq!(kind(Form::Png, b"GIF89a"), Err("not_png".into()));
        assert_eq!(kind(Form::UriList, b"file:///a%00b\r\n"), Err("bad_file_url".into()));
        assert_eq!(kind(Form::UriList, b"# a remark\r\nhttp://x/\r\n"), Ok(false));
        assert_eq!(kind(Form::GnomeFiles, b"cut\nfile:///a"), Ok(true));
        assert_eq!(kind(Form::UriList, "file:///a\n".repeat(MOST_FILES + 1).as_bytes()), Err("too_many_files".into()));
    }
}
