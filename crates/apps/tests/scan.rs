//! The scanner over real directories.

mod common;

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use common::Home;
use surehand_apps::{Index, Source, scan};

fn ids(index: &Index) -> Vec<&str> {
    let mut ids: Vec<_> = index.entries.iter().map(|entry| entry.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

fn reason<'a>(index: &'a Index, file: &str) -> &'a str {
    let skipped: Vec<_> = index.skipped.iter().filter(|skipped| skipped.what.ends_with(file)).collect();
    assert_eq!(skipped.len(), 1, "{file}: {:?}", index.skipped);
    &skipped[0].reason
}

// Case 50.
#[test]
fn the_first_file_of_an_id_decides() {
    let home = Home::new();
    for place in ["own", "sys", "late"] {
        home.app(place, "a.desktop", &format!("Name=A {place}\nExec=recorder"));
    }
    home.app("late", "b.desktop", "Name=B late\nExec=recorder");
    home.app("sys", "b.desktop", "Name=B sys\nExec=recorder");
    home.file("own", "hidden.desktop", "[Desktop Entry]\nHidden=true\n");
    home.app("sys", "hidden.desktop", "Name=Hidden\nExec=recorder");
    home.app("sys", "partly.desktop", "Name=Partly\nExec=recorder\nHidden=true");
    home.app("late", "partly.desktop", "Name=Partly\nExec=recorder");
    home.file("own", "empty.desktop", "");
    home.app("sys", "empty.desktop", "Name=Empty\nExec=recorder");
    home.app("own", "shy.desktop", "Name=Shy\nExec=recorder\nNoDisplay=true");
    home.app("sys", "shy.desktop", "Name=Shy\nExec=recorder");

    let index = scan(&home.environment());
    assert_eq!(ids(&index), ["a", "b", "shy"]);
    let entry = |id: &str| index.entries.iter().find(|entry| entry.id == id).unwrap();
    assert_eq!((entry("a").name.as_str(), entry("a").source), ("A own", Source::User));
    assert_eq!((entry("b").name.as_str(), entry("b").source), ("B sys", Source::System));
    assert!(entry("shy").no_display);
    assert_eq!(index.skipped.len(), 1);
    assert_eq!(reason(&index, "empty.desktop"), "it has no [Desktop Entry] group");
    let error = index.find("empty").unwrap_err();
    assert_eq!(error.kind_of(), Some("unusable_entry"));
}

#[test]
fn directories_become_part_of_the_id() {
    let home = Home::new();
    home.app("sys", "kde/foo.desktop", "Name=Deep\nExec=recorder");
    home.app("sys", "kde-foo.desktop", "Name=Flat\nExec=recorder");
    home.app("sys", "kde/foo/bar.desktop", "Name=Deeper\nExec=recorder");
    home.app("sys", "applications/x.desktop", "Name=Twice\nExec=recorder");
    home.app("late", "kde/foo-bar.desktop", "Name=Shadowed\nExec=recorder");
    let index = scan(&home.environment());
    assert_eq!(ids(&index), ["applications-x", "kde-foo", "kde-foo-bar"]);
    assert_eq!(index.find("kde-foo").unwrap().name, "Flat");
    assert_eq!(index.find("kde-foo-bar").unwrap().name, "Deeper");
    assert_eq!(reason(&index, "kde/foo.desktop"), "another file in this directory has the same id");
}

#[test]
fn what_cannot_be_used_is_skipped_with_its_reason() {
    let home = Home::new();
    home.app("sys", "good.desktop", "Name=Good\nExec=recorder\nTryExec=recorder");
    home.app("sys", "try.desktop", "Name=Try\nExec=recorder\nTryExec=surely-not-installed");
    home.file("sys", "link.desktop", "[Desktop Entry]\nType=Link\nName=L\nURL=https://example.org\n");
    home.file("sys", "latin.desktop", b"[Desktop Entry]\nType=Application\nName=caf\xe9\nExec=recorder\n");
    home.file("sys", "big.desktop", "#".repeat((1 << 20) + 1));
    home.file("sys", "nul.desktop", "[Desktop Entry]\nType=Application\nName=a\nExec=recorder \0\n");
    home.file("sys", "readme.txt", "no entry");
    std::fs::create_dir(home.path("sys/applications/dir.desktop")).unwrap();
    symlink("nowhere", home.path("sys/applications/dangling.desktop")).unwrap();
    symlink("/dev/zero", home.path("sys/applications/device.desktop")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path("sys/applications/pipe.desktop"), rustix::fs::Mode::RWXU).unwrap();
    home.app("sys", "bidi\u{202e}.desktop", "Name=Bidi\nExec=recorder");
    home.app("sys", ".desktop", "Name=Nameless\nExec=recorder");
    let raw = std::ffi::OsStr::from_bytes(b"raw\xff.desktop");
    std::fs::write(home.path("sys/applications").join(raw), "x").unwrap();

    let index = scan(&home.environment());
    assert_eq!(ids(&index), ["good"]);
    assert_eq!(reason(&index, "try.desktop"), "its TryExec \"surely-not-installed\": there is no such program");
    assert_eq!(reason(&index, "link.desktop"), "its type is \"Link\", not Application");
    assert_eq!(reason(&index, "latin.desktop"), "it is not UTF-8");
    assert_eq!(reason(&index, "big.desktop"), "it is larger than 1 MiB");
    assert_eq!(reason(&index, "nul.desktop"), "it holds a NUL character");
    assert_eq!(reason(&index, "dangling.desktop"), "it is a link to nothing, or was just removed");
    for file in ["dir.desktop", "device.desktop", "pipe.desktop"] {
        assert_eq!(reason(&index, file), "it is not a regular file", "{file}");
    }
    for file in ["bidi\u{202e}.desktop", ".desktop"] {
        assert_eq!(reason(&index, file), "its name is empty, too long, or has characters that cannot be seen");
    }
    assert_eq!(index.skipped.len(), 12, "{:?}", index.skipped);
}

#[test]
fn links_are_followed_and_loops_end() {
    let home = Home::new();
    home.app("late", "vendor/v.desktop", "Name=V\nExec=recorder");
    let target = home.app("late", "t.desktop", "Name=T\nExec=recorder");
    symlink(target, home.path("sys/applications/exported.desktop")).unwrap();
    symlink(home.path("late/applications/vendor"), home.path("sys/applications/linked")).unwrap();
    symlink(home.path("sys/applications"), home.path("sys/applications/loop")).unwrap();
    let mut deep = home.path("late/applications");
    for _ in 0..12 {
        deep.push("d");
    }
    std::fs::create_dir_all(deep).unwrap();

    let index = scan(&home.environment());
    assert_eq!(ids(&index), ["exported", "linked-v", "t", "vendor-v"]);
    assert_eq!(reason(&index, "loop"), "it is a link to a directory that it is in");
    assert_eq!(index.skipped.len(), 2, "{:?}", index.skipped);
    assert_eq!(index.skipped[1].reason, "it is more than 8 directories deep");
}

#[test]
fn no_directory_is_an_empty_index() {
    let home = Home::new();
    let mut variables = home.variables.clone();
    variables.insert("XDG_DATA_DIRS".into(), home.path("absent").to_str().unwrap().into());
    variables.insert("XDG_DATA_HOME".into(), home.path("absent").to_str().unwrap().into());
    assert_eq!(scan(&surehand_core::desktop::Environment(variables)), Index::default());
}
