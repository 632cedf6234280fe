//! Which operation of the accessibility interfaces does what is asked.

use super::Action;
use crate::error::{Code, Error, Result};
use crate::node::{Content, Node};
use crate::platform::Operation;
use crate::reading::Reading;

/// The operation, for everything that is one on the element itself.
pub(super) fn direct(node: &Node, action: &Action) -> Result<Operation> {
    let named = |name: Option<&String>, make: fn(String) -> Operation| match name {
        Some(action) => Ok(make(action.clone())),
        None if node.affordances.press.is_unknown() => Err(unread()),
        None => Err(Error::new(Code::Internal, "an element passed the checks without an action")),
    };
    let offers = &node.affordances;
    match action {
        Action::Click | Action::Toggle | Action::Check | Action::Uncheck => {
            named(offers.press.known(), |action| Operation::Press { action })
        }
        Action::RightClick => named(offers.menu.as_ref(), |action| Operation::ShowMenu { action }),
        Action::Expand => named(offers.expand.as_ref(), |action| Operation::Expand { action }),
        Action::Collapse => named(offers.collapse.as_ref(), |action| Operation::Collapse { action }),
        Action::Focus => Ok(Operation::Focus),
        Action::SetValue(text) if node.sets_number() => Ok(Operation::SetNumber(number(node, text)?)),
        Action::SetValue(text) => Ok(Operation::SetText(text.clone())),
        Action::Clear if node.sets_number() => Err(Error::new(
            Code::ActionNotSupported,
            format!("this {} holds a number, which cannot be emptied: use `set-value`", node.role),
        )
        .kind("not_supported_by_element")
        .detail("retryable", false)),
        Action::Clear => Ok(Operation::SetText(String::new())),
        Action::TypeText(text) => Ok(Operation::InsertText(text.clone())),
        Action::DoubleClick
        | Action::TripleClick
        | Action::Select(_)
        | Action::Scroll { .. }
        | Action::ScrollTo
        | Action::Hover => Err(Error::new(Code::Internal, "an action that is no operation of the element alone")),
    }
}

/// The application did not say what it offers, which may be otherwise the next time.
fn unread() -> Error {
    Error::new(Code::ActionFailed, "the application does not say which actions the element has")
        .kind("live_read_incomplete")
        .detail("retryable", true)
        .suggest("try again, with a longer `--timeout-ms` if the application is slow")
}

/// The number in a text, if the element can hold it.
fn number(node: &Node, text: &str) -> Result<f64> {
    let number = parsed(text)?;
    if let Reading::Known(Content::Number { minimum, maximum, .. }) = node.content
        && minimum < maximum
        && !(minimum..=maximum).contains(&number)
    {
        return Err(Error::new(
            Code::InvalidArgs,
            format!("this {} takes a number from {minimum} to {maximum}", node.role),
        )
        .kind("out_of_range")
        .detail("minimum", minimum)
        .detail("maximum", maximum));
    }
    Ok(number)
}

fn parsed(text: &str) -> Result<f64> {
    // The text itself may be a secret put into the wrong element, so it is not repeated.
    text.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
        Error::new(Code::InvalidArgs, "this element holds a number, and the value given is not one")
            .kind("not_a_number")
            .suggest("give a number with a decimal point, for example 4.5")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_no_number_is_not_repeated() {
        let error = parsed("hunter2").expect_err("no number");
        assert!(!error.message().contains("hunter2"));
        assert!(parsed("NaN").is_err() && parsed("1e999").is_err());
        assert_eq!(parsed(" 4.5 ").ok(), Some(4.5));
    }
}
