//! Elements as a test writes them down.

use std::ops::RangeInclusive;

use surehand_core::geometry::Rect;
use surehand_core::node::{Content, Node, Orientation, TextAccess};
use surehand_core::object::ObjectId;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::{State, States};

/// An element that is not in a tree yet, with everything that belongs below it.
///
/// Everything about it is known and plain until a method says otherwise, so that a test names only what it
/// is about.
#[derive(Debug, Clone)]
pub struct Element {
    pub(crate) key: Option<String>,
    pub(crate) node: Node,
    pub(crate) children: Vec<Element>,
}

/// An element of any role. An empty name is the absence of one.
pub fn element(role: Role, name: &str) -> Element {
    let nowhere = ObjectId { owner: String::new(), object: String::new() };
    let mut node = Node::new(nowhere, role);
    node.native_role = role.token().to_owned();
    node.name = Reading::of_text(name.to_owned());
    node.description = Reading::Absent;
    node.native_id = Reading::Absent;
    node.placeholder = Reading::Absent;
    node.content = Reading::Absent;
    node.states = Reading::Known(States::NONE);
    node.bounds = Reading::Absent;
    node.affordances.press = Reading::Absent;
    Element { key: None, node, children: Vec::new() }
}

/// A button whose action is called `click`.
pub fn button(name: &str) -> Element {
    element(Role::Button, name).pressing("click")
}

/// A check box, switched off.
pub fn check(name: &str) -> Element {
    element(Role::CheckBox, name).pressing("toggle")
}

/// A radio button that is not chosen. Pressing it releases its siblings.
pub fn radio(name: &str) -> Element {
    element(Role::RadioButton, name).pressing("click")
}

/// An empty text field.
pub fn field(name: &str) -> Element {
    element(Role::TextField, name).edit(|node| node.affordances.text = TextAccess::Edit)
}

/// A text field that hides what is typed. As an adapter must, the fake never reads out what it holds.
pub fn password(name: &str) -> Element {
    field(name).state(State::Secure).edit(|node| node.content = Reading::Unknown)
}

/// A spin button, with both a number and editable text, as toolkits have it.
pub fn spin(name: &str, current: f64, range: RangeInclusive<f64>) -> Element {
    element(Role::Incrementor, name).edit(|node| {
        node.affordances.text = TextAccess::Edit;
        node.affordances.number = true;
        node.content = Reading::Known(Content::Number { current, minimum: *range.start(), maximum: *range.end() });
    })
}

/// A combo box with these options, of which it shows one.
pub fn combo(name: &str, shown: &str, options: &[&str]) -> Element {
    let options = options.iter().map(|option| element(Role::MenuItem, option).pressing("click"));
    let menu = element(Role::Menu, "").with(options);
    element(Role::ComboBox, name).pressing("press").holding(shown).with([menu]).edit(|node| {
        node.affordances.choose = true;
    })
}

/// Something that can be folded open and shut.
pub fn expander(name: &str) -> Element {
    button(name).edit(|node| {
        node.affordances.expand = Some("activate".to_owned());
        node.affordances.collapse = Some("activate".to_owned());
    })
}

/// A scroll bar that goes from top to bottom.
pub fn scroll_bar(current: f64, range: RangeInclusive<f64>) -> Element {
    element(Role::ScrollBar, "").edit(|node| {
        node.affordances.number = true;
        node.affordances.step = Some(10.0);
        node.affordances.orientation = Some(Orientation::Vertical);
        node.content = Reading::Known(Content::Number { current, minimum: *range.start(), maximum: *range.end() });
    })
}

/// A labelled group of other elements.
pub fn group(name: &str, children: impl IntoIterator<Item = Element>) -> Element {
    element(Role::Group, name).with(children)
}

/// A list whose items are made on demand and used again for other content.
pub fn recycling_list(name: &str, items: impl IntoIterator<Item = Element>) -> Element {
    element(Role::List, name).with(items).edit(|node| node.recycles = true)
}

/// An item of a list, which can be activated.
pub fn item(name: &str) -> Element {
    element(Role::Option, name).pressing("activate")
}

/// A text that only shows something.
pub fn label(text: &str) -> Element {
    element(Role::StaticText, text)
}

impl Element {
    /// Names the object path, so that a test can ask for it with [`super::FakePlatform::object`]. Without,
    /// the path is made up.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Puts elements below it, after those that are there.
    #[must_use]
    pub fn with(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        self.children.extend(children);
        self
    }

    /// Puts it into a state.
    #[must_use]
    pub fn state(self, state: State) -> Self {
        self.edit(|node| {
            let mut states = node.states.known().copied().unwrap_or(States::NONE);
            states.insert(state);
            node.states = Reading::Known(states);
        })
    }

    /// Makes it react to nothing.
    #[must_use]
    pub fn disabled(self) -> Self {
        self.state(State::Disabled)
    }

    /// Gives it the name of its developers.
    #[must_use]
    pub fn native_id(self, id: &str) -> Self {
        self.edit(|node| node.native_id = Reading::of_text(id.to_owned()))
    }

    /// Describes it.
    #[must_use]
    pub fn described(self, description: &str) -> Self {
        self.edit(|node| node.description = Reading::of_text(description.to_owned()))
    }

    /// Puts text into it.
    #[must_use]
    pub fn holding(self, text: &str) -> Self {
        self.edit(|node| node.content = text_content(text))
    }

    /// Names the action that activates it.
    #[must_use]
    pub fn pressing(self, action: &str) -> Self {
        self.edit(|node| node.affordances.press = Reading::Known(action.to_owned()))
    }

    /// Gives it a place on the screen.
    #[must_use]
    pub fn at(self, x: i32, y: i32, width: u32, height: u32) -> Self {
        self.edit(|node| node.bounds = Reading::Known(Rect { x, y, width, height }))
    }

    /// Changes anything else. Object, parent and children are not taken from here.
    #[must_use]
    pub fn edit(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(&mut self.node);
        self
    }
}

/// What an element with this text holds; nothing where it is empty, as toolkits answer.
pub(crate) fn text_content(text: &str) -> Reading<Content> {
    if text.is_empty() {
        return Reading::Absent;
    }
    Reading::Known(Content::Text { text: text.to_owned(), clipped: false })
}
