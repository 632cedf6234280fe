//! One trial, and what it proves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::puppet::{Click, Puppet};
use super::rng::Rng;
use super::scene::{self, Mutation, NAMES, Widget};
use super::tool::{Answer, Handle, Tool};
use super::{Config, Mode, Toolkit};
use crate::live::{PrivateDesktop, wait_until};

/// How long a window may take to be found with everything in it.
const APPEARING: Duration = Duration::from_secs(20);

/// How long is waited for a click that the tool says it delivered.
const DELIVERY: Duration = Duration::from_millis(3_000);

/// How long an activation can take to reach the widget after it was accepted, with as much again for a machine
/// that is busy. GTK 4 shows a button pressed for 250 ms first, Qt for 100 ms.
fn pressing(toolkit: Toolkit) -> Duration {
    Duration::from_millis(match toolkit {
        Toolkit::Gtk3 => 0,
        Toolkit::Gtk4 => 500,
        Toolkit::Qt5 | Toolkit::Qt6 => 200,
    })
}

/// What a trial showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The very widget was clicked, once; or the only one that can have taken its place.
    Right,
    /// The tool refused, and nothing was clicked.
    Refused,
    /// The tool says that it clicked, and nothing was.
    Lost,
    /// Another one was clicked, or one although the tool refused, or more than one.
    Wrong,
}

/// What happened in a trial.
#[derive(Debug, Clone, Serialize)]
pub struct Trial {
    /// Its number.
    pub index: u64,
    /// The toolkit's name.
    pub toolkit: &'static str,
    /// What happened to the window, in words.
    pub mutation: &'static str,
    /// The kind of the target.
    pub kind: String,
    /// What it showed.
    pub verdict: Verdict,
    /// Whether the target was left as it was, and could be used.
    pub unchanged: bool,
    /// Whether it could be told from all others then. In a list that uses its widgets again two that look the same
    /// cannot, and refusing is all that is right.
    pub provable: bool,
    /// Whether the click came after a change that fell into it.
    pub late: bool,
    /// What it was refused for.
    pub code: String,
    /// How long the tool was given.
    pub timeout_ms: u64,
    /// How long it took.
    pub took_ms: u64,
    /// Everything else, of those that have to be looked into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<Value>,
}

/// A tool and an application on one desktop.
pub(super) struct Bench<'d> {
    config: &'d Config,
    desktop: &'d PrivateDesktop,
    toolkit: Toolkit,
    puppet: Puppet,
    tool: Tool<'d>,
    /// How long the clicks take, in milliseconds, so that a change can fall anywhere into one.
    pace: u64,
    /// The highest serial number so far.
    serial: u64,
}

impl<'d> Bench<'d> {
    pub(super) fn new(config: &'d Config, desktop: &'d PrivateDesktop, toolkit: Toolkit) -> Self {
        let puppet = Puppet::start(&desktop.environment(), toolkit, 0);
        let tool = Tool::new(desktop, config.adapter.as_deref());
        Bench { config, desktop, toolkit, puppet, tool, pace: 60, serial: 0 }
    }

    pub(super) fn toolkit(&self) -> Toolkit {
        self.toolkit
    }

