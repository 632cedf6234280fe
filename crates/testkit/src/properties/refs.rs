//! Refs: one name for each element, and nothing else is one.

use surehand_core::Code;
use surehand_core::reference::{Ref, SnapshotId};

use super::Source;

/// Refs and snapshot ids read back as what they were; no text panics; what is read prints as it stood, so that no
/// element has two names; a ref without its snapshot is refused.
pub fn refs(data: &[u8]) {
    let mut source = Source::new(data);
    let reference = Ref {
        snapshot: SnapshotId(source.number() >> source.below(64)),
        number: 1 + (source.number() >> source.below(64)) as u32 % (u32::MAX - 1),
    };
    let printed = reference.to_string();
    assert_eq!(printed.parse::<Ref>().ok(), Some(reference), "{printed}");
    assert_eq!(serde_json::from_value::<Ref>(serde_json::Value::String(printed.clone())).ok(), Some(reference));
    assert_eq!(reference.snapshot.to_string().parse::<SnapshotId>().ok(), Some(reference.snapshot));
    for bare in [
        format!("@e{}", reference.number),
        format!("e{}", reference.number),
        printed[1..].to_owned(),
        printed.to_uppercase(),
    ] {
        refused(&bare);
    }

    // One character other than it was.
    let mut letters: Vec<char> = printed.chars().collect();
    let at = source.below(letters.len());
    match source.below(3) {
        0 => letters[at] = source.character(),
        1 => letters.insert(at, source.character()),
        _ => drop(letters.remove(at)),
    }
    any(&letters.into_iter().collect::<String>());
    any(&source.text(6));
    any(&String::from_utf8_lossy(source.rest()));
}

fn any(word: &str) {
    match word.parse::<Ref>() {
        Ok(reference) => {
            assert_eq!(reference.to_string(), word, "two names for one element");
            assert!(reference.number > 0, "{word}");
        }
        Err(_) => refused(word),
    }
    if let Ok(id) = word.parse::<SnapshotId>() {
        assert_eq!(id.to_string(), word, "two names for one snapshot");
    }
}

fn refused(word: &str) {
    let error = word.parse::<Ref>().err().unwrap_or_else(|| panic!("{word:?} is taken for a ref"));
    assert_eq!(error.code(), Code::InvalidArgs);
    assert!(error.message().chars().all(|c| !c.is_control()), "{:?}", error.message());
}
