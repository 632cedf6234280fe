//! Waiting for a condition.

use std::time::Duration;

use serde_json::Value;
use surehand_core::error::{Code, Error};
use surehand_core::time::{Call, Cancel, Clock as _};
use surehand_core::wait::{self, Look};
use surehand_testkit::fake::{FakePlatform, field};

use crate::refused;
use crate::rig::{Rig, ms};

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

#[test]
fn the_last_look_that_was_whole_is_the_one_that_is_told() {
    let fake = FakePlatform::new();
    let (clock, cancel) = (fake.clock(), Cancel::default());
    let silent = || Error::new(Code::AppUnresponsive, "no answer");
    let call = Call::lasting(&clock, &cancel, Duration::from_millis(100));
    let mut looks = 0;
    let ended = wait::until(&call, "it", || {
        looks += 1;
        if looks == 1 {
            return Ok(Look::<()>::NotYet("three of them".into()));
        }
        clock.pause(call.left(), &cancel);
        Err(silent())
    });
    let error = ended.expect_err("it never holds");
    assert_eq!(error.details().get("last_observed"), Some(&"three of them".into()));
    // An application that does not answer while there is time is what was seen.
    let call = Call::lasting(&clock, &cancel, Duration::from_millis(100));
    let ended = wait::until(&call, "it", || Err::<Look<()>, _>(silent()));
    let error = ended.expect_err("it never holds");
    assert_eq!(error.details().get("last_error"), Some(&"APP_UNRESPONSIVE".into()));
}

/// An application that announces something at certain moments, and then perhaps hangs up.
struct Announcer {
    clock: surehand_testkit::clock::VirtualClock,
    cancel: Cancel,
    moments: Vec<Duration>,
    hangs_up: bool,
}

impl surehand_core::watch::Watch for Announcer {
    fn opened(
        &mut self,
        _: &surehand_core::time::Call<'_>,
    ) -> surehand_core::Result<Vec<surehand_core::object::ObjectId>> {
        Ok(Vec::new())
    }

    fn changes(&mut self, call: &Call<'_>) -> surehand_core::Result<Vec<surehand_core::watch::Change>> {
        let end = self.clock.passed() + call.left();
        match self.moments.first().copied() {
            Some(moment) if moment <= end => {
                self.moments.remove(0);
                self.clock.pause(moment.saturating_sub(self.clock.passed()), &self.cancel);
                let source = surehand_core::object::ObjectId { owner: "a".into(), object: "/1".into() };
                Ok(vec![surehand_core::watch::Change { source, what: surehand_core::watch::Changed::Name }])
            }
            _ if self.hangs_up => Err(Error::new(Code::AppUnresponsive, "it hung up")),
            _ => {
                self.clock.pause(call.left(), &self.cancel);
                Ok(Vec::new())
            }
        }
    }
}

fn looks_until(moments: &[u64], hangs_up: bool, holds_at: u64) -> (usize, Duration) {
    let rig = Rig::new([]);
    let announcer = Announcer {
        clock: rig.clock.clone(),
        cancel: rig.cancel.clone(),
        moments: moments.iter().map(|moment| ms(*moment)).collect(),
        hangs_up,
    };
    let clock = rig.clock.clone();
    let mut looks = 0;
    let found = wait::until_told(&rig.call(ms(60_000)), "it", Some(Box::new(announcer)), || {
        looks += 1;
        Ok(if clock.passed() >= ms(holds_at) { Look::Holds(()) } else { Look::NotYet(String::new()) })
    });
    assert!(found.is_ok());
    (looks, rig.clock.passed())
}

#[test]
fn an_announcement_is_followed_at_once_and_without_one_it_is_looked_at_seldom() {
    let (looks, passed) = looks_until(&[1_000], false, 1_000);
    assert!(passed < ms(1_050), "{passed:?}");
    assert!(looks <= 6, "{looks} looks in a second of silence");
    let (_, passed) = looks_until(&[], false, 1_000);
    assert!(passed < ms(1_301), "what is not announced is seen all the same: {passed:?}");
}

#[test]
fn one_that_stops_announcing_is_looked_at_as_without() {
    let (looks, passed) = looks_until(&[], true, 750);
    assert!(looks >= 10 && passed < ms(850), "{looks} {passed:?}");
}
