//! Arguments that mean nothing: one envelope, exit status 2, and nothing is touched.

use surehand_core::Code;
use surehand_testkit::live::Run;

use crate::stage::{APP, Stage, envelope, refused, sandbox};

/// Refused as usage: the envelope on standard output, and the parser's words for people on standard error.
fn usage(run: &Run, command: &str) {
    let error = refused(run, Code::InvalidArgs);
    assert_eq!(run.status(), 2, "{run}");
    assert_eq!(envelope(run)["command"], command, "{run}");
    assert!(error["details"]["kind"] != "usage" || !run.stderr.is_empty(), "people get no words\n{run}");
    assert!(error["details"]["kind"].is_string(), "{run}");
    let message = error["message"].as_str().expect("a message");
    assert!(!message.contains('\n') && !message.ends_with(':'), "half a message\n{run}");
}

#[test]
fn what_is_no_command_or_no_argument_of_it_is_usage() {
    let sandbox = sandbox();
    for (arguments, command) in [
        (&[][..], ""),
        (&["nonsense"], ""),
        (&["desktop"], ""),
        (&["desktop", "nonsense"], ""),
        (&["click"], "click"),
        (&["type"], "type"),
        (&["set-value"], "set-value"),
        (&["press"], "press"),
        (&["open"], "open"),
        (&["close-app"], "close-app"),
        (&["get"], "get"),
        (&["is"], "is"),
        (&["wait"], "wait"),
        (&["desktop", "run"], "desktop run"),
        (&["snapshot", "--nonsense"], "snapshot"),
        (&["snapshot", "extra"], "snapshot"),
        (&["snapshot", "--app"], "snapshot"),
        (&["snapshot", "--format", "xml"], "snapshot"),
        (&["snapshot", "--timeout-ms", "soon"], "snapshot"),
        (&["snapshot", "--timeout-ms=-1"], "snapshot"),
        (&["click", "@s01:e1", "--timeout-ms", "99999999999999999999"], "click"),
        (&["get", "@s01:e1", "--property", "nonsense"], "get"),
        (&["is", "@s01:e1", "--property", "nonsense"], "is"),
        (&["find", "--first", "--last", "--role", "button"], "find"),
        (&["wait", "1", "--text", "x"], "wait"),
        (&["wait", "--value", "x", "--text", "x"], "wait"),
        (&["desktop", "start", "--nonsense"], "desktop start"),
        (&["completions", "nonsense"], ""),
    ] {
        usage(&sandbox.surehand(arguments), command);
    }
    let left: Vec<_> = std::fs::read_dir(sandbox.surehand_home()).expect("the home").collect();
    assert!(left.is_empty(), "a mistake left something behind: {left:?}");
}

#[test]
fn a_ref_that_is_none_is_refused_by_every_command_that_takes_one() {
    let mut stage = Stage::new();
    let mark = stage.mark();
    for word in [
        "e1",
        "@e1",
        "@s01",
        "@s01:1",
        "@s01:e0",
        "@s01:e-1",
        "@s01:e99999999999",
        "s01:e1",
        "@s01:e1\u{200b}",
        "@../../x:e1",
    ] {
        for command in [
            &["click", word][..],
            &["type", word, "x"],
            &["set-value", word, "x"],
            &["get", word],
            &["is", word],
            &["wait", "--element", word],
        ] {
            let error = stage.refused_usage(command);
            assert_eq!(error["details"]["kind"], "bad_ref", "{word}: {error}");
        }
    }
    assert!(stage.told_since(mark).is_empty());
}

impl Stage {
    fn refused_usage(&self, arguments: &[&str]) -> serde_json::Value {
        refused(&self.desktop.surehand(arguments), Code::InvalidArgs)
    }
}

#[test]
fn no_time_at_all_is_a_mistake_where_something_is_looked_at() {
    let stage = Stage::new();
    for arguments in [
        &["snapshot", "--app", APP, "--timeout-ms", "0"][..],
        &["find", "--app", APP, "--role", "button", "--timeout-ms", "0"],
        &["wait", "--text", "x", "--timeout", "0"],
        &["wait", "--window", "x", "--timeout", "0"],
    ] {
        let error = stage.refused(arguments, Code::InvalidArgs);
        assert_eq!(error["details"]["kind"], "zero_timeout");
    }
    stage.refused(&["wait", "--text", "x", "--timeout", "86400001"], Code::InvalidArgs);
    stage.refused(&["wait", "--text", "", "--timeout", "100"], Code::InvalidArgs);
}

#[test]
fn a_query_that_asks_for_nothing_or_for_what_there_is_not_is_refused() {
    let stage = Stage::new();
    for arguments in [
        &[][..],
        &["--role", "nonsense"],
        &["--state", "nonsense"],
        &["--state", "checked=maybe"],
        &["--role", "BUTTON "],
    ] {
        let error = stage.refused(&[&["find", "--app", APP], arguments].concat(), Code::InvalidArgs);
        assert_eq!(error["details"]["kind"], "bad_query", "{arguments:?}");
    }
    // What it is called otherwise is a role as well.
    assert_eq!(stage.ok(&["find", "--app", APP, "--role", "textbox", "--count"])["count"], 5);
}

#[test]
fn sizes_and_folders_that_cannot_be_are_refused() {
    let sandbox = sandbox();
    for size in ["", "0x0", "63x64", "1280", "1280x", "x800", "99999x800", "1280x800x24", "-1x800", "1280X800"] {
        let error = refused(&sandbox.surehand(&["desktop", "start", &format!("--size={size}")]), Code::InvalidArgs);
        assert_eq!(error["details"]["kind"], "bad_size", "{size}");
    }
    let error =
        refused(&sandbox.surehand(&["screenshot", "x.png", "--output-dir", "/nowhere/at/all"]), Code::InvalidArgs);
    assert_eq!(error["details"]["kind"], "bad_output_folder");
    for (variable, value) in [("SUREHAND_HOME", "relative"), ("SUREHAND_DESKTOP", "nowhere")] {
        refused(&sandbox.runner(&["list-apps"]).env(variable, value).run(), Code::InvalidArgs);
    }
}
