//! The engine of `surehand-core` against a scripted platform: what it resolves, what it refuses, what it
//! sends and what it claims.

mod rig;

use std::time::Duration;

use rig::{Rig, ms};
use serde_json::{Value, json};
use surehand_core::act::{Action, Unverified};
use surehand_core::disposition::{Delivery, Retry};
use surehand_core::error::{Code, Error};
use surehand_core::node::{Content, TextAccess};
use surehand_core::platform::Operation;
use surehand_core::reading::Reading;
use surehand_core::role::Role;
use surehand_core::state::State;
use surehand_core::tree::GapReason;
use surehand_core::wait::{self, Look};
use surehand_testkit::fake::{Property, button, check, field, group, item, password, radio, recycling_list, spin};

fn press() -> Operation {
    Operation::Press { action: "click".into() }
}

fn refused(error: &Error, code: Code, kind: &str) {
    assert_eq!((error.code(), error.kind_of()), (code, Some(kind)), "{error} {:?}", error.details());
    assert_eq!(error.delivered(), Delivery::NotDelivered);
}

mod resolving {
    use super::*;

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
    fn the_remaining_one_of_two_twins_is_never_taken_for_the_removed_one() {
        let rig = Rig::new([button("Delete").key("one"), button("Delete").key("two")]);
        let one = rig.object("one");
        let shot = rig.shot();
        rig.fake.change(|scene| scene.remove(&one));
        refused(&rig.click(&shot, &one).expect_err("is gone"), Code::StaleRef, "indistinct");
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
        for reason in [GapReason::NodeBudget, GapReason::Deadline, GapReason::Unresponsive, GapReason::TooManyChildren]
        {
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
}

mod readiness {
    use super::*;

    #[test]
    fn a_button_that_becomes_enabled_is_clicked_once_after_that() {
        let rig = Rig::new([button("Next").key("next").disabled()]);
        let next = rig.object("next");
        let shot = rig.shot();
        let enabled = next.clone();
        rig.fake.at(ms(300), move |scene| scene.enable(&enabled));
        let outcome = rig.attempt(&shot, &next, Action::Click, 5_000).expect("becomes ready");
        assert!(outcome.attempts > 1);
        let effects = rig.fake.effects();
        assert_eq!(effects.len(), 1);
        assert!((ms(300)..ms(400)).contains(&effects[0].at), "{:?}", effects[0]);
    }

    #[test]
    fn one_that_never_becomes_ready_times_out_with_what_was_seen() {
        let rig = Rig::new([button("Next").key("next").disabled()]);
        let next = rig.object("next");
        let shot = rig.shot();
        let error = rig.attempt(&shot, &next, Action::Click, 500).expect_err("never");
        refused(&error, Code::Timeout, "actionability_timeout");
        let report = &error.details()["last_report"];
        assert_eq!(report["actionable"], false);
        assert!(
            report["checks"]
                .as_array()
                .expect("checks")
                .contains(&json!({"check": "enabled", "status": "fail", "reason": "the application has disabled it"}))
        );
        assert_eq!(rig.clock.passed(), ms(500));
        assert!(rig.fake.effects().is_empty());
    }

    #[test]
    fn a_wait_as_long_as_the_whole_call_ends_with_what_was_seen_as_well() {
        let rig = Rig::new([button("Next").key("next").disabled()]);
        let next = rig.object("next");
        let shot = rig.shot();
        let error = rig.attempt_within(&shot, &next, Action::Click, 500, ms(500)).expect_err("never");
        refused(&error, Code::Timeout, "actionability_timeout");
        assert_eq!(error.details()["last_report"]["actionable"], false);
    }

    #[test]
    fn no_patience_is_one_attempt() {
        let rig = Rig::new([button("Next").key("next").disabled()]);
        let next = rig.object("next");
        let shot = rig.shot();
        let error = rig.attempt(&shot, &next, Action::Click, 0).expect_err("not ready");
        refused(&error, Code::Timeout, "actionability_timeout");
        assert_eq!(error.details()["attempts"], 1);
        assert_eq!(rig.clock.passed(), Duration::ZERO);
        rig.fake.change(|scene| scene.enable(&next));
        assert_eq!(rig.attempt(&shot, &next, Action::Click, 0).expect("ready").attempts, 1);
    }

    #[test]
    fn what_an_element_does_not_offer_is_refused_without_waiting() {
        let rig = Rig::new([
            group("Plain", []).key("plain"),
            field("Log").key("log").state(State::Readonly),
            field("Web").key("web").edit(|node| node.affordances.text = TextAccess::Broken("does nothing")),
        ]);
        let shot = rig.shot();
        for (key, action) in [
            ("plain", Action::Click),
            ("log", Action::SetValue("x".into())),
            ("log", Action::TypeText("x".into())),
            ("web", Action::SetValue("x".into())),
        ] {
            let error = rig.attempt(&shot, &rig.object(key), action, 5_000).expect_err(key);
            refused(&error, Code::ActionNotSupported, "not_supported_by_element");
        }
        assert_eq!(rig.clock.passed(), Duration::ZERO);
        assert!(rig.fake.effects().is_empty());
    }

    #[test]
    fn an_element_that_turns_into_another_while_waiting_is_not_clicked() {
        let rig = Rig::new([button("Pay").key("pay").disabled()]);
        let pay = rig.object("pay");
        let shot = rig.shot();
        let changing = pay.clone();
        rig.fake.at(ms(300), move |scene| {
            scene.rename(&changing, "Pay twice");
            scene.enable(&changing);
        });
        refused(&rig.attempt(&shot, &pay, Action::Click, 5_000).expect_err("is another"), Code::StaleRef, "changed");
        assert!(rig.fake.effects().is_empty());
    }

    #[test]
    fn a_cancelled_wait_does_nothing_more() {
        let rig = Rig::new([button("Next").key("next").disabled()]);
        let next = rig.object("next");
        let shot = rig.shot();
        let (cancel, enabled) = (rig.cancel.clone(), next.clone());
        rig.fake.at(ms(200), move |scene| {
            cancel.raise();
            scene.enable(&enabled);
        });
        let error = rig.attempt(&shot, &next, Action::Click, 60_000).expect_err("cancelled");
        refused(&error, Code::Timeout, "cancelled");
        assert_eq!(rig.clock.passed(), ms(200));
        assert!(rig.fake.effects().is_empty());
    }

    #[test]
    fn a_call_that_was_cancelled_before_asks_nothing() {
        let rig = Rig::new([button("Next").key("next")]);
        let next = rig.object("next");
        let shot = rig.shot();
        rig.cancel.raise();
        refused(&rig.click(&shot, &next).expect_err("cancelled"), Code::Timeout, "cancelled");
        assert!(rig.fake.log().is_empty());
    }
}

mod verifying {
    use super::*;

    #[test]
    fn text_is_set_and_read_back() {
        let rig = Rig::new([field("Name").key("name").holding("old")]);
        let name = rig.object("name");
        let shot = rig.shot();
        let outcome = rig.set(&shot, &name, "Zażółć\n\u{1f9d1}\u{200d}\u{1f680}").expect("is set");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
        assert_eq!(outcome.disposition.retry, Retry::Unsafe);
        assert_eq!(
            outcome.post_state.and_then(|state| state.value).as_deref(),
            Some("Zażółć\n\u{1f9d1}\u{200d}\u{1f680}")
        );
        assert_eq!(rig.fake.operations().len(), 1);
        let outcome = rig.set(&shot, &name, "").expect("is emptied");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
    }

    #[test]
    fn typed_text_is_verified_where_it_was_inserted() {
        let rig = Rig::new([field("Name").key("name").holding("ab"), field("Empty").key("empty")]);
        let shot = rig.shot();
        for key in ["name", "empty"] {
            let object = rig.object(key);
            let outcome = rig.attempt(&shot, &object, Action::TypeText("cd".into()), 0).expect(key);
            assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
        }
    }

    #[test]
    fn a_lying_toolkit_is_found_out() {
        let rig = Rig::new([field("Name").key("name").holding("old"), field("Empty").key("empty")]);
        let shot = rig.shot();
        for (key, action) in [
            ("name", Action::SetValue("new".into())),
            ("name", Action::TypeText("new".into())),
            ("empty", Action::SetValue("new".into())),
        ] {
            let object = rig.object(key);
            rig.fake.change(|scene| scene.ignore(&object));
            let before = rig.fake.operations().len();
            let error = rig.attempt(&shot, &object, action, 0).expect_err("did not happen");
            assert_eq!((error.code(), error.kind_of()), (Code::ActionFailed, Some("post_action_verification")));
            assert_eq!(error.delivered(), Delivery::DeliveredUnverified);
            assert_eq!(error.details()["postcondition_satisfied"], false);
            assert_eq!(rig.fake.operations().len(), before + 1, "nothing is sent twice");
        }
    }

    #[test]
    fn a_text_that_the_application_changes_is_not_claimed() {
        let rig = Rig::new([field("Phone").key("phone")]);
        let phone = rig.object("phone");
        let shot = rig.shot();
        rig.fake.change(|scene| scene.normalise(&phone, |text| text.replace(' ', "")));
        let error = rig.set(&shot, &phone, "12 34").expect_err("holds something else");
        assert_eq!(error.kind_of(), Some("post_action_verification"));
        assert_eq!(error.details()["post_state"]["value"], "1234");
    }

    #[test]
    fn a_late_effect_is_waited_for() {
        for late in [1, 100, 250, 900] {
            let rig = Rig::new([field("Name").key("name").holding("old"), check("On").key("on")]);
            let (name, on) = (rig.object("name"), rig.object("on"));
            let shot = rig.shot();
            rig.fake.change(|scene| {
                scene.delay(&name, ms(late));
                scene.delay(&on, ms(late));
            });
            let outcome = rig.set(&shot, &name, "new").expect("comes late");
            assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified, "{late}");
            let outcome = rig.click(&shot, &on).expect("comes late");
            assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified, "{late}");
            assert_eq!(rig.fake.operations().len(), 2);
        }
    }

