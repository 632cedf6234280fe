//! Whether an element is ready for an action.

use schemars::JsonSchema;
use serde::Serialize;

use crate::node::{Capability, Node, TextAccess};
use crate::reading::Reading;
use crate::role::Role;
use crate::state::State;

/// What is wanted of an element, as far as being ready for it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// Activate it.
    Click,
    /// Click it several times, which only a pointer can.
    MultiClick,
    /// Open its context menu.
    RightClick,
    /// Replace what it holds.
    SetValue,
    /// Insert text into it.
    TypeText,
    /// Give it the focus.
    Focus,
    /// Choose one of the options in it.
    Select,
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
    /// Scroll what is in it.
    Scroll,
    /// Scroll it into view.
    ScrollTo,
    /// Put the pointer on it.
    Hover,
}

/// In which way an element can do what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Through the accessibility interfaces.
    Semantic,
    /// It has no action while it is disabled, and may have one once it is enabled; or nobody knows which it has.
    Withheld,
    /// Only pointer or keyboard can.
    Physical,
    /// In none.
    None,
}

impl Intent {
    /// Whether the element's content is what is changed.
    const fn edits(self) -> bool {
        matches!(self, Intent::SetValue | Intent::TypeText)
    }

    /// Whether it matters that the element is shown and reacts.
    const fn needs_ready(self) -> bool {
        !matches!(self, Intent::Focus | Intent::ScrollTo | Intent::Scroll)
    }

    fn way(self, node: &Node) -> Way {
        let offers = |capability| node.capabilities().contains(&capability);
        let switch = node.is_toggleable() && node.affordances.expand.is_none();
        let offered = match self {
            Intent::Click => node.affordances.press.known().is_some(),
            Intent::MultiClick | Intent::Hover => false,
            Intent::RightClick => offers(Capability::RightClick),
            Intent::SetValue => offers(Capability::SetValue),
            Intent::TypeText => offers(Capability::TypeText),
            Intent::Focus => node.affordances.focus,
            Intent::Select => offers(Capability::Select) || holds_options(node.role),
            Intent::Toggle | Intent::Uncheck => node.can_toggle(),
            Intent::Check => switch && node.affordances.press.known().is_some(),
            Intent::Expand => offers(Capability::Expand),
            Intent::Collapse => offers(Capability::Collapse),
            Intent::Scroll | Intent::ScrollTo => true,
        };
        if offered {
            return Way::Semantic;
        }
        // What can never be done with an element of its kind is not withheld.
        let possible = match self {
            Intent::Click | Intent::RightClick => true,
            Intent::Toggle | Intent::Uncheck => switch && node.role != Role::RadioButton,
            Intent::Check => switch,
            _ => false,
        };
        if possible && node.affordances.press.is_unknown() {
            return Way::Withheld;
        }
        if possible && node.affordances.withheld && node.has(State::Disabled) {
            return Way::Withheld;
        }
        let physical = match self {
            Intent::MultiClick | Intent::Hover | Intent::RightClick => true,
            Intent::Click => node.role.is_interactive(),
            Intent::Toggle | Intent::Uncheck | Intent::Check => possible,
            // A terminal's keys for selecting all and deleting are commands to the program in it.
            Intent::SetValue if node.is_terminal() => false,
            Intent::SetValue | Intent::TypeText => {
                node.role == Role::TextField && node.affordances.text != TextAccess::Edit && !node.has(State::Readonly)
            }
            _ => false,
        };
        if physical { Way::Physical } else { Way::None }
    }
}

/// Whether elements of this role have options in them that can be chosen.
pub(crate) const fn holds_options(role: Role) -> bool {
    matches!(
        role,
        Role::ComboBox
            | Role::List
            | Role::ListBox
            | Role::Table
            | Role::Grid
            | Role::Outline
            | Role::TabList
            | Role::RadioGroup
    )
}

/// One thing that was examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// Not hidden.
    Visible,
    /// Reacts to the user.
    Enabled,
    /// Offers the action.
    SupportedAction,
    /// Its content can be changed.
    Editable,
    /// What it takes was allowed.
    Policy,
    /// Stays where it is.
    Stable,
    /// Where a pointer would go, nothing else lies over it.
    ReceivesEvents,
}

/// How one check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It holds.
    Pass,
    /// It does not hold.
    Fail,
    /// The application does not say. This does not stop an action: only positive evidence against it does.
    Unknown,
}

/// One check with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// What was examined.
    pub check: CheckKind,
    /// How it came out.
    pub status: CheckStatus,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Whether the action may be dispatched.
    pub actionable: bool,
    /// Each check.
    pub checks: Vec<Check>,
}

