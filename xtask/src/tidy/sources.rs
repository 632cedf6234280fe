//! What holds for the Rust sources.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::rust::{bracketed, code_of, parts, words};
use super::{Repository, Violation, line_of};

/// Modules of `std` that touch the world.
const WORLDLY: &[&str] = &["fs", "net", "process", "env", "os", "thread"];

/// Words of a `cfg` that tell platforms apart.
const PLATFORM_WORDS: &[&str] = &["target_os", "target_family", "unix", "windows"];

/// core does no I/O, reads no clock and no environment, starts no thread, and has no `cfg` of a platform.
pub(super) fn core_purity(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, source) in repository.ending(".rs").filter(|(path, _)| path.starts_with("crates/core/src/")) {
        let code = code_of(source);
        let mut report = |at: usize, what: String| found.push(Violation::new(path, line_of(&code, at), what));
        for (at, _) in code.match_indices("std::") {
            let rest = &code[at + "std::".len()..];
            let used = if rest.starts_with('{') { parts(bracketed(rest, 0)) } else { vec![rest] };
            for part in used {
                let module = part.split(|char: char| char != '_' && !char.is_alphanumeric()).next().unwrap_or_default();
                if WORLDLY.contains(&module) {
                    report(at, format!("core may not use `std::{module}`"));
                }
            }
        }
        for call in ["thread::spawn", "Instant::now", "SystemTime::now"] {
            code.match_indices(call).for_each(|(at, _)| report(at, format!("core may not call `{call}`")));
        }
        for attribute in ["cfg", "cfg_attr"] {
            for at in words(&code, attribute) {
                let open = at + attribute.len();
                let open = open + usize::from(code[open..].starts_with('!'));
                if code[open..].starts_with('(') {
                    let condition = bracketed(&code, open);
                    for word in PLATFORM_WORDS.iter().filter(|word| words(condition, word).next().is_some()) {
                        report(at, format!("core may not have a `cfg` of `{word}`"));
                    }
                }
            }
        }
    }
    Ok(found)
}

/// No macro that stands for code to be written, and no test that is switched off.
pub(super) fn unfinished_code(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, source) in repository.ending(".rs") {
        let code = code_of(source);
        for name in ["todo", "unimplemented", "dbg"] {
            for at in words(&code, name).filter(|at| code[at + name.len()..].starts_with('!')) {
                found.push(Violation::new(path, line_of(&code, at), format!("`{name}!`")));
            }
        }
        for at in words(&code, "ignore").filter(|at| attribute_around(&code, *at)) {
            found.push(Violation::new(path, line_of(&code, at), "a test that is switched off"));
        }
    }
    Ok(found)
}

/// Whether the word at this place is in an attribute: the last `#[` before it is not closed yet.
fn attribute_around(code: &str, at: usize) -> bool {
    let open = code[..at].rfind("#[").or_else(|| code[..at].rfind("#!["));
    open.is_some_and(|open| {
        let bracket = open + code[open..].find('[').unwrap_or_default();
        bracket + 1 + bracketed(code, bracket).len() > at
    })
}

/// The files that may hold `unsafe` code.
const UNSAFE_FILES: &[&str] = &["crates/apps/src/start.rs"];

/// `unsafe` only where it is listed, and each block with its reason.
pub(super) fn unsafe_code(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, source) in repository.ending(".rs") {
        let code = code_of(source);
        let listed = UNSAFE_FILES.contains(&path);
        let mut report = |at: usize, what: &str| found.push(Violation::new(path, line_of(&code, at), what));
        for at in words(&code, "unsafe_code").filter(|at| attribute_around(&code, *at)) {
            let before = code[..at].rfind("#[").or_else(|| code[..at].rfind("#![")).map_or("", |open| &code[open..at]);
            let stricter = ["deny", "forbid"].iter().any(|word| words(before, word).next().is_some());
            if !listed && !stricter {
                report(at, "unsafe code may not be allowed in this file");
            }
        }
        for at in words(&code, "unsafe") {
            if !listed {
                report(at, "`unsafe` in a file that is not listed for it");
            }
            let next = code[at + "unsafe".len()..].trim_start();
            if (next.starts_with('{') || next.starts_with("impl")) && !reasoned(source, &code, at) {
                report(at, "`unsafe` without a `SAFETY:` comment right before it");
            }
        }
    }
    Ok(found)
}

/// Whether the comment right above the statement that holds this place says `SAFETY:`.
fn reasoned(source: &str, code: &str, at: usize) -> bool {
    let line = line_of(code, at) - 1;
    let code: Vec<&str> = code.lines().collect();
    let source: Vec<&str> = source.lines().collect();
    let mut above = line;
    // To the first line of the statement: the one before it ends a statement, opens a block, or is no code.
    while above > 0 {
        let before = code[above - 1].trim();
        if before.is_empty() || before.ends_with([';', '{', '}', ',']) {
            break;
        }
        above -= 1;
    }
    source[..above]
        .iter()
        .rev()
        .take_while(|line| line.trim_start().starts_with("//"))
        .any(|line| line.contains("SAFETY:"))
}

