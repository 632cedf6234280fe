//! As much of Rust's grammar as the checks need: what of a source is code, and the words in it.

/// The source with everything inside comments, strings and character literals blanked out. Length and lines stay.
pub(super) fn code_of(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => line_end(bytes, at),
            b'/' if bytes[at..].starts_with(b"/*") => comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'r' if !in_word(bytes, at) => raw_string_end(bytes, at).unwrap_or(at),
            b'\'' => char_end(source, at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut code[at..end.min(bytes.len())] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    // Whole literals and comments became spaces and everything else was kept, so it is still valid text.
    String::from_utf8_lossy(&code).into_owned()
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// Block comments nest.
fn comment_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// `r"…"`, `r#"…"#`; `None` for a raw identifier or a plain word.
fn raw_string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + 1 + hashes;
    (bytes.get(open) == Some(&b'"')).then_some(())?;
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let length = bytes[open + 1..].windows(close.len()).position(|window| window == close);
    Some(length.map_or(bytes.len(), |length| open + 1 + length + close.len()))
}

/// `'x'` and `'\n'`, but not the lifetime `'a`.
fn char_end(source: &str, at: usize) -> usize {
    let mut rest = source[at + 1..].char_indices();
    match rest.next() {
        // The character after the backslash is part of it, also when it is a quote.
        Some((_, '\\')) => source[at + 3..].find('\'').map_or(at, |length| at + 3 + length + 1),
        Some(_) => match rest.next() {
            Some((length, '\'')) => at + 1 + length + 1,
            _ => at,
        },
        None => at,
    }
}

/// Whether the byte at this place continues a word. `br"…"` and `cr"…"` are strings with a prefix.
fn in_word(bytes: &[u8], at: usize) -> bool {
    let word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    match at.checked_sub(1).map(|before| bytes[before]) {
        Some(b'b' | b'c') => at.checked_sub(2).is_some_and(|before| word(bytes[before])),
        Some(before) => word(before),
        None => false,
    }
}

/// The places where a word stands by itself in the code.
pub(super) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let part = |found: Option<char>| found.is_some_and(|char| char == '_' || char.is_alphanumeric());
        !part(code[..*at].chars().next_back()) && !part(code[at + word.len()..].chars().next())
    })
}

/// The text between the bracket that opens at `at` and the one that closes it.
pub(super) fn bracketed(code: &str, at: usize) -> &str {
    let mut depth = 0usize;
    for (offset, char) in code[at..].char_indices() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return &code[at + 1..at + offset];
                }
            }
            _ => {}
        }
    }
    code.get(at + 1..).unwrap_or_default()
}

/// The parts between the commas that are not inside brackets.
pub(super) fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0usize, 0, Vec::new());
    for (at, char) in list.char_indices() {
        match char {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_left() {
        for (source, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            ("x(\"a\\\"b\", c)", "x(      , c)"),
            ("'a' 'x", "    'x"),
            ("'\\'' b", "     b"),
            ("'\"' b", "    b"),
            ("'é' b", "     b"),
            ("r#type b", "r#type b"),
            ("for \"x\"", "for    "),
        ] {
            assert_eq!(code_of(source), code, "{source}");
            assert_eq!(code_of(source).len(), source.len(), "{source}");
        }
        assert_eq!(code_of("r#\"a\"b\"# + r\"\\\" + br\"c\" x").trim_start(), "+      + b     x");
    }

    #[test]
    fn words_and_lists_are_cut_where_they_end() {
        assert_eq!(words("unsafe_code unsafe {", "unsafe").collect::<Vec<_>>(), [12]);
        assert_eq!(bracketed("f(a, (b), c) d", 1), "a, (b), c");
        assert_eq!(parts("fs, io::{self, Read}, env as e,"), ["fs", "io::{self, Read}", "env as e"]);
    }
}
