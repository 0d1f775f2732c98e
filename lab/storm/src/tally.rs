//! The results of many seeds of a storm. Such a system ends in one of two states, and a
//! mean would describe neither. So for each policy, the ends are counted by state.

use serde::Serialize;

use super::{Cut, Recovery, STORM_VERSION, Settings, Storm, StormPolicy, StoryWords};

/// The results of many seeds of a storm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// The version of the JSON format, which is that of a storm.
    pub schema_version: u32,
    /// The story.
    pub story: StoryWords,
    /// The settings.
    pub settings: Settings,
    /// The random generator that uses the seeds.
    pub generator: &'static str,
    /// The seeds that were simulated to the end.
    pub seeds: Vec<u64>,
    /// The number of further seeds that were stopped because a policy reached the most that
    /// the lab simulates.
    pub cut_short: u32,
    /// The number of these seeds in which the storm showed the story's answer; none if a
    /// policy of the story was not simulated.
    pub show_the_answer: Option<u32>,
    /// The results of each policy.
    pub policies: Vec<PolicyTally>,
}

/// The results of many seeds under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyTally {
    /// The policy.
    pub policy: StormPolicy,
    /// The result of each seed, in the order of the seeds.
    pub ends: Vec<End>,
}

/// The result of one seed under one policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// Whether the service recovered.
    pub recovery: Recovery,
    /// Calls lost.
    pub lost: u64,
    /// Requests that arrived at the service.
    pub requests: u64,
}

impl Tally {
    /// The result of one storm. A storm that was cut short has no ends.
    #[must_use]
    pub fn of(storm: &Storm) -> Self {
        let is_cut = |is: fn(Cut) -> bool| storm.policies.iter().any(|run| run.cut.is_some_and(is));
        let is_whole = !is_cut(|_| true);
        let policies = storm.policies.iter().map(|run| PolicyTally {
            policy: run.policy.clone(),
            ends: Vec::from_iter(is_whole.then(|| End {
                recovery: run.recovery,
                lost: run.lost(),
                requests: run.totals.requests,
            })),
        });
        let shows = |shows: bool| u32::from(shows && is_whole);
        Self {
            schema_version: STORM_VERSION,
            story: storm.story,
            settings: storm.settings,
            generator: storm.generator,
            seeds: Vec::from_iter(is_whole.then_some(storm.seed)),
            cut_short: u32::from(is_cut(|cut| cut != Cut::Cancelled)),
            show_the_answer: storm.shows_the_answer.map(shows),
            policies: policies.collect(),
        }
    }

    /// Adds more storms, which differ from these in their seeds only.
    pub fn add(&mut self, other: Self) {
        self.cut_short += other.cut_short;
        if self.seeds.is_empty() {
            let cut_short = self.cut_short;
            *self = Self { cut_short, ..other };
            return;
        }
        if other.seeds.is_empty() {
            return;
        }
        self.seeds.extend(other.seeds);
        let shown = self.show_the_answer.zip(other.show_the_answer);
        self.show_the_answer = shown.map(|(sum, more)| sum + more);
        for (tally, more) in self.policies.iter_mut().zip(other.policies) {
            tally.ends.extend(more.ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{PolicyRun, Setup, Step, Totals};

    /// A storm of two policies: all calls succeed until the incident, and from then on only
    /// those of the first policy.
    fn storm(seed: u64, cut: Option<Cut>, shows_the_answer: Option<bool>) -> Storm {
        let run = |name, answered_after, cut| {
            let step = |number| {
                let answered = if number < 100 { 1 } else { answered_after };
                Step {
                    calls: 1,
                    answered,
                    failed: 1 - answered,
                    ..Step::default()
                }
            };
            let totals = Totals {
                calls: 600,
                failed: 500 * u64::from(1 - answered_after),
                requests: 600 + seed,
                ..Totals::default()
            };
            let policy = StormPolicy::new(name, Setup::DEFAULT);
            let steps = (0..600).map(step).collect();
            PolicyRun::of(&Settings::DEFAULT, policy, cut, steps, totals)
        };
        Storm {
            seed,
            shows_the_answer,
            policies: vec![run("calm", 1, None), run("down", 0, cut)],
            ..Storm::of_no_story(Settings::DEFAULT)
        }
    }

    fn tally<'a>(storms: impl IntoIterator<Item = &'a Storm>) -> Tally {
        let tallies = storms.into_iter().map(Tally::of);
        let both = tallies.reduce(|mut tally, more| {
            tally.add(more);
            tally
        });
        both.expect("a storm")
    }

    /// The seeds, how many were cut short, in how many of them the answer was shown, and the
    /// number of ends of each policy.
    fn counts(tally: &Tally) -> (&[u64], u32, Option<u32>, Vec<usize>) {
        let ends = tally.policies.iter().map(|policy| policy.ends.len());
        (
            &tally.seeds,
            tally.cut_short,
            tally.show_the_answer,
            ends.collect(),
        )
    }

    #[test]
    fn every_seed_is_counted_with_its_ends() {
        let storms = [(7, true), (8, false), (9, true)];
        let storms = storms.map(|(seed, shows)| storm(seed, None, Some(shows)));

        let tally = tally(&storms);

        assert_eq!(counts(&tally), (&[7, 8, 9][..], 0, Some(2), vec![3, 3]));
        let [calm, down] = &tally.policies[..] else {
            panic!("two policies: {tally:?}")
        };
        let end = |recovery, lost| End {
            recovery,
            lost,
            requests: 608,
        };
        let ends = [calm, down].map(|policy| policy.ends[1]);
        let at_once = Recovery::Recovered {
            after: Duration::ZERO,
        };
        assert_eq!(ends, [end(at_once, 0), end(Recovery::Down, 500)]);
    }

    #[test]
    fn a_seed_that_was_cut_short_is_counted_without_an_end() {
        let whole = storm(7, None, Some(true));
        let cut = |cut| storm(8, Some(cut), Some(true));
        let [requests, in_flight, cancelled] =
            [Cut::Requests, Cut::InFlight, Cut::Cancelled].map(cut);

        for (storms, seeds, cut_short, shown, ends) in [
            (vec![&requests], &[][..], 1, 0, 0),
            (vec![&in_flight], &[], 1, 0, 0),
            // A cancelled storm is not counted: the person who cancelled it knows.
            (vec![&cancelled], &[], 0, 0, 0),
            (vec![&requests, &in_flight], &[], 2, 0, 0),
            (vec![&requests, &whole], &[7], 1, 1, 1),
            (vec![&whole, &requests], &[7], 1, 1, 1),
            (
                vec![&requests, &whole, &in_flight, &whole],
                &[7, 7],
                2,
                2,
                2,
            ),
        ] {
            let tally = tally(storms);

            let expected = (seeds, cut_short, Some(shown), vec![ends; 2]);
            assert_eq!(counts(&tally), expected);
        }
    }

    #[test]
    fn an_answer_that_no_story_gives_is_not_counted() {
        let [one, other] = [7, 8].map(|seed| storm(seed, None, None));

        assert_eq!(tally([&one, &other]).show_the_answer, None);
    }
}
