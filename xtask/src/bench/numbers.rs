//! Medians and 95th percentiles.

use serde_json::{Value, json};

/// Numbers of several runs, in the order they were taken.
#[derive(Debug)]
pub(super) struct Series(Vec<f64>);

impl Series {
    pub(super) fn new(values: Vec<f64>) -> Self {
        Series(values)
    }

    /// The one in the middle; the mean of the two in the middle of an even count.
    pub(super) fn median(&self) -> f64 {
        let sorted = self.sorted();
        match sorted.len() {
            0 => 0.0,
            count if count % 2 == 1 => sorted[count / 2],
            count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
        }
    }

    /// The smallest that 95 of 100 do not exceed.
    pub(super) fn p95(&self) -> f64 {
        let sorted = self.sorted();
        let rank = (sorted.len() * 95).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    /// The greatest.
    pub(super) fn worst(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Pair by pair, how many times as much.
    pub(super) fn over(&self, other: &Series) -> Series {
        Series(self.0.iter().zip(&other.0).map(|(this, other)| this / other).collect())
    }

    pub(super) fn to_json(&self) -> Value {
        let round = |number: f64| (number * 1000.0).round() / 1000.0;
        json!({ "median": round(self.median()), "p95": round(self.p95()), "all": self.0.iter().map(|value| round(*value)).collect::<Vec<_>>() })
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_high_end() {
        let series = Series::new((1..=20).rev().map(f64::from).collect());
        assert!((series.median() - 10.5).abs() < 1e-9);
        assert!((series.p95() - 19.0).abs() < 1e-9);
        assert!((series.worst() - 20.0).abs() < 1e-9);
        let one = Series::new(vec![3.0]);
        assert!((one.median() - 3.0).abs() < 1e-9 && (one.p95() - 3.0).abs() < 1e-9);
    }

    #[test]
    fn pairs_are_compared_with_each_other() {
        let ratio = Series::new(vec![10.0, 40.0]).over(&Series::new(vec![5.0, 10.0]));
        assert!((ratio.median() - 3.0).abs() < 1e-9);
    }
}
