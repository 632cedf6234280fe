//! The launcher, with programs that really start.

mod common;

use std::fs;
use std::io::Write as _;

use common::{Home, exists, wait_until};
use surehand_apps::{Index, Launched, authorise, launch, process_generation, scan};
use surehand_core::{Code, Error};

fn open(home: &Home, index: &Index, request: &str) -> Result<Launched, Error> {
    launch(index.find(request)?, &home.environment())
}

#[test]
fn an_application_starts_detached_with_exactly_its_environment() {
    let mut home = Home::new();
    for (name, value) in [("DESKTOP_STARTUP_ID", "ours"), ("XDG_ACTIVATION_TOKEN", "ours"), ("EXTRA", "a=b c")] {
        home.variables.insert(name.into(), value.into());
    }
    home.app(
        "own",
        "org.x.Rec.desktop",
        "Name=Recorder\nName[de]=Schreiber\nExec=recorder --new \"a b\" %c %U\nIcon=ic",
    );
    let index = scan(&home.environment());
    // A descriptor that an exec would pass on.
    let leak = fs::File::open("/etc/hostname").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();

    let listener = home.listen();
    let launched = open(&home, &index, "schreiber").unwrap();
    let record = listener.record();
    assert_eq!((launched.id.as_str(), launched.program.as_str()), ("org.x.Rec", "recorder"));
    assert_eq!(record.pid, launched.pid);
    assert_eq!(record.session, launched.pid, "it leads a session of its own");
    assert_eq!(record.standard, ["/dev/null"; 3].map(String::from));
    assert_eq!(record.descriptors, "");
    assert_eq!(record.directory, home.variables["HOME"]);
    assert_eq!(record.args, ["--new", "a b", "Recorder"]);
    let mut variables = record.variables;
    // The shell that runs the recorder sets these itself.
    for own in ["PWD", "OLDPWD", "SHLVL", "_"] {
        variables.remove(own);
    }
    let mut given = home.variables.clone();
    given.remove("DESKTOP_STARTUP_ID");
    given.remove("XDG_ACTIVATION_TOKEN");
    assert_eq!(variables, given);

    let pid = launched.pid;
    wait_until("the recorder to be reaped", || !exists(pid));
    assert_eq!(process_generation(pid), None);
}

#[test]
fn the_generation_is_that_of_the_running_process() {
    let home = Home::new();
    home.app("own", "wait.desktop", "Name=Wait\nExec=sh -c \"exec 9> \\$RECORD; read x < \\$RECORD.go\"");
    let index = scan(&home.environment());
    let _listener = home.listen();
    let go = home.path("record.go");
    rustix::fs::mkfifoat(rustix::fs::CWD, &go, rustix::fs::Mode::RWXU).unwrap();
    let launched = open(&home, &index, "Wait").unwrap();
    assert!(launched.generation.is_some());
    assert_eq!(launched.generation, process_generation(launched.pid));
    // Ends it: the shell's `read` gets its line. Opened both ways, which does not wait for the other end.
    let mut line = fs::File::options().read(true).write(true).open(&go).unwrap();
    line.write_all(b"\n").unwrap();
    wait_until("the shell to be reaped", || !exists(launched.pid));
}

#[test]
fn the_entrys_own_directory_and_language_count() {
    let mut home = Home::new();
    fs::create_dir(home.path("work dir")).unwrap();
    let directory = home.path("work dir").to_str().unwrap().to_owned();
    let path = home.app(
        "own",
        "a.desktop",
        &format!("Name=A\nName[de]=Ä 'x'\nIcon=i\nIcon[de]=j\nExec=recorder %i %c %k\nPath={directory}"),
    );
    home.app("own", "b.desktop", "Name=B\nExec=recorder\nPath=/nowhere/at/all");
    home.variables.insert("LC_ALL".into(), "de_AT.UTF-8".into());
    let index = scan(&home.environment());
    let listener = home.listen();
    open(&home, &index, "a").unwrap();
    let record = listener.record();
    assert_eq!(record.directory, directory);
    assert_eq!(record.args, ["--icon", "j", "Ä 'x'", path.to_str().unwrap()]);

    let error = open(&home, &index, "b").unwrap_err();
    assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("directory_missing")));
}

// Cases 45 and 46.
#[test]
fn paths_and_programs_are_never_started() {
    let home = Home::new();
    let entry = home.app("own", "app.desktop", "Name=App\nExec=recorder");
    let index = scan(&home.environment());
    let recorder = home.path("bin/recorder");
    let process = format!("/proc/{}/exe", std::process::id());
    let listener = home.listen();
    for request in [
        "recorder",
        "touch",
        "sh",
        "/usr/bin/env",
        "../../x",
        "../bin/recorder",
        "./app.desktop",
        "app --extra",
        "App; touch x",
        "$(recorder)",
        "`recorder`",
        "recorder &",
        "app.desktop.desktop",
        "APP.DESKTOP",
        "%U",
        "https://example.org",
        "mailto:a@b",
        recorder.to_str().unwrap(),
        entry.to_str().unwrap(),
        &format!("file://{}", recorder.display()),
        &process,
    ] {
        let error = open(&home, &index, request).unwrap_err();
        assert_eq!(error.code(), Code::NotIndexed, "{request}: {error}");
        assert!(error.details()["near"].is_array(), "{request}");
    }
    assert!(listener.heard_nothing());
    // The pipe would have heard it.
    let listener = home.listen();
    open(&home, &index, "App").unwrap();
    assert!(listener.record().args.is_empty());
}

