//! A tree as rows: one short line for each element that says something, indented by one blank for each row it is in.
//!
//! ```text
//! role ref "name" value="…" desc="…" placeholder="…" hint="…" id="…" native="…" states unread=… (x,y wxh) children=N truncated
//! ```
//!
//! What is not there is left out, and so is what the rows around it tell already:
//!
//! - A row that begins with a quotation mark is a `statictext`.
//! - A row that begins with a ref is what the row that it is in is there for: see [`kind_in`].
//! - `all-hidden` is "hidden, and so is everything in it"; `inside-hidden` is said of the content alone. The same of
//!   `offscreen`. The rows inside do not say it again.
//! - An element without a ref, a text or a state of its own that is there to arrange others has no row; what is in
//!   it takes its place. The same is so of a text that repeats the name of the row that it is in.
//!
//! Words of ours are never quoted, and text of applications always is, so no label can look like a row.

use surehand_core::hint::Hint;
use surehand_core::role::Role;
use surehand_core::state::{State, States};

use crate::element::TreeNode;
use crate::outline::{Lines, Word, flag, labelled, made, quoted};

/// The states that a row says of everything in it at once.
const OF_ALL: [(State, &str, &str); 2] =
    [(State::Hidden, "all-hidden", "inside-hidden"), (State::Offscreen, "all-offscreen", "inside-offscreen")];

/// The row around a row.
#[derive(Default)]
struct Around<'t> {
    /// Its element; none for a row that stands by itself.
    element: Option<&'t TreeNode>,
    /// The states that were said of everything in it.
    said: States,
}

/// Adds the rows of a tree. Its topmost element always has one.
pub fn rows(tree: &TreeNode, lines: &mut Lines, depth: usize) {
    row(tree, lines, depth, &Around::default());
}

/// What a container of this role is there for, which its rows do not say again.
pub const fn kind_in(container: Role) -> Option<Role> {
    Some(match container {
        Role::Menu => Role::MenuItem,
        Role::MenuBar => Role::Menu,
        Role::Toolbar => Role::Button,
        Role::List | Role::ListBox => Role::Option,
        Role::Row | Role::Table => Role::Cell,
        Role::Outline | Role::TreeItem => Role::TreeItem,
        Role::TabList => Role::Tab,
        _ => return None,
    })
}

fn row<'t>(node: &'t TreeNode, lines: &mut Lines, depth: usize, around: &Around<'t>) {
    let children = &node.children;
    if around.element.is_some_and(|container| repeats(node, container, around.said)) {
        return;
    }
    if around.element.is_some() && says_nothing(node, around.said) {
        return children.iter().for_each(|child| row(child, lines, depth, around));
    }
    let mut said = around.said;
    let mut words = Vec::new();
    let holds_rows = children.iter().any(|child| has_row(child, node, around.said));
    for state in node.states.iter().filter(|state| !around.said.contains(*state)) {
        let of_all = OF_ALL.iter().find(|(one, ..)| *one == state && holds_rows && all(children, state));
        words.push(Word::Own(of_all.map_or(state.token(), |(_, word, _)| word)));
        if of_all.is_some() {
            said.insert(state);
        }
    }
    for (state, _, inside) in OF_ALL {
        // Of a single one it is shorter to say it there.
        let many = children.len() > 1 || children.iter().any(|child| !child.children.is_empty());
        if many && holds_rows && !node.states.contains(state) && !around.said.contains(state) && all(children, state) {
            words.push(Word::Own(inside));
            said.insert(state);
        }
    }
    let position = node.bounds.map(|b| format!("({},{} {}x{})", b.x, b.y, b.width, b.height));
    let beside = match &node.hint {
        Some(Hint::Beside(label)) => Word::Labelled("hint", label),
        // In a tree the place of the row says it; by itself nothing else does.
        Some(ordinal @ Hint::Unlabelled { .. }) if around.element.is_none() => made(format!("hint=\"{ordinal}\"")),
        _ => Word::Nothing,
    };
    let start = [
        role(node, around),
        node.ref_id.map_or(Word::Nothing, made),
        quoted(node.name.as_deref()),
        labelled("value", node.value.as_deref()),
        labelled("desc", node.description.as_deref()),
        labelled("placeholder", node.placeholder.as_deref()),
        beside,
        labelled("id", node.native_id.as_ref().map(|id| id.value.as_str())),
        labelled("native", node.native_role.as_deref()),
    ];
    let unread: Vec<&str> = node.unread.iter().map(|piece| piece.token()).collect();
    let end = [
        if unread.is_empty() { Word::Nothing } else { made(format!("unread={}", unread.join(","))) },
        position.map_or(Word::Nothing, made),
        node.children_count.map_or(Word::Nothing, |count| made(format!("children={count}"))),
        flag(node.subtree_truncated, "truncated"),
    ];
    lines.indented(depth, start.into_iter().chain(words).chain(end));
    let around = Around { element: Some(node), said };
    children.iter().for_each(|child| row(child, lines, depth + 1, &around));
}