    #[test]
    fn an_effect_that_there_was_no_time_to_wait_for_is_not_denied() {
        let rig = Rig::new([field("Name").key("name").holding("old")]);
        let name = rig.object("name");
        let shot = rig.shot();
        rig.fake.change(|scene| scene.delay(&name, ms(500)));
        let outcome =
            rig.attempt_within(&shot, &name, Action::SetValue("new".into()), 0, ms(100)).expect("was handed over");
        assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
        assert_eq!(rig.clock.passed(), ms(100));
        // The same where the caller gives up.
        let cancel = rig.cancel.clone();
        rig.fake.at(ms(450), move |_| cancel.raise());
        let outcome = rig.set(&shot, &name, "newer").expect("was handed over");
        assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
    }

    #[test]
    fn a_toggle_is_verified_by_its_state_and_a_plain_button_by_nothing() {
        let rig = Rig::new([check("Bold").key("bold"), button("Apply").key("apply")]);
        let shot = rig.shot();
        let outcome = rig.click(&shot, &rig.object("bold")).expect("toggles");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
        assert!(outcome.post_state.expect("is there").states.contains(State::Checked));
        let outcome = rig.click(&shot, &rig.object("apply")).expect("is accepted");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
        assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
    }

    #[test]
    fn choosing_a_radio_button_again_is_no_contradiction() {
        let rig = Rig::new([radio("One").key("one"), radio("Two").key("two")]);
        let (one, two) = (rig.object("one"), rig.object("two"));
        let shot = rig.shot();
        rig.click(&shot, &one).expect("chosen");
        assert_eq!(rig.click(&shot, &two).expect("chosen").disposition.delivery, Delivery::DeliveredVerified);
        assert!(!rig.states(&one).contains(State::Checked));
        let outcome = rig.click(&shot, &two).expect("stays chosen");
        assert_eq!(outcome.unverified, Some(Unverified::InsufficientEvidence));
    }

