//! A prediction interval: from a count in many runs to a count in a few more.

use std::ops::RangeInclusive;

/// The probability below the interval, and the probability above it, at most.
const TAIL: f64 = 0.005;

/// How many of `more` further runs will have an end that `count` of `runs` known ones have:
/// the 99 % prediction interval, with at most half a per cent on either side.
///
/// The distribution of the probability after `k` of `n` runs is the beta distribution
/// with `k + ½` and `n − k + ½`, by Jeffreys' prior; the number of further runs is then
/// distributed beta-binomially (Brown, Cai and DasGupta, "Interval Estimation for a
/// Binomial Proportion", 2001, §4). An interval for the probability alone would be too
/// narrow: it ignores that the further runs are few.
///
/// Exact for up to some hundred further runs.
pub(super) fn prediction(count: usize, runs: usize, more: u32) -> RangeInclusive<u32> {
    let probabilities = beta_binomial(count, runs, more);
    let below = improbable(probabilities.iter());
    let above = improbable(probabilities.iter().rev());
    below..=more.saturating_sub(above)
}

/// The number of leading counts whose total probability is below the tail's.
fn improbable<'a>(probabilities: impl Iterator<Item = &'a f64>) -> u32 {
    let mut sum = 0.0;
    let counts = probabilities.take_while(|probability| {
        sum += **probability;
        sum <= TAIL
    });
    counts.zip(1_u32..).last().map_or(0, |(_, number)| number)
}

/// The probability of each count from 0 to `more`.
fn beta_binomial(count: usize, runs: usize, more: u32) -> Vec<f64> {
    let with = count as f64 + 0.5;
    let without = (runs - count) as f64 + 0.5;
    let step = |number: u32| {
        let number = f64::from(number);
        (without + number) / (with + without + number)
    };
    let none: f64 = (0..more).map(step).product();
    let mut probabilities = vec![none];
    for count in 0..more {
        let (count, left) = (f64::from(count), f64::from(more - count));
        let ratio = left / (count + 1.0) * (with + count) / (without + left - 1.0);
        let last = probabilities.last().copied().unwrap_or_default();
        probabilities.push(last * ratio);
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The expected values were computed with exact fractions.
    #[test]
    fn it_is_the_interval_of_the_beta_binomial_distribution() {
        let expected = [
            (0, 0..=1),
            (1, 0..=2),
            (10, 0..=5),
            (100, 4..=16),
            (130, 7..=18),
            (190, 15..=20),
            (200, 19..=20),
        ];

        for (count, interval) in expected {
            assert_eq!(prediction(count, 200, 20), interval, "{count}");
        }
    }

    #[test]
    fn without_known_runs_every_count_is_possible() {
        assert_eq!(prediction(0, 0, 20), 0..=20);
    }

    proptest! {
        #[test]
        fn the_probabilities_add_up_to_one_and_the_interval_excludes_at_most_one_per_cent(
            (runs, count) in (0_usize..500).prop_flat_map(|runs| (Just(runs), 0..=runs)),
            more in 1_u32..60,
        ) {
            let probabilities = beta_binomial(count, runs, more);
            let interval = prediction(count, runs, more);

            let sum: f64 = probabilities.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
            let inside = *interval.start() as usize..=*interval.end() as usize;
            let inside: f64 = probabilities[inside].iter().sum();
            prop_assert!(inside >= 0.99 - 1e-9, "{inside}");
        }
    }
}
