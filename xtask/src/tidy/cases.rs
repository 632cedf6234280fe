//! The cases from public reports, and the tests that try them.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Repository, Violation, line_of};

/// Where the table stands, and the heading above it.
const TABLE: (&str, &str) = ("CONTRIBUTING.md", "## Cases");

/// What the name of such a test begins with.
const PREFIX: &str = "case_";

/// Every test of a case is in the table, in the row of its number, and every test of the table is there.
pub(super) fn cases(repository: &Repository) -> Result<Vec<Violation>> {
    let mut tests: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for (path, source) in repository.ending(".rs").filter(|(path, _)| path.starts_with("crates/")) {
        for (at, found) in source.match_indices("fn case_") {
            let name = &source[at + found.len() - PREFIX.len()..];
            let name = name.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or_default();
            tests.insert(name, (path, line_of(source, at)));
        }
    }
    let text = repository.file(TABLE.0).unwrap_or_default();
    let lines = text.lines().enumerate().skip_while(|(_, line)| line.trim() != TABLE.1).skip(1);
    let rows = lines.take_while(|(_, line)| !line.starts_with("## ")).filter(|(_, line)| line.starts_with("| "));
    let mut found = Vec::new();
    let mut count = 0;
    for (number, line) in rows {
        let Some(case) = line.split('|').nth(1).and_then(|cell| cell.trim().parse::<u32>().ok()) else { continue };
        count += 1;
        let named: Vec<&str> = line.split('`').skip(1).step_by(2).filter(|word| word.starts_with(PREFIX)).collect();
        if named.is_empty() {
            found.push(Violation::new(TABLE.0, number + 1, format!("case {case} has no test")));
        }
        for name in named {
            if !name.starts_with(&format!("{PREFIX}{case:02}_")) {
                found.push(Violation::new(TABLE.0, number + 1, format!("`{name}` is no test of case {case}")));
            }
            if tests.remove(name).is_none() {
                found.push(Violation::new(TABLE.0, number + 1, format!("there is no test `{name}`")));
            }
        }
    }
    if count == 0 {
        found.push(Violation::new(TABLE.0, 0, format!("there is no table of cases below `{}`", TABLE.1)));
    }
    let lost = tests.into_iter();
    found.extend(lost.map(|(name, (path, line))| {
        Violation::new(path, line, format!("`{name}` is not in the table of cases in {}", TABLE.0))
    }));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::assert_found;
    use super::*;

    #[test]
    fn the_table_and_the_tests_say_the_same() {
        let table = "## Cases\n\n| Case | What | Tests |\n|---|---|---|\n\
                     | 1 | a | `case_01_there` |\n| 2 | b | `case_02_lost` |\n| 3 | c | none |\n| 4 | d | `case_01_two` |\n";
        let tests = "#[test]\nfn case_01_there() {}\nfn case_01_two() {}\nfn case_05_new() {}\n";
        let repository = Repository::sample(&[(TABLE.0, table), ("crates/x/tests/a.rs", tests)]);
        let expected = [
            "CONTRIBUTING.md:6: there is no test `case_02_lost`",
            "CONTRIBUTING.md:7: case 3 has no test",
            "CONTRIBUTING.md:8: `case_01_two` is no test of case 4",
            "crates/x/tests/a.rs:4: `case_05_new` is not in the table",
        ];
        assert_found(cases, &repository, &expected);
        let none = Repository::sample(&[("README.md", "")]);
        assert_found(cases, &none, &["CONTRIBUTING.md:1: there is no table"]);
    }
}