/// The program outside of the workspace.
const FUZZ: &str = "fuzz/src/main.rs";

/// Every Rust file belongs to a crate: nothing lies around that is not compiled, above all no test.
pub(super) fn reachable_sources(repository: &Repository) -> Result<Vec<Violation>> {
    let mut reached = BTreeSet::new();
    for package in repository.packages()? {
        for target in package["targets"].as_array().context("cargo metadata has a package without targets")? {
            let root = repository.relative(&target["src_path"])?;
            let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
            follow(repository, &root, folder, &mut reached);
        }
    }
    // Built by `cargo xtask fuzz` alone.
    follow(repository, FUZZ, "fuzz/src", &mut reached);
    let lost = repository.ending(".rs").filter(|(path, _)| !reached.contains(*path));
    Ok(lost.map(|(path, _)| Violation::new(path, 0, "no crate has this file as a module")).collect())
}

/// Follows the modules that a file declares. `folder` is where they lie.
fn follow(repository: &Repository, file: &str, folder: &str, reached: &mut BTreeSet<String>) {
    let Some(source) = repository.file(file) else { return };
    if !reached.insert(file.to_owned()) {
        return;
    }
    let code = code_of(source);
    let beside = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    for at in words(&code, "mod") {
        let rest = code[at + "mod".len()..].trim_start();
        let name =
            rest.split(|char: char| char != '_' && char != '#' && !char.is_alphanumeric()).next().unwrap_or_default();
        if name.is_empty() || !rest[name.len()..].trim_start().starts_with(';') {
            continue;
        }
        let inside = enclosing_modules(&code, at);
        let folder = std::iter::once(folder).chain(inside.iter().map(String::as_str)).collect::<Vec<_>>().join("/");
        let name = name.trim_start_matches("r#");
        if let Some(path) = path_attribute(source, &code, at) {
            let from = if inside.is_empty() { beside } else { &folder };
            let module = joined(from, &path);
            let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
            follow(repository, &module, folder, reached);
        } else {
            for module in [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")] {
                follow(repository, &module, &format!("{folder}/{name}"), reached);
            }
        }
    }
    for at in words(&code, "include").filter(|at| code[at + "include".len()..].starts_with("!(")) {
        if let Some(path) = source[at..].split('"').nth(1) {
            follow(repository, &joined(beside, path), beside, reached);
        }
    }
}

/// The names of the `mod … { }` blocks around a place, outermost first.
fn enclosing_modules(code: &str, at: usize) -> Vec<String> {
    let blocks = words(code, "mod").filter_map(|start| {
        let rest = &code[start..at.max(start)];
        let open = start + rest.find(['{', ';'])?;
        (code[open..].starts_with('{') && open + bracketed(code, open).len() >= at)
            .then(|| code[start + "mod".len()..open].trim().to_owned())
    });
    blocks.collect()
}

