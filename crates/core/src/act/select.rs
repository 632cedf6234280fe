//! Choosing an option by its text.

use super::engine::Scope;
use super::expectation::Expected;
use super::plan::{Move, Plan};
use crate::error::{Code, Error, Result};
use crate::node::{Content, Node};
use crate::platform::{ObserveRequest, Operation};
use crate::reading::Reading;
use crate::role::Role;
use crate::state::State;
use crate::text::quote;
use crate::time::Call;
use crate::tree::Observation;

/// So many of the options that there are stand in an error.
const LISTED: usize = 20;

/// How to choose the option of that text in the element.
pub(super) fn plan(scope: &Scope<'_>, call: &Call<'_>, target: &Node, wanted: &str) -> Result<Plan> {
    let wanted = wanted.trim();
    if target.role == Role::ComboBox && shown(target) == Some(wanted) {
        return Ok(Plan::Already);
    }
    let window = scope.window(call)?;
    let request = ObserveRequest { root: Some(target.object.clone()), ..ObserveRequest::default() };
    let observation = scope.platform.observe(call, &scope.snapshot.application, &window, &request)?;
    let options = options(&observation);
    let fitting: Vec<usize> =
        options.iter().filter(|(_, text)| text.trim() == wanted).map(|(index, _)| *index).collect();
    let index = match fitting.as_slice() {
        [index] if observation.is_whole() => *index,
        [] if options.is_empty() && observation.is_whole() => return Err(no_options(target)),
        [] | [_] if !observation.is_whole() => {
            return Err(Error::new(
                Code::ActionNotSupported,
                format!(
                    "this {} has more options than can be read, so {} cannot be told from others",
                    target.role,
                    quote(wanted)
                ),
            )
            .kind("options_incomplete")
            .detail("retryable", false)
            .suggest("read on with `snapshot --root REF --offset N`, and `click` the option"));
        }
        [] => {
            let there: Vec<&str> = options.iter().map(|(_, text)| text.as_str()).take(LISTED).collect();
            return Err(Error::new(
                Code::ElementNotFound,
                format!("this {} has no option {}", target.role, quote(wanted)),
            )
            .kind("no_such_option")
            .detail("options", there)
            .detail("count", options.len())
            .suggest("give the text of one of the options exactly"));
        }
        several => {
            return Err(Error::new(
                Code::AmbiguousTarget,
                format!("{} options of this {} are called {}", several.len(), target.role, quote(wanted)),
            )
            .kind("ambiguous_option")
            .detail("count", several.len())
            .suggest("`click` the ref of the one you mean"));
        }
    };
    let option =
        observation.nodes.get(index).ok_or_else(|| Error::new(Code::Internal, "an observation lost a node"))?;
    if option.has(State::Disabled) {
        return Err(Error::new(Code::ActionFailed, format!("the option {} is disabled", quote(wanted)))
            .kind("option_disabled")
            .detail("retryable", true));
    }
    // What a combo box shows is what it holds; what its list says of itself is not believed.
    let is_combo = target.role == Role::ComboBox;
    if !is_combo && option.has(State::Selected) {
        return Ok(Plan::Already);
    }
    let in_stock =
        observation.ancestors(index).filter_map(|around| observation.nodes.get(around)).any(|node| node.recycles);
    // A container counts its own children. What hangs deeper would be another one by its place, but for the menu of a
    // combo box, which has all of them.
    let counted = is_combo || observation.nodes.first().is_some_and(|first| first.children.contains(&index));
    let step = if target.affordances.choose && counted {
        Move { object: target.object.clone(), operation: Operation::Choose { child: option.object.clone() } }
    } else if let Some(action) = option
        .affordances
        .press
        .known()
        .cloned()
        // Firefox takes the press of an option that is not shown, and does nothing.
        .filter(|press| chooses(target, press) && !(is_combo && (in_stock || option.has(State::Offscreen))))
    {
        Move { object: option.object.clone(), operation: Operation::Press { action } }
    } else {
        return Err(no_way(target));
    };
    let (expected, watched) = match target.content {
        Reading::Known(Content::Text { .. }) if is_combo => {
            (Expected::Text(text_of(&observation, index).unwrap_or_default()), None)
        }
        _ => (Expected::State { state: State::Selected, on: true, promised: !is_combo }, Some(option.object.clone())),
    };
    Ok(Plan::Semantic { moves: vec![step], expected, watched })
}

/// Whether pressing an option chooses it. In a list or a table a press may open what the row stands for.
fn chooses(target: &Node, press: &str) -> bool {
    matches!(target.role, Role::ComboBox | Role::TabList | Role::RadioGroup)
        || ["toggle", "select"].iter().any(|name| press.eq_ignore_ascii_case(name))
}

/// The options below the first node, with their texts.
fn options(observation: &Observation) -> Vec<(usize, String)> {
    let is_option = |node: &Node| {
        !node.native_role.contains("header")
            && matches!(
                node.role,
                Role::Option | Role::MenuItem | Role::Cell | Role::TreeItem | Role::Row | Role::Tab | Role::RadioButton
            )
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, node) in observation.nodes.iter().enumerate().skip(1) {
        // A row is what its cells are, and it is the row that is named by one text alone.
        if is_option(node)
            && let Some(text) = text_of(observation, index)
            && !observation
                .ancestors(index)
                .any(|around| found.iter().any(|(known, same)| *known == around && *same == text))
        {
            found.push((index, text));
        }
    }
    found
}

/// What an option is called: by its own name, else by the first text in it.
fn text_of(observation: &Observation, index: usize) -> Option<String> {
    let node = observation.nodes.get(index)?;
    match node.name.text() {
        Some(name) => Some(name.trim().to_owned()),
        None => node.children.iter().find_map(|child| text_of(observation, *child)),
    }
}

/// What the element shows as chosen.
fn shown(node: &Node) -> Option<&str> {
    match &node.content {
        Reading::Known(Content::Text { text, clipped: false }) => Some(text.trim()),
        _ => None,
    }
}

fn no_options(target: &Node) -> Error {
    Error::new(
        Code::ActionNotSupported,
        format!("this {} publishes no options, at least not while it is closed", target.role),
    )
    .kind("no_options")
    .detail("retryable", false)
    .suggest("open it with `click` and click the option; where that is not offered, the keyboard can choose")
}

fn no_way(target: &Node) -> Error {
    Error::new(
        Code::ActionNotSupported,
        format!("the options of this {} offer no way to choose one while it is closed", target.role),
    )
    .kind("options_not_choosable")
    .detail("retryable", false)
    .suggest("open it with `click` and choose with the keyboard, or click the option with `--headed`")
}