/// The role, unless the row begins with something that tells it.
fn role(node: &TreeNode, around: &Around<'_>) -> Word<'static> {
    let Some(container) = around.element else { return made(node.role) };
    let told = match node.ref_id {
        Some(_) => kind_in(container.role) == Some(node.role),
        None => node.role == Role::StaticText && node.name.is_some(),
    };
    if told { Word::Nothing } else { made(node.role) }
}

/// Whether all of these and everything in them are in the state.
fn all(nodes: &[TreeNode], state: State) -> bool {
    !nodes.is_empty()
        && nodes
            .iter()
            .all(|node| node.states.contains(state) && (node.children.is_empty() || all(&node.children, state)))
}

/// Whether it, or anything in it, has a row.
fn has_row(node: &TreeNode, container: &TreeNode, said: States) -> bool {
    let shown = !repeats(node, container, said) && !says_nothing(node, said);
    shown || node.children.iter().any(|child| has_row(child, container, said))
}

/// Whether it is a text that says what the row around it is called, and no more.
fn repeats(node: &TreeNode, container: &TreeNode, said: States) -> bool {
    node.role == Role::StaticText
        && node.name.is_some()
        && node.name == container.name
        && node.children.is_empty()
        && has_only_a_name(node)
        && node
            .states
            .iter()
            .all(|state| state == State::Offscreen || said.contains(state) || container.states.contains(state))
}

/// Whether a row for it would hold its role and nothing that anybody could use.
fn says_nothing(node: &TreeNode, said: States) -> bool {
    let passive = |state: &State| matches!(state, State::Hidden | State::Offscreen | State::Disabled);
    if node.name.is_some() || !has_only_a_name(node) || !node.states.iter().all(|state| passive(&state)) {
        return false;
    }
    let unseen =
        [State::Hidden, State::Offscreen].into_iter().any(|state| node.states.contains(state) || said.contains(state));
    if node.children.is_empty() {
        return unseen
            || matches!(
                node.role,
                Role::Group | Role::ScrollArea | Role::Splitter | Role::Separator | Role::Image | Role::StaticText
            );
    }
    // What is so of everything in it is said there.
    matches!(node.role, Role::Group | Role::ScrollArea | Role::Splitter)
        && node.states.iter().all(|state| said.contains(state) || all(&node.children, state))
}

/// Whether nothing is known of it but its role, its states, and perhaps a name.
fn has_only_a_name(node: &TreeNode) -> bool {
    node.ref_id.is_none()
        && node.value.is_none()
        && node.description.is_none()
        && node.placeholder.is_none()
        && node.hint.is_none()
        && node.native_id.is_none()
        && node.native_role.is_none()
        && node.unread.is_empty()
        && node.bounds.is_none()
        && node.children_count.is_none()
        && !node.subtree_truncated
}

#[cfg(test)]
mod tests {
    use surehand_core::node::Node;
    use surehand_core::object::ObjectId;
    use surehand_core::reference::Ref;

    use super::*;

    fn node(role: Role, states: &[State], children: Vec<TreeNode>) -> TreeNode {
        let node = Node::new(ObjectId { owner: "bus:1.1".into(), object: "/0".into() }, role);
        TreeNode { unread: Vec::new(), states: states.iter().copied().collect(), children, ..TreeNode::of(&node, None) }
    }

    fn named(node: TreeNode, name: &str) -> TreeNode {
        TreeNode { name: Some(name.to_owned()), ..node }
    }

    fn referenced(node: TreeNode, number: u32) -> TreeNode {
        let snapshot = "s01".parse().expect("an id");
        TreeNode { ref_id: Some(Ref { snapshot, number }), ..node }
    }

    fn outline(tree: &TreeNode) -> String {
        let mut lines = Lines::new();
        rows(tree, &mut lines, 0);
        lines.finish()
    }

    #[test]
    fn what_was_not_said_is_told() {
        let button = Node::new(ObjectId { owner: "bus:1.1".into(), object: "/0".into() }, Role::Button);
        assert_eq!(outline(&TreeNode::of(&button, None)), "button unread=name,states,actions");
    }

    #[test]
    fn what_is_so_of_everything_inside_is_said_once() {
        let item = |states| named(node(Role::MenuItem, states, Vec::new()), "a");
        let off: &[State] = &[State::Offscreen];
        let menu = |states, items| node(Role::Menu, states, items);
        let disabled = &[State::Disabled, State::Offscreen];
        assert_eq!(
            outline(&menu(&[State::Hidden], vec![item(off), item(disabled)])),
            "menu hidden inside-offscreen\n menuitem \"a\"\n menuitem \"a\" disabled"
        );
        assert_eq!(outline(&menu(off, vec![item(off)])), "menu all-offscreen\n menuitem \"a\"");
        assert_eq!(
            outline(&menu(&[State::Hidden], vec![item(off), item(&[])])),
            "menu hidden\n menuitem \"a\" offscreen\n menuitem \"a\""
        );
        assert_eq!(outline(&menu(&[], vec![item(off)])), "menu\n menuitem \"a\" offscreen");
        assert_eq!(outline(&menu(off, vec![node(Role::Group, off, Vec::new())])), "menu offscreen");
    }

    #[test]
    fn what_only_arranges_others_has_no_row_and_its_content_stays() {
        let label = |text| named(node(Role::StaticText, &[], Vec::new()), text);
        let inner = node(Role::Group, &[], vec![label("kept"), node(Role::Separator, &[], Vec::new())]);
        let tree = node(Role::Window, &[], vec![node(Role::Group, &[], vec![inner])]);
        assert_eq!(outline(&tree), "window\n \"kept\"");
        let disabled = node(Role::Group, &[State::Disabled], vec![label("not disabled itself")]);
        assert_eq!(
            outline(&node(Role::Window, &[], vec![disabled])),
            "window\n group disabled\n  \"not disabled itself\""
        );
        assert_eq!(outline(&node(Role::Group, &[], Vec::new())), "group", "the topmost one always has a row");
        let focused = node(Role::Group, &[State::Focused], Vec::new());
        assert_eq!(outline(&node(Role::Window, &[], vec![focused])), "window\n group focused");
    }

    #[test]
    fn a_row_begins_with_what_tells_its_role() {
        let item = |role, number| referenced(named(node(role, &[], Vec::new()), "x"), number);
        let menu = node(Role::Menu, &[], vec![item(Role::MenuItem, 1), item(Role::CheckBox, 2)]);
        assert_eq!(outline(&menu), "menu\n @s01:e1 \"x\"\n checkbox @s01:e2 \"x\"");
        let group = named(node(Role::Group, &[], vec![item(Role::MenuItem, 1)]), "g");
        assert_eq!(outline(&group), "group \"g\"\n menuitem @s01:e1 \"x\"");
        assert_eq!(outline(&item(Role::MenuItem, 1)), "menuitem @s01:e1 \"x\"");
    }

    #[test]
    fn a_text_that_repeats_the_name_around_it_is_left_out_and_any_other_is_kept() {
        let text = |text, states| named(node(Role::StaticText, states, Vec::new()), text);
        let states: &[State] = &[State::Invalid];
        let children = vec![text("Save", &[]), text("Save", states), text("Save as", &[])];
        let button = referenced(named(node(Role::Button, &[], children), "Save"), 3);
        assert_eq!(outline(&button), "button @s01:e3 \"Save\"\n \"Save\" invalid\n \"Save as\"");
    }
}
