//! The engine of `surehand-core` against a scripted platform: what it resolves, what it refuses, what it
//! sends and what it claims.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed step of a helper fails the test")]

mod effects;
mod listening;
mod numbers;
mod physical;
mod readiness;
mod resolving;
mod rig;
mod switching;
mod verifying;
mod waiting;

use surehand_core::disposition::Delivery;
use surehand_core::error::{Code, Error};
use surehand_core::platform::Operation;

pub(crate) fn press() -> Operation {
    Operation::Press { action: "click".into() }
}

pub(crate) fn refused(error: &Error, code: Code, kind: &str) {
    assert_eq!((error.code(), error.kind_of()), (code, Some(kind)), "{error} {:?}", error.details());
    assert_eq!(error.delivered(), Delivery::NotDelivered);
}
