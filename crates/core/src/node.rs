//! One observed element.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Rect;
use crate::object::ObjectId;
use crate::reading::Reading;
use crate::role::Role;
use crate::state::{State, States};

/// Something a command can do to an element without pointer or keyboard, as listed in `available_actions`.
/// What stands there can be called; what cannot be called is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Capability {
    /// `click` works.
    Click,
    /// `set-value` works.
    SetValue,
    /// `type` works.
    TypeText,
    /// `right-click` works.
    RightClick,
    /// `toggle` works.
    Toggle,
    /// `select` works.
    Select,
    /// `expand` works.
    Expand,
    /// `collapse` works.
    Collapse,
}

/// The direction in which something goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    /// From left to right.
    Horizontal,
    /// From top to bottom.
    Vertical,
}

/// What the application's accessibility interfaces offer on an element. An adapter reports it as it finds
/// it; what it means for a command is decided here in core.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Affordances {
    /// The application's own name of the action that activates the element, where it has one whose name
    /// says that this is what it does. Unknown where it was asked and its actions could not be read.
    pub press: Reading<String>,
    /// Whether actions are taken away from an element while it is disabled, as Qt does: that it has none says
    /// nothing then.
    pub withheld: bool,
    /// What can be done with its text.
    pub text: TextAccess,
    /// Whether its number can be set.
    pub number: bool,
    /// The number that one step changes it by, where the application says one.
    pub step: Option<f64>,
    /// The direction in which it goes, as a scroll bar does.
    pub orientation: Option<Orientation>,
    /// The application's own name of the action that opens its context menu.
    pub menu: Option<String>,
    /// The application's own name of the action that expands it.
    pub expand: Option<String>,
    /// The application's own name of the action that collapses it.
    pub collapse: Option<String>,
    /// Whether one of its children can be chosen through it.
    pub choose: bool,
    /// Whether it can be given the focus.
    pub focus: bool,
    /// Whether it can be asked to scroll itself into view.
    pub scroll_to: bool,
}

/// A piece of an element that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    /// What it is called.
    Name,
    /// Its states.
    States,
    /// Which actions it has.
    Actions,
}

impl Unread {
    /// The word for it.
    pub const fn token(self) -> &'static str {
        match self {
            Unread::Name => "name",
            Unread::States => "states",
            Unread::Actions => "actions",
        }
    }
}

/// What can be done with the text of an element.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TextAccess {
    /// Nothing: it has no text, or no interface to it.
    #[default]
    None,
    /// It can be read.
    Read,
    /// It can be read and edited.
    Edit,
    /// The interface to edit it is there and does nothing; the reason is for the caller.
    Broken(Cow<'static, str>),
}

/// What an element holds, as opposed to what it is called.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text, and whether it was cut to the budget.
    Text {
        /// The text, or as much of it as the budget allows.
        text: String,
        /// Whether there is more.
        clipped: bool,
    },
    /// A number in a range.
    Number {
        /// Where it stands.
        current: f64,
        /// The smallest it can be.
        minimum: f64,
        /// The greatest it can be.
        maximum: f64,
    },
}

impl Content {
    /// The content as a caller sees it. Numbers print the shortest text that reads back as the same number.
    pub fn display(&self) -> String {
        match self {
            Content::Text { text, .. } => text.clone(),
            Content::Number { current, .. } => format!("{current}"),
        }
    }
}

/// One element as it was observed.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The native object.
    pub object: ObjectId,
    /// What it is.
    pub role: Role,
    /// The platform's word for its role, which matters where ours is `unknown`.
    pub native_role: String,
    /// What it is called, from [`crate::name::compute`].
    pub name: Reading<String>,
    /// Its description.
    pub description: Reading<String>,
    /// The name its developers gave it.
    pub native_id: Reading<String>,
    /// The hint shown while it is empty.
    pub placeholder: Reading<String>,
    /// What it holds. Never read where the element is secure.
    pub content: Reading<Content>,
    /// The states there is positive evidence for; unknown where the application did not answer.
    pub states: Reading<States>,
    /// What its interfaces offer.
    pub affordances: Affordances,
    /// Where it is on the screen, where that was asked for.
    pub bounds: Reading<Rect>,
    /// How many children the application says it has.
    pub child_count: Reading<u64>,
    /// Whether its children are made on demand and re-used for other content, so that the same object may
    /// mean something else a moment later.
    pub recycles: bool,
    /// Index of the parent in [`crate::tree::Observation::nodes`]; none for the root.
    pub parent: Option<usize>,
    /// Indices of the children that were read.
    pub children: Vec<usize>,
}

