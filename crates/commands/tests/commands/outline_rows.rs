//! The rows of an outline, read back: what an application says is data in them, and never a row.
//!
//! Compiled into the tests here and into the targets of `cargo xtask fuzz`.

use surehand_commands::element::TreeNode;
use surehand_commands::outline::Lines;
use surehand_commands::rows::rows;
use surehand_core::hint::Hint;
use surehand_core::node::{Content, Node, TextAccess};
use surehand_core::object::ObjectId;
use surehand_core::reading::Reading;
use surehand_core::reference::{Ref, SnapshotId};
use surehand_core::role::Role;
use surehand_core::state::{State, States};
use surehand_core::text::is_invisible;
use surehand_testkit::properties::{Source, unquote};

/// What a row says: its depth, its words of ours, and the texts of the application with our word for each.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    depth: usize,
    own: Vec<String>,
    texts: Vec<(String, String)>,
}

/// A reader of the outline recovers exactly the rows that were printed, whatever the application calls things.
pub(crate) fn outline(data: &[u8]) {
    let mut source = Source::new(data);
    let tree = element(&mut source, 0);
    let mut lines = Lines::new();
    rows(&tree, &mut lines, 0);
    let printed = lines.finish();
    let hidden = printed.chars().find(|c| *c != '\n' && (c.is_control() || is_invisible(*c)));
    assert_eq!(hidden, None, "{printed:?}");
    let read: Vec<Row> =
        printed.split('\n').map(|line| row(line).unwrap_or_else(|| panic!("no row: {line}"))).collect();
    let mut elements = Vec::new();
    in_order(&tree, None, &mut elements);
    let mut elements = elements.into_iter();
    for row in &read {
        // What has no row says nothing that a reader would miss.
        let own = elements.by_ref().find(|(element, around)| {
            let is_own = row.tells(element);
            assert!(is_own || is_left_out(element, *around), "no row for {element:?} in\n{printed}");
            is_own
        });
        assert!(own.is_some(), "{row:?} is of no element, in\n{printed}");
    }
    for (element, around) in elements {
        assert!(is_left_out(element, around), "no row for {element:?} in\n{printed}");
    }
}

impl Row {
    /// Whether the row is that of this element: all of its texts and all of our words for it, and nothing else.
    fn tells(&self, element: &TreeNode) -> bool {
        let of_all = |word: &str| {
            let word = word.strip_prefix("all-").or_else(|| word.strip_prefix("inside-"));
            word.is_some_and(|state| state == "hidden" || state == "offscreen")
        };
        let needed = needed(element);
        let role = element.role.to_string();
        let mut allowed = needed.iter().chain([&role]).cloned().collect::<Vec<_>>();
        allowed.extend(element.states.iter().map(|state| state.token().to_owned()));
        self.texts == texts(element, self.depth == 0)
            && needed.iter().all(|word| self.own.contains(word))
            && self.own.iter().all(|word| allowed.contains(word) || of_all(word))
    }
}

/// The elements in the order of the document, each with what it is in.
fn in_order<'t>(
    tree: &'t TreeNode,
    around: Option<&'t TreeNode>,
    elements: &mut Vec<(&'t TreeNode, Option<&'t TreeNode>)>,
) {
    elements.push((tree, around));
    // What has no row leaves its place to what is in it, which is then in what it was in.
    let inner = if tree.name.is_none() && says_nothing(tree) { around.or(Some(tree)) } else { Some(tree) };
    tree.children.iter().for_each(|child| in_order(child, inner, elements));
}

/// Whether an element may have no row: it says nothing, or only what something around it is called.
fn is_left_out(element: &TreeNode, around: Option<&TreeNode>) -> bool {
    let repeats = |around: &TreeNode| element.role == Role::StaticText && element.name == around.name;
    says_nothing(element) && (element.name.is_none() || around.is_some_and(repeats))
}

/// Whether there is nothing that a row of it would hold but its role, its name, and states that hardly matter.
fn says_nothing(element: &TreeNode) -> bool {
    needed(element).is_empty() && texts(&TreeNode { name: None, ..element.clone() }, true).is_empty()
}

const ROLES: [Role; 5] = [Role::Button, Role::Group, Role::TextField, Role::StaticText, Role::Unknown];

