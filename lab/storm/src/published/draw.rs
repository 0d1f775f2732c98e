//! Random draws of the experiments, the same on every machine.

use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha12Rng};

/// The generator of one run of one experiment: a stream of its own of what the seed
/// draws, so that no two runs have anything in common.
pub(super) fn generator(seed: u64, experiment: u32, run: u32) -> ChaCha12Rng {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    generator.set_stream(u64::from(experiment) << 32 | u64::from(run));
    generator
}

/// A generator for a part of a run. How much that part draws changes nothing elsewhere.
pub(super) fn part(random: &mut ChaCha12Rng) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(random.next_u64())
}

/// A time drawn from the normal distribution, without its sign.
///
/// By Box and Muller's transform, with a logarithm and a cosine that are not the
/// system's: see [`exponential`](crate::model::chance::exponential).
pub(super) fn normal(random: &mut ChaCha12Rng, mean: Duration, deviation: Duration) -> Duration {
    let [radius, angle]: [f64; 2] = random.random();
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - radius));
    let unit = radius * libm::cos(std::f64::consts::TAU * angle);
    let seconds = mean.as_secs_f64() + deviation.as_secs_f64() * unit;
    Duration::from_secs_f64(seconds.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_has_its_mean_its_spread_and_its_tails() {
        let mut random = generator(1, 0, 0);
        let [mean, deviation] = [10, 2].map(Duration::from_millis);

        let draws: Vec<_> = (0..100_000)
            .map(|_| normal(&mut random, mean, deviation))
            .collect();

        // Four standard errors: of the mean 25 µs, of the shares 0.6 % and 0.3 %.
        let average = draws.iter().sum::<Duration>() / 100_000;
        assert!(average.abs_diff(mean) < Duration::from_micros(25));
        let beyond = |deviations: u32| {
            let far = |draw: &&Duration| draw.abs_diff(mean) > deviation * deviations;
            draws.iter().filter(far).count()
        };
        assert!(beyond(1).abs_diff(31_731) < 600, "{}", beyond(1));
        assert!(beyond(2).abs_diff(4_550) < 300, "{}", beyond(2));
    }

    #[test]
    fn no_two_runs_have_anything_in_common() {
        let mut first = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(experiment, run)| generator(1, experiment, run).next_u64());

        first.sort_unstable();
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    }
}