impl Node {
    /// A node of which nothing but its identity and role is known.
    pub fn new(object: ObjectId, role: Role) -> Self {
        Node {
            object,
            role,
            native_role: String::new(),
            name: Reading::Unknown,
            description: Reading::Unknown,
            native_id: Reading::Unknown,
            placeholder: Reading::Unknown,
            content: Reading::Unknown,
            states: Reading::Unknown,
            affordances: Affordances::default(),
            bounds: Reading::Unknown,
            child_count: Reading::Unknown,
            recycles: false,
            parent: None,
            children: Vec::new(),
        }
    }

    /// Whether there is positive evidence for the state.
    pub fn has(&self, state: State) -> bool {
        self.states.known().is_some_and(|states| states.contains(state))
    }

    /// What commands can do with it headless.
    pub fn capabilities(&self) -> Vec<Capability> {
        let mut capabilities = Vec::new();
        if self.affordances.press.known().is_some() {
            capabilities.push(Capability::Click);
        }
        let editable = self.affordances.text == TextAccess::Edit && !self.has(State::Readonly);
        if editable || self.sets_number() {
            capabilities.push(Capability::SetValue);
        }
        // A spin button has both interfaces, and only the number commits.
        if editable && !self.sets_number() {
            capabilities.push(Capability::TypeText);
        }
        // That a window has to have the keyboard is nothing that an element can promise, so `focus` is not here.
        let offers = [
            (self.affordances.menu.is_some(), Capability::RightClick),
            (self.can_toggle(), Capability::Toggle),
            (self.affordances.choose, Capability::Select),
            (self.affordances.expand.is_some(), Capability::Expand),
            (self.affordances.collapse.is_some(), Capability::Collapse),
        ];
        capabilities.extend(offers.into_iter().filter(|(offered, _)| *offered).map(|(_, capability)| capability));
        capabilities
    }

    /// What the application should have said of it and did not, or not so that it could be read. None of these
    /// is the same as "there is none".
    pub fn unread(&self) -> Vec<Unread> {
        let pieces = [
            (Unread::Name, self.name.is_unknown()),
            (Unread::States, self.states.is_unknown()),
            (Unread::Actions, self.affordances.press.is_unknown()),
        ];
        pieces.into_iter().filter(|(_, unread)| *unread).map(|(piece, _)| piece).collect()
    }

    /// Whether a press switches it on and off. A radio button can only be switched on, and what is folded open
    /// and shut is no switch, whatever states its toolkit gives it.
    pub fn can_toggle(&self) -> bool {
        self.affordances.press.known().is_some()
            && self.is_toggleable()
            && self.role != Role::RadioButton
            && self.affordances.expand.is_none()
    }

    /// Whether it is switched on; none where that is not known.
    pub fn is_on(&self) -> Option<bool> {
        let states = self.states.known()?;
        (!states.contains(State::Indeterminate))
            .then(|| states.contains(State::Checked) || states.contains(State::Pressed))
    }

    /// Whether its value is a number that can be set.
    pub fn sets_number(&self) -> bool {
        self.affordances.number && self.role.is_range()
    }

    /// Whether a click switches it between on and off: by its role, or by the platform's own word where our role
    /// also covers what only acts.
    pub fn is_toggleable(&self) -> bool {
        self.role.is_toggleable()
            || matches!(self.native_role.as_str(), "toggle button" | "check menu item" | "radio menu item")
    }

    /// Whether it is the screen of a terminal: what is written there goes to a program, and what is shown is that
    /// program's, so that nothing of it can be selected and replaced.
    pub fn is_terminal(&self) -> bool {
        self.native_role == "terminal"
    }

    /// Whether it gets a ref: because of its role, or because something can be done with it.
    pub fn is_interactive(&self) -> bool {
        // Some toolkits offer a context menu on every text and frame, and a ref on each would be a ref on everything.
        self.role.is_interactive() || self.capabilities().iter().any(|one| *one != Capability::RightClick)
    }

    /// What it holds, as a caller sees it; nothing for a secret, nor where the application does not say
    /// whether it is one.
    pub fn value(&self) -> Option<String> {
        if self.has(State::Secure) || self.states.is_unknown() {
            return None;
        }
        self.content.known().map(Content::display)
    }
}
