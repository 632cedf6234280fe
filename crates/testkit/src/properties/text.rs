//! Text of applications: quoted, cut, compared.

use surehand_core::text::{clip, fold, is_invisible, quote};
use unicode_segmentation::UnicodeSegmentation as _;

use super::Source;

/// Reads a quoted token back, as a reader of the outline would; none where it is no token.
pub fn unquote(token: &str) -> Option<String> {
    let mut chars = token.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut out = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'u' => {
                    let rest = chars.as_str().strip_prefix('{')?;
                    let (hex, after) = rest.split_once('}')?;
                    out.push(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?);
                    chars = after.chars();
                }
                c @ ('"' | '\\') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    Some(out)
}

/// A quoted text reads back as it was, and holds nothing that cannot be seen or that breaks a line.
pub fn quoting(data: &[u8]) {
    let mut source = Source::new(data);
    for text in [source.text(12), String::from_utf8_lossy(source.rest()).into_owned()] {
        let token = quote(&text);
        assert_eq!(unquote(&token).as_ref(), Some(&text), "{token}");
        let hidden = token.chars().find(|c| c.is_control() || is_invisible(*c) || matches!(c, '\u{2028}' | '\u{2029}'));
        assert_eq!(hidden, None, "{token:?}");
    }
}

/// What is kept of a text is a beginning of it within the limit, ends between two characters as people see them,
/// and is as long as it can be.
pub fn clipping(data: &[u8]) {
    let mut source = Source::new(data);
    let text = source.text(12).repeat(1 + source.below(3)) + &String::from_utf8_lossy(source.rest());
    let limit = source.below(text.len() + 2);
    let (kept, cut) = clip(&text, limit);
    assert!(text.starts_with(kept) && kept.len() <= limit, "{kept:?} of {text:?} in {limit}");
    assert_eq!(cut, kept.len() < text.len(), "{kept:?} of {text:?}");
    let boundaries: Vec<usize> = text.grapheme_indices(true).map(|(start, _)| start).chain([text.len()]).collect();
    let best = boundaries.iter().copied().filter(|at| *at <= limit).max().unwrap_or(0);
    if best > 0 {
        assert_eq!(kept.len(), best, "{kept:?} of {text:?} in {limit}");
    } else {
        // The first character alone is longer than the limit.
        assert!(kept.len() + 4 > limit || kept.len() == text.len(), "{kept:?} of {text:?} in {limit}");
    }
    assert_eq!(clip(kept, limit), (kept, false));
}

/// Folding twice is folding once, and leaves nothing that cannot be seen.
pub fn folding(data: &[u8]) {
    let mut source = Source::new(data);
    for text in [source.text(12), String::from_utf8_lossy(source.rest()).into_owned()] {
        let once = fold(&text);
        assert_eq!(fold(&once), once, "{text:?}");
        assert!(!once.chars().any(is_invisible) && once.trim() == once, "{text:?} folds to {once:?}");
    }
}