fn element(source: &mut Source<'_>, depth: usize) -> TreeNode {
    let mut node = Node::new(ObjectId { owner: "bus:1.1".into(), object: "/0".into() }, source.pick(&ROLES));
    node.name = text(source);
    node.description = text(source);
    node.native_id = text(source);
    node.placeholder = text(source);
    node.native_role = source.text(3);
    node.affordances.press = if source.flag() { Reading::Unknown } else { Reading::Absent };
    node.affordances.text = TextAccess::Edit;
    node.content = text(source).map(|text| Content::Text { text, clipped: false });
    let states: &[State] = if source.flag() { &[State::Disabled, State::Focused] } else { &[] };
    node.states = Reading::Known(states.iter().copied().collect::<States>());
    let number = u32::from(source.byte()) + 1;
    let reference = source.flag().then_some(Ref { snapshot: SnapshotId(9), number });
    let children = if depth < 3 { source.below(4) } else { 0 };
    TreeNode {
        hint: source.flag().then(|| match source.flag() {
            true => Hint::Beside(source.text(3)),
            false => Hint::Unlabelled { place: 1, count: 2 },
        }),
        children_count: source.flag().then_some(7),
        children: (0..children).map(|_| element(source, depth + 1)).collect(),
        ..TreeNode::of(&node, reference)
    }
}

fn text(source: &mut Source<'_>) -> Reading<String> {
    if source.flag() { Reading::of_text(source.text(4)) } else { Reading::Absent }
}

/// Our words that the row of an element cannot do without.
fn needed(element: &TreeNode) -> Vec<String> {
    let mut own: Vec<String> = element.ref_id.iter().map(Ref::to_string).collect();
    own.extend(element.states.iter().filter(|state| *state == State::Focused).map(|state| state.token().to_owned()));
    if !element.unread.is_empty() {
        let unread: Vec<&str> = element.unread.iter().map(|piece| piece.token()).collect();
        own.push(format!("unread={}", unread.join(",")));
    }
    own.extend(element.children_count.map(|count| format!("children={count}")));
    own
}

/// The texts that the row of an element holds, with our word for each.
fn texts(element: &TreeNode, stands_alone: bool) -> Vec<(String, String)> {
    let hint = match &element.hint {
        Some(Hint::Beside(label)) => Some(label.clone()),
        Some(ordinal @ Hint::Unlabelled { .. }) if stands_alone => Some(ordinal.to_string()),
        _ => None,
    };
    let texts = [
        ("", element.name.clone()),
        ("value", element.value.clone()),
        ("desc", element.description.clone()),
        ("placeholder", element.placeholder.clone()),
        ("hint", hint),
        ("id", element.native_id.as_ref().map(|id| id.value.clone())),
        ("native", element.native_role.clone()),
    ];
    texts.into_iter().filter_map(|(label, text)| Some((label.to_owned(), text?))).collect()
}

/// Reads one line: blanks in front, then words with one blank between them. A word that begins with a quotation
/// mark, or holds one after `=`, goes on to the next that no backslash stands before.
fn row(line: &str) -> Option<Row> {
    let mut rest = line.trim_start_matches(' ');
    let mut row = Row { depth: line.len() - rest.len(), own: Vec::new(), texts: Vec::new() };
    while !rest.is_empty() {
        let start = rest.find(['"', ' ']).unwrap_or(rest.len());
        if rest[start..].starts_with('"') {
            let label = rest[..start].strip_suffix('=').or_else(|| rest.starts_with('"').then_some(""))?;
            let mut escaped = false;
            let end = rest[start + 1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            })?;
            let token = &rest[start..start + 1 + end + 1];
            row.texts.push((label.to_owned(), unquote(token)?));
            rest = &rest[start + 1 + end + 1..];
        } else {
            row.own.push(rest[..start].to_owned());
            rest = &rest[start..];
        }
        if !rest.is_empty() {
            rest = rest.strip_prefix(' ').filter(|rest| !rest.is_empty())?;
        }
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_reader_recovers_exactly_the_rows_that_were_printed() {
        surehand_testkit::properties::check(1_000, 300, super::outline);
    }
}
