//! The rows of an outline, read back: what an application says is data in them, and never a row.
//!
//! Compiled into the tests here and into the targets of `cargo xtask fuzz`.

use surehand_commands::element::TreeNode;
use surehand_commands::outline::Lines;
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
    tree.lines(&mut lines, 0);
    let printed = lines.finish();
    let hidden = printed.chars().find(|c| *c != '\n' && (c.is_control() || is_invisible(*c)));
    assert_eq!(hidden, None, "{printed:?}");
    let mut expected = Vec::new();
    rows(&tree, 0, &mut expected);
    let read: Vec<Row> =
        printed.split('\n').map(|line| row(line).unwrap_or_else(|| panic!("no row: {line}"))).collect();
    assert_eq!(read, expected, "{printed}");
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
        hint: source.flag().then(|| source.text(3)),
        children_count: source.flag().then_some(7),
        children: (0..children).map(|_| element(source, depth + 1)).collect(),
        ..TreeNode::of(&node, reference)
    }
}

fn text(source: &mut Source<'_>) -> Reading<String> {
    if source.flag() { Reading::of_text(source.text(4)) } else { Reading::Absent }
}

/// What the rows of a tree have to say.
fn rows(tree: &TreeNode, depth: usize, rows: &mut Vec<Row>) {
    let mut own = vec![tree.role.to_string()];
    own.extend(tree.ref_id.map(|reference| reference.to_string()));
    own.extend(tree.states.iter().map(|state| state.token().to_owned()));
    if !tree.unread.is_empty() {
        own.push(format!("unread={}", tree.unread.iter().map(|piece| piece.token()).collect::<Vec<_>>().join(",")));
    }
    own.extend(tree.children_count.map(|count| format!("children={count}")));
    let native_id = tree.native_id.as_ref().map(|id| id.value.clone());
    let texts = [
        ("", tree.name.clone()),
        ("value", tree.value.clone()),
        ("description", tree.description.clone()),
        ("placeholder", tree.placeholder.clone()),
        ("hint", tree.hint.clone()),
        ("id", native_id),
        ("native", tree.native_role.clone()),
    ];
    let texts = texts.into_iter().filter_map(|(label, text)| Some((label.to_owned(), text?))).collect();
    rows.push(Row { depth, own, texts });
    tree.children.iter().for_each(|child| self::rows(child, depth + 1, rows));
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