impl Report {
    /// The first failure that waiting cannot mend.
    pub fn terminal(&self) -> Option<&Check> {
        self.checks.iter().find(|check| {
            check.status == CheckStatus::Fail
                && matches!(check.check, CheckKind::SupportedAction | CheckKind::Editable | CheckKind::Policy)
        })
    }

    /// The first failure that may pass by itself.
    pub fn transient(&self) -> Option<&Check> {
        self.checks.iter().find(|check| {
            check.status == CheckStatus::Fail
                && matches!(
                    check.check,
                    CheckKind::Visible | CheckKind::Enabled | CheckKind::Stable | CheckKind::ReceivesEvents
                )
        })
    }
}

/// Examines an element for an action through the accessibility interfaces. Being scrolled out of sight or
/// inside a closed menu is no obstacle there, since no pixel of it is needed.
pub fn examine(node: &Node, intent: Intent) -> Report {
    examine_with(node, intent, false)
}

/// As [`examine`], where physical input may be allowed.
pub fn examine_with(node: &Node, intent: Intent, headed: bool) -> Report {
    let state = |kind, state: State, reason: &str| {
        let status = match &node.states {
            Reading::Known(states) if states.contains(state) => CheckStatus::Fail,
            Reading::Known(_) => CheckStatus::Pass,
            Reading::Absent | Reading::Unknown => CheckStatus::Unknown,
        };
        Check { check: kind, status, reason: (status == CheckStatus::Fail).then(|| reason.to_owned()) }
    };
    let mut checks = Vec::new();
    if intent.needs_ready() {
        checks.push(state(CheckKind::Visible, State::Hidden, "the application hides it"));
        checks.push(state(CheckKind::Enabled, State::Disabled, "the application has disabled it"));
    }
    let kind = if intent.edits() { CheckKind::Editable } else { CheckKind::SupportedAction };
    let way = intent.way(node);
    let unreadable = matches!(intent, Intent::Toggle | Intent::Check | Intent::Uncheck)
        && way != Way::None
        && node.states.known().is_none();
    let (kind, status, reason) = match way {
        // What it was before is what a switch is verified by.
        _ if unreadable => (kind, CheckStatus::Fail, Some("the application does not say whether it is on".to_owned())),
        Way::Semantic => (kind, CheckStatus::Pass, None),
        Way::Withheld => (kind, CheckStatus::Unknown, None),
        Way::Physical if headed => (CheckKind::Policy, CheckStatus::Pass, None),
        Way::Physical => (CheckKind::Policy, CheckStatus::Fail, Some(refusal(node, intent))),
        Way::None => (kind, CheckStatus::Fail, Some(refusal(node, intent))),
    };
    checks.push(Check { check: kind, status, reason });
    let actionable = checks.iter().all(|check| check.status != CheckStatus::Fail);
    Report { actionable, checks }
}

/// Whether only pointer or keyboard can do it.
pub(crate) fn is_physical(node: &Node, intent: Intent) -> bool {
    intent.way(node) == Way::Physical
}

