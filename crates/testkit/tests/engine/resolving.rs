//! From a reference to the one element that it was given for, or to none.

use serde_json::json;
use surehand_core::act::Action;
use surehand_core::disposition::Delivery;
use surehand_core::error::Code;
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::tree::GapReason;
use surehand_testkit::fake::{Property, button, field, group, item, recycling_list};

use crate::rig::{Rig, ms};
use crate::{press, refused};

type Edit = fn(&mut surehand_core::node::Node);

#[test]
fn twins_are_told_apart_by_the_retained_object() {
    let rig = Rig::new([button("OK").key("one"), button("OK").key("two")]);
    let two = rig.object("two");
    let shot = rig.shot();
    let outcome = rig.click(&shot, &two).expect("resolves");
    assert_eq!(rig.json(&outcome)["resolved_by"], "retained");
    assert_eq!(rig.fake.operations(), [(two, press())]);
}

#[test]
fn a_ref_keeps_its_element_when_others_come_go_and_change_places() {
    let rig = Rig::new([button("Alpha").key("a"), button("Beta").key("b"), button("Gamma").key("c")]);
    let (a, b, c) = (rig.object("a"), rig.object("b"), rig.object("c"));
    let shot = rig.shot();
    rig.fake.change(|scene| {
        let first = scene.insert(&rig.window, 0, button("Newcomer"));
        scene.remove(&a);
        scene.reorder(&rig.window, &[c.clone(), first, b.clone()]);
    });
    rig.click(&shot, &b).expect("resolves");
    assert_eq!(rig.fake.operations(), [(b, press())]);
    refused(&rig.click(&shot, &a).expect_err("is gone"), Code::StaleRef, "gone");
    assert_eq!(rig.fake.operations().len(), 1);
}

#[test]
fn a_renamed_element_is_stale_and_the_error_names_the_name() {
    let rig = Rig::new([button("Delete draft").key("x"), button("Send").key("send")]);
    let x = rig.object("x");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.rename(&x, "Delete everything");
        // Something else carries the old name now; the caller did not see that one.
        scene.append(&rig.window, button("Delete draft"));
    });
    let error = rig.click(&shot, &x).expect_err("is another");
    refused(&error, Code::StaleRef, "changed");
    assert_eq!(error.details()["differs"], json!(["name"]));
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn each_piece_of_evidence_counts() {
    let cases: [(&str, Edit); 3] = [
        ("role", |node| node.role = Role::Link),
        ("native_id", |node| {
            node.native_id = Reading::Known("other".into());
        }),
        ("description", |node| {
            node.description = Reading::Known("other".into());
        }),
    ];
    for (piece, change) in cases {
        let rig = Rig::new([button("OK").key("ok").native_id("ok").described("saves")]);
        let ok = rig.object("ok");
        let shot = rig.shot();
        rig.fake.change(|scene| scene.edit(&ok, change));
        let error = rig.click(&shot, &ok).expect_err(piece);
        refused(&error, Code::StaleRef, "changed");
        assert_eq!(error.details()["differs"], json!([piece]));
    }
}

#[test]
fn value_and_place_are_no_identity() {
    let rig = Rig::new([
        group("One", []).key("one"),
        field("Name").key("name").holding("before"),
        field("Other").key("other"),
    ]);
    let name = rig.object("name");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.set_text(&name, "typed meanwhile");
        scene.move_to(&name, &rig.window, 9);
    });
    let outcome = rig.set(&shot, &name, "after").expect("is the same field");
    assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
}

