//! What the documents say, against what is.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use toml::Table;

use super::layers::dependencies;
use super::sources::joined;
use super::{CHECKS, Repository, Violation, line_of};
use crate::packages::List;

/// Where the invariants and the reasons for dependencies stand.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The heading above the table of dependencies.
const TABLE: &str = "## Dependencies";

/// Every dependency from outside has a reason in the table, and the table names nothing else.
pub(super) fn dependency_table(repository: &Repository) -> Result<Vec<Violation>> {
    let manifest: Table =
        repository.file("Cargo.toml").unwrap_or_default().parse().context("Cargo.toml is not valid")?;
    let listed = manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let listed = listed.and_then(toml::Value::as_table).context("Cargo.toml has no [workspace.dependencies]")?;
    let mut used: BTreeSet<&str> =
        listed.iter().filter(|(_, value)| value.get("path").is_none()).map(|(name, _)| name.as_str()).collect();
    for package in repository.packages()? {
        let outside = dependencies(package)?.into_iter().map(|(name, _)| name);
        used.extend(outside.filter(|name| !name.starts_with("surehand-")));
    }
    let reasons = table_rows(repository.file(ARCHITECTURE).unwrap_or_default());
    let mut found = Vec::new();
    for name in used.iter().filter(|name| !reasons.contains_key(**name)) {
        found.push(Violation::new(ARCHITECTURE, 0, format!("the dependency `{name}` has no reason in the table")));
    }
    for (name, line) in reasons.iter().filter(|(name, _)| !used.contains(**name)) {
        found.push(Violation::new(ARCHITECTURE, *line, format!("`{name}` is no dependency")));
    }
    Ok(found)
}

/// The names in the first column of the table of dependencies, with their lines.
fn table_rows(text: &str) -> BTreeMap<&str, usize> {
    let lines = text.lines().enumerate().skip_while(|(_, line)| line.trim() != TABLE).skip(1);
    let section = lines.take_while(|(_, line)| !line.starts_with("## "));
    let cells = section.filter_map(|(number, line)| Some((line.strip_prefix("| `")?.split_once('`')?.0, number + 1)));
    cells.collect()
}

/// Every relative link of a document leads to a file, and to a heading of it if it names one.
pub(super) fn links(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, text) in repository.ending(".md") {
        let prose = prose_of(text);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (at, _) in prose.match_indices("](") {
            let target = prose[at + 2..].split([')', ' ', '\n']).next().unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, heading) =
                target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
            let file = if file.is_empty() { path.to_owned() } else { joined(folder, file) };
            let line = line_of(&prose, at);
            if !repository.exists(&file) {
                found.push(Violation::new(path, line, format!("the link {target} leads nowhere")));
            } else if let (Some(heading), Some(text)) = (heading, repository.file(&file))
                && file.ends_with(".md")
                && !headings(text).contains(heading)
            {
                found.push(Violation::new(path, line, format!("the link {target} names no heading of {file}")));
            }
        }
    }
    Ok(found)
}

/// The document with code, in blocks and in lines, blanked out.
fn prose_of(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        let mut code = fenced || fence;
        for char in line.chars() {
            code ^= char == '`' && !fence && !fenced;
            prose.push(if code && char != '\n' { ' ' } else { char });
        }
    }
    prose
}

/// The names under which a document's headings can be linked to.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix('#'));
    let name = |line: &str| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
        kept.map(|char| if char == ' ' { '-' } else { char }).collect()
    };
    lines.map(name).collect()
}

/// The changelog has a place for what is not released yet.
pub(super) fn changelog(repository: &Repository) -> Result<Vec<Violation>> {
    let text = repository.file("CHANGELOG.md").unwrap_or_default();
    let there = text.lines().any(|line| line.trim() == "## [Unreleased]");
    Ok(if there { Vec::new() } else { vec![Violation::new("CHANGELOG.md", 0, "there is no `## [Unreleased]`")] })
}

/// The folder with the table that `doctor` names packages from, and the table's file name.
const DOCTOR: (&str, &str) = ("crates/linux/src/", "/packages.rs");

/// Whatever `doctor` tells people to install for a link of the chain, `cargo xtask` installs too.
pub(super) fn packages(repository: &Repository) -> Result<Vec<Violation>> {
    let known = List::parse(repository.file("packages.toml").unwrap_or_default())?.all_apt()?;
    let adapter = || repository.ending(".rs").filter(|(path, _)| path.starts_with(DOCTOR.0));
    let Some((path, source)) = adapter().find(|(path, _)| path.ends_with(DOCTOR.1)) else {
        let elsewhere = adapter().find(|(_, source)| source.contains("apt-get"));
        let blind = elsewhere
            .map(|(path, _)| Violation::new(path, 0, "packages named here, in no packages.rs: this check is blind"));
        return Ok(blind.into_iter().collect());
    };
    let mut found = Vec::new();
    let named = apt_names(source);
    if named.is_empty() {
        found.push(Violation::new(path, 0, "no package for apt was found: this check is blind"));
    }
    for (at, name) in named.into_iter().filter(|(_, name)| !known.contains(*name)) {
        found.push(Violation::new(path, line_of(source, at), format!("`{name}` is not in packages.toml")));
    }
    Ok(found)
}

