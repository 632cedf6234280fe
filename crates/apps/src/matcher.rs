//! The matcher: which entry a request means.
//!
//! The first step with a match decides; a step with several matches is an answer of its own, and the choice
//! is the person's. For now there are two steps: the exact id, then the exact name in any language.

use std::collections::BTreeSet;

use serde::Serialize;
use surehand_core::text::{clip, fold, is_invisible, quote};
use surehand_core::{Code, Error, Result};

use crate::entry::Entry;
use crate::scan::{Index, Skipped};

/// How many candidates or hints an answer shows.
const SHOWN: usize = 5;
/// Longer requests are no names. Bytes.
const MAX_REQUEST: usize = 512;
/// Names are cut to so many bytes in answers, so that an entry cannot fill them.
const MAX_SHOWN_NAME: usize = 200;

/// An entry as answers show it. `name` is the entry's own text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Candidate {
    /// The id, which names it exactly.
    pub id: String,
    /// The untranslated name.
    pub name: String,
    /// Where it comes from: [`crate::Source::token`].
    pub origin: &'static str,
}

impl Candidate {
    fn of(entry: &Entry) -> Self {
        let name = clip(&entry.name, MAX_SHOWN_NAME).0.to_owned();
        Candidate { id: entry.id.clone(), name, origin: entry.source.token() }
    }

    /// For messages.
    fn shown(&self) -> String {
        format!("{} ({}, {})", quote(&self.id), quote(&self.name), self.origin)
    }
}

impl Index {
    /// The one entry that a request names: by its id, with or without `.desktop`, letter for letter; else by
    /// its name in any language, without regard to case and to what cannot be seen. Entries that are kept
    /// out of menus are found by id only.
    ///
    /// # Errors
    /// `INVALID_ARGS` when the request cannot be a name; `AMBIGUOUS_TARGET`, with `details.candidates` and
    /// `details.ask_user`, when several entries have it; `NOT_INDEXED`, with names like it in `details.near`,
    /// when none has. A hint is never started in place of what was asked for.
    pub fn find(&self, request: &str) -> Result<&Entry> {
        let folded = well_formed(request)?;

        let stem = request.strip_suffix(".desktop");
        let by_id = self.entries.iter().filter(|entry| entry.id == request || Some(entry.id.as_str()) == stem);
        let mut matches: Vec<&Entry> = by_id.collect();
        if matches.is_empty() {
            matches = self.entries.iter().filter(|entry| names(entry).any(|name| fold(name) == folded)).collect();
        }
        match matches.as_slice() {
            [one] => Ok(one),
            [] => Err(self.unknown(request, stem, &folded)),
            several => Err(ambiguous(request, several)),
        }
    }

    /// The answer when nothing has that name.
    fn unknown(&self, request: &str, stem: Option<&str>, folded: &str) -> Error {
        let error = |message: String| Error::new(Code::NotIndexed, message).detail("request", request);
        if let Some(Skipped { id, reason, .. }) = self
            .skipped
            .iter()
            .find(|skipped| skipped.id.as_deref().is_some_and(|id| id == request || Some(id) == stem))
        {
            let id = id.as_deref().unwrap_or_default();
            return error(format!("there is a desktop entry {}, which cannot be used: {reason}", quote(id)))
                .kind("unusable_entry")
                .detail("near", Vec::<Candidate>::new());
        }
        let near = self.near(folded);
        let error = if request.contains('/') {
            error(format!("no application is named {}; a path is never started", quote(request))).kind("path")
        } else {
            error(format!("no application is named {}", quote(request))).kind("unknown_name")
        };
        let error = if near.is_empty() {
            error.suggest("give the exact name or id of an installed application")
        } else {
            let shown: Vec<_> = near.iter().map(Candidate::shown).collect();
            error.suggest(format!("names like it: {}; give the exact id if one is meant", shown.join(", ")))
        };
        error.detail("near", near)
    }

    /// Entries whose name or id begins with the request, then those that hold it, or that it holds.
    fn near(&self, folded: &str) -> Vec<Candidate> {
        let mut hints = BTreeSet::new();
        for entry in self.entries.iter().filter(|entry| !entry.no_display) {
            let rank = names(entry)
                .chain([entry.id.as_str()])
                .filter_map(|name| {
                    let name = fold(name);
                    if name.starts_with(folded) {
                        Some(0)
                    } else if name.contains(folded) {
                        Some(1)
                    // One or two letters are in every request.
                    } else if name.chars().nth(2).is_some() && folded.contains(&name) {
                        Some(2)
                    } else {
                        None
                    }
                })
                .min();
            if let Some(rank) = rank {
                hints.insert((rank, Candidate::of(entry)));
            }
        }
        hints.into_iter().take(SHOWN).map(|(_, candidate)| candidate).collect()
    }
}

