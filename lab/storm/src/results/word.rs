//! The word for a policy, which follows from its figures alone, or from those of the same storm
//! with a greater length.

use std::fmt;

use serde::Serialize;

use super::figures::{Figures, Periods, Share};
use crate::{Incident, Settings};

/// Whether the service recovered from the incident.
///
/// There is no word without an incident, if less than half of the calls succeeded before it, or
/// if either share has fewer than 300 calls: chance alone could decide then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Word {
    /// The share at the end is at least nine tenths of the share before.
    Ok {
        /// The first whole second after the incident from which both the calls of the next two
        /// seconds and all later ones reach nine tenths of the share before; the beginning of
        /// the last quarter at most.
        after_seconds: usize,
        /// Whether the service recovers only in a longer storm: in five times its length.
        is_later: bool,
    },
    /// It is less than half of the share before.
    Down,
    /// It is between the two.
    Degraded,
}

/// The fewest calls of a share.
const FEWEST: u64 = 300;

const NINE_TENTHS: u64 = 9;
const HALF: u64 = 5;

impl Word {
    /// The word for these figures.
    pub(crate) fn of(settings: &Settings, figures: &Figures) -> Option<Self> {
        let Figures {
            before, end, after, ..
        } = figures;
        NoWord::of(settings, figures).is_none().then(|| {
            if end.reaches(NINE_TENTHS, *before) {
                let latest = Periods::of(settings).seconds_to_last_quarter();
                Self::Ok {
                    after_seconds: recovered(*before, after, latest),
                    is_later: false,
                }
            } else if end.reaches(HALF, *before) {
                Self::Degraded
            } else {
                Self::Down
            }
        })
    }

    /// Whether the word can still become `ok`, given the figures so far and the number of calls
    /// in the last quarter.
    pub(crate) fn can_become_ok(figures: &Figures, end_calls: u64) -> bool {
        let failed = figures.end.calls - figures.end.succeeded;
        let best = Share {
            calls: end_calls,
            succeeded: end_calls.saturating_sub(failed),
        };
        best.reaches(NINE_TENTHS, figures.before)
    }

    /// The word, given that of the same storm with a greater length: a service that has
    /// recovered by then does recover.
    pub(crate) fn or_later(self, longer: Option<Self>) -> Self {
        match longer {
            Some(Self::Ok { after_seconds, .. }) => Self::Ok {
                after_seconds,
                is_later: true,
            },
            _ => self,
        }
    }
}

/// Why there is no word for a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NoWord {
    NoIncident,
    DownBefore,
    FewCalls,
}

impl NoWord {
    /// Why there is no word for these figures; none if there is one.
    pub(crate) fn of(settings: &Settings, figures: &Figures) -> Option<Self> {
        let Figures { before, end, .. } = figures;
        if settings.incident == Incident::None {
            Some(Self::NoIncident)
        } else if before.calls.min(end.calls) < FEWEST {
            Some(Self::FewCalls)
        } else if before.succeeded * 2 < before.calls {
            Some(Self::DownBefore)
        } else {
            None
        }
    }
}

impl fmt::Display for NoWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIncident => f.write_str("there is no incident"),
            Self::DownBefore => {
                f.write_str("less than half of the calls succeed before the incident")
            }
            Self::FewCalls => write!(
                f,
                "fewer than {FEWEST} calls in the 10 s before the incident or at the end"
            ),
        }
    }
}

