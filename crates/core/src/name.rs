//! The accessible name, computed once and in one place.

use crate::reading::Reading;

/// Where a name can come from, best first. Each slot carries its own answer, because a slot that was not
/// read must not be passed over in favour of a weaker one: the element could then be taken for another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameSlots {
    /// What the element calls itself.
    pub own: Reading<String>,
    /// The text of the elements that label it.
    pub labels: Reading<String>,
    /// Its description.
    pub description: Reading<String>,
}

/// The name from the best slot that has one; unknown where a better slot could not be read. The value is
/// never a name: it changes under the user's hands.
pub fn compute(slots: &NameSlots) -> Reading<String> {
    for slot in [&slots.own, &slots.labels, &slots.description] {
        match slot {
            Reading::Known(text) => {
                // GTK pads menu items with blanks.
                let text = text.trim();
                if !text.is_empty() {
                    return Reading::Known(text.to_owned());
                }
            }
            Reading::Absent => {}
            Reading::Unknown => return Reading::Unknown,
        }
    }
    Reading::Absent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Reading<String> {
        Reading::Known(text.into())
    }

    #[test]
    fn the_best_slot_wins_and_an_unread_one_hides_the_weaker() {
        let slots = NameSlots { own: known(" Open  "), labels: Reading::Unknown, description: Reading::Unknown };
        assert_eq!(compute(&slots), known("Open"));
        let slots = NameSlots { own: Reading::Absent, labels: known("Address"), description: known("where to") };
        assert_eq!(compute(&slots), known("Address"));
        let slots = NameSlots { own: Reading::Unknown, labels: known("Address"), description: Reading::Absent };
        assert_eq!(compute(&slots), Reading::Unknown);
        let slots = NameSlots { own: known("  "), labels: Reading::Absent, description: Reading::Absent };
        assert_eq!(compute(&slots), Reading::Absent);
    }
}