#[test]
fn what_has_changed_since_the_scan_is_not_started() {
    let home = Home::new();
    let a = home.app("own", "a.desktop", "Name=A\nExec=recorder one");
    let b = home.app("own", "b.desktop", "Name=B\nExec=recorder");
    let c = home.app("own", "c.desktop", "Name=C\nExec=recorder");
    home.app("own", "d.desktop", "Name=D\nExec=gone-soon");
    home.app("own", "e.desktop", "Name=E\nExec=recorder\nTryExec=gone-soon");
    let program = home.program("gone-soon", "#!/bin/sh\n");
    let index = scan(&home.environment());
    assert_eq!(index.entries.len(), 5);

    home.app("own", "a.desktop", "Name=A\nExec=recorder two");
    fs::remove_file(&b).unwrap();
    home.app("own", "c.desktop", "Name=C\nExec=recorder\nHidden=true");
    fs::remove_file(program).unwrap();
    let listener = home.listen();
    for (id, kind) in [
        ("a", "entry_changed"),
        ("b", "entry_gone"),
        ("c", "entry_changed"),
        ("d", "program_missing"),
        ("e", "entry_changed"),
    ] {
        let error = open(&home, &index, id).unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (Code::NoLongerInstalled, Some(kind)), "{id}: {error}");
    }
    assert!(listener.heard_nothing());
    assert!(a.exists() && c.exists());

    // A comment changes nothing that counts.
    home.app("own", "a.desktop", "# new\nName=A\nExec=recorder one");
    let listener = home.listen();
    open(&home, &index, "a").unwrap();
    assert_eq!(listener.record().args, ["one"]);
}

#[test]
fn what_cannot_be_started_is_an_error_and_runs_nothing() {
    let home = Home::new();
    let record = "echo > \"$RECORD\"\n";
    home.program("no-interpreter-line", record);
    home.program("empty-interpreter", format!("#!\n{record}"));
    home.program("absent-interpreter", format!("#!/nowhere/sh\n{record}"));
    // A header of another machine: the kernel says the same as to a script without its first line.
    home.program("foreign", [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 60], record.as_bytes()].concat());
    home.program("empty", "");
    fs::write(home.path("bin/plain"), format!("#!/bin/sh\n{record}")).unwrap();
    let directory = home.path("bin").to_str().unwrap().to_owned();
    let rows = [
        ("no-interpreter-line", Code::ActionNotSupported, "program_format"),
        ("empty-interpreter", Code::ActionNotSupported, "program_format"),
        ("foreign", Code::ActionNotSupported, "program_format"),
        ("empty", Code::ActionNotSupported, "program_format"),
        ("absent-interpreter", Code::NoLongerInstalled, "program_missing"),
        ("plain", Code::NoLongerInstalled, "program_missing"),
        ("absent", Code::NoLongerInstalled, "program_missing"),
        ("bin/recorder", Code::ActionNotSupported, "program_relative"),
        ("recorder%%", Code::ActionNotSupported, "program_field_code"),
        ("recorder%f", Code::ActionNotSupported, "program_field_code"),
        ("recorder \"a%\" b", Code::ActionNotSupported, "exec_invalid"),
    ];
    for (n, (exec, ..)) in rows.iter().enumerate() {
        home.app("own", &format!("r{n}.desktop"), &format!("Name=R{n}\nExec={exec}"));
    }
    home.app("own", "abs.desktop", &format!("Name=Abs\nExec={directory}/plain"));
    home.app("own", "term.desktop", "Name=Term\nExec=recorder\nTerminal=true");
    home.app("own", "bus.desktop", "Name=Bus\nDBusActivatable=true");
    let index = scan(&home.environment());
    let listener = home.listen();
    let check = |id: &str, code: Code, kind: &str| {
        let error = open(&home, &index, id).unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (code, Some(kind)), "{id}: {error}");
        assert_eq!(error.delivered(), surehand_core::disposition::Delivery::NotDelivered, "{id}");
    };
    for (n, (_, code, kind)) in rows.iter().enumerate() {
        check(&format!("r{n}"), *code, kind);
    }
    check("abs", Code::NoLongerInstalled, "program_missing");
    check("term", Code::ActionNotSupported, "needs_terminal");
    check("bus", Code::ActionNotSupported, "needs_dbus_activation");
    assert!(listener.heard_nothing());
}

#[test]
fn an_environment_that_cannot_be_one_is_refused() {
    let mut home = Home::new();
    home.app("own", "a.desktop", "Name=A\nExec=recorder");
    let index = scan(&home.environment());
    for (name, value) in [("A=B", "x"), ("", "x"), ("N", "a\0b")] {
        home.variables.insert(name.into(), value.into());
        let error = open(&home, &index, "a").unwrap_err();
        assert_eq!((error.code(), error.kind_of()), (Code::InvalidArgs, Some("environment")));
        home.variables.remove(name);
    }
}

#[test]
fn the_first_word_stays_as_written_and_the_program_is_absolute() {
    let home = Home::new();
    home.app("own", "a.desktop", "Name=A\nExec=recorder x");
    let index = scan(&home.environment());
    let permit = authorise(index.find("a").unwrap(), &home.environment()).unwrap();
    assert_eq!(permit.program(), home.path("bin/recorder"));
    assert_eq!(permit.argv(), ["recorder", "x"]);
}

#[test]
fn many_at_once_leave_no_zombie() {
    let home = Home::new();
    home.app("own", "a.desktop", "Name=A\nExec=true");
    let index = scan(&home.environment());
    let pids: Vec<_> = (0..20).map(|_| open(&home, &index, "a").unwrap().pid).collect();
    wait_until("every one to be reaped", || pids.iter().all(|pid| !exists(*pid)));
}