    /// Carries out a trial.
    pub(super) fn trial(&mut self, index: u64) -> Trial {
        let mut rng = Rng::of(self.config.seed, index, self.toolkit as u64);
        let sudden = self.config.mode == Mode::Gap;
        let (mutation, groups, before, target, operations, handle) = loop {
            let mutation = Mutation::random(&mut rng, sudden);
            let groups = scene::scene(&mut rng, self.toolkit, mutation);
            let state = self.build(&groups);
            let Some((target, operations)) = mutation.plan(&mut rng, &state) else { continue };
            // Some tools show no disabled elements, and give no handle then.
            if let Some(handle) = self.snapshot(&state).remove(&target.serial) {
                break (mutation, groups, state, target, operations, handle);
            }
        };
        let timeout_ms = *rng.pick(&[0, 0, 0, 100, 500]).unwrap_or(&0);
        // What was clicked until now belongs to no trial any more.
        let stray = self.puppet.clicks();
        self.puppet.mutated = None;
        let mut after = self.mutate(&mut rng, mutation, &groups, &operations);
        let begun = Instant::now();
        let answer = self.tool.click(&handle, timeout_ms);
        let took = begun.elapsed();
        self.pace = (self.pace * 7 + took.as_millis() as u64) / 8;
        if sudden {
            self.puppet.wait_for_change();
            after = self.puppet.mutated.clone().unwrap_or(after);
        }
        self.puppet.wait_for_click(if answer.ok { DELIVERY } else { pressing(self.toolkit) });
        self.puppet.ask(&json!({}));
        let clicks = self.puppet.clicks();
        self.serial = before.iter().chain(&after).map(|widget| widget.serial).max().unwrap_or(0).max(self.serial);

        let verdict = if stray.is_empty() { judge(&target, &before, &after, &answer, &clicks) } else { Verdict::Wrong };
        let now = after.iter().find(|widget| widget.serial == target.serial);
        let unchanged = now.is_some_and(|now| now.is_the_same_as(&target))
            && target.enabled
            && !sudden
            && !matches!(mutation, Mutation::Reopen | Mutation::Restart);
        let alike = |state: &[Widget]| state.iter().filter(|widget| widget.looks_like(&target)).count();
        let provable = !target.recycled || alike(&before) == 1 && alike(&after) == 1;
        let is_odd =
            matches!(verdict, Verdict::Wrong | Verdict::Lost) || unchanged && provable && verdict != Verdict::Right;
        let story = is_odd.then(|| {
            json!({
                "replay": format!("--replay {}:{index} --toolkit {}", self.config.seed, self.toolkit.name()),
                "before": before, "target": target, "handle": handle, "operations": operations, "after": after,
                "answer": answer, "clicks": clicks, "stray": stray,
            })
        });
        Trial {
            index,
            toolkit: self.toolkit.name(),
            mutation: mutation.name(),
            kind: target.kind.clone(),
            verdict,
            unchanged,
            provable,
            late: clicks.iter().any(|click| click.after),
            code: answer.code,
            timeout_ms,
            took_ms: took.as_millis() as u64,
            story,
        }
    }

    fn build(&mut self, groups: &Value) -> Vec<Widget> {
        self.puppet.ask(&json!({ "mode": "laid-out", "operations": [{ "do": "build", "groups": groups }] }))
    }

    /// Reads the window until the tool sees what is there, since a new window takes a moment to be announced. Returns
    /// the handles by serial number: a tool names things in the order in which they stand in the window.
    fn snapshot(&mut self, state: &[Widget]) -> BTreeMap<u64, String> {
        let app = format!("churn-{}", self.toolkit.name());
        let mut last = String::new();
        let found = wait_until(APPEARING, || match self.tool.snapshot(&app) {
            Ok(handles) => {
                let handles: Vec<Handle> = handles.into_iter().filter(is_of_scene).collect();
                last = format!("{handles:?}");
                let enabled: Vec<&Widget> = state.iter().filter(|widget| widget.enabled).collect();
                [state.iter().collect(), enabled].into_iter().find_map(|shown: Vec<&Widget>| {
                    let same = handles.iter().map(|handle| &handle.name).eq(shown.iter().map(|widget| &widget.name));
                    same.then(|| {
                        shown
                            .iter()
                            .map(|widget| widget.serial)
                            .zip(handles.iter().map(|one| one.handle.clone()))
                            .collect()
                    })
                })
            }
            Err(why) => {
                last = why;
                None
            }
        });
        found.unwrap_or_else(|| panic!("the tool does not see in the window of {app} what is there: {last}"))
    }

    fn mutate(&mut self, rng: &mut Rng, mutation: Mutation, groups: &Value, operations: &[Value]) -> Vec<Widget> {
        match mutation {
            Mutation::Restart => {
                let environment = self.desktop.environment();
                // Serial numbers go on behind all that the old process can have given.
                let puppet = |base| Puppet::start(&environment, self.toolkit, base);
                // The old one ends first, so that the new one gets its numbers of the window system.
                let base = self.serial + 1_000;
                self.puppet.end();
                self.puppet = puppet(base);
                self.build(groups)
            }
            Mutation::Reopen => self.puppet.ask(&json!({ "mode": "reopen", "title": "Churn" })),
            _ if self.config.mode == Mode::Gap => {
                let after = 1 + rng.below(self.pace as usize + 20);
                self.puppet.ask(&json!({ "mode": "later", "after": after, "operations": operations }))
            }
            _ => self.puppet.ask(&json!({ "mode": "now", "operations": operations })),
        }
    }
}

fn is_of_scene(handle: &Handle) -> bool {
    // A number behind the name tells rows apart.
    let plain = scene::steady(&handle.name).trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end();
    ["button", "check", "row"].contains(&handle.role.as_str()) && NAMES.contains(&plain)
}

