//! What holds for all input, as functions of bytes.
//!
//! Each target makes something structured of the bytes it is given and panics when what holds does not. The same
//! functions are run over fixed random bytes by the tests ([`check`]) and by libFuzzer (`cargo xtask fuzz`), so
//! that what one finds the other repeats.

use proptest::collection::vec;
use proptest::num::u8::ANY;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

mod chords;
mod evidence;
mod labels;
mod refs;
mod source;
mod text;

pub use chords::chords;
pub use evidence::evidence;
pub use labels::labels;
pub use refs::refs;
pub use source::Source;
pub use text::{clipping, folding, quoting, unquote};

/// A property of all input.
pub type Target = fn(&[u8]);

/// The properties of what is in core.
pub const CORE: &[(&str, Target)] = &[
    ("chords", chords),
    ("clipping", clipping),
    ("evidence", evidence),
    ("folding", folding),
    ("labels", labels),
    ("quoting", quoting),
    ("refs", refs),
];

/// Tries a property with `cases` inputs of at most `length` bytes, always the same ones. Panics with the smallest
/// input that breaks it, as bytes that a regression test can hold.
pub fn check(cases: u32, length: usize, target: Target) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_096, fork: false, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&vec(ANY, 0..=length), |data| {
        target(&data);
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, data)) => panic!("{why}\nwith the input {data:?}"),
        Err(TestError::Abort(why)) => panic!("given up: {why}"),
    }
}
