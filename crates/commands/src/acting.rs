//! What every command that acts on a ref has in common.

use schemars::JsonSchema;
use serde::Serialize;
use surehand_core::Result;
use surehand_core::act::{Action, Effect, Example, Outcome, Terms, What, act};
use surehand_core::node::Node;
use surehand_core::object::ObjectId;
use surehand_core::platform::{Live, ObserveRequest, Platform};
use surehand_core::reference::Ref;
use surehand_core::snapshot::{Snapshot, number};
use surehand_core::time::Call;
use surehand_core::window::Window;

use crate::context::Cx;
use crate::outline::{Lines, Outline, Word, flag, labelled, made};

/// How long giving refs to what is new may take.
const REFS: std::time::Duration = std::time::Duration::from_millis(1_500);

/// How long it may take to say what else changed.
const EXAMPLES: std::time::Duration = std::time::Duration::from_millis(150);

/// What an action did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ActionReport {
    /// The command.
    pub(crate) action: &'static str,
    /// The element.
    #[serde(rename = "ref")]
    pub(crate) ref_id: Ref,
    /// What was done and seen.
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

impl Outline for ActionReport {
    fn outline(&self) -> String {
        let delivery = serde_json::to_value(self.outcome.disposition.delivery).unwrap_or_default();
        let why = serde_json::to_value(self.outcome.unverified).unwrap_or_default();
        let after = self.outcome.post_state.as_ref();
        let states = after.iter().flat_map(|after| after.states.iter()).map(made).collect::<Vec<_>>();
        let words = [
            Word::Own(self.action),
            made(self.ref_id),
            delivery.as_str().map_or(Word::Nothing, made),
            why.as_str().map_or(Word::Nothing, |why| made(format!("because={why}"))),
            flag(self.outcome.dry_run, "dry-run"),
            labelled("value", after.and_then(|after| after.value.as_deref())),
        ];
        let mut lines = Lines::new();
        lines.words(words.into_iter().chain(states));
        for effect in &self.outcome.effects {
            let word = |value: serde_json::Value| value.as_str().map_or(Word::Nothing, made);
            let window = effect.window.as_ref();
            lines.indented(
                1,
                [
                    Word::Own("effect"),
                    word(serde_json::to_value(effect.of).unwrap_or_default()),
                    word(serde_json::to_value(effect.what).unwrap_or_default()),
                    effect.state.map_or(Word::Nothing, made),
                    effect.on.map_or(Word::Nothing, made),
                    effect.ref_id.map_or(Word::Nothing, made),
                    effect.role.map_or(Word::Nothing, made),
                    labelled("name", effect.name.as_deref()),
                    window.map_or(Word::Nothing, |window| made(format!("window={}", window.id))),
                    labelled("title", window.map(|window| window.title.as_str())),
                ],
            );
        }
        if let Some(meanwhile) = &self.outcome.meanwhile {
            lines.indented(1, [Word::Own("meanwhile"), made(format!("elements={}", meanwhile.elements))]);
            for example in &meanwhile.examples {
                let what = serde_json::to_value(example.what).unwrap_or_default();
                lines.indented(
                    2,
                    [
                        what.as_str().map_or(Word::Nothing, made),
                        example.ref_id.map_or(Word::Nothing, made),
                        example.role.map_or(Word::Nothing, made),
                        labelled("name", example.name.as_deref()),
                    ],
                );
            }
        }
        lines.finish()
    }
}

/// How a command was asked to act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// How long to wait for the element; zero is one attempt.
    pub(crate) timeout_ms: u64,
    /// Whether to try it out only.
    pub(crate) dry_run: bool,
}

/// Carries out an action and says what it did.
pub(crate) fn perform(
    cx: &mut Cx<'_>,
    command: &'static str,
    ref_id: Ref,
    action: &Action,
    manner: Manner,
) -> Result<ActionReport> {
    let call = cx.call_for_action(manner.timeout_ms);
    let platform = cx.platform(&call)?;
    let (snapshot, evidence) = cx.evidence(platform, ref_id)?;
    cx.acting_on(&snapshot, &evidence);
    let terms = Terms {
        ready: std::time::Duration::from_millis(manner.timeout_ms),
        headed: cx.services.allowed().headed,
        dry_run: manner.dry_run,
        leases: cx.services.leases(),
    };
    let mut outcome = act(platform, &call, &snapshot, &evidence, action, &terms)
        .map_err(|error| cx.with_fresh_refs(error, platform, &call, &snapshot, &evidence))?;
    cx.disposition = Some(outcome.disposition);
    let naming = Naming { cx, platform, snapshot: &snapshot };
    let time = call.at_most(REFS);
    for effect in &mut outcome.effects {
        naming.name_effect(&time, effect);
    }
    if let Some(meanwhile) = &mut outcome.meanwhile {
        let time = call.at_most(EXAMPLES);
        for example in &mut meanwhile.examples {
            naming.name_example(&time, example);
        }
        meanwhile.examples.retain(|example| example.role.is_some());
    }
    Ok(ActionReport { action: command, ref_id, outcome })
}

