//! `is`: asks one question about an element as it is now.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::node::Node;
use surehand_core::reading::Reading;
use surehand_core::reference::Ref;
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, flag, made};

/// Ask whether an element is visible, enabled, checked, focused, expanded or selected
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Is {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// What to ask
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    property: Question,
    /// Milliseconds to spend at most; one look is given two seconds more
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// A question about an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Question {
    /// Is it shown?
    #[default]
    Visible,
    /// Does it react to the user?
    Enabled,
    /// Is it switched on?
    Checked,
    /// Does it have the keyboard?
    Focused,
    /// Is it open?
    Expanded,
    /// Is it among the chosen ones?
    Selected,
}

/// The answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Answered {
    /// The element.
    #[serde(rename = "ref")]
    ref_id: Ref,
    /// The question.
    property: Question,
    /// The answer.
    result: bool,
    /// Whether the question makes sense for an element of its role.
    applicable: bool,
}

impl Outline for Answered {
    fn outline(&self) -> String {
        Lines::new().words([made(self.result), flag(!self.applicable, "not-applicable"), Word::Nothing]).finish()
    }
}

impl Command for Is {
    const SPEC: Spec = Spec::new("is", Group::Observation, Effect::Observe);
    type Output = Answered;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Answered> {
        let call = cx.call_for_action(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let (snapshot, evidence) = cx.evidence(platform, self.ref_id)?;
        let node = cx.resolve(platform, &call, &snapshot, &evidence)?.live.node;
        let (result, applicable) = ask(&node, self.property)?;
        Ok(Answered { ref_id: self.ref_id, property: self.property, result, applicable })
    }
}

/// The answer and whether the question applies.
///
/// # Errors
/// `ACTION_FAILED` when the application does not tell the element's states: no answer is not `false`.
fn ask(node: &Node, question: Question) -> Result<(bool, bool)> {
    let Reading::Known(states) = node.states else {
        return Err(Error::new(Code::ActionFailed, "the application does not tell the states of the element")
            .kind("live_read_incomplete"));
    };
    let has = |state| states.contains(state);
    Ok(match question {
        Question::Visible => {
            let nowhere = node.bounds.known().is_some_and(|bounds| !bounds.has_area());
            (!has(State::Hidden) && !has(State::Offscreen) && !nowhere, true)
        }
        Question::Enabled => (!has(State::Disabled), true),
        Question::Checked => {
            let togglable = node.role.is_toggleable() || matches!(node.role, Role::MenuItem | Role::Button);
            (has(State::Checked) || has(State::Pressed), togglable || has(State::Checked))
        }
        Question::Focused => (has(State::Focused), true),
        Question::Expanded => {
            let opens = matches!(node.role, Role::ComboBox | Role::MenuButton | Role::TreeItem | Role::Disclosure);
            (has(State::Expanded), opens || has(State::Expanded) || has(State::Haspopup))
        }
        Question::Selected => {
            let chosen = matches!(
                node.role,
                Role::Option | Role::Tab | Role::Cell | Role::Row | Role::TreeItem | Role::MenuItem | Role::RadioButton
            );
            (has(State::Selected), chosen || has(State::Selected))
        }
    })
}
