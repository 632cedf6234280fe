//! What can be done with an element.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actionability::Intent;

/// What to do with the element.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Activate it.
    Click,
    /// Click it twice.
    DoubleClick,
    /// Click it three times.
    TripleClick,
    /// Open its context menu.
    RightClick,
    /// Replace what it holds.
    SetValue(String),
    /// Insert text at the caret.
    TypeText(String),
    /// Empty it.
    Clear,
    /// Give it the focus within its window.
    Focus,
    /// Choose the option with this text in it.
    Select(String),
    /// Switch it to the other state.
    Toggle,
    /// Switch it on.
    Check,
    /// Switch it off.
    Uncheck,
    /// Fold it open.
    Expand,
    /// Fold it shut.
    Collapse,
    /// Scroll what is in it, or in what it is in.
    Scroll {
        /// Whither.
        direction: Direction,
        /// By so many steps.
        amount: u32,
    },
    /// Scroll it into view.
    ScrollTo,
    /// Put the pointer on it.
    Hover,
}

impl Action {
    /// What is wanted, for the checks.
    pub const fn intent(&self) -> Intent {
        match self {
            Action::Click => Intent::Click,
            Action::DoubleClick | Action::TripleClick => Intent::MultiClick,
            Action::RightClick => Intent::RightClick,
            Action::SetValue(_) | Action::Clear => Intent::SetValue,
            Action::TypeText(_) => Intent::TypeText,
            Action::Focus => Intent::Focus,
            Action::Select(_) => Intent::Select,
            Action::Toggle => Intent::Toggle,
            Action::Check => Intent::Check,
            Action::Uncheck => Intent::Uncheck,
            Action::Expand => Intent::Expand,
            Action::Collapse => Intent::Collapse,
            Action::Scroll { .. } => Intent::Scroll,
            Action::ScrollTo => Intent::ScrollTo,
            Action::Hover => Intent::Hover,
        }
    }

    /// Whether it does whatever a click does there, so that its effect can be anywhere.
    pub(super) const fn is_click(&self) -> bool {
        matches!(self, Action::Click | Action::DoubleClick | Action::TripleClick | Action::RightClick)
    }
}

/// Whither something is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    #[default]
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Direction {
    /// Every direction.
    pub const ALL: &'static [Direction] = &[Direction::Up, Direction::Down, Direction::Left, Direction::Right];

    /// The word for it.
    pub const fn token(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

impl FromStr for Direction {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Direction::ALL
            .iter()
            .copied()
            .find(|direction| direction.token() == word)
            .ok_or_else(|| format!("{} is not one of up, down, left, right", crate::text::quote(word)))
    }
}
