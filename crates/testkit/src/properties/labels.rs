//! What of a label changes by itself.

use surehand_core::label::stable;

use super::Source;

/// Words that no part of a label is dropped for.
pub(super) const WORDS: &[&str] = &["Save", "Open", "Inbox", "Delete", "Alpha", "Übersicht", "收件箱", "Page"];

/// No label panics; a counter, percentage, clock or "ago" that moves on makes no difference; another word does.
pub fn labels(data: &[u8]) {
    let mut source = Source::new(data);
    let any = source.text(8);
    let kept = stable(&any);
    assert!(kept.trim() == kept, "{any:?} has the stable form {kept:?}");

    let words: Vec<&str> = (0..1 + source.below(3)).map(|_| source.pick(WORDS)).collect();
    let label = words.join(" ");
    assert_eq!(stable(&label), label);
    let (then, now) = (moving(&mut source.clone(), &label, 3), moving(&mut source, &label, 42));
    assert_eq!(stable(&then), stable(&now), "{then:?} and {now:?}");
    assert_eq!(stable(&then), label, "{then:?}");

    let mut other = words.clone();
    let at = source.below(other.len());
    other[at] = source.pick(WORDS);
    let other = other.join(" ");
    let moved = moving(&mut source, &other, 7);
    assert_eq!(stable(&moved) == stable(&then), other == label, "{then:?} and {moved:?}");
}

/// A label with a part that changes by itself.
pub(super) fn moving(source: &mut Source<'_>, label: &str, number: u32) -> String {
    match source.below(9) {
        0 => format!("{label} ({number})"),
        1 => format!("({number}) {label}"),
        2 => format!("{label} [{number}/99]"),
        3 => format!("{label} {number}%"),
        4 => format!("*{label}"),
        5 => format!("{label} •"),
        6 => format!("{label} {number} minutes ago"),
        7 => format!("{label} 0:{number:02}:59"),
        _ => format!("{label} vor {number} Minuten"),
    }
}