/// Why an element does not offer an action.
fn refusal(node: &Node, intent: Intent) -> String {
    let role = node.role;
    match intent {
        Intent::Click => format!("this {role} has no action that activates it"),
        Intent::MultiClick => "no accessibility interface clicks more than once".to_owned(),
        Intent::Hover => "only the pointer can be put on something".to_owned(),
        Intent::RightClick => format!("this {role} has no action that opens its context menu"),
        Intent::Focus => format!("this {role} cannot be given the focus"),
        Intent::Select => format!("a {role} has no options that could be chosen"),
        Intent::Uncheck | Intent::Toggle if role == Role::RadioButton => {
            "a radio button is switched off by choosing another one: `check` that one".to_owned()
        }
        Intent::Toggle | Intent::Check | Intent::Uncheck if node.is_toggleable() => {
            format!("this {role} has no action that switches it")
        }
        Intent::Toggle | Intent::Check | Intent::Uncheck => format!("a {role} is not switched on and off"),
        Intent::Expand | Intent::Collapse => format!("this {role} has no action that folds it open or shut"),
        Intent::Scroll | Intent::ScrollTo => format!("this {role} cannot be scrolled"),
        Intent::TypeText if node.sets_number() => {
            format!("this {role} holds a number: use `set-value`")
        }
        Intent::SetValue if node.is_terminal() => {
            "what a terminal shows is its program's and cannot be replaced, only the keyboard can write to it: use `type` \
             or `press`"
                .to_owned()
        }
        Intent::SetValue | Intent::TypeText => match &node.affordances.text {
            TextAccess::Broken(why) => why.clone().into_owned(),
            TextAccess::Edit => format!("this {} is read-only", node.role),
            TextAccess::Read if node.role == Role::TextField && !node.has(State::Readonly) => format!(
                "this {} has no interface through which its text can be changed, so only the keyboard can write here",
                node.role
            ),
            TextAccess::Read | TextAccess::None => {
                format!("this {} has no interface through which its content can be changed", node.role)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ObjectId;
    use crate::state::States;

    fn node(role: Role, states: &[State]) -> Node {
        let mut node = Node::new(ObjectId { owner: "a".into(), object: "/1".into() }, role);
        node.states = Reading::Known(states.iter().copied().collect::<States>());
        node
    }

    #[test]
    fn a_disabled_button_may_become_ready_and_one_without_action_never_does() {
        let mut button = node(Role::Button, &[State::Disabled]);
        button.affordances.press = Reading::Known("click".into());
        let report = examine(&button, Intent::Click);
        assert!(!report.actionable && report.terminal().is_none());
        assert_eq!(report.transient().map(|check| check.check), Some(CheckKind::Enabled));
        button.affordances.press = Reading::Absent;
        assert!(examine(&button, Intent::Click).terminal().is_some());
        button.affordances.withheld = true;
        let report = examine(&button, Intent::Click);
        assert!(!report.actionable && report.terminal().is_none(), "it may have one once it is enabled");
        button.states = Reading::Known(States::NONE);
        assert!(examine(&button, Intent::Click).terminal().is_some());
    }

    #[test]
    fn what_is_offscreen_can_be_acted_on_and_what_is_not_known_does_not_stop() {
        let mut item = node(Role::MenuItem, &[State::Offscreen]);
        item.affordances.press = Reading::Known("click".into());
        assert!(examine(&item, Intent::Click).actionable);
        item.states = Reading::Unknown;
        assert!(examine(&item, Intent::Click).actionable);
    }

    #[test]
    fn in_a_terminal_the_keyboard_types_and_replaces_nothing() {
        let mut screen = node(Role::TextField, &[]);
        screen.affordances.text = TextAccess::Read;
        assert!(examine_with(&screen, Intent::SetValue, true).actionable);
        screen.native_role = "terminal".into();
        assert!(examine_with(&screen, Intent::TypeText, true).actionable);
        let report = examine_with(&screen, Intent::SetValue, true);
        assert!(report.terminal().is_some_and(|check| check.check == CheckKind::Editable), "{report:?}");
    }

    #[test]
    fn actions_that_could_not_be_read_are_not_said_to_be_missing() {
        let button = node(Role::Button, &[]);
        let report = examine(&button, Intent::Click);
        let supported = report.checks.iter().find(|check| check.check == CheckKind::SupportedAction);
        assert_eq!(supported.map(|check| check.status), Some(CheckStatus::Unknown));
        assert!(button.capabilities().is_empty(), "nothing is promised either");
    }

    #[test]
    fn a_spin_button_takes_a_number_and_no_typing() {
        let mut spin = node(Role::Incrementor, &[]);
        spin.affordances.text = TextAccess::Edit;
        spin.affordances.number = true;
        assert!(examine(&spin, Intent::SetValue).actionable);
        let report = examine(&spin, Intent::TypeText);
        assert!(
            report.terminal().and_then(|check| check.reason.as_deref()).is_some_and(|why| why.contains("set-value"))
        );
    }

    #[test]
    fn a_field_that_can_only_be_read_says_that_the_keyboard_is_left() {
        let mut field = node(Role::TextField, &[]);
        field.affordances.text = TextAccess::Read;
        let reason = |field: &Node| examine(field, Intent::TypeText).terminal().and_then(|check| check.reason.clone());
        assert!(reason(&field).is_some_and(|why| why.contains("keyboard")));
        field.states = Reading::Known(States::from_iter([State::Readonly]));
        assert!(reason(&field).is_some_and(|why| !why.contains("keyboard")), "nothing can write there");
    }

    #[test]
    fn a_broken_text_interface_says_why() {
        let mut field = node(Role::TextField, &[]);
        field.affordances.text = TextAccess::Broken("the toolkit answers yes and does nothing".into());
        let report = examine(&field, Intent::SetValue);
        assert_eq!(
            report.terminal().and_then(|check| check.reason.as_deref()),
            Some("the toolkit answers yes and does nothing")
        );
    }
}
