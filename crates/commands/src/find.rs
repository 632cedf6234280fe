//! `find`: looks for elements by what they are.

use std::collections::HashSet;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use surehand_core::error::Code;
use surehand_core::hint::{Hint, hints};
use surehand_core::platform::ObserveRequest;
use surehand_core::query::Query;
use surehand_core::reference::Ref;
use surehand_core::role::Role;
use surehand_core::snapshot::number;
use surehand_core::state::State;
use surehand_core::text::{fold, quote};
use surehand_core::tree::Observation;
use surehand_core::{Error, Result};

use crate::command::{Command, Effect, Group, Spec};
use crate::context::Cx;
use crate::defaults::{FIVE_SECONDS, five_seconds};
use crate::element::{self, GapView, TreeNode};
use crate::gate::Resource;
use crate::outline::{Lines, Outline, Word, made};
use crate::rows::rows;
use crate::snapshot::nonzero;
use crate::target::{self, Wanted};

/// Find elements of a window by role, name, text or state
///
/// Text is compared without regard to case and may be a part, unless `--exact` is given. Every match gets a ref.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Find {
    /// Application to look in, by its name or its program's name
    #[arg(long, value_name = "NAME")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Window to look in, as `list-windows` prints it
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_id: Option<String>,
    /// Role, for example `button` or `textfield`
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// Name
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What it holds
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Text in its name, value or description
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Description
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The name its developers gave it, whole and to the letter
    #[arg(long, value_name = "ID")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    native_id: Option<String>,
    /// Compare whole texts instead of parts
    #[arg(long)]
    #[serde(default)]
    exact: bool,
    /// State it must have, or with `=false` must not have; can be given several times
    #[arg(long, value_name = "STATE[=BOOL]")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    state: Vec<String>,
    /// Only the first match
    #[arg(long, conflicts_with_all = ["last", "nth", "count", "limit"])]
    #[serde(default)]
    first: bool,
    /// Only the last match
    #[arg(long, conflicts_with_all = ["nth", "count", "limit"])]
    #[serde(default)]
    last: bool,
    /// Only the match at this place, counted from 0
    #[arg(long, value_name = "N", conflicts_with_all = ["count", "limit"])]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nth: Option<usize>,
    /// Only how many there are
    #[arg(long, conflicts_with = "limit")]
    #[serde(default)]
    count: bool,
    /// At most so many matches; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[serde(default = "fifty")]
    limit: usize,
    /// Milliseconds after which the part read so far is searched
    #[arg(long, value_name = "MS", default_value_t = FIVE_SECONDS)]
    #[serde(default = "five_seconds")]
    timeout_ms: u64,
}

fn fifty() -> usize {
    50
}

/// An element that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Match {
    /// The element.
    #[serde(flatten)]
    element: TreeNode,
    /// Whether something can be done with it.
    interactive: bool,
    /// Where it hangs in the tree: the place of each ancestor among its siblings. For reading, not identity.
    path: Vec<usize>,
}

/// The elements that were found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Found {
    /// The id that the refs carry; none where only the count was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    /// The matches; where a list was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<Match>>,
    /// The match, or null; where one was asked for.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    single: Option<Option<Match>>,
    /// How many there are, also beyond the limit.
    count: usize,
    /// The roles that the window has, where the role asked for was not among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roles_present: Vec<Role>,
    /// Whether the whole window was searched.
    complete: bool,
    /// What was not searched, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<GapView>,
}

impl Outline for Found {
    fn outline(&self) -> String {
        let mut lines = Lines::new();
        lines.words([
            Word::Own("found"),
            made(self.count),
            self.snapshot_id.as_ref().map_or(Word::Nothing, |id| made(format!("snapshot={id}"))),
            Word::Own(if self.complete { "complete" } else { "partial" }),
        ]);
        let single = self.single.iter().flatten();
        for found in self.matches.iter().flatten().chain(single) {
            rows(&found.element, &mut lines, 0);
        }
        if !self.roles_present.is_empty() {
            lines.words(std::iter::once(Word::Own("roles")).chain(self.roles_present.iter().map(made)));
        }
        element::gap_lines(&self.gaps, &mut lines);
        lines.finish()
    }
}

impl Command for Find {
    const SPEC: Spec = Spec::new("find", Group::Observation, Effect::Observe);
    type Output = Found;

    fn resources(&self, _: &Cx<'_>) -> Result<Vec<Resource>> {
        Ok(vec![Resource::UiRead(self.wanted().scope())])
    }

