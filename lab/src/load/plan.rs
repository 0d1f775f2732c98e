//! The plan of a load: which scenario runs when. It is decided beforehand, so that a seed
//! always gives the same load.

use std::time::Duration;

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};

use evidence::load::Load;

use super::mix::Mix;
use runner::{scenario, scenario::NothingMatches, scenario::Scenario};

/// A planned run.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The time from the start of the load.
    pub(crate) at: Duration,
    pub(crate) scenario: &'static Scenario,
    /// The seed of the run.
    pub(crate) seed: u64,
}

/// The runs of a load, in order and evenly spaced.
#[derive(Debug)]
pub(crate) struct Plan {
    mix: Mix,
    rate: u64,
    next: u64,
    length: u64,
    random: ChaCha12Rng,
}

impl Plan {
    /// The runs of this load.
    ///
    /// # Errors
    ///
    /// [`NothingMatches`] if the filter matches no scenario.
    pub(crate) fn of(load: &Load) -> Result<Self, NothingMatches> {
        Ok(Self {
            mix: Mix::of(scenario::matching(&load.filter)?),
            rate: load.rate,
            next: 0,
            length: load.seconds.saturating_mul(load.rate),
            random: ChaCha12Rng::seed_from_u64(load.seed),
        })
    }

    /// The total number of runs.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The time from one start to the next.
    pub(crate) fn interval(&self) -> Duration {
        offset(1, self.rate)
    }
}

impl Iterator for Plan {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        if self.next == self.length {
            return None;
        }
        let at = offset(self.next, self.rate);
        self.next += 1;
        Some(Arrival {
            at,
            scenario: self.mix.draw(at, &mut self.random)?,
            seed: self.random.random(),
        })
    }
}

/// When the run with this number is due. Whole seconds are counted separately, so that
/// rounding errors don't add up.
fn offset(number: u64, rate: u64) -> Duration {
    let rest = (number % rate) * 1_000_000_000 / rate;
    Duration::from_secs(number / rate) + Duration::from_nanos(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(seconds: u64, rate: u64, filter: &str) -> Load {
        Load {
            seconds,
            rate,
            seed: 7,
            filter: filter.to_owned(),
        }
    }

    fn plan(load: &Load) -> Vec<(Duration, &'static str, u64)> {
        let plan = Plan::of(load).expect("something to run");
        plan.map(|run| (run.at, run.scenario.words.name, run.seed))
            .collect()
    }

    #[test]
    fn runs_start_evenly_within_the_duration() {
        let runs = plan(&load(2, 3, ""));

        let times: Vec<_> = runs.iter().map(|(at, ..)| at.as_millis()).collect();
        assert_eq!(times, [0, 333, 666, 1000, 1333, 1666]);
    }

    #[test]
    fn the_longest_load_stays_on_schedule() {
        let load = load(*super::super::SECONDS.end(), *super::super::RATES.end(), "");
        let plan = Plan::of(&load).expect("something to run");
        let (length, interval) = (plan.length(), plan.interval());

        let last = offset(length - 1, load.rate);

        assert_eq!(length, load.seconds * load.rate);
        let end = Duration::from_secs(load.seconds);
        assert!(last < end && last + interval + Duration::from_nanos(1) >= end);
    }

    #[test]
    fn one_seed_always_gives_the_same_load() {
        let once = load(5, 20, "");
        let other = Load {
            seed: 8,
            ..once.clone()
        };

        assert_eq!(plan(&once), plan(&once));
        assert_ne!(plan(&once), plan(&other));
    }

    #[test]
    fn every_run_has_its_own_seed() {
        let mut seeds: Vec<_> = plan(&load(5, 20, "flaky"))
            .iter()
            .map(|run| run.2)
            .collect();
        seeds.sort_unstable();
        seeds.dedup();

        assert_eq!(seeds.len(), 100);
    }

    #[test]
    fn only_scenarios_that_match_the_filter_run() {
        let runs = plan(&load(10, 20, "retry-after"));

        assert!(runs.iter().all(|(_, name, _)| name.contains("retry-after")));
        assert!(Plan::of(&load(1, 1, "xyzzy")).is_err());
    }
}
