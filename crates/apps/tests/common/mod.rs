//! A home of its own for each test, with applications directories and a program that says how it was started.
#![allow(dead_code, unreachable_pub, missing_docs)]
// The exemption for tests in clippy.toml covers test functions only, and these are their helpers.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, mkfifoat};
use surehand_core::desktop::Environment;

/// Long enough for a loaded machine; a test that needs it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Says how it was started, through the pipe that `RECORD` names: NUL after each item, `--` before the
/// arguments.
const RECORDER: &str = r#"#!/bin/sh
exec 9> "$RECORD"
read -r pid comm state ppid pgrp sid rest < /proc/$$/stat
printf '%s\0' "$pid" "$sid" "$(readlink /proc/$$/fd/0)" "$(readlink /proc/$$/fd/1)" "$(readlink /proc/$$/fd/2)" "$(pwd)" >&9
# Besides the standard ones, our own pipe and the script the shell reads, there should be none.
for d in /proc/$$/fd/*; do case ${d##*/} in 0|1|2|9|10) ;; *) readlink "$d" >&9 ;; esac; done
printf '\0' >&9
printf '%s\0' "$(env | sort)" -- >&9
for a in "$@"; do printf '%s\0' "$a" >&9; done
"#;

pub struct Home {
    dir: tempfile::TempDir,
    pub variables: BTreeMap<String, String>,
}

/// What the recorder said.
#[derive(Debug)]
pub struct Record {
    pub pid: u32,
    pub session: u32,
    pub standard: [String; 3],
    pub directory: String,
    pub descriptors: String,
    pub variables: BTreeMap<String, String>,
    pub args: Vec<String>,
}

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_str().unwrap().to_owned();
        for name in ["home/.local/share/applications", "sys/applications", "late/applications", "bin"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        let variables = [
            ("HOME", format!("{root}/home")),
            ("XDG_DATA_DIRS", format!("{root}/sys:{root}/late")),
            ("PATH", format!("{root}/bin:/usr/bin:/bin")),
            ("LC_ALL", "C".to_owned()),
            ("RECORD", format!("{root}/record")),
        ];
        let home = Home { dir, variables: variables.map(|(k, v)| (k.to_owned(), v)).into() };
        home.program("recorder", RECORDER);
        home
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    pub fn environment(&self) -> Environment {
        Environment(self.variables.clone())
    }

    /// Writes an executable file into the directory on `PATH`.
    pub fn program(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Writes a file below an applications directory: `own`, `sys` or `late`.
    pub fn file(&self, place: &str, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let place = if place == "own" { "home/.local/share" } else { place };
        let path = self.path(place).join("applications").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes an application with these keys.
    pub fn app(&self, place: &str, name: &str, keys: &str) -> PathBuf {
        self.file(place, name, format!("[Desktop Entry]\nType=Application\n{keys}\n"))
    }

    /// Makes the pipe that a recorder will write to, before it is started.
    pub fn listen(&self) -> Listener {
        let path = self.path("record");
        let _ = fs::remove_file(&path);
        mkfifoat(CWD, &path, Mode::RWXU).unwrap();
        let pipe = rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).unwrap();
        Listener(fs::File::from(pipe))
    }
}

/// The reading end of a pipe.
pub struct Listener(fs::File);

impl Listener {
    /// Waits until a recorder has written everything and closed the pipe.
    pub fn record(mut self) -> Record {
        let until = Instant::now() + PATIENCE;
        let mut bytes = Vec::new();
        loop {
            let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).unwrap();
            let ready = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&left)).unwrap();
            assert!(ready > 0, "nothing recorded in time; so far {:?}", String::from_utf8_lossy(&bytes));
            let mut part = [0; 4096];
            match self.0.read(&mut part) {
                Ok(0) => break,
                Ok(n) => bytes.extend_from_slice(&part[..n]),
                Err(fault) => assert_eq!(fault.kind(), std::io::ErrorKind::WouldBlock),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        let mut items = text.strip_suffix('\0').expect(&text).split('\0').map(str::to_owned);
        let mut next = || items.next().unwrap();
        let (pid, session) = (next().parse().unwrap(), next().parse().unwrap());
        let (standard, directory, descriptors) = ([next(), next(), next()], next(), next());
        let variables =
            next().lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
        assert_eq!(next(), "--");
        Record { pid, session, standard, directory, descriptors, variables, args: items.collect() }
    }

    /// Whether nobody has opened the pipe for writing so far, nor written to it.
    pub fn heard_nothing(mut self) -> bool {
        let mut byte = [0];
        // Without a writer there is an end of file; with one that has not written, WouldBlock.
        matches!(self.0.read(&mut byte), Ok(0))
    }
}

/// Waits for what nothing signals.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "not in time: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

pub fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