    fn run(self, cx: &mut Cx<'_>) -> Result<Found> {
        nonzero(self.timeout_ms, "timeout_ms")?;
        let query = self.query()?;
        let call = cx.call(self.timeout_ms);
        let platform = cx.platform(&call)?;
        let (application, window) = target::readable_window(platform, &call, self.wanted())?;
        let observation = platform.observe(&call, &application, &window, &ObserveRequest::default())?;
        let matching: Vec<usize> = observation
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| query.matches(node))
            .map(|(index, _)| index)
            .collect();
        let count = matching.len();
        let mut roles_present = Vec::new();
        if count == 0 && query.role.is_some_and(|role| observation.nodes.iter().all(|node| node.role != role)) {
            roles_present = observation.nodes.iter().map(|node| node.role).collect();
            roles_present.sort_unstable();
            roles_present.dedup();
        }
        let mut found = Found {
            snapshot_id: None,
            matches: None,
            single: None,
            count,
            roles_present,
            complete: observation.is_complete(),
            gaps: element::gaps(&observation, |_| None),
        };
        if self.count {
            return Ok(found);
        }
        let picked: Vec<usize> = match self.pick() {
            Pick::First => matching.first().copied().into_iter().collect(),
            Pick::Last => matching.last().copied().into_iter().collect(),
            Pick::Nth(nth) => matching.get(nth).copied().into_iter().collect(),
            Pick::All => matching.into_iter().take(if self.limit == 0 { usize::MAX } else { self.limit }).collect(),
        };
        let chosen: HashSet<usize> = picked.iter().copied().collect();
        let store = cx.services.snapshots();
        let id = store.allocate()?;
        let referenced =
            number(&observation, id, platform.session(), cx.services.unix_time(), |index| chosen.contains(&index));
        store.save(id, &referenced.snapshot)?;
        found.snapshot_id = Some(id.to_string());
        let hints = hints(&observation);
        let places = observation.places();
        let mut matches = picked.iter().filter_map(|index| {
            let number = *referenced.numbers.get(index)?;
            one(&observation, &places, *index, Ref { snapshot: id, number }, hints.get(index).cloned())
        });
        if matches!(self.pick(), Pick::All) {
            found.matches = Some(matches.collect());
        } else {
            found.single = Some(matches.next());
        }
        Ok(found)
    }
}

/// Which of the matches are wanted.
#[derive(Clone, Copy)]
enum Pick {
    First,
    Last,
    Nth(usize),
    All,
}

impl Find {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { app: self.app.as_deref(), window_id: self.window_id.as_deref() }
    }

    fn pick(&self) -> Pick {
        match (self.first, self.last, self.nth) {
            (true, _, _) => Pick::First,
            (_, true, _) => Pick::Last,
            (_, _, Some(nth)) => Pick::Nth(nth),
            _ => Pick::All,
        }
    }

    fn query(&self) -> Result<Query> {
        // The command line refuses these as well; JSON arguments come here unexamined.
        if [self.first, self.last, self.nth.is_some(), self.count].iter().filter(|given| **given).count() > 1 {
            return Err(bad("only one of `first`, `last`, `nth` and `count` can be asked for".into()));
        }
        let query = Query {
            role: self.role.as_deref().map(str::parse).transpose().map_err(bad)?,
            name: self.name.clone(),
            value: self.value.clone(),
            text: self.text.clone(),
            description: self.description.clone(),
            native_id: self.native_id.clone(),
            exact: self.exact,
            states: self.state.iter().map(|clause| state(clause)).collect::<Result<_>>()?,
        };
        let texts = [&query.name, &query.value, &query.text, &query.description, &query.native_id];
        if texts.into_iter().flatten().any(|text| fold(text).is_empty()) {
            return Err(bad("a text to look for is empty, and every element would match it".into()));
        }
        if query.is_empty() {
            return Err(bad("nothing to look for was given".into())
                .suggest("give at least one of `--role`, `--name`, `--value`, `--text`, `--description`, `--native-id`, `--state`"));
        }
        Ok(query)
    }
}

fn bad(why: String) -> Error {
    Error::new(Code::InvalidArgs, why).kind("bad_query")
}

/// `disabled`, `disabled=false`, and `enabled`, which is what people say for `disabled=false`.
fn state(clause: &str) -> Result<(State, bool)> {
    let (word, wanted) = match clause.split_once('=') {
        None => (clause, true),
        Some((word, "true")) => (word, true),
        Some((word, "false")) => (word, false),
        Some((_, other)) => return Err(bad(format!("{} is neither `true` nor `false`", quote(other)))),
    };
    if word == "enabled" {
        return Ok((State::Disabled, !wanted));
    }
    Ok((word.parse().map_err(bad)?, wanted))
}

fn one(observation: &Observation, places: &[usize], index: usize, ref_id: Ref, hint: Option<Hint>) -> Option<Match> {
    let node = observation.nodes.get(index)?;
    let mut path = Vec::new();
    let mut below = index;
    for ancestor in observation.ancestors(index) {
        path.push(*places.get(below)?);
        below = ancestor;
    }
    path.reverse();
    Some(Match {
        element: TreeNode { hint, ..TreeNode::of(node, Some(ref_id)) },
        interactive: node.is_interactive(),
        path,
    })
}
