//! Which languages the person reads, from the environment an application will get.

use surehand_core::desktop::Environment;

/// The locales to look for in a desktop entry, best first, by the rules of GNU gettext that GLib follows:
/// `LANGUAGE` is a list and comes first, then `LC_ALL`, `LC_MESSAGES`, `LANG`; each is tried with and
/// without its parts.
pub(crate) fn languages(environment: &Environment) -> Vec<String> {
    let set = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
        .iter()
        .find_map(|name| environment.0.get(*name).filter(|value| !value.is_empty()));
    let set = set.map_or("", String::as_str).split(':').filter(|locale| !locale.is_empty());
    // GLib looks for translations into "C" as well, last.
    set.flat_map(variants).chain(["C".to_owned()]).collect()
}

/// `de_AT.UTF-8@euro` and what it falls back to. A modifier outweighs a country, and that an encoding.
fn variants(locale: &str) -> Vec<String> {
    let (rest, modifier) = cut(locale, '@');
    let (rest, encoding) = cut(rest, '.');
    let (language, country) = cut(rest, '_');
    let mut found = Vec::new();
    for modifier in both(modifier) {
        for country in both(country) {
            for encoding in both(encoding) {
                let variant = format!("{language}{country}{encoding}{modifier}");
                if !found.contains(&variant) {
                    found.push(variant);
                }
            }
        }
    }
    found
}

/// The part before a separator, and the rest with it.
fn cut(text: &str, at: char) -> (&str, &str) {
    text.split_at(text.find(at).unwrap_or(text.len()))
}

/// With the part, then without.
fn both(part: &str) -> [&str; 2] {
    [part, ""]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Vec<String> {
        languages(&Environment(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()))
    }

    #[test]
    fn the_order_is_that_of_glib() {
        // As `g_get_locale_variants("sr_RS.UTF-8@latin")` prints it.
        assert_eq!(
            variants("sr_RS.UTF-8@latin"),
            [
                "sr_RS.UTF-8@latin",
                "sr_RS@latin",
                "sr.UTF-8@latin",
                "sr@latin",
                "sr_RS.UTF-8",
                "sr_RS",
                "sr.UTF-8",
                "sr"
            ]
        );
        assert_eq!(of(&[("LANG", "de_DE.UTF-8"), ("LANGUAGE", "ja:fr_CA")]), ["ja", "fr_CA", "fr", "C"]);
        assert_eq!(of(&[("LANG", "de_DE"), ("LC_ALL", "")]), ["de_DE", "de", "C"]);
        assert_eq!(of(&[]), ["C"]);
    }
}
