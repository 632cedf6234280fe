//! What the tests have in common: a desktop with a fixture on it, and ways to look at both.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use surehand_core::Code;
use surehand_testkit::live::{Fixture, PrivateDesktop, Run, Sandbox, wait_until};

/// How long something may take that only a machine under load takes long for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The name that the GTK 3 fixture gives itself.
pub(crate) const APP: &str = "fixture-gtk3";

/// A fresh sandbox for the binary of this build.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new(Path::new(env!("CARGO_BIN_EXE_surehand")))
}

/// A desktop with the GTK 3 fixture on it.
pub(crate) struct Stage {
    // Fields go in this order, and the application has to go before its desktop.
    pub(crate) fixture: Fixture,
    pub(crate) desktop: PrivateDesktop,
}

impl Stage {
    /// With a window of every kind of widget.
    pub(crate) fn new() -> Stage {
        Stage::with(&[])
    }

    /// With further arguments for the fixture.
    pub(crate) fn with(arguments: &[&str]) -> Stage {
        let desktop = PrivateDesktop::start(&sandbox());
        let fixture = front(&desktop, arguments);
        Stage { fixture, desktop }
    }

    /// Runs a command that has to succeed, and gives its `data`.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Value {
        ok(&self.desktop.surehand(arguments))
    }

    /// Runs a command that has to be refused, and gives its `error`.
    pub(crate) fn refused(&self, arguments: &[&str], code: Code) -> Value {
        refused(&self.desktop.surehand(arguments), code)
    }

    /// The fixture's window as it is now.
    pub(crate) fn snapshot(&self) -> Tree {
        Tree(self.ok(&["snapshot", "--app", APP]))
    }

    /// How many events there are now; for [`Stage::since`].
    pub(crate) fn mark(&self) -> usize {
        self.fixture.log().len()
    }

    /// What happened in the fixture since then, everything that was still under way included.
    pub(crate) fn since(&mut self, mark: usize) -> Vec<Value> {
        settle(&mut self.fixture);
        let own = ["hook", "settled"];
        let log = self.fixture.log().into_iter().skip(mark);
        log.filter(|event| !own.iter().any(|own| event["event"] == *own)).collect()
    }

    /// The same, shortened to the words that tell the events apart.
    pub(crate) fn told_since(&mut self, mark: usize) -> Vec<String> {
        self.since(mark).iter().map(told).collect()
    }
}

/// The GTK 3 fixture, once it is in front and has come to rest, so that what it logs from now on is the test's
/// doing.
pub(crate) fn front(desktop: &PrivateDesktop, arguments: &[&str]) -> Fixture {
    let mut fixture = Fixture::gtk3(desktop, arguments);
    fixture
        .wait_for("it has the focus", |events| events.iter().any(|event| event["event"] == "focus-in").then_some(()));
    settle(&mut fixture);
    fixture
}

/// Waits until an application has done everything that it had to do.
pub(crate) fn settle(fixture: &mut Fixture) {
    let before = fixture.events("settled").len();
    fixture.command("settle");
    fixture.wait_for("it has settled", |events| {
        (events.iter().filter(|event| event["event"] == "settled").count() > before).then_some(())
    });
}

/// One event in words: what happened, where, and what came of it.
fn told(event: &Value) -> String {
    let word = |key: &str| match &event[key] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    ["event", "widget", "item", "dialog", "answer", "text", "value", "active", "row", "key"]
        .into_iter()
        .filter_map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Checks what holds for every answer in JSON: one line on standard output, of the form that is promised.
pub(crate) fn envelope(run: &Run) -> Value {
    assert_eq!(run.stdout.matches('\n').count(), 1, "standard output is not one line\n{run}");
    assert!(run.stdout.ends_with('\n'), "the line does not end\n{run}");
    let envelope = run.json();
    assert_eq!(envelope["version"], "1.0", "{run}");
    assert!(envelope["command"].is_string(), "{run}");
    assert!(envelope["ok"].is_boolean(), "{run}");
    assert_eq!(envelope["ok"] == true, envelope.get("data").is_some(), "{run}");
    assert_eq!(envelope["ok"] == false, envelope.get("error").is_some(), "{run}");
    assert!(!run.stderr.contains("panicked"), "it panicked\n{run}");
    envelope
}

/// The `data` of an answer that has to be a success, with nothing to say beside it.
pub(crate) fn ok(run: &Run) -> Value {
    envelope(run);
    let data = run.expect_ok();
    assert_eq!(run.stderr, "", "a success has nothing to say on standard error\n{run}");
    data
}

/// The `error` of an answer that has to be a refusal with this code and the exit status that belongs to it.
pub(crate) fn refused(run: &Run, code: Code) -> Value {
    envelope(run);
    let error = run.expect_error(code.token());
    assert_eq!(run.status(), i32::from(code.exit_status()), "the exit status does not belong to {code}\n{run}");
    assert_eq!(error["disposition"]["delivery"], "not_delivered", "{run}");
    assert_eq!(error["disposition"]["retry"], "safe", "{run}");
    assert!(error["message"].as_str().is_some_and(|message| !message.trim().is_empty()), "{run}");
    error
}

/// A snapshot, and finding elements in it.
pub(crate) struct Tree(pub(crate) Value);

impl Tree {
    /// Every node, a parent before its children.
    pub(crate) fn nodes(&self) -> Vec<&Value> {
        let mut nodes = vec![&self.0["tree"]];
        let mut next = 0;
        while let Some(node) = nodes.get(next).copied() {
            nodes.splice(next + 1..next + 1, node["children"].as_array().into_iter().flatten());
            next += 1;
        }
        nodes
    }

    /// The nodes of that role and name.
    pub(crate) fn all(&self, role: &str, name: &str) -> Vec<&Value> {
        self.nodes().into_iter().filter(|node| node["role"] == role && node["name"] == name).collect()
    }

    /// The only node of that role and name.
    pub(crate) fn node(&self, role: &str, name: &str) -> &Value {
        match self.all(role, name).as_slice() {
            [node] => node,
            found => panic!("{} nodes are {role} {name:?} in {}", found.len(), self.0),
        }
    }

    /// The ref of the only node of that role and name.
    pub(crate) fn reference(&self, role: &str, name: &str) -> String {
        reference(self.node(role, name))
    }

    /// The refs of all nodes of that role and name, in the order of the tree.
    pub(crate) fn references(&self, role: &str, name: &str) -> Vec<String> {
        self.all(role, name).into_iter().map(reference).collect()
    }
}

/// The ref of a node. Panics when it has none.
pub(crate) fn reference(node: &Value) -> String {
    node["ref_id"].as_str().unwrap_or_else(|| panic!("it has no ref: {node}")).to_owned()
}

/// Whether a node, or anything that is printed with states, has one.
pub(crate) fn has(node: &Value, state: &str) -> bool {
    node["states"].as_array().into_iter().flatten().any(|one| one == state)
}

/// Looks at a list of windows until it shows something. Panics with the last one when that does not come.
pub(crate) fn wait_for_windows<T>(desktop: &PrivateDesktop, what: &str, look: impl Fn(&[Value]) -> Option<T>) -> T {
    let mut last = Value::Null;
    wait_until(PATIENCE, || {
        last = ok(&desktop.surehand(&["list-windows"]))["windows"].take();
        look(last.as_array().expect("a list of windows"))
    })
    .unwrap_or_else(|| panic!("waited until {what}; the windows are {last}"))
}