/// The words of the string literals that follow the word `apt` as a field, a constant or a first argument.
fn apt_names(source: &str) -> Vec<(usize, &str)> {
    let code = super::rust::code_of(source);
    let mut names = Vec::new();
    for at in super::rust::words(&code, "apt") {
        // In the code, literals are blanks: all between `apt` and the next thing that is none are its values.
        let from = at + "apt".len();
        let length = code[from..].find(|char: char| !(char.is_whitespace() || ":=(&[,".contains(char)));
        let values = &source[from..length.map_or(source.len(), |length| from + length)];
        let mut offset = from;
        for (index, piece) in values.split('"').enumerate() {
            if index % 2 == 1 {
                names.extend(piece.split_whitespace().map(|name| (offset, name)));
            }
            offset += piece.len() + 1;
        }
    }
    names
}

/// The invariants in ARCHITECTURE.md name every check, and no check that does not exist.
pub(super) fn invariants(repository: &Repository) -> Result<Vec<Violation>> {
    let text = repository.file(ARCHITECTURE).unwrap_or_default();
    let mark = "tidy: `";
    let mut claimed = BTreeMap::new();
    for (at, _) in text.match_indices(mark) {
        let name = text[at + mark.len()..].split('`').next().unwrap_or_default();
        claimed.entry(name).or_insert(at);
    }
    let mut found = Vec::new();
    for (name, _) in CHECKS.iter().filter(|(name, _)| !claimed.contains_key(name)) {
        found.push(Violation::new(ARCHITECTURE, 0, format!("no invariant names the check `{name}`")));
    }
    for (name, at) in claimed.iter().filter(|(name, _)| !CHECKS.iter().any(|(check, _)| check == *name)) {
        found.push(Violation::new(ARCHITECTURE, line_of(text, *at), format!("there is no check `{name}`")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::assert_found;
    use super::*;

    #[test]
    fn dependencies_and_reasons_have_to_agree() {
        let manifest = "[workspace.dependencies]\nserde = \"1\"\nsurehand-core = { path = \"x\" }\npng = \"0.1\"\n";
        let text = "| `before` | no |\n## Dependencies\n| name | why |\n|---|---|\n| `serde` | JSON |\n| `gone` | no |\n## Next\n| `after` | |\n";
        let repository = Repository::sample(&[("Cargo.toml", manifest), (ARCHITECTURE, text)]);
        let repository =
            repository.with_packages(json!([{ "dependencies": [{ "name": "libc" }, { "name": "surehand-core" }] }]));
        let expected = ["`libc` has no reason", "`png` has no reason", "ARCHITECTURE.md:6: `gone` is no dependency"];
        assert_found(dependency_table, &repository, &expected);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let text = "# A B\n[a](b.md) [c](../README.md) [d](gone.md) `[e](gone.md)`\n```\n[f](gone.md)\n```\n\
            [g](#a-b) [h](#c) [i](b.md#what-is-there) [j](b.md#not) [k](https://example.org/gone.md)\n[l](../crates/)\n";
        let files =
            [("docs/a.md", text), ("docs/b.md", "## What *is* `there`?\n"), ("README.md", ""), ("crates/x.rs", "")];
        let expected = [
            "docs/a.md:2: the link gone.md leads",
            "docs/a.md:6: the link #c names",
            "docs/a.md:6: the link b.md#not names",
        ];
        assert_found(links, &Repository::sample(&files), &expected);
    }

    #[test]
    fn a_changelog_without_a_place_for_news_is_found() {
        assert_found(
            changelog,
            &Repository::sample(&[("CHANGELOG.md", "# Changelog\n## [0.1.0]\n")]),
            &["CHANGELOG.md:1:"],
        );
        assert_found(changelog, &Repository::sample(&[("CHANGELOG.md", "## [Unreleased]\n")]), &[]);
    }

    #[test]
    fn a_package_that_only_doctor_knows_is_found() {
        const FILE: &str = "crates/linux/src/doctor/packages.rs";
        let list = "[desktop]\napt = [\"xvfb\", \"dbus\"]\n";
        let check = |source: &str, expected: &[&str]| {
            assert_found(packages, &Repository::sample(&[("packages.toml", list), (FILE, source)]), expected);
        };
        let source = "pub const PACKAGES: &[Package] = &[\n  Package { apt: \"xvfb\", dnf: \"other\" },\n  Package { apt: \"dbus gone\", dnf: \"dbus\" },\n];\n";
        check(source, &["crates/linux/src/doctor/packages.rs:3: `gone` is not in packages.toml"]);
        check("const A: &[(&str, &[&str])] = &[(\"apt\", &[\"xvfb\"])];", &["this check is blind"]);
        check("apt: &[\"xvfb\", \"lost\"],\ndnf: &[\"b\"]", &[":1: `lost`"]);
        check("const NONE: u8 = 0;", &["this check is blind"]);
        assert_found(packages, &Repository::sample(&[("packages.toml", list)]), &[]);
        let moved = [("packages.toml", list), ("crates/linux/src/doctor.rs", "\"apt-get install xvfb\"")];
        assert_found(packages, &Repository::sample(&moved), &["crates/linux/src/doctor.rs:1: packages named here"]);
    }

    #[test]
    fn invariants_and_checks_have_to_agree() {
        let all: String = CHECKS.iter().map(|(name, _)| format!("- a thing (tidy: `{name}`)\n")).collect();
        assert_found(invariants, &Repository::sample(&[(ARCHITECTURE, &all)]), &[]);
        let other = all.replace("`links`", "`chains`");
        let expected = ["no invariant names the check `links`", "ARCHITECTURE.md:13: there is no check `chains`"];
        assert_found(invariants, &Repository::sample(&[(ARCHITECTURE, &other)]), &expected);
    }
}