    #[test]
    fn a_row_that_was_used_for_something_else_meanwhile_verifies_nothing() {
        let rig = Rig::new([recycling_list(
            "Tasks",
            [check("Buy milk").key("r1"), check("Call Bob").key("r2").state(State::Checked)],
        )]);
        let (milk, bob) = (rig.object("r1"), rig.object("r2"));
        let shot = rig.shot();
        let (first, second) = (milk.clone(), bob.clone());
        // The press does nothing, but the list scrolls and the object shows another, checked row.
        rig.fake.change(|scene| scene.on(&milk, move |scene, _| scene.swap_content(&first, &second)));
        let outcome = rig.click(&shot, &milk).expect("was handed over");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
    }

    #[test]
    fn a_secret_is_delivered_and_appears_nowhere() {
        let secret = "correct horse battery";
        let rig = Rig::new([password("Password").key("pw"), password("Leaky").key("leaky")]);
        let shot = rig.shot();
        let leaky = rig.object("leaky");
        // An application that reads it out after all, and stops saying that it is secret.
        let target = leaky.clone();
        rig.fake.change(|scene| {
            scene.on(&leaky, move |scene, operation| {
                if let Operation::SetText(text) = operation {
                    let text = text.clone();
                    scene.edit(&target, move |node| {
                        node.content = Reading::Known(Content::Text { text, clipped: false });
                        node.states = Reading::Unknown;
                    });
                }
            });
        });
        for key in ["pw", "leaky"] {
            let object = rig.object(key);
            let outcome = rig.set(&shot, &object, secret).expect(key);
            assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
            assert_eq!(outcome.unverified, Some(Unverified::SecureField));
            assert!(!rig.json(&outcome).to_string().contains(secret), "{key}");
            assert_eq!(rig.fake.operations().last(), Some(&(object, Operation::SetText(secret.into()))));
        }
    }