/// Gives refs to what an action brought about. What cannot be read has none; the action stands without.
struct Naming<'n, 'c> {
    cx: &'n Cx<'c>,
    platform: &'n dyn Platform,
    snapshot: &'n Snapshot,
}

impl Naming<'_, '_> {
    fn name_effect(&self, call: &Call<'_>, effect: &mut Effect) {
        let named = match (&effect.opened, &effect.object) {
            (Some(window), _) => self.observed(call, window, None),
            (None, Some(object)) => self.window(call).and_then(|window| self.observed(call, &window, Some(object))),
            (None, None) => None,
        };
        if let Some((reference, node)) = named {
            effect.ref_id = Some(reference);
            effect.role = Some(node.role);
            effect.name = node.name.text().map(str::to_owned);
        }
    }

    fn name_example(&self, call: &Call<'_>, example: &mut Example) {
        let Some(object) = &example.object else { return };
        if example.what == What::Added {
            let named = self.window(call).and_then(|window| self.observed(call, &window, Some(object)));
            if let Some((reference, node)) = named {
                example.ref_id = Some(reference);
                example.role = Some(node.role);
                example.name = node.name.text().map(str::to_owned);
            }
            return;
        }
        let known = self.snapshot.refs.iter().find(|(_, evidence)| evidence.object == *object && !evidence.recycled);
        let id = self.snapshot.id.parse().ok();
        example.ref_id = known.and_then(|(number, _)| Some(Ref { snapshot: id?, number: *number }));
        let process = &self.snapshot.application.process;
        if call.go_on().is_ok()
            && let Ok(Live::Element(live)) = self.platform.inspect(call, object, process)
        {
            example.role = Some(live.node.role);
            example.name = live.node.name.text().map(str::to_owned);
        }
    }

    fn window(&self, call: &Call<'_>) -> Option<Window> {
        let windows = self.platform.windows(call, std::slice::from_ref(&self.snapshot.application)).ok()?;
        windows.items.into_iter().find(|window| window.object.as_ref() == Some(&self.snapshot.window))
    }

    /// Reads a window, or an element of it, into a snapshot of its own, and returns the ref of the first node.
    fn observed(&self, call: &Call<'_>, window: &Window, root: Option<&ObjectId>) -> Option<(Ref, Node)> {
        let request = ObserveRequest { root: root.cloned(), ..ObserveRequest::default() };
        let observation = self.platform.observe(call, &self.snapshot.application, window, &request).ok()?;
        let store = self.cx.services.snapshots();
        let id = store.allocate().ok()?;
        let wanted = |index: usize| index == 0 || observation.nodes.get(index).is_some_and(Node::is_interactive);
        let kept = number(&observation, id, self.platform.session(), self.cx.services.unix_time(), wanted);
        store.save(id, &kept.snapshot).ok()?;
        let first = kept.numbers.get(&0)?;
        Some((Ref { snapshot: id, number: *first }, observation.nodes.into_iter().next()?))
    }
}

/// A command whose only arguments are the element, the time to wait, and whether to try it out only.
macro_rules! command_on_a_ref {
    ($(#[$about:meta])* $name:ident, $word:literal, $effect:ident, $resource:ident, $action:expr) => {
        $(#[$about])*
        #[derive(Debug, Clone, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema, ::clap::Args)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Element, as `snapshot` or `find` prints it
            #[arg(value_name = "REF")]
            ref_id: ::surehand_core::reference::Ref,
            /// Milliseconds to wait until the element is ready; 0 for a single attempt
            #[arg(long, value_name = "MS", default_value_t = $crate::defaults::FIVE_SECONDS)]
            #[serde(default = "crate::defaults::five_seconds")]
            timeout_ms: u64,
            /// Run every check, and do nothing
            #[arg(long)]
            #[serde(default)]
            dry_run: bool,
        }

        impl $crate::command::Command for $name {
            const SPEC: $crate::command::Spec = $crate::command::Spec::new(
                $word,
                $crate::command::Group::Interaction,
                $crate::command::Effect::$effect,
            );
            type Output = $crate::acting::ActionReport;

            fn resources(
                &self,
                cx: &$crate::context::Cx<'_>,
            ) -> ::surehand_core::Result<Vec<$crate::gate::Resource>> {
                Ok(vec![$crate::gate::Resource::$resource(cx.scope_of(self.ref_id)?)])
            }

            fn run(self, cx: &mut $crate::context::Cx<'_>) -> ::surehand_core::Result<Self::Output> {
                let manner = $crate::acting::Manner { timeout_ms: self.timeout_ms, dry_run: self.dry_run };
                $crate::acting::perform(cx, Self::SPEC.name, self.ref_id, &$action, manner)
            }
        }
    };
}

pub(crate) use command_on_a_ref;
