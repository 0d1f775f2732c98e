//! What a load is mixed from: every scenario of the course, with how often it
//! is played.

use std::time::Duration;

use rand::{Rng, seq::IndexedRandom};

use runner::scenario::Scenario;

/// Scenarios that are in the mix for one reason.
struct Share {
    /// Whether there are more of them while faults surge.
    surges: bool,
    /// How often each is played, as a weight against all others.
    weights: &'static [(&'static str, u32)],
}

/// The mix. Its numbers are chosen to be read on a dashboard: most of the
/// traffic is healthy, every fault still comes up within a few minutes, and what
/// waits for seconds is rare, for it takes up a place all the while.
const MIX: &[Share] = &[
    // What an API mostly does: it answers.
    Share {
        surges: false,
        weights: &[
            ("items", 24),
            ("no-content", 12),
            ("create-job", 14),
            ("redirect", 4),
            ("replay", 4),
            ("resumed-crawl", 4),
        ],
    },
    // A retry or a wait makes it good, and is seen as such.
    Share {
        surges: true,
        weights: &[
            ("flaky", 8),
            ("retry-after-seconds", 2),
            ("retry-after-date", 1),
            ("retry-after-past-date", 2),
            ("retry-after-unusable", 1),
            ("lost-response", 1),
            ("read-timeout", 1),
            ("reset", 2),
            ("too-many-requests", 1),
        ],
    },
    // The client gives up, each for a reason of its own.
    Share {
        surges: true,
        weights: &[
            ("flaky-gives-up", 2),
            ("retry-later", 2),
            ("post-without-permission", 1),
            ("connection-refused", 1),
            ("tls-refused", 1),
            ("deadline", 1),
            ("retry-budget", 1),
            ("looping-items", 1),
            ("endless-items", 1),
            ("item-cap", 1),
        ],
    },
    // An answer that no retry would change.
    Share {
        surges: true,
        weights: &[
            ("not-found", 2),
            ("conflict", 1),
            ("bad-json", 1),
            ("text-json", 1),
            ("bad-items", 1),
            ("bad-cursor", 1),
            ("oversized-body", 1),
        ],
    },
];

/// Faults surge once in so long.
const PERIOD: Duration = Duration::from_secs(60);
/// And this is the calm before, so that a load shows both, and an alert that
/// fires can be seen to clear.
const CALM: Duration = Duration::from_secs(40);
/// By how much faults outweigh themselves in a surge.
const SURGE: u32 = 3;

/// Some scenarios, to draw from.
#[derive(Debug)]
pub(super) struct Mix(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    scenario: &'static Scenario,
    weight: u32,
    surges: bool,
}

impl Mix {
    /// These scenarios. One that the mix does not know is left out, of which
    /// there is none in the catalogue.
    pub(super) fn of(scenarios: &[&'static Scenario]) -> Self {
        let entries = scenarios.iter().filter_map(|scenario| entry(scenario));
        Self(entries.collect())
    }

    /// A scenario for this time after the start, as likely as its weight; none
    /// of an empty mix.
    pub(super) fn draw(&self, at: Duration, random: &mut impl Rng) -> Option<&'static Scenario> {
        let surge = is_surge(at);
        let entry = self.0.choose_weighted(random, |entry| entry.weight(surge));
        entry.ok().map(|entry| entry.scenario)
    }
}

impl Entry {
    fn weight(&self, surge: bool) -> u32 {
        match surge && self.surges {
            true => self.weight * SURGE,
            false => self.weight,
        }
    }
}

fn entry(scenario: &'static Scenario) -> Option<Entry> {
    MIX.iter().find_map(|share| {
        let known = share
            .weights
            .iter()
            .find(|(name, _)| *name == scenario.words.name);
        known.map(|(_, weight)| Entry {
            scenario,
            weight: *weight,
            surges: share.surges,
        })
    })
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
        let all: Vec<_> = CATALOGUE.iter().collect();
        Mix::of(&all)
    }

    /// The share of what is healthy, at a time.
    fn healthy(at: Duration) -> f64 {
        let surge = is_surge(at);
        let (mut healthy, mut all) = (0, 0);
        for entry in whole().0 {
            let weight = entry.weight(surge);
            all += weight;
            healthy += if entry.surges { 0 } else { weight };
        }
        f64::from(healthy) / f64::from(all)
    }

    #[test]
    fn every_scenario_of_the_course_is_in_the_mix_once() {
        let mut known: Vec<_> = MIX
            .iter()
            .flat_map(|share| share.weights)
            .map(|(name, weight)| {
                assert!(*weight > 0, "{name} is never played");
                *name
            })
            .collect();
        let mut course: Vec<_> = CATALOGUE
            .iter()
            .map(|scenario| scenario.words.name)
            .collect();
        known.sort_unstable();
        course.sort_unstable();

        assert_eq!(known, course);
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
        let total: u32 = mix.0.iter().map(|entry| entry.weight).sum();

        let mut draws = BTreeMap::new();
        for _ in 0..total * 100 {
            let drawn = mix.draw(Duration::ZERO, &mut random).expect("a scenario");
            *draws.entry(drawn.words.name).or_insert(0_u32) += 1;
        }

        for entry in &mix.0 {
            let (drawn, expected) = (draws[entry.scenario.words.name], entry.weight * 100);
            assert!(
                drawn.abs_diff(expected) < expected / 2,
                "{entry:?}: {drawn}"
            );
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let mut random = ChaCha12Rng::seed_from_u64(7);

        assert!(Mix::of(&[]).draw(Duration::ZERO, &mut random).is_none());
    }
}
