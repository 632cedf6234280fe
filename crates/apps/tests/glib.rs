//! The same entries through GLib and through us: the arguments that arrive must be equal.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use common::Home;
use surehand_apps::{authorise, scan};

/// Notes its arguments, a NUL after each.
const NOTE: &str = "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done > \"$OUT\"\n";

/// The Python that has the distribution's GLib binding; one from elsewhere on `PATH` has not.
const PYTHON: &str = "/usr/bin/python3";

/// What follows `Exec=note `, as written in the file.
const WRITTEN: &[&str] = &[
    // The measured table, without files.
    "%U",
    "%u",
    "%F",
    "%f",
    "%F %U",
    "--x=%f",
    "--x=%U y",
    "\"%f\"",
    "%i %c %k",
    "%i",
    "--%i",
    "%i%c%k",
    "a%%b",
    "50% x",
    "100%",
    r#""a \\"b\\" c""#,
    r#""a\"b""#,
    "'single q'",
    "\"$HOME\"",
    r#""\\$HOME""#,
    "~/x",
    "a;b",
    "foo(bar)",
    r"a\sb",
    r"a\\sb",
    r#""four\\\\bs""#,
    "%d %D %n %N %v %m",
    "%z",
    "%%%%",
    "%%f",
    "%%%f",
    "\"\"",
    "''",
    "\"\" '' \"\"",
    "a\"\"b",
    // Quoting.
    r#""/opt/My App/bin\\\\x" --name "a\\"b" 'c'"#,
    r#""\\`id\\`""#,
    "`id`",
    "$(id)",
    "${HOME}",
    "\"a'b\"",
    "'a\"b'",
    "a'b'c\"d\"e",
    r"\\ ",
    r"a\\ b",
    r"a\\\\b",
    r#"\\""#,
    r#"\\"x"#,
    r"'a\\'b",
    r"'a\\\\b'",
    r#""a\\b""#,
    r#""a\\nb""#,
    r"a\nb",
    r"a\tb",
    r"a\rb",
    r#""a\nb""#,
    r#""a\\\nb""#,
    r"a\\\nb",
    r"'a\nb'",
    r"\q",
    r#""\q""#,
    r"\\q",
    "\"open",
    "'open",
    "a \"b",
    "ok\"",
    "it's",
    r#""\\""#,
    r#""\\\\""#,
    // Comments, as the shell has them.
    "a #b c",
    "a#b",
    "#",
    "# x",
    "a #",
    r"a\n#b\nc",
    r"a \t#b",
    r"a\\ #b",
    "\"#a\" #b",
    r"a #b\nc d",
    "''#x",
    // What a shell would do, and nobody does here.
    "a && b",
    "a | b",
    "a > /dev/null",
    "< /etc/passwd",
    "a & b",
    "*",
    "?",
    "[a-z]*",
    "{a,b}",
    "!x",
    "a=b",
    "x=$((1+1))",
    // Codes in quotes and at edges.
    "\"%c\"",
    "'%c'",
    "\"%k\"",
    "\"%i\"",
    "'%%'",
    "\"%%\"",
    "\"a%\" b",
    "'a%' b",
    "%\"a b\"",
    "%'",
    r"%\\",
    r"\\%f",
    r"%\sx",
    "% %",
    "%c%c",
    "x%cx",
    "--name=%c --icon=%i",
    "%ca",
    "%f%u%F%U",
    "a %f b",
    "a%fb",
    "%U --end",
    "-- %U",
    // Space and other languages.
    "   a    b   ",
    "a\tb",
    "ä ö",
    "编辑 \"文 本\"",
    "\u{a0}x",
    "a\u{202e}b",
    "a\u{2028}b",
    "x\u{b}y",
    "e\u{301}",
    "--long=\"with blank\"",
    "--long='with blank'",
    "-e \"sh -c 'x y'\"",
    "env A=b c",
];