#[test]
fn moving_into_another_labelled_container_is_a_difference() {
    let rig = Rig::new([group("Draft", [button("Send").key("send")]), group("Archive", []).key("archive")]);
    let (send, archive) = (rig.object("send"), rig.object("archive"));
    let shot = rig.shot();
    rig.fake.change(|scene| scene.move_to(&send, &archive, 0));
    let error = rig.click(&shot, &send).expect_err("means another thing there");
    assert_eq!(error.details()["differs"], json!(["context"]));
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn an_equal_one_that_was_made_anew_elsewhere_acts() {
    let rig = Rig::new([button("Save").key("save"), button("Cancel"), group("", []).key("box")]);
    let (save, area) = (rig.object("save"), rig.object("box"));
    let shot = rig.shot();
    let anew = rig.fake.change(|scene| {
        scene.remove(&save);
        scene.append(&area, button("Save"))
    });
    let outcome = rig.click(&shot, &save).expect("resolves");
    assert_eq!(rig.json(&outcome)["resolved_by"], "only_match");
    assert_eq!(rig.fake.operations(), [(anew, press())]);
}

#[test]
fn two_equal_ones_are_ambiguous_and_shown() {
    let rig = Rig::new([button("Save").key("save").native_id("s1")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.replace(&save, button("Save").native_id("s1"));
        scene.append(&rig.window, button("Save").native_id("s1"));
        scene.append(&rig.window, button("Save").native_id("s2"));
    });
    let error = rig.click(&shot, &save).expect_err("cannot tell");
    refused(&error, Code::AmbiguousTarget, "ambiguous_ref");
    assert_eq!(error.details()["count"], 2);
    let one = json!({"role": "button", "name": "Save", "native_id": "s1"});
    assert_eq!(error.details()["candidates"], json!([one, one]));
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn an_element_that_takes_over_the_name_of_a_removed_one_is_not_taken_for_it() {
    let rig = Rig::new([button("Save").key("save"), button("Delete").key("delete")]);
    let (save, delete) = (rig.object("save"), rig.object("delete"));
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.remove(&save);
        scene.rename(&delete, "Save");
    });
    refused(&rig.click(&shot, &save).expect_err("is gone"), Code::StaleRef, "gone");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn the_remaining_one_of_two_twins_is_never_taken_for_the_removed_one() {
    let rig = Rig::new([button("Delete").key("one"), button("Delete").key("two")]);
    let one = rig.object("one");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.remove(&one));
    refused(&rig.click(&shot, &one).expect_err("is gone"), Code::StaleRef, "indistinct");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn one_of_two_twins_that_were_both_made_anew_is_not_taken_for_the_other() {
    let rig = Rig::new([button("").key("one"), button("").key("two")]);
    let (one, two) = (rig.object("one"), rig.object("two"));
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.remove(&one);
        scene.rebuild(&two);
    });
    for gone in [&one, &two] {
        let error = rig.click(&shot, gone).expect_err("cannot tell which one it is");
        refused(&error, Code::StaleRef, "indistinct");
    }
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn what_could_not_be_read_at_the_snapshot_is_only_known_by_its_object() {
    let rig = Rig::new([button("Save").key("save"), button("Erase all").key("erase")]);
    let save = rig.object("save");
    rig.fake.change(|scene| scene.hide(&save, Property::Name));
    let shot = rig.shot();
    rig.click(&shot, &save).expect("the object itself is proof");
    assert_eq!(rig.fake.operations().len(), 1);
    // Any button would agree with what is known, so the only one left must not be taken.
    rig.fake.change(|scene| scene.remove(&save));
    refused(&rig.click(&shot, &save).expect_err("is gone"), Code::StaleRef, "indistinct");
    assert_eq!(rig.fake.operations().len(), 1);
}

