//! `status`, `version`, `doctor` and the private desktops.

use surehand_core::desktop::DesktopState;
use surehand_core::diagnosis::{Check, Health, Mend};
use surehand_core::{Code, Error};

use crate::golden::Golden;
use crate::rig::{FakeDoctor, Rig, desktop};

#[test]
fn about_itself() {
    let mut golden = Golden::of("status");
    let mut rig = Rig::editor();
    golden.case("version", &rig, &["version"]);
    golden.case("all is well", &rig, &["status"]);
    rig.services.facts.desktop = Some("d1".to_owned());
    rig.services.no_platform = Some(
        Error::new(Code::PlatformNotSupported, "there is no display").kind("no_display").suggest("start a desktop"),
    );
    golden.case("no session", &rig, &["status"]);
    rig.services.no_platform = Some(Error::new(Code::Timeout, "the bus does not answer").kind("deadline"));
    golden.case("a session that does not answer", &rig, &["status"]);
    golden.case("a command without a session", &rig, &["snapshot"]);
    golden.check();
}

#[test]
fn doctor() {
    let mut golden = Golden::of("doctor");
    let mut rig = Rig::empty();
    let check =
        |id, health, needed, found: &str| Check { id, health, needed, found: found.to_owned(), mends: Vec::new() };
    let well = [
        check("accessibility-bus", Health::Ok, true, "it answers"),
        check("window-manager", Health::Missing, false, "no openbox"),
    ];
    rig.services.checks = FakeDoctor(well.to_vec());
    golden.case("healthy, though something optional is missing", &rig, &["doctor"]);
    let mut broken = check("accessibility-bus", Health::Broken, true, "it does not answer");
    broken.mends = vec![
        Mend { with: "apt", command: "apt-get install at-spi2-core".to_owned() },
        Mend { with: "run", command: "surehand desktop start".to_owned() },
    ];
    let unknown = check("applications", Health::Unknown, true, "not examined");
    rig.services.checks = FakeDoctor(vec![broken, unknown]);
    rig.services.facts.desktop = Some("d1".to_owned());
    let told = golden.case("broken", &rig, &["doctor"]);
    assert_eq!(told.exit, 1);
    golden.check();
}

#[test]
fn desktops() {
    let mut golden = Golden::of("desktop");
    let mut rig = Rig::empty();
    golden.case("none there", &rig, &["desktop", "list"]);
    golden.case("start", &rig, &["desktop", "start", "--size", "1024x768", "--name", "work"]);
    golden.case("start one of a name in use", &rig, &["desktop", "start", "--name", "work"]);
    for size in ["wide", "10x10", "1280x", "99999x800", "-1x800"] {
        golden.case("start one of no size", &rig, &["desktop", "start", &format!("--size={size}")]);
    }
    rig.services.desktops.there.lock().unwrap().push(desktop("d2", None, DesktopState::Broken));
    golden.case("list", &rig, &["desktop", "list"]);
    golden.case("list and clear away", &rig, &["desktop", "list", "--prune"]);
    golden.case("environment", &rig, &["desktop", "env", "work"]);
    golden.case("environment of none", &rig, &["desktop", "env"]);
    golden.case("run without one", &rig, &["desktop", "run", "true"]);
    golden.case("stop none", &rig, &["desktop", "stop"]);
    golden.case("stop one that is not there", &rig, &["desktop", "stop", "d\n9"]);
    rig.services.facts.desktop = Some("d1".to_owned());
    golden.case("environment of the one that was chosen", &rig, &["desktop", "env"]);
    let told = golden.case("run", &rig, &["desktop", "run", "mousepad", "--help"]);
    assert_eq!(told.exit, 7);
    assert_eq!(*rig.services.foreground.lock().unwrap(), [["mousepad", "--help"]]);
    let told = rig.call("desktop run", serde_json::json!({ "command": [] }));
    golden.add("run nothing", r#"desktop run {"command":[]}"#, &told);
    golden.case("stop", &rig, &["desktop", "stop"]);
    golden.check();
}
