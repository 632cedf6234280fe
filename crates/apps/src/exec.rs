//! From an `Exec` line to an argument list, as GLib does it and without a shell.
//!
//! The line has had its string escapes undone already. Field codes are replaced first, by text that is
//! quoted so that it stays one word, and the result is split by the quoting rules of the shell, of which
//! nothing else applies: no variables, no patterns, no commands. Splitting first and replacing afterwards
//! would be cleaner and would not give the lists that applications are written for (`"%c"`, `a%%b`).

use std::fmt;

/// What field codes stand for. Files and addresses are not handed over yet, so `%f %F %u %U` vanish.
#[derive(Debug, Clone, Default)]
pub struct Codes {
    /// `%i`: the icon, which becomes the two arguments `--icon` and itself; nothing without one.
    pub icon: Option<String>,
    /// `%c`: the translated name.
    pub name: String,
    /// `%k`: the path of the desktop entry.
    pub path: String,
}

/// Why a line is no argument list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no word in it.
    Empty,
    /// A quotation mark is not closed.
    OpenQuote,
    /// It ends with a backslash that escapes nothing.
    OpenEscape,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Empty => "it is empty",
            Fault::OpenQuote => "a quotation mark is not closed",
            Fault::OpenEscape => "it ends with a single backslash",
        })
    }
}

impl std::error::Error for Fault {}

/// The argument list, program first.
///
/// # Errors
/// [`Fault`] when the line, before or after the codes are replaced, cannot be split: GLib refuses to load
/// the one and to start the other.
pub fn argv(line: &str, codes: &Codes) -> Result<Vec<String>, Fault> {
    split(line)?;
    split(&expand(line, codes))
}

/// The program as written, before any code is replaced.
///
/// # Errors
/// [`Fault`] when the line cannot be split.
pub fn program(line: &str) -> Result<String, Fault> {
    split(line)?.into_iter().next().ok_or(Fault::Empty)
}

/// Replaces the field codes.
fn expand(line: &str, codes: &Codes) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' || chars.peek().is_none() {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('%') => out.push('%'),
            Some('i') => {
                if let Some(icon) = &codes.icon {
                    out.push_str("--icon ");
                    push_quoted(&mut out, icon);
                }
            }
            Some('c') => push_quoted(&mut out, &codes.name),
            Some('k') => push_quoted(&mut out, &codes.path),
            // Files and addresses without any, the deprecated codes, and those that do not exist.
            _ => {}
        }
    }
    out
}

/// One word for [`split`], whatever is in it.
fn push_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("'\\''"),
            c => out.push(c),
        }
    }
    out.push('\'');
}

/// Splits a line into words and takes the quoting away.
fn split(line: &str) -> Result<Vec<String>, Fault> {
    let mut words = Vec::new();
    // `None` between words: `""` is a word, white space is none.
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    // The character before, as written: a comment begins only after a blank or a line break.
    let mut before = None;
    while let Some(c) = chars.next() {
        let mut last = c;
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(Fault::OpenQuote)? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or(Fault::OpenQuote)? {
                        '"' => break,
                        // Before anything else a backslash stands for itself.
                        '\\' => {
                            let escaped = chars.next_if(|c| "\"\\`$\n".contains(*c));
                            word.push(escaped.unwrap_or('\\'));
                        }
                        c => word.push(c),
                    }
                }
            }
            '\\' => {
                last = chars.next().ok_or(Fault::OpenEscape)?;
                if last != '\n' {
                    word.get_or_insert_default().push(last);
                }
            }
            '#' if matches!(before, None | Some(' ' | '\n')) => {
                // To the end of the line, which does not end a word. GLib takes a mark that is the very last
                // character for a quotation that was not closed.
                chars.peek().ok_or(Fault::OpenQuote)?;
                if chars.any(|c| c == '\n') {
                    last = '\n';
                }
            }
            c => word.get_or_insert_default().push(c),
        }
        before = Some(last);
    }
    words.extend(word);
    if words.is_empty() { Err(Fault::Empty) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes() -> Codes {
        Codes { icon: Some("ic".into()), name: "Case 3".into(), path: "/x/y z.desktop".into() }
    }

    /// What comes after the program.
    fn args(line: &str) -> Vec<String> {
        argv(&format!("prog {line}"), &codes()).unwrap().split_off(1)
    }

    /// The measured table, without files and with string escapes undone.
    #[test]
    fn argument_lists_are_those_of_glib() {
        let table: &[(&str, &[&str])] = &[
            ("%U", &[]),
            ("%F %U", &[]),
            ("--x=%f", &["--x="]),
            ("\"%f\"", &[""]),
            ("%i %c %k", &["--icon", "ic", "Case 3", "/x/y z.desktop"]),
            ("a%%b", &["a%b"]),
            ("50% x", &["50x"]),
            ("\"a \\\"b\\\" c\"", &["a \"b\" c"]),
            ("\"a\\\"b\"", &["a\"b"]),
            ("'single q'", &["single q"]),
            ("\"$HOME\"", &["$HOME"]),
            ("\"\\$HOME\"", &["$HOME"]),
            ("~/x a;b foo(bar) `id` $(id) a|b >x *", &["~/x", "a;b", "foo(bar)", "`id`", "$(id)", "a|b", ">x", "*"]),
            ("a b", &["a", "b"]),
            ("\"four\\\\bs\"", &["four\\bs"]),
            ("%d %D %n %N %v %m", &[]),
            ("%z", &[]),
            ("\"\"", &[""]),
            ("\"%c\"", &["'Case 3'"]),
            ("100%", &["100%"]),
            ("a #b c", &["a"]),
            ("a#b", &["a#b"]),
        ];
        for (line, expected) in table {
            assert_eq!(args(line), *expected, "{line}");
        }
    }

    #[test]
    fn values_of_codes_stay_one_word() {
        let name = "it's \"a\" $(x) #\n%k \\".to_owned();
        let codes = Codes { icon: None, name: name.clone(), path: String::new() };
        assert_eq!(argv("p %i %c", &codes).unwrap(), ["p", &name]);
    }

    #[test]
    fn lines_that_cannot_be_split_are_faults() {
        for (line, fault) in [
            ("", Fault::Empty),
            ("  \t", Fault::Empty),
            ("# x", Fault::Empty),
            ("%f", Fault::Empty),
            ("a \"b", Fault::OpenQuote),
            ("a 'b", Fault::OpenQuote),
            ("a #", Fault::OpenQuote),
            ("a \"x%\" b", Fault::OpenQuote),
            ("a \\", Fault::OpenEscape),
        ] {
            assert_eq!(argv(line, &codes()), Err(fault), "{line}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_never_gives_an_empty_list(line in "\\PC*|[ab \"'\\\\%#$\n\tfick]*") {
            if let Ok(argv) = argv(&line, &codes()) {
                prop_assert!(!argv.is_empty());
            }
        }

        #[test]
        fn a_quoted_text_is_one_word(text in ".*") {
            let mut line = "p ".to_owned();
            push_quoted(&mut line, &text);
            prop_assert_eq!(split(&line), Ok(vec!["p".to_owned(), text]));
        }
    }
}
