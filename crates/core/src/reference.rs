//! Refs: the names under which an agent speaks of elements.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::error::{Code, Error};

/// The digits of ids: no letters that read like a digit.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The id of a snapshot, for example `s0k`. Ids are counted up and never handed out twice in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId(pub u64);

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = Vec::new();
        let mut rest = self.0;
        while rest > 0 || digits.len() < 2 {
            digits.push(DIGITS[(rest % 32) as usize]);
            rest /= 32;
        }
        f.write_str("s")?;
        for digit in digits.iter().rev() {
            write!(f, "{}", char::from(*digit))?;
        }
        Ok(())
    }
}

impl FromStr for SnapshotId {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let digits = word.strip_prefix('s').filter(|digits| (2..=13).contains(&digits.len()));
        let number = digits.and_then(|digits| {
            digits.bytes().try_fold(0u64, |number, digit| {
                let value = DIGITS.iter().position(|known| *known == digit)? as u64;
                number.checked_mul(32)?.checked_add(value)
            })
        });
        // `s0001` would be a second name of `s01`; there is one name for each snapshot.
        number.map(SnapshotId).filter(|id| id.to_string() == word).ok_or_else(|| {
            Error::new(Code::InvalidArgs, format!("{} is not a snapshot id", crate::text::quote(word)))
                .kind("bad_snapshot_id")
                .suggest("copy the id from `snapshot_id` of a snapshot, for example `s0k`")
        })
    }
}

/// One element of one snapshot, for example `@s0k:e8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref {
    /// The snapshot it was made in.
    pub snapshot: SnapshotId,
    /// Its number there, from 1.
    pub number: u32,
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}:e{}", self.snapshot, self.number)
    }
}

impl FromStr for Ref {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let bad = |why: &str| {
            Error::new(Code::InvalidArgs, format!("{} is not a ref: {why}", crate::text::quote(word)))
                .kind("bad_ref")
                .suggest("copy a ref as `snapshot` or `find` prints it, for example `@s0k:e8`")
        };
        let body = word.strip_prefix('@').ok_or_else(|| bad("it does not begin with `@`"))?;
        let Some((snapshot, element)) = body.split_once(':') else {
            return Err(bad("it does not name its snapshot, and a bare ref could mean another element by now"));
        };
        let snapshot = snapshot.parse().map_err(|_| bad("the part before `:` is no snapshot id"))?;
        let number = element
            .strip_prefix('e')
            .filter(|digits| !digits.starts_with(['0', '+']))
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| bad("the part after `:` is not `e` and a number"))?;
        Ok(Ref { snapshot, number })
    }
}

impl Serialize for Ref {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ref {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        word.parse().map_err(|error: Error| serde::de::Error::custom(error.message()))
    }
}

impl JsonSchema for Ref {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ref".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^@s[0-9a-z]{2,13}:e[1-9][0-9]*$" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_are_short_while_they_can_be() {
        assert_eq!(SnapshotId(1).to_string(), "s01");
        assert_eq!(SnapshotId(1023).to_string(), "szz");
        assert_eq!(SnapshotId(1024).to_string(), "s100");
    }

    #[test]
    fn what_is_no_ref_is_refused() {
        for word in [
            "",
            "@",
            "e8",
            "@e8",
            "s01:e8",
            "@s01",
            "@s01:",
            "@s01:8",
            "@s01:e0",
            "@s01:e01",
            "@s01:e+1",
            "@s01:e-1",
            "@s01:e99999999999",
            "@s001:e1",
            "@sil:e1",
            "@s01:e1 ",
            "@s01:e1:e2",
            "@S01:e1",
        ] {
            let error = word.parse::<Ref>().expect_err(word);
            assert_eq!(error.code(), Code::InvalidArgs, "{word}");
        }
    }

    proptest! {
        #[test]
        fn refs_read_back(snapshot in any::<u64>(), number in 1u32..) {
            let reference = Ref { snapshot: SnapshotId(snapshot), number };
            prop_assert_eq!(reference.to_string().parse::<Ref>().ok(), Some(reference));
        }

        #[test]
        fn no_text_panics(word in ".*") {
            let _ = word.parse::<Ref>();
        }
    }
}
