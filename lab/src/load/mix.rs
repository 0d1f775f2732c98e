//! The mix of a load: scenarios of the course, weighted by their shares, with a surge of
//! faults once a minute.

use std::time::Duration;

use rand::{Rng, seq::IndexedRandom};

use runner::scenario::{Scenario, Share};

/// The time from one surge of faults to the next.
const PERIOD: Duration = Duration::from_secs(60);
/// The calm before each surge, so that a load shows both states and an alert that fires
/// can be seen to clear.
const CALM: Duration = Duration::from_secs(40);
/// The factor by which faults become more frequent in a surge.
const SURGE: u32 = 3;

/// Some scenarios to draw from.
#[derive(Debug)]
pub(super) struct Mix(Vec<&'static Scenario>);

impl Mix {
    /// These scenarios, each with its own share.
    pub(super) fn of(scenarios: Vec<&'static Scenario>) -> Self {
        Self(scenarios)
    }

    /// A scenario for this time after the start, drawn by weight; none if the mix is
    /// empty.
    pub(super) fn draw(&self, at: Duration, random: &mut impl Rng) -> Option<&'static Scenario> {
        let surge = is_surge(at);
        let drawn = self
            .0
            .choose_weighted(random, |scenario| weight(scenario.load, surge));
        drawn.ok().copied()
    }
}

fn weight(share: Share, surge: bool) -> u32 {
    match surge && share.surges {
        true => share.weight * SURGE,
        false => share.weight,
    }
}

fn is_surge(at: Duration) -> bool {
    Duration::from_secs(at.as_secs() % PERIOD.as_secs()) >= CALM
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{SeedableRng, rngs::ChaCha12Rng};

    use super::*;
    use runner::scenario::CATALOGUE;

    fn whole() -> Mix {
        Mix::of(CATALOGUE.iter().collect())
    }

    /// The share of healthy scenarios at a time.
    fn healthy(at: Duration) -> f64 {
        let surge = is_surge(at);
        let (mut healthy, mut all) = (0, 0);
        for share in whole().0.iter().map(|scenario| scenario.load) {
            let weight = weight(share, surge);
            all += weight;
            healthy += if share.surges { 0 } else { weight };
        }
        f64::from(healthy) / f64::from(all)
    }

    #[test]
    fn every_scenario_of_the_course_is_run() {
        for scenario in whole().0 {
            assert!(scenario.load.weight > 0, "{scenario:?} is never run");
        }
    }

    #[test]
    fn most_traffic_is_healthy_until_faults_surge() {
        assert!(healthy(Duration::ZERO) > 0.55);
        assert!(healthy(Duration::from_millis(39_999)) > 0.55);
        let surge = healthy(Duration::from_secs(40));
        assert!((0.25..0.45).contains(&surge), "{surge}");
        assert!(healthy(Duration::from_secs(60)) > 0.55);
    }

    #[test]
    fn a_draw_is_about_as_likely_as_its_weight() {
        let mix = whole();
        let mut random = ChaCha12Rng::seed_from_u64(7);
        let total: u32 = mix.0.iter().map(|scenario| scenario.load.weight).sum();

        let mut draws = BTreeMap::new();
        for _ in 0..total * 100 {
            let drawn = mix.draw(Duration::ZERO, &mut random).expect("a scenario");
            *draws.entry(drawn.words.name).or_insert(0_u32) += 1;
        }

        for scenario in &mix.0 {
            let (drawn, expected) = (draws[scenario.words.name], scenario.load.weight * 100);
            assert!(
                drawn.abs_diff(expected) < expected / 2,
                "{scenario:?}: {drawn}"
            );
        }
    }

    #[test]
    fn an_empty_mix_draws_no_scenario() {
        let mut random = ChaCha12Rng::seed_from_u64(7);

        assert!(
            Mix::of(Vec::new())
                .draw(Duration::ZERO, &mut random)
                .is_none()
        );
    }
}