    #[test]
    fn a_click_that_removes_its_own_element_is_not_a_failure() {
        let rig = Rig::new([button("Dismiss").key("dismiss")]);
        let dismiss = rig.object("dismiss");
        let shot = rig.shot();
        let gone = dismiss.clone();
        rig.fake.change(|scene| scene.on_press(&dismiss, move |scene| scene.remove(&gone)));
        let outcome = rig.click(&shot, &dismiss).expect("was handed over");
        assert_eq!(outcome.unverified, Some(Unverified::TargetGone));
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
        assert_eq!(outcome.post_state, None);
    }

    #[test]
    fn a_click_that_ends_the_application_is_not_a_failure() {
        let rig = Rig::new([button("Quit").key("quit")]);
        let quit = rig.object("quit");
        let shot = rig.shot();
        let app = rig.app;
        rig.fake.change(|scene| scene.on_press(&quit, move |scene| scene.end(app)));
        let outcome = rig.click(&shot, &quit).expect("was handed over");
        assert_eq!(outcome.unverified, Some(Unverified::TargetGone));
    }

    #[test]
    fn an_application_that_stops_answering_takes_nothing_back() {
        let rig = Rig::new([button("Save as").key("save")]);
        let save = rig.object("save");
        let shot = rig.shot();
        let app = rig.app;
        rig.fake.change(|scene| scene.on_press(&save, move |scene| scene.silence(app)));
        let outcome = rig.click(&shot, &save).expect("was handed over");
        assert_eq!(outcome.unverified, Some(Unverified::NoAnswer));
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredUnverified);
        assert_eq!(outcome.disposition.retry, Retry::Unsafe);
        assert_eq!(rig.fake.operations().len(), 1);
    }

    #[test]
    fn an_operation_that_may_have_arrived_says_so() {
        let rig = Rig::new([button("Send").key("send")]);
        let send = rig.object("send");
        let shot = rig.shot();
        let app = rig.app;
        // It answers when asked about the button, and freezes before the press gets there.
        rig.fake.change(|scene| scene.after_inspection(move |scene| scene.silence(app)));
        let error = rig.click(&shot, &send).expect_err("no answer");
        assert_eq!((error.code(), error.delivered()), (Code::AppUnresponsive, Delivery::DeliveryUncertain));
        assert_eq!(rig.fake.operations().len(), 1);
    }

    #[test]
    fn a_refusal_of_the_application_is_passed_on() {
        let rig = Rig::new([button("Send").key("send")]);
        let send = rig.object("send");
        let shot = rig.shot();
        let refusal = Error::new(Code::ActionFailed, "the application refused").kind("refused");
        rig.fake.change(|scene| scene.refuse(&send, refusal));
        refused(&rig.click(&shot, &send).expect_err("refused"), Code::ActionFailed, "refused");
    }
}

mod numbers {
    use super::*;