/// The value of a `#[path = "…"]` right before the module at this place.
fn path_attribute(source: &str, code: &str, at: usize) -> Option<String> {
    let from = code[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    let attribute = from + code[from..at].find("#[path")?;
    source[attribute..at].split('"').nth(1).map(str::to_owned)
}

/// A path relative to a folder, without `..`.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The registry of commands.
const REGISTRY: &str = "crates/commands/src/registry.rs";

/// Commands are registered in alphabetical order, each once.
pub(super) fn registry_order(repository: &Repository) -> Result<Vec<Violation>> {
    let Some(source) = repository.file(REGISTRY) else { return Ok(Vec::new()) };
    let code = code_of(source);
    let mut found = Vec::new();
    let mut last = String::new();
    let entry = "Definition::of::<";
    for (at, _) in code.match_indices(entry) {
        let line = line_of(&code, at);
        let path = code[at + entry.len()..].split('>').next().unwrap_or_default().trim();
        let name = kebab(path.rsplit("::").next().unwrap_or(path));
        if name <= last {
            found.push(Violation::new(REGISTRY, line, format!("`{name}` stands after `{last}`")));
        }
        last = name;
    }
    if last.is_empty() {
        found.push(Violation::new(REGISTRY, 0, format!("no line with `{entry}…>` was found; this check is blind")));
    }
    Ok(found)
}

/// `CloseApp` as `close-app`.
fn kebab(name: &str) -> String {
    let mut word = String::new();
    for char in name.chars() {
        if char.is_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.extend(char.to_lowercase());
    }
    word
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::assert_found;
    use super::*;

    fn core(source: &str) -> Repository {
        Repository::sample(&[("crates/core/src/a.rs", source), ("crates/apps/src/a.rs", "use std::fs;\n")])
    }

    #[test]
    fn core_may_not_touch_the_world() {
        let source = "// std::fs\nuse std::fs;\nuse std::{fmt, net::TcpStream, time};\n\
            #[cfg(any(test, target_os = \"linux\"))]\nfn a() { std::env::var(\"unix\"); std::thread::spawn(b) }\n\
            fn b() -> bool { cfg!(windows) }\nfn c() { Instant::now(); }\n";
        let expected = [
            ":2: core may not use `std::fs`",
            ":3: core may not use `std::net`",
            ":5: core may not use `std::env`",
            ":5: core may not use `std::thread`",
            ":5: core may not call `thread::spawn`",
            ":7: core may not call `Instant::now`",
            ":4: core may not have a `cfg` of `target_os`",
            ":6: core may not have a `cfg` of `windows`",
        ];
        assert_found(core_purity, &core(source), &expected);
        let fine = "use std::{fmt, io::{self}};\n#[cfg(test)]\nmod tests { /* cfg(unix) */ }\nfn f(unix: bool) {}\n";
        assert_found(core_purity, &core(fine), &[]);
    }

    #[test]
    fn unfinished_code_is_found_in_code_only() {
        let source = "fn a() { todo!() }\n#[ignore]\nfn b() { x.ignore(); }\n#[ignore = \"slow\"]\n#[test]\nfn c() { dbg!(1); }\n\
            // todo!() and #[ignore]\nconst D: &str = \"dbg!\";\n#[cfg_attr(miri, ignore)]\nfn e() {}\n";
        let expected = ["a.rs:1: `todo!`", "a.rs:6: `dbg!`", "a.rs:2: a test", "a.rs:4: a test", "a.rs:9: a test"];
        assert_found(unfinished_code, &Repository::sample(&[("a.rs", source)]), &expected);
    }

    #[test]
    fn unsafe_code_needs_a_place_and_a_reason() {
        let source = "// SAFETY: the pointer is ours.\nlet a = unsafe { *b };\nlet c =\n    unsafe { *b };\n";
        assert_found(
            unsafe_code,
            &Repository::sample(&[(UNSAFE_FILES[0], source)]),
            &["crates/apps/src/start.rs:4: `unsafe` without"],
        );
        let expected = ["a.rs:1: unsafe code may not", "a.rs:3: `unsafe` in a file"];
        let source = "#![allow(unsafe_code)]\n// SAFETY: no.\nunsafe { b() }\n#[deny(unsafe_code)]\nfn c() {}\n";
        assert_found(unsafe_code, &Repository::sample(&[("a.rs", source)]), &expected);
        let source = "// SAFETY: over\n// two lines.\nlet a =\n    unsafe { *b };\n";
        assert_found(unsafe_code, &Repository::sample(&[(UNSAFE_FILES[0], source)]), &[]);
    }

    #[test]
    fn a_file_that_nobody_declares_is_found() {
        let repository = Repository::sample(&[
            (
                "crates/x/src/lib.rs",
                "mod a;\n#[cfg(test)]\nmod tests { mod deep; }\n#[path = \"other/c.rs\"]\nmod c;\n// mod lost;\n",
            ),
            ("crates/x/src/a.rs", "pub mod b;\n"),
            ("crates/x/src/a/b.rs", ""),
            ("crates/x/src/b.rs", ""),
            ("crates/x/src/tests/deep.rs", ""),
            ("crates/x/src/other/c.rs", "mod d;\n"),
            ("crates/x/src/other/d.rs", ""),
            ("crates/x/tests/main.rs", "mod steps;\n"),
            ("crates/x/tests/steps/mod.rs", "include!(\"../table.rs\");\n"),
            ("crates/x/tests/table.rs", ""),
            ("crates/x/tests/lost/lost.rs", ""),
        ]);
        let repository = repository.with_packages(json!([{ "targets": [
            { "src_path": "/r/crates/x/src/lib.rs" }, { "src_path": "/r/crates/x/tests/main.rs" },
        ] }]));
        assert_found(reachable_sources, &repository, &["crates/x/src/b.rs:1:", "crates/x/tests/lost/lost.rs:1:"]);
    }

    #[test]
    fn the_registry_is_in_order() {
        let line = |name: &str| format!("    Definition::of::<{name}>(),\n");
        let source = [
            line("click::Click"),
            line("close_app::CloseApp"),
            line("find::Find"),
            line("desktop::Desktop"),
            line("Desktop"),
        ];
        let expected =
            ["registry.rs:4: `desktop` stands after `find`", "registry.rs:5: `desktop` stands after `desktop`"];
        assert_found(registry_order, &Repository::sample(&[(REGISTRY, &source.concat())]), &expected);
        assert_found(registry_order, &Repository::sample(&[(REGISTRY, "fn a() {}")]), &["this check is blind"]);
        assert_found(registry_order, &Repository::sample(&[]), &[]);
    }
}
