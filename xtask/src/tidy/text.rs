//! What holds for every text file.

use anyhow::Result;

use super::{Repository, Violation};

/// More lines than this and a file holds more than one concept.
const MOST_LINES: usize = 800;

/// Files that are written by programs.
fn generated(path: &str) -> bool {
    let folders = ["docs/reference/", "crates/testkit/recordings/"];
    path.ends_with("Cargo.lock") || path.ends_with(".snap") || folders.iter().any(|folder| path.starts_with(folder))
}

/// Files that came with a form of their own.
fn foreign(path: &str) -> bool {
    path == "LICENSE" || path.ends_with(".snap")
}

/// No file is longer than one concept needs.
pub(super) fn file_size(repository: &Repository) -> Result<Vec<Violation>> {
    let files = repository.files.iter().filter(|(path, _)| !generated(path) && !foreign(path));
    let long = files.map(|(path, text)| (path, text.lines().count())).filter(|(_, lines)| *lines > MOST_LINES);
    Ok(long.map(|(path, lines)| Violation::new(path, lines, format!("more than {MOST_LINES} lines"))).collect())
}

/// Beginnings of paths that exist on the machine of one of us. Cut in two, so that this file is not a case of it.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/w", "t-")];

/// Home directories that only stand for one, in tests and documents.
const EXAMPLE_HOMES: &[&str] = &["ada", "person", "someone", "user"];

/// No path of somebody's machine.
pub(super) fn machine_paths(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, text) in &repository.files {
        for (number, line) in text.lines().enumerate() {
            let mut report =
                |what: &str| found.push(Violation::new(path, number + 1, format!("the machine's path {what}")));
            for start in MACHINE_PATHS {
                if line.match_indices(start).any(|(at, _)| begins_a_path(line, at)) {
                    report(start);
                }
            }
            let home = concat!("/ho", "me/");
            for (at, _) in line.match_indices(home).filter(|(at, _)| begins_a_path(line, *at)) {
                let rest = &line[at + home.len()..];
                let name =
                    rest.split(|char: char| !char.is_ascii_alphanumeric() && char != '_').next().unwrap_or_default();
                if !name.is_empty() && !EXAMPLE_HOMES.contains(&name) {
                    report(&format!("{home}{name}"));
                }
            }
        }
    }
    Ok(found)
}

/// Whether the slash at this place is the first of its path.
fn begins_a_path(line: &str, at: usize) -> bool {
    let before = line[..at].chars().next_back();
    !before.is_some_and(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '~' | '/' | '}' | ')' | '*'))
}

/// Marks of work that was put off: it belongs into an issue.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// No marks, no blanks at the end of a line, one line feed at the end of the file.
pub(super) fn clean_text(repository: &Repository) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for (path, text) in repository.files.iter().filter(|(path, _)| !foreign(path)) {
        for (number, line) in text.split('\n').enumerate() {
            let mut report = |what: String| found.push(Violation::new(path, number + 1, what));
            if line.ends_with([' ', '\t', '\r']) {
                report("blanks at the end of the line".to_owned());
            }
            for mark in MARKS.iter().filter(|mark| super::rust::words(line, mark).next().is_some()) {
                report(format!("the mark {mark}: make it an issue"));
            }
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            found.push(Violation::new(path, text.lines().count(), "it has to end with one line feed"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn a_long_file_is_found_unless_a_program_wrote_it() {
        let long = "x\n".repeat(MOST_LINES + 1);
        let repository = Repository::sample(&[("Cargo.lock", &long), ("a.rs", &long), ("b.rs", &long[2..])]);
        assert_found(file_size, &repository, &["a.rs:801: more than"]);
    }

    #[test]
    fn a_path_of_a_machine_is_found_and_a_part_of_a_path_is_not() {
        let text = "\"@wo@rk/x\"\nsee @ro@ot/.cargo\n(@tmp@/wt-a)\n`@ho@me/anna/x`\n".replace("@tmp@", "/tmp");
        let text = text.replace("@wo@", "/wo").replace("@ro@", "/ro").replace("@ho@", "/ho");
        let expected = ["a.md:1:", "a.md:2:", "a.md:3:", "a.md:4:"];
        assert_found(machine_paths, &Repository::sample(&[("a.md", &text)]), &expected);
        let fine = "net@wo@rk/x /atspi/accessible/root https://example.org/home/anna /home/user/x $HOME/.x /tmp/x"
            .replace("@wo@", "/wo");
        assert_found(machine_paths, &Repository::sample(&[("a.md", &fine)]), &[]);
    }

    #[test]
    fn marks_and_blanks_are_found() {
        let text = format!("a \nb // {}: c\nTODOS\r\n\n", MARKS[0]);
        let expected = ["a.rs:1: blanks", "a.rs:2: the mark", "a.rs:3: blanks", "one line feed"];
        assert_found(clean_text, &Repository::sample(&[("a.rs", &text), ("b.rs", ""), ("c.rs", "x\n")]), &expected);
        assert_found(clean_text, &Repository::sample(&[("c.rs", "x")]), &["c.rs:1: it has to end"]);
    }
}