    #[test]
    fn a_spin_button_takes_a_number() {
        let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
        let copies = rig.object("copies");
        let shot = rig.shot();
        let outcome = rig.set(&shot, &copies, "4").expect("is set");
        assert_eq!(outcome.disposition.delivery, Delivery::DeliveredVerified);
        assert_eq!(outcome.post_state.and_then(|state| state.value).as_deref(), Some("4"));
        assert_eq!(rig.fake.operations(), [(copies, Operation::SetNumber(4.0))]);
    }

    #[test]
    fn what_is_out_of_range_or_no_number_is_never_sent() {
        let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
        let copies = rig.object("copies");
        let shot = rig.shot();
        for (text, kind) in [
            ("0", "out_of_range"),
            ("100", "out_of_range"),
            ("-1", "out_of_range"),
            ("many", "not_a_number"),
            ("", "not_a_number"),
            ("inf", "not_a_number"),
        ] {
            refused(&rig.set(&shot, &copies, text).expect_err(text), Code::InvalidArgs, kind);
        }
        refused(
            &rig.attempt(&shot, &copies, Action::TypeText("4".into()), 0).expect_err("is a number"),
            Code::ActionNotSupported,
            "not_supported_by_element",
        );
        assert!(rig.fake.operations().is_empty());
    }

    #[test]
    fn a_number_that_does_not_stay_is_found_out() {
        let rig = Rig::new([spin("Copies", 1.0, 1.0..=99.0).key("copies")]);
        let copies = rig.object("copies");
        let shot = rig.shot();
        let snapping = copies.clone();
        rig.fake.change(|scene| {
            scene.on(&copies, move |scene, _| scene.set_number(&snapping, 10.0));
        });
        let error = rig.set(&shot, &copies, "12").expect_err("went to ten");
        assert_eq!(error.kind_of(), Some("post_action_verification"));
        assert_eq!(error.details()["post_state"]["value"], "10");
    }
}

mod waiting {
    use super::*;

    #[test]
    fn a_condition_is_looked_at_until_it_holds() {
        let rig = Rig::new([field("Status").key("status").holding("working")]);
        let status = rig.object("status");
        let done = status.clone();
        rig.fake.at(ms(400), move |scene| scene.set_text(&done, "done"));
        let call = rig.call(ms(5_000));
        let seen = wait::until(&call, "the status", || {
            Ok(match rig.fake.change(|scene| scene.value(&status)) {
                Some(value) if value == "done" => Look::Holds(value),
                other => Look::NotYet(format!("{other:?}")),
            })
        });
        assert_eq!(seen.expect("holds").as_str(), "done");
        assert!((ms(400)..ms(500)).contains(&rig.clock.passed()));
    }

    #[test]
    fn a_timeout_tells_what_was_last_seen_also_when_the_last_look_had_no_time() {
        let rig = Rig::new([]);
        let call = rig.call(ms(1_000));
        let error = wait::until::<()>(&call, "the end", || {
            call.go_on()?;
            Ok(Look::NotYet("still working".into()))
        })
        .expect_err("never");
        refused(&error, Code::Timeout, "wait_timeout");
        assert_eq!(error.details().get("last_observed"), Some(&Value::from("still working")));
        assert_eq!(rig.clock.passed(), ms(1_000));
    }

    #[test]
    fn what_cannot_pass_is_returned_at_once_and_what_may_is_waited_out() {
        let rig = Rig::new([]);
        let call = rig.call(ms(1_000));
        let error = wait::until::<()>(&call, "it", || Err(Error::new(Code::PermDenied, "no"))).expect_err("denied");
        assert_eq!((error.code(), rig.clock.passed()), (Code::PermDenied, Duration::ZERO));
        let clock = rig.clock.clone();
        let found = wait::until(&call, "it", || {
            if clock.passed() < ms(300) {
                return Err(Error::new(Code::WindowNotFound, "not yet"));
            }
            Ok(Look::Holds(()))
        });
        assert!(found.is_ok());
    }

    #[test]
    fn a_cancelled_wait_ends_at_once() {
        let rig = Rig::new([]);
        let cancel = rig.cancel.clone();
        rig.fake.at(ms(100), move |_| cancel.raise());
        let call = rig.call(ms(60_000));
        let error = wait::until::<()>(&call, "it", || Ok(Look::NotYet(String::new()))).expect_err("cancelled");
        refused(&error, Code::Timeout, "cancelled");
        assert_eq!(rig.clock.passed(), ms(100));
    }
}
