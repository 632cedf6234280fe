//! The parts of a label that change while the element stays what it is.
//!
//! A tab "Inbox (3)" becomes "Inbox (4)", a window's document gets a `*` in front when it is edited, and
//! "2 minutes ago" is three minutes ago a minute later. None of that makes another element of it. What counts
//! as such a part is kept narrow, since "5 min" and "10 min" on a button may well be two things: counters in
//! brackets, percentages, marks of change at either end, clock times with seconds, and times that say "ago".

use std::borrow::Cow;

/// Marks that applications put before or after the name of what was changed and not saved.
const MARKS: &[char] = &['*', '•', '●', '◦', '⚫'];

/// Words that make a number of units a time before now, with their place: before or after it.
const AGO: &[&str] = &["ago", "前", "назад", "önce", "sitten"];

/// The same, in front.
const SINCE: &[&str] = &["vor", "il y a", "hace", "há", "fa"];

/// The label without the parts that change by themselves; blanks are joined.
pub fn stable(label: &str) -> Cow<'_, str> {
    // Almost every label is plain words, and comparing them need not cost more than one allocation.
    let plain = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '.' | '_' | '-' | ':' | '&');
    if label.chars().all(plain) && !label.contains("  ") && !label.to_ascii_lowercase().contains("just now") {
        return Cow::Borrowed(label.trim());
    }
    let mut text = without_brackets(label);
    text = text.trim_matches(|c: char| c.is_whitespace() || MARKS.contains(&c)).to_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        if let Some(length) = time_before_now(rest) {
            at += length;
        } else if is_percentage(rest[0]) || is_clock(rest[0]) {
            at += 1;
        } else if is_number(rest[0]) && rest.get(1) == Some(&"%") {
            at += 2;
        } else {
            kept.push(rest[0]);
            at += 1;
        }
    }
    Cow::Owned(kept.join(" "))
}

/// Drops brackets that hold nothing but numbers: `(3)`, `[2/7]`, `(99+)`.
fn without_brackets(label: &str) -> String {
    let mut out = String::with_capacity(label.len());
    let mut rest = label;
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        let Some(length) = rest[open..].find(close) else { break };
        let inner = &rest[open + 1..open + length];
        let counts = inner.contains(|c: char| c.is_ascii_digit())
            && inner.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '.' | ',' | '/' | '+' | '%' | ':'));
        out.push_str(&rest[..open]);
        if !counts {
            out.push_str(&rest[open..=open + length]);
        }
        rest = &rest[open + length + 1..];
    }
    out.push_str(rest);
    out
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

fn is_percentage(word: &str) -> bool {
    word.strip_suffix('%').is_some_and(is_number)
}

/// A clock time with seconds; one without may be an appointment.
fn is_clock(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    parts.len() == 3 && parts.iter().all(|part| (1..=2).contains(&part.len()) && is_number(part))
}

/// How many words a time before now takes at the beginning of these, if there is one.
fn time_before_now(words: &[&str]) -> Option<usize> {
    let folded = |at: usize| words.get(at).map(|word| word.trim_matches([',', '.']).to_lowercase());
    if folded(0)?.as_str() == "just" && folded(1)?.as_str() == "now" {
        return Some(2);
    }
    // "3 minutes ago", "3 分前" is one word and needs no more than its digits.
    if words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with('前')) {
        return Some(1);
    }
    if is_number(words.first()?) && folded(2).is_some_and(|word| AGO.contains(&word.as_str())) {
        return Some(3);
    }
    // "vor 3 Minuten", "il y a 3 minutes".
    for front in SINCE {
        let length = front.split(' ').count();
        let begins = (0..length).all(|at| folded(at).as_deref() == front.split(' ').nth(at));
        if begins && words.get(length).is_some_and(|word| is_number(word)) && words.len() > length + 1 {
            return Some(length + 2);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changes_by_itself_is_left_out() {
        for (label, kept) in [
            ("Inbox (3)", "Inbox"),
            ("Inbox (99+)", "Inbox"),
            ("Results [2/7] of search", "Results of search"),
            ("*letter.txt - Mousepad", "letter.txt - Mousepad"),
            ("letter.txt •", "letter.txt"),
            ("Copying 45%", "Copying"),
            ("Copying 45 % of files", "Copying of files"),
            ("Saved 2 minutes ago", "Saved"),
            ("gespeichert vor 2 Minuten", "gespeichert"),
            ("Updated just now", "Updated"),
            ("3分前", ""),
            ("Elapsed 00:01:07", "Elapsed"),
        ] {
            assert_eq!(stable(label), kept, "{label}");
        }
    }

    #[test]
    fn what_may_be_the_meaning_stays() {
        for label in
            ["Alpha", "5 min", "Item 3", "Page 2 of 7", "f(x)", "Copy (safe)", "10:30 Meeting", "100", "(", ")(", "[]"]
        {
            assert_eq!(stable(label), label, "{label}");
        }
    }

    proptest! {
        #[test]
        fn any_label_has_a_stable_form(label in ".*") {
            let _ = stable(&label);
        }
    }
}
