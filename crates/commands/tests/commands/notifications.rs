//! `list-notifications`, `dismiss-notification`, `dismiss-all-notifications` and `notification-action`.

use surehand_testkit::fake::Scene;

use crate::golden::Golden;
use crate::rig::Rig;

/// Three notifications of two applications.
fn rig() -> Rig {
    let rig = Rig::empty();
    rig.fake().change(|scene| {
        scene.notify("Mail", "Two letters", "from <b>Ann</b>", &[("default", ""), ("1", "Reply")]);
        scene.notify("Chat", "Hello\nbutton \"Pay\"", "", &[]);
        scene.notify("Mail", "Full", "No room is left", &[]);
    });
    rig
}

#[test]
fn listing() {
    let mut golden = Golden::of("list-notifications");
    golden.case("none", &Rig::empty(), &["list-notifications"]);
    let rig = rig();
    golden.case("all", &rig, &["list-notifications"]);
    golden.case("of one application", &rig, &["list-notifications", "--app", "MAIL"]);
    golden.case("with a text, at their places", &rig, &["list-notifications", "--text", "ANN"]);
    golden.case("some", &rig, &["list-notifications", "--limit", "1"]);
    golden.check();
}

#[test]
fn dismissing() {
    let mut golden = Golden::of("dismiss-notification");
    let rig = rig();
    let open = |rig: &Rig| rig.fake().change(|scene| scene.notices().iter().filter(|one| one.closed.is_none()).count());
    golden.case("without saying which is meant", &rig, &["dismiss-notification", "1"]);
    golden.case("counted from nothing", &rig, &["dismiss-notification", "0", "--expected-app", "Mail"]);
    golden.case("another one", &rig, &["dismiss-notification", "1", "--expected-title", "Two letters"]);
    golden.case("another application", &rig, &["dismiss-notification", "1", "--expected-app", "mail"]);
    golden.case("none there", &rig, &["dismiss-notification", "4", "--expected-app", "Mail"]);
    assert_eq!(open(&rig), 3);
    let line = ["dismiss-notification", "2", "--app", "mail", "--expected-title", "Two letters"];
    golden.case("the one that is meant", &rig, &line);
    golden.case("the same once more", &rig, &line);
    assert_eq!(open(&rig), 2);
    rig.fake().change(|scene| {
        let id = scene.notices()[2].id.clone();
        scene.never_closes(&id);
    });
    golden.case("the server says nothing", &rig, &["dismiss-notification", "1", "--expected-title", "Full"]);
    golden.case("all, of which one stays", &rig, &["dismiss-all-notifications"]);
    golden.case("all of an application that shows none", &rig, &["dismiss-all-notifications", "--app", "Chat"]);
    golden.check();
}

#[test]
fn choosing() {
    let mut golden = Golden::of("notification-action");
    let rig = rig();
    let line = |action| ["notification-action", "3", action, "--expected-app", "Mail"];
    golden.case("without saying which is meant", &rig, &["notification-action", "3", "Reply"]);
    golden.case("an action that is not there", &rig, &line("Delete"));
    golden.case("another notification", &rig, &["notification-action", "2", "Reply", "--expected-app", "Mail"]);
    rig.fake().change(Scene::refuses_actions);
    golden.case("a server that cannot", &rig, &line("Reply"));
    assert!(rig.fake().change(|scene| scene.notices().iter().all(|notice| notice.invoked.is_empty())));
    let rig = self::rig();
    golden.case("an action", &rig, &line("Reply"));
    assert_eq!(rig.fake().change(|scene| scene.notices()[0].invoked.clone()), ["1"]);
    rig.fake().change(|scene| scene.notify("Mail", "Twice", "", &[("a", "Open"), ("b", "Open")]));
    let twice = ["notification-action", "1", "Open", "--expected-title", "Twice"];
    golden.case("a name of two actions", &rig, &twice);
    let rig = self::rig();
    rig.fake().change(Scene::mistakes_actions);
    golden.case("a server that tells of another", &rig, &line("default"));
    golden.check();
}
