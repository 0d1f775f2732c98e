//! Draws that are the same on every machine.

use std::{borrow::BorrowMut, iter, time::Duration};

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};

/// The purpose of a draw. Each has its own stream, so that none repeats another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// When calls begin.
    Calls,
    /// How long the service works.
    Work,
    /// Which requests are refused.
    Refusals,
    /// The jitter of a client.
    Client(u32),
    /// The jitter of a service that calls the next one.
    Layer(u32),
}

/// The draws of a seed for one purpose.
pub(crate) fn stream(seed: u64, stream: Stream) -> ChaCha12Rng {
    let mut random = ChaCha12Rng::seed_from_u64(seed);
    random.set_stream(match stream {
        Stream::Calls => 0,
        Stream::Work => 1,
        Stream::Refusals => 2,
        Stream::Client(number) => (1 << 32) | u64::from(number),
        Stream::Layer(number) => (3 << 32) | u64::from(number),
    });
    random
}

/// A time drawn from the exponential distribution of this mean.
///
/// The logarithm is not that of the system's mathematical library: those differ in
/// their last digit, and one nanosecond can change the order of all that follows.
pub(crate) fn exponential(random: &mut ChaCha12Rng, mean: Duration) -> Duration {
    let unit: f64 = random.random();
    mean.mul_f64(-libm::log(1.0 - unit))
}

/// How many calls begin in a second on average, from the first moment to the second.
pub(crate) type RateInterval = (f64, Duration, Duration);

/// The moments of a Poisson process that has another rate in each of these intervals.
/// None is drawn before it is asked for: there may be more of them than fit in memory.
pub(crate) fn arrivals<const N: usize>(
    mut random: impl BorrowMut<ChaCha12Rng>,
    intervals: [RateInterval; N],
) -> impl Iterator<Item = Duration> {
    // An interval without length draws nothing.
    let intervals = intervals.into_iter().filter(|(_, from, to)| from < to);
    let (mut intervals, mut last) = (intervals.peekable(), None);
    iter::from_fn(move || {
        loop {
            let (per_second, from, to) = *intervals.peek()?;
            let mean = Duration::from_secs_f64(1.0 / per_second);
            let next = last.unwrap_or(from) + exponential(random.borrow_mut(), mean);
            // The process has no memory, so it restarts when the rate changes.
            last = (from..to).contains(&next).then_some(next);
            match last {
                Some(_) => return last,
                None => intervals.next(),
            };
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_poisson_process_varies_as_much_as_it_has_events() {
        let [from, to] = [20, 25].map(Duration::from_secs);
        let counts = (0..1_000).map(|run| {
            let intervals = [(80.0, from, to)];
            let arrivals: Vec<_> = arrivals(stream(run, Stream::Calls), intervals).collect();
            assert!(arrivals.is_sorted());
            assert!(arrivals.iter().all(|at| (from..to).contains(at)));
            arrivals.len() as f64
        });
        let counts: Vec<_> = counts.collect();

        let mean = counts.iter().sum::<f64>() / 1_000.0;
        let squares = counts.iter().map(|count| (count - mean) * (count - mean));
        let variance = squares.sum::<f64>() / 1_000.0;
        // Four standard errors of 1 000 counts.
        assert!((mean - 400.0).abs() < 2.6, "{mean}");
        assert!((variance - 400.0).abs() < 72.0, "{variance}");
    }

    #[test]
    fn a_stretch_without_length_changes_nothing() {
        let interval = |per_second, from, to| {
            let [from, to] = [from, to].map(Duration::from_secs);
            (per_second, from, to)
        };
        let (slow, fast) = (interval(10.0, 0, 100), interval(1_000.0, 100, 101));
        let random = || stream(1, Stream::Calls);

        let more = arrivals(random(), [slow, interval(1_000.0, 100, 100), fast]);

        assert!(more.eq(arrivals(random(), [slow, fast])));
    }

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

    #[test]
    fn no_two_purposes_draw_the_same() {
        let purposes = [
            Stream::Calls,
            Stream::Work,
            Stream::Refusals,
            Stream::Client(0),
            Stream::Client(1),
            Stream::Layer(0),
        ];
        let first = |seed, purpose| stream(seed, purpose).random::<u64>();

        let draws = purposes.map(|purpose| first(1, purpose));

        let different: BTreeSet<_> = draws.into_iter().collect();
        assert_eq!(different.len(), purposes.len());
        assert_ne!(first(2, Stream::Calls), first(1, Stream::Calls));
    }
}
