//! `get`: reads one property of an element as it is now.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use surehand_core::node::Node;
use surehand_core::reading::Reading;
use surehand_core::reference::Ref;
use surehand_core::state::State;
use surehand_core::{Result, aim};

use crate::aiming::window_of;
use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::element::known_states;
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};

/// Read one property of an element as it is now
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Get {
    /// Element, as `snapshot` or `find` prints it
    #[arg(value_name = "REF")]
    ref_id: Ref,
    /// Property to read
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    property: Property,
    /// Milliseconds to spend at most; one look is given two seconds more
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

/// A property of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Property {
    /// What it holds, for fields; what it is called, for everything else
    #[default]
    Text,
    /// What it holds
    Value,
    /// What it is called
    Title,
    /// Where it is, in screen pixels
    Bounds,
    /// What it is
    Role,
    /// Its states
    States,
}

/// The property that was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Got {
    /// The element.
    #[serde(rename = "ref")]
    ref_id: Ref,
    /// The property.
    property: Property,
    /// What it is; null where there is none or it is withheld.
    value: Value,
    /// Why there is no value although there may be one: `secure_field` for a secret, `not_told` where the application
    /// did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<&'static str>,
    /// For bounds: that they were read now.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<bool>,
}

impl Outline for Got {
    fn outline(&self) -> String {
        let value = match &self.value {
            Value::String(text) => Word::Quoted(text),
            other => made(other),
        };
        Lines::new().words([value, self.withheld.map_or(Word::Nothing, |why| made(format!("withheld={why}")))]).finish()
    }
}

impl Command for Get {
    const SPEC: Spec = Spec::new("get", Group::Observation, Effect::Observe);
    type Output = Got;

    fn resources(&self, cx: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(cx.scope_of(self.ref_id)?)])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Got> {
        let call = cx.call_for_action(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let (snapshot, evidence) = cx.evidence(platform, self.ref_id)?;
        let mut node = cx.resolve(platform, &call, &snapshot, &evidence)?.live.node;
        if self.property == Property::Bounds {
            // What an element says of itself may count from its window, or in larger pixels.
            let window = window_of(cx, &call, &snapshot.application, &evidence.window)?;
            let place = aim::place(platform, &call, &snapshot.application, &window, &node.object);
            node.bounds = match place {
                Ok(bounds) => Reading::Known(bounds),
                Err(error) if error.kind_of() == Some("unknown_origin") => Reading::Unknown,
                Err(error) if error.kind_of() == Some("no_place") => node.bounds,
                Err(error) => return Err(error),
            };
        }
        let secret = node.has(State::Secure) && matches!(self.property, Property::Text | Property::Value);
        let value = if secret { Value::Null } else { read(&node, self.property) };
        let withheld = match value {
            Value::Null if secret => Some("secure_field"),
            Value::Null if !is_told(&node, self.property) => Some("not_told"),
            _ => None,
        };
        Ok(Got {
            ref_id: self.ref_id,
            property: self.property,
            value,
            withheld,
            live: (self.property == Property::Bounds).then_some(true),
        })
    }
}

/// Whether the application answered about the property, if only that there is no such thing.
fn is_told(node: &Node, property: Property) -> bool {
    // What is held by an element that may be a secret is not looked at.
    let content = !node.content.is_unknown() && !node.states.is_unknown();
    match property {
        Property::Text => content && !node.name.is_unknown(),
        Property::Value => content,
        Property::Title => !node.name.is_unknown(),
        Property::Bounds => !node.bounds.is_unknown(),
        Property::Role => true,
        Property::States => !node.states.is_unknown(),
    }
}

fn read(node: &Node, property: Property) -> Value {
    let name = || node.name.text().map(str::to_owned);
    match property {
        Property::Text => {
            let text = if node.role.holds_text() {
                node.value().filter(|value| !value.is_empty()).or_else(name)
            } else {
                name().or_else(|| node.value())
            };
            json!(text)
        }
        Property::Value => json!(node.value()),
        Property::Title => json!(name()),
        Property::Bounds => match node.bounds {
            Reading::Known(bounds) => json!(bounds),
            Reading::Absent | Reading::Unknown => Value::Null,
        },
        Property::Role => json!(node.role),
        Property::States => json!(known_states(node)),
    }
}
