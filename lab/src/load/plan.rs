//! The plan of a load: which scenario runs when. It is decided beforehand, so that a seed
//! always gives the same load.
//!
//! Scenarios are drawn by their weight, with a surge of faults once a minute.

use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha12Rng, seq::IndexedRandom};

use evidence::load::Load;

use runner::{scenario, scenario::NothingMatches, scenario::Scenario, scenario::Share};

/// The time from one surge of faults to the next.
const PERIOD: Duration = Duration::from_secs(60);
/// The calm before each surge, so that a load shows both states and an alert that fires
/// can be seen to clear.
const CALM: Duration = Duration::from_secs(40);
/// The factor by which faults become more frequent in a surge.
const SURGE: u32 = 3;

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
    scenarios: Vec<&'static Scenario>,
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
            scenarios: scenario::matching(&load.filter)?,
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
            scenario: draw(&self.scenarios, at, &mut self.random)?,
            seed: self.random.random(),
        })
    }
}

/// A scenario for this time after the start, drawn by weight; none if there are none.
fn draw(
    scenarios: &[&'static Scenario],
    at: Duration,
    random: &mut impl Rng,
) -> Option<&'static Scenario> {
    let drawn = scenarios.choose_weighted(random, |scenario| weight(scenario.load, at));
    drawn.ok().copied()
}

fn weight(share: Share, at: Duration) -> u32 {
    let is_surge = Duration::from_secs(at.as_secs() % PERIOD.as_secs()) >= CALM;
    match is_surge && share.surges {
        true => share.weight * SURGE,
        false => share.weight,
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
    use std::collections::{HashMap, HashSet};

    use super::*;
    use runner::scenario::CATALOGUE;

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
    fn one_seed_always_gives_the_same_load_and_each_run_a_seed_of_its_own() {
        let once = load(5, 20, "");
        let other = Load {
            seed: 8,
            ..once.clone()
        };

        assert_eq!(plan(&once), plan(&once));
        assert_ne!(plan(&once), plan(&other));
        let seeds: HashSet<_> = plan(&once).iter().map(|run| run.2).collect();
        assert_eq!(seeds.len(), 100);
    }

    /// The share of healthy scenarios at a time.
    fn healthy(at: u64) -> f64 {
        let all = CATALOGUE.iter().map(|scenario| scenario.load);
        let sum = |shares: &mut dyn Iterator<Item = Share>| -> u32 {
            shares
                .map(|share| weight(share, Duration::from_millis(at)))
                .sum()
        };
        let healthy = sum(&mut all.clone().filter(|share| !share.surges));
        f64::from(healthy) / f64::from(sum(&mut all.into_iter()))
    }

    #[test]
    fn most_traffic_is_healthy_until_faults_surge() {
        for calm in [0, 39_999, 60_000] {
            assert!(healthy(calm) > 0.55, "{calm}");
        }
        let surge = healthy(40_000);
        assert!((0.25..0.45).contains(&surge), "{surge}");
    }

    #[test]
    fn a_draw_is_about_as_likely_as_its_weight() {
        let all: Vec<_> = CATALOGUE.iter().collect();
        let mut random = ChaCha12Rng::seed_from_u64(7);
        let total: u32 = all.iter().map(|scenario| scenario.load.weight).sum();

        let mut draws = HashMap::new();
        for _ in 0..total * 100 {
            let drawn = draw(&all, Duration::ZERO, &mut random).expect("a scenario");
            *draws.entry(drawn.name()).or_insert(0_u32) += 1;
        }

        for scenario in all {
            let expected = scenario.load.weight * 100;
            let drawn = draws[scenario.name()];
            let is_near = drawn.abs_diff(expected) < expected / 2;
            assert!(is_near, "{scenario:?}: {drawn}");
        }
    }

    #[test]
    fn only_scenarios_that_match_the_filter_run() {
        let runs = plan(&load(10, 20, "retry-after"));

        assert!(runs.iter().all(|(_, name, _)| name.contains("retry-after")));
        assert!(Plan::of(&load(1, 1, "xyzzy")).is_err());
    }
}
