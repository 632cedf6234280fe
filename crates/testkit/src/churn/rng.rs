//! Random numbers that follow from a seed, the same on every machine and for ever.

/// SplitMix64, as its author published it.
#[derive(Debug, Clone)]
pub(super) struct Rng(u64);

impl Rng {
    /// The stream of one trial.
    pub(super) fn of(seed: u64, index: u64, toolkit: u64) -> Self {
        let mut rng = Rng(seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (toolkit << 56));
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; zero when that is zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// True in so many of a hundred.
    pub(super) fn percent(&mut self, of: usize) -> bool {
        self.below(100) < of
    }

    /// One of a list; none of an empty one.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_follows_from_seed_index_and_toolkit() {
        let of = |seed, index, toolkit| {
            let mut rng = Rng::of(seed, index, toolkit);
            [rng.below(1000), rng.below(1000), rng.below(1000)]
        };
        assert_eq!(of(1, 2, 3), of(1, 2, 3));
        assert_ne!(of(1, 2, 3), of(1, 3, 3));
        assert_ne!(of(1, 2, 3), of(2, 2, 3));
        assert_ne!(of(1, 2, 3), of(1, 2, 0));
    }
}
