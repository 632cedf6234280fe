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
    /// Replace what it holds.
    SetValue,
    /// Insert text into it.
    TypeText,
}

impl Intent {
    /// The capability the element has to offer.
    pub const fn capability(self) -> Capability {
        match self {
            Intent::Click => Capability::Click,
            Intent::SetValue => Capability::SetValue,
            Intent::TypeText => Capability::TypeText,
        }
    }
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
            check.status == CheckStatus::Fail && matches!(check.check, CheckKind::SupportedAction | CheckKind::Editable)
        })
    }

    /// The first failure that may pass by itself.
    pub fn transient(&self) -> Option<&Check> {
        self.checks.iter().find(|check| {
            check.status == CheckStatus::Fail && matches!(check.check, CheckKind::Visible | CheckKind::Enabled)
        })
    }
}

/// Examines an element for an action through the accessibility interfaces. Being scrolled out of sight or
/// inside a closed menu is no obstacle there, since no pixel of it is needed.
pub fn examine(node: &Node, intent: Intent) -> Report {
    let state = |kind, state: State, reason: &str| {
        let status = match &node.states {
            Reading::Known(states) if states.contains(state) => CheckStatus::Fail,
            Reading::Known(_) => CheckStatus::Pass,
            Reading::Absent | Reading::Unknown => CheckStatus::Unknown,
        };
        Check { check: kind, status, reason: (status == CheckStatus::Fail).then(|| reason.to_owned()) }
    };
    let mut checks = vec![
        state(CheckKind::Visible, State::Hidden, "the application hides it"),
        state(CheckKind::Enabled, State::Disabled, "the application has disabled it"),
    ];
    let offered = node.capabilities().contains(&intent.capability());
    let kind = if intent == Intent::Click { CheckKind::SupportedAction } else { CheckKind::Editable };
    let withheld = intent == Intent::Click && node.affordances.withheld && node.has(State::Disabled);
    let withheld = withheld || intent == Intent::Click && node.affordances.press.is_unknown();
    let status = match (offered, withheld) {
        (true, _) => CheckStatus::Pass,
        (false, true) => CheckStatus::Unknown,
        (false, false) => CheckStatus::Fail,
    };
    checks.push(Check { check: kind, status, reason: (status == CheckStatus::Fail).then(|| refusal(node, intent)) });
    let actionable = checks.iter().all(|check| check.status != CheckStatus::Fail);
    Report { actionable, checks }
}

/// Why an element does not offer an action.
fn refusal(node: &Node, intent: Intent) -> String {
    match intent {
        Intent::Click => format!("this {} has no action that activates it", node.role),
        Intent::TypeText if node.sets_number() => {
            format!("this {} holds a number: use `set-value`", node.role)
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
