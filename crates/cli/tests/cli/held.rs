//! Held keys and buttons: they are down until somebody lets them go, and never for longer than they should.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use surehand_core::Code;
use surehand_testkit::live::{Fixture, wait_until};

use crate::stage::{APP, PATIENCE, Stage};

/// The code of the left shift key on every keyboard of a private desktop.
const SHIFT: u8 = 50;

struct Held {
    observer: Fixture,
    stage: Stage,
}

impl Held {
    fn new() -> Held {
        let stage = Stage::new();
        let observer = Fixture::python(&stage.desktop.environment(), "attention.py", &[]);
        Held { observer, stage }
    }

    /// The keys and buttons that are down, by the display server.
    fn down(&mut self) -> (Value, Value) {
        self.observer.command("held");
        let held = self.observer.events("held").pop().expect("told");
        (held["keys"].clone(), held["buttons"].clone())
    }

    fn wait_until_up(&mut self) {
        let nothing = (json!([]), json!([]));
        wait_until(PATIENCE, || (self.down() == nothing).then_some(())).expect("everything is let go");
    }

    /// A client that runs a command and stays there.
    fn client(&self, arguments: &[&str]) -> Client {
        let surehand =
            self.stage.desktop.sandbox().command(&[arguments, &["--desktop", self.stage.desktop.id()]].concat());
        let script = "import subprocess, sys\nsubprocess.run(sys.argv[1:], check=True)\nprint('done', flush=True)\nsys.stdin.read()\n";
        let mut client = Command::new("/usr/bin/python3");
        client.args(["-c", script]).arg(surehand.get_program()).args(surehand.get_args()).env_clear();
        for (name, value) in surehand.get_envs() {
            if let Some(value) = value {
                client.env(name, value);
            }
        }
        let child =
            client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a client");
        Client(child)
    }
}

struct Client(Child);

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended already is what some of the tests are about.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn keys_and_buttons_are_down_until_they_are_let_go() {
    let mut held = Held::new();
    let answer = held.stage.ok(&["--headed", "key-down", "shift", "--app", APP]);
    assert_eq!(answer["limit_ms"], 30_000);
    assert_eq!(held.down(), (json!([SHIFT]), json!([])));
    let error = held.stage.refused(&["--headed", "key-down", "shift", "--app", APP], Code::Conflict);
    assert_eq!(error["details"]["kind"], "held_already");
    let windows = held.stage.ok(&["list-windows", "--app", APP])["windows"].take();
    let edge = |key: &str, offset: &str, inset: i64| {
        windows[0]["bounds"][key].as_i64().unwrap() + windows[0]["bounds"][offset].as_i64().unwrap() - inset
    };
    let corner = format!("{},{}", edge("x", "width", 30), edge("y", "height", 12));
    held.stage.ok(&["--headed", "mouse-down", "--xy", &corner, "--app", APP, "--limit-ms", "20000"]);
    assert_eq!(held.down(), (json!([SHIFT]), json!([1])));
    held.stage.ok(&["--headed", "mouse-move", "--xy", "720,780"]);
    assert_eq!(held.down().1, json!([1]), "moving does not let it go");
    assert_eq!(
        held.stage.ok(&["--headed", "mouse-up", "--xy", "720,780"])["disposition"]["delivery"],
        "delivered_unverified"
    );
    assert_eq!(held.down(), (json!([SHIFT]), json!([])));
    held.stage.ok(&["--headed", "key-up", "shift"]);
    assert_eq!(held.down(), (json!([]), json!([])));
    assert_eq!(held.stage.ok(&["--headed", "key-up", "shift"])["disposition"]["delivery"], "not_delivered");
    for limit in ["0", "300001"] {
        held.stage.refused(&["--headed", "key-down", "a", "--app", APP, "--limit-ms", limit], Code::InvalidArgs);
    }
}

#[test]
fn what_is_held_is_let_go_when_its_time_is_over() {
    let mut held = Held::new();
    held.stage.ok(&["--headed", "key-down", "ctrl+shift", "--app", APP, "--limit-ms", "1500"]);
    assert_ne!(held.down().0, json!([]));
    held.wait_until_up();
}

#[test]
fn what_is_held_is_let_go_when_its_client_is_killed() {
    let mut held = Held::new();
    let mut client = held.client(&["--headed", "key-down", "shift", "--app", APP, "--limit-ms", "120000"]);
    wait_until(PATIENCE, || (held.down().0 == json!([SHIFT])).then_some(())).expect("shift is down");
    // It stays down while the client is there.
    let stays = wait_until(Duration::from_millis(1_500), || (held.down().0 != json!([SHIFT])).then_some(()));
    assert_eq!(stays, None, "it was let go too early");
    client.0.kill().expect("killed");
    client.0.wait().expect("it ended");
    held.wait_until_up();
}

#[test]
fn release_all_lets_go_everything_also_what_a_killed_keeper_left() {
    let mut held = Held::new();
    held.stage.ok(&["--headed", "key-down", "shift", "--app", APP]);
    held.stage.ok(&["--headed", "key-down", "ctrl", "--app", APP]);
    let released = held.stage.ok(&["release-all"])["released"].take();
    assert_eq!(released, json!([{"what": "keys ctrl"}, {"what": "keys shift"}]));
    assert_eq!(held.down(), (json!([]), json!([])));
    held.stage.ok(&["--headed", "key-down", "shift", "--app", APP]);
    let keeper = keepers(&held);
    let [keeper] = keeper.as_slice() else { panic!("one keeper is there: {keeper:?}") };
    rustix::process::kill_process(*keeper, rustix::process::Signal::KILL).expect("killed");
    wait_until(PATIENCE, || keepers(&held).is_empty().then_some(())).expect("it is gone");
    assert_eq!(held.down().0, json!([SHIFT]), "nobody was there to let it go");
    assert_eq!(held.stage.ok(&["release-all"])["released"], json!([{"what": "keys shift"}]));
    assert_eq!(held.down(), (json!([]), json!([])));
}

/// The keepers of this desktop, by the binary that they run and whom they were started for.
fn keepers(held: &Held) -> Vec<rustix::process::Pid> {
    let socket = held.stage.desktop.sandbox().surehand_home();
    let is_keeper = |pid: &i32| {
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let of_this = || {
            let sockets = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
            let own = socket.to_string_lossy().into_owned();
            let inodes: Vec<&str> = sockets
                .lines()
                .filter(|line| line.contains(&own) && line.contains("/held/"))
                .filter_map(|line| line.split_ascii_whitespace().nth(6))
                .collect();
            std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten().any(|entry| {
                let target = std::fs::read_link(entry.path()).unwrap_or_default();
                inodes.iter().any(|inode| target.to_string_lossy() == format!("socket:[{inode}]"))
            })
        };
        arguments.split(|byte| *byte == 0).nth(1) == Some(b"__keep-held".as_slice()) && of_this()
    };
    let processes = std::fs::read_dir("/proc").expect("processes");
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(is_keeper).filter_map(rustix::process::Pid::from_raw).collect()
}
