//! Random windows and what happens to them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Toolkit;
use super::rng::Rng;

/// What things are called. Few, so that many are called the same.
pub(super) const NAMES: [&str; 8] = ["Alpha", "Beta", "Gamma", "Delta", "Save item", "Delete item", "Accept", "Reject"];

/// The names that frames have.
const FRAMES: [&str; 4] = ["Draft", "Archive", "Inbox", "Outbox"];

/// A widget as the application knows it.
#[derive(Debug, Clone, PartialEq, Deserialize, serde::Serialize)]
pub struct Widget {
    /// Which one it is: never another one's, and of a row in a list that uses its widgets again the row's.
    pub serial: u64,
    /// What it stands for.
    pub content: u64,
    /// What it is called.
    pub name: String,
    /// `button`, `check` or `row`.
    pub kind: String,
    /// Whether it can be used.
    pub enabled: bool,
    /// The number of its group.
    pub group: usize,
    /// What that is: `box`, `rows` or `recycler`.
    pub place: String,
    /// The named frames around it, nearest first.
    pub context: Vec<String>,
    /// Whether it sits in a list that may use its widgets again.
    pub recycled: bool,
    /// Whether that list is really one that does.
    pub model: bool,
}

impl Widget {
    /// Whether the two cannot be told apart by what they look like.
    pub(super) fn looks_like(&self, other: &Widget) -> bool {
        (&self.kind, &self.place) == (&other.kind, &other.place)
            && steady(&self.name) == steady(&other.name)
            && self.is_within_the_same(other)
    }

    /// Whether nothing became of it but what counts by itself.
    pub(super) fn is_the_same_as(&self, other: &Widget) -> bool {
        let counted = Widget { name: other.name.clone(), context: other.context.clone(), ..self.clone() };
        steady(&self.name) == steady(&other.name) && self.is_within_the_same(other) && counted == *other
    }

    fn is_within_the_same(&self, other: &Widget) -> bool {
        self.context.iter().map(|name| steady(name)).eq(other.context.iter().map(|name| steady(name)))
    }
}

/// A name without the number in brackets behind it, that counts.
pub(super) fn steady(name: &str) -> &str {
    let digits = name.strip_suffix(')').map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_digit()));
    digits.and_then(|rest| rest.strip_suffix(" (")).unwrap_or(name)
}

/// The name after the number has counted on; others stay.
fn ticked(name: &str) -> String {
    let counter = name[steady(name).len()..].trim_matches(|c: char| !c.is_ascii_digit());
    counter.parse::<u64>().map_or_else(|_| name.to_owned(), |count| format!("{} ({})", steady(name), count + 1))
}

/// A random window, as the groups that the application builds.
pub(super) fn scene(rng: &mut Rng, toolkit: Toolkit, mutation: Mutation) -> Value {
    let mut content = 0;
    // What needs equal rows gets them.
    let equal = mutation == Mutation::RecycleRows;
    let counting = mutation == Mutation::Tick;
    let qt = matches!(toolkit, Toolkit::Qt5 | Toolkit::Qt6);
    let groups: Vec<Value> = (0..2 + rng.below(3))
        .map(|_| {
            let place = match rng.below(6) {
                _ if equal && !qt => "recycler",
                0 | 1 => "rows",
                // An item view of Qt has nothing in it that can be clicked without the pointer.
                2 if !qt => "recycler",
                _ => "box",
            };
            let items: Vec<Value> = (0..2 + rng.below(5))
                .map(|_| {
                    content += 1;
                    // In a list that uses its widgets again equal rows can only be refused, so they are rarer.
                    let plain = NAMES[rng.below(if equal { 2 } else { NAMES.len() })];
                    let name = if place == "recycler" && !equal && rng.percent(75) {
                        format!("{plain} {content}")
                    } else if place == "box" && rng.percent(if counting { 60 } else { 10 }) {
                        format!("{plain} ({})", rng.below(100))
                    } else {
                        plain.into()
                    };
                    let kind = match place {
                        // A check button of GTK 4 offers no action before 4.10.
                        "box" if toolkit != Toolkit::Gtk4 && rng.percent(30) => "check",
                        "recycler" if toolkit == Toolkit::Gtk3 => "row",
                        _ => "button",
                    };
                    let enabled = place == "recycler" || rng.percent(90);
                    json!({ "kind": kind, "name": name, "content": content, "enabled": enabled })
                })
                .collect();
            let frame = |rng: &mut Rng, of| {
                let name = rng.percent(of).then(|| FRAMES[rng.below(FRAMES.len())])?;
                let counter = rng.percent(if counting { 60 } else { 10 }).then(|| rng.below(100));
                Some(counter.map_or_else(|| name.to_owned(), |count| format!("{name} ({count})")))
            };
            let name = frame(rng, 70);
            let outer = if name.is_some() { frame(rng, 30) } else { None };
            json!({ "kind": place, "name": name, "outer": outer, "items": items })
        })
        .collect();
    Value::Array(groups)
}

