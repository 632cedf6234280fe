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