#[test]
fn a_twin_that_was_cut_off_at_the_snapshot_counts_as_possible() {
    let rig = Rig::new([button("Open").key("open"), group("", [button("Open").key("unseen")]).key("box")]);
    let (open, area) = (rig.object("open"), rig.object("box"));
    rig.fake.change(|scene| scene.cut(&area, Some(GapReason::Deadline)));
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.cut(&area, None);
        scene.remove(&open);
    });
    refused(&rig.click(&shot, &open).expect_err("cannot tell"), Code::StaleRef, "indistinct");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn an_incomplete_observation_proves_nothing() {
    for reason in [GapReason::NodeBudget, GapReason::Deadline, GapReason::Unresponsive, GapReason::TooManyChildren] {
        for one_is_there in [true, false] {
            let rig = Rig::new([button("Save").key("save"), group("More", []).key("more")]);
            let (save, more) = (rig.object("save"), rig.object("more"));
            let shot = rig.shot();
            rig.fake.change(|scene| {
                scene.remove(&save);
                if one_is_there {
                    scene.append(&rig.window, button("Save"));
                }
                scene.cut(&more, Some(reason));
            });
            let error = rig.attempt(&shot, &save, Action::Click, 0).expect_err("not everything was seen");
            refused(&error, Code::ActionFailed, "live_read_incomplete");
            assert!(rig.fake.operations().is_empty());
        }
    }
}

#[test]
fn two_matches_are_ambiguous_also_where_something_is_missing() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        scene.replace(&save, button("Save"));
        scene.append(&rig.window, button("Save"));
        scene.cut_observations(Some(GapReason::NodeBudget));
    });
    refused(&rig.click(&shot, &save).expect_err("two"), Code::AmbiguousTarget, "ambiguous_ref");
}

#[test]
fn an_incomplete_observation_is_looked_at_again_in_time() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    let anew = rig.fake.change(|scene| {
        scene.cut_observations(Some(GapReason::Unresponsive));
        scene.replace(&save, button("Save"))
    });
    rig.fake.at(ms(200), |scene| scene.cut_observations(None));
    let outcome = rig.attempt(&shot, &save, Action::Click, 1_000).expect("was waited for");
    assert!(outcome.attempts > 1);
    assert_eq!(rig.fake.operations(), [(anew, press())]);
}

#[test]
fn a_name_that_cannot_be_read_now_proves_nothing() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hide(&save, Property::Name));
    let error = rig.attempt(&shot, &save, Action::Click, 0).expect_err("unreadable");
    refused(&error, Code::ActionFailed, "live_read_incomplete");
    assert_eq!(error.details()["unreadable"], json!(["name"]));
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn a_container_whose_name_cannot_be_read_is_not_a_container_without_one() {
    let rig =
        Rig::new([group("Draft", [button("Send").key("send")]).key("draft"), group("Archive", []).key("archive")]);
    let (send, draft, archive) = (rig.object("send"), rig.object("draft"), rig.object("archive"));
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hide(&draft, Property::Name));
    let error = rig.attempt(&shot, &send, Action::Click, 0).expect_err("unreadable");
    refused(&error, Code::ActionFailed, "live_read_incomplete");
    assert_eq!(error.details()["unreadable"], json!(["context"]));
    // One that agrees in full and one that may: there is no telling that the first is the only one.
    rig.fake.change(|scene| {
        scene.show(&draft, Property::Name);
        scene.replace(&send, button("Send"));
        scene.append(&archive, button("Send"));
        scene.hide(&archive, Property::Name);
    });
    let error = rig.attempt(&shot, &send, Action::Click, 0).expect_err("unreadable");
    refused(&error, Code::ActionFailed, "live_read_incomplete");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn a_recycled_row_is_known_by_its_content_not_by_its_object() {
    let rig = Rig::new([recycling_list("Mail", [item("from Ada").key("r1"), item("from Bob").key("r2")])]);
    let (ada, bob) = (rig.object("r1"), rig.object("r2"));
    let shot = rig.shot();
    rig.fake.change(|scene| scene.swap_content(&ada, &bob));
    let outcome = rig.click(&shot, &ada).expect("Ada's row is there");
    assert_eq!(rig.json(&outcome)["resolved_by"], "only_match");
    assert_eq!(rig.fake.operations(), [(bob, Operation::Press { action: "activate".into() })]);
}