/// The first second from which the next two seconds and all later ones reach nine tenths.
fn recovered(before: Share, after: &[Share], latest: usize) -> usize {
    let reaches = |seconds: &[Share]| {
        let share: Share = seconds.iter().copied().sum();
        share.reaches(NINE_TENTHS, before)
    };
    let has_recovered = |second: &usize| {
        let rest = after.get(*second..).unwrap_or_default();
        let (next, later) = rest.split_at(rest.len().min(2));
        reaches(next) && reaches(later)
    };
    (0..latest).find(has_recovered).unwrap_or(latest)
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok {
                after_seconds,
                is_later,
            } => {
                let mark = if *is_later { " ›" } else { "" };
                write!(f, "ok after {after_seconds} s{mark}")
            }
            Self::Down => f.write_str("DOWN"),
            Self::Degraded => f.write_str("degraded"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{ops::ControlFlow, time::Duration};

    use proptest::{collection::vec, prelude::*};
    use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};

    use super::*;
    use crate::{Plan, STORIES, Setup, StormPolicy, simulate};

    fn share(calls: u64, succeeded: u64) -> Share {
        Share { calls, succeeded }
    }

    fn word(before: Share, end: Share) -> Option<Word> {
        let figures = Figures {
            before,
            end,
            ..Figures::default()
        };
        Word::of(&Settings::DEFAULT, &figures)
    }

    fn any_share() -> impl Strategy<Value = Share> {
        (0_u64..2_000, 0_u64..=1_000)
            .prop_map(|(calls, thousandths)| share(calls, calls * thousandths / 1_000))
    }

    proptest! {
        /// The table of the words. A service under which no late call fails is never down,
        /// however few calls there are.
        #[test]
        fn a_word_follows_from_the_shares(before in any_share(), end in any_share()) {
            let ratio = |share: Share| share.succeeded as f64 / share.calls as f64;
            let is_unknown = before.calls < 300 || end.calls < 300 || ratio(before) < 0.5;

            match word(before, end) {
                None => prop_assert!(is_unknown),
                Some(word) => {
                    prop_assert!(!is_unknown);
                    let relative = ratio(end) / ratio(before);
                    match word {
                        Word::Ok { .. } => prop_assert!(relative >= 0.9 - 1e-9),
                        Word::Degraded => prop_assert!((0.5 - 1e-9..0.9).contains(&relative)),
                        Word::Down => prop_assert!(relative < 0.5),
                    }
                    let is_ok = matches!(word, Word::Ok { .. });
                    prop_assert!(end.succeeded < end.calls || is_ok);
                }
            }
        }

        #[test]
        fn the_second_of_the_recovery_is_the_first_that_lasts(
            parts in vec((1_usize..8, 0_u64..=10), 1..8),
            latest in 0_usize..40,
        ) {
            let before = share(600, 600);
            let seconds = parts.iter().flat_map(|(length, tenths)| vec![share(10, *tenths); *length]);
            let after: Vec<_> = seconds.collect();
            let reaches = |from: usize, to: usize| {
                let range = from.min(after.len())..to.min(after.len());
                let sum: Share = after[range].iter().copied().sum();
                sum.succeeded * 10 >= 9 * sum.calls
            };
            let lasts = |second: usize| reaches(second, second + 2) && reaches(second + 2, after.len());

            let found = recovered(before, &after, latest);

            prop_assert!(found <= latest);
            prop_assert!(found == latest || lasts(found));
            prop_assert!((0..found).all(|earlier| !lasts(earlier)));
        }
    }

    #[test]
    fn no_word_needs_an_incident_that_chance_could_have_made() {
        let many = share(300, 300);
        assert_eq!(word(many, share(300, 149)), Some(Word::Down));
        assert_eq!(word(many, share(300, 150)), Some(Word::Degraded));
        assert_eq!(word(many, share(300, 269)), Some(Word::Degraded));
        assert!(matches!(word(many, share(300, 270)), Some(Word::Ok { .. })));
        for few in [share(299, 299), share(0, 0)] {
            assert_eq!((word(few, many), word(many, few)), (None, None));
        }
        assert_eq!(word(share(300, 149), many), None, "it was not up before");
        let quiet = Settings {
            incident: Incident::None,
            ..Settings::DEFAULT
        };
        let figures = Figures {
            before: many,
            end: many,
            ..Figures::default()
        };
        assert_eq!(Word::of(&quiet, &figures), None);
    }

    #[test]
    fn a_missing_word_has_a_reason_and_a_word_has_none() {
        let many = share(300, 300);
        let of = |before, end| {
            let figures = Figures {
                before,
                end,
                ..Figures::default()
            };
            NoWord::of(&Settings::DEFAULT, &figures)
        };

        assert_eq!(of(many, many), None);
        assert_eq!(of(share(300, 149), many), Some(NoWord::DownBefore));
        assert_eq!(of(share(299, 0), many), Some(NoWord::FewCalls));
        assert_eq!(of(many, share(299, 299)), Some(NoWord::FewCalls));
    }

    #[test]
    fn only_a_later_recovery_replaces_a_word() {
        let ok = |is_later| Word::Ok {
            after_seconds: 77,
            is_later,
        };

        for word in [Word::Down, Word::Degraded] {
            assert_eq!(word.or_later(Some(ok(false))), ok(true));
            for longer in [None, Some(Word::Down), Some(Word::Degraded)] {
                assert_eq!(word.or_later(longer), word);
            }
        }
        assert_eq!(ok(true).to_string(), "ok after 77 s ›");
    }

    /// A draw from the standard normal distribution, by Box and Muller's transform.
    fn normal(random: &mut ChaCha12Rng) -> f64 {
        let [radius, angle]: [f64; 2] = random.random();
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - radius));
        radius * libm::cos(std::f64::consts::TAU * angle)
    }

    /// The calls of a Poisson process, which succeed independently of each other.
    fn drawn(random: &mut ChaCha12Rng, per_second: f64, seconds: f64, success: f64) -> Share {
        let mean = per_second * seconds;
        let calls = (mean + mean.sqrt() * normal(random)).round();
        let deviation = (calls * success * (1.0 - success)).sqrt();
        let succeeded = (calls * success + deviation * normal(random)).round();
        share(calls as u64, succeeded.min(calls) as u64)
    }

    #[test]
    fn chance_takes_no_steady_service_down_and_seldom_degrades_it() {
        for (number, per_second) in (0..).zip([30.0, 40.0, 60.0, 120.0, 300.0]) {
            for success in [0.95, 0.8] {
                let mut random = ChaCha12Rng::seed_from_u64(number);
                let words = (0..1_000).map(|_| {
                    let before = drawn(&mut random, per_second, 10.0, success);
                    word(before, drawn(&mut random, per_second, 11.25, success))
                });
                let words: Vec<_> = words.collect();

                let count = |word| words.iter().filter(|drawn| **drawn == Some(word)).count();
                assert_eq!(count(Word::Down), 0, "{per_second}/s at {success}");
                let degraded = count(Word::Degraded);
                assert!(degraded <= 10, "{per_second}/s at {success}: {degraded}");
            }
        }
    }

    /// The storms of one policy with these settings.
    fn words(settings: Settings, seeds: u64) -> Vec<Option<Word>> {
        let policy = StormPolicy::new(
            "1 attempt",
            Setup {
                attempts: 1,
                ..Setup::DEFAULT
            },
        );
        let word = |seed| {
            let plan = Plan {
                settings,
                policies: vec![policy.clone()],
                seed,
                ..Plan::of(&STORIES[0])
            };
            let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("a storm");
            storm.policies[0].word
        };
        (1..=seeds).map(word).collect()
    }

    #[test]
    fn a_service_with_less_capacity_than_load_never_recovers() {
        let too_small = Settings {
            workers: 5,
            length: Duration::from_secs(40),
            ..Settings::DEFAULT
        };

        let words = words(too_small, 3);

        let ok = words
            .iter()
            .filter(|word| matches!(word, Some(Word::Ok { .. })));
        assert_eq!(ok.count(), 0, "{words:?}");
    }

    #[test]
    fn a_storm_of_few_calls_has_no_word() {
        let few = Settings {
            calls_per_second: 5.0,
            incident: Incident::Refusal,
            length: Duration::from_secs(20),
            ..Settings::DEFAULT
        };
        let early = Settings {
            incident_starts: Duration::from_millis(500),
            ..Settings::DEFAULT
        };

        assert_eq!(words(few, 10), [None; 10]);
        assert_eq!(words(early, 3), [None; 3]);
    }
}
