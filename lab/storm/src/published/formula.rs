//! The cost and the success of retries without feedback: load does not cause failures.

/// A call of at most `attempts` attempts. Each fails independently with the same
/// probability.
///
/// With `p` for the probability and `n` for the attempts, a call takes
/// `1 + p + … + pⁿ⁻¹ = (1 − pⁿ)/(1 − p)` attempts on average, since attempt `k + 1` is
/// made if `k` have failed; it succeeds with probability `1 − pⁿ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retries {
    /// The probability that an attempt fails.
    pub(super) failure_rate: f64,
    /// The most attempts of a call.
    pub(super) attempts: u32,
}

impl Retries {
    /// The average number of requests per call.
    pub(super) fn load(self) -> f64 {
        self.reached().sum()
    }

    /// The share of the calls that succeed.
    pub(super) fn success(self) -> f64 {
        1.0 - self.all_fail()
    }

    /// The standard error of [`load`](Self::load), as the mean of this many calls.
    pub(super) fn load_error(self, calls: u64) -> f64 {
        // A call has at least k attempts with probability pᵏ⁻¹, and the mean of a square
        // is the sum of (2k − 1) times that.
        let squares = self.reached().zip(0_u32..);
        let square: f64 = squares
            .map(|(reached, before)| reached * f64::from(2 * before + 1))
            .sum();
        let variance = square - self.load() * self.load();
        (variance / calls as f64).sqrt()
    }

    /// The standard error of [`success`](Self::success), as the share of this many calls.
    pub(super) fn success_error(self, calls: u64) -> f64 {
        (self.success() * self.all_fail() / calls as f64).sqrt()
    }

    /// The probability that the first, the second and each further attempt is made.
    fn reached(self) -> impl Iterator<Item = f64> {
        let all =
            std::iter::successors(Some(1.0), move |reached| Some(reached * self.failure_rate));
        all.take(self.attempts as usize)
    }

    fn all_fail(self) -> f64 {
        // Not `powi`: its last digit depends on the machine.
        (0..self.attempts).map(|_| self.failure_rate).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR_AT_A_HALF: Retries = Retries {
        failure_rate: 0.5,
        attempts: 4,
    };

    #[test]
    fn four_attempts_at_a_half_can_be_computed_by_hand() {
        // Half of the calls take one attempt, a quarter two, an eighth three, the rest
        // four: on average 15/8, and of the squares 37/8.
        assert_eq!(FOUR_AT_A_HALF.load(), 15.0 / 8.0);
        assert_eq!(FOUR_AT_A_HALF.success(), 15.0 / 16.0);
        let variance = FOUR_AT_A_HALF.load_error(4).powi(2) * 4.0;
        assert!((variance - (37.0 / 8.0 - 225.0 / 64.0)).abs() < 1e-12);
        let variance = FOUR_AT_A_HALF.success_error(4).powi(2) * 4.0;
        assert!((variance - 15.0 / 256.0).abs() < 1e-12);
    }

    #[test]
    fn the_load_equals_the_closed_form() {
        for percent in 0..100 {
            let p = f64::from(percent) / 100.0;
            let retries = Retries {
                failure_rate: p,
                attempts: 4,
            };

            let closed = (1.0 - p * p * p * p) / (1.0 - p);
            assert!((retries.load() - closed).abs() < 1e-9, "{percent} %");
        }
    }
}
