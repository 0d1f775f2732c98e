//! Draws that are the same on every machine.

use std::time::Duration;

use rand::{RngExt, rngs::ChaCha12Rng};

/// A time drawn from the exponential distribution of this mean.
///
/// The logarithm is not that of the system's mathematical library: those differ in
/// their last digit, and one nanosecond can change the order of all that follows.
pub(super) fn exponential(random: &mut ChaCha12Rng, mean: Duration) -> Duration {
    let unit: f64 = random.random();
    mean.mul_f64(-libm::log(1.0 - unit))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn its_mean_and_its_spread_are_those_of_the_distribution() {
        let mut random = ChaCha12Rng::seed_from_u64(1);
        let mean = Duration::from_millis(100);

        let draws: Vec<_> = (0..100_000)
            .map(|_| exponential(&mut random, mean))
            .collect();

        // Four standard errors of 100 000 draws are 1.3 %, and of a share 0.6 %.
        let average = draws.iter().sum::<Duration>() / 100_000;
        assert!(
            average.abs_diff(mean) < Duration::from_micros(1_300),
            "{average:?}"
        );
        let longer = draws.iter().filter(|draw| **draw > mean).count();
        assert!(longer.abs_diff(36_788) < 620, "{longer}");
    }
}