#[test]
fn a_recycled_row_among_equal_ones_is_refused_although_its_object_lives() {
    let rig = Rig::new([recycling_list("Mail", [item("no subject").key("r1"), item("no subject").key("r2")])]);
    let first = rig.object("r1");
    let shot = rig.shot();
    refused(&rig.click(&shot, &first).expect_err("cannot tell"), Code::AmbiguousTarget, "ambiguous_ref");
    // Also where only one of them is left by now: it may be either.
    let second = rig.object("r2");
    rig.fake.change(|scene| scene.remove(&second));
    refused(&rig.click(&shot, &first).expect_err("cannot tell"), Code::StaleRef, "indistinct");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn a_recycled_row_whose_content_scrolled_away_is_stale_although_its_object_lives() {
    let rig = Rig::new([recycling_list("Mail", [item("from Ada").key("r1")])]);
    let row = rig.object("r1");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.rename(&row, "from Bob"));
    refused(&rig.click(&shot, &row).expect_err("is another row"), Code::StaleRef, "gone");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn what_changes_while_it_is_looked_for_is_refused() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    let anew = rig.fake.change(|scene| scene.replace(&save, button("Save")));
    let moving = anew.clone();
    rig.fake.change(|scene| scene.after_observation(move |scene| scene.rename(&moving, "Erase")));
    refused(&rig.click(&shot, &save).expect_err("changed"), Code::StaleRef, "changed");
    rig.fake.change(|scene| {
        scene.rename(&anew, "Save");
        let moving = anew.clone();
        scene.after_observation(move |scene| scene.hide(&moving, Property::Name));
    });
    let error = rig.attempt(&shot, &save, Action::Click, 0).expect_err("unreadable");
    refused(&error, Code::ActionFailed, "live_read_incomplete");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn a_restarted_process_of_the_same_pid_is_another_one() {
    for same_objects in [true, false] {
        let rig = Rig::new([button("Save").key("save")]);
        let save = rig.object("save");
        let shot = rig.shot();
        let pid = shot.snapshot.application.process.pid;
        rig.fake.change(|scene| {
            if same_objects {
                scene.restart_with_same_objects(rig.app);
            } else {
                scene.restart(rig.app);
            }
        });
        let now = rig.shot_of(&rig.fake.change(|scene| scene.windows_of(rig.app))[0]);
        assert_eq!(now.snapshot.application.process.pid, pid);
        refused(&rig.click(&shot, &save).expect_err("ended"), Code::StaleRef, "process_gone");
        assert!(rig.fake.operations().is_empty());
    }
}

#[test]
fn objects_that_another_process_answers_for_are_stale() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.hand_over(rig.app));
    refused(&rig.click(&shot, &save).expect_err("another process"), Code::StaleRef, "process_changed");
}

#[test]
fn a_closed_window_and_an_ended_application_are_stale() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| {
        // An equal window is another one.
        scene.open(rig.app, "Editor", [button("Save")]);
        scene.close(&rig.window);
    });
    refused(&rig.click(&shot, &save).expect_err("closed"), Code::StaleRef, "window_gone");
    rig.fake.change(|scene| scene.end(rig.app));
    refused(&rig.click(&shot, &save).expect_err("ended"), Code::StaleRef, "process_gone");
    assert!(rig.fake.operations().is_empty());
}

#[test]
fn an_application_that_does_not_answer_is_not_stale() {
    let rig = Rig::new([button("Save").key("save")]);
    let save = rig.object("save");
    let shot = rig.shot();
    rig.fake.change(|scene| scene.silence(rig.app));
    let error = rig.click(&shot, &save).expect_err("silent");
    assert_eq!((error.code(), error.delivered()), (Code::AppUnresponsive, Delivery::NotDelivered));
    assert!(rig.clock.passed() <= ms(1_100), "a frozen application costs a bounded delay");
    assert!(rig.fake.operations().is_empty());
}