/// Whole files, `NOTE` standing for the program and `PLAIN` for a file that is none: what decides about being loaded at all.
const FILES: &[&str] = &[
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n",
    "# c\n\n  [Desktop Entry]\t\n  Type = Application\n Name =A\nExec =   NOTE x \n",
    "[Desktop Entry]\r\nType=Application\r\nName=A\r\nExec=NOTE x\r\n",
    "[Desktop Entry] x\nType=Application\nName=A\nExec=NOTE x\n",
    "[Other]\nA=b\n[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n",
    "\u{feff}[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n",
    "A=b\n[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\njunk\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n=junk\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\nBad[=junk\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n[Desktop Action a]\nExec=NOTE y\nName=B\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\n[Desktop Entry]\nExec=NOTE y\n",
    "[Desktop Entry]\nType=Application\nExec=NOTE 1\nName=A\nExec=NOTE 2\n",
    "[Desktop Entry]\nType=Link\nName=A\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application \nName=A\nExec=NOTE x\n",
    "[Desktop Entry]\nName=A\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\nTryExec=absent-program\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\nTryExec=NOTE\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\nTryExec=\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE x\nTryExec=PLAIN\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=absent-program x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=\"NOTE\" x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec='NOTE' x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=no\"\"te x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE\\sx\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=PLAIN\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=/nowhere/x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=\"open\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec=NOTE%% x\n",
    "[Desktop Entry]\nType=Application\nName=A\nName[de]=Ä\nName[de_AT]=Ö 'x'\nName[ja]=日\nExec=NOTE %c\n",
    "[Desktop Entry]\nType=Application\nName=A\nName[de]=Ä\nName[ja]=日\nExec=NOTE %c\n",
    "[Desktop Entry]\nType=Application\nName=A\nName[ja]=日\nName[de@x]=no\nName[fr]=non\nExec=NOTE %c\n",
    "[Desktop Entry]\nType=Application\nName[fr]=non\nName=A\\sB\\\\C\\;\nIcon=i\nIcon[de]=j k\nExec=NOTE %c %i\n",
    "[Desktop Entry]\nType=Application\nName=A\nName[C]=see\nExec=NOTE %c\n",
    "[Desktop Entry]\nType=Application\nName=A\nIcon=\nExec=NOTE %i\n",
    "[Desktop Entry]\nType=Application\nName=A\nKeywords=a\\;b;\\q;\nComment=\\q\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application\nName=A\nExec[de]=NOTE german\nExec=NOTE plain\n",
    "[Desktop Entry]\nType=Application\nName=A\nHidden=1\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application\nName=A\nHidden=TRUE\nExec=NOTE x\n",
    "[Desktop Entry]\nType=Application\nName=A\nHidden=true \nExec=NOTE x\n",
];

/// Lines made of what matters to quoting and codes, the same ones in every run.
fn made(count: usize) -> Vec<String> {
    const PARTS: &[&str] = &[
        "a", "b", " ", " ", "\"", "\"", "'", "'", r"\\", r"\\", r"\s", r"\n", r"\t", "%", "%%", "%f", "%c", "%i", "%k",
        "%U", "#", "$", "`", "=", ";",
    ];
    let mut state: u64 = 0x5eed;
    let mut next = |below: usize| {
        // The constants of Knuth's MMIX generator; its high bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    (0..count).map(|_| (0..=next(14)).map(|_| PARTS[next(PARTS.len())]).collect()).collect()
}

// The exemption for tests in clippy.toml covers test functions only.
#[allow(clippy::unwrap_used)]
/// Compares; returns how many GLib started and how many it refused.
fn compare(home: &mut Home, files: &[String]) -> (usize, usize) {
    home.program("note", NOTE);
    home.variables.insert("LANGUAGE".into(), "de_AT:ja".into());
    for (n, text) in files.iter().enumerate() {
        home.file("own", &format!("{n:05}.desktop"), text);
    }
    let environment = home.environment();
    let output = Command::new(PYTHON)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/glib_argv.py"))
        .args([home.path("home/.local/share/applications"), home.path("out")])
        .env_clear()
        .envs(&environment.0)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: Vec<Option<Vec<String>>> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(theirs.len(), files.len());

    let index = scan(&environment);
    let entries: BTreeMap<_, _> = index.entries.iter().map(|entry| (entry.id.as_str(), entry)).collect();
    let mut wrong = Vec::new();
    for (n, (text, theirs)) in files.iter().zip(&theirs).enumerate() {
        let permit = entries.get(format!("{n:05}").as_str()).and_then(|entry| authorise(entry, &environment).ok());
        let ours = permit.map(|permit| permit.argv()[1..].to_vec());
        if ours != *theirs {
            wrong.push(format!("{text}\n  GLib {theirs:?}\n  ours {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let started = theirs.iter().flatten().count();
    (started, theirs.len() - started)
}

#[test]
fn argument_lists_are_equal_over_the_written_corpus() {
    let mut home = Home::new();
    let lines = WRITTEN
        .iter()
        .map(|line| format!("[Desktop Entry]\nType=Application\nName=Case 3\nIcon=ic\nExec=note {line}\n"));
    let (started, refused) = compare(&mut home, &lines.collect::<Vec<_>>());
    assert!(started > 100 && refused > 5, "{started} {refused}");
}

#[test]
fn files_are_loaded_and_refused_alike() {
    let mut home = Home::new();
    let plain = home.path("plain").to_str().unwrap().to_owned();
    fs::write(&plain, "not a program").unwrap();
    let files: Vec<_> = FILES.iter().map(|text| text.replace("NOTE", "note").replace("PLAIN", &plain)).collect();
    let (started, refused) = compare(&mut home, &files);
    assert!(started > 15 && refused > 12, "{started} {refused}");
}

#[test]
fn argument_lists_are_equal_over_made_lines() {
    let mut home = Home::new();
    let lines = made(600);
    let files: Vec<_> = lines
        .iter()
        .map(|line| format!("[Desktop Entry]\nType=Application\nName=It's \"x\" %k\nIcon=i c\nExec=note {line}\n"))
        .collect();
    let (started, refused) = compare(&mut home, &files);
    assert!(started > 150 && refused > 150, "{started} {refused}");
    // Nothing was written by any of them but what the program noted.
    let left: Vec<_> = fs::read_dir(home.path("")).unwrap().map(|item| item.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "{left:?}");
}