/// The names that a request may use: none for entries kept out of menus.
fn names(entry: &Entry) -> impl Iterator<Item = &str> {
    let all = std::iter::once(&entry.name).chain(entry.names.values()).map(String::as_str);
    all.filter(|_| !entry.no_display)
}

/// Checks a request and folds it.
fn well_formed(request: &str) -> Result<String> {
    let invalid = |message: &str, kind: &str| Err(Error::new(Code::InvalidArgs, message).kind(kind));
    if request.len() > MAX_REQUEST {
        return invalid("the name is longer than 512 bytes", "name_too_long");
    }
    if request.contains(char::is_control) {
        return invalid("the name holds control characters", "name_control_characters");
    }
    let folded = fold(request);
    if folded.is_empty() {
        let what =
            if request.chars().any(is_invisible) { "the name has no visible character" } else { "the name is empty" };
        return invalid(what, "name_empty");
    }
    Ok(folded)
}

fn ambiguous(request: &str, several: &[&Entry]) -> Error {
    let candidates: Vec<_> = several.iter().take(SHOWN).map(|entry| Candidate::of(entry)).collect();
    let shown: Vec<_> = candidates.iter().map(Candidate::shown).collect();
    let more = several.len() - candidates.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!("{} applications are named {}: {}{rest}", several.len(), quote(request), shown.join(", "));
    Error::new(Code::AmbiguousTarget, message)
        .kind("several_applications")
        .suggest("ask the person which one is meant, then open it by its id")
        .detail("request", request)
        .detail("count", several.len())
        .detail("candidates", candidates)
        .detail("ask_user", true)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use surehand_core::desktop::Environment;

    use super::*;
    use crate::entry::{Source, Verdict, judge};

    fn index(entries: &[(&str, &str)]) -> Index {
        let mut index = Index::default();
        for (id, body) in entries {
            let text = format!("[Desktop Entry]\nType=Application\nExec=/bin/true\n{body}\n");
            match judge(id, Source::System, Path::new("/x"), &text, &Environment([].into())) {
                Verdict::Application(entry, _) => index.entries.push(*entry),
                other => panic!("{id}: {other:?}"),
            }
        }
        index
    }

    fn id(index: &Index, request: &str) -> String {
        match index.find(request) {
            Ok(entry) => entry.id.clone(),
            Err(error) => error.code().token().to_owned(),
        }
    }

    #[test]
    fn ids_are_exact_and_come_before_names() {
        let index = index(&[("org.x.Edit", "Name=Editor"), ("edit", "Name=org.x.Edit"), ("a", "Name=Edit")]);
        assert_eq!(id(&index, "org.x.Edit"), "org.x.Edit");
        assert_eq!(id(&index, "org.x.Edit.desktop"), "org.x.Edit");
        // Not the id letter for letter, so it is the name of another.
        assert_eq!(id(&index, "org.x.edit"), "edit");
        assert_eq!(id(&index, "EDIT"), "a");
        assert_eq!(id(&index, "edit"), "edit");
    }

    #[test]
    fn an_id_that_ends_in_desktop_can_be_two() {
        let index = index(&[("a", "Name=One"), ("a.desktop", "Name=Two")]);
        assert_eq!(id(&index, "a.desktop"), "AMBIGUOUS_TARGET");
        assert_eq!(id(&index, "a.desktop.desktop"), "a.desktop");
        assert_eq!(id(&index, "a"), "a");
    }

    #[test]
    fn names_are_found_in_every_language() {
        let body = "Name=Text Editor\nName[zh_CN]=文本编辑器\nName[de]=Texteditor Straße\nName[ja]=テキストエディター\nName[ar]=محرر النصوص";
        let index = index(&[("ed", body), ("other", "Name=Other")]);
        for request in [
            "text editor",
            "  Text   EDITOR ",
            "文本编辑器",
            "texteditor strasse",
            "ﾃｷｽﾄｴﾃﾞｨﾀｰ",
            "محرر النصوص",
            "\u{202b}محرر\u{200f} النصوص\u{202c}",
            "Text\u{a0}Edi\u{200b}tor",
        ] {
            assert_eq!(id(&index, request), "ed", "{request:?}");
        }
        assert_eq!(id(&index, "TextEditor"), "NOT_INDEXED");
    }

    #[test]
    fn menu_less_entries_are_found_by_id_only() {
        let index = index(&[("shy", "Name=Shy\nNoDisplay=true"), ("b", "Name=Shyer")]);
        assert_eq!(id(&index, "shy"), "shy");
        assert_eq!(id(&index, "Shy"), "NOT_INDEXED");
        let near = index.find("Shy").unwrap_err().details()["near"].clone();
        assert_eq!(near, serde_json::json!([{"id": "b", "name": "Shyer", "origin": "system"}]));
    }

    #[test]
    fn several_of_a_name_are_never_chosen_from() {
        let names: Vec<_> =
            (0..7).map(|n| (format!("app{n}"), format!("Name=other {n}\nName[de]=Ä \"\u{1b}[2J\""))).collect();
        let index = index(&names.iter().map(|(id, body)| (id.as_str(), body.as_str())).collect::<Vec<_>>());
        // The name holds a control character, so only an entry without can be asked for.
        assert_eq!(id(&index, "ä \"\u{1b}[2j\""), "INVALID_ARGS");

        let index = self::index(&[("a", "Name=X\u{202e}\n"), ("b", "Name=x"), ("c", "Name=Xy")]);
        let error = index.find("X").unwrap_err();
        assert_eq!(error.code(), Code::AmbiguousTarget);
        assert_eq!(error.details()["ask_user"], true);
        assert_eq!(error.details()["count"], 2);
        assert_eq!(error.details()["candidates"][1], serde_json::json!({"id": "b", "name": "x", "origin": "system"}));
        assert!(error.message().contains(r#""a" ("X\u{202e}", system)"#), "{error}");
        assert!(!error.message().contains('\u{202e}'));
    }

    #[test]
    fn at_most_five_candidates_and_hints() {
        let names: Vec<_> = (0..9).map(|n| format!("app{n}")).collect();
        let index = index(&names.iter().map(|id| (id.as_str(), "Name=Same Thing")).collect::<Vec<_>>());
        let error = index.find("same thing").unwrap_err();
        assert_eq!(error.details()["candidates"].as_array().unwrap().len(), 5);
        assert_eq!(error.details()["count"], 9);
        assert!(error.message().contains("and 4 more"), "{error}");
        assert_eq!(index.find("same").unwrap_err().details()["near"].as_array().unwrap().len(), 5);
    }

    #[test]
    fn hints_are_ordered_and_never_taken() {
        let index = index(&[
            ("1", "Name=Visual Code"),
            ("2", "Name=Code - OSS"),
            ("3", "Name=Co"),
            ("org.code.x", "Name=Zed"),
            ("5", "Name=Code Blocks"),
        ]);
        let error = index.find("code").unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (Code::NotIndexed, Some("unknown_name")));
        let near: Vec<_> =
            error.details()["near"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap()).collect();
        assert_eq!(near, ["2", "5", "1", "org.code.x"]);
        let error = index.find("my Code Blocks app").unwrap_err();
        assert_eq!(error.details()["near"][0]["id"], "5");
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        let index = index(&[("a", "Name=TCP/IP Viewer")]);
        for request in ["", "   ", "\u{200b}\u{202e}", "a\n", "a\0", "\u{1b}[2J", &"x".repeat(513)] {
            assert_eq!(id(&index, request), "INVALID_ARGS", "{request:?}");
        }
        assert_eq!(id(&index, "tcp/ip viewer"), "a");
        for request in ["/bin/sh", "../a", "./a.desktop", "/usr/share/applications/a.desktop", "file:///bin/sh"] {
            let error = index.find(request).unwrap_err();
            assert_eq!((error.code(), error.kind_of()), (Code::NotIndexed, Some("path")), "{request}");
        }
    }

    #[test]
    fn an_unusable_entry_is_named_with_its_reason() {
        let mut index = Index::default();
        index.skipped.push(Skipped {
            what: "/x/a.desktop".into(),
            id: Some("a".into()),
            reason: "it has no type".into(),
        });
        let error = index.find("a.desktop").unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (Code::NotIndexed, Some("unusable_entry")));
        assert!(error.message().ends_with("it has no type"), "{error}");
    }

    proptest! {
        #[test]
        fn nothing_but_an_exact_id_or_name_is_found(request in "\\PC{0,12}|[a-zA-Z ./%;$]{0,8}|(Text|text) ?(Editor|editor)?") {
            let index = index(&[("org.x.ed", "Name=Text Editor\nName[de]=ß"), ("b", "Name=Text")]);
            if let Ok(entry) = index.find(&request) {
                let named = [entry.name.as_str()].into_iter().chain(entry.names.values().map(String::as_str)).any(|n| fold(n) == fold(&request));
                prop_assert!(named || request.trim_end_matches(".desktop") == entry.id);
            }
        }
    }
}