/// Something that happens to the window between reading and clicking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// Nothing.
    None,
    /// Something new stands before the target.
    InsertBefore,
    /// Another one goes away.
    RemoveOther,
    /// The target goes away.
    RemoveTarget,
    /// The target's group is put into another order.
    Reorder,
    /// The target is called otherwise.
    RenameTarget,
    /// Another one is now called as the target is.
    RenameOther,
    /// The target goes away and another one is called as it was.
    TakeOver,
    /// Numbers in brackets count on, in the target's name and in the titles of frames.
    Tick,
    /// The target and another one exchange what they are called and stand for.
    SwapLabels,
    /// Equal rows are shown by each other's widgets.
    RecycleRows,
    /// A second one like the target comes.
    Duplicate,
    /// The target is disabled.
    Disable,
    /// The target is enabled, at once or a little later.
    Enable,
    /// Another widget takes the target's place that looks like it and stands for the same.
    Replace,
    /// All widgets are replaced by equal ones.
    Rebuild,
    /// The window is closed, and an equal one opens.
    Reopen,
    /// The process ends and is started again. Its window has the old one's number of the window system.
    Restart,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Mutation; 18] = [
        Mutation::None,
        Mutation::InsertBefore,
        Mutation::RemoveOther,
        Mutation::RemoveTarget,
        Mutation::Reorder,
        Mutation::RenameTarget,
        Mutation::RenameOther,
        Mutation::TakeOver,
        Mutation::Tick,
        Mutation::SwapLabels,
        Mutation::RecycleRows,
        Mutation::Duplicate,
        Mutation::Disable,
        Mutation::Enable,
        Mutation::Replace,
        Mutation::Rebuild,
        Mutation::Reopen,
        Mutation::Restart,
    ];

    /// Those that can hit the moment between the last read and the action.
    const SUDDEN: [Mutation; 10] = [
        Mutation::InsertBefore,
        Mutation::RemoveOther,
        Mutation::RemoveTarget,
        Mutation::Reorder,
        Mutation::RenameTarget,
        Mutation::TakeOver,
        Mutation::SwapLabels,
        Mutation::RecycleRows,
        Mutation::Replace,
        Mutation::Rebuild,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Mutation::None => "none",
            Mutation::InsertBefore => "insert before",
            Mutation::RemoveOther => "remove another",
            Mutation::RemoveTarget => "remove the target",
            Mutation::Reorder => "reorder",
            Mutation::RenameTarget => "rename the target",
            Mutation::RenameOther => "rename another to the target's name",
            Mutation::TakeOver => "remove the target, rename another to its name",
            Mutation::Tick => "count in labels and titles",
            Mutation::SwapLabels => "swap two labels",
            Mutation::RecycleRows => "recycle equal rows",
            Mutation::Duplicate => "duplicate the target",
            Mutation::Disable => "disable the target",
            Mutation::Enable => "enable the target",
            Mutation::Replace => "replace the target by an equal one",
            Mutation::Rebuild => "rebuild everything",
            Mutation::Reopen => "close the window, open an equal one",
            Mutation::Restart => "restart the process",
        }
    }

    /// One of those that suit the mode.
    pub(super) fn random(rng: &mut Rng, sudden: bool) -> Self {
        // A new process takes a second or two: often enough, and seldom enough to be done some day.
        let from: &[Mutation] = if sudden {
            &Self::SUDDEN
        } else if rng.percent(99) {
            &Self::ALL[..Self::ALL.len() - 1]
        } else {
            &[Mutation::Restart]
        };
        rng.pick(from).copied().unwrap_or(Mutation::None)
    }

    /// The target of a trial and what the application is told. Nothing where the window has not got what the
    /// mutation needs.
    pub(super) fn plan(self, rng: &mut Rng, state: &[Widget]) -> Option<(Widget, Vec<Value>)> {
        let is_wanted = |widget: &Widget| match self {
            Mutation::Enable => !widget.enabled,
            Mutation::Disable => widget.enabled && !widget.model,
            // Where a widget stays with its row nobody can see this, and it does not happen.
            Mutation::RecycleRows => widget.model && twins(state, widget).next().is_some(),
            // In a list that uses its widgets again what a row is called is what it is: a widget that shows the
            // name of a row that went away may well be that row's new one.
            Mutation::TakeOver => widget.enabled && !widget.recycled,
            Mutation::Tick => widget.enabled && counts(widget),
            _ => widget.enabled,
        };
        let candidates: Vec<&Widget> = state.iter().filter(|widget| is_wanted(widget)).collect();
        let target = (*rng.pick(&candidates)?).clone();
        let others: Vec<&Widget> = state.iter().filter(|widget| widget.serial != target.serial).collect();
        let same_kind: Vec<&Widget> =
            others.iter().copied().filter(|other| other.kind == target.kind && other.model == target.model).collect();
        let (group, serial) = (target.group, target.serial);
        let place = |widget: &Widget| {
            state.iter().filter(|other| other.group == widget.group).position(|other| other.serial == widget.serial)
        };
        let at = place(&target)?;
        let fresh = 1_000 + rng.below(1_000_000) as u64;
        let new = |name: &str, enabled: bool| json!({ "kind": target.kind, "name": name, "content": fresh, "enabled": enabled });
        let operations = match self {
            Mutation::None | Mutation::Reopen | Mutation::Restart => Vec::new(),
            Mutation::InsertBefore => {
                // Now and then it is called as the target is.
                let name = if rng.percent(50) { &target.name } else { *rng.pick(&NAMES)? };
                let at = rng.below(at + 1);
                vec![json!({ "do": "insert", "group": group, "at": at, "item": new(name, true) })]
            }
            Mutation::RemoveOther => vec![json!({ "do": "remove", "serial": rng.pick(&others)?.serial })],
            Mutation::RemoveTarget => vec![json!({ "do": "remove", "serial": serial })],
            Mutation::Reorder => {
                let members: Vec<&Widget> = state.iter().filter(|widget| widget.group == group).collect();
                members.iter().map(|widget| json!({ "do": "move", "serial": widget.serial, "at": 0 })).collect()
            }
            Mutation::RenameTarget => {
                let names: Vec<&&str> = NAMES.iter().filter(|name| **name != steady(&target.name)).collect();
                vec![json!({ "do": "rename", "serial": serial, "name": rng.pick(&names)?, "content": fresh })]
            }
            Mutation::RenameOther => {
                let other = rng.pick(&same_kind)?.serial;
                vec![json!({ "do": "rename", "serial": other, "name": target.name, "content": fresh })]
            }
            Mutation::TakeOver => {
                let other = rng.pick(&same_kind)?.serial;
                vec![
                    json!({ "do": "remove", "serial": serial }),
                    json!({ "do": "rename", "serial": other, "name": target.name, "content": fresh }),
                ]
            }
            Mutation::Tick => {
                let rename = |widget: &Widget| json!({ "do": "rename", "serial": widget.serial, "name": ticked(&widget.name), "content": widget.content });
                let retitle = |widget: &Widget| {
                    let title = widget.context.first()?;
                    Some(json!({ "do": "retitle", "group": widget.group, "name": ticked(title) }))
                };
                retitle(&target).into_iter().chain([rename(&target)]).collect()
            }
            Mutation::SwapLabels => {
                let is_other = |other: &&&Widget| steady(&other.name) != steady(&target.name);
                let others: Vec<&&Widget> = same_kind.iter().filter(is_other).collect();
                vec![json!({ "do": "swap", "one": serial, "other": rng.pick(&others)?.serial })]
            }
            Mutation::RecycleRows => {
                let twins: Vec<&Widget> = twins(state, &target).collect();
                vec![json!({ "do": "swap", "one": serial, "other": rng.pick(&twins)?.serial })]
            }
            Mutation::Duplicate => {
                let members = state.iter().filter(|widget| widget.group == group).count();
                let at = rng.below(members + 1);
                vec![json!({ "do": "insert", "group": group, "at": at, "item": new(&target.name, true) })]
            }
            Mutation::Disable => vec![json!({ "do": "enable", "serial": serial, "on": false })],
            Mutation::Enable => {
                let after = *rng.pick(&[0, 0, 50, 150])?;
                vec![json!({ "do": "enable", "serial": serial, "on": true, "after": after })]
            }
            Mutation::Replace => vec![json!({ "do": "replace", "serial": serial })],
            Mutation::Rebuild => vec![json!({ "do": "rebuild" })],
        };
        Some((target, operations))
    }
}

/// Whether something in what it is called, or what its frames are, counts.
fn counts(widget: &Widget) -> bool {
    let names = [&widget.name].into_iter().chain(widget.context.first());
    widget.place == "box" && names.into_iter().any(|name| steady(name) != name)
}

/// The others in the same list that look like it.
fn twins<'s>(state: &'s [Widget], of: &'s Widget) -> impl Iterator<Item = &'s Widget> {
    state.iter().filter(|other| other.serial != of.serial && other.group == of.group && other.looks_like(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_in_brackets_at_the_end_counts() {
        assert_eq!(steady("Inbox (3)"), "Inbox");
        assert_eq!(ticked("Inbox (9)"), "Inbox (10)");
        for name in ["Inbox", "Inbox 3", "Inbox (a)", "(3) Inbox"] {
            assert_eq!((steady(name), ticked(name).as_str()), (name, name));
        }
    }
}
