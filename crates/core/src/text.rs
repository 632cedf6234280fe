//! Text that applications control: quoting it, comparing it, cutting it.
//!
//! Text from the screen is data. Whatever prints it goes through [`quote`], so that a label can hold line
//! breaks, quotation marks, terminal escapes or bidirectional overrides and still be one token; whatever
//! compares it goes through [`fold`], so that invisible characters cannot make two equal-looking names
//! differ or two different ones pass for the same.

use std::fmt::Write as _;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizer;
use unicode_segmentation::UnicodeSegmentation;

/// Whether a character has no width or steers the direction or shape of its neighbours, so that a reader
/// cannot see it: shown escaped, ignored when comparing.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}'                              // soft hyphen
        | '\u{034F}'                            // combining grapheme joiner
        | '\u{061C}'                            // arabic letter mark
        | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' // hangul fillers
        | '\u{17B4}' | '\u{17B5}'               // khmer inherent vowels
        | '\u{180B}'..='\u{180F}'               // mongolian selectors
        | '\u{200B}'..='\u{200F}'               // zero width, direction marks
        | '\u{2028}'..='\u{202E}'               // line and paragraph separator, embeddings, overrides
        | '\u{2060}'..='\u{206F}'               // joiner, isolates, deprecated format characters
        | '\u{FE00}'..='\u{FE0F}'               // variation selectors
        | '\u{FEFF}'                            // byte order mark
        | '\u{FFF9}'..='\u{FFFB}'               // interlinear annotation
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}') // tags, variation selectors supplement
}

/// Whether a character may be printed as it is. Emoji are made of visible characters held together by
/// joiners and selectors; those are escaped with the rest, since the same characters can hide text.
fn is_plain(c: char) -> bool {
    !c.is_control() && !is_invisible(c)
}

/// One token for a text of an application: in double quotes, with a backslash before quotation marks and
/// backslashes, and with everything that is not plainly visible as `\n`, `\t` or `\u{…}`.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_plain(c) => out.push(c),
            c => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
        }
    }
    out.push('"');
    out
}

/// The form in which names are compared: NFKC, full case folding, invisible characters dropped, runs of
/// white space as one blank, none at the ends.
pub fn fold(text: &str) -> String {
    let normal = ComposingNormalizer::new_nfkc();
    let composed = normal.normalize(text);
    let folded = CaseMapper::new().fold_string(&composed).into_owned();
    let visible: String = folded.chars().filter(|c| !is_invisible(*c)).collect();
    let joined = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    normal.normalize(&joined).into_owned()
}

/// A hash of texts that is the same in every process and version: FNV-1a, 64 bits. The standard hasher is
/// seeded anew each time. For telling things apart, not for secrets.
pub fn fingerprint<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    texts.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, text| {
        // A separator, so that two texts do not hash like one.
        text.bytes()
            .chain([0xff])
            .fold(hash, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    })
}

/// Cuts a text to at most `bytes` bytes at the end of a whole visible character (a grapheme cluster).
/// Returns the part kept, and whether anything was cut.
///
/// A single cluster that is longer than the limit, such as a letter under a thousand accents, is cut
/// between two of its characters, since otherwise one label could not be shown at all.
pub fn clip(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let mut end = 0;
    // No cluster that fits can reach past the limit, so only the text up to there has to be looked at.
    let reach = floor_boundary(text, bytes.saturating_add(64));
    for (start, cluster) in text[..reach].grapheme_indices(true) {
        if start + cluster.len() > bytes {
            break;
        }
        end = start + cluster.len();
    }
    if end == 0 {
        end = floor_boundary(text, bytes);
    }
    (&text[..end], true)
}

/// The greatest character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quoted_text_is_one_line_and_shows_what_cannot_be_seen() {
        assert_eq!(quote("plain"), r#""plain""#);
        assert_eq!(quote("a\"b\\c\nd\te"), r#""a\"b\\c\nd\te""#);
        assert_eq!(quote("in\u{202e}vert\u{200b}"), r#""in\u{202e}vert\u{200b}""#);
        assert_eq!(quote("\u{1b}[2J"), r#""\u{1b}[2J""#);
        assert_eq!(quote("\u{2028}"), r#""\u{2028}""#);
    }

    #[test]
    fn folding_ignores_what_a_reader_cannot_see() {
        assert_eq!(fold("Mouse\u{200b}pad"), fold("mousepad"));
        assert_eq!(fold("  Text   Editor "), "text editor");
        assert_eq!(fold("STRASSE"), fold("straße"));
        assert_eq!(fold("e\u{301}"), fold("\u{e9}"));
        assert_ne!(fold("Code"), fold("Code - OSS"));
    }

    #[test]
    fn clipping_keeps_whole_clusters() {
        let family = "👨‍👩‍👧‍👦";
        let three = family.repeat(3);
        let (kept, cut) = clip(&three, family.len() + 4);
        assert_eq!((kept, cut), (family, true));
        assert_eq!(clip("short", 10), ("short", false));
        let accents = format!("a{}", "\u{301}".repeat(100));
        let (kept, cut) = clip(&accents, 9);
        assert!(cut && kept.len() == 9);
    }

    /// Reads a quoted token back, as a consumer of the outline would.
    fn unquote(token: &str) -> Option<String> {
        let mut chars = token.strip_prefix('"')?.strip_suffix('"')?.chars();
        let mut out = String::new();
        while let Some(c) = chars.next() {
            if c == '"' {
                return None;
            }
            if c != '\\' {
                out.push(c);
                continue;
            }
            match chars.next()? {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'u' => {
                    let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    out.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
                }
                c => out.push(c),
            }
        }
        Some(out)
    }

    proptest! {
        #[test]
        fn quoting_loses_nothing_and_stays_on_one_line(text in "\\PC*|.*|[\\x00-\\x7f\u{200b}\u{202e}\"\\\\]*") {
            let token = quote(&text);
            let breaks_the_line = token.contains(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}', '\u{1b}']);
            prop_assert!(!breaks_the_line);
            prop_assert_eq!(unquote(&token), Some(text));
        }

        #[test]
        fn a_clip_is_a_prefix_within_the_limit(text in ".*", bytes in 0usize..200) {
            let (kept, cut) = clip(&text, bytes);
            prop_assert!(text.starts_with(kept));
            prop_assert!(kept.len() <= bytes);
            prop_assert_eq!(cut, kept.len() < text.len());
        }

        #[test]
        fn folding_is_idempotent(text in ".*") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
