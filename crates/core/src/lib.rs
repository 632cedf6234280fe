//! The domain of surehand, free of any platform.
//!
//! This crate knows what an element is, how it is recognised again, when it may be acted on and how an
//! outcome is worded. It does no I/O, reads no clock and no environment, and has no `cfg` of a platform:
//! all of that comes in through [`platform::Platform`] and [`time::Clock`].
//!
//! One datum's way through it: an adapter fills a [`tree::Observation`]; [`evidence::Evidence`] is captured
//! from it for every element that gets a ref and kept in a [`snapshot::Snapshot`]; later
//! [`resolve::resolve`] turns a [`reference::Ref`] back into one live element, or refuses;
//! [`act::act`] checks that the element is ready, dispatches and reads back; and a
//! [`disposition::Disposition`] says what was seen of it.

pub mod act;
pub mod actionability;
pub mod aim;
pub mod clipboard;
pub mod desktop;
pub mod diagnosis;
pub mod display;
pub mod disposition;
pub mod drag;
pub mod error;
pub mod evidence;
pub mod geometry;
pub mod hint;
pub mod hold;
pub mod input;
pub mod label;
pub mod lease;
pub mod name;
pub mod node;
pub mod notification;
pub mod object;
pub mod platform;
pub mod query;
pub mod reading;
pub mod rearrange;
pub mod recording;
pub mod reference;
pub mod resolve;
pub mod role;
pub mod secret;
pub mod session;
pub mod snapshot;
pub mod state;
pub mod stroke;
pub mod text;
pub mod time;
pub mod trace;
pub mod tree;
pub mod typing;
pub mod wait;
pub mod watch;
pub mod window;

pub use error::{Code, Error, Result};