/// What the application's log says of what the tool said.
fn judge(target: &Widget, before: &[Widget], after: &[Widget], answer: &Answer, clicks: &[Click]) -> Verdict {
    match clicks {
        [] if answer.ok => Verdict::Lost,
        [] => Verdict::Refused,
        // A refusal that says that something may have been done claims nothing false.
        [_] if !answer.ok && answer.certain => Verdict::Wrong,
        [click] => {
            // What was clicked before a change that came later was the very widget; what it stands for was logged
            // at that moment.
            let is_target = (click.serial, click.content) == (target.serial, target.content);
            let is_heir = (Some(click.serial), click.content) == (rightful(target, before, after), target.content);
            if is_target || is_heir { Verdict::Right } else { Verdict::Wrong }
        }
        _ => Verdict::Wrong,
    }
}

/// The one widget that the tool may click: the target while it stands for the same. If it is gone, or sits in a
/// list that uses its widgets again, the only one that looks like it and stands for the same, provided that there
/// was no other one that it could be.
fn rightful(target: &Widget, before: &[Widget], after: &[Widget]) -> Option<u64> {
    match after.iter().find(|widget| widget.serial == target.serial) {
        Some(now) if now.content == target.content => return Some(now.serial),
        Some(_) if !target.recycled => return None,
        Some(_) | None => {}
    }
    let alike = |state: &[Widget]| state.iter().filter(|widget| widget.looks_like(target)).count();
    let heir = after.iter().find(|widget| widget.content == target.content && widget.looks_like(target))?;
    (alike(before) == 1 && alike(after) == 1).then_some(heir.serial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widget(serial: u64, content: u64, name: &str) -> Widget {
        Widget {
            serial,
            content,
            name: name.to_owned(),
            kind: "button".to_owned(),
            enabled: true,
            group: 0,
            place: "box".to_owned(),
            context: Vec::new(),
            recycled: false,
            model: false,
        }
    }

    fn answer(ok: bool) -> Answer {
        Answer { ok, code: String::new(), certain: !ok, told: String::new() }
    }

    fn click(serial: u64, content: u64) -> Click {
        Click { serial, content, after: false }
    }

    fn verdict(after: &[Widget], answer: &Answer, clicks: &[Click]) -> Verdict {
        let before = [widget(1, 1, "Save"), widget(2, 2, "Other")];
        judge(&before[0], &before, after, answer, clicks)
    }

    #[test]
    fn the_very_widget_is_right_and_every_other_click_is_wrong() {
        let after = [widget(1, 1, "Save"), widget(2, 2, "Other")];
        assert_eq!(verdict(&after, &answer(true), &[click(1, 1)]), Verdict::Right);
        assert_eq!(verdict(&after, &answer(true), &[click(2, 2)]), Verdict::Wrong);
        assert_eq!(verdict(&after, &answer(true), &[click(1, 1), click(1, 1)]), Verdict::Wrong);
        assert_eq!(verdict(&after, &answer(false), &[click(1, 1)]), Verdict::Wrong);
        assert_eq!(verdict(&after, &answer(false), &[]), Verdict::Refused);
        assert_eq!(verdict(&after, &answer(true), &[]), Verdict::Lost);
    }

    #[test]
    fn a_widget_that_stands_for_something_else_is_another_one() {
        let after = [widget(1, 9, "Delete"), widget(2, 2, "Other")];
        assert_eq!(verdict(&after, &answer(true), &[click(1, 9)]), Verdict::Wrong);
    }

    #[test]
    fn an_heir_is_right_only_where_it_is_the_only_one() {
        let after = [widget(3, 1, "Save"), widget(2, 2, "Other")];
        assert_eq!(verdict(&after, &answer(true), &[click(3, 1)]), Verdict::Right);
        let after = [widget(3, 1, "Save"), widget(4, 7, "Save")];
        assert_eq!(verdict(&after, &answer(true), &[click(3, 1)]), Verdict::Wrong);
    }

    #[test]
    fn in_a_list_that_uses_its_widgets_again_the_content_counts() {
        let row = |serial, content, name: &str| Widget { recycled: true, ..widget(serial, content, name) };
        let before = [row(1, 1, "Save"), row(2, 2, "Other")];
        let after = [row(1, 2, "Other"), row(2, 1, "Save")];
        assert_eq!(judge(&before[0], &before, &after, &answer(true), &[click(2, 1)]), Verdict::Right);
        assert_eq!(judge(&before[0], &before, &after, &answer(true), &[click(1, 2)]), Verdict::Wrong);
    }

    #[test]
    fn what_took_over_the_name_is_wrong() {
        let after = [widget(2, 9, "Save")];
        assert_eq!(verdict(&after, &answer(true), &[click(2, 9)]), Verdict::Wrong);
    }
}
